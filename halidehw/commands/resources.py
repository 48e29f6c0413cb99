"""The search of memory sizes, levels and array shapes, for `halidehw optimize --memories`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, floor
from pathlib import Path
from typing import Any

import click

from halidehw.commands.common import print_json
from halidehw.energy_model.costs.table import CostTable
from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Network
from halidehw.notation import counted
from halidehw.optimize import Options
from halidehw.optimize.budget import Budget
from halidehw.optimize.compared import SAID
from halidehw.optimize.hierarchy import Hierarchy
from halidehw.optimize.objective import objective
from halidehw.optimize.plots import front, nondominated
from halidehw.optimize.resources import (
    SUMS,
    Ranked,
    affordable,
    candidates,
    in_ratio,
    network_tasks,
    on_chip_bytes,
    rank,
    ratios,
    repriced,
    with_arrays,
)  # fmt: skip

SHOWN = 12
"""Architectures that are listed."""


@dataclass(frozen=True)
class Resources:
    """What may be chosen, on `base`: memories of `hierarchies`, or, with none, as they are; what `base` states no price
    of costs what the table `costs` says; `ratio` prunes, and its loss is reported."""

    base: Architecture
    costs: CostTable
    hierarchies: list[Hierarchy]
    arrays: list[tuple[int, ...]]
    budget: Budget
    ratio: tuple[float, float] | None

    def unsaid(self) -> list[str]:
        """Levels that other ones take the place of, without the price or the bandwidth that they have."""
        levels = self.base.levels[:-1] if self.hierarchies else ()
        return [level.name for level in levels if level.stated or level.bandwidth]

    def architectures(self) -> list[Architecture]:
        """All within the budget, whatever their ratios. Raises CostError when there are none."""
        same = [] if self.hierarchies else with_arrays(repriced(self.base, self.costs), self.arrays)
        choices, reasons = same, list[CostError]()
        for memories in self.hierarchies:
            try:
                fitting = memories.fitting(self.base, self.costs.word_bits)
            except CostError as reason:
                reasons.append(reason)
                continue
            choices += candidates(fitting.on(self.base), self.costs, fitting.sizes, self.arrays)
        if not choices:
            raise reasons[0]
        return affordable(choices, self.budget)


def search_resources(
    network: Network, resources: Resources, options: Options, run: Callable[..., list[dict[str, Any]]],
    plot: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Rank the architectures and print the best; `run`: computes the answers to tasks, in their order."""
    architectures, flow = resources.architectures(), options.flow(resources.base)
    answers = run(network_tasks(network, architectures, replace(options, dataflow=flow)))
    every, left_out = rank(network, architectures, answers, objective(options.objective))
    ratio = resources.ratio
    ranked = [each for each in every if ratio is None or in_ratio(each.arch, ratio)]
    if ratio and not ranked:
        raise CostError(
            f"none of {counted(len(every), 'architecture')} has its ratios between {ratio[0]:g} and {ratio[1]:g}",
            legal=[*dict.fromkeys(_around(ratios(each.arch)) for each in every)][:3],
        )
    energies, cycles = ([float(each.figures[at]) for each in every] for at in range(2))
    uj, pace = (SAID[name] for name in every[0].by)
    if plot:
        labels, microjoules = [each.arch.name for each in every], [each / 1e6 for each in energies]
        front(f"{network.name}: energy and delay", plot, (pace, cycles), (uj, microjoules), labels)
    unbeaten = [every[at] for at in nondominated(cycles, energies)]
    report = {
        "network": network.name,
        "objective": options.objective,
        "compared": list(every[0].by),
        "searched": len(every),
        "best": _plain(ranked[0]),
        "ranking": [_plain(each) for each in ranked],
        "front": [_plain(each) for each in unbeaten],
        "ratio": _pruning(ranked, every, options.objective) if ratio else None,
        "left_out": [{"architecture": arch.name, "array": list(arch.array), "why": why} for arch, why in left_out],
    }
    if unsaid := resources.unsaid():
        why = f"what {resources.base.name} states of {' and '.join(unsaid)} (energy, bandwidth) is not of these levels"
        click.echo(f"warning: --memories: {why}", err=True)
    if every[0].by == ("counted_pj", "cycles"):
        why = f"not all hardware has a price by {resources.costs.name}, so that all energies are as counted"
        click.echo(f"warning: {why}", err=True)
    for arch, why in left_out:
        click.echo(f"warning: {arch.name} is left out: {why}", err=True)
    print_json(report) if as_json else click.echo(_text(report, ranked, unbeaten))


def _around(ratios: tuple[float, float]) -> str:
    """The option of whole numbers that keeps such ratios."""
    return f"--ratio {floor(ratios[0])}:{ceil(ratios[1])}"


def _plain(each: Ranked) -> dict[str, Any]:
    return {
        "architecture": each.arch.name,
        "array": list(each.arch.array),
        "bytes": {level.name: (level.words or 0) * each.arch.word_bits // 8 for level in each.arch.levels[:-1]},
        "pes": each.arch.pes,
        "on_chip_bytes": on_chip_bytes(each.arch),
        **{key: getattr(each, key) for key in SUMS},
    }


def _pruning(ranked: list[Ranked], every: list[Ranked], name: str) -> dict[str, Any]:
    """What the ratio leaves of the choices, and what that costs: the objective's best over the best of all, less 1."""
    goal = objective(name)
    loss = ranked[0].score(goal) / every[0].score(goal) - 1
    return {"kept": len(ranked), "of": len(every), "loss": loss, "best_of_all": _plain(every[0])}


def _text(report: dict[str, Any], ranked: list[Ranked], unbeaten: list[Ranked]) -> str:
    lines = [f"{report['network']}: {counted(report['searched'], 'architecture')} by {report['objective']}"]
    lines += [_line(each) for each in ranked[:SHOWN]]
    lines += [f"  and {len(ranked) - SHOWN} more"] if len(ranked) > SHOWN else []
    lines += ["none beats in both energy and cycles:", *(_line(each) for each in unbeaten)]
    if report["ratio"]:
        kept, loss = report["ratio"], report["ratio"]["loss"]
        lost = f"loses {loss:.2%} against {kept['best_of_all']['architecture']}"
        lines.append(f"the ratio keeps {kept['kept']} of {kept['of']} and {lost}")
    return "\n".join(lines)


def _line(each: Ranked) -> str:
    (energy, run), (unit, cycles) = each.figures, (SAID[name] for name in each.by)
    size = on_chip_bytes(each.arch) / 1024
    return f"  {each.arch.name:48} {energy / 1e6:14.3f} {unit} {run:14} {cycles} {size:10.1f} KB"
