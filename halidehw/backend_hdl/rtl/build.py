"""Expressions, made so that what is constant or superfluous is not there in the first place.

Every function gives the value that its operands' exact values say, with the width and sign that Amaranth gives it.
"""

from __future__ import annotations

from dataclasses import replace

from halidehw.backend_hdl.rtl.ir import (
    Binary,
    BinaryOp,
    Cat,
    Choice,
    Const,
    Expr,
    Fit,
    Mux,
    Number,
    Ref,
    Slice,
    Unary,
    UnaryOp,
    Word,
)

_COMPARE = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def const(value: int, width: int, signed: bool = False) -> Const:
    """The number whose low bits these are."""
    value &= (1 << width) - 1
    return Const(value - (1 << width) if signed and width and value >> (width - 1) else value, width, signed)


def fit(value: Expr, width: int, signed: bool = False) -> Expr:
    """The low `width` bits of `value`, extended by its sign, read as signed or not."""
    if width == 0 or value.width == 0 or isinstance(value, Const):
        return const(value.value if isinstance(value, Const) else 0, width, signed)
    if value.width == width and value.signed == signed:
        return value
    if isinstance(value, Ref) and value.width == width:
        return replace(value, signed=signed)
    if isinstance(value, Fit) and width <= value.width:
        return fit(value.value, width, signed)
    if isinstance(value, Cat) and width < value.width:
        return fit(_low(value, width), width, signed)
    return Fit(value, width, signed)


def _low(value: Cat, width: int) -> Expr:
    parts: list[Expr] = []
    for part in value.parts:
        if width:
            parts.append(fit(part, min(part.width, width)))
            width -= parts[-1].width
    return cat(parts)


def cut(value: Expr, start: int, width: int) -> Expr:
    """Bits `start` .. `start + width - 1` of `value`, all of which it has."""
    if start == 0 or width == 0:
        return fit(value, width)
    match value:
        case Const(number):
            return const(number >> start, width)
        case Slice(inner, first, lanes=lanes):
            return replace(value, start=first + start, width=width) if lanes else cut(inner, first + start, width)
        case Fit(inner) if start + width <= inner.width:
            return cut(inner, start, width)
        case Cat(parts):
            found: list[Expr] = []
            for part in parts:
                low, high = max(start, 0), min(start + width, part.width)
                if low < high:
                    found.append(cut(part, low, high - low))
                start -= part.width
            return cat(found)
    return Slice(value, start, width)


def cat(parts: list[Expr]) -> Expr:
    """Values side by side, the first in the lowest bits."""
    joined: list[Expr] = []
    for part in parts:
        if part.width == 0:
            continue
        for inner in part.parts if isinstance(part, Cat) else (part,):
            last = joined[-1] if joined else None
            if isinstance(inner, Const) and isinstance(last, Const):
                low = last.value & ((1 << last.width) - 1)
                joined[-1] = const(low | (inner.value << last.width), last.width + inner.width)
            elif isinstance(inner, Slice) and _follows(last, inner):
                joined[-1] = cut(inner.value, _start(last), last.width + inner.width)  # type: ignore[union-attr]
            else:
                joined.append(inner)
    if len(joined) == 1:
        return fit(joined[0], joined[0].width)
    return Cat(tuple(joined), sum(part.width for part in joined)) if joined else Const(0, 0)


def _start(part: Expr | None) -> int:
    return part.start if isinstance(part, Slice) else 0


def _follows(last: Expr | None, part: Slice) -> bool:
    """Whether a slice goes on where the one before it ends."""
    match last:
        case Slice(value, start, width) if not last.lanes and not part.lanes:
            return same(value, part.value) and start + width == part.start
        case Fit(value, width) if not part.lanes:
            return width <= value.width and same(value, part.value) and width == part.start
    return False


def same(a: Expr, b: Expr) -> bool:
    """Whether two values are one, as far as that is plain."""
    return a is b or (isinstance(a, Ref) and a == b)


def unary(op: UnaryOp, value: Expr) -> Expr:
    match op:
        case "-":
            if isinstance(value, Const):
                return const(-value.value, value.width + 1, True)
            return Unary("-", value, value.width + 1, True)
        case "~":
            if isinstance(value, Const):
                return const(~value.value, value.width, value.signed)
            if isinstance(value, Unary) and value.op == "~":
                return value.value
            if isinstance(value, Binary) and value.op in ("==", "!="):
                return replace(value, op="!=" if value.op == "==" else "==")
            return Unary("~", value, value.width, value.signed)
    bits = value.value & ((1 << value.width) - 1) if isinstance(value, Const) else None
    if value.width <= 1:
        return fit(value, 1) if value.width else Const(op == "&", 1)
    if bits is None:
        return Unary(op, value, 1)
    return Const({"|": bits != 0, "&": bits == (1 << value.width) - 1, "^": bits.bit_count() & 1}[op], 1)


def binary(op: BinaryOp, a: Expr, b: Expr) -> Expr:
    match op:
        case "+" | "-":
            width, signed = _unified(a, b)
            return _sum(op, a, b, width + 1, signed or op == "-")
        case "*":
            return _product(a, b, a.width + b.width, a.signed or b.signed)
        case "&" | "|" | "^":
            return _bitwise(op, a, b, *_unified(a, b))
        case "<<":
            width = a.width + (1 << b.width) - 1
            if isinstance(b, Const):
                moved = cat([Const(0, b.value), fit(a, a.width)])
                return fit(fit(moved, moved.width, a.signed), width, a.signed)
            return Binary(op, a, b, width, a.signed)
        case ">>":
            if isinstance(b, Const):
                by = min(b.value, a.width - a.signed) if a.width else 0
                high = fit(cut(a, by, a.width - by), a.width - by, a.signed)
                return fit(high, a.width, a.signed)
            return Binary(op, a, b, a.width, a.signed)
    return _comparison(op, a, b)


def _unified(a: Expr, b: Expr) -> tuple[int, bool]:
    """The least width, and the sign, that hold the values of both."""
    signed = a.signed or b.signed
    return max(each.width + (signed and not each.signed) for each in (a, b)), signed


def _sum(op: BinaryOp, a: Expr, b: Expr, width: int, signed: bool) -> Expr:
    if isinstance(a, Const) and isinstance(b, Const):
        return const(a.value + b.value if op == "+" else a.value - b.value, width, signed)
    if isinstance(b, Const) and b.value == 0:
        return fit(a, width, signed)
    if isinstance(a, Const) and a.value == 0 and op == "+":
        return fit(b, width, signed)
    if isinstance(b, Const) and b.value < 0:
        return Binary("-" if op == "+" else "+", a, Const(-b.value, b.width), width, signed)
    return Binary(op, a, b, width, signed)


def _product(a: Expr, b: Expr, width: int, signed: bool) -> Expr:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const):
            if isinstance(other, Const):
                return const(one.value * other.value, width, signed)
            if one.value in (0, 1):
                return fit(other, width, signed) if one.value else const(0, width, signed)
    return Binary("*", a, b, width, signed)


def _bitwise(op: BinaryOp, a: Expr, b: Expr, width: int, signed: bool) -> Expr:
    if isinstance(a, Const) and isinstance(b, Const):
        value = {"&": a.value & b.value, "|": a.value | b.value, "^": a.value ^ b.value}[op]
        return const(value, width, signed)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const):
            ones = one.value == -1 or (not other.signed and one.value == (1 << other.width) - 1)
            if one.value == 0:
                return const(0, width, signed) if op == "&" else fit(other, width, signed)
            if op == "&" and ones:
                return fit(other, width, signed)
            if op == "|" and ones and width == other.width:
                return const(one.value, width, signed)
    if same(a, b) and op != "^":
        return fit(a, width, signed)
    return Binary(op, a, b, width, signed)


def _comparison(op: BinaryOp, a: Expr, b: Expr) -> Expr:
    if isinstance(a, Const):
        if isinstance(b, Const):
            return Const(_COMPARE[op](a.value, b.value), 1)
        turned: dict[BinaryOp, BinaryOp] = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
        return _comparison(turned.get(op, op), b, a)
    if isinstance(b, Const):
        low, high = bounds(a)
        decided = not low <= b.value <= high if op in ("==", "!=") else True
        if decided and _COMPARE[op](low, b.value) == _COMPARE[op](high, b.value):
            return Const(_COMPARE[op](low, b.value), 1)
        if a.width == 1 and not a.signed:
            return a if _COMPARE[op](1, b.value) else unary("~", a)
    return Binary(op, a, b, 1)


def bounds(value: Expr) -> tuple[int, int]:
    """The least and the greatest number of a value's width, which is not 0, and its sign."""
    half = 1 << (value.width - 1)
    return (-half, half - 1) if value.signed else (0, (1 << value.width) - 1)


def mux(test: Expr, a: Expr, b: Expr) -> Expr:
    """`a` where `test`, of any width, is not zero, else `b`."""
    test = unary("|", test)
    width, signed = _unified(a, b)
    if isinstance(test, Const):
        return fit(a if test.value else b, width, signed)
    if same(a, b):
        return fit(a, width, signed)
    if width == 1 and not signed and isinstance(a, Const) and isinstance(b, Const):
        if a.value == b.value:
            return a
        return test if a.value else unary("~", test)
    if isinstance(test, Unary) and test.op == "~":
        return Mux(test.value, b, a, width, signed)
    if width == 1 and not signed and isinstance(b, Const) and not b.value:
        return binary("&", test, a)
    return Mux(test, a, b, width, signed)


def choice(index: Expr, cases: list[tuple[tuple[str, ...], Expr]]) -> Expr:
    """The first case that applies; zero where none does."""
    signed = any(value.signed for _, value in cases)
    width = max(value.width + (signed and not value.signed) for _, value in cases)
    if not cases or cases[-1][0]:
        values = 1 << index.width
        if sum(len(patterns) for patterns, _ in cases) >= values and all("-" not in p for ps, _ in cases for p in ps):
            cases = [*cases[:-1], ((), cases[-1][1])]
        else:
            cases = [*cases, ((), const(0, width, signed))]
    if len(cases) == 1:
        return fit(cases[0][1], width, signed)
    return Choice(index, tuple(cases), width, signed)


def rebuilt(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    """`expr` over other children, of the same widths and signs."""
    match expr:
        case Const() | Ref() | Number():
            return expr
        case Word():
            return replace(expr, address=parts[0])
        case Fit(_, width, signed):
            return fit(parts[0], width, signed)
        case Slice(_, start, width, lanes=lanes):
            return replace(expr, value=parts[0]) if lanes else cut(parts[0], start, width)
        case Cat():
            return cat(list(parts))
        case Unary(op):
            return unary(op, parts[0])
        case Binary(op, _, _, width, signed):
            return fit(binary(op, *parts), width, signed)
        case Mux(_, _, _, width, signed):
            return fit(mux(*parts), width, signed)
        case Choice(_, cases, width, signed):
            chosen = [(patterns, part) for (patterns, _), part in zip(cases, parts[1:], strict=True)]
            return fit(choice(parts[0], chosen), width, signed)
