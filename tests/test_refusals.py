"""Schedules that ask for the impossible are refused before there is any hardware, with the arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from click.testing import CliRunner

from halidehw import (
    Func,
    ImageParam,
    Int,
    RDom,
    UInt,
    Var,
    cast,
    compile,
    i8,
    i32,
    load,
    max,
    saturating_cast,
    select,
    simulate,
)  # fmt: skip
from halidehw.cli import main
from halidehw.errors import AlgorithmError, BoundsError, HalideHWError, HardwareError, ScheduleError
from halidehw.frontend import boundary
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.ir.printer import buffers_json, loop_nest
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower

x, y, k, xo, yo, xi, yi = map(Var, ("x", "y", "k", "xo", "yo", "xi", "yi"))

Change = Callable[[Func, ImageParam], object]


def block(change: Change, xfactor: int = 8, yfactor: int = 8) -> Func:
    """5x5x12 filters over tiles of 8x8 outputs: 12x12x12 input words each."""
    r = RDom([(0, 5), (0, 5), (0, 12)])
    image, w = ImageParam(Int(16), 3, "input"), ImageParam(Int(16), 4, "w")
    output = Func("output")
    output[x, y, k] += i32(image[x + r.x, y + r.y, r.z]) * i32(w[r.x, r.y, r.z, k])
    output.set_bounds([(0, 16), (0, 16), (0, 4)])
    output.update().split(x, xo, xi, xfactor).split(y, yo, yi, yfactor).reorder(xi, yi, xo, yo)
    change(output, image)
    return output.accelerate([image, w])


def refused(build: Callable[[], object], message: str, *legal: str, kind: type = HardwareError) -> None:
    with pytest.raises(kind) as caught:
        build()
    assert caught.value.message == message
    assert caught.value.legal == legal
    assert caught.value.source is not None


# --- capacities


def test_a_footprint_larger_than_the_capacity():
    refused(
        lambda: lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(1024))),
        "input.in_().capacity(1024): input_in needs 1 728 words (12 x 12 x 12), has 1 024",
        "output.update().split(x, xo, xi, 2)", "output.update().split(y, yo, yi, 2)",
        "input.in_().compute_at(output, yi)", "input.in_().compute_at(output, xi)",
        "input.in_().compute_at(output, r.z)", "input.in_().compute_at(output, r.y)",
        "input.in_().compute_at(output, r.x)", "input.in_().capacity(1728)",
    )  # fmt: skip


def test_the_error_stands_at_the_line_of_the_capacity():
    with pytest.raises(HardwareError) as caught:
        lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(8)))
    assert caught.value.source is not None
    assert caught.value.source.text.endswith(".capacity(8)))")


def test_what_is_proposed_fits():
    lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(1728)))
    lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(1024), xfactor=2))
    lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(1024), yfactor=2))
    for loop in (yi, xi, "r.z", "r.y", "r.x"):
        lower(block(lambda f, a, loop=loop: a.in_().compute_at(f, loop).capacity(1024)))


def test_a_capacity_in_each_pe():
    def change(f: Func, a: ImageParam) -> None:
        f.update().reorder(yi, xi).unroll(xi, 4)
        a.in_().compute_at(f, xi).capacity(100)

    refused(
        lambda: lower(block(change)),
        "input.in_().capacity(100): input_in needs 720 words in each PE (5 x 12 x 12), has 100",
        "input.in_().compute_at(output, r.z)", "input.in_().compute_at(output, r.y)",
        "input.in_().compute_at(output, r.x)", "input.in_().capacity(720)",
    )  # fmt: skip


def test_a_tile_that_halves_in_both_directions():
    a, f = ImageParam(Int(8), 2, "a"), Func("f")
    f[x, y] = a[x, y]
    f.set_bounds([(0, 64), (0, 64)]).tile(x, y, xo, yo, xi, yi, 16, 16)
    a.in_().compute_at(f, xo).capacity(64)
    with pytest.raises(HardwareError, match=r"a_in needs 256 words \(16 x 16\), has 64") as caught:
        lower(f)
    assert caught.value.legal[0] == "f.tile(x, y, xo, yo, xi, yi, 8, 8)"


def test_words_that_a_stride_skips_are_not_held():
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = a[4 * x]
    f.bound(x, 0, 32).split(x, xo, xi, 8)
    a.in_().compute_at(f, xo).capacity(8)
    assert lower(f).buffers[0].capacity == 8


def test_a_capacity_of_each_level():
    def change(f: Func, a: ImageParam) -> None:
        a.in_().compute_at(f, yo).capacity(4000)
        a.in_().in_().compute_at(f, xo).capacity(1000)

    with pytest.raises(HardwareError, match=r"input.in_\(\).in_\(\).capacity\(1000\): input_in_in needs 1 728 words"):
        lower(block(change))


def test_a_capacity_that_is_enough_is_shown():
    nest = lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(2048)))
    assert "allocate input_in[12][12][12] (double, capacity 2048)" in loop_nest(nest)
    assert buffers_json(nest)[0]["capacity"] == 2048
    assert "input.in_().capacity(2048)" in nest.schedule


def test_a_capacity_in_both_notations():
    design = design_of(block(lambda f, a: a.in_().compute_at(f, xo).single_buffer().capacity(2048)))
    text = write(design)
    assert "input.in().compute_at(output, xo).single_buffer().capacity(2048);" in text
    assert parse(text).output.schedule == design.output.schedule


def test_a_capacity_of_nothing():
    message = "input.in_().capacity(0): 0 is not a positive number of words"
    build = lambda: block(lambda f, a: a.in_().compute_at(f, xo).capacity(0))  # noqa: E731
    refused(build, message, "input.in_().capacity(1024)", kind=ScheduleError)


def test_a_capacity_without_a_place():
    message = "input.in_().capacity(64): input.in_() is no buffer yet"
    legal = "input.in_().compute_at(f, x).capacity(64)"
    refused(lambda: block(lambda f, a: a.in_().capacity(64)), message, legal, kind=ScheduleError)


def test_a_second_capacity():
    message = "input.in_().capacity(64): it has its capacity already, by input.in_().capacity(32)"
    build = lambda: block(lambda f, a: a.in_().compute_at(f, xo).capacity(32).capacity(64))  # noqa: E731
    refused(build, message, kind=ScheduleError)


# --- arrays


def product(change: Callable[[Func], object]) -> Func:
    c = RDom([(0, 4)], "c")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, k] += i32(a[x, c]) * i32(b[c, k])
    f.set_bounds([(0, 20), (0, 32)])
    change(f)
    return f.accelerate([a, b])


def test_an_unroll_that_exceeds_a_row():
    refused(
        lambda: lower(product(lambda f: f.update().dataflow("C | X", rows=4, cols=16).unroll(k, 2))),
        "unroll(k, 2): x 16 x k 2 = 32 PEs in a row of 16",
        'dataflow("C | X", rows=4, cols=32)',
        kind=ScheduleError,
    )


def test_an_unroll_that_fits_in_part():
    legal = "unroll(k, 3)", 'dataflow("C | X", rows=4, cols=160)'
    change = lambda f: f.update().dataflow("C | X", rows=4, cols=64).unroll(k, 8)  # noqa: E731
    message = "unroll(k, 8): x 20 x k 8 = 160 PEs in a row of 64"
    refused(lambda: lower(product(change)), message, *legal, kind=ScheduleError)
    lower(product(lambda f: f.update().dataflow("C | X", rows=4, cols=64).unroll(k, 3)))
    lower(product(lambda f: f.update().dataflow("C | X", rows=4, cols=160).unroll(k, 8)))


def test_two_dataflows_that_exceed_a_column():
    refused(
        lambda: lower(product(lambda f: f.update().dataflow("X", rows=16).dataflow("K", rows=4))),
        'dataflow("X", rows=16): x 16 x k 4 = 64 PEs in a column of 16',
        'dataflow("X", rows=64)',
        kind=ScheduleError,
    )


# --- accumulators


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


def test_a_product_of_many():
    worst(
        lambda f: f.__setitem__(x, f[x].__imul__(u[x + RDom([(0, 3)])])),
        "the accumulator of f needs 24 bits, has 8 (uint8): 255 ^ 2 * 255 = 16581375",
        'f = Func(UInt(24), 1, "f")',
        "f[x] *= cast(UInt(24), ...)",
    )


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


def test_the_directive_stated_twice():
    message = "check_overflow(): stated twice; remove the line"
    refused(lambda: block(lambda f, a: f.check_overflow().check_overflow()), message, kind=ScheduleError)


# --- what cannot be built


def test_a_tensor_read_in_two_ways():
    def build() -> object:
        image, f = ImageParam(Int(8), 1, "image"), Func("f")
        f[x] = image[x] + image[2 * x]
        return derive(lower(f.bound(x, 0, 4)))

    message = "image is read at image(x), image(2*x): reads of one tensor may differ by constants only"
    refused(build, message, 'image_2 = ImageParam(Int(8), 1, "image_2")')


def test_a_tensor_read_in_the_reduction_and_in_the_final_stage():
    def build() -> object:
        image, f, g = ImageParam(Int(8), 1, "image"), Func("f"), Func("g")
        f[x] += i32(image[x + RDom([(0, 3)])])
        g[x] = f[x] + image[x]
        return derive(lower(g.bound(x, 0, 4)))

    message = "image is read both in the reduction and in the final stage: one port cannot serve both orders"
    refused(build, message, 'image_2 = ImageParam(Int(8), 1, "image_2")')


def test_two_reads_of_a_memory_in_a_pe():
    def build(at: Var) -> object:
        image, f = ImageParam(Int(8), 1, "image"), Func("f")
        f[x] = image[x] + image[x + 1]
        f.bound(x, 0, 16).split(x, xo, xi, 4).unroll(xi)
        image.in_().compute_at(f, at)
        return derive(lower(f))

    message = "image is read 2 times in one step, but its buffer in the PEs delivers one word a cycle"
    refused(lambda: build(xi), message, "image.in_().compute_at(f, xo)")
    build(xo)


@pytest.mark.parametrize(
    ("divide", "shown", "legal"),
    [
        (lambda a: a / 3, "u(x) / 3", ("u(x) / 2", "u(x) / 4")),
        (lambda a: a % 10, "u(x) % 10", ("u(x) % 8", "u(x) % 16")),
        (lambda a: a / u[x + 1], "u(x) / u(x + 1)", ("u(x) / 2",)),
    ],
)
def test_a_division_that_is_no_shift(divide, shown, legal):
    def build() -> object:
        f = Func("f")
        f[x] = divide(u[x])
        return derive(lower(f.bound(x, 0, 4)))

    refused(build, f"{shown}: the hardware divides by constant powers of two only", *legal)


def test_more_pes_than_can_be_built():
    def build() -> object:
        f = Func("f")
        f[x] = u[x]
        return derive(lower(f.bound(x, 0, 10**6).unroll(x)))

    refused(build, "x 1000000 = 1000000 PEs; at most 65536 can be built", "unroll(x, 65536)")


def test_indices_beyond_int32():
    message = "the indices 2147483640 .. 2147483655 are not all int32"
    refused(lambda: Func("f").bound(x, 2147483640, 16), message, "(0, 16)", kind=BoundsError)
    refused(lambda: RDom([(2147483640, 16)]), message, "(0, 16)", kind=BoundsError)

    def build() -> object:
        f = Func("f")
        f[x] = u[1000000 * x]
        return lower(f.bound(x, 0, 10000))

    refused(build, "the indices 0 .. 9999000000 are not all int32", "(0, 16)", kind=BoundsError)


@pytest.mark.parametrize("pair", [(0,), (0, 1, 2), ("a", 3), 7, (0, 2.5)])
def test_bounds_that_are_no_pair_of_integers(pair):
    image = ImageParam(Int(8), 1, "a")
    refused(
        lambda: boundary.repeat_edge(image, [pair]),
        f"bounds are a min and an extent, two integers, not {pair!r}", "(0, 16)", kind=BoundsError,
    )  # fmt: skip


@pytest.mark.parametrize(("name", "legal"), [("x.y", '"x_y"'), ("1a", '"a"'), ("é", '"tensor"'), ("_x", '"x"')])
def test_names_that_no_port_can_have(name, legal):
    def build(name: str) -> object:
        image, f = ImageParam(Int(8), 1, name), Func("f")
        f[x] = image[x]
        return compile(f.bound(x, 0, 4))

    message = f"{name!r} names a memory port, so it must be ASCII letters, digits and _, a letter first"
    refused(lambda: build(name), message, legal, kind=AlgorithmError)
    build(legal.strip('"'))


def test_two_ports_whose_signals_have_one_name():
    def build() -> object:
        f = Func("u_req")
        f[x] = u[x]
        return compile(f.bound(x, 0, 4))

    message = "the signals of u_req would have the names of u's: u_req_valid"
    refused(build, message, 'Func("u_req_out")', kind=AlgorithmError)


# --- arguments of the wrong kind


def copied() -> tuple[ImageParam, Func]:
    image, f = ImageParam(Int(8), 1, "image"), Func("f")
    f[x] = image[x]
    return image, f.bound(x, 0, 8)


WRONG = {
    "split by a fraction": (lambda a, f: f.split(x, xo, xi, 2.5), "the factor 2.5 is not a positive number"),
    "unroll by a fraction": (lambda a, f: f.unroll(x, 2.5), "2.5 is not a number of iterations"),
    "unroll of one iteration": (lambda a, f: f.split(x, xo, xi, 8).unroll(xo), "xo has 1 iteration, nothing to lie"),
    "dataflow of a number": (lambda a, f: f.dataflow(3), "3 names no loop"),
    "a place in a stage": (lambda a, f: a.in_().compute_at(f.stages[0], x), "image.in_().compute_at takes the Func"),
    "a place in nothing": (lambda a, f: a.in_().compute_at(None, x), "image.in_().compute_at takes the Func"),
    "a wrapper for a name": (lambda a, f: a.in_("f"), "image.in_ takes a Func or nothing, not 'f'"),
    "a capacity of a fraction": (lambda a, f: a.in_().compute_at(f, x).capacity(2.5), "2.5 is not a positive number"),
    "accelerate without a list": (lambda a, f: f.accelerate(a), "f.accelerate takes a list of the inputs"),
    "accelerate by name": (lambda a, f: f.accelerate(["image"]), "f.accelerate takes a list of the inputs"),
    "bounds without a list": (lambda a, f: f.set_bounds(3), "f has 1 dimensions, 0 bounds are given"),
    "bounds without an extent": (lambda a, f: f.set_bounds([3]), "bounds are a min and an extent, two integers, not 3"),
    "a cast to a name": (lambda a, f: cast("int8", a[x]), "cast takes a type and an expression, not 'int8'"),
    "a domain of two words": (lambda a, f: RDom([(0, 2)], "a b"), "'a b' does not name an RDom"),
    "inputs without names": (lambda a, f: simulate(f, [1, 2]), "inputs are given by name, not as list"),
    "a ragged array": (lambda a, f: simulate(f, {"image": [[1], [1, 2]]}), "what is given for image is no array"),
    "a constant of no type": (lambda a, f: Func("g").__setitem__(x, 10**30), "is not a value of int64"),
}


@pytest.mark.parametrize("case", WRONG)
def test_arguments_of_the_wrong_kind(case):
    use, message = WRONG[case]
    with pytest.raises(HalideHWError) as caught:
        use(*copied())
    assert message in caught.value.message
    assert caught.value.source is not None


def test_numbers_of_numpy_are_numbers():
    image, f = copied()
    f.split(x, xo, xi, np.int64(4)).unroll(xi, np.int32(2))
    assert [str(directive) for _, directive in f.schedule[:2]] == ["split(x, xo, xi, 4)", "unroll(xi, 2)"]
    lower(f.accelerate([image]))


# --- on the command line, from a text

TEXT = """ImageParam a(Int(16), 2);
ImageParam b(Int(16), 2);
Var x, y;
RDom c(0, 16);
Func f;
f(x, y) += cast<int32_t>(a(c, y)) * cast<int32_t>(b(x, c));
f.bound(x, 0, 8).bound(y, 0, 4).accelerate({a, b});
"""


@pytest.mark.parametrize(
    ("line", "message", "legal"),
    [
        ("a.in().compute_at(f, y).capacity(8);", "a_in needs 16 words (16 x 1), has 8", "a.in().capacity(16)"),
        ('f.update().dataflow("C | X", 4, 4).unroll(y, 2);', "x 4 x y 2 = 8 PEs in a row of 4", '"C | X", 4, 8)'),
        ("f.check_overflow();", "needs 36 bits, has 32 (int32): 16 x (-32768 * -32768)", "Func f(Int(36), 2);"),
    ],
)
def test_the_command_line_refuses_and_leaves_nothing(line, message, legal, tmp_path):
    path, out = tmp_path / "bad.hh", tmp_path / "out"
    path.write_text(TEXT + line + "\n")
    result = CliRunner().invoke(main, ["compile", str(path), "-o", str(out)])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert message in result.stderr and legal in result.stderr
    assert f"{path}:{6 if 'overflow' in line else 8}" in result.stderr
    assert not out.exists()


def test_a_text_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "f.hh"
    path.write_text(TEXT, encoding="utf-8-sig")
    assert load(path).name == "f"
