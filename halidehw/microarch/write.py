"""The writer: from the last level of partial sums through the final stage to the output's port."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import product
from math import gcd, prod

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Accumulated, Load
from halidehw.ir.sums import combined
from halidehw.microarch.balance import cycles
from halidehw.microarch.drain import drain
from halidehw.microarch.interface import Port
from halidehw.microarch.level import Outside
from halidehw.microarch.operands import arrival_of, operands_of, read_name
from halidehw.microarch.pieces import not_by_pieces
from halidehw.microarch.processes import Operand, Write, taps_of
from halidehw.microarch.reader import Reader
from halidehw.microarch.sinks import memory_sink
from halidehw.microarch.spacetime import Space, SpaceTime
from halidehw.microarch.sums import Derived
from halidehw.microarch.supply import Demand, Supplies, shared
from halidehw.microarch.taps import Lanes, PortSink, Revisit, SumsTap
from halidehw.microarch.walk import Walk, clipping


def port_lanes(st: SpaceTime, vector: int) -> dict[str, int]:
    """Of the axis whose lanes are neighbours in memory as many as are taken together, at least one: a power of two that
    divides them, at most `vector`."""
    index = st.index(st.nest.write)
    tensor = st.tensor(st.nest.output.name)
    wide = next((space for space in st.spaces if index and index[0][space.name] == tensor.strides[0] == 1), None)
    return {wide.name: gcd(vector, wide.extent)} if wide else {}


def stored_lanes(st: SpaceTime, vector: int, axes: int | None = None) -> dict[str, int]:
    """Of what goes outside, and does not come back, the lanes that a port of `vector` words takes together: those of
    the axis whose lanes are neighbours in memory, in equal parts; where these are all of them, also lanes of the axis
    that goes on where they end, and so on, of no more than so many `axes`. Of several axes' lanes limits leave out all
    that are taken together, or none."""
    found, many = dict[str, int](), 1
    while len(found) != axes and (space := _next(st, many, found)):
        lanes = most_lanes(space.extent, vector // many)
        taken = {**found, space.name: lanes}
        if found and (lanes == 1 or any(_cuts(limit, taken) for limit in st.limits)):
            break
        found[space.name] = lanes
        many *= lanes
        if lanes < space.extent:
            break
    return found


def _cuts(limit: Affine, lanes: dict[str, int]) -> bool:
    """Whether a limit may leave out some of the lanes that are taken together, and not all of them."""
    weights = [-limit[name] for name in lanes]
    last = sum(weight * (count - 1) for weight, count in zip(weights, lanes.values(), strict=True))
    apart = gcd(*(limit[name] * lanes.get(name, 1) for name in limit.names))
    return min(weights) < 0 or limit.constant % max(apart, 1) < last


def _next(st: SpaceTime, words: int, found: Collection[str]) -> Space | None:
    """The axis of lanes, not yet `found`, of which one is so many words behind the one before it."""
    address = _address(st)
    return next((each for each in st.spaces if each.name not in found and address[each.name] == words), None)


def _address(st: SpaceTime) -> Affine:
    """Of a word of the output in its tensor."""
    tensor, address = st.tensor(st.nest.output.name), Affine()
    for form, low, stride in zip(st.index(st.nest.write), tensor.mins, tensor.strides, strict=True):
        address = address + (form - low) * stride
    return address


def most_lanes(extent: int, vector: int) -> int:
    """The most of `extent` lanes, in equal parts, that a port of so many words takes."""
    return next(lanes for lanes in range(min(extent, vector), 0, -1) if extent % lanes == 0)


def derive_write(
    st: SpaceTime, supplies: Supplies, inside: Derived, widths: dict[str, int], vector: dict[str, int],
    demands: Sequence[Demand], outside: bool,
) -> Write:  # fmt: skip
    """The writer walks the words of each tile of the last level of sums, lanes innermost. `widths`: the lanes it takes
    together, those of the axis first whose lanes are neighbours. `demands`: of the stages that read what it writes;
    `outside`: that goes to a port."""
    nest, tensor, sums = st.nest, st.tensor(st.nest.output.name), inside.levels[-1]
    index = st.index(nest.write)
    width = prod(widths.values())
    by = drain(st, sums.tile, sums.held, widths)
    walk, side, again, limits = by.walk, by.side, by.again, by.limits
    names = walk.extents
    ends = [(form.only(names) + form.constant, -form[lane]) for form in limits for lane in side if form[lane]]
    short = [(form, weight) for form, weight in ends if form.range_over(walk.extents)[0] < weight * (width - 1)]
    address = _address(st)
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
    tap = SumsTap(sums.name, sums.address(by.rows), sums.tile, tuple((name, by.selects[name]) for name in sums.held),
                  piece=_piece(st, inside, operands, bool(demands)))  # fmt: skip
    place = by.at(address).only(names) + by.at(address).constant
    sinks = [memory_sink(st, walk, tuple(map(by.at, st.within())), demand) for demand in demands]
    arrival = arrival_of(operands, supplies.memories, inside.stores[-1].drained + 1)
    latency = arrival + (cycles(epilogue) if epilogue is not None else 0)
    return Write(
        walk=walk, tap=tap, sinks=(*sinks, *([PortSink(port, place)] if outside else [])), lanes=width,
        together=tuple(widths.items()), drained=_drained(st, widths),
        lane_limits=tuple(short if len(side) == 1 else ()), operands=operands, epilogue=epilogue, type=tensor.type,
        arrival=arrival, latency=latency, partial=partial, name=f"{supplies.label}writer",
    )  # fmt: skip


def _piece(st: SpaceTime, inside: Derived, operands: Sequence[Operand], read: bool) -> int | None:
    """The depth at which a piece leaves, where sums leave by pieces. Raises HardwareError where the writer reads what
    is there for a tile, or other stages what it writes."""
    finished, tile = inside.sink.finished, inside.levels[-1].tile
    if finished is None:
        return None
    late = [each for each in taps_of(tuple(operands)).values() if each.tap.tile >= tile]
    if late:
        raise not_by_pieces(st.nest.sums[0], f"{late[0].tap.memory} is filled for a whole one when that is complete")
    if read:
        raise not_by_pieces(st.nest.sums[0], "other stages take them as whole tiles")
    return tile + sum(axis.name in st.written for axis in st.times[tile : finished.depth])


def _drained(st: SpaceTime, widths: dict[str, int]) -> tuple[int, ...]:
    """Where each word that the writer takes lies among those that a level of sums gives: of the inner axes first."""
    places, words = dict[str, range](), 1
    for name in (space.name for space in reversed(st.spaces) if space.name in widths):
        places[name] = range(0, words * widths[name], words)
        words *= widths[name]
    return tuple(map(sum, product(*(places[name] for name in reversed(widths)))))


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
