"""The Pareto front of energy and delay."""

from __future__ import annotations

from dataclasses import replace

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer
from halidehw.optimize.options import Options
from halidehw.optimize.result import Result
from halidehw.optimize.solve import optimize_with, steady


def pareto(layer: Layer, arch: Architecture, options: Options) -> list[Result]:
    """All mappings that none beats in both energy and steady cycles, by rising energy; the objective is not used.

    Each is the optimum of least energy among those with fewer cycles than the one before. Raises CostError when
    nothing is feasible.
    """
    front = [optimize_with(layer, arch, replace(options, objective="energy"))]
    fastest = steady(layer, arch, replace(options, objective="delay")).cycles
    while front[-1].cycles > fastest:
        faster = replace(options, objective="energy", max_cycles=front[-1].cycles - 1)
        front.append(optimize_with(layer, arch, faster))
    return front
