"""An inline reduction as what it stands for: a Func of its free variables with one update, read where it stands."""

from __future__ import annotations

from halidehw.expr.expr import Select, binary, max, min, transform
from halidehw.expr.nodes import Access, Expr, Variable
from halidehw.expr.tuples import fields, pack
from halidehw.expr.types import Int
from halidehw.frontend.func import Func
from halidehw.frontend.rdom import RDom, RVar
from halidehw.frontend.reduce import Reduce, free_variables


def expanded(node: Reduce) -> Access:
    """The element of a new Func that `node` is."""
    whole = [pack([node.value, node.where])] if node.where is not None else [node.value]
    free = [var for var in free_variables(whole[0]) if var.name not in {own.name for own in node.domain.vars}]
    names = {var.name: Variable(Int(32), f"v{place}") for place, var in enumerate(free)}
    domain = RDom(node.domain.ranges, node.domain.name)

    def renamed(expr: Expr) -> Expr:
        def change(each: Expr) -> Expr:
            match each:
                case RVar(name=name) if name not in names:
                    return domain.vars[each.dimension]
                case Variable(name=name):
                    return names[name]
            return each

        return transform(expr, change)

    if node.where is not None:
        domain.where(renamed(node.where))
    func, args = Func(node.name), tuple(names.values())
    func.assign(args, node.start, None)
    element = Access(node.type, func, args)
    func.assign(args, _updated(node.name, element, renamed(node.value)), None)
    return Access(node.type, func, tuple(free))


def _updated(name: str, element: Expr, value: Expr) -> Expr:
    match name:
        case "sum":
            return binary("add", element, value)
        case "product":
            return binary("mul", element, value)
        case "maximum":
            return max(element, value)
        case "minimum":
            return min(element, value)
    old, new = fields(element), fields(value)
    better = binary("gt" if name == "argmax" else "lt", new[-1], old[-1])
    return pack([Select(b.type, better, b, a) for a, b in zip(old, new, strict=True)])
