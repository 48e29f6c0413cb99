"""Several updates of one Func: stages one after the other, each of which reads what the one before it has made.

A Func with updates up to number n is what it is up to number n - 1, and an update more. That earlier Func is written
out, or read as a final stage, or a stage of its own, as any other. An update over a domain starts from its elements;
one without a domain, or at constant places, is a pure definition of what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from halidehw.errors import HardwareError
from halidehw.expr.expr import Access, Binary, Expr, Select, Variable, nodes, same, transform
from halidehw.expr.types import Bool
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.definition import Definition, is_var
from halidehw.frontend.func import Func
from halidehw.frontend.stage import Stage
from halidehw.scheduler.reduction import recognise


@dataclass(frozen=True, eq=False)
class Updates:
    """`views`: Funcs -> the same as a pure definition, or as one with one update, of what they are before the last one;
    `earlier`: those Funcs."""

    views: Mapping[Func, Func]
    earlier: frozenset[Func]

    def view(self, func: Func) -> Func:
        return self.views.get(func, func)


def updates_of(funcs: Iterable[Func], taken: Iterable[str]) -> Updates:
    """Of all Funcs that are not yet so simple. `taken`: names that no new Func may have."""
    views, earlier, names = dict[Func, Func](), list[Func](), set(taken)
    waiting = [(func, func.name) for func in funcs if not isinstance(func, BoundaryFunc) and not _is_simple(func)]
    while waiting:
        func, name = waiting.pop()
        before = _before(func, name, names)
        earlier.append(before)
        views[func] = _view(func, name, before)
        if len(before.stages) > 1:
            if _is_simple(before):
                views[before] = _named(before, name)
            else:
                waiting.append((before, name))
    return Updates(views, frozenset(earlier))


def _is_simple(func: Func) -> bool:
    """Whether it is a pure definition, or has one update that is a reduction."""
    if len(func.stages) < 3 and all(stage.definition.domain is not None for stage in func.stages[1:]):
        return True
    if len(func.stages) != 2:
        return False
    try:
        recognise([(func, lambda expr: expr)])
    except HardwareError:
        return False
    return True


def _before(func: Func, name: str, names: set[str]) -> Func:
    """What a Func is before its last update, under a name of its own."""
    number = len(func.stages) - 2
    own = f"{name}_{number}"
    while own in names:
        own += "_"
    names.add(own)
    found = Func(func.type, func.dimensions, own)
    found.stages = [_over(stage, _reading(func, found)) for stage in func.stages[:-1]]
    return found


def _named(func: Func, name: str) -> Func:
    """The same Func with the name in which its loops are told of."""
    found = Func(func.type, func.dimensions, name)
    found.stages = [_over(stage, _reading(func, found)) for stage in func.stages]
    return found


def _view(func: Func, name: str, before: Func) -> Func:
    """A Func as one of what it is before its last update."""
    found, last = Func(func.type, func.dimensions, name), func.stages[-1]
    args = tuple(Variable(func.pure.args[0].type, arg) for arg in func.args)
    start = Access(func.type, before, args)
    if last.definition.domain is not None:
        _check_own(func, last.definition)
        pure = Definition(args, start, source=last.definition.source)
        found.stages = [Stage(name, pure, func.known), _over(last, _reading(func, found))]
        return found
    conditions = [
        Binary(Bool(), "eq", Variable(arg.type, var), arg)
        for var, arg in zip(func.args, last.definition.args, strict=True)
        if not (is_var(arg) and arg.name == var)
    ]
    value = _reading(func, before, tuple(zip(last.definition.args, args, strict=True)))(last.definition.value)
    if conditions:
        here = reduce(lambda a, b: Binary(Bool(), "land", a, b), conditions)
        value = Select(func.type, here, value, start)
    pure = Definition(args, value, source=last.definition.source)
    found.stages = [_scheduled(last, Stage(last.name, pure, func.known))]
    return found


def _check_own(func: Func, last: Definition) -> None:
    """An update over a domain reads its Func at the element that it updates."""
    for node in nodes(last.value):
        if isinstance(node, Access) and node.target is func and not all(map(same, node.args, last.args)):
            raise HardwareError(
                f"the update of {func.name} reads {node} where it writes {func.name} at "
                f"{', '.join(map(str, last.args))}: its iterations follow one another, and the array takes them in any "
                "order",
                legal=(f"{func.name}[{', '.join(func.args)}] += ...",),
                source=last.source,
            )


def _over(stage: Stage, change: Callable[[Expr], Expr]) -> Stage:
    """A stage with its definition changed, under the same directives."""
    old = stage.definition
    where = None if old.where is None else change(old.where)
    new = replace(old, args=tuple(map(change, old.args)), value=change(old.value), where=where)
    return _scheduled(stage, Stage(stage.name, new, stage._bounds))


def _scheduled(stage: Stage, made: Stage) -> Stage:
    made.directives = stage.directives
    return made


def _reading(old: Func, new: Func, known: Sequence[tuple[Expr, Expr]] = ()) -> Callable[[Expr], Expr]:
    """Changes every access of one Func to one of another. `known`: for each dimension an index that another one is
    equal to there."""

    def change(node: Expr) -> Expr:
        if isinstance(node, Access) and node.target is old:
            pairs = zip(node.args, known or [(arg, arg) for arg in node.args], strict=True)
            return Access(node.type, new, tuple(then if same(arg, now) else arg for arg, (now, then) in pairs))
        return node

    return lambda expr: transform(expr, change)
