"""A design as text: declarations, algorithm, schedule. It parses back to the same design."""

from __future__ import annotations

from halidehw.expr.expr import Access, Binary, Expr, constructor, same
from halidehw.expr.tuples import Pack, pack
from halidehw.expr.types import Struct
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.definition import Definition
from halidehw.frontend.design import Design
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.frontend.rdom import RDom
from halidehw.frontend.reduce import reduces
from halidehw.frontend.text.chains import chains
from halidehw.frontend.text.notation import Names, braces, expression, right_operand

_COMPOUND = {"add": "+=", "sub": "-=", "mul": "*="}


def write(design: Design) -> str:
    """The text of a design. Array contents are not part of it; the bounds that inputs have from them are."""
    values = [stage.definition.value for func in design.funcs for stage in func.stages]
    called = frozenset(node.name for value in values for node in reduces(value))
    names = Names([tensor.name for tensor in (*design.inputs, *design.funcs)], called)
    algorithm = [_func(func, names) for func in design.funcs]
    schedule = [chain for func in reversed(design.funcs) for chain in chains(func, design, names)]
    laid = [f"{names.tensors[func.name]}.output_buffer().{call};" for func in design.outputs
            for call in func.storage.calls()]  # fmt: skip
    inputs = [_input(image, names) for image in design.inputs]
    outputs = ", ".join(names.tensors[func.name] for func in design.outputs)
    whole = f"Pipeline {names.new('design')}({{{outputs}}});" if len(design.outputs) > 1 else ""
    parts = ["\n".join(inputs), _variables(names), *algorithm, "\n".join([*schedule, *laid]), whole]
    return "\n\n".join(part for part in parts if part) + "\n"


def _input(image: ImageParam, names: Names) -> str:
    own = names.tensors[image.name]
    arguments = f"{constructor(image.type)}, {image.dimensions}{_name(own, image.name, ', ')}"
    bounds = [f"{own}.dim({dim}).set_bounds({pair[0]}, {pair[1]});" for dim, pair in enumerate(image.bounds) if pair]
    laid = [f"{own}.{call};" for call in image.storage.calls()]
    return "\n".join([f"ImageParam {own}({arguments});", *bounds, *laid])


def _variables(names: Names) -> str:
    domains = [line for domain, identifier in names.domains.items() for line in _domain(domain, identifier, names)]
    declared = [identifier + (f'("{name}")' if identifier != name else "") for name, identifier in names.vars.items()]
    return "\n".join([*([f"Var {', '.join(declared)};"] if declared else []), *domains])


def _domain(domain: RDom, identifier: str, names: Names) -> list[str]:
    """Its declaration, and the conditions that leave out points."""
    ranges = ", ".join(f"{low}, {extent}" for low, extent in domain.ranges)
    where = [f"{identifier}.where({expression(condition, names)});" for condition in domain.predicates]
    return [f"RDom {identifier}({ranges}{_name(identifier, domain.name, ', ')});", *where]


def _func(func: Func, names: Names) -> str:
    """The declaration of a Func and its definitions."""
    own = names.tensors[func.name]
    if isinstance(func, BoundaryFunc):
        return f"Func {own} = {_boundary(func, names)};"
    kind = () if isinstance(func.type, Struct) else (constructor(func.type), str(func.dimensions))
    given = ", ".join((*kind, *([] if own == func.name else [f'"{func.name}"'])))
    declared = f"Func {own}({given});" if given else f"Func {own};"
    definitions = [stage.definition for stage in func.stages]
    after_implied = [False, *(definition.implied for definition in definitions)]
    lines = [
        _definition(func, definition, implied, names)
        for definition, implied in zip(definitions, after_implied, strict=False)
        if not definition.implied
    ]
    return "\n".join([declared, *lines])


def _boundary(func: BoundaryFunc, names: Names) -> str:
    boundary = func.boundary
    arguments = [names.tensors[boundary.source.name]]
    if boundary.value is not None:
        arguments.append(str(boundary.value))
    if boundary.stated:
        arguments.append(braces(boundary.stated))
    return f"BoundaryConditions::{boundary.kind}({', '.join(arguments)})"


def _definition(func: Func, definition: Definition, implied: bool, names: Names) -> str:
    """`f(x) = value;` or, where the value is the Func's own at the same place and more, `f(x) += more;`"""
    args, value = definition.args, definition.value
    target = f"{names.tensors[func.name]}({', '.join(expression(arg, names) for arg in args)})"
    match value:
        case Binary(op="add" | "sub" | "mul" as op, a=Access() as a, b=b) if _is_at(a, func, args):
            more = expression(b, names) if implied else right_operand(op, a, b, names)
            return f"{target} {_COMPOUND[op]} {more};"
        case Pack(parts=(Binary(op="add" | "sub" | "mul" as op), *_) as parts) if implied:
            values = pack([part.b for part in parts if isinstance(part, Binary)])
            return f"{target} {_COMPOUND[op]} {expression(values, names)};"
    return f"{target} = {expression(value, names)};"


def _is_at(access: Access, func: Func, args: tuple[Expr, ...]) -> bool:
    return access.target is func and all(map(same, access.args, args))


def _name(identifier: str, name: str, before: str) -> str:
    """The last argument of a declaration, needed where the identifier is not the name itself."""
    return "" if identifier == name else f'{before}"{name}"'
