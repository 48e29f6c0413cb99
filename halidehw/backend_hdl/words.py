"""A bank with one port, of words of several elements: a serializer reads it, a deserializer writes it. An element's
address has its place in its word in the low bits, and above them the word."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from halidehw.backend_hdl.library import delay, ram
from halidehw.microarch.stores import RAM_LATENCY

Element = tuple[Value, Value, Value]
"""A write of an element: enable, address, data."""


def _low(word: int) -> int:
    """Bits of a place in a word."""
    return (word - 1).bit_length()


def split(element: int, word: int) -> int:
    """The address of an element."""
    return element // word << _low(word) | element % word


def place(address: Value, word: int) -> Value:
    """Of an element's address its place in its word."""
    return address[: _low(word)]


def moved(address: Value, elements: Any, word: int) -> Value:
    """The address so many elements further on, or back, if negative, in as many bits: the place in the word goes over
    its end once at most, so that there is no division. `elements`: a number, or for a power of two a value."""
    if word == 1 << (low := _low(word)):
        return address + elements
    words, rest = divmod(elements, word)
    place = address[:low] + rest
    over = place >= word
    found = Cat(Mux(over, place - word, place)[:low], (address[low:] + words + over)[: len(address) - low])
    return found.as_signed() if address.shape().signed else found


def shared(
    m: Module, label: str, depth: int, word: int, fill: Element, collect: Element, serial: tuple[Value, Value],
    plain: tuple[Value, Value],
) -> Value:  # fmt: skip
    """A memory of `depth` addresses, in words of `word` elements; the element read, RAM_LATENCY cycles later, and until
    the next one.

    Elements that `fill` it are written each for itself. Of those to `collect` a word is written with its last element;
    those before come in order. Of reads (enable, address) the `serial` one asks for a word with its first element,
    and has the others from there; the `plain` one asks for a word with every element. At most one of the writes and of
    the words that are asked for comes in a cycle.
    """
    low = _low(word)
    bits, rows = len(fill[2]), -(-depth >> low)
    last = collect[0] & (collect[1][:low].all() if word == 1 << low else collect[1][:low] == word - 1)
    asked = serial[0] & ~serial[1][:low].any() | plain[0]
    lanes, found = list[Value](), Const(0, bits)
    for lane in range(word):
        held: Value = collect[2]
        if lane < word - 1:
            held = Signal(bits, name=f"{label}_held{lane}", reset_less=True)
            with m.If(collect[0] & (collect[1][:low] == lane)):
                m.d.sync += held.eq(collect[2])
        write = (
            last | (fill[0] & (fill[1][:low] == lane)),
            Mux(last, collect[1][low:], fill[1][low:]),
            Mux(last, held, fill[2]),
        )
        read = (asked, Mux(plain[0], plain[1][low:], serial[1][low:]))
        lanes.append(ram(m, f"{label}_element{lane}", rows, write, read, one_port=True))
    chosen = Signal(low, name=f"{label}_chosen", reset_less=True)
    with m.If(serial[0] | plain[0]):
        m.d.sync += chosen.eq(Mux(plain[0], plain[1], serial[1])[:low])
    late = delay(m, f"{label}_chosen", chosen, RAM_LATENCY - 1)
    for lane, each in enumerate(lanes):
        found = Mux(late == lane, each, found)
    return found
