"""Reduction domains: boxes of integers an update runs over, dimension x innermost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Protocol, runtime_checkable

from halidehw.errors import AlgorithmError, BoundsError, TypeMismatch, next_number
from halidehw.expr.nodes import Expr, Operators, Variable, as_expr, binary, code
from halidehw.expr.tree import same
from halidehw.expr.types import Int
from halidehw.frontend.ranges import check_indices

_LETTERS = "xyzw"


@runtime_checkable
class Bounded(Protocol):
    """An input, with a min and an extent in each dimension."""

    dimensions: Any

    def dim(self, dimension: int, /) -> Any: ...


@dataclass(frozen=True, eq=False, init=False)
class RDom(Operators):
    """`RDom([(min, extent), ...], name="r")`; its variables are r.x, r.y, r.z, r.w, or r[0], r[1], ...

    Of an ImageParam or a Buffer instead of a list: all of it, once its bounds are known.
    A domain of one dimension stands for its variable. Raises `BoundsError` for an extent that is not positive,
    `AlgorithmError` for ranges that are not pairs of integers.
    """

    ranges: tuple[tuple[int, int], ...]
    name: str
    predicates: list[Expr]
    settled: bool

    def __init__(self, ranges: Iterable[tuple[int, int]] | Bounded, name: str = "r"):
        pairs = _pairs(ranges)
        if not isinstance(name, str) or not name.isidentifier():
            raise AlgorithmError(f"{name!r} does not name an RDom: a name is an identifier", legal=('RDom(..., "r")',))
        for dimension, (low, extent) in enumerate(pairs):
            if extent < 1:
                raise BoundsError(
                    f"dimension {dimension} of RDom {name} has extent {extent}, which is not positive",
                    legal=(f'RDom([(0, 3)], "{name}")',),
                )
            check_indices(low, low + extent - 1)
        object.__setattr__(self, "ranges", pairs)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "predicates", [])
        object.__setattr__(self, "settled", False)

    def __str__(self) -> str:
        return self.name

    def dimensions(self) -> int:
        return len(self.ranges)

    def __len__(self) -> int:
        return len(self.ranges)

    @cached_property
    def vars(self) -> tuple[RVar, ...]:
        """The variables, x first."""
        suffixes = (f".{_LETTERS[d]}" if d < len(_LETTERS) else f"[{d}]" for d in range(len(self.ranges)))
        return tuple(RVar(self.name + suffix, self, dimension) for dimension, suffix in enumerate(suffixes))

    def __getitem__(self, dimension: int) -> RVar:
        if not 0 <= dimension < len(self.ranges):
            raise AlgorithmError(
                f"RDom {self.name} has no dimension {dimension}; it has {len(self.ranges)}",
                legal=tuple(map(str, self.vars)),
            )
        return self.vars[dimension]

    @property
    def x(self) -> RVar:
        return self[0]

    @property
    def y(self) -> RVar:
        return self[1]

    @property
    def z(self) -> RVar:
        return self[2]

    @property
    def w(self) -> RVar:
        return self[3]

    def where(self, predicate: Expr) -> None:
        """Leaves out the points where `predicate` does not hold.

        Raises `TypeMismatch` for what is no condition, `AlgorithmError` where a definition has the points already.
        """
        condition = as_expr(predicate)
        if not condition.type.is_bool:
            why = f"{self}.where({condition}): it is {condition.type}, not a condition"
            raise TypeMismatch(why, legal=(f"{self}.where({code(condition)} != 0)",))
        if self.settled:
            raise AlgorithmError(
                f"{self}.where({condition}): a definition before it is over all points of {self}; say it before that "
                "one",
                legal=(f'{self} = RDom({list(self.ranges)}, "{self}")', f"{self}.where({code(condition)})"),
            )
        self.predicates.append(condition)

    def settle(self) -> None:
        """A definition has the points: no more are left out."""
        object.__setattr__(self, "settled", True)

    @property
    def predicate(self) -> Expr | None:
        """Where the points are that are not left out; None: everywhere."""
        return reduce(lambda a, b: binary("land", a, b), self.predicates) if self.predicates else None

    def agrees(self, other: RDom) -> bool:
        """Whether both have the same name, ranges and points, and so are one domain."""
        own, others = self.predicates, other.predicates
        alike = (self.name, self.ranges, len(own)) == (other.name, other.ranges, len(others))
        return alike and all(map(same, own, others))

    def expression(self) -> Expr:
        if len(self.ranges) != 1:
            raise AlgorithmError(
                f"RDom {self.name} has {len(self.ranges)} dimensions, so it is not one variable",
                legal=tuple(map(str, self.vars)),
            )
        return self[0]


class RVar(Variable):
    """A variable of a reduction domain: `r.x`. `RVar("rxo")` only names a loop made of such, in a schedule."""

    _domain: RDom | None
    dimension: int

    def __init__(self, name: str | None = None, domain: RDom | None = None, dimension: int = 0):
        super().__init__(Int(32), f"r{next_number()}" if name is None else name, reduction=True)
        object.__setattr__(self, "_domain", domain)
        object.__setattr__(self, "dimension", dimension)

    @property
    def domain(self) -> RDom:
        """The domain. Raises `AlgorithmError` if it is only the name of a loop."""
        if self._domain is None:
            raise AlgorithmError(
                f"{self} is a variable of no RDom; it only names a loop",
                legal=(f'{self} = RDom([(0, 4)], "{self}").x',),
            )
        return self._domain

    @property
    def min(self) -> int:
        return self.domain.ranges[self.dimension][0]

    @property
    def extent(self) -> int:
        return self.domain.ranges[self.dimension][1]


def _pairs(ranges: Iterable[tuple[int, int]] | Bounded) -> tuple[tuple[int, int], ...]:
    if isinstance(ranges, Bounded):
        return tuple((ranges.dim(d).min(), ranges.dim(d).extent()) for d in range(ranges.dimensions))
    try:
        pairs = tuple((low.__index__(), extent.__index__()) for low, extent in ranges)
    except (TypeError, ValueError, AttributeError, AlgorithmError):
        pairs = ()
    if not pairs:
        raise AlgorithmError(
            f"RDom takes a list with a pair (min, extent) of integers for each dimension, not {ranges!r}",
            legal=("RDom([(0, 3), (0, 3)])",),
        )
    return pairs
