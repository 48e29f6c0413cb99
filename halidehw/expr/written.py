"""How types and values are written in programs and messages."""

from __future__ import annotations

import re

from halidehw.expr.types import Bool, Type

_LONGEST = 2000
"""Characters of a text that are shown."""


def shortened(text: str) -> str:
    """A long text by its two ends."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} ... {text[-half:]}"


def constructor(kind: Type) -> str:
    """How the type is written in a program: `Int(16)`."""
    return "Bool()" if kind.is_bool else f"{'Int' if kind.signed else 'UInt'}({kind.bits})"


def code(value: object) -> str:
    """A value, or its text, as it is written in a program: `cast(Int(16), a)` for `int16(a)`."""
    return re.sub(r"\b(?:(u?)int(\d+)|bool)\(", lambda found: f"cast({_type(*found.groups())}, ", str(value))


def _type(unsigned: str | None, bits: str | None) -> str:
    return constructor(Type(not unsigned, int(bits)) if bits else Bool())
