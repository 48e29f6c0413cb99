"""What holds for every nest; checked between passes."""

from __future__ import annotations

from itertools import pairwise

from halidehw.expr.expr import Expr, nodes
from halidehw.ir.bounds import depth, ranges, refills, tile
from halidehw.ir.nest import Access, Accumulated, Buffer, Load, Lookup, Nest, Scan, Slide
from halidehw.ir.sums import spilling, sums_depths


class InvariantError(Exception):
    """A value that breaks the rules of its level, which the message begins with: a fault of this package, not of its
    user."""


def verify(nest: Nest) -> Nest:
    """The nest itself. Raises `InvariantError` naming the rule it breaks."""
    _verify_loops(nest)
    _verify_domain(nest)
    for access in (*nest.reads, nest.write):
        _verify_access(nest, access)
    _verify_reduction(nest)
    _verify_leaves(nest, nest.value, Accumulated)
    for buffer in nest.buffers:
        _verify_buffer(nest, buffer)
    for tensor in {buffer.tensor for buffer in nest.buffers}:
        _verify_levels(nest, nest.levels(tensor))
    return nest


def _check(holds: bool, why: str, *shown: object) -> None:
    """`shown`: what takes the places of `{}` in `why`; forms are slow to print."""
    if not holds:
        raise InvariantError(f"nest: {why.format(*shown)}")


def _verify_loops(nest: Nest) -> None:
    _check(len(nest.loop) == len(nest.loops), "two loops share a name")
    for loop in nest.loops:
        _check(loop.extent >= 1, f"loop {loop.name} has extent {loop.extent}")
        _check(1 <= loop.lanes <= loop.extent, f"loop {loop.name} has {loop.lanes} lanes of {loop.extent} iterations")
        _check((loop.lanes > 1) == (loop.dimension is not None), f"loop {loop.name} has lanes without a dimension")
        _check(loop.lanes > 1 or not loop.systolic, f"loop {loop.name} is systolic but has no lanes")


def _verify_domain(nest: Nest) -> None:
    for constraint in nest.domain:
        _check(constraint.limit >= 0, "{} excludes the first iteration", constraint)
        for name, coefficient in constraint.terms:
            _check(name in nest.loop, "{} names no loop by {}", constraint, name)
            _check(coefficient > 0, "{} is not closed downwards in {}", constraint, name)


def _verify_access(nest: Nest, access: Access) -> None:
    _check(access.tensor in nest.tensor, f"access of an unknown tensor {access.tensor}")
    tensor = nest.tensor[access.tensor]
    _check(len(access.indices) == len(tensor.extents), f"access of {tensor.name} with {len(access.indices)} indices")
    for index in access.indices:
        _check(index.names <= nest.loop.keys(), "index {} of {} uses what is not a loop", index, tensor.name)


def _verify_reduction(nest: Nest) -> None:
    written = {name for index in nest.write.indices for name in index.names}
    _check(not any(loop.reduction for loop in nest.loops[: nest.place]), "a reduction outside the stage's place")
    for loop in nest.loops[nest.place :]:
        if loop.reduction:
            _check(loop.name not in written, f"the output's index depends on reduction loop {loop.name}")
            _check(nest.combine is not None, f"reduction loop {loop.name} in a nest that combines nothing")
        else:
            _check(loop.name in written or loop.extent == 1, f"the output does not depend on loop {loop.name}")
    _check(nest.combine is not None or nest.epilogue is None, "an epilogue without a reduction")
    if nest.sums:
        depths = sums_depths(nest)
        outer = nest.loops[: depths[0]]
        _check(nest.combine is not None, "a buffer of partial sums without a reduction")
        _check(not any(loop.reduction and loop.lanes > 1 for loop in outer), "partial sums inside lanes of a reduction")
        steps = [[loop.name for loop in nest.loops[:tile] if loop.steps > 1] for tile in depths]
        for level, (outside, inside) in zip(nest.sums[1:], pairwise(steps), strict=True):
            _check(len(outside) < len(inside), f"{level.name} holds the tile of the level outside it")
        _check(not spilling(nest) or nest.epilogue is None, "partial sums are stored through an epilogue")


def _verify_leaves(nest: Nest, expr: Expr, forbidden: type[Expr]) -> None:
    for node in nodes(expr):
        _check(not isinstance(node, forbidden), f"{forbidden.__name__} in the value of one iteration")
        if isinstance(node, Lookup):
            _check(node.tensor in nest.tensor, f"a look-up in the unknown tensor {node.tensor}")
        if isinstance(node, Scan):
            _check(nest.combine is None, "a recurrence that is summed up")
        if isinstance(node, Load):
            _check(node.read < len(nest.reads), f"load of read {node.read} of {len(nest.reads)}")


def _verify_buffer(nest: Nest, buffer: Buffer) -> None:
    _check(buffer.at is None or buffer.at in nest.loop, f"buffer {buffer.name} at the unknown loop {buffer.at}")
    place = depth(nest, buffer.at)
    for indices in buffer.also:
        _verify_access(nest, Access(buffer.tensor, indices))
    copies = any(loop.lanes > 1 for loop in nest.loops[:place])
    _check(buffer.per_pe == copies, f"buffer {buffer.name} is {'not ' if copies else ''}one per PE")
    box = ranges(nest.loops)
    if buffer.slide:
        _verify_slide(nest, buffer, buffer.slide)
    for span, first, extent in zip(tile(nest, buffer), buffer.mins, buffer.extents, strict=True):
        least, most = (span.first - first).range(box)
        covers = least >= 0 and most + span.size <= extent
        _check(covers, f"buffer {buffer.name} does not cover what the loops inside it read")


def _verify_slide(nest: Nest, buffer: Buffer, slide: Slide) -> None:
    within = [loop.name for loop in nest.loops[depth(nest, slide.at) : depth(nest, buffer.at)]]
    moving = [loop.name for loop in refills(nest, buffer) if loop.steps > 1]
    _check(bool(slide.loops) and set(slide.loops) <= set(within), f"{buffer.name} slides outside where it is kept")
    _check(tuple(moving[-len(slide.loops) :]) == slide.loops, f"{buffer.name} is not moved by its slide's loops")
    step = buffer.mins[slide.dimension][slide.loops[-1]]
    _check(step == slide.step > 0, f"{buffer.name} moves by {step}, not by {slide.step}")
    span = tile(nest, buffer)[slide.dimension]
    rows, moved = (span.size - 1) // span.step + 1, step // span.step
    _check(moved < rows or (moved == rows and bool(buffer.also)), f"{buffer.name} keeps nothing")
    _check(not buffer.per_pe, f"{buffer.name} slides inside the array")


def _verify_levels(nest: Nest, levels: tuple[Buffer, ...]) -> None:
    for outer, inner in pairwise(levels):
        _check(depth(nest, outer.at) <= depth(nest, inner.at), f"buffer {inner.name} lies outside {outer.name}")
