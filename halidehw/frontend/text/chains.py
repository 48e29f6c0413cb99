"""The schedule of a Func as chains of calls, in an order in which every directive is legal again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, takewhile

from halidehw.errors import ScheduleError
from halidehw.frontend.design import Design
from halidehw.frontend.directives import (
    Bound,
    BufferDirective,
    ComputeAt,
    ComputeRoot,
    Directive,
    LoopDirective,
    SetEstimate,
)  # fmt: skip
from halidehw.frontend.func import Func
from halidehw.frontend.pipeline import pending
from halidehw.frontend.stage import Stage
from halidehw.frontend.text.notation import Names
from halidehw.notation import TEXT

_WIDTH = 100


def chains(func: Func, design: Design, names: Names) -> list[str]:
    """One statement for each run of directives on the same subject: `output.update().split(...).reorder(...);`"""
    waiting = _at_root(design) if func is design.output else []
    ordered = list(_ordered(func, waiting))
    calls = [(_subject(func, place, each, design, names), _call(func, each, names)) for place, each in ordered]
    return [_chain(subject, [call for _, call in run]) for subject, run in groupby(calls, lambda pair: pair[0])]


def _at_root(design: Design) -> list[BufferDirective]:
    """Those of copies outside all loops, which are in no Func's schedule."""
    waiting = pending(*design.outputs)
    roots = {each.buffer for each in waiting if isinstance(each, ComputeRoot)}
    return [each for each in waiting if each.buffer in roots]


def _chain(subject: str, calls: list[str]) -> str:
    line = f"{subject}.{'.'.join(calls)};"
    return line if len(line) <= _WIDTH else "\n    .".join([subject, *calls]) + ";"


def _ordered(func: Func, waiting: Iterable[Directive]) -> Iterator[tuple[int | None, Directive]]:
    """Each directive with its stage (None: the Func's own), both in their order: bounds, loops, buffers.

    A directive on loops that is not legal yet follows the bound that makes it so. One on buffers may name a loop of any
    stage, so it follows all on loops that are legal. `waiting`: of buffers that are in no Func's loops.
    """
    known = dict(func.inferred)
    stages = [Stage(stage.name, stage.definition, known) for stage in func.stages]
    left = [list(stage.directives) for stage in func.stages]

    def on_loops() -> Iterator[tuple[int, Directive]]:
        for place, (stage, directives) in enumerate(zip(stages, left, strict=True)):
            while directives and _added(stage, directives[0]):
                yield place, directives.pop(0)

    def own(directive: Directive) -> tuple[None, Directive]:
        if isinstance(directive, Bound | SetEstimate):
            known[directive.var] = func.known[directive.var]
        return None, directive

    first = list(takewhile(lambda directive: isinstance(directive, Bound | SetEstimate), func.directives))
    yield from map(own, first)
    yield from on_loops()
    for directive in (*waiting, *func.directives[len(first) :]):
        yield own(directive)
        yield from on_loops()
    yield from ((place, directive) for place, directives in enumerate(left) for directive in directives)


def _added(stage: Stage, directive: LoopDirective) -> bool:
    """Whether it is legal on the loops of `stage`, to which it then belongs."""
    try:
        stage.add(directive)
    except ScheduleError:
        return False
    return True


def _subject(func: Func, stage: int | None, directive: Directive, design: Design, names: Names) -> str:
    """What a directive is called on: `output.update()`, `input.in().in()`, `output`."""
    own = names.tensors[func.name]
    if stage:
        return f"{own}.update({stage - 1 or ''})"
    if not isinstance(directive, BufferDirective):
        return own
    wrap = f".in({own if _shared(directive.tensor, design) else ''})"
    inner = wrap + ".in()" * (directive.level - 1) if directive.level else ""
    return names.tensors[directive.tensor] + inner


def _shared(tensor: str, design: Design) -> bool:
    """Whether more than one Func has a buffer of the tensor, so that each needs a wrapper of its own."""
    placed = (each for func in design.funcs for each in func.directives if isinstance(each, ComputeAt) and each.level)
    return len({each.consumer for each in placed if each.tensor == tensor}) > 1


def _call(func: Func, directive: Directive, names: Names) -> str:
    """A directive as the call of its method."""
    domains = (stage.definition.domain for stage in func.stages)
    reductions = {var.name: var for domain in domains if domain is not None for var in domain.vars}

    def loop(name: str) -> str:
        return names.element(reductions[name]) if name in reductions else names.var(name)

    return directive.call(TEXT, loop, lambda name: names.tensors[name])
