"""Walking and rewriting expression trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from halidehw.frontend.nodes import Expr


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly below `expr`, in order."""
    found: list[Expr] = []
    for value in _values(expr):
        if isinstance(value, Expr):
            found.append(value)
        elif isinstance(value, tuple):
            found.extend(item for item in value if isinstance(item, Expr))
    return tuple(found)


def rebuild(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    """`expr` with its children replaced by `parts`, in order."""
    if parts == () or all(new is old for new, old in zip(parts, children(expr), strict=True)):
        return expr
    queue = iter(parts)
    changed: dict[str, object] = {}
    for field, value in zip(fields(expr), _values(expr), strict=True):
        if isinstance(value, Expr):
            changed[field.name] = next(queue)
        elif isinstance(value, tuple):
            changed[field.name] = tuple(next(queue) if isinstance(item, Expr) else item for item in value)
    return replace(expr, **changed)  # type: ignore[arg-type]


def transform(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """`change` applied to every node, from the leaves up."""
    return change(rebuild(expr, tuple(transform(part, change) for part in children(expr))))


def nodes(expr: Expr) -> Iterator[Expr]:
    """`expr` and everything below it, parents first."""
    yield expr
    for part in children(expr):
        yield from nodes(part)


def same(a: Expr, b: Expr) -> bool:
    """Whether two expressions have the same structure: node for node, the same targets and types."""
    if type(a) is not type(b):
        return False
    below = children(a), children(b)
    if len(below[0]) != len(below[1]) or not all(map(same, *below)):
        return False
    return all(x is y or x == y for x, y in zip(_values(a), _values(b), strict=True) if not isinstance(x, Expr | tuple))


def _values(expr: Expr) -> tuple[object, ...]:
    return tuple(getattr(expr, field.name) for field in fields(expr))
