"""Expressions as Verilog.

Every text has exactly the width that was asked for, whatever surrounds it, so no tool has to extend or cut anything.
The two operators whose meaning depends on what surrounds them, products and signed shifts, stand alone in an
assignment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from halidehw.backend_hdl.rtl.ir import (
    Binary,
    Cat,
    Choice,
    Const,
    Expr,
    Fit,
    Lane,
    Mux,
    Number,
    Place,
    Ref,
    Signal,
    Slice,
    Unary,
    Word,
)  # fmt: skip


class Scope(Protocol):
    """The module that an expression stands in."""

    @property
    def signals(self) -> Mapping[str, Signal]:
        """The signals by name."""

    def read(self, name: str, start: int, width: int) -> None:
        """Bits of a signal stand in a text."""

    def name(self, expr: Expr) -> Ref | None:
        """The signal that holds an expression which has a name."""

    def named(self, expr: Expr) -> Ref:
        """The signal that holds an expression, which gets a name."""


def text(scope: Scope, expr: Expr, width: int) -> str:
    """The low `width` bits of a value, extended by its sign where it is narrower."""
    return _Text(scope).of(expr, width)


def whole(scope: Scope, expr: Expr, width: int) -> str:
    """The same as all of what is assigned to `width` bits."""
    writer = _Text(scope)
    match expr:
        case Binary("*", a, b) if width >= max(a.width, b.width):
            signed = a.signed or b.signed
            return " * ".join(writer.factor(each, each.width + (signed and not each.signed), signed) for each in (a, b))
        case Binary(">>", a, b, signed=True) if width == a.width:
            return f"{writer.operand(a, a.width, True)} >>> {writer.inner(b, b.width)}"
        case Fit(value) if isinstance(value, Binary) and value.op in ("*", ">>") and width <= expr.width:
            return whole(scope, value, width)
    return writer.of(expr, width, root=True)


class _Text:
    def __init__(self, scope: Scope):
        self.scope = scope

    def of(self, expr: Expr, width: int, root: bool = False) -> str:
        if not root and (held := self.scope.name(expr)) is not None:
            return self.ref(held, width)
        match expr:
            case Const(value):
                return f"{width}'d{value & ((1 << width) - 1)}"
            case Ref():
                return self.ref(expr, width)
            case Number(lane):
                number = f"i{lane.depth}[{min(width, expr.width) - 1}:0]"
                return self.extended(number, expr, width) if width > expr.width else number
            case Word(memory, address):
                word = f"{memory}{places(expr.index)}[{self.of(address, address.width)}]"
                return self.extended(word, expr, width) if width >= expr.width else self.ref(self.held(expr), width)
            case Fit(value, inner, signed):
                return self.fit(expr, value, inner, signed, width)
            case Slice():
                return self.slice(expr, width)
            case Cat(parts):
                return self.cat(parts, width)
            case Unary():
                return self.unary(expr, width)
            case Binary():
                return self.binary(expr, width)
            case Mux(test, a, b):
                return f"{self.inner(test, 1)} ? {self.inner(a, width)} : {self.inner(b, width)}"
            case Choice():
                return self.ref(self.held(expr), width)

    def inner(self, expr: Expr, width: int, beside: str = "") -> str:
        """An operand, in parentheses unless it is next to the same associative operator or needs none."""
        found = self.of(expr, width)
        plain = " " not in found or (found[0] == "{" and _closes(found))
        chained = beside and isinstance(expr, Binary) and expr.op == beside and self.scope.name(expr) is None
        return found if plain or chained else f"({found})"

    def alone(self, expr: Expr, width: int) -> str:
        """An operand that an operator may stand right before."""
        found = self.inner(expr, width)
        return f"({found})" if found[0] in "~-&|^" else found

    def operand(self, expr: Expr, width: int, signed: bool) -> str:
        """An operand that is signed by itself, or not."""
        if not signed:
            return self.inner(expr, width)
        if isinstance(expr, Ref):
            known = self.scope.signals[expr.name]
            if known.signed and known.width == width:
                return self.of(expr, width)
        return f"$signed({self.of(expr, width)})"

    def factor(self, expr: Expr, width: int, signed: bool) -> str:
        """An operand of a product, which the product's own width extends."""
        if signed or isinstance(expr, Const | Ref | Slice):
            return self.operand(expr, width, signed)
        return self.ref(self.held(expr), width)

    def held(self, expr: Expr) -> Ref:
        return self.scope.name(expr) or self.scope.named(expr)

    def bits(self, ref: Ref, start: int, width: int) -> str:
        """Bits of a signal."""
        whole = self.scope.signals[ref.name].width
        self.scope.read(ref.name, start, width)
        name = ref.name + places(ref.index)
        if width == whole:
            return name
        return f"{name}[{start}]" if width == 1 else f"{name}[{start + width - 1}:{start}]"

    def ref(self, ref: Ref, width: int) -> str:
        own = min(ref.width, self.scope.signals[ref.name].width)
        if width <= own:
            return self.bits(ref, 0, width)
        top = self.bits(ref, own - 1, 1) if ref.signed else ""
        return _wider(self.bits(ref, 0, own), own, width, top)

    def extended(self, found: str, expr: Expr, width: int) -> str:
        """A text of the width of `expr`, which is not signed, at a greater one."""
        return _wider(found, expr.width, width, "")

    def fit(self, expr: Expr, value: Expr, inner: int, signed: bool, width: int) -> str:
        kept = value.width <= inner if value.signed == signed else value.width < inner and not value.signed
        if width <= inner or kept:
            return self.of(value, width)
        if not signed:
            return _wider(self.of(value, inner), inner, width, "")
        if isinstance(value, Ref):
            return _wider(self.bits(value, 0, inner), inner, width, self.bits(value, inner - 1, 1))
        return self.ref(self.held(expr), width)

    def slice(self, expr: Slice, width: int) -> str:
        value = expr.value if isinstance(expr.value, Ref) else self.held(expr.value)
        low = min(width, expr.width)
        if expr.lanes:
            self.scope.read(value.name, 0, self.scope.signals[value.name].width)
            found = f"{value.name}{places(value.index)}[{affine(expr.lanes, expr.start)} +: {low}]"
        else:
            found = self.bits(value, expr.start, low)
        return self.extended(found, expr, width) if width > low else found

    def cat(self, parts: tuple[Expr, ...], width: int) -> str:
        pieces: list[str] = []
        for part in parts:
            if width > 0:
                pieces.append(self.of(part, min(part.width, width)))
            width -= part.width
        if width > 0:
            pieces.append(f"{width}'d0")
        if len(pieces) == 1:
            return pieces[0]
        if len(set(pieces)) == 1:
            return f"{{{len(pieces)}{{{pieces[0]}}}}}"
        return f"{{{', '.join(reversed(pieces))}}}"

    def unary(self, expr: Unary, width: int) -> str:
        op, value = expr.op, expr.value
        if op == "-":
            return f"-{self.alone(value, width)}"
        if op == "~":
            if value.signed or width <= value.width:
                return f"~{self.inner(value, width)}"
            return _wider(f"~{self.inner(value, value.width)}", value.width, width, "")
        return _wider(f"{op}{self.alone(value, value.width)}", 1, width, "")

    def binary(self, expr: Binary, width: int) -> str:
        op, a, b = expr.op, expr.a, expr.b
        match op:
            case "&" | "|" | "^" if width > expr.width and not (a.signed or b.signed):
                return self.extended(self.binary(expr, expr.width), expr, width)
            case "+" | "&" | "|" | "^":
                return f"{self.inner(a, width, op)} {op} {self.inner(b, width, op)}"
            case "-":
                return f"{self.inner(a, width)} - {self.inner(b, width)}"
            case "<<":
                return f"{self.inner(a, width)} << {self.inner(b, b.width)}"
            case ">>" if not expr.signed and width >= a.width:
                return f"{self.inner(a, width)} >> {self.inner(b, b.width)}"
            case "*" if width < max(a.width, b.width):
                return f"{self.inner(a, width)} * {self.inner(b, width)}"
            case "*" | ">>":
                return self.ref(self.held(expr), width)
        signed = a.signed or b.signed
        wide = max(each.width + (signed and not each.signed) for each in (a, b))
        found = f"{self.operand(a, wide, signed)} {op} {self.number(b, wide, signed)}"
        return _wider(found, 1, width, "")

    def number(self, expr: Expr, width: int, signed: bool) -> str:
        if signed and isinstance(expr, Const):
            if expr.value < 0:
                return f"-{width}'sd{-expr.value}"
            return f"{width}'sd{expr.value}"
        return self.operand(expr, width, signed)


def places(index: tuple[Place, ...]) -> str:
    """The indices of one of an array."""
    return "".join(f"[{affine(place.terms, place.offset)}]" for place in index)


def affine(terms: tuple[tuple[Lane, int], ...], offset: int) -> str:
    """A sum of lanes' numbers times factors, and an offset."""
    parts = [(by, f"i{lane.depth}" if abs(by) == 1 else f"{abs(by)}*i{lane.depth}") for lane, by in terms]
    parts += [(offset, str(abs(offset)))] if offset or not terms else []
    parts.sort(key=lambda part: part[0] < 0)
    return "".join(f" {'-' if by < 0 else '+'} {found}" for by, found in parts).removeprefix(" + ")


def _wider(found: str, own: int, width: int, top: str) -> str:
    """A text of `own` bits with more of them before it: copies of `top`, or zeros."""
    more = width - own
    if more == 0:
        return found
    return f"{{{{{more}{{{top}}}}}, {found}}}" if top else f"{{{more}'d0, {found}}}"


def _closes(found: str) -> bool:
    """Whether the brace that a text begins with is closed by its last character."""
    depth = 0
    for place, character in enumerate(found):
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return place == len(found) - 1
    return False


def selector(cases: Iterable[tuple[tuple[str, ...], object]]) -> str:
    """The keyword of a choice between patterns."""
    return "casez" if any("-" in pattern for patterns, _ in cases for pattern in patterns) else "case"


def patterns(patterns: tuple[str, ...]) -> str:
    """What a case is for."""
    return ", ".join(f"{len(each)}'b{each.replace('-', '?')}" for each in patterns) or "default"
