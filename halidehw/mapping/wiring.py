"""What a layer of a network reads and what becomes of its result: the part of a row that is no size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from halidehw.errors import CostError


@dataclass(frozen=True)
class Wiring:
    """`reads`: the layers whose results, one channel after the other, it reads (empty: the network's input; None: that
    of the row before, if it fits); `adds`: layers whose results are added to its own; `pad`: rows and columns of zeros
    before the first of its input (None: half of what is missing, rounded down); `after`: what lies between it and what
    it reads that is no layer here; `output`: whether its result is one of the network's."""

    reads: tuple[str, ...] | None = None
    adds: tuple[str, ...] = ()
    pad: int | None = None
    after: str = ""
    output: bool = False


KEYS = {"from": '"from": []', "add": '"add": []', "pad": '"pad": 0', "after": '"after": "max pool"',
        "output": '"output": true'}  # fmt: skip
"""What a row may have beside sizes, as any row may say it."""


def wiring_of(row: Mapping[str, Any], where: str) -> Wiring:
    """That of a layer's row. Raises `CostError` for a value of the wrong kind."""
    reads = row.get("from")
    reads = (reads,) if isinstance(reads, str) else reads
    found = {
        "from": reads is None or _names(reads), "add": _names(row.get("add", ())),
        "pad": row.get("pad") is None or (type(row["pad"]) is int and row["pad"] >= 0),
        "after": isinstance(row.get("after", ""), str), "output": isinstance(row.get("output", False), bool),
    }  # fmt: skip
    for key, right in found.items():
        if not right:
            raise CostError(f"{where}: {key!r} cannot be {row[key]!r}", legal=[KEYS[key]])
    return Wiring(
        None if reads is None else tuple(reads), tuple(row.get("add", ())), row.get("pad"), row.get("after", ""),
        row.get("output", False),
    )  # fmt: skip


def _names(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)
