"""Code that computes the same as an update at other places than a Func's variables."""

from __future__ import annotations

from halidehw.expr.expr import Access, Binary, Expr, Variable, nodes, same
from halidehw.expr.nodes import code
from halidehw.frontend.func import Func
from halidehw.ir.sums import identity

_LONGEST = 400
"""Characters of a line that is proposed."""

_ASSIGNED = {"add": "+=", "sub": "-=", "mul": "*="}
_INFIX = {"and": "&", "or": "|", "xor": "^"}


def for_update(func: Func) -> tuple[str, ...]:
    """For an update at other places than the Func's variables: every element takes what is meant for its place."""
    update = func.stages[-1].definition
    element = Access(func.type, func, update.args)
    match update.value:
        case Binary(op=op, a=a, b=b) if same(a, element) and (op in _ASSIGNED or op in _INFIX or op in ("min", "max")):
            added = b
        case Binary(op=op, a=b, b=a) if same(a, element) and op in ("add", "mul", "min", "max", *_INFIX):
            added = b
        case _:
            return ()
    if any(isinstance(node, Access) and node.target is func for node in (*nodes(added), *_within(update.args))):
        return ()
    conditions = [
        f"{code(arg)} == {name}"
        for arg, name in zip(update.args, func.args, strict=True)
        if not (isinstance(arg, Variable) and arg.name == name)
    ]
    condition = conditions[0] if len(conditions) == 1 else " & ".join(f"({each})" for each in conditions)
    start = identity("add" if op == "sub" else op, func.type)  # type: ignore[arg-type]
    chosen, own = f"select({condition}, {code(added)}, {start})", f"{func.name}[{', '.join(func.args)}]"
    if op in _ASSIGNED:
        line = f"{own} {_ASSIGNED[op]} {chosen}"
    else:
        line = f"{own} = {own} {_INFIX[op]} {chosen}" if op in _INFIX else f"{own} = {op}({own}, {chosen})"
    return (line,) if len(line) <= _LONGEST else ()


def _within(args: tuple[Expr, ...]) -> list[Expr]:
    return [node for arg in args for node in nodes(arg)]
