"""Boundary conditions: a tensor made total, with a value or its nearest edge element outside its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from halidehw.errors import AlgorithmError, BoundsError, TypeMismatch
from halidehw.expr.nodes import Const, Operand, as_expr
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam, Range, checked_range
from halidehw.frontend.wrapper import Consumer, Wrapper


@dataclass(frozen=True)
class Exterior:
    """What lies outside the bounds of `source`: `value`, or the nearest element (`repeat_edge`, value None).

    `stated`: min and extent of each dimension; None: the bounds of the source.
    """

    kind: Literal["constant_exterior", "repeat_edge"]
    source: ImageParam | Func
    value: int | None
    stated: tuple[Range, ...] | None

    @property
    def bounds(self) -> tuple[Range, ...] | None:
        """The bounds as stated here, or by the source itself; None where they are its array's, not yet known."""
        if self.stated or not isinstance(self.source, ImageParam):
            return self.stated
        known = [pair for pair in self.source.bounds if pair]
        return tuple(known) if len(known) == self.source.dimensions else None


class BoundaryFunc(Func):
    """`boundary.source` everywhere. It has no definition or loops of its own; its wrappers are the source's."""

    def __init__(self, boundary: Exterior):
        super().__init__(boundary.source.type, boundary.source.dimensions, f"{boundary.kind}_{boundary.source.name}")
        self.named, self.boundary = False, boundary

    @property
    def defined(self) -> bool:
        return True

    @property
    def args(self) -> tuple[str, ...]:
        """Halide's names for variables that nobody named."""
        return tuple(f"_{dimension}" for dimension in range(self.dimensions))

    @property
    def sources(self) -> tuple[ImageParam | Func, ...]:
        return (self.boundary.source,)

    def __setitem__(self, args: Any, value: object) -> None:
        raise AlgorithmError(f"{self.name} is defined by its boundary condition and cannot be updated")

    def in_(self, consumer: Consumer | None = None) -> Wrapper:
        return self.boundary.source.in_(consumer)


def constant_exterior(source: ImageParam | Func, value: Operand, bounds: Sequence[Range] | None = None) -> BoundaryFunc:
    """`source` inside `bounds` (default: its own), the constant `value` outside."""
    expr = as_expr(value)
    if not isinstance(expr, Const) or not source.type.represents(expr.value):
        raise TypeMismatch(
            f"the value outside {source.name} must be a constant of {source.type}, not {expr}",
            legal=(f"BoundaryConditions.constant_exterior({source.name}, 0)",),
        )
    return BoundaryFunc(Exterior("constant_exterior", source, expr.value, _stated("constant_exterior", source, bounds)))


def repeat_edge(source: ImageParam | Func, bounds: Sequence[Range] | None = None) -> BoundaryFunc:
    """`source` inside `bounds` (default: its own), the nearest element of it outside."""
    return BoundaryFunc(Exterior("repeat_edge", source, None, _stated("repeat_edge", source, bounds)))


def _stated(kind: str, source: ImageParam | Func, bounds: Sequence[Range] | None) -> tuple[Range, ...] | None:
    needed = bounds is None and not isinstance(source, ImageParam)
    if needed or (bounds is not None and len(bounds) != source.dimensions):
        pairs = ", ".join(["(0, 16)"] * source.dimensions)
        raise BoundsError(
            f"{kind} of {source.name} needs the min and extent of its {source.dimensions} dimensions",
            legal=(f"BoundaryConditions.{kind}({source.name}, bounds=[{pairs}])",),
        )
    return None if bounds is None else tuple(map(checked_range, bounds))
