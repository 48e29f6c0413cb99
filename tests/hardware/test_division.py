"""Division in hardware: every pair of small numbers, many constants, all widths, in all places."""

from __future__ import annotations

import numpy as np
import pytest

from halidehw import (
    Expr,
    Func,
    ImageParam,
    Int,
    RDom,
    Type,
    UInt,
    Var,
    cast,
    div_round_to_zero,
    estimate,
    i16,
    i32,
    mod_round_to_zero,
    reference,
    select,
    simulate,
    u8,
    u16,
)
from halidehw.backend_hdl import verilog
from halidehw.energy_model.counters import predicted
from halidehw.expr.nodes import constant
from halidehw.frontend.text import parse
from halidehw.ir.interpreter import interpret
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower
from halidehw.simulate import Experiment, Memory, Scenario, simulate_together

x, y, k, xo, xi = map(Var, ("x", "y", "k", "xo", "xi"))
r = RDom([(0, 9)], "r")
EIGHT = [UInt(8), Int(8)]
CONSTANTS = (1, 2, 3, 5, 6, 7, 9, 10, 12, 13, 25, 60, 100, 127)


def check(designs: list[tuple[Func, dict[str, np.ndarray]]]) -> None:
    """All designs in one build: the words of the algorithm's own evaluation and of the interpreter, with stalls and a
    second start too, in as many cycles as the model says."""
    nests = [lower(func) for func, _ in designs]
    accelerators = [derive(nest, Options(counters="all")) for nest in nests]
    stalls = Memory(latency=7, stall_probability=0.3, stall_seed=1)
    experiments = [
        Experiment(text, each.interface, (Scenario(flat(inputs)), Scenario(flat(inputs), stalls, starts=2)))
        for each, text, (_, inputs) in zip(accelerators, map(verilog, accelerators), designs, strict=True)
    ]
    for nest, each, (func, inputs), runs in zip(
        nests, accelerators, designs, simulate_together(experiments), strict=True
    ):
        expected = reference(func, inputs)
        np.testing.assert_array_equal(interpret(nest, inputs), expected)
        assert isinstance(runs, tuple), runs
        for run in runs:
            np.testing.assert_array_equal(run.outputs[func.name].reshape(expected.shape), expected)
        counts = predicted(nest, each)
        assert runs[0].counters == {name: counts[name] for name in runs[0].counters}


def flat(inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.ascontiguousarray(array).reshape(-1) for name, array in inputs.items()}


def every(kind: Type) -> np.ndarray:
    return np.arange(kind.min, kind.max + 1).astype(kind.dtype)


def constants(kind: Type) -> tuple[Func, dict[str, np.ndarray]]:
    """Quotients and remainders of every number by constants of both signs and by zero, one for each k."""
    a, f = ImageParam(kind, 1, "a"), Func(f"by_constants_{kind}")
    signs = (1, -1) if kind.signed else (1,)
    divisors = [0, kind.min, *(sign * each for each in CONSTANTS for sign in signs)]
    results = [op(a[x + kind.min], constant(kind, d)) for d in divisors for op in (Expr.__truediv__, Expr.__mod__)]
    choices: list[Expr | int] = []
    for number, each in enumerate(results[:-1]):
        choices += [k == number, cast(Int(16), each)]
    f[x, k] = select(*choices, cast(Int(16), results[-1]))
    a.dim(0).set_bounds(kind.min, 1 << kind.bits)
    return f.bound(x, 0, 1 << kind.bits).bound(k, 0, len(results)).accelerate([a]), {"a": every(kind)}


def pairs(kind: Type) -> tuple[Func, dict[str, np.ndarray]]:
    """Every number by every number, zero and the least by minus one among them."""
    a, b, f = ImageParam(kind, 1, "a"), ImageParam(kind, 1, "b"), Func(f"pairs_{kind}")
    p, q = a[x], b[y]
    f[x, y] = cast(Int(8), p / q) * i16(64) + p % q
    size = 1 << kind.bits
    return f.bound(x, 0, size).bound(y, 0, size).accelerate([a, b]), {"a": every(kind), "b": every(kind)}


def test_constants_of_both_signs_for_every_byte() -> None:
    check([constants(kind) for kind in EIGHT])


def test_every_pair_of_small_numbers() -> None:
    check([pairs(kind) for kind in (Int(1), UInt(1), Int(2), Int(5), UInt(5))])


def drawn(kind: Type, size: int, seed: int) -> np.ndarray:
    """Numbers of every magnitude, with the extremes."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(kind.min, kind.max, size, kind.dtype if kind.bits > 1 else np.int64, endpoint=True)
    small = whole >> rng.integers(0, kind.bits, size).astype(whole.dtype)
    extremes = np.array([kind.min, kind.max, 0, 1, -1 if kind.signed else 2], small.dtype)
    small[: size // 4] = rng.choice(extremes, size // 4)
    return kind.wrap(small)


def wide(kind: Type, divisor: int) -> tuple[Func, dict[str, np.ndarray]]:
    a, b, f = ImageParam(kind, 1, "a"), ImageParam(kind, 1, "b"), Func(f"wide_{kind}")
    p, q = a[x], b[x]
    f[x] = (p / q) ^ (p % q) ^ (p / constant(kind, divisor)) ^ (p % constant(kind, divisor) << 3)
    inputs = {"a": drawn(kind, 60, kind.bits), "b": drawn(kind, 60, kind.bits + 1)}
    return f.bound(x, 0, 60).accelerate([a, b]), inputs


def test_all_widths() -> None:
    signed = [(Int(3), 3), (Int(33), 1000003), (Int(64), -10)]
    check([wide(kind, divisor) for kind, divisor in (*signed, (UInt(11), 10), (UInt(64), 7))])


def places() -> list[tuple[Func, dict[str, np.ndarray]]]:
    """The kernel of a systolic array with ragged tiles, the final stage, the initial value, by inputs of each."""
    a, w, b = ImageParam(UInt(8), 1, "a"), ImageParam(Int(8), 1, "w"), ImageParam(UInt(8), 1, "b")
    values = {"a": drawn(UInt(8), 30, 1), "w": drawn(Int(8), 9, 2), "b": drawn(UInt(8), 21, 3)}
    total = Func("total")
    total[x] = i32(b[x] / 3)
    total[x] += i32(a[x + r.x] % 5) * i32(a[x + r.x]) / i32(w[r.x])
    total.bound(x, 0, 21)
    total.update().split(x, xo, xi, 8).unroll(xi, 4).systolic(xi)
    total.accelerate([a, w, b])
    mean, average = Func("sum_of_nine"), Func("mean")
    mean[x] += u16(a[x + r.x])
    average[x] = u8(mean[x] / 9 + mean[x] % 9)
    average.bound(x, 0, 21)
    mean.update().unroll(r.x, 3)
    average.accelerate([a])
    weighed, scaled = Func("weighed"), Func("scaled")
    weighed[x] += i32(a[x + r.x]) * i32(w[r.x])
    scaled[x] = weighed[x] / i32(b[x])
    scaled.bound(x, 0, 21).accelerate([a, w, b])
    trunc = Func("truncated")
    trunc[x] = div_round_to_zero(w[x], 3) * 16 + mod_round_to_zero(w[x], -3)
    trunc.bound(x, 0, 9).accelerate([w])
    used = [("a", "w", "b"), ("a",), ("a", "w", "b"), ("w",)]
    a_, b_ = values["a"][:29], values["b"]
    arrays = {"a": a_, "w": values["w"], "b": b_}
    return [
        (func, {name: arrays[name] for name in names})
        for func, names in zip((total, average, scaled, trunc), used, strict=True)
    ]


def test_in_kernel_final_stage_and_initial_value() -> None:
    check(places())


def test_halides_own_blur_as_a_text() -> None:
    text = """
        ImageParam image(UInt(8), 2);
        Var x, y; Func f, g;
        f(x, y) = cast<uint16_t>(image(x, y)) + image(x + 1, y) + image(x + 2, y);
        g(x, y) = cast<uint8_t>((f(x, y) + f(x, y + 1) + f(x, y + 2)) / 9 + div_round_to_zero(x - 3, 2) % 5);
        g.bound(x, 0, 9); g.bound(y, 0, 5);
        g.accelerate({image});
    """
    image = np.random.default_rng(1).integers(0, 256, (7, 11)).astype(np.uint8)
    found = simulate(parse(text), {"image": image})
    assert found.match
    assert found.cycles == estimate(parse(text)).cycles.total


@pytest.mark.parametrize("kind", [Int(8), Int(16), Int(32), UInt(8), UInt(32)], ids=str)
def test_division_is_real_halides(kind: Type) -> None:
    """The least number by minus one, and by zero, too; rounding towards zero where C defines it."""
    halide = pytest.importorskip("halide")
    import halidehw

    a, b = drawn(kind, 400, 5), drawn(kind, 400, 6)
    plain = (b != 0) & ~((a == kind.min) & (b == (-1 if kind.signed else 0)))
    for rounded, p, q in ((False, a, b), (True, a[plain], b[plain])):
        results = []
        for hl in (halide, halidehw):
            type_ = hl.Int(kind.bits) if kind.signed else hl.UInt(kind.bits)
            images = [hl.ImageParam(type_, 1, name) for name in "ab"]
            for image, values in zip(images, (p, q), strict=True):
                image.set(hl.Buffer(values))
            i, f, one, other = hl.Var("i"), hl.Func("f"), *images
            if rounded:
                f[i] = hl.div_round_to_zero(one[i], other[i]) * 3 + hl.mod_round_to_zero(one[i], other[i])
            else:
                f[i] = one[i] / other[i] * 3 + one[i] % other[i]
            results.append(np.asarray(f.realize([len(p)])))
        np.testing.assert_array_equal(*results)
