"""Few random designs that have between them most of what many have.

`python -m tests.fuzz.chosen` chooses again, when the generator has changed, and prints what `SEEDS` is to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import combinations

from halidehw.backend_hdl import verilog
from halidehw.microarch.derive import derive
from tests.fuzz.check import accepted
from tests.fuzz.designs import Design

CANDIDATES, NUMBER = 200, 40
OVERHEAD = 40_000  # of a build, in characters of Verilog

SEEDS = (
    7, 12, 13, 16, 18, 19, 25, 31, 32, 38, 40, 41, 42, 68, 72, 80, 88, 92, 97, 103,
    104, 108, 111, 115, 131, 134, 137, 141, 146, 147, 156, 159, 160, 169, 170, 172, 184, 185, 192, 199,
)  # fmt: skip

Trait = tuple[str, str, object]
Pair = tuple[Trait, Trait]


def choose() -> list[int]:
    """Of the first seeds those whose designs, one after the other, have the most pairs of traits not seen before for
    the length of their Verilog."""
    left = {}
    for seed in range(CANDIDATES):
        for design in accepted([seed]):
            text = verilog(derive(design.nest, design.options))
            left[seed] = (pairs(design), OVERHEAD + len(text))
    found: list[int] = []
    seen: set[Pair] = set()
    while len(found) < NUMBER:
        best = max(left, key=lambda seed: len(left[seed][0] - seen) / left[seed][1])
        seen |= left.pop(best)[0]
        found.append(best)
    return sorted(found)


def pairs(design: Design) -> frozenset[Pair]:
    """Every two traits of a design's hardware and of what is around it."""
    outside = [(Design.__name__, name, getattr(design, name)) for name in ("fill", "starts")]
    outside += [(Design.__name__, name, getattr(design, name) > 0) for name in ("reset", "abort")]
    outside += traits(design.memory)
    return frozenset(combinations(sorted({*traits(derive(design.nest, design.options)), *outside}, key=repr), 2))


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
    print(choose())
