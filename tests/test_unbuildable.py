"""What cannot be built, and arguments of the wrong kind: each is refused at the user's line."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from halidehw import (
    Func,
    ImageParam,
    Int,
    Memory,
    RDom,
    UInt,
    Var,
    cast,
    compile,
    estimate,
    i32,
    load,
    simulate,
    symbolic,
)
from halidehw.cli import main
from halidehw.errors import AlgorithmError, BoundsError, HalideHWError
from halidehw.expr.types import Type
from halidehw.frontend import boundary
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower
from tests.refused import refused

x, xo, xi = map(Var, ("x", "xo", "xi"))
u = ImageParam(UInt(8), 1, "u")


# --- what cannot be built


@pytest.mark.parametrize(
    ("port_bits", "legal"),
    [
        (4, ("port_bits=0", "port_bits=8", "port_bits=16", "port_bits=32")),
        (7, ("port_bits=0", "port_bits=8", "port_bits=16", "port_bits=32")),
        (48, ("port_bits=0", "port_bits=32", "port_bits=64")),
        (127, ("port_bits=0", "port_bits=128", "port_bits=64")),
    ],
)
def test_a_port_of_which_part_would_carry_nothing(port_bits: int, legal: tuple[str, ...]):
    def build() -> object:
        image, f = ImageParam(Int(8), 1, "image"), Func("f")
        f[x] = i32(image[x])
        return compile(f.bound(x, 0, 64).accelerate([image]), port_bits=port_bits)

    message = f"a port of {port_bits} bits: ports carry 1, 2, 4, 8 ... words, and those are of image 8, f 32 bits"
    refused(build, message, *legal)


def test_a_port_is_as_wide_as_words_outside_whatever_stages_pass_on():
    def build(inner: Type, outer: Type, port_bits: int) -> object:
        image, f, g = ImageParam(UInt(8), 1, "image"), Func("f"), Func("g")
        f[x] = cast(inner, image[x])
        g[x] = cast(outer, f[x])
        f.compute_root()
        return compile(g.bound(x, 0, 64).accelerate([image]), port_bits=port_bits)

    build(UInt(8), UInt(12), 24)
    message = "a port of 24 bits: ports carry 1, 2, 4, 8 ... words, and those are of image 8, g 8 bits"
    legal = ("port_bits=0", "port_bits=16", "port_bits=32")
    refused(lambda: build(UInt(12), UInt(8), 24), message, *legal)


def test_a_tensor_read_in_the_reduction_and_in_the_final_stage():
    def build() -> object:
        image, f, g = ImageParam(Int(8), 1, "image"), Func("f"), Func("g")
        f[x] += i32(image[x + RDom([(0, 3)])])
        g[x] = f[x] + image[x]
        return derive(lower(g.bound(x, 0, 4)))

    message = "image is read both in the reduction and in the final stage: one memory cannot serve both orders"
    refused(build, message, 'image_2 = Func("image_2")', "image_2[x] = image[x]", "image_2.compute_root()")


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
    "ports of a text": (lambda a, f: compile(f, port_bits="64"), "port_bits='64' is no number of bits"),
    "a latency of a text": (lambda a, f: compile(f, hide_latency="9"), "hide_latency='9' is no number of cycles"),
    "ports of an estimate": (lambda a, f: estimate(f, port_bits=-8), "a port of -8 bits has no width"),
    "a number for a memory": (
        lambda a, f: simulate(f, {"image": np.zeros(8, int)}, memory=3),
        "a memory is a Memory, not 3",
    ),
    "an estimate with a number": (lambda a, f: estimate(f, "table3", memory=3), "a memory is a Memory, not 3"),
    "a memory of half a cycle": (lambda a, f: Memory(2.5), "a memory latency of 2.5 cycles: it must be 1 to 1000"),
    "a memory at a text": (lambda a, f: Memory(1, "1"), "a memory that moves 1 words a cycle: it must be a number"),
    "a count that is none": (lambda a, f: symbolic(f.split(x, xo, xi, 4)).formula("w"), "w is no count of f"),
    "a ragged array": (lambda a, f: simulate(f, {"image": [[1], [1, 2]]}), "what is given for image is no array"),
    "a constant of no type": (lambda a, f: Func("g").__setitem__(x, 10**30), "is not a value of uint64"),
}


@pytest.mark.parametrize("case", WRONG)
def test_arguments_of_the_wrong_kind(case):
    use, message = WRONG[case]
    with pytest.raises(HalideHWError) as caught:
        use(*copied())
    assert message in caught.value.message
    assert caught.value.source is not None


def test_a_value_proposed_is_code():
    """Casts and typed constants of a message's text, as either language reads them."""
    r, image, f = RDom([(0, 3)], "r"), ImageParam(Int(8), 1, "image"), Func("f")
    with pytest.raises(AlgorithmError) as caught:
        f[x] = cast(UInt(5), image[x + r.x]) + (image[x] > 3)
    legal = "f[x] += (cast(UInt(5), image((x + r.x))) + cast(UInt(5), (image(x) > cast(Int(8), 3))))"
    assert caught.value.legal[0].replace(" ", "") == legal.replace(" ", "")
    exec(legal, {"f": f, "x": x, "r": r, "image": image, "cast": cast, "UInt": UInt, "Int": Int})
    assert len(f.stages) == 2


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
