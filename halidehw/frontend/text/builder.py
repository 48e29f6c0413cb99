"""A text to the design it describes: the same objects, built by the same calls, as from Python."""

from __future__ import annotations

import operator
from collections.abc import Callable

from halidehw.errors import ParseError
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.directives import Accelerate
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.frontend.text import syntax
from halidehw.frontend.text.calls import REDUCTIONS, functions
from halidehw.frontend.text.declare import declared
from halidehw.frontend.text.evaluate import Evaluator
from halidehw.frontend.text.parser import Text, syntax_of
from halidehw.frontend.text.scope import Scope, Value, call_at, describe, register

_COMPOUND: dict[str, Callable[[Value, Value], Value]] = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv,
}  # fmt: skip

_AFTER = {"in": "in().compute_at(f, x);", "update": "update().reorder(y, x);", "dim": "dim(0).set_bounds(0, 16);"}


def parse(text: str, filename: str = "<text>") -> Design:
    """The design that a text describes; `filename` is what errors and directives call it.

    Raises `ParseError` at line and column for what is not of the language, and the front end's own errors
    (`ScheduleError`, `TypeMismatch`, ...), at the line and column of what caused them.
    """
    source = Text(text, filename)
    statements = syntax_of(source)
    register(text, filename)
    scope = Scope(frozenset(functions()).difference(REDUCTIONS))
    evaluator = Evaluator(scope)
    defined: list[Func] = []
    for statement in statements:
        match statement:
            case syntax.Declare():
                scope.check_free(statement.name, statement.source)
                scope.declare(statement.name, declared(statement, evaluator), statement.source)
            case syntax.Define():
                defined.append(_defined(statement, evaluator))
            case syntax.Direct():
                _direct(statement.call, evaluator)
    if not defined:
        raise ParseError("the text defines no Func", legal=("Func f;", "f(x, y) = ...;"), source=source.end())
    return _design(defined, scope)


def _defined(node: syntax.Define, evaluator: Evaluator) -> Func:
    """The Func that a statement defines. Raises `ParseError` for a value of hundreds of operators inside each other."""
    try:
        return _define(node, evaluator)
    except RecursionError:
        legal = ("Func part;", "part(x) = ...;")
        raise ParseError("the value is nested too deeply; name parts of it", legal=legal, source=node.source) from None


def _define(node: syntax.Define, evaluator: Evaluator) -> Func:
    """`func(args) op value;`"""
    target = node.target
    func = evaluator.value(target.callee) if isinstance(target, syntax.Call) else None
    if not isinstance(target, syntax.Call) or not isinstance(func, Func):
        what = describe(evaluator.value(target) if func is None else func)
        raise ParseError(f"only a Func can be defined, not {what}", legal=("f(x, y) = ...;",), source=target.source)
    args = tuple(evaluator.operand(argument) for argument in target.arguments)
    evaluator.check_arity(func, len(args), target.source)
    value = evaluator.operand(node.value)

    def assign() -> None:
        func[args] = value if node.op == "=" else _COMPOUND[node.op](func[args], value)

    call_at(node.source, assign)
    return func


def _direct(node: syntax.Node, evaluator: Evaluator) -> None:
    """A chain of method calls, of which the last is a directive."""
    if not isinstance(node, syntax.Call) or not isinstance(node.callee, syntax.Member):
        legal = ("f(x, y) = ...;", "f.reorder(y, x);")
        raise ParseError("this is neither a definition nor a directive", legal=legal, source=node.source)
    evaluator.value(node)
    if node.callee.name in _AFTER:
        message = f"{node.callee.name} alone changes nothing; give a directive after it or remove the line"
        raise ParseError(message, legal=(_AFTER[node.callee.name],), source=node.source)


def _accelerated(value: Func | Pipeline) -> bool:
    return isinstance(value, Func) and any(isinstance(each, Accelerate) for each in value.directives)


def _design(defined: list[Func], scope: Scope) -> Design:
    """The design of the Pipeline, of the accelerated Func, or else of the last defined. Nothing defined may be left out
    of it."""
    places = {value: scope.place(name) for name, value in scope.names.items() if isinstance(value, Func | Pipeline)}
    several = any(isinstance(each, Pipeline) for each in places)
    hardware = [each for each in places if (isinstance(each, Pipeline) if several else _accelerated(each))]
    if len(hardware) > 1:
        what = " and ".join(each.name for each in hardware)
        message = f"{what} are both accelerated; it is a Pipeline that has several outputs"
        raise ParseError(message, legal=("Pipeline design({f, g});",), source=places[hardware[1]])
    output = hardware[0] if hardware else defined[-1]
    design = call_at(places[output], design_of, output)
    for func in defined:
        if func not in design.funcs:
            message = f"{func.name} is defined, but {output.name}, the design's output, does not read it; remove it"
            raise ParseError(message, source=places[func])
    return design
