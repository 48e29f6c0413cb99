"""The processes that bring words towards the array: from a port, from a memory, into the PEs."""

from __future__ import annotations

import operator
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.datapath import shape_of
from halidehw.backend_hdl.forms import (
    closings,
    in_gates,
    lane_mask,
    read_forms,
    rooms,
    store_forms,
    windows,
)
from halidehw.backend_hdl.library import Library, Part, Ports, delay, identifier, resize
from halidehw.backend_hdl.pieces import Ends, Origins, lands, pieces_read, pieces_said, say_pieces
from halidehw.backend_hdl.walker import Walker, WalkerSpec, form_shape
from halidehw.ir.affine import Affine
from halidehw.ir.exterior import Piece, pieces
from halidehw.ir.varies import programs
from halidehw.microarch.processes import Copy, Fill, Load, Move
from halidehw.microarch.stores import RAM_LATENCY, Memory, RegisterFile
from halidehw.microarch.taps import FileSink, FileTap, MemorySink, MemoryTap, SumsSink, SumsTap
from halidehw.microarch.walk import Walk


class Loader(Part[tuple[Load, Memory]]):
    """Fills a memory from a port: one walk asks, an equal one takes the answers.

    Asks for a tile only when a part of the memory is free, so that every answer has a place; any number of requests
    may be under way. Words outside the tensor are not asked for: they take the boundary value, one cycle each. Partial
    sums of a first visit are not asked for either, and the others only when the writer has `stored` enough tiles.
    Ready/valid on both port channels; a word lands one cycle after its answer. Reset: idle; starts with `start`;
    `rests` when all answers are taken.
    """

    def __init__(self, library: Library, spec: tuple[Load, Memory]):
        load, memory = spec
        self.title = load.name
        port, extents = load.tap.port, load.walk.extents
        members = {"start": In(1), "req_valid": Out(1), "req_ready": In(1), "req_addr": Out(port.address_bits)}
        members |= {"resp_valid": In(1), "resp_ready": Out(1), "resp_data": In(port.bits * port.lanes)}
        members |= {"req_mask": Out(port.lanes), "w_mask": Out(port.lanes)} if port.lanes > 1 else {}
        members |= {"req_order": Out(port.order)} if port.order else {}
        members |= {"w_valid": Out(1), "w_data": Out(port.bits * port.lanes)}
        members |= {name: Out(form_shape(form, extents)) for name, form in store_forms(memory, load.sink)}
        members |= {"free": In(1), "granted": In(1), "reserve": Out(1), "commit": Out(1), "rests": Out(1)}
        members |= {"w_landed": Out(1)} if load.sink.piece is not None else {}
        members |= {"stored": In(1)} if load.tap.revisit else {}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        asking, taking = self._ask(m), self._take(m)
        m.d.comb += self.rests.eq(~asking & ~taking)
        return m

    def _origins(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        load: Load = self.spec[0]
        return (("first", load.tap.revisit.first),) if load.tap.revisit else ()

    def _positions(self) -> tuple[tuple[str, Affine], ...]:
        """Where lane 0 is along each dimension; and how far the tensor's last element is from there, where programs
        differ in that: a limit like the others, without which the tensor's end would be compared with the position. The
        position is left out then if it is in no program before the tensor."""
        load: Load = self.spec[0]
        found = list[tuple[str, Affine]]()
        for d, form in enumerate(load.tap.positions):
            if form is None:
                continue
            last = load.tap.extents[d] - 1
            before = not self._ends or form_shape(form, load.walk.extents).signed
            found += [(f"position{d}", form)] if before or isinstance(last, int) else []
            found += [(f"left{d}", Affine((), last) - form)] if self._ends and not isinstance(last, int) else []
        return tuple(found)

    @property
    def _ends(self) -> bool:
        """Whether words outside the tensor are left out."""
        boundary = self.spec[0].tap.boundary
        return boundary is None or boundary.kind == "constant_exterior"

    def _inside(self, walk: Ports) -> list[Value]:
        """Per lane: wanted and inside the tensor."""
        load: Load = self.spec[0]
        lanes, forms = [], dict(self._positions())
        mask = lane_mask(walk, load.lane_limits, load.tap.port.lanes, in_gates if self._told else operator.ge)
        for lane in range(load.tap.port.lanes):
            inside = mask[lane] & ~walk.first if load.tap.revisit else mask[lane]
            for d, extent in enumerate(load.tap.extents if self._ends else ()):
                by = lane if d == 0 else 0
                if f"position{d}" in forms:
                    inside = inside & (walk[f"position{d}"] >= -by)
                    inside = inside & (walk[f"position{d}"] < extent - by) if isinstance(extent, int) else inside
                if f"left{d}" in forms:
                    inside = inside & in_gates(walk[f"left{d}"], by)
            lanes.append(inside)
        return lanes

    @property
    def _told(self) -> bool:
        """Whether what is wanted hangs on numbers of the program: then it is there late."""
        load: Load = self.spec[0]
        return programs((load.walk, load.tap.positions, load.tap.extents, load.lane_limits)) > 0

    def _some(self, lanes: list[Value]) -> Value:
        """Whether a lane is wanted; the first one is wherever any is, if none lies before the tensor."""
        never = "position0" not in dict(self._positions())
        return lanes[0] if self._told and never else Cat(*lanes).any()

    def _ask(self, m: Module) -> Value:
        """Whether there is more to ask for."""
        load: Load = self.spec[0]
        address, parts = load.tap.address, dict[int, Affine]()
        if load.tap.boundary is not None and load.tap.boundary.value is None:
            parts = {d: form * load.tap.strides[d] for d, form in enumerate(load.tap.positions) if form is not None}
            address = address - sum(parts.values(), Affine())
        named = tuple((f"part{d}", part) for d, part in parts.items())
        ranks = (("order", load.tap.order),) if load.tap.order is not None and load.tap.port.order else ()
        forms = (("address", address), *named, *self._positions(), *rooms(load.lane_limits), *ranks)
        walk = self.library.use(
            m, "asking",
            Walker, WalkerSpec(f"{load.name}_request", load.walk, forms, (), self._opens(), self._origins()),
            alike=True,
        )  # fmt: skip
        total: Value = walk.address
        for d in parts:
            total = total + self._stand_in(d, walk[f"position{d}"], walk[f"part{d}"])
        lanes = self._inside(walk)
        wanted = Signal(name="wanted")
        allowed = Signal(name="allowed")
        m.d.comb += [
            walk.start.eq(self.start),
            wanted.eq(self._some(lanes)),
            allowed.eq(self._allowed(m, walk)),
            self.req_valid.eq(allowed & wanted),
            self.req_addr.eq(resize(total, load.tap.port.address_bits)),
            walk.advance.eq(allowed & (self.req_ready | ~wanted)),
            self.reserve.eq(walk.advance & walk.opens),
        ]
        if load.tap.port.lanes > 1:
            m.d.comb += self.req_mask.eq(Cat(*lanes))
        if ranks:
            m.d.comb += self.req_order.eq(resize(walk.order, load.tap.port.order))
        return walk.valid

    def _stand_in(self, d: int, position: Value, part: Value) -> Value:
        """What dimension `d` adds to the address of the element that is read for a position: `part` inside."""
        load: Load = self.spec[0]
        form, stride = load.tap.positions[d], load.tap.strides[d]
        assert form is not None and load.tap.boundary is not None
        first, *rest = pieces(load.tap.boundary.kind, load.tap.extents[d], *form.range_over(load.walk.extents))

        def value(piece: Piece) -> Value:
            fixed = Const(piece.constant * stride)
            return fixed if piece.slope == 0 else fixed + part if piece.slope > 0 else fixed - part

        chosen = value(first)
        for piece in rest:
            chosen = Mux(position >= piece.first, value(piece), chosen)
        return chosen

    def _opens(self) -> tuple[tuple[str, int], ...]:
        load: Load = self.spec[0]
        return (("opens", load.sink.tile), *((("visits", load.tap.revisit.tile),) if load.tap.revisit else ()))

    def _allowed(self, m: Module, walk: Ports) -> Value:
        """Whether the walk may go on: at a tile's start, a part is free; at that of a tile of partial sums, these are
        in memory, as fewer than `distance` tiles before it are not."""
        load: Load = self.spec[0]
        allowed = walk.valid & (self.free | ~walk.opens)
        if load.tap.revisit is None:
            return allowed
        distance = load.tap.revisit.distance
        ahead = Signal(range(distance + 1), name="tiles_ahead")
        m.d.sync += ahead.eq(ahead + (walk.advance & walk.visits) - self.stored)
        return allowed & (~walk.visits | (ahead != distance))

    def _take(self, m: Module) -> Value:
        """Whether there is more to take."""
        load, memory = self.spec
        places = store_forms(memory, load.sink)
        forms = (*places, *self._positions(), *rooms(load.lane_limits))
        ends = (("ends", load.sink.tile), *lands(load.sink))
        spec = WalkerSpec(f"{load.name}_response", load.walk, forms, ends, (), self._origins())
        walk = self.library.use(m, "taking", Walker, spec, alike=True)
        lanes = self._inside(walk)
        wanted = Signal(name="expected")
        m.d.comb += [
            walk.start.eq(self.start),
            wanted.eq(self._some(lanes)),
            self.resp_ready.eq(walk.valid & self.granted & wanted),
            walk.advance.eq(walk.valid & self.granted & (self.resp_valid | ~wanted)),
        ]
        bits, words = load.tap.port.bits, []
        outside = load.tap.boundary.value if load.tap.boundary and load.tap.boundary.value is not None else 0
        outside = load.tap.revisit.init if load.tap.revisit else outside
        for lane, inside in enumerate(lanes):
            word = self.resp_data[lane * bits : (lane + 1) * bits]
            checked = load.tap.revisit or any(form is not None for form in load.tap.positions)
            first = self.library.number("outside", outside, lambda n: Const(n, shape_of(memory.type)))
            words.append(Mux(inside, word, resize(first, bits).as_unsigned()) if checked else word)
        m.d.sync += [self.w_valid.eq(walk.advance), self.commit.eq(walk.advance & walk.ends)]
        if load.sink.piece is not None:
            m.d.sync += self.w_landed.eq(walk.advance & walk.lands)
        m.d.sync += self.w_data.eq(Cat(*words))
        m.d.sync += [self[name].eq(walk[name]) for name, _ in places]
        if load.tap.port.lanes > 1:
            m.d.sync += self.w_mask.eq(lane_mask(walk, load.lane_limits, load.tap.port.lanes))
        return walk.valid


class Mover(Part[tuple[Move, Memory, Memory]]):
    """Fills a memory from one further out, a vector a cycle; words land `latency` cycles after their step.

    Steps when the source's tile is there and, at the start of a tile, a part of the destination is free. Reset: idle.
    """

    def __init__(self, library: Library, spec: tuple[Move, Memory, Memory]):
        move, source, target = spec
        self.title = move.name
        extents = move.walk.extents
        members = {"start": In(1), "source_full": In(1), "free": In(1), "reserve": Out(1), "commit": Out(1)}
        members |= {"r_step": Out(1), "retire": Out(1), "w_valid": Out(1)}
        members |= {"w_mask": Out(target.vector)} if target.vector > 1 else {}
        members |= {"w_landed": Out(1)} if move.sink.piece is not None else {}
        members |= pieces_said(move.tap.tap)
        forms = (*read_forms(source, move.tap.tap), *store_forms(target, move.sink))
        members |= {name: Out(1) for name, _ in (*windows(source, move.tap.tap), *closings(source, move.tap.tap))}
        members |= {name: Out(form_shape(form, extents)) for name, form in forms}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        move, source, target = self.spec
        reads, places = read_forms(source, move.tap.tap), store_forms(target, move.sink)
        forms = (*reads, *places, *rooms(move.lane_limits))
        flags = windows(source, move.tap.tap), closings(source, move.tap.tap)
        walk = follower(self, m, move.name, move.walk, forms, flags, move.tap.tap, move.sink)
        m.d.comb += [self[name].eq(walk[name]) for name, _ in reads]
        late = source.latency
        m.d.comb += self.w_valid.eq(delay(m, "landing", walk.advance, late, reset=True))
        m.d.comb += self.commit.eq(delay(m, "commit", walk.advance & walk.closes, late, reset=True))
        m.d.comb += [self[name].eq(delay(m, name, walk[name], late)) for name, _ in places]
        if move.sink.piece is not None:
            m.d.comb += self.w_landed.eq(delay(m, "landed", walk.advance & walk.lands, late, reset=True))
        if target.vector > 1:
            m.d.comb += self.w_mask.eq(delay(m, "w_mask", lane_mask(walk, move.lane_limits, target.vector), late))
        return m


class Filler(Part[tuple[Fill, Memory, RegisterFile]]):
    """Sends tiles into the PEs' register files; a word enters the array's fill wave `latency` cycles after its step.

    Steps as the mover does. `valid`, `address` (within the part) and the selects go with the word. Reset: idle.
    """

    def __init__(self, library: Library, spec: tuple[Fill, Memory, RegisterFile]):
        fill, source, _file = spec
        self.title = fill.name
        extents = fill.walk.extents
        members = {"start": In(1), "source_full": In(1), "free": In(1), "reserve": Out(1), "commit": Out(1)}
        members |= {"r_step": Out(1), "retire": Out(1), "valid": Out(1)} | pieces_said(fill.tap.tap)
        forms = (*read_forms(source, fill.tap.tap), *self._forms(fill))
        members |= {name: Out(1) for name, _ in (*windows(source, fill.tap.tap), *closings(source, fill.tap.tap))}
        members |= {name: Out(form_shape(form, extents)) for name, form in forms}
        super().__init__(library, spec, members)

    @staticmethod
    def _forms(fill: Fill) -> tuple[tuple[str, Affine], ...]:
        selects = tuple((f"select_{identifier(space)}", Affine.of([(space, 1)])) for space in fill.sink.selects)
        return (("address", fill.sink.address), *selects)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        fill, source, _ = self.spec
        reads, wave = read_forms(source, fill.tap.tap), self._forms(fill)
        flags = windows(source, fill.tap.tap), closings(source, fill.tap.tap)
        walk = follower(self, m, fill.name, fill.walk, (*reads, *wave), flags, fill.tap.tap, fill.sink)
        m.d.comb += [self[name].eq(walk[name]) for name, _ in reads]
        late = source.latency
        m.d.comb += self.valid.eq(delay(m, "valid", walk.advance, late, reset=True))
        m.d.comb += self.commit.eq(delay(m, "commit", walk.advance & walk.closes, late, reset=True))
        m.d.comb += [self[name].eq(delay(m, name, walk[name], late)) for name, _ in wave]
        return m


class Copier(Part[Copy]):
    """Moves tiles from register file to register file in all PEs at once.

    Steps as the mover does: with `r_step` goes `r_address`, within the part read; `valid` and `address`, within the
    part written, follow RAM_LATENCY cycles later, as the word does. Reset: idle.
    """

    def __init__(self, library: Library, spec: Copy):
        self.title = spec.name
        extents = spec.walk.extents
        members = {"start": In(1), "source_full": In(1), "free": In(1), "reserve": Out(1), "commit": Out(1)}
        members |= {"r_step": Out(1), "retire": Out(1), "valid": Out(1)}
        members |= {"r_address": Out(form_shape(spec.tap.address, extents))}
        members |= {"address": Out(form_shape(spec.sink.address, extents))}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, copy = Module(), self.spec
        forms = (("r_address", copy.tap.address), ("address", copy.sink.address))
        walk = follower(self, m, copy.name, copy.walk, forms, ((), ()), copy.tap, copy.sink)
        m.d.comb += self.r_address.eq(walk.r_address)
        m.d.comb += self.valid.eq(delay(m, "valid", walk.advance, RAM_LATENCY, reset=True))
        m.d.comb += self.commit.eq(delay(m, "commit", walk.advance & walk.closes, RAM_LATENCY, reset=True))
        m.d.comb += self.address.eq(delay(m, "address", walk.address, RAM_LATENCY))
        return m


def follower(
    part: Part[Any], m: Module, name: str, walk: Walk, forms: tuple[tuple[str, Affine], ...],
    flags: tuple[tuple[Origins, ...], tuple[Ends, ...]], tap: MemoryTap | FileTap | SumsTap,
    sink: MemorySink | FileSink | SumsSink,
) -> Ports:  # fmt: skip
    """A walk that steps while its source's tile is there and, at a tile's start, its destination has a free part.

    `flags`: of its origins and of its ends, those that the part puts out.
    """
    fresh, last = flags
    read = pieces_read(tap) if isinstance(tap, MemoryTap) else ()
    ends = (("leaves", tap.tile), ("closes", sink.tile), *last, *(passes for passes, _ in read), *lands(sink))
    origins = (*fresh, *(comes for _, comes in read))
    walker = part.library.use(m, "walk", Walker, WalkerSpec(name, walk, forms, ends, (("opens", sink.tile),), origins))
    if isinstance(tap, MemoryTap):
        say_pieces(part, m, walker, tap)
    m.d.comb += [part[flag].eq(walker[flag]) for flag, _ in (*fresh, *last)]
    m.d.comb += [
        walker.start.eq(part.start),
        walker.advance.eq(walker.valid & part.source_full & (part.free | ~walker.opens)),
        part.r_step.eq(walker.advance),
        part.retire.eq(walker.advance & walker.leaves),
        part.reserve.eq(walker.advance & walker.opens),
    ]
    return walker
