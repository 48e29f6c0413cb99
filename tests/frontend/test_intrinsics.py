"""Halide's arithmetic functions: the same values as real Halide's, for all types and the ends of their ranges."""

import numpy as np
import pytest

import halidehw
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write

halide = pytest.importorskip("halide")

TYPES = [(True, 8), (False, 8), (True, 16), (False, 16), (True, 32), (False, 32)]
SIZE = 400


def kind(hl, type_):
    return (hl.Int if type_[0] else hl.UInt)(type_[1])


def values(type_, seed):
    """Every pair of ends somewhere, then random values."""
    dtype = kind(halidehw, type_).dtype
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).max // 2, 0, 1, 2, 7], dtype)
    random = np.random.default_rng(seed).integers(ends[0], ends[1], SIZE, dtype=dtype, endpoint=True)
    count = len(ends) ** 3
    random[:count] = ends[(np.arange(SIZE) // len(ends) ** seed % len(ends))[:count]]
    return random


def call(name, *rest):
    """Calls a function of the library by its name, with constants behind the operands."""
    return lambda hl, *operands: getattr(hl, name)(*operands, *rest)


def wide(hl, signed, high, low):
    """64 bits of two inputs, as Halide's Python has no arrays of them."""
    both = hl.cast(hl.UInt(64), high) << 32 | hl.cast(hl.UInt(64), low)
    return hl.cast(hl.Int(64) if signed else hl.UInt(64), both)


def computed(hl, builds, types):
    """The values of each expression, as two halves of 32 bits, and their types."""
    x, c, f = hl.Var("x"), hl.Var("c"), hl.Func("f")
    params = [hl.ImageParam(kind(hl, each), 1, f"in{place}") for place, each in enumerate(types)]
    buffers = [hl.Buffer(values(each, place)) for place, each in enumerate(types)]
    for param, buffer in zip(params, buffers, strict=True):
        param.set(buffer)
    results = [build(hl, *(param[x] for param in params)) for build in builds]
    halves = [hl.cast(hl.UInt(32), hl.cast(hl.Int(64), each) >> by) for each in results for by in (0, 32)]
    f[x, c] = hl.mux(c, halves)
    kinds = [str(each.type() if hl is halide else each.type) for each in results]
    return np.asarray(f.realize([SIZE, len(halves)])), kinds, f


def check(builds, types):
    expected, kinds, _ = computed(halide, builds, types)
    found, own, func = computed(halidehw, builds, types)
    assert own == kinds
    np.testing.assert_array_equal(found, expected)
    text = write(design_of(func))
    inputs = {f"in{place}": values(each, place) for place, each in enumerate(types)}
    again = halidehw.reference(parse(text).output, inputs, [SIZE, len(found)])
    np.testing.assert_array_equal(again, expected, err_msg=text)


SAME = ["absd", "saturating_add", "saturating_sub", "halving_add", "halving_sub", "rounding_halving_add"]
WIDENING = ["widening_add", "widening_sub", "widening_mul"]
PRODUCTS = ["mul_shift_right", "rounding_mul_shift_right"]
SHIFTS = ["rounding_shift_left", "rounding_shift_right", "widening_shift_left", "widening_shift_right"]


@pytest.mark.parametrize("a", TYPES, ids=str)
def test_of_two_operands(a):
    check([call(name) for name in SAME + WIDENING], [a, a])
    check([call(name) for name in SAME + WIDENING], [a, (not a[0], 8)])


@pytest.mark.parametrize("signed", [True, False])
def test_sixty_four_bits(signed):
    def joined(name):
        return lambda hl, a, b, c, d: getattr(hl, name)(wide(hl, signed, a, b), wide(hl, signed, c, d))

    def counted(name):
        return lambda hl, a, b, c, d: getattr(hl, name)(wide(hl, signed, a, b))

    builds = [joined(name) for name in SAME] + [counted(name) for name in COUNTS]
    check(builds, [(True, 32), (False, 32), (True, 32), (False, 32)])


@pytest.mark.parametrize("a", TYPES[:4], ids=str)
def test_shifts(a):
    def by(name, signed, most, less):
        return lambda hl, a, b: getattr(hl, name)(a, hl.cast(kind(hl, (signed, 8)), b % most) - less)

    check([by(name, True, 15, 7) for name in SHIFTS] + [by(name, False, 9, 0) for name in SHIFTS], [a, (False, 8)])
    check([call(name, amount) for name in SHIFTS for amount in (0, 1, 3, a[1] - 1)], [a])
    check([call(name, a[1]) for name in SHIFTS[1:]], [a])


@pytest.mark.parametrize("a", TYPES[:4], ids=str)
def test_products_shifted(a):
    def by(name):
        return lambda hl, a, b, c: getattr(hl, name)(a, b, c % 20)

    def by_five(name):
        return lambda hl, a, b, c: getattr(hl, name)(a, b, 5)

    for b in (a, (not a[0], a[1])):
        check([way(name) for name in PRODUCTS for way in (by, by_five)], [a, b, (False, 16)])


COUNTS = ["popcount", "count_leading_zeros", "count_trailing_zeros"]
SATURATIONS = [f"{sign}{bits}_sat" for sign in "iu" for bits in (8, 16, 32, 64)]


@pytest.mark.parametrize("a", TYPES, ids=str)
def test_of_one_operand(a):
    def powered(power):
        return lambda hl, a: hl.cast(hl.UInt(8), a) ** power

    check([call(name) for name in COUNTS + SATURATIONS] + [powered(power) for power in range(4)], [a])


@pytest.mark.parametrize("ends", TYPES, ids=str)
def test_lerp(ends):
    builds = [lambda hl, a, b, u, v, w, n=n: hl.lerp(a, b, (u, v, w)[n]) for n in range(3)]
    builds += [lambda hl, a, b, u, v, w: hl.lerp(a, 3, u)]
    check(builds, [ends, ends, (False, 8), (False, 16), (False, 32)])


def test_mux():
    def among(count):
        return lambda hl, i, j, k, a: hl.mux((i, j, k)[count % 3], [a + n for n in range(count)])

    check([among(count) for count in range(1, 10)], [(False, 8), (True, 8), (True, 32), (True, 16)])


@pytest.mark.parametrize("signed", [True, False])
def test_hardware(signed):
    """All of them in one datapath, where `c` says which result is stored."""
    hl = halidehw
    x, c, o = hl.Var("x"), hl.Var("c"), hl.Func("o")
    a, b = (hl.ImageParam(kind(hl, (signed, 8)), 1, name) for name in "ab")
    w = hl.ImageParam(hl.UInt(8), 1, "w")
    p, q, r = a[x], b[x], w[x]
    results = [getattr(hl, name)(p, q) for name in SAME + WIDENING]
    results += [getattr(hl, name)(p, amount) for name in SHIFTS for amount in (3, hl.i8(r % 16) - 8)]
    results += [getattr(hl, name)(p) for name in COUNTS + SATURATIONS]
    results += [getattr(hl, name)(p, q, by) for name in PRODUCTS for by in (3, r & 15)]
    results += [hl.lerp(p, q, r), hl.lerp(p, q, hl.u16(r) * 257 - 1), hl.lerp(hl.u32(p), hl.u32(q), r)]
    results += [hl.mux(r & 7, [p, q, p + q, p - q, 3]), p**3, abs(p)]
    o[x, c] = hl.mux(c, [hl.i32(each) for each in results])
    o.bound(x, 0, 40).bound(c, 0, len(results)).accelerate([a, b, w])
    result = hl.simulate(o, {name: values((signed, 8), place)[:40] for place, name in enumerate("ab")} |
                         {"w": values((False, 8), 2)[:40]})  # fmt: skip
    assert result.match


def test_refusals():
    x, a, b = halidehw.Var("x"), halidehw.ImageParam(halidehw.Int(8), 1, "a"), halidehw.ImageParam(halidehw.Int(64), 1)
    for build, message in {
        lambda: halidehw.lerp(a[x], a[x], a[x]): r"weight a\(x\) of a lerp is int8",
        lambda: halidehw.lerp(a[x], b[x], halidehw.u8(0)): "lerp between a",
        lambda: halidehw.widening_add(b[x], b[x]): "widening_add of int64 needs 128 bits",
        lambda: halidehw.mux(a[x], []): "a list of values",
        lambda: halidehw.mux(a[x], [a[x], b[x]]): "mux between values of int8",
        lambda: halidehw.mul_shift_right(a[x], a[x], a[x]): "the amount is unsigned",
        lambda: a[x] ** -1: "an exponent is a constant whole number",
        lambda: 2 ** a[x]: "only a constant can be an exponent",
    }.items():
        with pytest.raises(halidehw.HalideHWError, match=message):
            build()
