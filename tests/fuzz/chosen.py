"""Few random designs that have between them most of what many have.

`python -m tests.fuzz.chosen` chooses again, when a generator has changed, and prints `SEEDS` and `PIECES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from itertools import combinations

from halidehw.backend_hdl import verilog
from tests.fuzz.check import accepted
from tests.fuzz.choices import Choices
from tests.fuzz.designs import Design, design
from tests.fuzz.pieces import by_pieces

OVERHEAD = 40_000  # of a build, in characters of Verilog

SEEDS = (
    7, 12, 13, 16, 18, 19, 25, 31, 32, 38, 40, 41, 42, 68, 72, 80, 88, 92, 97, 103,
    104, 108, 111, 115, 131, 134, 137, 141, 146, 147, 156, 159, 160, 169, 170, 172, 184, 185, 192, 199,
)  # fmt: skip

PIECES = (7, 10, 23, 42, 45, 47, 54, 59)
"""The same of designs whose tiles pass by pieces."""

Trait = tuple[str, str, object]
Pair = tuple[Trait, Trait]


def choose(make: Callable[[Choices], Design], candidates: int, number: int) -> list[int]:
    """Of the first seeds those whose designs, one after the other, have the most pairs of traits not seen before for
    the length of their Verilog."""
    left = {}
    for seed in range(candidates):
        for found in accepted([seed], make):
            text = verilog(found.accelerator)
            left[seed] = (pairs(found), OVERHEAD + len(text))
    best: list[int] = []
    seen: set[Pair] = set()
    while len(best) < number:
        best.append(max(left, key=lambda seed: len(left[seed][0] - seen) / left[seed][1]))
        seen |= left.pop(best[-1])[0]
    return sorted(best)


def pairs(design: Design) -> frozenset[Pair]:
    """Every two traits of a design's hardware and of what is around it."""
    outside = [(Design.__name__, name, getattr(design, name)) for name in ("fill", "starts")]
    outside += [(Design.__name__, name, getattr(design, name) > 0) for name in ("reset", "abort")]
    outside += traits(design.memory)
    return frozenset(combinations(sorted({*traits(design.accelerator), *outside}, key=repr), 2))


def traits(record: object) -> Iterator[Trait]:
    """What each field is, of a record and of those inside it: there or not, how many, true or false."""
    kind = type(record).__name__
    for field in fields(record):  # type: ignore[arg-type]
        value = getattr(record, field.name)
        match value:
            case None | bool():
                yield kind, field.name, value
            case int() | float():
                yield kind, field.name, min(value, 2)
            case tuple():
                yield kind, field.name, f"{min(len(value), 3)} of them"
        for inside in value if isinstance(value, tuple) else (value,):
            if is_dataclass(inside) and "microarch" in type(inside).__module__:
                yield from traits(inside)


if __name__ == "__main__":
    print(choose(design, 200, 40), choose(by_pieces, 60, 8))
