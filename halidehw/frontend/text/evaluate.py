"""What a written expression stands for: a number computed as C++ does, or an object of the Python front end."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial

from halidehw.errors import AlgorithmError, ParseError, SourceLine
from halidehw.expr import expr
from halidehw.expr.nodes import SYMBOL, Expr, Operators, binary, bitwise, shift
from halidehw.expr.tuples import Tuple
from halidehw.frontend.absent import Helpful, absent_method
from halidehw.frontend.directives import MemoryType
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.frontend.rdom import RDom
from halidehw.frontend.scalar import Param
from halidehw.frontend.text import syntax
from halidehw.frontend.text.calls import element_type, functions, methods
from halidehw.frontend.text.scope import Scope, Value, call_at, describe
from halidehw.frontend.text.signature import Signature, choose


def _quotient(a: int, b: int) -> int:
    """C++'s division, towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_NUMBERS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "/": _quotient, "%": lambda a, b: a - b * _quotient(a, b),
}  # fmt: skip

_BUILD: dict[str, Callable[..., Expr]] = {
    **{op: partial(binary, op) for op in ("add", "sub", "mul", "div", "mod", "eq", "ne", "lt", "le", "gt", "ge")},
    **{op: partial(bitwise, op) for op in ("and", "or", "xor")},
    **{op: partial(shift, op) for op in ("shl", "shr")},
    "land": expr.logical_and,
    "lor": expr.logical_or,
}
_BINARY = {SYMBOL[op]: build for op, build in _BUILD.items()}

_UNARY: dict[str, Callable[..., Value]] = {
    "-": operator.neg, "~": operator.invert, "+": operator.pos, "!": expr.logical_not,
}  # fmt: skip


@dataclass(frozen=True)
class Evaluator:
    """Evaluates syntax in a scope. Raises `ParseError`, and the front end's errors, at the place in the text."""

    scope: Scope

    def value(self, node: syntax.Node) -> Value:
        match node:
            case syntax.Number(value=value):
                return value
            case syntax.String(text=text):
                return text
            case syntax.Name():
                return self._name(node)
            case syntax.Braces(items=items):
                return [self.value(item) for item in items]
            case syntax.Member():
                return self._member(node)
            case syntax.Subscript(of=of, index=index):
                return self._element(of, self.integer(index), node.source)
            case syntax.Call():
                return self._call(node)
            case syntax.Unary(op=op, a=a):
                return self._unary(op, self.operand(a), node.source)
            case syntax.Binary():
                return self._chain(node)
        raise ParseError(f"{_written(node)} is called with arguments", source=node.source)

    def operand(self, node: syntax.Node) -> Value:
        """An int or an expression. Raises `ParseError` for anything else."""
        value = self.value(node)
        if not isinstance(value, int | float | Operators):
            legal = (f"{_written(node)}({', '.join('xyzw'[: _dimensions(value)])})",) if _dimensions(value) else ()
            raise ParseError(f"expected an expression, but this is {describe(value)}", legal=legal, source=node.source)
        return value

    def integer(self, node: syntax.Node) -> int:
        """A constant. Raises `ParseError` for anything else."""
        value = self.value(node)
        if not isinstance(value, int):
            raise ParseError(f"expected a constant number, but this is {describe(value)}", source=node.source)
        return value

    def apply(self, ways: Sequence[Signature], nodes: Sequence[syntax.Node], source: SourceLine, *of: Value) -> Value:
        """Calls the way, of several of one name, that takes as many arguments as are given."""
        values, sources = [self.value(node) for node in nodes], [node.source for node in nodes]
        way = choose(ways, len(values), source)
        return call_at(source, way.function, *of, *way.bind(values, sources))

    def _name(self, node: syntax.Name) -> Value:
        if node.name in self.scope.names:
            return self.scope.names[node.name]
        kind, _, member = node.name.partition("::")
        if kind == "MemoryType" and member in MemoryType.__members__:
            return MemoryType[member]
        if node.name in functions():
            legal = (str(functions()[node.name]),)
            raise ParseError(f"{node.name} is called with arguments", legal=legal, source=node.source)
        return self.scope[node]

    def _member(self, node: syntax.Member) -> Value:
        if not isinstance(self.value(node.of), RDom):
            known = [str(way) for way in methods(self.value(node.of)) if way.name == node.name]
            raise ParseError(f"{_written(node)} is not a value of its own", legal=known, source=node.source)
        place = "xyzw".find(node.name)
        if len(node.name) != 1 or place < 0:
            legal = tuple(map(str, self.value(node.of).vars))
            raise ParseError(f"{_written(node)} is no variable of an RDom", legal=legal, source=node.source)
        return self._element(node.of, place, node.source)

    def _element(self, of: syntax.Node, place: int, source: SourceLine) -> Value:
        domain = self.value(of)
        if not isinstance(domain, RDom | Tuple):
            message = f"only an RDom and a Tuple have elements in brackets, not {describe(domain)}"
            raise ParseError(message, legal=("r[0]", "input(x, y)"), source=source)
        return call_at(source, lambda: domain[place])

    def _call(self, node: syntax.Call) -> Value:
        match node.callee:
            case syntax.Templated(function="type_of") as callee:
                if node.arguments:
                    raise ParseError("type_of takes no argument", legal=("type_of<int16_t>()",), source=node.source)
                return element_type(callee)
            case syntax.Templated() as callee:
                way = functions()[callee.function].given(element_type(callee))
                return self.apply((way,), node.arguments, node.source)
            case syntax.Member() as callee:
                return self._call_method(callee, node)
            case syntax.Name(name=name) if name in functions() and name not in self.scope.names:
                return self.apply((functions()[name],), node.arguments, node.source)
            case syntax.Name(name=name) if "::" in name:
                legal = [str(way) for way in functions().values() if "::" in way.name]
                raise ParseError(f"{name} is not known", legal=legal, source=node.source)
        return self._access(node)

    def _call_method(self, callee: syntax.Member, node: syntax.Call) -> Value:
        of = self.value(callee.of)
        known = methods(of)
        ways = tuple(way for way in known if way.name == callee.name)
        if not ways and isinstance(of, Helpful) and (absent := absent_method(of.name, callee.name)):
            raise absent.at(callee.source)
        if not ways:
            names = [way.name for way in known]
            has = f"it has {', '.join(dict.fromkeys(names))}" if names else "it has no methods"
            near = [str(way) for way in known if way.name in get_close_matches(callee.name, names)]
            raise ParseError(f"{describe(of)} has no method {callee.name}; {has}", legal=near, source=callee.source)
        return self.apply(ways, node.arguments, node.source, of)

    def _access(self, node: syntax.Call) -> Value:
        target = self.value(node.callee)
        if isinstance(target, Param):
            target = target.image
        if not isinstance(target, Func | ImageParam):
            raise ParseError(f"{describe(target)} cannot be called", source=node.source)
        args = tuple(self.operand(argument) for argument in node.arguments)
        self.check_arity(target, len(args), node.source)
        return call_at(node.source, lambda: target[args])

    def check_arity(self, target: Func | ImageParam, given: int, source: SourceLine) -> None:
        """Raises `ParseError` if the number of indices is known and another one is given."""
        dimensions = _dimensions(target)
        if dimensions is not None and given != dimensions:
            legal = (f"{target.name}({', '.join('xyzw'[:dimensions])})",) if dimensions <= 4 else ()
            indices = f"{given} {'index is' if given == 1 else 'indices are'} given"
            message = f"{describe(target)} has {dimensions} dimension{'s' * (dimensions != 1)}, but {indices}"
            raise ParseError(message, legal=legal, source=source)

    def _unary(self, op: str, a: Value, source: SourceLine) -> Value:
        if op == "+" and isinstance(a, Operators):
            return a
        if op == "!" and isinstance(a, int):
            raise ParseError("! is for conditions, not for numbers", legal=(f"Expr({a}) == 0",), source=source)
        return call_at(source, _UNARY[op], a)

    def _chain(self, node: syntax.Binary) -> Value:
        """Operators one after the other, however many: `a + b + c ...` is a tree that leans to the left."""
        chain = [node]
        while isinstance(chain[-1].a, syntax.Binary):
            chain.append(chain[-1].a)
        value = self.operand(chain[-1].a)
        for each in reversed(chain):
            value = self._binary(each.op, value, self.operand(each.b), each.source)
        return value

    def _binary(self, op: str, a: Value, b: Value, source: SourceLine) -> Value:
        if not (isinstance(a, int) and isinstance(b, int)):
            return call_at(source, _BINARY[op], a, b)
        if op not in _NUMBERS:
            raise ParseError(f"{op} compares two constants", legal=(f"Expr({a}) {op} {b}",), source=source)
        if (op in "/%" and b == 0) or (op in "<<>>" and not 0 <= b < 64):
            raise ParseError(f"{a} {op} {b} has no value", source=source)
        return _NUMBERS[op](a, b)


def _dimensions(value: Value) -> int | None:
    """The dimensions of a tensor; None where they are not known yet, and for what is no tensor."""
    match value:
        case ImageParam():
            return value.dimensions
        case Func():
            with suppress(AlgorithmError):
                return value.dimensions
    return None


def _written(node: syntax.Node) -> str:
    match node:
        case syntax.Name(name=name):
            return name
        case syntax.Member(of=of, name=name):
            return f"{_written(of)}.{name}"
        case syntax.Templated(function=function, type=kind):
            return f"{function}<{kind}>"
    return "this"
