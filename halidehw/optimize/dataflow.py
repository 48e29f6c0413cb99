"""Ways to unroll a layer's loops on an array: the notation `C | K`, replication `CX | K`, and what it allows."""

from __future__ import annotations

import re
from itertools import combinations, permutations, product

from halidehw.errors import CostError
from halidehw.mapping.layer import DIMS
from halidehw.mapping.mapping import Axes


def parse_dataflow(text: str, dimensions: int) -> Axes:
    """The dims of each array dimension in `text`, e.g. `C | K`, or `CX | K` (left = nearest).

    Raises CostError on an unknown loop, a loop used twice, an empty side, or more sides than `dimensions`.
    """
    sides = [side.strip() for side in text.split("|")]
    known = ["C | K", "FY | Y", "X | Y", "CX | K"] if dimensions == 2 else ["C", "X", "CX"]
    legal = [f'dataflow="{each}"' for each in (*known, "any")]
    if not text.strip():
        raise CostError(f"dataflow {text!r} names no loop; the loops are {', '.join(DIMS)}", legal=legal)
    if len(sides) > dimensions:
        raise CostError(f"dataflow {text!r} has {len(sides)} dimensions, the array has {dimensions}", legal=legal)
    axes = []
    for side in sides:
        names = re.findall(r"F[XYZ]|\S", side)
        for name in names:
            if name not in DIMS:
                raise CostError(
                    f"dataflow {text!r}: unknown loop {name!r}; the loops are {', '.join(DIMS)}", legal=legal
                )
        if not names:
            raise CostError(f"dataflow {text!r} has an empty side", legal=legal)
        axes.append(tuple(DIMS.index(name) for name in names))
    used = [dim for axis in axes for dim in axis]
    for dim in used:
        if used.count(dim) > 1:
            raise CostError(f"dataflow {text!r} unrolls {DIMS[dim]} twice", legal=legal)
    return tuple(axes)


def write_dataflow(axes: Axes) -> str:
    """The notation of `axes`."""
    return " | ".join("".join(DIMS[dim] for dim in axis) or "-" for axis in axes)


def dataflows(dimensions: int, loops: tuple[int, ...]) -> list[Axes]:
    """Every choice of one of `loops` per array dimension, each set of loops in both of its directions."""
    count = min(dimensions, len(loops))
    return [tuple((dim,) for dim in order) for chosen in combinations(loops, count) for order in permutations(chosen)]


def replicated(axes: Axes, loops: tuple[int, ...]) -> list[Axes]:
    """`axes`, and all ways to add at most one further loop of `loops` to each dimension."""
    free = [dim for dim in loops if all(dim not in axis for axis in axes)]
    found = []
    for extra in product([None, *free], repeat=len(axes)):
        chosen = [dim for dim in extra if dim is not None]
        if len(set(chosen)) == len(chosen):
            found.append(tuple(axis if dim is None else (*axis, dim) for axis, dim in zip(axes, extra, strict=True)))
    return found
