"""Signals as declarations of Verilog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halidehw.backend_hdl.rtl.ir import Signal

VECTOR = 16
"""Numbers of a loop that a compiler takes together, at the least."""


def extents_of(dims: tuple[int, ...]) -> str:
    """The dimensions of an array: powers of two, so that a simulator need not ask whether an index is inside."""
    sizes = "".join(f"[0:{(1 << (count - 1).bit_length()) - 1}]" for count in dims)
    return f" {sizes}" if sizes else ""


def storage(signal: Signal) -> int:
    """The bits in which a simulator stores each of an array. Arrays of one storage stand together: where a loop over
    one reads two of another, g++ asks once whether it writes anywhere from the first of these to the second."""
    return max(8, 1 << (signal.width - 1).bit_length())


def spans(first: int, end: int) -> tuple[tuple[int, int], ...]:
    """The numbers of a loop over assignments, as one span or as two that overlap, with a power of two in each: what is
    left over from vectors a compiler takes one by one."""
    count = end - first
    vectors = 1 << (count.bit_length() - 1)
    if count < VECTOR or count % VECTOR == 0:
        return ((first, end),)
    return ((first, first + vectors), (end - vectors, end))


def range_of(signal: Signal) -> str:
    sign = "signed " if signal.signed else ""
    return sign + (f"[{signal.width - 1}:0]" if signal.width > 1 else "")


def typed(signal: Signal) -> str:
    kind = range_of(signal).strip()
    return f"{kind} {signal.name}" if kind else signal.name


def initial_of(signal: Signal) -> str:
    return f"{signal.width}'d{signal.init & ((1 << signal.width) - 1)}"


def listed(kind: str, signals: Iterable[Signal], *, initial: bool) -> Iterator[str]:
    """Declarations, signals of one width together."""
    groups: dict[str, list[str]] = {}
    for signal in signals:
        value = f" = {initial_of(signal)}" if initial else ""
        groups.setdefault(range_of(signal).strip(), []).append(signal.name + value)
    for shape, names in groups.items():
        yield f"  {kind} {shape + ' ' if shape else ''}{', '.join(names)};"
