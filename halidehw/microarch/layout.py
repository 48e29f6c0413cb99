"""Tensors in the order of memory: their dimensions are the parts of their layout, the fastest first.

What reads or writes memory sees a tensor only so. Dimension 0 is then the one along which a port carries words side by
side, and along which processes that walk through a box go first; nothing else knows of layouts. An index along a
dimension in blocks is a block and a place in it, each a form over the axes; so axes go round a block (`rounds`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import gcd, prod

from halidehw.errors import HardwareError, SourceLine
from halidehw.ir.affine import Affine
from halidehw.ir.layout import Layout, Part, dense
from halidehw.ir.nest import Tensor

Index = tuple[Affine, ...]


def stored(tensor: Tensor, joined: int = 1) -> Tensor:
    """A tensor whose dimensions are the parts of its layout, each from 0 on. So many of the first ones are one."""
    if tensor.layout is None and joined == 1:
        return tensor
    first, *rest = _groups(tensor, joined)
    sizes = [prod(part.extent for part in first), *(part.extent for (part,) in rest)]
    strides = [first[0].stride, *(part.stride for (part,) in rest)]
    layout = Layout(tuple(Part(d, 1, *each) for d, each in enumerate(zip(sizes, strides, strict=True))))
    return replace(tensor, mins=(0,) * len(sizes), extents=tuple(sizes), layout=layout)


def _groups(tensor: Tensor, joined: int) -> list[tuple[Part, ...]]:
    """The parts that are one dimension each in memory."""
    parts = (tensor.layout or dense(tensor.extents)).parts
    return [parts[:joined], *((part,) for part in parts[joined:])]


def inside(tensor: Tensor) -> Tensor:
    """What a stage makes for another one, in memories of its own: dimensions in the order of memory, but no blocks."""
    if tensor.layout is None:
        return tensor
    parts = (replace(part, extent=tensor.extents[part.dimension]) for part in tensor.layout.parts if part.step == 1)
    return replace(tensor, layout=Layout(tuple(parts)))


def placed(
    tensor: Tensor, index: Index, extents: Mapping[str, int], source: SourceLine | None, joined: int = 1
) -> Index:
    """Where an element of a tensor lies in what `stored` gives. `index`: over axes of such extents.

    Raises HardwareError where an index along a dimension in blocks is no block and a place in it.
    """
    if tensor.layout is None and joined == 1:
        return index
    found = []
    for group in _groups(tensor, joined):
        total, step = Affine(), 1
        for part in group:
            total = total + _digit(tensor, part, index, extents, source) * step
            step *= part.extent
        found.append(total)
    return tuple(found)


def _digit(
    tensor: Tensor, part: Part, index: Index, extents: Mapping[str, int], source: SourceLine | None
) -> Affine:
    form, block = index[part.dimension] - tensor.mins[part.dimension], 1
    if tensor.layout:
        block = tensor.layout.block(part.dimension)
    if block == 1:
        return form
    within = _within(form, block)
    low, high = within.range_over(extents)
    if low < 0 or high >= block:
        raise _crossing(tensor, part.dimension, block, (low, high), source)
    _check_edge(tensor, part.dimension, form, extents, source)
    return within if part.step == 1 else (form - within).divided(block)


def rounds(tensor: Tensor, index: Index) -> Iterable[tuple[str, int]]:
    """The axes that go round the blocks of a tensor at `index`, and after how many steps each."""
    for dimension, form in enumerate(index if tensor.layout else ()):
        assert tensor.layout is not None
        block = tensor.layout.block(dimension)
        for name, value in form.terms:
            if value % block:
                yield name, block // gcd(value, block)


def in_turn(tensor: Tensor, source: SourceLine | None) -> Tensor:
    """A table, whose elements are numbered dimension 0 first wherever they lie. Raises HardwareError for blocks."""
    if tensor.layout is None:
        return tensor
    parts = tuple(sorted(tensor.layout.parts, key=lambda part: part.dimension))
    if len(parts) > len(tensor.extents):
        dimension = next(part.dimension for part in parts if part.step > 1)
        raise HardwareError(
            f"{tensor.name} is looked up at numbers of its elements, so it lies in no blocks",
            legal=(f"{tensor.name}.dim({dimension}).set_block(1)",), source=source,
        )  # fmt: skip
    return replace(tensor, layout=Layout(parts))


def part_of(tensor: Tensor, dimension: int, source: SourceLine | None, joined: int = 1) -> int:
    """The dimension of `stored` that a dimension is. Raises HardwareError where a memory's rows along it lie in
    blocks."""
    own = [place for place, group in enumerate(_groups(tensor, joined)) if dimension in {p.dimension for p in group}]
    if len(own) > 1:
        raise HardwareError(
            f"{tensor.name} lies in blocks along dimension {dimension}, along which a line buffer takes single rows",
            legal=(f"{tensor.name}.dim({dimension}).set_block(1)",), source=source,
        )  # fmt: skip
    return own[0]


def parts_of(tensor: Tensor, dimension: int) -> tuple[int, ...]:
    """The dimensions of `stored` that a dimension is, of blocks the place in one first."""
    parts = (tensor.layout or dense(tensor.extents)).parts
    own = [place for place, part in enumerate(parts) if part.dimension == dimension]
    return tuple(sorted(own, key=lambda place: parts[place].step))


def _within(form: Affine, block: int) -> Affine:
    return Affine.of(((name, value) for name, value in form.terms if value % block), form.constant % block)


def _check_edge(
    tensor: Tensor, dimension: int, form: Affine, extents: Mapping[str, int], source: SourceLine | None
) -> None:
    """What lies outside a tensor is told by its blocks only where these are full."""
    extent, (low, high) = tensor.extents[dimension], form.range_over(extents)
    if tensor.boundary is None or (low >= 0 and high < extent):
        return
    block = tensor.layout.block(dimension) if tensor.layout else 1
    if extent % block or tensor.boundary.kind != "constant_exterior":
        raise HardwareError(
            f"{tensor.name} is read outside dimension {dimension}, of which {extent} elements lie in blocks of "
            f"{block}: a boundary there wants constant values, and full blocks",
            legal=(f"{tensor.name}.dim({dimension}).set_block(1)",), source=source,
        )  # fmt: skip


def _crossing(
    tensor: Tensor, dimension: int, block: int, span: tuple[int, int], source: SourceLine | None
) -> HardwareError:
    return HardwareError(
        f"{tensor.name} lies in blocks of {block} along dimension {dimension}, where its index would go from {span[0]} "
        f"to {span[1]} within one; one loop, which begins at a block, may go through it",
        legal=(f"{tensor.name}.dim({dimension}).set_block(1)",), source=source,
    )  # fmt: skip
