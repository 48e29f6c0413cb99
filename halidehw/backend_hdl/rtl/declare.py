"""Signals as declarations of Verilog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halidehw.backend_hdl.rtl.ir import Signal


def extents_of(dims: tuple[int, ...]) -> str:
    """The dimensions of an array: powers of two, so that a simulator need not ask whether an index is inside."""
    sizes = "".join(f"[0:{(1 << (count - 1).bit_length()) - 1}]" for count in dims)
    return f" {sizes}" if sizes else ""


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
