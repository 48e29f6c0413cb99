"""Constants of divisions: exact for every dividend, and no narrower ones are."""

from __future__ import annotations

import random
from math import ceil

import numpy as np
import pytest

from halidehw import Func, ImageParam, Int, RDom, UInt, Var, cast, i32, u8, u16
from halidehw.expr.expr import nodes
from halidehw.expr.types import Type
from halidehw.ir.nest import Nest
from halidehw.microarch.division import Divided, Quotient, Reciprocal, reciprocal, with_dividers
from halidehw.microarch.operators import cells, operators
from halidehw.scheduler import lower

x = Var("x")


def quotients(by: Reciprocal, dividends: np.ndarray) -> np.ndarray:
    return ((dividends >> by.before) * by.multiplier + by.addend) >> by.shift


@pytest.mark.parametrize("bits", range(1, 11))
def test_every_constant_of_up_to_ten_bits_for_every_dividend(bits: int) -> None:
    for kind in (UInt(bits), Int(bits)):
        dividends = np.arange(kind.min, kind.max + 1)
        for divisor in range(1, max(kind.max, -kind.min) + 1):
            found = quotients(reciprocal(kind.min, kind.max, divisor), dividends)
            assert (found == dividends // divisor).all(), (kind, divisor)


def test_every_range_of_small_numbers() -> None:
    for low in range(-12, 13):
        for high in range(low, 14):
            dividends = np.arange(low, high + 1)
            for divisor in range(1, 14):
                found = quotients(reciprocal(low, high, divisor), dividends)
                assert (found == dividends // divisor).all(), (low, high, divisor)


@pytest.mark.parametrize("bits", range(11, 65))
def test_wide_types_at_the_multiples_of_the_divisor(bits: int) -> None:
    """A quotient changes at a multiple only, and the formula rises with x: so its ends and those next to any multiple
    tell; the ones at both ends of the range come first to be wrong."""
    rng = random.Random(bits)
    for kind in (UInt(bits), Int(bits)):
        drawn = [rng.randint(1, kind.max) >> rng.randrange(bits) for _ in range(20)]
        for divisor in {1, 2, 3, 5, 7, 9, 10, 641, kind.max, kind.max - 1, kind.max // 2 + 1, -kind.min, *drawn} - {0}:
            by = reciprocal(kind.min, kind.max, divisor)
            inside = [rng.randint(kind.min, kind.max) for _ in range(4)]
            steps = [each // divisor for each in (kind.min, kind.max, 0, *inside)]
            near = {q * divisor + more for q in steps for more in (-1, 0, 1, divisor - 1, divisor)}
            for dividend in {kind.min, kind.max, *near}:
                if kind.represents(dividend):
                    assert by(dividend) == dividend // divisor, (kind, divisor, dividend)


@pytest.mark.parametrize("kind", [UInt(6), Int(6)], ids=str)
def test_no_smaller_multiplier_is_exact(kind: Type) -> None:
    """With any addend, and any shift: the one found is at most a bit longer, and then has no addend."""
    for divisor in range(1, kind.max + 1):
        by = reciprocal(kind.min, kind.max, divisor)
        dividends, odd = np.arange(kind.min >> by.before, (kind.max >> by.before) + 1), divisor >> by.before
        most = by.multiplier if by.addend else 1 << max(by.multiplier.bit_length() - 2, 0)
        for multiplier in range(most):
            for shift in range(by.shift + 1):
                excess = dividends * multiplier - (dividends // odd << shift)
                assert np.ptp(excess) >= 1 << shift, (divisor, by, multiplier, shift)


def hardware(func: Func) -> Nest:
    return with_dividers(lower(func.bound(x, 0, 4)))


def test_the_range_of_a_sum_makes_its_division_narrower() -> None:
    a, f = ImageParam(UInt(8), 1, "a"), Func("f")
    f[x] = (u16(a[x]) + a[x + 1] + a[x + 2]) / 3
    (found,) = (node for node in nodes(hardware(f).value) if isinstance(node, Quotient))
    assert (found.low, found.high, found.by) == (0, 765, reciprocal(0, 765, 3))
    assert found.by.multiplier < reciprocal(0, 65535, 3).multiplier


def test_the_range_of_a_reduction_is_known_to_its_final_stage() -> None:
    a, f, g, r = ImageParam(UInt(8), 1, "a"), Func("f"), Func("g"), RDom([(0, 9)], "r")
    f[x] = 5
    f[x] += i32(a[x + r.x])
    g[x] = u8(f[x] / 9)
    final = hardware(g).epilogue
    assert final is not None
    (found,) = (node for node in nodes(final) if isinstance(node, Quotient))
    assert (found.low, found.high) == (5, 5 + 9 * 255)


def test_a_quotient_and_a_remainder_of_the_same_values_share_a_divider_as_wide_as_these() -> None:
    a, b, f = ImageParam(UInt(8), 1, "a"), ImageParam(Int(5), 1, "b"), Func("f")
    p, q = i32(a[x]), i32(b[x])
    f[x] = p / q + p % q
    specs = {node.spec for node in nodes(hardware(f).value) if isinstance(node, Divided)}
    (spec,) = specs
    assert (spec.dividend, spec.divisor, spec.signed_dividend, spec.signed_divisor) == (8, 5, False, True)
    assert spec.latency == 10


def test_powers_of_two_are_wires() -> None:
    for kind in (UInt(16), Int(16)):
        for bits in range(16):
            assert reciprocal(kind.min, kind.max, 1 << bits).latency == 0


def test_bits_of_the_multiplier() -> None:
    """At most one more than the dividend has, as is known of multiply and add."""
    for bits in range(2, 33):
        for divisor in range(3, 200):
            by = reciprocal(0, (1 << bits) - 1, divisor)
            assert by.multiplier.bit_length() <= bits + (by.addend == 0), (bits, divisor)
            assert by.shift <= bits + ceil(divisor).bit_length()


def products(a: Type, b: Type, kind: Type) -> int:
    one, other, f = ImageParam(a, 1, "one"), ImageParam(b, 1, "other"), Func("f")
    f[x] = cast(kind, one[x]) * cast(kind, other[x])
    return cells(hardware(f).value)


def test_cells_of_products() -> None:
    """Rows up to the highest bit that is kept; with a sign each is extended that far."""
    assert products(Int(16), Int(16), Int(16)) == 136
    assert products(Int(16), Int(16), Int(32)) == sum(32 - i for i in range(16))
    assert products(UInt(8), UInt(8), UInt(32)) == 64
    assert products(UInt(4), UInt(4), UInt(5)) == 4 + 4 + 3 + 2


def test_operators_are_counted_once_each() -> None:
    a, b, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "b"), Func("f")
    p, q = a[x], b[x]
    f[x] = p / q + p % q + p / 7 % 4
    found = {each.op: number for each, number in operators(hardware(f).value).items()}
    assert found == {"divider": 1, "add": 2, "/ 7": 1}
