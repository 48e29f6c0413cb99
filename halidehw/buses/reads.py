"""A native read port on one side, bursts of an AXI master on the other."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part
from halidehw.backend_hdl.rotate import turned
from halidehw.buses.axi import ADDRESS, PAGE, Lanes
from halidehw.buses.pair import Pair
from halidehw.buses.place import continues, place, span
from halidehw.buses.queue import Queue
from halidehw.buses.waits import WAIT


@dataclass(frozen=True)
class ReadSpec:
    """`burst`: the most beats of one; `room`: the beats that may be under way; `requests`: the requests that may be.
    `keeps`: whether the tensor stays the same from one `fresh` to the next."""

    lanes: Lanes
    burst: int
    room: int
    requests: int
    keeps: bool


class Reads(Part[ReadSpec]):
    """Turns requests for words into bursts, and beats into answers.

    Requests pass three stages, the last of which has room for two: `span` finds the words that are wanted, `place`
    their beats, and the third one adds the beats that are new to a burst, one a cycle. A beat that the request before
    has asked for is not asked for again: if the tensor `keeps`, until `fresh`, else as long as its burst is not handed
    over, so that what is read was not asked for before its request was accepted. A burst ends where the next beat is
    not the following one, at a page, at `burst` beats, and, if it can be handed over, when nothing comes, when no other
    one is under way, and WAIT cycles after its beginning. Of each request a queue holds what its answer is made of:
    which beats are new, and how far words are turned. A beat is asked for when there is room for it, so that beats are
    always taken. Answers come in the order of requests.

    `run_beat`, `run_length` (beats - 1): a burst. `beat_valid`, `beat_data`: the beats, in order. `base`: the address
    of the tensor's first byte, a multiple of a word's bytes; it stays while not `quiet`. `quiet`: nothing is under way.
    Reset: quiet.
    """

    title = "reads"

    def __init__(self, library: Library, spec: ReadSpec):
        lanes = spec.lanes
        members = {"req_valid": In(1), "req_ready": Out(1), "req_addr": In(lanes.address_bits)}
        members |= {"req_mask": In(lanes.lanes)} if lanes.lanes > 1 else {}
        members |= {"resp_valid": Out(1), "resp_ready": In(1), "resp_data": Out(lanes.lanes * lanes.bits)}
        members |= {"base": In(ADDRESS), "fresh": In(1), "quiet": Out(1)}
        members |= {"run_valid": Out(1), "run_ready": In(1), "run_beat": Out(lanes.beats), "run_length": Out(8)}
        members |= {"beat_valid": In(1), "beat_data": In(8 * lanes.beat)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        lanes = spec.lanes
        self.done, self.wanted = Signal(name="request_done"), Signal(name="wanted")
        spanned, taken = Signal(name="spanned"), self.req_valid & self.req_ready
        words = span(m, lanes, taken, self.req_addr, self.req_mask if lanes.lanes > 1 else None)
        found, enter = place(m, lanes, words, self.base), Signal(name="enter_placed")
        pair = Pair(m, "placed", enter, found.all, self.done)
        self.place, placed = found.of(m, pair.first), pair.there
        m.d.comb += [enter.eq(spanned & pair.room), self.req_ready.eq(~spanned | pair.room)]
        with m.If(self.req_ready):
            m.d.sync += spanned.eq(taken)
        self.free = Signal(range(spec.room + 1), init=spec.room, name="free")
        made = Signal(2 + len(self.place.turn), name="answer_made_of")
        answers = Queue(m, "answers", len(made), spec.requests - 1, self.done, made)
        self._ask(m, placed, answers.room, made)
        used = self._answer(m, answers)
        m.d.sync += self.free.eq(self.free - self.wanted + used)
        m.d.comb += self.quiet.eq(~spanned & ~placed & (self.free == spec.room))
        return m

    def _ask(self, m: Module, placed: Value, room: Value, made: Signal) -> None:
        """The third stage: a request at a time, at most one new beat in a cycle. `room`, `made`: of the answers' queue,
        whether there is room, and what comes in."""
        spec, here, done = self.spec, self.place, self.done
        near, page = spec.lanes.near, PAGE // spec.lanes.beat
        last, known = Signal(spec.lanes.beats, name="last_beat", reset_less=True), Signal(name="known")
        half = Signal(name="half_asked")
        same, beat = Signal(name="same"), Signal(spec.lanes.beats, name="next_beat")
        follows, needed = Signal(name="follows"), Signal(name="needed")
        following = Signal(spec.lanes.beats, name="following", reset_less=True)
        m.d.comb += [
            same.eq(half | (known & (here.beat[:near] == last[:near]))),
            beat.eq(Mux(same, following, here.beat)),
            follows.eq((same | (here.beat[:near] == following[:near])) & continues(following, page)),
            needed.eq(placed & (~same | here.two)),
        ]
        open_, begun = Signal(name="open"), Signal(range(WAIT + 1), name="waited")
        start, length = Signal(spec.lanes.beats, name="start", reset_less=True), Signal(8, name="length")
        under_way = Signal(range(spec.room + 1), name="under_way")
        longer, ends, hand = Signal(name="longer"), Signal(name="ends"), Signal(name="hand_over")
        m.d.comb += [
            longer.eq(open_ & follows & (length != spec.burst - 1)),
            ends.eq(~placed | (needed & ~longer) | (begun == WAIT) | (under_way == 0)),
            hand.eq(open_ & ends & (~self.run_valid | self.run_ready)),
            self.wanted.eq(needed & (self.free != 0) & room & (~open_ | hand | longer)),
            done.eq(placed & room & (~needed | (self.wanted & (same | ~here.two)))),
            made.eq(Cat(half | ~same, here.two, here.turn)),
        ]
        m.d.sync += under_way.eq(under_way + Mux(hand, length + 1, 0) - self.beat_valid)
        with m.If(self.run_ready):
            m.d.sync += self.run_valid.eq(0)
        with m.If(hand):
            m.d.sync += [self.run_valid.eq(1), self.run_beat.eq(start), self.run_length.eq(length), open_.eq(0)]
            if not spec.keeps:
                m.d.sync += known.eq(0)
        with m.Elif(begun != WAIT):
            m.d.sync += begun.eq(begun + 1)
        with m.If(self.wanted):
            m.d.sync += [last.eq(beat), following.eq(beat + 1), known.eq(1), open_.eq(1), half.eq(~done)]
            with m.If(longer & ~hand):
                m.d.sync += length.eq(length + 1)
            with m.Else():
                m.d.sync += [start.eq(beat), length.eq(0), begun.eq(0)]
        with m.If(done):
            m.d.sync += half.eq(0)
        with m.If(self.fresh):
            m.d.sync += known.eq(0)

    def _answer(self, m: Module, answers: Queue) -> Value:
        """An answer of what the queues hold; whether it uses a beat in this cycle."""
        lanes = self.spec.lanes
        beats = Queue(m, "beats", 8 * lanes.beat, self.spec.room, self.beat_valid, self.beat_data)
        kept, old = Signal(8 * lanes.beat, name="kept", reset_less=True), Signal(name="first_kept")
        new, two = Signal(name="first_new"), Signal(name="goes_on")
        turn = Signal(len(self.place.turn), name="turned_by")
        m.d.comb += Cat(new, two, turn).eq(answers.data)
        into, more = Signal(name="into"), Signal(name="one_more")
        found = Signal(lanes.lanes * lanes.bits, name="answer")
        pair = Pair(m, "answer", into, found, self.resp_ready)
        m.d.comb += [
            more.eq(answers.ready & new & two & ~old),
            into.eq(answers.ready & pair.room & ~more & (beats.ready | ~(new | two))),
            answers.used.eq(into),
            beats.used.eq(beats.ready & (more | (into & (new | two)))),
        ]
        with m.If(beats.used):
            m.d.sync += kept.eq(beats.data)
        m.d.sync += old.eq((old & ~into) | (more & beats.ready))
        size = 8 * lanes.size
        words = []
        for at in range(lanes.words):
            here = slice(at * size, (at + 1) * size)
            words.append(Mux(Mux(two, turn <= at, ~new), kept[here], beats.data[here]))
        whole = turned(m, "turned", words, [lanes.words], [turn], back=True)
        m.d.comb += found.eq(Cat(word[: lanes.bits] for word in whole[: lanes.lanes]))
        m.d.comb += [self.resp_valid.eq(pair.there), self.resp_data.eq(pair.first)]
        return beats.used
