"""Expressions that are numbers."""

from __future__ import annotations

from halidehw.expr.expr import Binary, Cast, Const, Expr, Select, Unary, apply, fold


def constant_value(expr: Expr) -> int | None:
    """The value of an expression without variables and accesses; None if it has some."""

    def value_of(node: Expr, parts: tuple[int | None, ...]) -> int | None:
        known = [part for part in parts if part is not None]
        match node:
            case Const(value=value):
                return value
            case Select() if parts[0] is not None:
                return parts[1] if parts[0] else parts[2]
            case Cast(type=kind) if known:
                return kind.wrap(*known)
            case Unary(op=op, a=a) | Binary(op=op, a=a) if len(known) == len(parts):
                return int(apply(op, a.type, *known))
        return None

    return fold(expr, value_of)
