"""Where the words that a request is for lie: in which beat, and how far they are to be turned."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from halidehw.buses.axi import ADDRESS, Lanes, log2


@dataclass(frozen=True)
class Span:
    """Words of one request, in registers: the first lane that is wanted, the addresses of the first and of the last
    word. Lanes between them count as wanted."""

    lane: Signal
    first: Signal
    last: Signal


def span(m: Module, lanes: Lanes, taken: Value, address: Value, mask: Value | None) -> Span:
    """The span of a request, a cycle after it is `taken`."""
    bits = lanes.address_bits
    found = Span(Signal(range(max(lanes.lanes, 2)), name="first_lane", reset_less=True),
                 Signal(bits, name="first_word", reset_less=True),
                 Signal(bits, name="last_word", reset_less=True))  # fmt: skip
    low: Value = Const(0, 1)
    high: Value = Const(0, 1)
    if mask is not None:
        for lane in reversed(range(lanes.lanes)):
            low = Mux(mask[lane], lane, low)
        for lane in range(lanes.lanes):
            high = Mux(mask[lane], lane, high)
    with m.If(taken):
        m.d.sync += [found.lane.eq(low), found.first.eq(address + low), found.last.eq(address + high)]
    return found


@dataclass(frozen=True)
class Place:
    """Of a span: its first `beat`, whether it goes on in the next one (`two`), and in which word of a beat lane 0 lies
    (`turn`), though that may be the beat before."""

    beat: Signal
    two: Signal
    turn: Signal

    @property
    def all(self) -> Value:
        return Cat(self.beat, self.two, self.turn)

    def of(self, m: Module, values: Value) -> Place:
        """One whose signals are called as these, without what comes before "_", with the values of `all`."""
        found = Place(*(Signal(len(each), name=each.name.split("_")[-1]) for each in (self.beat, self.two, self.turn)))
        m.d.comb += found.all.eq(values)
        return found


def place(m: Module, lanes: Lanes, words: Span, base: Value) -> Place:
    """The place of a span, in the same cycle. `base`: the address of the tensor's first byte."""
    inside, size = log2(lanes.beat), log2(lanes.size)
    found = Place(Signal(lanes.beats, name="next_beat"), Signal(name="next_two"),
                  Signal(max(inside - size, 0), name="next_turn"))  # fmt: skip
    first, last = Signal(ADDRESS, name="first_byte"), Signal(ADDRESS, name="last_byte")
    scaled = Const(0, size)
    m.d.comb += [
        first.eq(base + Cat(scaled, words.first)),
        last.eq(base + Cat(scaled, words.last)),
        found.beat.eq(first[inside:]),
        found.two.eq(first[inside] != last[inside]),
        found.turn.eq(first[size:inside] - words.lane),
    ]
    return found


def continues(beat: Value, page: int) -> Value:
    """Whether a burst may go on with this beat: it is not the first of a page of so many beats."""
    return beat[: log2(page)] != 0
