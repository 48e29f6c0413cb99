"""The Pareto front of energy and delay."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, doubled
from halidehw.mapping.layer import Layer
from halidehw.optimize.least import Least
from halidehw.optimize.objective import NAMES
from halidehw.optimize.options import Options
from halidehw.optimize.result import Result
from halidehw.optimize.solve import in_steady_state, optimize_with
from halidehw.optimize.steady import ported, space_of, steady
from halidehw.optimize.thrifty import no_longer, thriftiest


def pareto(layer: Layer, arch: Architecture, options: Options) -> list[Result]:
    """All mappings that none beats in both counted energy and steady cycles, by rising energy, whatever the objective.

    Each is the optimum of least energy among those with fewer cycles than the one before. Raises CostError when
    nothing is feasible.
    """
    front = [steady(layer, arch, replace(options, objective="energy"))]
    fastest = steady(layer, arch, replace(options, objective="delay")).cycles
    while front[-1].cycles > fastest:
        faster = replace(options, objective="energy", max_cycles=front[-1].cycles - 1)
        front.append(steady(layer, arch, faster))
    return front


def hardware_front(layer: Layer, arch: Architecture, options: Options) -> list[Result]:
    """What the front of generated hardware is chosen from: the front of the steady state, with memories as they are and
    with two halves where they have room; what takes the least energy, runs fastest, and has the least product; each
    without the register files that make it take more energy and no fewer cycles.

    The `gap` of each is in its run: no mapping that counts as little energy has fewer steady cycles than the front of
    these, and none runs shorter than that. By the paper's convention, which has no hardware, it is the steady front.
    Raises CostError when nothing is feasible.
    """
    proven = pareto(layer, arch, options)
    if options.convention != "exact":
        return [in_steady_state(each) for each in proven]
    found = list(proven)
    for twice in doubled(arch):
        with suppress(CostError):
            found += pareto(layer, twice, options)
    found += [optimize_with(layer, arch, replace(options, objective=aim)) for aim in NAMES]
    if not options.all_files:
        found = [thriftiest(each, no_longer(each)) if each.files else each for each in found]
    fewest = Least(space_of(layer, ported(arch, options), options)).run
    return [_proven(each, proven, fewest, options) for each in found]


def _proven(result: Result, front: list[Result], fewest: int, options: Options) -> Result:
    """With the gap in its run, by the front of all mappings with memories of one half, which hold most, but where they
    must be half full, and the cycles that each runs at least. What was searched in a wider space keeps its own; what
    takes the least energy is of that space or a part of it."""
    within = result.objective == "energy" or result.space.startswith(front[0].space)
    if not (within and all(each.optimal for each in front)):
        return result
    below = [each.cycles for each in front if each.energy_pj <= result.energy_pj and not options.half_full]
    least = max([fewest, *below[-1:]])
    gap = max(0.0, 1 - least / result.run_cycles)
    said = f"{front[0].space}; gap over {least} cycles, which each takes at least that counts as little energy"
    about = "run time of what counts as little energy"
    return replace(result, gap=gap, optimal=gap == 0, space=said, about=about)
