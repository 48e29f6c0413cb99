"""What each group of an accelerator's ports promises and expects, in words: the comments of its top module."""

from __future__ import annotations

from halidehw.backend_hdl.rtl.layout import Group
from halidehw.microarch.interface import Counter, Interface, Port

CONTROL = """
Control. All ports are synchronous to the rising edge of `clk`. `rst` is synchronous and active high; it needs one
cycle, and the other side of every port must be reset with it, so that no answer to an earlier request comes later.
`start` is taken in a cycle in which `idle` is high; `done` rises after the last word has been accepted and stays until
the next `start`. `abort` ends a run early: ports keep what they offer until it is accepted, take the answers that they
wait for, and then `idle` rises without `done`."""

_LISTED = """
A run is a list of `programs` descriptors, as they lie at the port `program` from address 0 on. For each that is
`completed` a word is written at the port `status`, at its place in the list: the cycles that it took. `stop` ends the
list after the program under way. A descriptor that is none of this machine's ends it too: its status is all ones, and
`corrupt` stays until the next `start`."""

_LANES = """
Lane 0 is in the lowest bits. A request is for the words at addr .. addr + {last}, at any alignment, of each
only where its bit of the mask is set; the sum wraps at {bits} bits."""

_READ = """
{tensor}, read: {words} words of {bits} bits, {sign}, in word addresses: dense, dimension 0 fastest.{lanes}

A request is taken where valid and ready are high, and waits unchanged for ready. Each has one answer, in order, in the
next cycle or any later; any number may be under way. Answers are taken where valid and ready are high. Words that are
not asked for may be anything."""

_WRITE = """
{tensor}, written: {words} words of {bits} bits, {sign}, in word addresses: dense, dimension 0 fastest.{lanes}

A word is stored where valid and ready are high, and waits unchanged for ready."""

_POSTED = """
Words may still be on their way when they are accepted: `settled` says in which cycles none is, from the cycle after one
is accepted on."""

_BASED = """
`base`: the address of its first word in bytes, with each request."""

_ANEW = """
`anew`: later requests may be for another tensor, and nothing is under way; or more of it has been written."""

_TILES = """
`closes`, with a request: it is the last one of a tile. `arrived`: of how many tiles the words arrive in this cycle,
with all that was accepted before."""

_BACK = """
A read of the tensor's own words must deliver what has been accepted in earlier cycles."""


_SHARED = """
The port that all tensors share. A request is taken where valid and ready are high, and waits unchanged for ready; it is
a word's or several side by side, lane 0 in the lowest bits, at any alignment, of each only where its bit of the mask is
set. With `memory_write` they are stored, else a read has one answer, in the next cycle or any later, which carries the
number of the port that asked; those of one port come in order. An answer is taken where valid and the port's bit of
`memory_resp_ready` are high. `memory_port`, and word addresses in the tensor of each: {ports}."""


def groups(interface: Interface) -> tuple[Group, ...]:
    """The ports of a top module, group by group."""
    names = tuple(each.name for each in interface.control)
    control = Group(CONTROL + _LISTED * interface.listed, ("clk", "rst", *names))
    if interface.shared:
        told = "; ".join(f"{number}: {_shared(port)}" for number, port in enumerate(interface.ports))
        one = Group(_SHARED.format(ports=told), tuple(signal.name for signal in interface.memory))
        return (control, one, *_counters(interface.counters))
    ports = [(port, tuple(f"{port.name}_{signal.name}" for signal in port.signals)) for port in interface.ports]
    tensors = (Group(_port(port, interface), names) for port, names in ports)
    return (control, *tensors, *_counters(interface.counters))


def _port(port: Port, interface: Interface) -> str:
    words = _READ if port.kind == "read" else _WRITE
    lanes = _LANES.format(last=port.lanes - 1, bits=port.address_bits) if port.lanes > 1 else ""
    back = any(each.tensor == port.tensor and each.kind != port.kind for each in interface.ports)
    sign = "signed" if port.signed else "unsigned"
    found = words.format(tensor=port.tensor, words=port.words, bits=port.bits, sign=sign, lanes=lanes)
    found += _BACK * (back and port.kind == "read") + (_POSTED + _TILES * port.tiles) * port.posted
    return found + _BASED * port.based + _ANEW * port.anew


def _shared(port: Port) -> str:
    """A tensor at the port that all share."""
    sign, way = "signed" if port.signed else "unsigned", "read" if port.kind == "read" else "written"
    return f"{port.tensor}, {way}, {port.words} words of {port.bits} bits, {sign}, {port.lanes} side by side"


def _counters(counters: tuple[Counter, ...]) -> tuple[Group, ...]:
    if not counters:
        return ()
    meanings = "; ".join(f"`{counter.name}`: {counter.meaning}" for counter in counters)
    return (Group(f"Counters, since the last `start`. {meanings}.", tuple(counter.name for counter in counters)),)
