"""Windows that slide: which loops move a tile on along one dimension, step by step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    axes: Sequence[tuple[str, int]], index: Sequence[Affine], limits: Sequence[Weights], inner: Mapping[str, int]
) -> Run:
    """How the innermost of `axes` (name, extent; outer to inner) slides what the axes `inner` cover around `index`.

    `limits`: the weights of upper bounds of sums of axes. A run goes on outwards while its axes are the digits of one
    number that no limit cuts off but as a whole. Raises ValueError, saying why, if the innermost axis itself does not
    slide the index.
    """
    name = axes[-1][0]
    moved = [d for d, form in enumerate(index) if form[name]]
    if len(moved) != 1:
        raise ValueError(f"{name} moves it in {len(moved)} dimensions at once")
    form = index[moved[0]]
    if form[name] < 0:
        raise ValueError(f"{name} moves it backwards, from greater indices to smaller ones")

    def as_a_whole(count: int) -> bool:
        slide = dict(axes[-count:])
        cutting = (weights for weights in limits if any(weights.get(axis) for axis in slide))
        return all(_whole(form, weights, slide, inner) for weights in cutting)

    if not as_a_whole(1):
        raise ValueError(f"the end of {name} is cut off together with that of a loop that is not part of the slide")
    count = 1
    while count < len(axes):
        (outer, _), (last, extent) = axes[-count - 1], axes[-count]
        elsewhere = any(other[outer] for d, other in enumerate(index) if d != moved[0])
        if elsewhere or form[outer] != form[last] * extent or not as_a_whole(count + 1):
            break
        count += 1
    return Run(moved[0], tuple(axis for axis, _ in axes[-count:]), form[name])


def _whole(form: Affine, weights: Weights, slide: Mapping[str, int], inner: Mapping[str, int]) -> bool:
    """Whether a limit cuts off the sum that the index is made of, and the sum takes every value up to there.

    So the last row of the last tile is exactly the last one of all: all of the slide and what the limit has inside are
    in the index, in the limit's proportions, and as digits leave no value out.
    """
    extents = dict(slide) | {axis: extent for axis, extent in inner.items() if weights.get(axis)}
    first = next(iter(slide))
    if not all(form[axis] * weights.get(first, 0) == form[first] * weights.get(axis, 0) for axis in extents):
        return False
    digits = [(weights[axis], extent) for axis, extent in extents.items()]
    return form[first] % weights[first] == 0 and _complete(digits)


def _complete(digits: Collection[tuple[int, int]]) -> bool:
    """Whether sums of (weight, extent) take every value from 0 to the greatest."""
    reach = 0
    for weight, extent in sorted(digits):
        if weight > reach + 1:
            return False
        reach += weight * (extent - 1)
    return True
