"""Reduction domains: boxes of integers an update runs over, dimension x innermost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from halidehw.errors import AlgorithmError, BoundsError
from halidehw.frontend.nodes import Expr, Operators, Variable
from halidehw.frontend.types import Int

_LETTERS = "xyzw"


@dataclass(frozen=True, eq=False, init=False)
class RDom(Operators):
    """`RDom([(min, extent), ...], name="r")`; its variables are r.x, r.y, r.z, r.w, or r[0], r[1], ...

    A domain of one dimension stands for its variable. Raises `BoundsError` for an extent that is not positive,
    `AlgorithmError` for ranges that are not pairs of integers.
    """

    ranges: tuple[tuple[int, int], ...]
    name: str

    def __init__(self, ranges: Iterable[tuple[int, int]], name: str = "r"):
        pairs = _pairs(ranges)
        for dimension, (_, extent) in enumerate(pairs):
            if extent < 1:
                raise BoundsError(
                    f"dimension {dimension} of RDom {name} has extent {extent}, which is not positive",
                    legal=(f'RDom([(0, 3)], "{name}")',),
                )
        object.__setattr__(self, "ranges", pairs)
        object.__setattr__(self, "name", name)

    def __str__(self) -> str:
        return self.name

    def dimensions(self) -> int:
        return len(self.ranges)

    def __len__(self) -> int:
        return len(self.ranges)

    @property
    def vars(self) -> tuple[DomainVar, ...]:
        """The variables, x first."""
        return tuple(DomainVar(self, dimension) for dimension in range(len(self.ranges)))

    def __getitem__(self, dimension: int) -> DomainVar:
        if not 0 <= dimension < len(self.ranges):
            raise AlgorithmError(
                f"RDom {self.name} has no dimension {dimension}; it has {len(self.ranges)}",
                legal=tuple(map(str, self.vars)),
            )
        return DomainVar(self, dimension)

    @property
    def x(self) -> DomainVar:
        return self[0]

    @property
    def y(self) -> DomainVar:
        return self[1]

    @property
    def z(self) -> DomainVar:
        return self[2]

    @property
    def w(self) -> DomainVar:
        return self[3]

    def agrees(self, other: RDom) -> bool:
        """Whether both have the same name and ranges, and so are one domain."""
        return (self.name, self.ranges) == (other.name, other.ranges)

    def expression(self) -> Expr:
        if len(self.ranges) != 1:
            raise AlgorithmError(
                f"RDom {self.name} has {len(self.ranges)} dimensions, so it is not one variable",
                legal=tuple(map(str, self.vars)),
            )
        return self[0]


class RVar(Variable):
    """The name of a loop made of reduction loops, for schedules: `RVar("rxo")`."""

    def __init__(self, name: str):
        super().__init__(Int(32), name, reduction=True)


class DomainVar(RVar):
    """A variable of a reduction domain, named `r.x`, `r.y`, `r.z`, `r.w`, `r[4]`, ..."""

    domain: RDom
    dimension: int

    def __init__(self, domain: RDom, dimension: int):
        suffix = f".{_LETTERS[dimension]}" if dimension < len(_LETTERS) else f"[{dimension}]"
        super().__init__(domain.name + suffix)
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "dimension", dimension)

    @property
    def min(self) -> int:
        return self.domain.ranges[self.dimension][0]

    @property
    def extent(self) -> int:
        return self.domain.ranges[self.dimension][1]


def _pairs(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    try:
        pairs = tuple((low.__index__(), extent.__index__()) for low, extent in ranges)
    except (TypeError, ValueError, AttributeError):
        pairs = ()
    if not pairs:
        raise AlgorithmError(
            f"RDom takes a list with a pair (min, extent) of integers for each dimension, not {ranges!r}",
            legal=("RDom([(0, 3), (0, 3)])",),
        )
    return pairs
