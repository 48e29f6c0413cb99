"""Where the loops of a stage lie: inside those of its consumer outside its place, over what is needed there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Constraint, Loop

Named = tuple[str, str]
"""A loop as a directive names it: a Func, and a loop of it."""


def outside(loop: str) -> str:
    """A loop outside a stage's own, beside the stage's variables."""
    return f"outside {loop}"


@dataclass(frozen=True)
class Along:
    """One variable of a stage: first + step * offset, the offset in 0 .. extent - 1. `first`: in the loops outside."""

    first: Affine
    extent: int
    step: int = 1

    @property
    def low(self) -> int:
        """What its own loop counts from: the variable itself where it can."""
        return self.first.constant if self.step == 1 and not self.first.terms else 0

    def value(self, own: Affine) -> Affine:
        """The variable where the value of its own loop is `own`."""
        return self.first + self.step * (own - self.low)


@dataclass(frozen=True)
class Frame:
    """What a stage is computed for.

    `loops`: those outside its own, of its consumer; `domain`: which of their iterations there are; `box`: its
    variables; `limits`: forms in the variables' own loops and those `outside` that are not below 0 where an element is
    needed; `places`: a loop of its consumers -> the loop outside that a place there means (None: outside all), or the
    variable whose rows it moves on by.
    """

    box: Mapping[str, Along]
    prefix: str = ""
    loops: tuple[Loop, ...] = ()
    domain: tuple[Constraint, ...] = ()
    limits: tuple[Affine, ...] = ()
    places: Mapping[Named, str | None] = field(default_factory=dict)
    rows: Mapping[Named, str] = field(default_factory=dict)

    @property
    def decisive(self) -> tuple[object, ...]:
        """All of it, to be compared."""
        mappings = (tuple(each.items()) for each in (self.box, self.places, self.rows))
        return (*mappings, self.prefix, self.loops, self.domain, self.limits)

    @staticmethod
    def at_root(bounds: Mapping[str, tuple[int, int]]) -> Frame:
        """That of a stage with no loops outside its own. `bounds`: variable -> (min, extent)."""
        return Frame({name: Along(Affine((), low), extent) for name, (low, extent) in bounds.items()})
