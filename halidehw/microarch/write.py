"""The writer: from the last level of partial sums through the final stage to the output's port."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import gcd, prod

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Accumulated, Load
from halidehw.ir.sums import combined, spilling
from halidehw.microarch.balance import cycles
from halidehw.microarch.drain import drain
from halidehw.microarch.interface import Port
from halidehw.microarch.level import Outside
from halidehw.microarch.operands import arrival_of, operands_of, read_name
from halidehw.microarch.processes import Operand, Write
from halidehw.microarch.reader import Reader
from halidehw.microarch.sinks import memory_sink
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.sums import Derived
from halidehw.microarch.supply import Demand, Supplies, shared
from halidehw.microarch.taps import Lanes, PortSink, Revisit, SumsTap
from halidehw.microarch.walk import Walk, clipping


def port_lanes(st: SpaceTime, vector: int, outside: bool = False) -> dict[str, int]:
    """Of the axis whose lanes are neighbours in memory as many as are taken together, at least one: that divide them,
    and at most `vector`. Of what goes `outside`, and does not come back, any number of them; else a power of two."""
    index = st.index(st.nest.write)
    tensor = st.tensor(st.nest.output.name)
    wide = next((space for space in st.spaces if index and index[0][space.name] == tensor.strides[0] == 1), None)
    if wide is None:
        return {}
    once = outside and st.nest.epilogue is None and not spilling(st.nest)
    return {wide.name: most_lanes(wide.extent, vector) if once else gcd(vector, wide.extent)}


def most_lanes(extent: int, vector: int) -> int:
    """The most of `extent` lanes, in equal parts, that a port of so many words takes."""
    return next(lanes for lanes in range(min(extent, vector), 0, -1) if extent % lanes == 0)


def derive_write(
    st: SpaceTime, supplies: Supplies, inside: Derived, widths: dict[str, int], vector: dict[str, int],
    demands: Sequence[Demand], outside: bool,
) -> Write:  # fmt: skip
    """The writer walks the words of each tile of the last level of sums, lanes innermost. `widths`: the lanes it takes
    together, of at most one axis. `demands`: of the stages that read what it writes; `outside`: that goes to a port."""
    nest, tensor, sums = st.nest, st.tensor(st.nest.output.name), inside.levels[-1]
    index = st.index(nest.write)
    width = prod(widths.values())
    by = drain(st, sums.tile, sums.held, widths)
    walk, side, again, limits = by.walk, by.side, by.again, by.limits
    names = walk.extents
    ends = [(form.only(names) + form.constant, -form[lane]) for form in limits for lane in side if form[lane]]
    ends = [(form, weight) for form, weight in ends if form.range_over(walk.extents)[0] < weight * (width - 1)]
    address = Affine()
    for form, low, stride in zip(index, tensor.mins, tensor.strides, strict=True):
        address = address + (form - low) * stride
    reader = Reader(walk.axes, side, limits, ())
    operands, epilogue, partial = tuple[Operand, ...](), nest.epilogue, None
    if epilogue is not None:
        reads = {number: tuple(by.at(form) for form in st.index(access)) for number, access in enumerate(nest.reads)}
        operands, epilogue = operands_of(st, supplies, epilogue, reader, reads, vector, array=False, placed=by.at)
    elif again:
        assert nest.combine is not None
        revisit = Revisit(again, nest.init, sums.tile, _distance(walk, again, sums.tile))
        again_at = replace(reader, indices=(tuple(map(by.at, index)),))
        operand, partial = _partial(st, supplies, again_at, width, revisit)
        epilogue = combined(nest.combine, nest.type, Load(nest.type, len(nest.reads)), Accumulated(nest.type))
        operands = (operand,)
    bits = max((tensor.span + width - 1).bit_length(), 1)
    port = Port(tensor.name, tensor.name, "write", width, tensor.type.bits, tensor.type.signed, tensor.span, bits)
    tap = SumsTap(sums.name, sums.address(by.rows), sums.tile, tuple((name, by.selects[name]) for name in sums.held))
    place = by.at(address).only(names) + by.at(address).constant
    sinks = [memory_sink(st, walk, tuple(map(by.at, st.within())), demand) for demand in demands]
    arrival = arrival_of(operands, supplies.memories, inside.stores[-1].drained + 1)
    latency = arrival + (cycles(epilogue) if epilogue is not None else 0)
    return Write(
        walk=walk, tap=tap, sinks=(*sinks, *([PortSink(port, place)] if outside else [])), lanes=width,
        vector_space=next(iter(widths)) if side else None, lane_limits=tuple(ends), operands=operands,
        epilogue=epilogue, type=tensor.type, arrival=arrival, latency=latency, partial=partial,
        name=f"{supplies.label}writer",
    )  # fmt: skip


def _partial(st: SpaceTime, supplies: Supplies, reader: Reader, width: int, revisit: Revisit) -> tuple[Operand, str]:
    """The partial sums that come back from the output's memory, through a port of their own: operand and memory."""
    tensor, name = st.tensor(st.nest.output.name), f"{st.nest.output.name}_partial"
    while name in st.nest.tensor:
        name += "_"
    supply = shared(supplies, Outside(replace(tensor, name=name), width, tensor.name, revisit), reader, [])
    taken = tuple(supply.lane_of[0, (i,) if reader.lanes else ()] for i in range(width))
    operand = Operand(read_name(len(st.nest.reads)), tensor.type, tuple(reader.lanes), Lanes(supply.read, taken))
    return operand, supply.read.memory


def _distance(walk: Walk, again: tuple[str, ...], tile: int) -> int:
    """Tiles from one visit to the next: at least the axes inside the innermost of `again` that run in full."""
    tiles = walk.axes[:tile]
    clipped = {name for limit in clipping(tiles, [limit.form for limit in walk.limits]) for name in limit.form.names}
    return prod(axis.extent for axis in tiles[walk.depth_of(set(again)) :] if axis.name not in clipped)
