"""The text language: what each construct means, and that examples say what the papers say."""

from pathlib import Path

import numpy as np
import pytest

from halidehw.errors import ParseError
from halidehw.expr import expr
from halidehw.expr.expr import Binary, Const, Expr, Var, same
from halidehw.expr.types import Bool, Int, Type, UInt
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.design import Design
from halidehw.frontend.directives import (
    Accelerate,
    Bound,
    ComputeAt,
    Dataflow,
    Reorder,
    SingleBuffer,
    Split,
    StoreAt,
    StoreRoot,
    Systolic,
    Unroll,
)
from halidehw.frontend.rdom import RDom
from halidehw.frontend.text import parse
from halidehw.frontend.text.parser import Text, syntax_of
from halidehw.reference.reference import reference

EXAMPLES = Path(__file__).parents[2] / "examples"

x, y = Var("x"), Var("y")
DECLARED = """
ImageParam a(Int(16), 2), u(UInt(8), 1);
Var x, y, xo, xi; RDom r(0, 3), s(-1, 4, 0, 2); Func f;
"""


def value(text: str, declared: str = DECLARED) -> Expr:
    """The value of `f(x, y) = text`."""
    return parse(f"{declared} f(x, y) = {text};").output.pure.value


def named(text: str) -> str:
    return str(value(text))


def scheduled(text: str) -> Design:
    return parse(f"{DECLARED} f(x, y) = a(x, y);\n{text}")


# --- expressions


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x + y * 2 - 3", "((x + (y * 2)) - 3)"),
        ("x - y - 1", "((x - y) - 1)"),
        ("(x - (y - 1)) * 2", "((x - (y - 1)) * 2)"),
        ("x << 1 + 2", str(x << 3)),
        ("x / y % 2", "((x / y) % 2)"),
        ("select(x < y == (y > 2), x, y)", "select(((x < y) == (y > 2)), x, y)"),
        ("x & y ^ x | y", "(((x & y) ^ x) | y)"),
        ("select(x < 1 || y > 2 && !(x == y), 1, 2) + x", "(select(((x < 1) || ((y > 2) && !(x == y))), 1, 2) + x)"),
        ("-x + ~y - -1", "((-x + ~y) - -1)"),
        ("min(x, y, 3) + max(x, 0x1F)", "(min(x, min(y, 3)) + max(x, 31))"),
        ("clamp(x, 0, 7) + abs(y)", str(expr.clamp(x, 0, 7) + expr.abs(y))),
    ],
)
def test_operators_bind_as_in_cpp(text: str, tree: str) -> None:
    assert named(text) == tree


@pytest.mark.parametrize(
    ("text", "number"),
    [("7 / 2", 3), ("-7 / 2", -3), ("-7 % 2", -1), ("1 << 4 | 3", 19), ("~0", -1), ("+5 ^ 1", 4), ("0xff & 15", 15)],
)
def test_arithmetic_of_numbers_is_cpps(text: str, number: int) -> None:
    assert parse(f"Var x; Func f; const int N = {text}; f(x) = N;").output.pure.value.value == number  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("cast<int8_t>(x)", Int(8)), ("cast<uint64_t>(x)", UInt(64)), ("cast<int>(a(x, y))", Int(32)),
        ("cast<bool>(x)", Bool()), ("cast(Int(12), x)", Int(12)), ("cast(UInt(3), x)", UInt(3)),
        ("saturating_cast<int8_t>(x)", Int(8)), ("saturating_cast(Int(4), x)", Int(4)), ("a(x, y)", Int(16)),
        ("cast(type_of<uint16_t>(), x)", UInt(16)), ("cast(Bool(), x)", Bool()),
    ],
)  # fmt: skip
def test_casts_and_types(text: str, kind: Type) -> None:
    assert value(text).type == kind


def test_a_number_takes_the_type_of_the_other_operand() -> None:
    found = value("a(x, y) * 3")
    assert isinstance(found, Binary) and isinstance(found.b, Const) and found.b.type == Int(16)


def test_expr_makes_a_number_an_expression() -> None:
    assert named("Expr(7) / 2") == "(7 / 2)"


def test_named_parts_and_constants() -> None:
    declared = DECLARED + "const int N = 4, M = N * 2; int K = M - 1; Expr e = x * M + K;"
    assert str(value("e + N", declared)) == "(((x * 8) + 7) + 4)"


def test_comments_and_layout_are_nothing() -> None:
    assert str(value("x /* of\n two lines */ + // one\n y")) == "(x + y)"


# --- declarations and definitions


def test_names_are_the_identifiers_unless_given() -> None:
    declared = 'Var x("i"), y{"j"}; ImageParam p(UInt(8), 2, "photo"); Func f(Int(32), 2, "out");'
    design = parse(f"{declared} f(x, y) = cast<int>(p(y, x));")
    assert design.name == "out" and design.inputs[0].name == "photo" and design.output.args == ("i", "j")


@pytest.mark.parametrize(
    "text", ["r(-2, 5, 0, 3)", "r({{-2, 5}, {0, 3}})", 'r(-2, 5, 0, 3, "r")', 'q({{-2, 5}, {0, 3}}, "r")']
)
def test_reduction_domains(text: str) -> None:
    design = parse(f"Func f; RDom {text}; f() += {text[0]}.x * {text[0]}.y;")
    domain = design.output.update().definition.domain
    assert domain is not None and domain.agrees(RDom([(-2, 5), (0, 3)], "r"))


def test_elements_of_long_domains_by_number() -> None:
    update = parse("Func f; RDom r(0, 1, 0, 1, 0, 1, 0, 1, 0, 2); f() += r[4] + r[0];").output.update()
    assert update.loops.names == ("r[4]", "r.w", "r.z", "r.y", "r.x")


def test_compound_definitions_start_from_the_neutral_value() -> None:
    design = parse("Var x; RDom r(0, 3); Func f(Int(16), 1); f(x) *= cast<int16_t>(x + r);")
    pure = design.output.pure
    assert pure.implied and isinstance(pure.value, Const) and pure.value.value == 1


@pytest.mark.parametrize(("op", "tree"), [("+=", "+"), ("-=", "-"), ("*=", "*"), ("/=", "/")])
def test_compound_definitions_after_a_pure_one(op: str, tree: str) -> None:
    design = parse(f"Var x; Func f; f(x) = x; f(x) {op} 5;")
    assert str(design.output.update().definition.value) == f"(f(x) {tree} 5)"


def test_bounds_of_an_input() -> None:
    design = parse("Var x; Func f; ImageParam a(Int(8), 1); a.dim(0).set_bounds(-1, 20); f(x) = a(x);")
    assert design.inputs[0].bounds == ((-1, 20),)


def test_boundary_conditions() -> None:
    design = parse(
        "Var x; ImageParam a(Int(8), 1); Func f; Func inside = BoundaryConditions::constant_exterior(a, 3, {{0, 16}});"
        "Func edge = BoundaryConditions::repeat_edge(a); f(x) = inside(x) + edge(x - 1);"
    )
    edge, inside = sorted((func for func in design.funcs if isinstance(func, BoundaryFunc)), key=lambda func: func.name)
    assert (inside.name, inside.boundary.value, inside.boundary.bounds) == ("inside", 3, ((0, 16),))
    assert (edge.name, edge.boundary.kind, edge.boundary.stated) == ("edge", "repeat_edge", None)


def test_the_design_is_that_of_the_accelerated_func_or_of_the_last() -> None:
    text = DECLARED + "Func g; f(x) = u(x); g(x) = f(x) + 1;"
    assert parse(text).name == "g"
    assert [func.name for func in parse(text).funcs] == ["f", "g"]
    assert parse(text + "g.accelerate({u});").name == "g"


# --- schedule


@pytest.mark.parametrize(
    ("text", "directives"),
    [
        ("split(x, xo, xi, 8).reorder(xi, y, xo)", [Split("x", "xo", "xi", 8), Reorder(("xi", "y", "xo"))]),
        ("reorder({y, x}).unroll(y, 4).systolic({y})", [Reorder(("y", "x")), Unroll("y", 4), Systolic(("y",))]),
        ("unroll(x, 4).unroll(y, 2).systolic(x, y)", [Unroll("x", 4), Unroll("y", 2), Systolic(("x", "y"))]),
        ('dataflow("y | x", 2, 4)', [Dataflow("y | x", 2, 4)]),
        ('split("x", "x.o", "x.i", 4)', [Split("x", "x.o", "x.i", 4)]),
    ],
)  # fmt: skip
def test_loop_directives(text: str, directives: list) -> None:
    assert scheduled(f"f.{text};").output.stages[0].directives == directives


def test_updates_are_stages_of_their_own() -> None:
    algorithm = "f(x) = 0; f(x) += x + r; f(x) += x + s.x * s.y;"
    stages = parse(f"{DECLARED}{algorithm} f.update().unroll(r, 3); f.update(1).reorder(s.y, s.x);").output.stages
    assert [stage.directives for stage in stages] == [[], [Unroll("r.x", 3)], [Reorder(("s.y", "s.x"))]]


def test_tile_and_fuse() -> None:
    declared = DECLARED + "Var t, yo, yi; f(x, y) = x + y;"
    long = parse(declared + "f.tile(x, y, xo, yo, xi, yi, 8, 4).fuse(xi, yi, t);").output
    assert long.stages[0].loops.names == ("yo", "xo", "t")
    assert parse(declared + "f.tile(x, y, xi, yi, 8, 4);").output.stages[0].loops.names == ("y", "x", "yi", "xi")


def test_directives_on_buffers_and_the_whole() -> None:
    text = """
    Var x, xo, xi; RDom r(0, 3); ImageParam a(Int(16), 1); Func f;
    f(x) += cast<int>(a(x + r.x));
    f.set_bounds({{0, 16}}); f.update().split(x, xo, xi, 4);
    a.in().compute_at(f, xo).single_buffer(); a.in().in().compute_at(f, xi);
    f.accelerate({a});
    """
    assert parse(text).output.directives == [
        Bound("x", 0, 16),
        ComputeAt("a", 1, "f", "xo"),
        SingleBuffer("a", 1),
        ComputeAt("a", 2, "f", "xi"),
        Accelerate(("a",)),
    ]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a.in().store_at(f, y).compute_at(f, x);", [StoreAt("a", 1, "f", "y"), ComputeAt("a", 1, "f", "x")]),
        ("a.in().store_root().compute_at(f, x);", [ComputeAt("a", 1, "f", "x"), StoreRoot("a", 1)]),
    ],
)
def test_line_buffers(text: str, kept: list) -> None:
    assert scheduled(text).output.directives == kept


def test_directives_and_definitions_bear_the_lines_of_the_text() -> None:
    output = parse("Var x, y;\nFunc f;\nf(x, y) = x;\nf.reorder(y, x)\n .unroll(x, 2);", "file.hh").output
    reorder, unroll = output.stages[0].directives
    assert reorder.source is not None and unroll.source is not None and output.pure.source is not None
    assert (reorder.source.file, reorder.source.line, reorder.source.text) == ("file.hh", 4, "f.reorder(y, x)")
    assert (unroll.source.line, output.pure.source.line) == (5, 3)


# --- examples


def test_the_worked_example_is_the_same_as_from_python() -> None:
    design = parse((EXAMPLES / "conv.hh").read_text(), "conv.hh")
    output = design.output
    assert output.update().loops.names == ("k", "yo", "xo", "yi", "xi", "r.z", "r.y", "r.x")
    xi = output.update().loops["xi"]
    assert (xi.extent, xi.lanes, xi.systolic) == (8, 4, True)
    assert [image.name for image in design.inputs] == ["input", "w"]


def test_the_matrix_product_is_numpys() -> None:
    output = parse((EXAMPLES / "gemm.hh").read_text(), "gemm.hh").output
    random = np.random.default_rng(0)
    a, b = (random.integers(-128, 128, (32, 32)).astype(np.int8) for _ in range(2))
    assert np.array_equal(reference(output, {"a": a, "b": b}), a.astype(np.int32) @ b.astype(np.int32))


def test_text_and_python_build_the_same_expression() -> None:
    design = parse(DECLARED + "f(x, y) = select(a(x, y) > 3, a(x, y) << 2, cast(Int(16), x % 5));")
    image = design.inputs[0]
    python = expr.select(image[x, y] > 3, image[x, y] << 2, expr.cast(Int(16), x % 5))
    assert same(design.output.pure.value, python)


def test_statements_that_texts_have_in_common_stand_where_each_text_has_them():
    """A statement is read once; its place is that in its own text."""
    lines = ["Var x;", "Func f;", "f(x) = x;", "f.bound(x, 0, 4);"]
    first, later = "\n".join(lines), "\n".join(["// one", "", *lines[:2], "", *lines[2:]])
    for text, places in ((first, [1, 2, 3, 4]), (later, [3, 4, 6, 7])):
        found = syntax_of(Text(text, "some.hh"))
        assert [each.source.line for each in found] == places
        assert [each.source.text for each in found] == [text.split("\n")[place - 1] for place in places]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/* Var a;\nVar b; */ Var x; Func f;\nf(x) = x;", [2, 2, 3]),
        ("Var x; Func\nf; f(x)\n= x; // one;\n// two;", [1, 2, 3]),
    ],
    ids=["comment", "statements"],
)
def test_what_goes_on_over_lines_is_read_as_one(text, lines):
    """Its lines may end with a semicolon that ends no statement, or one of several."""
    found = syntax_of(Text(text, "some.hh"))
    assert [type(each).__name__ for each in found] == ["Declare", "Declare", "Define"]
    assert [each.source.line for each in found] == lines


def test_the_place_of_an_error_is_that_in_the_whole_text():
    with pytest.raises(ParseError, match=r"expected .*';'.*, but found the end of the file") as caught:
        syntax_of(Text("Var x;\nFunc f;\nf(x) = x", "some.hh"))
    assert caught.value.source.line == 3
