"""What is left out of an expression changes neither its value nor its width and sign, which are Amaranth's."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from operator import eq, ge, gt, le, lt, ne, sub

import amaranth.hdl as am
import pytest

from halidehw.backend_hdl.rtl import build
from halidehw.backend_hdl.rtl.ir import Binary, Cat, Choice, Const, Expr, Fit, Mux, Ref, Slice, Unary

Values = Mapping[str, int]

BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift, "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip


def wrapped(value: int, width: int, signed: bool) -> int:
    """The number whose low bits these are."""
    value &= (1 << width) - 1
    return value - (1 << width) if signed and width and value >> (width - 1) else value


def found(expr: Expr, values: Values) -> int:
    """What an expression says, as `rtl.ir` tells it."""
    match expr:
        case Const(exact):
            pass
        case Ref(name):
            exact = values[name]
        case Fit(value) | Slice(value, start=0):
            exact = found(value, values)
        case Slice(value, start):
            exact = found(value, values) >> start
        case Cat(parts):
            exact, at = 0, 0
            for part in parts:
                exact, at = exact | wrapped(found(part, values), part.width, False) << at, at + part.width
        case Unary(op, value):
            exact = unary(op, found(value, values), value.width)
        case Binary(op, a, b):
            exact = int(BINARY[op](found(a, values), found(b, values)))
        case Mux(test, a, b):
            exact = found(a if found(test, values) else b, values)
        case Choice(index, cases):
            exact = found(next(value for patterns, value in cases if applies(patterns, index, values)), values)
    return wrapped(exact, expr.width, expr.signed)


def unary(op: str, value: int, width: int) -> int:
    bits = wrapped(value, width, False)
    return {"-": -value, "~": ~value, "|": bits != 0, "&": bits == (1 << width) - 1, "^": bits.bit_count() & 1}[op]


def applies(patterns: tuple[str, ...], index: Expr, values: Values) -> bool:
    return not patterns or format(found(index, values), f"0{index.width}b") in patterns


@dataclass(frozen=True)
class Both:
    """An expression, and Amaranth's of the same value, which `exact` is before it is cut to its width."""

    rtl: Expr
    amaranth: am.Value
    exact: Callable[[Values], int]

    def value(self, values: Values) -> int:
        shape = self.amaranth.shape()
        return wrapped(self.exact(values), shape.width, shape.signed)

    def check(self, values: Values) -> None:
        shape = self.amaranth.shape()
        assert (self.rtl.width, self.rtl.signed) == (shape.width, shape.signed), self.rtl
        assert found(self.rtl, values) == self.value(values), (self.rtl, values)


REFS = [Ref("a", 3), Ref("b", 3, True), Ref("c", 1), Ref("d", 2), Ref("e", 2, True)]
NUMBERS = [(0, 1, False), (1, 1, False), (0, 3, True), (-1, 2, True), (-4, 3, True), (7, 3, False), (3, 3, True)]


def leaves() -> list[Both]:
    refs = [Both(ref, am.Signal(am.Shape(ref.width, ref.signed), name=ref.name), lambda v, n=ref.name: v[n])
            for ref in REFS]  # fmt: skip
    numbers = [Both(Const(*number), am.Const(number[0], am.Shape(*number[1:])), lambda v, n=number[0]: n)
               for number in NUMBERS]  # fmt: skip
    return [*refs, *numbers]


def of_one(a: Both) -> Iterator[Both]:
    forms: dict[str, Callable[[am.Value], am.Value]] = {
        "-": operator.neg, "~": operator.invert, "|": am.Value.any, "&": am.Value.all, "^": am.Value.xor,
    }  # fmt: skip
    for op, form in forms.items():
        yield Both(build.unary(op, a.rtl), form(a.amaranth), lambda v, op=op: unary(op, a.value(v), a.rtl.width))
    for signed in (False, True):
        changed = a.amaranth.as_signed() if signed else a.amaranth.as_unsigned()
        yield Both(build.fit(a.rtl, a.rtl.width, signed), changed, a.value)
    for start, stop in ((0, 1), (1, a.rtl.width), (0, a.rtl.width - 1)):
        if 0 <= start < stop <= a.rtl.width:
            cut = build.cut(a.rtl, start, stop - start)
            yield Both(cut, a.amaranth[start:stop], lambda v, start=start: a.value(v) >> start)


def of_two(a: Both, b: Both) -> Iterator[Both]:
    for op, form in BINARY.items():
        if op not in ("<<", ">>") or not b.rtl.signed:
            exact = lambda v, form=form: int(form(a.value(v), b.value(v)))  # noqa: E731
            yield Both(build.binary(op, a.rtl, b.rtl), form(a.amaranth, b.amaranth), exact)
    low = a.rtl.width
    side = lambda v: wrapped(a.value(v), low, False) | b.value(v) << low  # noqa: E731
    yield Both(build.cat([a.rtl, b.rtl]), am.Cat(a.amaranth, b.amaranth), side)
    for test in (REFS[2], REFS[3], build.unary("~", REFS[2]), Const(2, 2)):
        chosen = am.Mux(am.Signal(test.width), a.amaranth, b.amaranth)
        pick = lambda v, test=test: a.value(v) if found(test, v) else b.value(v)  # noqa: E731
        yield Both(build.mux(test, a.rtl, b.rtl), chosen, pick)
    cases = [(("01", "10"), a.rtl), ((), b.rtl)]
    either = am.Mux(am.Signal(), a.amaranth, b.amaranth)
    pick = lambda v: a.value(v) if v["d"] in (1, 2) else b.value(v)  # noqa: E731
    yield Both(build.choice(REFS[3], cases), either, pick)


def drawn(rng: random.Random) -> Values:
    return {ref.name: wrapped(rng.getrandbits(3), ref.width, ref.signed) for ref in REFS}


def test_of_one_value_and_of_two():
    rng, single = random.Random(1), leaves()
    every = [each for a in single for each in of_one(a)]
    every += [each for a, b in product(single, repeat=2) for each in of_two(a, b)]
    for each in every:
        for _ in range(6):
            each.check(drawn(rng))


@pytest.mark.parametrize("seed", range(3))
def test_of_values_of_values(seed: int):
    """What is left out depends on what an operand is: of a negation, a part of a part, the same value twice."""
    rng, level = random.Random(seed), leaves()
    for _ in range(3):
        a, b = rng.sample(level, 12), rng.sample(level, 12)
        made = [each for one in a for each in of_one(one)]
        made += [each for one, two in zip(a, b, strict=True) for each in of_two(one, two)]
        made += [each for one in a[:4] for each in of_two(one, one)]
        for each in made:
            for _ in range(4):
                each.check(drawn(rng))
        level = [each for each in made if 0 < each.rtl.width < 12]
