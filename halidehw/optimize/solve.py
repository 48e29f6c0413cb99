"""`optimize`: the best mapping of a layer on an architecture."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, doubled, load_architecture
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.layer import Layer
from halidehw.optimize.described import described
from halidehw.optimize.objective import objective as objective_named
from halidehw.optimize.options import Options, check, flows
from halidehw.optimize.result import Result
from halidehw.optimize.rules import rules
from halidehw.optimize.search import Search
from halidehw.optimize.space import Space, build_space
from halidehw.optimize.unrolling import unrollings

SHIPPED = Path(__file__).parent / "arch"
"""The architectures that come with the package."""


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
    """As `optimize`, the options in one value.

    Where time matters, register files with one half are tried with two as well, and what is generated decides: while
    its only half is filled or drained, the array waits.
    """
    check(arch, options)
    arch = arch if options.port_bits is None else replace(arch, port_bits=options.port_bits)
    found = _searched(layer, arch, options)
    twice = doubled(arch) if objective_named(options.objective).timed and options.convention == "exact" else None
    if twice:
        found = _faster(found, layer, twice, options)
    return replace(found, warning=_lonely(found, options))


def _faster(found: Result, layer: Layer, twice: Architecture, options: Options) -> Result:
    """`found` or what is best on `twice`, whose hardware is the better one."""
    try:
        other = _searched(layer, twice, options)
    except CostError:
        return found
    goal = objective_named(options.objective)
    scores = [
        (float(goal.score(np.array(each.energy_pj), np.array(each.run_cycles))), each.energy_pj)
        for each in (found, other)
    ]
    better = other if scores[1] < scores[0] else found
    return replace(better, evaluated=found.evaluated + other.evaluated, seconds=found.seconds + other.seconds)


def _searched(layer: Layer, arch: Architecture, options: Options) -> Result:
    """The best mapping on an architecture as it is."""
    start = time.perf_counter()
    goal, rule = objective_named(options.objective), rules(options.convention)
    unrolled = unrollings(layer, arch.array, flows(layer, arch, options), options.ragged, options.share)
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
        evaluated, seconds, described(space, options),
    )  # fmt: skip


def _lonely(result: Result, options: Options) -> str:
    """What is said of a dataflow that leaves a single PE at work, where another one would not."""
    layer, arch, flow = result.layer, result.arch, options.flow(result.arch)
    if arch.pes == 1 or flow == "any" or result.used:
        return ""
    other = optimize_with(layer, arch, replace(options, dataflow="any", max_cycles=float("inf")))
    if not other.used:
        return ""
    return (
        f"1 of {arch.pes} PEs is at work under {flow}; {result.cycles / other.cycles:.1f} times fewer "
        f'cycles and {other.energy_pj / result.energy_pj:.2f} of the energy with --dataflow "{other.used}"'
    )


def _nothing(space: Space, max_cycles: float) -> str:
    fastest = space.steps(space.unrolled.lanes).min()
    if fastest > max_cycles:
        return f"no mapping takes at most {max_cycles:.0f} cycles: the array alone needs {fastest}"
    return f"{space.layer.title} on {space.arch.name}: no tiles and lanes fit together within the limits"
