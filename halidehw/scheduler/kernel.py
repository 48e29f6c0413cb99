"""The accelerated part of an algorithm: one reduction or pure definition, and what happens at write-back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from halidehw.errors import AlgorithmError, HardwareError, ScheduleError
from halidehw.expr.expr import Access, Expr, Variable, fold, nodes, rebuild, same
from halidehw.expr.tree import shared
from halidehw.expr.tuples import Field, Pack
from halidehw.expr.types import Type
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.directives import BufferDirective, ComputeRoot, Directive, LoopDirective
from halidehw.frontend.expand import expanded
from halidehw.frontend.func import Func
from halidehw.frontend.loops import apply
from halidehw.frontend.params import ImageParam
from halidehw.frontend.reduce import Reduce, reduces
from halidehw.frontend.stage import Stage
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Accumulated, Combine
from halidehw.scheduler.inline import inline, source_of, substitute, updated
from halidehw.scheduler.lookups import is_data
from halidehw.scheduler.pipeline import Pipeline
from halidehw.scheduler.reduction import Reduction, Written, masked, recognise
from halidehw.scheduler.updates import over
from halidehw.scheduler.where import bounded


@dataclass(frozen=True, eq=False)
class Scatter(Expr):
    """What an iteration combines, `value`, into the element at `places` of the variables `names`."""

    value: Expr
    names: tuple[str, ...]
    places: tuple[Expr, ...]


@dataclass(frozen=True)
class Kernel:
    """What the array computes.

    `output` at (`args`), for every value of `args` and of the stage's reduction domain: `value` combined into an
    accumulator of `type` that starts from `init`; then `epilogue`. All expressions are over the stage's variables
    and read only inputs, themselves or through a boundary condition, and other stages of the `pipeline`. `renamed`: the
    output's variables -> the stage's.
    `limits`: forms over the reduction's variables, of which iterations need all to be at least 0.
    """

    pipeline: Pipeline
    output: Func
    stage: Stage
    owner: Func
    args: tuple[str, ...]
    renamed: dict[str, str]
    type: Type
    combine: Combine | None
    init: int
    value: Expr
    epilogue: Expr | None
    limits: tuple[Affine, ...] = ()

    @cached_property
    def reads(self) -> tuple[ImageParam | Func, ...]:
        """The inputs and stages that are read, in the order of first reading."""
        roots = [self.value] if self.epilogue is None else [self.value, self.epilogue]
        found = (source_of(access.target) for root in roots for access in inputs_read(root))
        return tuple(dict.fromkeys(target for target in found if isinstance(target, ImageParam | Func)))

    @cached_property
    def directives(self) -> tuple[Directive, ...]:
        """Those on the Funcs as a whole, and on the memories that lie in the stage's loops, or outside all. An input of
        one word is copied at the root where nothing else is said."""
        stated = self.pipeline.directives(self.output, self.owner, [each.name for each in self.reads])
        placed = {each.tensor for each in stated if isinstance(each, BufferDirective)}
        scalars = [each.name for each in self.reads if not each.dimensions and each.name not in placed]
        return (*stated, *(ComputeRoot(name, 1) for name in scalars))


def kernel(output: Func, pipeline: Pipeline | None = None) -> Kernel:
    """The kernel of the stage that ends in `output`, by default of an algorithm that is all one stage.

    Raises `AlgorithmError` if it is not defined, `HardwareError` if it is no single reduction with a pure
    write-back, `ScheduleError` for a directive on a definition that has no loops.
    """
    if not output.defined:
        raise AlgorithmError(f"{output.name} is never defined", legal=(f"{output.name}[x, y] = ...",))
    pipeline = pipeline or Pipeline((output,))
    return pipeline.made(output, lambda: _made(output, pipeline), lambda known: replace(known, pipeline=pipeline))


def _made(output: Func, pipeline: Pipeline) -> Kernel:
    view = pipeline.updates.view(output)
    if view in pipeline.updates.recurrent:
        return _recurrence(pipeline, output, view)
    if len(view.stages) > 1:
        element = Access(output.type, view, view.stages[1].definition.args)
        return _reduction(pipeline, output, view, element, output.args)
    value = shared(_written(pipeline, output)(view.pure.value))
    accesses = list(updated(value, pipeline.stages))
    _check_bordered(output, accesses)
    if inner := tuple(reduces(value)):
        return _inner(pipeline, output, value, inner, accesses)
    if not accesses:
        return _pure(pipeline, output, view, value)
    first = accesses[0]
    for other in accesses:
        if isinstance(other.target, Func) and pipeline.updates.view(other.target) in pipeline.updates.recurrent:
            raise Unplaced(
                f"{output.name} reads {other}, which follows elements before it: a memory would lie between the two",
                output, (other,),
            )  # fmt: skip
        if not same(first, other):
            raise Unplaced(
                f"{output.name} reads {first} and {other}: a memory would lie between the two stages, and only a final "
                "stage that reads one reduction at the element it writes has none",
                output, (first, other),
            )  # fmt: skip
    looked_up = next((node for node in nodes(value) if isinstance(node, Access) and is_data(node)), None)
    if looked_up is not None:
        why = f"{output.name} reads {looked_up}, at data, and {first}: a table is looked up by an array of its own"
        raise Unplaced(why, output, (first,))
    assert isinstance(first.target, Func)
    owner = pipeline.updates.view(first.target)
    renamed = _renaming(output, owner, first)
    _check_no_loops(view.stages[0], f"{output.name} is computed as {owner.name} is written back", owner.stages[1])
    final = substitute(value, {old: Variable(first.args[0].type, new) for old, new in renamed.items()})
    element = Access(owner.type, owner, owner.stages[1].definition.args)
    final = _replaced(final, {id(node): element for node in nodes(final) if _reads(node, first.target)})
    return _reduction(pipeline, output, owner, final, tuple(renamed[arg] for arg in output.args))


def _written(pipeline: Pipeline, output: Func) -> Written:
    """How expressions of the stage that ends in `output` are written out."""
    copies, views = pipeline.copies_for(output), pipeline.updates.views
    return lambda expr: inline(expr, pipeline.stages, copies, views)


class Unplaced(HardwareError):
    """`funcs` would be stages, read by `reader`, but have no place."""

    def __init__(self, message: str, reader: Func, accesses: Sequence[Access]):
        found = dict.fromkeys(source_of(access.target) for access in accesses)
        self.reader, self.funcs = reader, tuple(func for func in found if isinstance(func, Func))
        legal = tuple(f"{func.name}.compute_root()" for func in self.funcs)
        super().__init__(message, legal=legal, source=reader.stages[-1].definition.source)


def _check_bordered(output: Func, accesses: Sequence[Access]) -> None:
    """Raises `HardwareError` for a boundary condition on what lies in no memory."""
    for access in accesses:
        if isinstance(inner := source_of(access.target), BoundaryFunc):
            args = ", ".join(output.args)
            raise HardwareError(
                f"{output.name} reads {access}, a boundary condition on {inner.name}, another one: elements of it are "
                "chosen, which lie in a memory",
                legal=('inner = Func("inner")', f"inner[{args}] = {inner.name}[{args}]", "inner.compute_root()"),
                source=output.stages[-1].definition.source,
            )
        if isinstance(access.target, BoundaryFunc):
            raise Unplaced(
                f"{output.name} reads {access}: beyond its bounds elements are chosen, which lie in a memory",
                output, (access,),
            )  # fmt: skip


def _reads(node: Expr, func: object) -> bool:
    return isinstance(node, Access) and node.target is func


def _renaming(output: Func, owner: Func, access: Access) -> dict[str, str]:
    """The output's variables as the owner's. Raises `HardwareError` if the stages do not meet point by point."""
    names = [arg.name for arg in access.args if isinstance(arg, Variable)]
    if len(names) != len(access.args) or sorted(names) != sorted(output.args):
        raise Unplaced(
            f"{output.name}[{', '.join(output.args)}] reads {access}: a memory would lie between the two stages, and "
            "only a final stage that reads the reduction at the element it writes has none",
            output, (access,),
        )  # fmt: skip
    return dict(zip(names, owner.args, strict=True))


def _pure(pipeline: Pipeline, output: Func, view: Func, value: Expr) -> Kernel:
    names = tuple(arg.name for arg in view.pure.args if isinstance(arg, Variable))
    own, stage = dict(zip(output.args, names, strict=True)), over(view.stages[0], None)
    return Kernel(pipeline, output, stage, view, names, own, output.type, None, 0, value, None)


def _recurrence(pipeline: Pipeline, output: Func, view: Func) -> Kernel:
    """A definition by elements before each one."""
    stage = view.stages[1]
    value = shared(_written(pipeline, output)(stage.definition.value))
    if accesses := list(updated(value, pipeline.stages)):
        _check_bordered(output, accesses)
        read = " and ".join(dict.fromkeys(access.target.name for access in accesses))
        raise Unplaced(f"{output.name} follows its own elements, and reads {read}: a memory lies between", output,
                       accesses)  # fmt: skip
    for inner in reduces(value):
        raise _two_reductions(output, f"elements before each one and {inner}", stage)
    names = [arg.name for arg in stage.definition.args if isinstance(arg, Variable)]
    return Kernel(pipeline, output, stage, view, tuple(names), dict(zip(output.args, names, strict=True)), output.type,
                  None, 0, value, None)  # fmt: skip


def _reduction(pipeline: Pipeline, output: Func, owner: Func, final: Expr, args: tuple[str, ...]) -> Kernel:
    """`owner` updated once, `final` written to `output` at `args`."""
    written = _written(pipeline, output)
    found = recognise([(owner, written)])
    stage = owner.stages[1]
    _check_no_loops(owner.stages[0], f"the first definition of {owner.name} is where its accumulators start", stage)
    where = None if stage.definition.where is None else written(stage.definition.where)
    roots = (found.value, *found.finals, *([] if where is None else [where]))
    accesses = [node for root in roots for node in updated(root, pipeline.stages)]
    _check_bordered(output, accesses)
    for access in accesses:
        name = access.target.name
        why = f"{owner.name} reads {name}, which is itself a reduction: a memory would lie between the two stages"
        raise Unplaced(why, output, (access,))
    for inner in (node for root in (*roots, final) for node in reduces(root)):
        raise _two_reductions(output, f"{owner.name} and {inner}", stage)
    completed = {id(node): found.finals[0] for node in nodes(final) if _reads(node, owner)}
    renamed = dict(zip(output.args, args, strict=True))
    return _kernel(pipeline, output, stage, owner, renamed, found, _replaced(final, completed), where)


def _inner(
    pipeline: Pipeline, output: Func, value: Expr, inner: tuple[Reduce, ...], accesses: list[Access]
) -> Kernel:
    """A pure definition with inline reductions, all over one domain: side by side in the loops of the definition."""
    first = inner[0]
    stage = over(pipeline.updates.view(output).stages[0], first.domain)
    if accesses:
        what = f"{first} and {accesses[0].target.name}"
        raise Unplaced(_two_reductions(output, what, stage).message, output, accesses)
    for other in (node for each in inner for part in (each.value, each.start) for node in reduces(part)):
        raise _two_reductions(output, f"{first} and {other}", stage)
    for other in inner[1:]:
        if not other.domain.agrees(first.domain):
            raise _two_reductions(output, f"{first} and {other}, over two domains", stage)
    owners, written = [], _written(pipeline, output)
    for each in inner:
        access = expanded(each)
        func = access.target
        assert isinstance(func, Func)
        variables = dict(zip(func.args, access.args, strict=True))
        owners.append((func, lambda expr, variables=variables: written(substitute(expr, variables))))
    found = recognise(owners)
    completed = {id(node): final for node, final in zip(inner, found.finals, strict=True)}
    where = None if first.where is None else written(first.where)
    own = {arg: arg for arg in output.args}
    view = pipeline.updates.view(output)
    return _kernel(pipeline, output, stage, view, own, found, _replaced(value, completed), where)


def _two_reductions(output: Func, what: str, stage: Stage) -> HardwareError:
    return HardwareError(
        f"{output.name} reduces twice, by {what}: a memory would lie between the two; such pipelines cannot be built "
        "yet, only several inline reductions over one RDom, or one reduction and a final stage",
        legal=(f"{output.name}[{', '.join(output.args)}] = sum(r, ...) + maximum(r, ...)",),
        source=stage.definition.source,
    )


def _kernel(
    pipeline: Pipeline, output: Func, stage: Stage, owner: Func, renamed: dict[str, str], found: Reduction,
    final: Expr, where: Expr | None,
) -> Kernel:  # fmt: skip
    """`final`, of the `Accumulated` word, written to `output`."""
    for node in nodes(final):
        if isinstance(node, Access) and is_data(node):
            args = ", ".join(output.args)
            raise HardwareError(
                f"{output.name} looks {node.target.name} up as sums are written back; an array of its own does that",
                legal=(f"s[{args}] = sum(...)", f"{output.name}[{args}] = {node.target.name}[s[{args}]]"),
                source=stage.definition.source,
            )
    limits: tuple[Affine, ...] = ()
    guard = where
    if where is not None and stage.definition.domain is not None:
        limits, guard = bounded(where, stage.definition.domain)
    value = masked(found, guard)
    if places := pipeline.updates.scattered.get(owner):
        value = Scatter(value.type, value, tuple(places), tuple(map(_written(pipeline, output), places.values())))
    return Kernel(
        pipeline=pipeline, output=output, stage=stage, owner=owner, args=tuple(renamed[arg] for arg in output.args),
        renamed=renamed, type=found.type, combine=found.combine, init=found.init, value=value,
        epilogue=None if _whole(final) else final, limits=limits,
    )  # fmt: skip


def _whole(final: Expr) -> bool:
    """Whether it is the accumulated word as it is."""
    match final:
        case Pack(parts=parts):
            own = [part.index for part in parts if isinstance(part, Field) and isinstance(part.a, Accumulated)]
            return len(own) == len(parts) and own == list(range(len(parts))) and final.type == parts[0].a.type  # type: ignore[attr-defined]
    return isinstance(final, Accumulated)


def _replaced(expr: Expr, values: dict[int, Expr]) -> Expr:
    """`expr` with the nodes of these ids replaced; a part of a word that is written out is that part."""

    def change(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if id(node) in values:
            return values[id(node)]
        new = rebuild(node, parts)
        return new.a.parts[new.index] if isinstance(new, Field) and isinstance(new.a, Pack) else new

    return fold(expr, change)


def _check_no_loops(stage: Stage, why: str, other: Stage) -> None:
    """Raises `ScheduleError` for what is said of the loops of a stage that has none; perhaps it can be of `other`."""
    for directive in stage.directives:
        possible = _applies(other, directive)
        raise ScheduleError(
            f"{stage}.{directive}: {why}, so it has no loops" + ("" if possible else "; remove the line"),
            legal=(f"{other.name}.{directive}",) if possible else (),
            source=directive.source,
        )


def _applies(stage: Stage, directive: LoopDirective) -> bool:
    try:
        apply(stage.loops, directive)
    except ScheduleError:
        return False
    return True


def inputs_read(expr: Expr) -> tuple[Access, ...]:
    """Every access of an input in a kernel's expression, in order of appearance."""
    return tuple(node for node in nodes(expr) if isinstance(node, Access))
