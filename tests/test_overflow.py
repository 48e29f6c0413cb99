"""Accumulators that the worst case of an algorithm exceeds are refused where that is asked for, with one that is wide
enough."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from halidehw import Func, ImageParam, Int, RDom, UInt, Var, cast, i8, i32, max, saturating_cast, select
from halidehw.errors import HardwareError
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.scheduler import lower
from tests.refused import refused
from tests.test_refusals import block

x = Var("x")


def worst(build: Callable[[Func], object], message: str, *legal: str) -> None:
    f = Func("f")
    build(f)
    f.bound(x, 0, 4).check_overflow()
    refused(lambda: lower(f), f"f.check_overflow(): {message}", *legal)


a, b, u = ImageParam(Int(16), 1, "a"), ImageParam(Int(16), 1, "b"), ImageParam(UInt(8), 1, "u")
r = RDom([(0, 1728)])


def define(value: object) -> Callable[[Func], None]:
    def build(f: Func) -> None:
        f[x] = value

    return build


def accumulate(value: object) -> Callable[[Func], None]:
    def build(f: Func) -> None:
        f[x] += value

    return build


def test_an_accumulator_too_narrow_for_the_worst_case():
    worst(
        accumulate(i32(a[x + r]) * i32(b[r])),
        "the accumulator of f needs 42 bits, has 32 (int32): 1728 x (-32768 * -32768) = 1855425871872",
        'f = Func(Int(42), 1, "f")',
        "f[x] += cast(Int(42), ...)",
    )


def test_the_wider_accumulator_proposed_is_wide_enough():
    def wide(bits: int) -> Func:
        f = Func(Int(bits), 1, "f")
        f[x] += cast(Int(bits), i32(a[x + r]) * i32(b[r]))
        return f.bound(x, 0, 4).check_overflow()

    lower(wide(42))
    with pytest.raises(HardwareError, match="needs 42 bits, has 41"):
        lower(wide(41))


def test_without_the_directive_wrapping_is_defined():
    f = Func("f")
    accumulate(i32(a[x + r]) * i32(b[r]))(f)
    lower(f.bound(x, 0, 4))


def test_arithmetic_before_the_accumulator():
    worst(
        define(a[x] * b[x]),
        "(a(x) * b(x)) needs 32 bits, has 16 (int16): -32768 * -32768 = 1073741824",
        "cast(Int(32), ...) of its operands",
    )


def test_unsigned_arithmetic_below_zero():
    worst(
        define(u[x] - u[x + 1]),
        "(u(x) - u((x + 1))) needs 9 bits with a sign, has 8 (uint8): 0 - 255 = -255",
        "cast(Int(9), ...) of its operands",
    )


@pytest.mark.parametrize("value", [lambda s: max(u[x], s), lambda s: u[x] + s, lambda s: select(u[x] < s, s, s)])
def test_a_sign_that_an_operand_gets_unasked(value):
    """Operands of both signs are promoted to a signed type of the wider one's width, which has no room for 255."""
    s = ImageParam(Int(8), 1, "s")
    worst(
        define(value(s[x])),
        "int8(u(x)) needs 9 bits, has 8 (int8): 255",
        "cast(Int(9), ...) of its operands",
    )
    wide = Func("f")
    wide[x] = max(cast(Int(9), u[x]), cast(Int(9), s[x]))
    lower(wide.bound(x, 0, 4).check_overflow())


def test_a_product_of_many():
    worst(
        lambda f: f.__setitem__(x, f[x].__imul__(u[x + RDom([(0, 3)])])),
        "the accumulator of f needs 24 bits, has 8 (uint8): 255 ^ 2 * 255 = 16581375",
        'f = Func(UInt(24), 1, "f")',
        "f[x] *= cast(UInt(24), ...)",
    )


def test_a_product_of_more_factors_than_the_accumulator_has_bits():
    """Each factor is up to 3: 12 of them need 20 bits."""
    factors = ImageParam(UInt(2), 1, "factors")

    def made(bits: int) -> Func:
        f = Func(UInt(bits), 1, "f")
        f[x] *= cast(UInt(bits), factors[x + RDom([(0, 12)])])
        return f.bound(x, 0, 4).check_overflow()

    message = "f.check_overflow(): the accumulator of f needs 20 bits, has 8 (uint8): 3 ^ 11 * 3 = 531441"
    wide = ('f = Func(UInt(20), 1, "f")', "f[x] *= cast(UInt(20), ...)")
    refused(lambda: lower(made(8)), message, *wide)
    refused(lambda: lower(made(19)), message.replace("8 (uint8)", "19 (uint19)"), *wide)
    lower(made(20))


@pytest.mark.parametrize(("factors", "fits"), [(63, True), (64, False), (1000, False)])
def test_a_product_of_as_many_twos_as_a_type_has_bits(factors, fits):
    """2 ** 63 is a uint64, 2 ** 64 is not."""
    f, bit = Func(UInt(64), 1, "f"), ImageParam(UInt(1), 1, "bit")
    f[x] *= cast(UInt(64), bit[x + RDom([(0, factors)])]) + 1
    f.bound(x, 0, 4).check_overflow()
    if fits:
        lower(f)
    else:
        message = f"the accumulator of f needs more than 64 bits, has 64 (uint64): 2 ^ {factors - 1} * 2"
        refused(lambda: lower(f), f"f.check_overflow(): {message}")


def test_more_than_any_type_holds():
    with pytest.raises(HardwareError, match="needs more than 64 bits, has 8") as caught:
        f = Func("f")
        f[x] *= u[x + r]
        lower(f.bound(x, 0, 4).check_overflow())
    assert caught.value.legal == ()


def test_a_start_adds_to_the_worst_case():
    f = Func("f")
    f[x] = 2**31 - 1000
    f[x] += i32(u[x + RDom([(0, 4)])])
    with pytest.raises(HardwareError, match=r"needs 33 bits.* 2147482648 \+ 4 x 255 = 2147483668"):
        lower(f.bound(x, 0, 4).check_overflow())


def test_a_final_stage_is_checked_with_what_it_gets():
    f, g = Func("f"), Func("g")
    f[x] += i32(u[x + RDom([(0, 4)])])
    g[x] = i8(f[x] >> 2) + i8(1)
    message = "g.check_overflow(): (int8((f(x) >> uint32(2))) + int8(1)) needs 9 bits, has 8 (int8): 127 + 1 = 128"
    refused(lambda: lower(g.bound(x, 0, 4).check_overflow()), message, "cast(Int(9), ...) of its operands")


@pytest.mark.parametrize(
    "value",
    [
        i32(a[x]) * i32(b[x]), saturating_cast(Int(8), a[x]) / 2, i8(a[x]), -i32(a[x]), u[x] / u[x + 1], u[x] % 7,
        u[x] & 3, u[x] | 3, select(a[x] > 3, a[x], b[x]), max(a[x], b[x]) >> 3, ~u[x], (u[x] & 15) * 17, u[x] ^ u[x],
        i32(u[x]) << 8, a[x] % 5,
    ],
    ids=str,
)  # fmt: skip
def test_arithmetic_that_cannot_overflow(value):
    f = Func("f")
    f[x] = value
    lower(f.bound(x, 0, 4).check_overflow())


@pytest.mark.parametrize(
    ("value", "bits"),
    [(-a[x], 17), (a[x] / b[x], 17), (a[x] << 2, 18), (a[x] + 1, 17), ((u[x] & 15) * 18, 9), (u[x] << (u[x] & 1), 9)],
    ids=str,
)
def test_arithmetic_that_can_overflow(value, bits):
    f = Func("f")
    f[x] = value
    with pytest.raises(HardwareError, match=f"needs {bits} bits"):
        lower(f.bound(x, 0, 4).check_overflow())


def test_the_directive_in_both_notations():
    design = design_of(block(lambda f, a: f.check_overflow()))
    text = write(design)
    assert "check_overflow()" in text
    assert parse(text).output.schedule == design.output.schedule
