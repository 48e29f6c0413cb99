"""A native write port on one side, bursts of an AXI master on the other."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part, resize
from halidehw.backend_hdl.rotate import turned
from halidehw.buses.axi import ADDRESS, PAGE, Lanes
from halidehw.buses.pair import Pair
from halidehw.buses.place import Place, continues, place, span
from halidehw.buses.queue import Queue
from halidehw.buses.waits import IDLE
from halidehw.microarch.interface import ARRIVED_BITS

UNDER_WAY = 255
"""Bursts that may wait for their response."""


@dataclass(frozen=True)
class WriteSpec:
    """`burst`: the most beats of one; `room`: the beats that the adapter holds, as many at least. `tiles`: whether it
    tells of tiles that have arrived."""

    lanes: Lanes
    burst: int
    room: int
    tiles: bool = False


class Writes(Part[WriteSpec]):
    """Turns words into beats with strobes, and beats into bursts.

    A request passes three stages, of which the second one has room for two: `span` finds its words, `place` their
    beats, and the third one turns them to where they lie in a beat. They are then put into the beat that is open, one
    beat in a cycle; what comes later for the same byte counts. A burst ends where the next beat is not the following
    one, at a page, at `burst` beats, and when nothing has come for IDLE cycles, or no other one is under way; it is
    handed over with its last beat, so that a master never waits within one.

    `run_beat`, `run_length` (beats - 1): a burst. `beat_valid`, `beat_data`, `beat_strobe`: the beats, in order, taken
    with `beat_ready`. `answered`: a burst has its response. `settled`: all words that were accepted are written.
    `closes`, of a request: it is the last one of a tile; `arrived`: of how many tiles a response is the last one.
    `base`: the address of the tensor's first byte, a multiple of a word's bytes; it stays while not `settled`. Reset:
    settled.
    """

    title = "writes"

    def __init__(self, library: Library, spec: WriteSpec):
        lanes = spec.lanes
        members = {"valid": In(1), "ready": Out(1), "addr": In(lanes.address_bits)}
        members |= {"data": In(lanes.lanes * lanes.bits)}
        members |= {"mask": In(lanes.lanes)} if lanes.lanes > 1 else {}
        members |= {"base": In(ADDRESS), "answered": In(1), "settled": Out(1)}
        members |= {"closes": In(1), "arrived": Out(ARRIVED_BITS)} if spec.tiles else {}
        members |= {"run_valid": Out(1), "run_ready": In(1), "run_beat": Out(lanes.beats), "run_length": Out(8)}
        members |= {"beat_valid": Out(1), "beat_ready": In(1)}
        members |= {"beat_data": Out(8 * lanes.beat), "beat_strobe": Out(lanes.beat)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, lanes = Module(), self.spec.lanes
        self.done = Signal(name="request_done")
        spanned, enter, turned = (Signal(name=name) for name in ("spanned_valid", "enter_placed", "turned_valid"))
        many, taken = lanes.lanes > 1, self.valid & self.ready
        words = span(m, lanes, taken, self.addr, self.mask if many else None)
        given = Cat(self.data, self.mask if many else Const(1, 1), self.closes if self.spec.tiles else Const(0, 0))
        held, onward = Signal(len(given), name="spanned_words", reset_less=True), Signal(name="enter_turned")
        found = place(m, lanes, words, self.base)
        pair = Pair(m, "placed", enter, Cat(found.all, held), onward)
        where, placed = found.of(m, pair.first[: len(found.all)]), pair.first[len(found.all) :]
        m.d.comb += [enter.eq(spanned & pair.room), self.ready.eq(~spanned | pair.room), onward.eq(~turned | self.done)]
        with m.If(self.ready):
            m.d.sync += [spanned.eq(taken), held.eq(given)]
        with m.If(onward):
            m.d.sync += turned.eq(pair.there)
        begun = self._open(m, turned, self._turned(m, onward, where, placed[: len(self.data) + lanes.lanes]))
        if self.spec.tiles:
            self._tiles(m, onward, placed[-1], turned & self.done)
        m.d.comb += self.settled.eq(~Cat(self.valid, spanned, pair.there, turned, begun).any())
        return m

    def _tiles(self, m: Module, enter: Value, last: Value, done: Value) -> None:
        """Tiles end in bursts, and responses come in the order of bursts, each at least three cycles after its burst is
        handed over, when what the queue has of it is there: one until it is granted, one until it is on the bus, one
        until it can be answered."""
        closes = Signal(name="closes_tile", reset_less=True)
        with m.If(enter):
            m.d.sync += closes.eq(last)
        ends = Signal(ARRIVED_BITS, name="tiles_ended")
        tiles = Queue(m, "tiles", ARRIVED_BITS, UNDER_WAY, self.hand, ends)
        m.d.comb += [tiles.used.eq(self.answered), self.arrived.eq(Mux(self.answered, tiles.data, 0))]
        before = Mux(self.hand, 0, ends)
        m.d.sync += ends.eq(before + (done & closes & ~before.all()))

    def _turned(self, m: Module, enter: Value, where: Place, words: Signal) -> _Turned:
        """The words of a request where they lie in its beats, zeros for those that are not wanted."""
        lanes = self.spec.lanes
        size, data, mask = 8 * lanes.size, words[: -lanes.lanes], words[-lanes.lanes :]
        parts = list[Value]()
        for lane in range(lanes.words):
            if lane >= lanes.lanes:
                parts.append(Const(0, size + 1))
                continue
            word = data[lane * lanes.bits : (lane + 1) * lanes.bits]
            whole = resize(word.as_signed() if lanes.signed else word, size)
            parts.append(Cat(Mux(mask[lane], whole, 0), mask[lane]))
        found = turned(m, "turned", parts, [lanes.words], [where.turn])
        widths = {"turned_beat": lanes.beats, "turned_two": 1, "turned_words": 8 * lanes.beat,
                  "strobes": lanes.words, "later": lanes.words}  # fmt: skip
        beat = _Turned(*(Signal(bits, name=name, reset_less=True) for name, bits in widths.items()))
        with m.If(enter):
            m.d.sync += [
                beat.beat.eq(where.beat),
                beat.two.eq(where.two),
                beat.data.eq(Cat(part[:size] for part in found)),
                beat.strobes.eq(Cat(part[size] for part in found)),
                beat.later.eq(Cat(where.two & (at < where.turn) for at in range(lanes.words))),
            ]
        return beat

    def _open(self, m: Module, valid: Value, new: _Turned) -> Value:
        """The beat that is open, and the burst that it is the last of; whether a word has been accepted that is not
        written yet."""
        spec, lanes = self.spec, self.spec.lanes
        near, page, size = lanes.near, PAGE // lanes.beat, 8 * lanes.size
        m.submodules.beats = beats = SyncFIFOBuffered(width=8 * lanes.beat + lanes.words, depth=spec.room + 1)
        open_, idle = Signal(name="open"), Signal(range(IDLE + 1), name="idle_cycles")
        last, following, start, here = (Signal(lanes.beats, name=name, reset_less=True)
                                        for name in ("open_beat", "following", "start", "next_beat"))  # fmt: skip
        data = Signal(8 * lanes.beat, name="open_words", reset_less=True)
        strobes, length = Signal(lanes.words, name="open_strobes"), Signal(8, name="length")
        same, longer = Signal(name="same"), Signal(name="longer")
        push, flush, begin = (Signal(name=name) for name in ("push", "flush", "begin"))
        hand = self.hand = Signal(name="hand_over")
        under_way = Signal(range(UNDER_WAY + 1), name="under_way")
        free = (~self.run_valid | self.run_ready) & (under_way != UNDER_WAY)
        leave = beats.w_rdy & (longer | free)
        m.d.comb += [
            here.eq(Mux(same, following, new.beat)),
            same.eq(valid & open_ & (new.beat[:near] == last[:near])),
            longer.eq((same | (new.beat[:near] == following[:near])) & continues(following, page)
                      & (length != spec.burst - 1)),
            flush.eq(open_ & ~valid & ((idle == IDLE) | (under_way == 0)) & beats.w_rdy & free),
            self.done.eq(valid & Mux(same, ~new.two | leave, ~new.two & (~open_ | leave))),
            begin.eq(valid & Mux(same, new.two & leave, ~open_ | leave)),
            push.eq((begin & open_) | flush),
            hand.eq(push & (flush | ~longer)),
        ]  # fmt: skip
        early, late = new.strobes & ~new.later, new.strobes & new.later
        merged = Signal(8 * lanes.beat, name="merged")
        m.d.comb += [
            merged.eq(Cat(Mux(same & early[at], new.data[here], data[here]) for at, here in _words(lanes.words, size))),
            beats.w_en.eq(push),
            beats.w_data.eq(Cat(merged, strobes | Mux(same, early, 0))),
        ]
        with m.If(same & ~new.two):
            m.d.sync += [data.eq(merged), strobes.eq(strobes | early)]
        with m.If(begin):
            m.d.sync += [open_.eq(1), data.eq(new.data), strobes.eq(Mux(same, late, early)),
                         last.eq(here), following.eq(here + 1)]  # fmt: skip
            with m.If(open_ & longer):
                m.d.sync += length.eq(length + 1)
            with m.Else():
                m.d.sync += [length.eq(0), start.eq(here)]
        with m.If(flush):
            m.d.sync += open_.eq(0)
        with m.If(valid):
            m.d.sync += idle.eq(0)
        with m.Elif(idle != IDLE):
            m.d.sync += idle.eq(idle + 1)
        with m.If(self.run_ready):
            m.d.sync += self.run_valid.eq(0)
        with m.If(hand):
            m.d.sync += [self.run_valid.eq(1), self.run_beat.eq(start), self.run_length.eq(length)]
        m.d.sync += under_way.eq(under_way + hand - self.answered)
        m.d.comb += [self.beat_valid.eq(beats.r_rdy), beats.r_en.eq(self.beat_ready & beats.r_rdy)]
        m.d.comb += self.beat_data.eq(beats.r_data[: 8 * lanes.beat])
        held = beats.r_data[8 * lanes.beat :]
        m.d.comb += self.beat_strobe.eq(Cat(held[at].replicate(lanes.size) for at in range(lanes.words)))
        return open_ | (under_way != 0)


@dataclass(frozen=True)
class _Turned:
    """A request in its beats, in registers: the first beat, whether there are two, the words by their place in a beat,
    which of them are written, and which lie in the second one."""

    beat: Signal
    two: Signal
    data: Signal
    strobes: Signal
    later: Signal


def _words(count: int, size: int) -> list[tuple[int, slice]]:
    return [(at, slice(at * size, (at + 1) * size)) for at in range(count)]
