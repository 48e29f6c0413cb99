"""The writer: from the accumulators through the final stage to the output's port."""

from __future__ import annotations

from dataclasses import replace
from math import gcd, prod

from halidehw.frontend.nodes import Binary
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Accumulated, Load
from halidehw.microarch.accelerator import Accumulator, Operand, Revisit, Write
from halidehw.microarch.interface import Port
from halidehw.microarch.operands import operands_of
from halidehw.microarch.reader import Reader
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.supply import Supplies, shared
from halidehw.microarch.walk import Axis, Walk, clipping


def derive_write(st: SpaceTime, supplies: Supplies, accumulator: Accumulator, vector: dict[str, int]) -> Write:
    """The writer walks each tile's words, lanes innermost; of the lanes whose words are neighbours in memory it takes
    as many a cycle as the port carries."""
    nest, tensor = st.nest, st.nest.output
    index = st.index(nest.write)
    written = {name for form in index for name in form.names}
    lanes = [space for space in st.spaces if space.name in written]
    wide = next((space for space in lanes if index[0][space.name] == 1), None)
    width = gcd(vector[tensor.name], wide.extent) if wide else 1
    side = {f"{wide.name}.vector": width} if wide and width > 1 else {}
    axes = [axis for i, axis in enumerate(st.times) if i < accumulator.tile or axis.name in written]
    groups: dict[str, Affine] = {}
    for space in sorted(lanes, key=lambda space: space is wide):
        count = space.extent // (width if space is wide else 1)
        groups[space.name] = Affine.of([(space.name, 1)] if count > 1 else [])
        axes += [Axis(space.name, count)] if count > 1 else []

    def regroup(form: Affine) -> Affine:
        """Over the walk's axes and the vector's: lane = width * group + place in the vector."""
        total = form.only({axis.name for axis in axes} - set(groups)) + form.constant
        for name, group in groups.items():
            factor = width if wide and name == wide.name else 1
            total = total + group * (factor * form[name])
            if side and wide and name == wide.name:
                total = total + Affine.of([(next(iter(side)), form[name])])
        return total

    names = [axis.name for axis in axes]
    again = tuple(axis.name for axis in axes if axis.name not in written and axis.name not in groups)
    limits = tuple(regroup(limit.only(written.union(again)) + limit.constant) for limit in st.limits)
    walk = Walk(tuple(axes), clipping(tuple(axes), list(limits)))
    ends = [(form.only(names) + form.constant, -form[lane]) for form in limits for lane in side if form[lane]]
    ends = [(form, weight) for form, weight in ends if form.range_over(walk.extents)[0] < weight * (width - 1)]
    address = Affine()
    for form, low, stride in zip(index, tensor.mins, tensor.strides, strict=True):
        address = address + (form - low) * stride
    reader = Reader(walk.axes, side, limits, ())
    operands, epilogue, partial = tuple[Operand, ...](), nest.epilogue, None
    if epilogue is not None:
        reads = {number: tuple(regroup(form) for form in st.index(access)) for number, access in enumerate(nest.reads)}
        operands = operands_of(st, supplies, epilogue, reader, reads, vector, array=False, placed=regroup)
    elif again:
        assert nest.combine is not None
        revisit = Revisit(again, nest.init, accumulator.tile, _distance(walk, again, accumulator.tile))
        again_at = replace(reader, indices=(tuple(map(regroup, index)),))
        operand, partial = _partial(st, supplies, again_at, width, revisit)
        epilogue = Binary(nest.type, nest.combine, Load(nest.type, len(nest.reads)), Accumulated(nest.type))
        operands = (operand,)
    bits = max((tensor.words + width - 1).bit_length(), 1)
    port = Port(tensor.name, tensor.name, "write", width, tensor.type.bits, tensor.type.signed, tensor.words, bits)
    return Write(
        port=port, walk=walk, tile=accumulator.tile, address=regroup(address).only(names) + regroup(address).constant,
        accumulator_address=accumulator.address, selects=tuple((space.name, groups[space.name]) for space in lanes),
        vector_space=wide.name if wide and side else None, lane_limits=tuple(ends), operands=operands,
        epilogue=epilogue, type=tensor.type, partial=partial,
    )  # fmt: skip


def _partial(st: SpaceTime, supplies: Supplies, reader: Reader, width: int, revisit: Revisit) -> tuple[Operand, str]:
    """The partial sums that come back from the output's memory, through a port of their own: operand and load."""
    tensor, name = st.nest.output, f"{st.nest.output.name}_partial"
    while name in st.nest.tensor:
        name += "_"
    supply = shared(supplies, replace(tensor, name=name), reader, [], width)
    load = supplies.loads.pop()
    supplies.loads.append(replace(load, port=replace(load.port, tensor=tensor.name), revisit=revisit))
    lanes = tuple(supply.lane_of[0, (i,) if reader.lanes else ()] for i in range(width))
    spaces = tuple(reader.lanes)
    return Operand(f"read{len(st.nest.reads)}", tensor.type, spaces, read=supply.read, lanes=lanes), load.name


def _distance(walk: Walk, again: tuple[str, ...], tile: int) -> int:
    """Tiles from one visit to the next: at least the axes inside the innermost of `again` that run in full."""
    tiles = walk.axes[:tile]
    clipped = {name for limit in clipping(tiles, [limit.form for limit in walk.limits]) for name in limit.form.names}
    return prod(axis.extent for axis in tiles[walk.depth_of(set(again)) :] if axis.name not in clipped)
