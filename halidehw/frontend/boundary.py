"""Boundary conditions: a tensor made total, with a value or elements of its own outside its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from halidehw.errors import AlgorithmError, BoundsError, TypeMismatch
from halidehw.expr.nodes import Const, Operand, as_expr
from halidehw.frontend.func import Func
from halidehw.frontend.params import Buffer, ImageParam, Range, checked_range
from halidehw.frontend.wrapper import Consumer, Wrapper
from halidehw.ir.exterior import Kind


@dataclass(frozen=True)
class Exterior:
    """What lies outside the bounds of `source`: `value`, or (value None) an element of it that the kind says.

    `stated`: min and extent of each dimension; None: the bounds of the source.
    """

    kind: Kind
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


Source = ImageParam | Func | Buffer


def constant_exterior(source: Source, value: Operand, bounds: Sequence[Range] | None = None) -> BoundaryFunc:
    """`source` inside `bounds` (default: its own), the constant `value` outside."""
    expr, tensor = as_expr(value), _tensor(source)
    if not isinstance(expr, Const) or not tensor.type.represents(expr.value):
        raise TypeMismatch(
            f"the value outside {tensor.name} must be a constant of {tensor.type}, not {expr}",
            legal=(f"BoundaryConditions.constant_exterior({tensor.name}, 0)",),
        )
    return BoundaryFunc(Exterior("constant_exterior", tensor, expr.value, _stated("constant_exterior", tensor, bounds)))


def repeat_edge(source: Source, bounds: Sequence[Range] | None = None) -> BoundaryFunc:
    """`source` inside `bounds` (default: its own), the nearest element of it outside."""
    return _folded("repeat_edge", source, bounds)


def repeat_image(source: Source, bounds: Sequence[Range] | None = None) -> BoundaryFunc:
    """`source` inside `bounds` (default: its own), and again and again outside: 0 1 2 0 1 2."""
    return _folded("repeat_image", source, bounds)


def mirror_image(source: Source, bounds: Sequence[Range] | None = None) -> BoundaryFunc:
    """`source` inside `bounds` (default: its own), outside mirrored behind its edges: 1 0 0 1 2 2 1."""
    return _folded("mirror_image", source, bounds)


def mirror_interior(source: Source, bounds: Sequence[Range] | None = None) -> BoundaryFunc:
    """`source` inside `bounds` (default: its own), outside mirrored in its edges: 2 1 0 1 2 1 0."""
    return _folded("mirror_interior", source, bounds)


def _folded(kind: Kind, source: Source, bounds: Sequence[Range] | None) -> BoundaryFunc:
    tensor = _tensor(source)
    return BoundaryFunc(Exterior(kind, tensor, None, _stated(kind, tensor, bounds)))


def _tensor(source: Source) -> ImageParam | Func:
    """Raises `TypeMismatch` for what is no tensor."""
    if not isinstance(source, ImageParam | Func | Buffer):
        message = f"a boundary condition is of an ImageParam, a Buffer or a Func, not {source!r}"
        raise TypeMismatch(message, legal=("BoundaryConditions.repeat_edge(input)",))
    return source.param if isinstance(source, Buffer) else source


def _stated(kind: str, source: ImageParam | Func, bounds: Sequence[Range] | None) -> tuple[Range, ...] | None:
    needed = bounds is None and not isinstance(source, ImageParam)
    if needed or (bounds is not None and len(bounds) != source.dimensions):
        pairs = ", ".join(["(0, 16)"] * source.dimensions)
        raise BoundsError(
            f"{kind} of {source.name} needs the min and extent of its {source.dimensions} dimensions",
            legal=(f"BoundaryConditions.{kind}({source.name}, bounds=[{pairs}])",),
        )
    return None if bounds is None else tuple(map(checked_range, bounds))
