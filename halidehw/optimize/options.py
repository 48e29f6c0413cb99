"""What a search may choose from, and its goal."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, fields, replace
from numbers import Real

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Axes
from halidehw.optimize.dataflow import dataflows, parse_dataflow, replicated
from halidehw.optimize.objective import objective
from halidehw.optimize.rules import rules


@dataclass(frozen=True)
class Options:
    """The space and the goal of a search.

    `dataflow`: notation, `any` for all of one loop per array dimension, None for the architecture's own (`any` when
    it has none). `replicate`: add at most one more loop to each dimension. `ragged`: also tiles that do not divide.
    `half_full`: tiles fill at least half of every on-chip level. `utilization`: the least share of the lanes that a
    dataflow can have on the array; `full_array`: all of them. `time_limit`: seconds; `max_cycles`: only mappings that
    take no more. `port_bits`: the width of each port, 0 for one word, `shared_port_bits`: of one for all (None: the
    architecture's). `all_levels`: only mappings that have the levels which are dearer than what is outside them, if
    there are any.
    """

    dataflow: str | None = None
    objective: str = "energy"
    convention: str = "exact"
    time_limit: float | None = None
    replicate: bool = False
    ragged: bool = False
    half_full: bool = False
    full_array: bool = False
    utilization: float | None = None
    max_cycles: float = float("inf")
    port_bits: int | None = None
    shared_port_bits: int | None = None
    all_levels: bool = False

    @property
    def share(self) -> float:
        """The least share of the lanes that a dataflow can have: 0 for any."""
        return 1.0 if self.full_array else self.utilization or 0.0

    @property
    def all_files(self) -> bool:
        """Whether each tensor has register files, as all levels are asked for, or half full, or there is no time."""
        return self.all_levels or self.half_full or self.time_limit is not None

    def flow(self, arch: Architecture) -> str:
        """The dataflow that is searched, or `any`."""
        return self.dataflow if self.dataflow is not None else arch.dataflow or "any"


EXAMPLES = Options("C | K", "energy", "exact", 10.0, True, True, True, True, 0.75, 1e6, 64, 128, True)
"""Of each option a value that it can have."""


def narrower(part: Options, whole: Options) -> bool:
    """Whether `whole` allows all that `part` does, ragged tiles or replicated loops beside it, and is else the same."""
    same = replace(part, ragged=whole.ragged, replicate=whole.replicate) == whole
    return same and part != whole and part.ragged <= whole.ragged and part.replicate <= whole.replicate


def check(arch: Architecture, options: Options) -> None:
    """Raises CostError on an unknown name in the options, and on a time limit or a share that is none."""
    _check_types(options)
    objective(options.objective)
    rules(options.convention)
    if options.dataflow is None:
        check_own(arch)
    elif options.dataflow != "any":
        parse_dataflow(options.dataflow, len(arch.array))
    check_time_limit(options.time_limit)
    if options.utilization is not None and not 0 < options.utilization <= 1:
        raise CostError(
            f"utilization must be a share of the array, more than 0 and at most 1, is {options.utilization:g}",
            legal=["utilization=0.75"],
        )
    if options.full_array and options.utilization is not None:
        raise CostError("full_array=True is a utilization of 1 already", legal=["utilization=1", "full_array=True"])


def check_own(arch: Architecture) -> None:
    """Raises CostError for an architecture's own dataflow that is none, as its file would have it."""
    if arch.dataflow is None or arch.dataflow == "any":
        return
    try:
        parse_dataflow(arch.dataflow, len(arch.array))
    except CostError as problem:
        legal = [each.replace("=", " = ", 1) for each in problem.proposed]
        raise CostError(f"architecture {arch.name}: {problem.message}", legal=legal) from None


def _check_types(options: Options) -> None:
    """Raises CostError for a value of another type than its option has."""
    for field, example in zip(fields(options), astuple(EXAMPLES), strict=True):
        value, kind = getattr(options, field.name), Real if type(example) is float else type(example)
        right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if not right and (value is not None or field.default is not None):
            what = {bool: "True or False", str: "a text", int: "a whole number"}.get(kind, "a number")
            legal = [f"{field.name}={json.dumps(example) if kind is str else example}"]
            raise CostError(f"{field.name} must be {what}, is {value!r}", legal=legal)


def check_time_limit(seconds: float | None) -> None:
    """Raises CostError on one that is none."""
    if seconds is not None and not seconds > 0:
        raise CostError(f"time limit must be more than 0 seconds, is {seconds}", legal=["time_limit=10"])


def flows(layer: Layer, arch: Architecture, options: Options) -> list[Axes]:
    """The dataflows to try."""
    dimensions = len(arch.array)
    loops = tuple(dim for dim in range(len(DIMS)) if layer.extents[dim] > 1) or (0,)
    chosen = options.flow(arch)
    found = dataflows(dimensions, loops) if chosen == "any" else [parse_dataflow(chosen, dimensions)]
    if options.replicate:
        found = [each for axes in found for each in replicated(axes, loops)]
    return found
