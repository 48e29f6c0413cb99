import numpy as np
import pytest

import halidehw as hl
from halidehw.errors import AlgorithmError, TypeMismatch
from halidehw.expr.expr import Const, Variable, as_expr, nodes, same, transform
from halidehw.expr.tree import children, rebuild

x, y = hl.Var("x"), hl.Var("y")
NARROW, BYTE = hl.i16(x), hl.u8(y)


@pytest.mark.parametrize(
    "expr, kind, text",
    [
        (x + 1, hl.Int(32), "(x + 1)"),
        (1 - x, hl.Int(32), "(1 - x)"),
        (BYTE * 3, hl.UInt(8), "(uint8(y) * uint8(3))"),
        (NARROW + BYTE, hl.Int(16), "(int16(x) + int16(uint8(y)))"),
        (NARROW / BYTE, hl.Int(16), "(int16(x) / int16(uint8(y)))"),
        (x // 2, hl.Int(32), "(x / 2)"),
        (-BYTE, hl.UInt(8), "-uint8(y)"),
        (~BYTE, hl.UInt(8), "~uint8(y)"),
        (NARROW << 3, hl.Int(16), "(int16(x) << uint16(3))"),
        (NARROW >> -3, hl.Int(16), "(int16(x) << uint16(3))"),
        (BYTE >> NARROW, hl.UInt(16), "(uint16(uint8(y)) >> int16(x))"),
        (1 << BYTE, hl.Int(32), "(1 << uint32(uint8(y)))"),
        (x > 3, hl.Bool(), "(x > 3)"),
        ((x > 3) & (y > 3), hl.Bool(), "((x > 3) & (y > 3))"),
        (x + (1 << 40), hl.Int(64), "(int64(x) + int64(1099511627776))"),
        (hl.abs(NARROW), hl.UInt(16), "abs(int16(x))"),
        (hl.abs(BYTE), hl.UInt(8), "uint8(y)"),
        (hl.min(BYTE, 1), hl.Int(32), "min(int32(uint8(y)), 1)"),
        (hl.max(x, y, 3), hl.Int(32), "max(x, max(y, 3))"),
        (hl.clamp(NARROW, 0, 7), hl.Int(16), "max(min(int16(x), int16(7)), int16(0))"),
        (hl.saturating_cast(hl.UInt(4), NARROW), hl.UInt(4), "uint4(max(min(int16(x), int16(15)), int16(0)))"),
        (hl.saturating_cast(hl.Int(32), BYTE), hl.Int(32), "int32(uint8(y))"),
        (hl.select(x > 3, BYTE, 1), hl.UInt(8), "select((x > 3), uint8(y), uint8(1))"),
        (hl.select(x > 3, 1, x > 2, 2, 3), hl.Int(32), "select((x > 3), 1, select((x > 2), 2, 3))"),
        (hl.cast(hl.Int(11), x), hl.Int(11), "int11(x)"),
        (hl.logical_and(x > 3, hl.logical_not(y > 3)), hl.Bool(), "((x > 3) && !(y > 3))"),
        (hl.logical_or(x > 3, y != 3), hl.Bool(), "((x > 3) || (y != 3))"),
    ],
)
def test_types_and_text(expr, kind, text):
    assert (expr.type, str(expr)) == (kind, text)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: BYTE + 300, "the constant 300 is not a value of uint8, which holds 0 .. 255"),
        (lambda: BYTE & NARROW, r"mixes uint8 and int16: both must be signed or both unsigned"),
        (lambda: NARROW << 70000, "the constant 70000 is not a value of uint16"),
        (lambda: x + "1", r"'1' \(str\) is not an integer expression"),
        (lambda: hl.max(x, (1, NARROW)), r"\(1, cast\(Int\(16\), x\)\) is 2 values where there is one"),
        (lambda: hl.select(x, 1, 2), "select on x, which is int32, not bool"),
        (lambda: hl.select(x > 0, BYTE, NARROW), "select between uint8.y. of type uint8 and int16.x. of type int16"),
        (lambda: hl.select(x > 0, BYTE, 256), "the constant 256 is not a value of uint8"),
        (lambda: hl.clamp(BYTE, 0, 300), "clamp of uint8.y., which is uint8, to 300"),
        (lambda: hl.clamp(BYTE, NARROW, 3), "clamp of uint8.y., which is uint8, to int16.x."),
        (lambda: hl.logical_and(x, y > 0), "x is int32, not a condition"),
    ],
)
def test_types_that_do_not_match(make, message):
    with pytest.raises(TypeMismatch, match=message):
        make()


def test_several_values_instead_of_one_have_no_substitute():
    with pytest.raises(TypeMismatch) as error:
        hl.cast(hl.Int(16), (1, 2))
    assert error.value.legal == ()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: bool(x > 3), r"\(x > 3\) has no truth value while the algorithm is being built"),
        (lambda: 0 < x < 3, "has no truth value"),
        (lambda: hl.select(x > 0, 1), "select takes conditions with a value each and one last value, not 2 arguments"),
        (lambda: hl.min(x), "min takes at least two arguments"),
        (lambda: hl.Var("not a name"), "'not a name' does not name a Var: a name is an identifier"),
    ],
)
def test_expressions_that_are_not_well_formed(make, message):
    with pytest.raises(AlgorithmError, match=message):
        make()


def test_errors_show_the_users_line():
    with pytest.raises(TypeMismatch) as caught:
        BYTE + 300
    assert caught.value.source.text == "BYTE + 300"


def test_walking_and_rewriting():
    expr = hl.select(x > 3, x + y, y)
    assert [str(part) for part in children(expr)] == ["(x > 3)", "(x + y)", "y"]
    assert sum(isinstance(node, Variable) for node in nodes(expr)) == 2
    assert rebuild(expr, children(expr)) is expr
    swapped = transform(expr, lambda node: Const(node.type, 7) if isinstance(node, Variable) and node is y else node)
    assert str(swapped) == "select((x > 3), (x + 7), 7)"


def test_same_compares_structure_types_and_targets():
    f, g = hl.ImageParam(hl.Int(16), 1, "f"), hl.ImageParam(hl.Int(16), 1, "f")
    assert same(f[x + 1] + x, f[hl.Var("x") + 1] + x)
    assert not same(f[x], g[x])
    assert not same(x + 1, x + 2)
    assert not same(x + y, x - y)
    assert not same(hl.i8(x), hl.u8(x))


def test_constants_of_64_bits():
    """Above 2**63 they are uint64, alone or beside an operand of that type; int32 has no such values."""
    word, number = hl.ImageParam(hl.UInt(64), 1, "word"), hl.ImageParam(hl.Int(32), 1, "number")
    x, f = hl.Var("x"), hl.Func("f")
    assert as_expr(2**64 - 1).type == hl.UInt(64)
    f[x] = (word[x] ^ (2**64 - 1)) + hl.cast(hl.UInt(64), 2**63)
    word.set(hl.Buffer(np.array([0, 5, 2**63], np.uint64)))
    assert np.asarray(f.realize([3])).tolist() == [2**63 - 1, 2**63 - 6, 2**64 - 1]
    with pytest.raises(TypeMismatch, match="the constant 9223372036854775808 is not a value of int32"):
        number[x] + 2**63


BOUND, FUNC = hl.ImageParam(hl.Int(8), 1, "b"), hl.Func("f")
FLAT = hl.ImageParam(hl.Int(8), 0, "flat")
FUNC[x, y] = x + y


@pytest.mark.parametrize(
    ("make", "message", "legal"),
    [
        (lambda: np.maximum(BOUND[x], 3), "np.maximum computes with arrays", ("hl.max(b(x), 3)",)),
        (lambda: np.minimum(BOUND[x] + 1, y), "np.minimum", ("hl.min((b(x) + hl.cast(hl.Int(8), 1)), y)",)),
        (lambda: np.abs(BOUND[x]), "np.absolute", ("hl.abs(b(x))",)),
        (lambda: np.sqrt(BOUND[x]), "np.sqrt", ()),
        (lambda: max(BOUND[x], y), "has no truth value", ("hl.max(hl.cast(hl.Int(32), b(x)), y)",)),
        (lambda: min(BOUND[x], y), "has no truth value", ("hl.min(hl.cast(hl.Int(32), b(x)), y)",)),
        (lambda: 1 if hl.max(x, y) > 3 else 2, "has no truth value",
         ("hl.select((hl.max(x, y) > 3), ..., ...)", "(hl.max(x, y) > 3) & (...)")),
        (lambda: max(BOUND[x], 3), "has no truth value", ("hl.max(hl.cast(hl.Int(8), 3), b(x))",)),
        (lambda: np.maximum(FUNC, 3), "f is no value; it has one at each point", ("f[x, y]",)),
        (lambda: np.sum(FUNC), "f is no value", ("f[x, y]",)),
        (lambda: 3 + FUNC, "f is no value", ("f[x, y]",)),
        (lambda: FUNC > 3, "f is no value", ("f[x, y]",)),
        (lambda: list(FUNC), "f is no value", ("f[x, y]",)),
        (lambda: hl.u8(FUNC), "f is no value", ("f[x, y]",)),
        (lambda: hl.max(BOUND, 3), "b is no value", ("b[x]",)),
        (lambda: abs(FLAT), "flat is no value", ("flat[()]",)),
        (lambda: [1, 2, 3][BOUND[x]], r"b\(x\) is no number while the algorithm is being built; what it chooses from",
         ('hl.Buffer(array, "table")[b(x)]', "hl.mux(b(x), [1, 2, 3])")),
        (lambda: range(x), "x is no number", ('hl.Buffer(array, "table")[x]', "hl.mux(x, [1, 2, 3])")),
        (lambda: x and y, "x has no truth value", ("hl.select((x != 0), ..., ...)", "(x != 0) & (...)")),
    ],
)  # fmt: skip
def test_numpy_and_python_cannot_decide(make, message, legal):
    with pytest.raises(AlgorithmError, match=message) as caught:
        make()
    assert caught.value.legal == legal
    for line in legal[:1]:
        shown = {"hl": hl, "x": x, "y": y, "b": BOUND, "f": FUNC, "flat": FLAT, "array": np.arange(4)}
        assert isinstance(eval(line.replace("...", "0"), shown), hl.Expr)


def test_a_number_of_numpys_beside_an_expression():
    assert str(np.int16(3) - NARROW) == str(3 - NARROW)
    assert str(np.int8(3) < NARROW) == str(NARROW > 3)
    assert str(np.uint8(3) << NARROW) == str(3 << NARROW)


@pytest.mark.parametrize("make", [lambda: np.zeros(3) + BOUND[x], lambda: x * np.arange(3), lambda: hl.u8(np.ones(3))])
def test_an_array_is_no_value(make):
    with pytest.raises(TypeMismatch, match=r"an array of shape \(3,\) is no value") as caught:
        make()
    assert caught.value.legal == ('table = hl.Buffer(array, "table")', "table[x]")


@pytest.mark.parametrize(
    ("before", "legal"),
    [
        ("import halidehw as hl", "hl.cast(hl.Int(32), 1) << x"),
        ("import halidehw", "halidehw.cast(halidehw.Int(32), 1) << x"),
        ("from halidehw import *", "cast(Int(32), 1) << x"),
        ("from halidehw import Var", "cast(Int(32), 1) << x"),
    ],
)
def test_advice_names_functions_as_the_program_does(before, legal):
    program = {"x": x}
    exec(compile(before, "program.py", "exec"), program)
    with pytest.raises(TypeMismatch, match="only a constant can be an exponent") as caught:
        exec(compile("2 ** x", "program.py", "exec"), program)
    assert caught.value.legal == (legal,)
