"""Windows that slide: which loops move a tile on along one dimension, step by step, so that it overlaps the last one.

Used on the loops of a nest and on the axes of a process's walk alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halidehw.ir.affine import Affine

Weights = Mapping[str, int]


@dataclass(frozen=True)
class Run:
    """The innermost `axes` move an index on along `dimension`, by `step` for each iteration of the last of them."""

    dimension: int
    axes: tuple[str, ...]
    step: int


def run(
    axes: Sequence[tuple[str, int]], index: Sequence[Affine], limits: Sequence[Weights], inner: Sequence[str]
) -> Run:
    """How the innermost of `axes` (name, extent; outer to inner) slides what the axes `inner` cover around `index`.

    `limits`: the weights of upper bounds of sums of axes. A run goes on outwards while its axes are the digits of one
    number; a limit must cut that number, with the part of the index inside, as a whole. Raises ValueError, saying why,
    if the innermost axis itself does not slide the index.
    """
    name = axes[-1][0]
    moved = [d for d, form in enumerate(index) if form[name]]
    if len(moved) != 1:
        raise ValueError(f"{name} moves it in {len(moved)} dimensions at once")
    form, step = index[moved[0]], index[moved[0]][name]
    if step < 0:
        raise ValueError(f"{name} moves it backwards, from greater indices to smaller ones")

    def whole(names: set[str]) -> bool:
        cutting = [weights for weights in limits if any(weights.get(axis) for axis in names)]
        return all(
            form[axis] * weights.get(name, 0) == step * weights.get(axis, 0) and step % weights.get(name, 1) == 0
            for weights in cutting
            for axis in (*names, *(other for other in inner if weights.get(other)))
        )

    if not whole({name}):
        raise ValueError(f"the end of {name} is cut off together with that of a loop that does not slide it")
    count = 1
    while count < len(axes):
        (outer, _), (last, extent) = axes[-count - 1], axes[-count]
        elsewhere = any(other[outer] for d, other in enumerate(index) if d != moved[0])
        if elsewhere or form[outer] != form[last] * extent or not whole({axis for axis, _ in axes[-count - 1 :]}):
            break
        count += 1
    return Run(moved[0], tuple(axis for axis, _ in axes[-count:]), step)
