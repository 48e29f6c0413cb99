"""The text language: one test for each message, with the class, the place, and what is proposed."""

import pytest

from halidehw.errors import AlgorithmError, BoundsError, HalideHWError, ParseError, ScheduleError, TypeMismatch
from halidehw.frontend.text import parse

DECLARED = "ImageParam a(Int(16), 2); Var x, y, xo, xi; RDom r(0, 3); Func f, g;\nf(x, y) = cast<int>(a(x, y));\n"


def error(text: str, kind: type[HalideHWError] = ParseError) -> HalideHWError:
    with pytest.raises(kind) as caught:
        parse(text, "file.hh")
    return caught.value


def check(found: HalideHWError, message: str, column: int, legal: str | None = None, line: int = 1) -> None:
    assert message in found.message
    assert found.source is not None
    assert (found.source.file, found.source.line, found.source.column) == ("file.hh", line, column)
    if legal is not None:
        assert legal in found.legal


SYNTAX = [
    ("Var x\nVar y;", "expected '(', ',', ';', '=' or '{', but found 'Var'", 6),
    ("f(x) = 3", "expected ';' or an operator, but found the end of the file", 9),
    ("f(x = 3;", "expected ')', ',' or an operator, but found '='", 5),
    ("f(x) = 3 +;", "expected an expression, but found ';'", 11),
    ("f(x) = y z;", "expected ';' or an operator, but found 'z'", 10),
    ("Var 3;", "expected an identifier, but found '3'", 5),
    ("f.split(x,);", "expected '{' or an expression, but found ')'", 11),
    ("x + y;", "expected '(', '+=', '.', ';', '=' or '[', but found '+'", 3),
    (");", "expected 'Func', 'ImageParam', 'Param', 'Pipeline', 'RDom', 'Var', 'const', 'int', the end"
     " of the file or an expression", 1),
    ("f(x) = @;", "the character '@' has no meaning here", 8),
    ('Var x("x);', "this string has no closing '\"' on its line", 7),
    ("Var x; /* and", "this comment has no closing '*/'", 8),
    ("f(x) = 010;", "'010' is neither a decimal integer (such as 16) nor a hexadecimal one (0x10)", 8),
    ("f(x) = 1.5.2;", "'1.5.2' is neither a decimal integer", 8),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "column"), SYNTAX)
def test_syntax(text: str, message: str, column: int) -> None:
    check(error(text), message, column)


def test_an_error_shows_the_line_and_a_caret() -> None:
    assert str(error("Var x;\n\tVar y z;")).endswith("at file.hh:2:8\n     Var y z;\n           ^")


NAMES = [
    ("Var x; f(x) = 1;", "f was never declared; declared are x", 8, None),
    ("f.unroll(x);", "f was never declared; nothing is declared before it", 1, None),
    ("Var weights; Func f; f(weight) = 1;", "weight was never declared; declared are weights, f", 24, "weights"),
    ("Var x; Func x;", "x is declared twice; it is the variable x of line 1", 13, None),
    ("Func select;", "select is a name of the language; declare another", 6, "select_"),
    ("Var x; x.split(1);", "the variable x has no method split; it has no methods", 10, None),
    ("Func f; f.slit(1);", "the Func f has no method slit; it has update, split,",
     11, "split(old, outer, inner, factor)"),
    ("Func f; f.update;", "this is neither a definition nor a directive", 11, "f.reorder(y, x);"),
    ("Func f; f(3);", "this is neither a definition nor a directive", 9, "f(x, y) = ...;"),
    ("Var x; x(3) = 1;", "only a Func can be defined, not the variable x", 8, "f(x, y) = ...;"),
    ("Var x; x = 1;", "only a Func can be defined, not the variable x", 8, "f(x, y) = ...;"),
    ("Var x;", "the text defines no Func", 1, "Func f;"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "column", "legal"), NAMES)
def test_names(text: str, message: str, column: int, legal: str | None) -> None:
    check(error(text), message, column, legal)


DECLARATIONS = [
    ("int N;", "int N has no value", 5, "int N = 16;"),
    ("Var x; int N = x;", "expected a constant number, but this is the variable x", 16, None),
    ("Var x = 3;", "Var x is not declared with '='", 5, "Var x(name);"),
    ("Var x(3);", "name of Var is a string, not the number 3", 7, "Var(name)"),
    ("ImageParam a(16, 2);", "type of ImageParam is a type such as Int(16), not the number 16", 14, None),
    ("ImageParam a(Int(16));", "ImageParam takes 2 to 3 arguments, not 1", 12, "ImageParam(type, dimensions, name)"),
    ("RDom r(0, 3, 4);", "an RDom takes a min and an extent for each dimension", 6, "RDom r(0, 5, 0, 3);"),
    ("RDom r;", "an RDom takes a min and an extent for each dimension", 6, "RDom r(0, 5, 0, 3);"),
    ("Var x; RDom r(x, 4);", "ranges of RDom is a min, an extent, a list of ranges or an input, not the variable x",
     15, None),
    ("Func f; Func g = f;", "a Func is declared with a boundary condition or alone, not with the Func f",
     14, "Func g;"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "column", "legal"), DECLARATIONS)
def test_declarations(text: str, message: str, column: int, legal: str | None) -> None:
    check(error(text), message, column, legal)


EXPRESSIONS = [
    ("f(x, y) += a(x);", "the ImageParam a has 2 dimensions, but 1 index is given", 12, "a(x, y)"),
    ("f(x) += 1;", "the Func f has 2 dimensions, but 1 index is given", 1, "f(x, y)"),
    ("f(x, y) += 3 + a;", "expected an expression, but this is the ImageParam a", 16, "a(x, y)"),
    ("f(x, y) += x(3);", "the variable x cannot be called", 12, None),
    ("f(x, y) += clamp(x);", "clamp takes 3 arguments, not 1", 12, "clamp(value, low, high)"),
    ("f(x, y) += select(x, y);", "select takes at least 3 arguments, not 2", 12, "select(condition, a, b, rest, ...)"),
    ("f(x, y) += min;", "min is called with arguments", 12, "min(a, b, rest, ...)"),
    ("f(x, y) += cast<int>;", "cast<int> is called with arguments", 12, None),
    ("f(x, y) += cast(3, x);", "type of cast is a type such as Int(16), not the number 3", 17, None),
    ("f(x, y) += cast<int33_t>(x);", "int33_t is not an integer type", 12, "cast(Int(12), ...)"),
    ("f(x, y) += cast<int>(Int(3));", "value of cast is an expression, not the type int3", 22, None),
    ("f(x, y) += type_of<int>(3);", "type_of takes no argument", 12, "type_of<int16_t>()"),
    ("f(x, y) += 1 < 2;", "< compares two constants", 14, "Expr(1) < 2"),
    ("f(x, y) += !1;", "! is for conditions, not for numbers", 12, "Expr(1) == 0"),
    ("f(x, y) += 7 / 0;", "7 / 0 has no value", 14, None),
    ("f(x, y) += 7 << 64;", "7 << 64 has no value", 14, None),
    ("f(x, y) += x.y;", "x.y is not a value of its own", 14, None),
    ("f(x, y) += f.update;", "f.update is not a value of its own", 14, "update(index)"),
    ("f(x, y) += r.q;", "r.q is no variable of an RDom", 14, "r.x"),
    ("f(x, y) += a[0];", "only an RDom and a Tuple have elements in brackets, not the ImageParam a", 12, "input(x, y)"),
    ("f(x, y) += B::edge(a)(x, y);", "B::edge is not known", 12, "BoundaryConditions::repeat_edge(source, bounds)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "column", "legal"), EXPRESSIONS)
def test_expressions(text: str, message: str, column: int, legal: str | None) -> None:
    check(error(DECLARED + text), message, column, legal, line=3)


DIRECTIVES = [
    ("f.split(x, xo, xi);", "split takes 4 arguments, not 3", 3, "split(old, outer, inner, factor)"),
    ("f.split(x, xo, xi, y);", "factor of split is a number, not the variable y", 20, None),
    ("f.split(x, xo, 8, xi);", "inner of split is a loop variable, not the number 8", 16, None),
    ("f.reorder({y, a});", "vars of reorder is a loop variable, not the ImageParam a", 11, "reorder(vars, ...)"),
    ("f.tile(x, y, xo);", "tile takes 8 or 6 arguments, not 3", 3, "tile(x, y, xi, yi, xfactor, yfactor)"),
    ("f.dataflow(x);", "text of dataflow is a string, not the variable x", 12, None),
    ("f.bound(x, 0);", "bound takes 3 arguments, not 2", 3, "bound(var, min, extent)"),
    ("f.set_bounds({0, 16});", "ranges of set_bounds is a list of ranges such as {{0, 16}, {0, 3}}", 14, None),
    ("f.accelerate({x});", "inputs of accelerate is an ImageParam, a Param or a Func, not the variable x", 14, None),
    ("a.in().compute_at(a, x);", "consumer of compute_at is a Func, not the ImageParam a", 19, None),
    ("f.compute_at(f, r[0] + 1);", "var of compute_at is a loop variable, not the expression (r.x + 1)", 22, None),
    ("a.split(x, xo, xi, 8);", "the ImageParam a has no method split; it has in, dim", 3, None),
    ("a.in().dim(0);", "a wrapper has no method dim; it has in, compute_at, store_at, store_root", 8, None),
    ("a.in();", "in alone changes nothing; give a directive after it or remove the line", 3, "in().compute_at(f, x);"),
    ("f(x, y) += 1; f.update();", "update alone changes nothing", 17, "update().reorder(y, x);"),
    ("a.dim(0);", "dim alone changes nothing", 3, "dim(0).set_bounds(0, 16);"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "column", "legal"), DIRECTIVES)
def test_directives(text: str, message: str, column: int, legal: str | None) -> None:
    check(error(DECLARED + text), message, column, legal, line=3)


RAISED_BY_THE_FRONT_END = [
    ("f.split(xo, xi, x, 8);", ScheduleError, "xo is not a loop of f", 3, "split(x, xi, x, 8)"),
    ("f.split(x, xo, xi, 0);", ScheduleError, "the factor 0 is not a positive number", 3, "split(x, xo, xi, 8)"),
    ("f.unroll(x, 4)\n.unroll(x, 2);", ScheduleError, "loop x is already unrolled by 4", 2, None),
    ("f.accelerate({});", ScheduleError, "it leaves out a", 3, "f.accelerate({a})"),
    ("f.update().unroll(x);", ScheduleError, "f has no update 0; it has 0", 3, None),
    ("f(x, y) = a(x, y);", TypeMismatch, "f is int32, but the value assigned to it is int16",
     9, "cast(Int(32), a(x, y))"),
    ("f(x, y) += g(x, y);", AlgorithmError, "g is used before it is defined", 9, "g(x, y) = ..."),
    ("f(x, y) += r.z;", AlgorithmError, "RDom r has no dimension 2; it has 1", 14, "r.x"),
    ("f(x, y) += cast(Int(65), x);", TypeMismatch, "Int(65) is not a type", 17, "Int(16)"),
    ("f.set_bounds({{0, 4}});", BoundsError, "f has 2 dimensions, 1 bounds are given",
     3, "f.set_bounds({{0, 16}, {0, 16}})"),
    ("RDom q(0, 0);", BoundsError, "dimension 0 of RDom q has extent 0", 6, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "message", "column", "legal"), RAISED_BY_THE_FRONT_END)
def test_errors_of_the_front_end_bear_the_texts_place(
    text: str, kind: type[HalideHWError], message: str, column: int, legal: str | None
) -> None:
    found = error(DECLARED + text, kind)
    assert type(found) is kind
    check(found, message, column, legal, line=3 + text.count("\n"))


def test_two_accelerated_funcs() -> None:
    declared = "Var x; Func f, g; ImageParam a(Int(16), 1);"
    text = f"{declared} f(x) = a(x); g(x) = f(x); f.accelerate({{a}}); g.accelerate({{a}});"
    check(error(text), "f and g are both accelerated; it is a Pipeline that has several outputs", 16)


def test_a_func_that_the_output_does_not_read() -> None:
    text = "Var x; Func f, g; f(x) = x; g(x) = x;"
    check(error(text), "f is defined, but g, the design's output, does not read it; remove it", 13)


def test_two_tensors_of_one_name() -> None:
    text = 'Var x; Func f; ImageParam a(Int(16), 1), b(Int(16), 1, "a"); f(x) = a(x) + b(x);'
    assert "are named a" in error(text, AlgorithmError).message


@pytest.mark.parametrize("line", ['#include "Halide.h"', "using namespace Halide;", "int main() {"])
def test_what_cpp_has_around_a_program(line):
    with pytest.raises(ParseError, match="a design is the statements alone; delete the lines of #include") as error:
        parse(f"{line}\nVar x; Func f; f(x) = x;")
    assert error.value.source is not None
    assert (error.value.source.line, error.value.source.text) == (1, line)


def test_a_statement_that_other_texts_have_too_is_shown_where_it_stands_in_each():
    wrong = "f.split(z, xo, xi, 4);"
    for lines in (0, 3):
        found = [error(DECLARED + "//\n" * lines + wrong, HalideHWError) for _ in range(2)]
        assert {(each.source.line, each.source.column, each.source.text) for each in found} == {(3 + lines, 9, wrong)}
    with pytest.raises(HalideHWError) as caught:
        parse(DECLARED + wrong, "other.hh")
    assert caught.value.source.file == "other.hh"
