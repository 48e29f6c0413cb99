"""`optimize`: the best mapping of a layer on an architecture."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, load_architecture
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Axes
from halidehw.optimize.dataflow import dataflows, parse_dataflow, replicated
from halidehw.optimize.objective import objective as objective_named
from halidehw.optimize.result import Result
from halidehw.optimize.rules import rules
from halidehw.optimize.search import Search
from halidehw.optimize.space import Space, build_space
from halidehw.optimize.unrolling import unrollings

SHIPPED = Path(__file__).parent / "arch"
"""The architectures that come with the package."""


@dataclass(frozen=True)
class Options:
    """The space and the goal of a search.

    `dataflow`: notation, `any` for all of one loop per array dimension, None for the architecture's own (`any` when
    it has none). `replicate`: add at most one more loop to each dimension. `ragged`: also tiles that do not divide.
    `half_full`: tiles fill at least half of every on-chip level. `full_array`: as many lanes of each dataflow as the
    array takes. `time_limit`: seconds; `max_cycles`: only mappings that take no more.
    """

    dataflow: str | None = None
    objective: str = "energy"
    convention: str = "exact"
    time_limit: float | None = None
    replicate: bool = False
    ragged: bool = False
    half_full: bool = False
    full_array: bool = False
    max_cycles: float = float("inf")


def architecture(file: str | Path) -> Architecture:
    """The architecture in a TOML file, or a shipped one by name."""
    return load_architecture(file, SHIPPED)


def optimize(
    layer: Layer,
    arch: Architecture,
    dataflow: str | None = None,
    objective: str = "energy",
    convention: str = "exact",
    time_limit: float | None = None,
    **more: bool | float,
) -> Result:
    """The mapping of `layer` on `arch` of least energy, delay or energy-delay product (`edp`).

    `convention`: `exact` or `paper`; the rest as in Options. The answer is the same in every run, unless
    the time limit cuts it off. Raises CostError when nothing is feasible, or on an unknown name.
    """
    return optimize_with(layer, arch, Options(dataflow, objective, convention, time_limit, **more))  # type: ignore[arg-type]


def optimize_with(layer: Layer, arch: Architecture, options: Options) -> Result:
    """As `optimize`, the options in one value."""
    start = time.perf_counter()
    check(arch, options)
    goal, rule = objective_named(options.objective), rules(options.convention)
    unrolled = unrollings(layer, arch.array, flows(layer, arch, options), options.ragged, options.full_array)
    space = build_space(layer, arch, rule, unrolled, options.half_full, options.ragged)
    deadline = start + (options.time_limit or float("inf"))
    found = Search(goal, options.convention, options.max_cycles, deadline).run(space)
    if found.mapping is None:
        raise CostError(_nothing(space, options.max_cycles))
    optimal, gap, evaluated = found.bound == found.score, 1 - found.bound / found.score, found.evaluated
    if goal.name == "delay":
        least = objective_named("energy")
        found = Search(least, options.convention, found.cycles, deadline, found.mapping).run(space)
        optimal, evaluated = optimal and found.bound == found.score, evaluated + found.evaluated
    assert found.mapping is not None
    cost = evaluate(layer, arch, found.mapping, options.convention)
    seconds = time.perf_counter() - start
    return Result(
        layer, arch, goal.name, rule.name, cost.energy_pj, cost.cycles, found.mapping, cost.parts, optimal, gap,
        evaluated, seconds,
    )  # fmt: skip


def check(arch: Architecture, options: Options) -> None:
    """Raises CostError on an unknown name in the options, and on a time limit that is not positive."""
    objective_named(options.objective)
    rules(options.convention)
    chosen = options.dataflow or arch.dataflow or "any"
    if chosen != "any":
        parse_dataflow(chosen, len(arch.array))
    if options.time_limit is not None and not options.time_limit > 0:
        raise CostError(f"time limit must be more than 0 seconds, is {options.time_limit}", legal=["--time-limit 10"])


def flows(layer: Layer, arch: Architecture, options: Options) -> list[Axes]:
    """The dataflows to try."""
    dimensions = len(arch.array)
    loops = tuple(dim for dim in range(len(DIMS)) if layer.extents[dim] > 1) or (0,)
    chosen = options.dataflow or arch.dataflow or "any"
    found = dataflows(dimensions, loops) if chosen == "any" else [parse_dataflow(chosen, dimensions)]
    if options.replicate:
        found = [each for axes in found for each in replicated(axes, loops)]
    return found


def _nothing(space: Space, max_cycles: float) -> str:
    fastest = space.steps(space.unrolled.lanes).min()
    if fastest > max_cycles:
        return f"no mapping takes at most {max_cycles:.0f} cycles: the array alone needs {fastest}"
    return f"{space.layer.title} on {space.arch.name}: no tiles and lanes fit together within the limits"
