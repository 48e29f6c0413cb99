"""What each declaration makes: `Var`, `RDom`, `ImageParam`, `Func`, `Pipeline`, `Expr` and `int`."""

from __future__ import annotations

from halidehw.errors import ParseError
from halidehw.expr.expr import Var, as_expr
from halidehw.expr.types import Type
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.frontend.params import ImageParam
from halidehw.frontend.rdom import RDom
from halidehw.frontend.scalar import Param
from halidehw.frontend.text import syntax
from halidehw.frontend.text.calls import element_type
from halidehw.frontend.text.evaluate import Evaluator
from halidehw.frontend.text.scope import Value, describe
from halidehw.frontend.text.signature import FUNC, INT, RANGES, STRING, TYPE, Kind, Signature, maybe, several, signature


def declared(node: syntax.Declare, evaluator: Evaluator) -> Value:
    """The object that a declaration makes, named as the declaration does unless it gives a name in a string."""
    ways = _param(node) if node.kind.startswith("Param<") else _constructors(node.kind, node.name)
    if node.value is not None:
        return _assigned(node, evaluator, ways)
    if not ways:
        legal = (f"{node.kind} {node.name} = 16;",)
        raise ParseError(f"{node.kind} {node.name} has no value", legal=legal, source=node.source)
    return evaluator.apply(ways, node.arguments or (), node.source)


def _constructors(kind: str, name: str) -> tuple[Signature, ...]:
    """The ways to make an object of a kind; none where there is no such kind."""
    own = maybe(STRING)
    match kind:
        case "Var":
            return (signature("Var", lambda given=name: Var(given), name=own),)
        case "RDom":
            kinds = (int, list, str, ImageParam)
            what = Kind("a min, an extent, a list of ranges or an input", lambda value: isinstance(value, kinds))
            return (signature("RDom", lambda given: _domain(name, given), ranges=several(what)),)
        case "ImageParam":
            def image(type: Type, dimensions: int, given: str = name) -> ImageParam:
                return ImageParam(type, dimensions, given)

            return (signature("ImageParam", image, type=TYPE, dimensions=INT, name=own),)
        case "Pipeline":
            return (signature("Pipeline", Pipeline, outputs=several(FUNC)),)
        case "Func":
            def typed(type: Type, dimensions: int, given: str = name) -> Func:
                return Func(type, dimensions, given)

            alone = signature("Func", lambda given=name: Func(given), name=own)
            return alone, signature("Func", typed, type=TYPE, dimensions=INT, name=own)
    return ()


def _param(node: syntax.Declare) -> tuple[Signature, ...]:
    """`Param<int16_t> p;`, or `Param<> p(Int(12));`, each with a name in a string or without."""
    own, name = maybe(STRING), node.name
    element = node.kind.removeprefix("Param<").removesuffix(">")
    if not element:
        return (signature("Param", lambda type, given=name: Param(type, given), type=TYPE, name=own),)
    kind = element_type(syntax.Templated(node.source, "Param", element))
    return (signature("Param", lambda given=name: Param(kind, given), name=own),)


def _domain(name: str, given: list[Value]) -> RDom:
    """`(min, extent, min, extent, ...)` or `({{min, extent}, ...})`, each with a name in a string or without."""
    if given and isinstance(given[-1], str):
        *given, name = given
    if len(given) == 1 and isinstance(given[0], ImageParam):
        return RDom(given[0], name)
    if len(given) == 1 and isinstance(given[0], list):
        given = given[0]
    flat = all(isinstance(value, int) for value in given)
    pairs = [given[place : place + 2] for place in range(0, len(given), 2)] if flat else given
    if not RANGES.accepts(pairs):
        raise ParseError("an RDom takes a min and an extent for each dimension", legal=(f"RDom {name}(0, 5, 0, 3);",))
    return RDom([tuple(pair) for pair in pairs], name)


def _assigned(node: syntax.Declare, evaluator: Evaluator, ways: tuple[Signature, ...]) -> Value:
    assert node.value is not None
    match node.kind:
        case "int":
            return evaluator.integer(node.value)
        case "Expr":
            return as_expr(evaluator.operand(node.value))
        case "Func":
            func = evaluator.value(node.value)
            if isinstance(func, BoundaryFunc) and not isinstance(node.value, syntax.Name):
                func.name, func.named = node.name, True
                return func
            legal = (f"Func {node.name} = BoundaryConditions::repeat_edge(input);", f"Func {node.name};")
            message = f"a Func is declared with a boundary condition or alone, not with {describe(func)}"
            raise ParseError(message, legal=legal, source=node.source)
    usage = [f"{node.kind} {node.name}{str(way).removeprefix(node.kind)};" for way in ways]
    raise ParseError(f"{node.kind} {node.name} is not declared with '='", legal=usage, source=node.source)
