"""Any design, written as text, parses back to the same design."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halidehw.errors import HalideHWError
from halidehw.expr import expr, intrinsics
from halidehw.expr.expr import Expr, Var
from halidehw.expr.types import Int, UInt
from halidehw.frontend import boundary
from halidehw.frontend.definition import access
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.func import Func
from halidehw.frontend.load import load
from halidehw.frontend.params import ImageParam
from halidehw.frontend.rdom import RDom
from halidehw.frontend.text import parse, write

# --- the same design: its structure as plain values, tensors by name


def structure(value: Any) -> Any:
    match value:
        case Func() | ImageParam():
            return type(value).__name__, value.name
        case RDom():
            return value.name, value.ranges
        case Expr():
            return type(value).__name__, *(structure(getattr(value, each.name)) for each in fields(value))
        case tuple():
            return tuple(map(structure, value))
    return value


def whole(design: Design) -> Any:
    return (
        design.name,
        [(image.name, image.type, image.bounds) for image in design.inputs],
        [(func.name, func.type, func.dimensions, algorithm(func), func.bounds, func.schedule) for func in design.funcs],
    )


def algorithm(func: Func) -> Any:
    outside = getattr(func, "boundary", None)
    definitions = [stage.definition for stage in func.stages]
    return (
        [structure((each.args, each.value, each.domain, each.implied)) for each in definitions],
        outside and (outside.kind, structure(outside.source), outside.value, outside.stated),
    )


def check(design: Design) -> None:
    text = write(design)
    again = parse(text)
    assert whole(again) == whole(design), text
    assert write(again) == text


# --- random designs

types = st.sampled_from([Int(8), Int(16), Int(32), UInt(8), Int(64), UInt(64), UInt(1), Int(5), UInt(12)])
x, y = Var("x"), Var("y")


@st.composite
def values(draw: st.DrawFn, leaves: list[Expr], depth: int = 2) -> Expr:
    """An expression over the leaves; an operator that their types do not allow leaves one of the operands."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        kind = draw(types)
        constants = st.integers(kind.min, kind.max).map(lambda value: expr.constant(kind, value))
        return draw(st.sampled_from(leaves) | constants)
    a, b, c = (draw(values(leaves, depth - 1)) for _ in range(3))
    number, kind = draw(st.integers(-9, 9)), draw(types)
    condition = a < b
    made = [
        lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / b, lambda: a % b, lambda: a << b, lambda: a >> b,
        lambda: a & b, lambda: a | b, lambda: a ^ b, lambda: a == b, lambda: a >= b, lambda: -a, lambda: ~a,
        lambda: a + number, lambda: number - a, lambda: a << number, lambda: number % a, lambda: a & number,
        lambda: expr.cast(kind, a), lambda: expr.saturating_cast(kind, a), lambda: expr.abs(a),
        lambda: expr.min(a, b, c), lambda: expr.max(a, number), lambda: expr.clamp(a, -3, number),
        lambda: expr.select(condition, b, b + 1), lambda: expr.select(condition, c, number),
        lambda: expr.logical_not(condition),
        lambda: expr.logical_or(condition, expr.logical_and(a != c, b > c)),
        lambda: intrinsics.absd(a, b), lambda: intrinsics.mul_shift_right(a, b, expr.cast(UInt(16), c)),
    ]  # fmt: skip
    with suppress(HalideHWError):
        return draw(st.sampled_from(made))()
    return a


def at(func: Func, *args: Expr) -> Expr:
    return access(func, func.dimensions, func.type, args)


@st.composite
def algorithms(draw: st.DrawFn) -> Func:
    """A Func with a few updates, reading an input inside a boundary, another input, and a Func that reads it."""
    pairs = st.tuples(st.integers(-9, 9), st.integers(1, 9))
    kind = draw(types)
    names = draw(st.permutations(["a", "f", "in", "select", "r", "x", "Var", "int"]))
    first, second = ImageParam(draw(types), 2, names[0]), ImageParam(kind, 1, names[1])
    if draw(st.booleans()):
        first.dim(1).set_bounds(*draw(pairs))
    edge = boundary.repeat_edge(first, draw(st.none() | st.lists(pairs, min_size=2, max_size=2)))
    outside = boundary.constant_exterior(second, 0 if kind.min == 0 else -1, [draw(pairs)])
    helper = Func(names[2])
    helper[x] = draw(values([x, second[x], at(outside, x + 1)]))
    output = Func(kind, 2, names[3])
    leaves: list[Expr] = [x, y, first[y, x], at(edge, x, expr.cast(Int(32), draw(values([x, y], 1)))), at(helper, x)]
    if draw(st.booleans()):
        output[x, y] = expr.cast(kind, draw(values(leaves)))
    for _ in range(draw(st.integers(0 if output.defined else 1, 2))):
        r = RDom(draw(st.lists(pairs, min_size=1, max_size=5)), draw(st.sampled_from(["r", "s", "x"])))
        more = expr.cast(kind, draw(values([*leaves, *r.vars])))
        if not output.defined or draw(st.booleans()):
            output[x, y] += more
            continue
        with suppress(HalideHWError):  # y is no variable of such an update
            output[x, r[0]] = expr.cast(kind, output[x, r[0]] * draw(st.integers(0, 1)) - more)
    return output


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """An algorithm under whatever directives, of those tried, are legal: on loops first, then on buffers."""
    output = draw(algorithms())
    design = design_of(output)
    funcs = [func for func in design.funcs if func.stages]
    for count in range(draw(st.integers(0, 8))):
        on_loops(draw, draw(st.sampled_from(funcs)), count)
    for _ in range(draw(st.integers(0, 6))):
        on_buffers(draw, draw(st.sampled_from(funcs)), design)
    return design


def on_loops(draw: st.DrawFn, func: Func, count: int) -> None:
    stage = draw(st.sampled_from(func.stages))
    one, two = (draw(st.sampled_from(stage.loops.names)) for _ in range(2))
    new, factor = draw(st.sampled_from([f"t{count}", f"t.{count}", "f"])), draw(st.integers(2, 5))
    tried: list[Callable[[], object]] = [
        lambda: stage.split(one, new, f"{new}i", factor),
        lambda: stage.split(one, one, f"{one}i", factor),
        lambda: stage.reorder(one, two),
        lambda: stage.fuse(one, two, new),
        lambda: stage.unroll(one),
        lambda: stage.unroll(one, factor),
        lambda: stage.unroll(one, factor).systolic(one),
        lambda: stage.tile(one, two, f"{new}a", f"{new}b", f"{new}c", f"{new}d", 2, factor),
        lambda: stage.dataflow(f"{one} | {two}", 2, factor),
        lambda: func.bound(func.args[0], -1, 8),
    ]
    with suppress(HalideHWError):
        draw(st.sampled_from(tried))()


def on_buffers(draw: st.DrawFn, func: Func, design: Design) -> None:
    tensor: Any = draw(st.sampled_from([*design.inputs, *design.funcs]))
    names = draw(st.sampled_from(func.stages)).loops.names
    one, two = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    tried: list[Callable[[], object]] = [
        lambda: tensor.in_().compute_at(func, one),
        lambda: tensor.in_().in_().compute_at(func, two).single_buffer(),
        lambda: tensor.in_(func).compute_at(func, one).capacity(draw(st.integers(1, 99))),
        lambda: tensor.in_(func).compute_at(func, one).ring_buffer(draw(st.integers(1, 4))),
        lambda: tensor.in_().vectorize(draw(st.integers(1, 9))),
        lambda: tensor.in_().single_port().reorder_storage(1, 0).align_storage(0, draw(st.integers(1, 9))),
        lambda: tensor.compute_root().reorder_storage(*tensor.args).align_storage(tensor.args[0], 4).single_port()
        if isinstance(tensor, Func) else None,
        lambda: func.check_overflow(),
        lambda: tensor.in_(func).store_at(func, two),
        lambda: tensor.in_(func).store_root().compute_at(func, two),
        lambda: tensor.compute_at(func, one) if isinstance(tensor, Func) else None,
        lambda: func.compute_root(),
        lambda: func.bound(func.args[-1], 0, 8),
        lambda: design.output.accelerate(design.inputs),
    ]
    with suppress(HalideHWError):
        draw(st.sampled_from(tried))()


@given(designs())
@settings(max_examples=100)
def test_written_and_parsed_it_is_the_same(design: Design) -> None:
    check(design)


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.hh")), ids=lambda path: path.name)
def test_examples(path: Path) -> None:
    check(load(path))


def test_a_bound_that_a_whole_unroll_needs_stays_before_it() -> None:
    image, output = ImageParam(Int(16), 1, "a"), Func("f")
    output[x] = image[x]
    image.in_().compute_at(output, x)
    output.bound(x, 0, 4)
    output.unroll(x)
    check(design_of(output))
    assert write(design_of(output)).endswith("a.in().compute_at(f, x);\nf.bound(x, 0, 4).unroll(x);\n")


def test_a_tensor_with_buffers_in_two_funcs_has_a_wrapper_in_each() -> None:
    image, first, second = ImageParam(Int(16), 1, "a"), Func("f"), Func("g")
    first[x] = image[x]
    second[x] = first[x] + image[x]
    image.in_(first).compute_at(first, x)
    image.in_(second).compute_at(second, x)
    check(design_of(second))
    assert "a.in(f).compute_at(f, x);" in write(design_of(second))


def test_a_buffer_in_a_loop_of_a_later_stage_stays_behind_it() -> None:
    """Though a bound that a whole unroll of the first stage needs was stated after it."""
    image, output, r = ImageParam(Int(16), 1, "a"), Func("f"), RDom([(0, 4)], "r")
    output[x] = expr.cast(Int(16), 0)
    output[x] += image[x + r]
    output.update().split(x, x, "xi", 2)
    image.in_().compute_at(output, "xi")
    output.bound(x, 0, 4)
    output.unroll(x)
    check(design_of(output))


def test_a_buffer_in_a_loop_that_a_later_bound_has_no_part_in() -> None:
    image, output = ImageParam(Int(16), 2, "a"), Func("f")
    output[x, y] = image[x, y]
    output.bound(x, 0, 4).unroll(x)
    output.split(y, y, "yi", 2)
    image.in_().compute_at(output, "yi")
    output.bound(y, 0, 8)
    check(design_of(output))


def test_operands_of_two_signs_are_written_as_they_were_given() -> None:
    """Of a function that takes a wider amount: their common type is narrower, and nobody wrote either."""
    a, b, by = ImageParam(Int(8), 1, "a"), ImageParam(UInt(8), 1, "b"), ImageParam(UInt(16), 1, "by")
    output = Func("f")
    output[x] = intrinsics.mul_shift_right(a[x], b[x], by[x])
    check(design_of(output))
    assert "f(x) = mul_shift_right(a(x), b(x), by(x));" in write(design_of(output))
