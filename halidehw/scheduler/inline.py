"""Pure Funcs written out where they are used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import TypeGuard

from halidehw.errors import AlgorithmError, ScheduleError
from halidehw.expr.expr import Access, Expr, Variable, nodes, transform
from halidehw.expr.intrinsics import Intrinsic
from halidehw.expr.tuples import Field, Pack
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.func import Func
from halidehw.ir.affine import Affine
from halidehw.scheduler.indices import affine

Copies = Mapping[object, Func]
"""An input -> the stage that is a copy of it."""

FAR = 1 << 64
"""Beyond what any variable reaches, where its bounds are not known."""


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """`expr` with every variable that `values` names replaced."""

    def change(node: Expr) -> Expr:
        return values.get(node.name, node) if isinstance(node, Variable) else node

    return transform(expr, change)


def inline(
    expr: Expr, stages: Collection[object] = (), copies: Copies | None = None, views: Mapping[Func, Func] | None = None
) -> Expr:
    """`expr` with pure Funcs and intrinsics written out: it reads inputs, boundary conditions, updated Funcs, `stages`
    and `copies` in place of what they are copies of. `views`: Funcs -> the same in another form.

    A Func used several times at one place is written out once and shared, so that a chain of stencils grows with the
    places of each stage. Raises `AlgorithmError` for a Func used but not defined, `ScheduleError` for one with a
    schedule of its own.
    """
    return _Inliner(stages, copies or {}, views or {}).inline(expr)


class _Inliner:
    """`known`: what a Func, or an input, is at a place whose indices are affine."""

    def __init__(self, stages: Collection[object], copies: Copies, views: Mapping[Func, Func]) -> None:
        self.stages, self.copies, self.views = stages, copies, views
        self.known: dict[tuple[int, tuple[Affine, ...]], Expr] = {}
        self.anywhere = defaultdict[str, tuple[int, int]](lambda: (-FAR, FAR))

    def inline(self, expr: Expr) -> Expr:
        return transform(expr, self._change)

    def _change(self, node: Expr) -> Expr:
        if isinstance(node, Intrinsic):
            return substitute(node.body, dict(zip(node.places, node.args, strict=True)))
        if isinstance(node, Field) and isinstance(node.a, Pack):
            return node.a.parts[node.index]
        if not isinstance(node, Access):
            return node
        forms = tuple(form for arg in node.args if (form := affine(arg, self.anywhere)) is not None)
        if len(forms) < len(node.args):
            return self._written(node)
        place = (id(node.target), forms)
        if place not in self.known:
            self.known[place] = self._written(node)
        return self.known[place]

    def _written(self, node: Access) -> Expr:
        func = node.target
        if (copied := self.copies.get(source_of(func))) is not None:
            return Access(node.type, copied, node.args)
        if isinstance(func, Func):
            func = self.views.get(func, func)
        if node.target in self.stages or not is_pure(func):
            return node
        _check_plain(func)
        return self.inline(substitute(func.pure.value, dict(zip(func.args, node.args, strict=True))))


def source_of(target: object) -> object:
    """The tensor that an access reads, itself or through a boundary condition."""
    return target.boundary.source if isinstance(target, BoundaryFunc) else target


def is_pure(target: object) -> TypeGuard[Func]:
    """Whether an access's target is a Func to be written out."""
    if not isinstance(target, Func) or isinstance(target, BoundaryFunc):
        return False
    if not target.defined:
        raise AlgorithmError(f"{target.name} is used but never defined", legal=(f"{target.name}[x, y] = ...",))
    return len(target.stages) == 1


def updated(expr: Expr, stages: Collection[object] = ()) -> Iterator[Access]:
    """The accesses of updated Funcs in an inlined expression, and of Funcs through boundary conditions, but for those
    of `stages`."""
    for node in nodes(expr):
        if isinstance(node, Access) and isinstance(source := source_of(node.target), Func) and source not in stages:
            yield node


def _check_plain(func: Func) -> None:
    """A Func that is written out has no loops."""
    for stage in func.stages:
        for directive in stage.directives:
            raise ScheduleError(
                f"{stage}.{directive}: {stage} is computed where it is used, so it has no loops; remove the line",
                source=directive.source,
            )
