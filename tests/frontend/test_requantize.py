"""Requantisation: on the thresholds of many scales, the bits that floats, and LiteRT's two roundings, give."""

import numpy as np
import pytest

import halidehw as hl
from halidehw.errors import TypeMismatch
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write

x = hl.Var("x")
a, s = hl.ImageParam(hl.Int(32), 1, "a"), hl.ImageParam(hl.UInt(32), 1, "s")
m, e = hl.ImageParam(hl.Int(32), 1, "m"), hl.ImageParam(hl.Int(8), 1, "e")
RNG = np.random.default_rng(0)
ENDS = np.array([-(2**31), 2**31 - 1, 0, 1, -1, 2**24 + 1, -(2**24) - 3, 2**25 + 2, 2**25 + 6, 2**31 - 64], np.int32)


def near(thresholds: np.ndarray) -> np.ndarray:
    """Sums near to them, and ends."""
    sums = np.rint(thresholds) + RNG.integers(-2, 3, len(thresholds))
    sums = np.clip(sums, ENDS.min(), ENDS.max()).astype(np.int64).astype(np.int32)
    sums[: len(ENDS)] = ENDS
    return sums


def scales(count: int) -> np.ndarray:
    """Some of all sizes, powers of two among them, and the least and greatest there are."""
    found = np.exp(RNG.uniform(np.log(1e-11), np.log(8), count)).astype(np.float32)
    found[: count // 20] = 2.0 ** RNG.integers(-30, 24, count // 20)
    found[-4:] = 0, 1e-40, 1e30, 4e6
    return found


def floats(sums: np.ndarray, scale: np.ndarray | np.float32, zero: int, low: int, high: int) -> np.ndarray:
    """What ONNX Runtime computes."""
    with np.errstate(over="ignore"):
        product = sums.astype(np.float32) * scale
    product = np.clip(product, np.float32(low - zero), np.float32(high - zero))
    return np.rint(product).astype(np.int64) + zero


@pytest.mark.parametrize(("kind", "zero"), [(hl.Int(8), -7), (hl.UInt(8), 128), (hl.Int(16), 1000), (hl.UInt(4), 0)])
def test_on_thresholds_floats_round_so(kind: hl.Type, zero: int):
    scale = scales(20_000)
    with np.errstate(divide="ignore"):
        sums = near(np.nan_to_num((RNG.integers(kind.min - 9, kind.max + 9, len(scale)) + 0.5 - zero) / scale))
    f = hl.Func("f")
    f[x] = hl.requantize(a[x], s[x], hl.cast(kind, zero))
    found = hl.reference(f, {"a": sums, "s": scale.view(np.uint32)}, [len(sums)])
    np.testing.assert_array_equal(found, floats(sums, scale, zero, kind.min, kind.max))


def test_a_scale_that_is_a_number():
    for scale in scales(30):
        f = hl.Func("f")
        f[x] = hl.requantize(a[x], float(scale), hl.u8(3))
        sums = near(np.arange(-20, 300) / max(float(scale), 1e-12))
        found = hl.reference(f, {"a": sums}, [len(sums)])
        np.testing.assert_array_equal(found, floats(sums, scale, 3, 0, 255))


def twice_rounded(total: int, multiplier: int, exponent: int) -> int:
    """gemmlowp's SaturatingRoundingDoublingHighMul and RoundingDivideByPOT, as C computes them."""
    total = int(np.int64(total << max(exponent, 0)).astype(np.int32))
    product = total * multiplier
    nudged = product + ((1 << 30) if product >= 0 else 1 - (1 << 30))
    high = min(abs(nudged) >> 31, 2**31 - (nudged > 0)) * (1 if nudged > 0 else -1)
    mask = (1 << max(-exponent, 0)) - 1
    return (high >> max(-exponent, 0)) + ((high & mask) > (mask >> 1) + (high < 0))


def test_on_thresholds_lite_rt_rounds_so():
    exponents = RNG.integers(-12, 1, 5000).astype(np.int8)
    multipliers = RNG.integers(2**30, 2**31, 5000).astype(np.int32)
    exponents[:500], multipliers[250:260] = RNG.integers(-31, 31, 500), -(2**31)
    sums = near((RNG.integers(-140, 140, 5000) + 0.5) * 2.0**31 / multipliers / 2.0**exponents)
    sums[250:255] = -(2**31)
    f = hl.Func("f")
    f[x] = hl.requantize_q31(a[x], m[x], e[x], hl.i8(5))
    found = hl.reference(f, {"a": sums, "m": multipliers, "e": exponents}, [5000])
    triples = zip(sums.tolist(), multipliers.tolist(), exponents.tolist(), strict=True)
    np.testing.assert_array_equal(found, np.clip([twice_rounded(*each) + 5 for each in triples], -128, 127))


@pytest.mark.parametrize("kind", [hl.Int(32), hl.UInt(32), hl.Int(48), hl.Int(8)])
def test_rounded_as_a_float_is(kind: hl.Type):
    values = RNG.integers(kind.min // 2, kind.max // 2, 5000) >> RNG.integers(0, kind.bits // 2, 5000)
    b, f = hl.ImageParam(kind, 1, "b"), hl.Func("f")
    f[x] = hl.round_significant(b[x], 24)
    found = hl.reference(f, {"b": values}, [len(values)])
    np.testing.assert_array_equal(found, values.astype(np.float32).astype(np.int64))


def both() -> hl.Func:
    """Sums beyond 24 bits, rounded in both ways, by constants of each channel and by numbers."""
    k, r, f, g = hl.Var("k"), hl.RDom([(0, 3)], "r"), hl.Func("f"), hl.Func("g")
    i, w = hl.ImageParam(hl.Int(16), 2, "i"), hl.ImageParam(hl.Int(16), 2, "w")
    g[k, x] += hl.i32(i[x, r]) * hl.i32(w[k, r])
    one, two = hl.requantize(g[k, x], s[k], hl.i8(-3)), hl.requantize_q31(g[k, x], m[k], e[k], hl.i8(4))
    three, four = hl.requantize(g[k, x], 3e-7, hl.u8(128)), hl.requantize_q31(g[k, x], 1 << 30, -20, hl.i8(0))
    f[k, x] = (one, two, three, four)
    f.bound(k, 0, 5).bound(x, 0, 9)
    return f


def test_in_hardware_and_as_text():
    rng = np.random.default_rng(1)
    inputs = {
        "i": rng.integers(-(2**15), 2**15, (3, 9)),
        "w": rng.integers(-(2**15), 2**15, (3, 5)),
        "s": (np.array([2e-7, 1e-7, 5e-8, 3e-6, 2**-23], np.float32)).view(np.uint32),
        "m": rng.integers(2**30, 2**31, 5),
        "e": np.array([-23, -24, -25, -18, -22]),
    }
    result = hl.simulate(both(), inputs)
    assert result.match
    assert all(len(np.unique(each)) > 15 for each in result.expected)
    again = hl.reference(parse(write(design_of(both()))).output, inputs)
    assert all(map(np.array_equal, again, result.expected))


@pytest.mark.parametrize(("build", "message", "legal"), [
    (lambda: hl.requantize(a[x], a[x], hl.i8(0)),
     "requantize by a(x), which is int32: a scale is a float, or its 32 bits as uint32",
     "hl.requantize(a(x), 0.25, hl.cast(hl.Int(8), 0))"),
    (lambda: hl.requantize(s[x], 0.5, hl.i8(0)), "requantize of s(x), which is uint32: a sum is at most int32",
     "hl.cast(hl.Int(32), s(x))"),
    (lambda: hl.requantize(a[x], 0.5, 0),
     "requantize to int32, the type of the zero point 0: results have at most 16 bits", "hl.cast(hl.Int(8), 0)"),
    (lambda: hl.round_significant(a[x], 0), "round_significant to 0: it is a number of bits from 1 to 64",
     "hl.round_significant(a(x), 24)"),
    (lambda: hl.requantize(a[x], -0.5, hl.i8(0)), "-0.5 is no scale: a scale is a finite float that is not negative",
     "0.25"),
    (lambda: hl.requantize_q31(a[x], s[x], e[x], hl.i8(0)),
     "requantize_q31 by s(x), which is uint32: the multiplier is int32, the exponent int8",
     "hl.cast(hl.Int(32), s(x))"),
])  # fmt: skip
def test_refusals(build, message, legal):
    with pytest.raises(TypeMismatch) as caught:
        build()
    assert (caught.value.message, caught.value.legal) == (message, (legal,))
