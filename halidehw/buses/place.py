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
    """Of a span, in registers: its first `beat`, whether it goes on in the next one (`two`), and in which word of a
    beat lane 0 lies (`turn`), though that may be the beat before."""

    beat: Signal
    two: Signal
    turn: Signal


def place(m: Module, lanes: Lanes, taken: Value, words: Span, base: Value) -> Place:
    """The place of a span, a cycle after it is `taken`. `base`: the address of the tensor's first byte."""
    inside, size = log2(lanes.beat), log2(lanes.size)
    found = Place(Signal(lanes.beats, name="beat", reset_less=True), Signal(name="two", reset_less=True),
                  Signal(max(inside - size, 0), name="turn", reset_less=True))  # fmt: skip
    first, last = Signal(ADDRESS, name="first_byte"), Signal(ADDRESS, name="last_byte")
    scaled = Const(0, size)
    m.d.comb += [first.eq(base + Cat(scaled, words.first)), last.eq(base + Cat(scaled, words.last))]
    with m.If(taken):
        m.d.sync += [
            found.beat.eq(first[inside:]),
            found.two.eq(first[inside] != last[inside]),
            found.turn.eq(first[size:inside] - words.lane),
        ]
    return found


def continues(beat: Value, page: int) -> Value:
    """Whether a burst may go on with this beat: it is not the first of a page of so many beats."""
    return beat[: log2(page)] != 0
