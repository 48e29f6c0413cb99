"""Several updates of one Func: stages one after the other, each of which reads what the one before it has made.

A Func with updates up to number n is what it is up to number n - 1, and an update more. That earlier Func is written
out, or read as a final stage, or a stage of its own, as any other. An update over a domain starts from its elements;
one without a domain, or at constant places, is a pure definition of what it reads, and so is one that is no reduction
and comes to each element of its domain once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from halidehw.errors import HardwareError
from halidehw.expr.expr import Access, Binary, Const, Expr, Select, Variable, binary, same, transform
from halidehw.expr.types import Bool
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.definition import Definition, is_var
from halidehw.frontend.directives import Reorder
from halidehw.frontend.func import Func
from halidehw.frontend.loops import LoopNames, apply
from halidehw.frontend.params import Range
from halidehw.frontend.rdom import RDom
from halidehw.frontend.stage import Stage
from halidehw.scheduler.recurrences import Recurring, follows, recurring, turned
from halidehw.scheduler.reduction import recognise


@dataclass(frozen=True, eq=False)
class Updates:
    """`views`: Funcs -> the same as a pure definition, or as one with one update, of what they are before the last one;
    `earlier`: those Funcs; `recurrent`: views whose elements follow one another; `scattered`: views -> of variables
    that an iteration of the update does not run through, but says the value of, that value."""

    views: Mapping[Func, Func]
    earlier: frozenset[Func]
    scattered: Mapping[Func, Mapping[str, Expr]] = field(default_factory=dict)
    recurrent: frozenset[Func] = frozenset()

    def view(self, func: Func) -> Func:
        return self.views.get(func, func)

    def original(self, view: Func) -> Func:
        """The Func of which that is a view."""
        return next((func for func, other in self.views.items() if other is view), view)


class _Scattering(Stage):
    """One whose loops over `inner` lie inside all others, whatever is said of these."""

    def __init__(self, name: str, definition: Definition, bounds: Mapping[str, Range], inner: tuple[str, ...]):
        super().__init__(name, definition, bounds)
        self.inner = inner

    @property
    def loops(self) -> LoopNames:
        found = super().loops
        others = (loop for loop in reversed(found.names) if loop not in self.inner)
        return apply(found, Reorder((*self.inner, *others)))


def updates_of(funcs: Iterable[Func], taken: Iterable[str]) -> Updates:
    """Of all Funcs that are not yet so simple. `taken`: names that no new Func may have."""
    views, earlier, names = dict[Func, Func](), list[Func](), set(taken)
    scattered: dict[Func, Mapping[str, Expr]] = {}
    recurrent = list[Func]()
    waiting = [(func, func.name) for func in funcs if not isinstance(func, BoundaryFunc) and not _is_simple(func)]
    while waiting:
        func, name = waiting.pop()
        before = _before(func, name, names)
        earlier.append(before)
        if follows(func, func.stages[-1].definition) and turned(func, func.stages[-1].definition):
            other, views[func] = _turned(func, name, before, names)
            earlier.append(other)
            waiting.append((other, name))
        elif follows(func, func.stages[-1].definition):
            views[func] = _following(func, name, before)
            recurrent += [views[func]] if len(views[func].stages) > 1 else []
        else:
            views[func] = _view(func, name, before)
            if (places := _places(func, func.stages[-1].definition)) and views[func].stages[1:]:
                scattered[views[func]] = {var: _reading(func, before)(place) for var, place in places.items()}
        if len(before.stages) > 1:
            if _is_simple(before):
                views[before] = _named(before, name)
            else:
                waiting.append((before, name))
    return Updates(views, frozenset(earlier), scattered, frozenset(recurrent))


def _is_simple(func: Func) -> bool:
    """Whether it is a pure definition, or has one update that is a reduction."""
    definitions = [stage.definition for stage in func.stages[1:]]
    if len(definitions) > 1 or any(each.pure != func.args for each in definitions):
        return False
    if all(each.domain is not None for each in definitions):
        return True
    return _reduces(func)


def _reduces(func: Func) -> bool:
    try:
        recognise([(func, lambda expr: expr)])
    except HardwareError:
        return False
    return True


def _before(func: Func, name: str, names: set[str]) -> Func:
    """What a Func is before its last update, under a name of its own."""
    found = Func(func.type, func.dimensions, _own(f"{name}_{len(func.stages) - 2}", names))
    found.stages = [_over(stage, _reading(func, found)) for stage in func.stages[:-1]]
    return found


def _own(name: str, names: set[str]) -> str:
    """A name that no other Func has."""
    while name in names:
        name += "_"
    names.add(name)
    return name


def _named(func: Func, name: str) -> Func:
    """The same Func with the name in which its loops are told of."""
    found = Func(func.type, func.dimensions, name)
    found.stages = [_over(stage, _reading(func, found)) for stage in func.stages]
    return found


def _turned(func: Func, name: str, before: Func, names: set[str]) -> tuple[Func, Func]:
    """A Func whose last update goes from greater indices to smaller ones, as one that is read from its end."""
    last = func.stages[-1]
    ends = turned(func, last.definition)

    def mirrored(args: Sequence[Expr]) -> tuple[Expr, ...]:
        return tuple(ends[d] - arg if d in ends else arg for d, arg in enumerate(args))

    other = Func(func.type, func.dimensions, _own(f"{name}_turned", names))

    def change(node: Expr) -> Expr:
        own = isinstance(node, Access) and node.target is func
        return Access(node.type, other, mirrored(node.args)) if own else node  # type: ignore[attr-defined]

    args = tuple(Variable(func.pure.args[0].type, arg) for arg in func.args)
    pure = Definition(args, Access(func.type, before, mirrored(args)), source=last.definition.source)
    update = _over(last, lambda expr: transform(expr, change), mirrored(last.definition.args))
    other.stages = [Stage(name, pure, {}), update]
    found = Func(func.type, func.dimensions, name)
    found.stages = [Stage(name, replace(pure, value=Access(func.type, other, mirrored(args))), func.known)]
    return other, found


def _following(func: Func, name: str, before: Func) -> Func:
    """A Func as a definition by elements of its own before each one, if it reads any, and by what it is before its last
    update."""
    last = func.stages[-1]
    definition = recurring(func, before, last.definition)
    names = {arg.name: var for arg, var in zip(definition.args, func.args, strict=True) if isinstance(arg, Variable)}
    bounds = {arg: func.known[var] for arg, var in names.items() if var in func.known}
    found = Func(func.type, func.dimensions, name)
    start = [Stage(name, Definition(definition.args, Const(func.type, 0)), bounds)]
    stage = _scheduled(last, Stage(last.name, definition, bounds))
    found.stages = [*start, stage] if isinstance(definition.value, Recurring) else [stage]
    return found


def _view(func: Func, name: str, before: Func) -> Func:
    """A Func as one of what it is before its last update."""
    found, last = Func(func.type, func.dimensions, name), func.stages[-1]
    args = tuple(Variable(func.pure.args[0].type, arg) for arg in func.args)
    start = Access(func.type, before, args)
    once = last.definition
    if last.definition.domain is not None:
        pure = Definition(args, start, source=last.definition.source)
        pairs = tuple(zip(last.definition.args, args, strict=True))
        update = _over(last, _reading(func, found, pairs), args)
        if inner := tuple(var for var in func.args if var in _places(func, last.definition)):
            update = _scheduled(last, _Scattering(last.name, update.definition, func.known, inner))
        found.stages = [Stage(name, pure, func.known), update]
        once = _once(func, last.definition)
        if _reduces(found) or once.domain is not None:
            return found
    conditions = [
        Binary(Bool(), "eq", Variable(arg.type, var), arg)
        for var, arg in zip(func.args, once.args, strict=True)
        if not (is_var(arg) and arg.name == var)
    ] + ([] if once.where is None else [once.where])
    value = _reading(func, before, tuple(zip(once.args, args, strict=True)))(once.value)
    if conditions:
        here = reduce(lambda a, b: Binary(Bool(), "land", a, b), conditions)
        value = Select(func.type, here, value, start)
    pure = Definition(args, value, source=once.source)
    found.stages = [_scheduled(last, Stage(last.name, pure, func.known))]
    return found


def _once(func: Func, last: Definition) -> Definition:
    """An update over a domain, each of whose variables stands alone on its left, as one without: it comes to an element
    once. Any other as it is."""
    assert last.domain is not None
    own = {arg.name: Variable(arg.type, var) for var, arg in zip(func.args, last.args, strict=True)
           if isinstance(arg, Variable) and arg.reduction}  # fmt: skip
    if any(var.name not in own for var in last.domain.vars):
        return last
    change = _replacing(own)
    within = [] if last.where is None else [change(last.where)]
    for var in last.domain.vars:
        ends = (Const(own[var.name].type, end) for end in (var.min, var.min + var.extent))
        within += [binary(op, own[var.name], end) for op, end in zip(("ge", "lt"), ends, strict=True)]
    where = reduce(lambda a, b: Binary(Bool(), "land", a, b), within)
    return Definition(tuple(map(change, last.args)), change(last.value), where=where, source=last.source)


def _replacing(variables: Mapping[str, Variable]) -> Callable[[Expr], Expr]:
    """Puts variables in place of those of a domain."""

    def change(node: Expr) -> Expr:
        return variables.get(node.name, node) if isinstance(node, Variable) and node.reduction else node

    return lambda expr: transform(expr, change)


def _places(func: Func, last: Definition) -> dict[str, Expr]:
    """Of the variables for which an update over a domain has something else on its left, what that is."""
    pairs = zip(func.args, last.args, strict=True)
    apart = {var: arg for var, arg in pairs if not (is_var(arg) and arg.name == var)}
    return apart if last.domain is not None else {}


def _over(stage: Stage, change: Callable[[Expr], Expr], args: tuple[Expr, ...] | None = None) -> Stage:
    """A stage with its definition changed, perhaps with other `args`, under the same directives."""
    old = stage.definition
    where = None if old.where is None else change(old.where)
    new = replace(old, args=args or tuple(map(change, old.args)), value=change(old.value), where=where)
    return _scheduled(stage, Stage(stage.name, new, stage._bounds))


def over(stage: Stage, domain: RDom | None) -> Stage:
    """A pure stage whose loops are those of `domain`: the inline reductions of Funcs that it reads are theirs, where
    these are stages themselves."""
    if stage.definition.domain is domain:
        return stage
    return _scheduled(stage, Stage(stage.name, replace(stage.definition, domain=domain), stage._bounds))


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
