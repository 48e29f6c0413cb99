"""Recognising a reduction: an update that combines one value an iteration with the element it updates."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.errors import HardwareError
from halidehw.expr.expr import Access, Binary, Cast, Const, Expr, Select, Unary, apply, fold, nodes, same
from halidehw.frontend.func import Func
from halidehw.ir.nest import Combine
from halidehw.scheduler.scatter import for_update

_COMBINES: dict[str, Combine] = {
    "add": "add",
    "sub": "add",
    "mul": "mul",
    "min": "min",
    "max": "max",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "land": "and",
    "lor": "or",
}


@dataclass(frozen=True)
class Reduction:
    """`element = element combine value`, for each iteration."""

    combine: Combine
    value: Expr


def recognise(func: Func) -> Reduction:
    """The reduction that the only update of `func` is. Raises `HardwareError` if it is none."""
    if len(func.stages) != 2:
        raise HardwareError(
            f"{func.name} has {len(func.stages) - 1} updates; the array computes one reduction",
            legal=("one Func for each update",),
        )
    update = func.stages[1].definition
    if update.pure != func.args:
        written = ", ".join(map(str, update.args))
        raise HardwareError(
            f"{func.name} is updated at ({written}), so different iterations may update any of its elements in order; "
            f"the array updates element ({', '.join(func.args)})",
            legal=for_update(func),
            source=update.source,
        )
    match update.value:
        case Binary(op=op, a=a, b=b) if op in _COMBINES and _is_element(a, func):
            found = Reduction(_COMBINES[op], Unary(b.type, "neg", b) if op == "sub" else b)
        case Binary(op=op, a=a, b=b) if op in _COMBINES and op != "sub" and _is_element(b, func):
            found = Reduction(_COMBINES[op], a)
        case _:
            raise _not_associative(func)
    if any(isinstance(node, Access) and node.target is func for node in nodes(found.value)):
        raise _not_associative(func)
    return found


def _is_element(expr: Expr, func: Func) -> bool:
    element = Access(func.type, func, func.stages[1].definition.args)
    return same(expr, element)


def _not_associative(func: Func) -> HardwareError:
    update = func.stages[1].definition
    element = f"{func.name}[{', '.join(func.args)}]"
    return HardwareError(
        f"the update of {func.name} is not {element} combined with a value by one associative operator "
        f"(+ - * min max & | ^), so its iterations cannot be reordered or run side by side: {update.value}",
        legal=(f"{element} += ...", f"{element} = max({element}, ...)"),
        source=update.source,
    )


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
