"""From a scheduled Func that is one stage to its nest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from halidehw.errors import BoundsError
from halidehw.expr.expr import Access as AlgorithmAccess
from halidehw.expr.expr import Expr, Variable, fold, nodes, rebuild
from halidehw.expr.tree import shared
from halidehw.frontend.directives import BufferDirective
from halidehw.frontend.func import Func
from halidehw.frontend.params import Range
from halidehw.frontend.pipeline import notes_of, pending
from halidehw.frontend.stage import Stage
from halidehw.ir.affine import Affine, Part
from halidehw.ir.bounds import greatest
from halidehw.ir.bounds import ranges as loop_ranges
from halidehw.ir.nest import Access, Load, LoopValue, Nest, Tensor
from halidehw.ir.verify import verify
from halidehw.notation import PYTHON
from halidehw.notes import once
from halidehw.scheduler.borders import bordered
from halidehw.scheduler.borders import counted as box_of
from halidehw.scheduler.buffers import Beyond, Indexed, buffers
from halidehw.scheduler.capacity import declared
from halidehw.scheduler.frame import Frame
from halidehw.scheduler.gather import for_read
from halidehw.scheduler.indices import Box, Ranges, in_loops, not_affine
from halidehw.scheduler.kernel import Kernel, Scatter, inputs_read, kernel
from halidehw.scheduler.lookups import tables
from halidehw.scheduler.loops import Arrangement, arrange
from halidehw.scheduler.overflow import check_overflow
from halidehw.scheduler.pipeline import Pipeline, pipeline_of
from halidehw.scheduler.recurrences import Recurring
from halidehw.scheduler.reduction import Position
from halidehw.scheduler.scans import scanned
from halidehw.scheduler.scattered import scattered, scattered_loops
from halidehw.scheduler.stages import check_stages, placed
from halidehw.scheduler.tensors import Read, read, tensors


def lower(func: Func, bounds: Mapping[str, Range] | None = None) -> Nest:
    """The scheduled loop nest of an algorithm that ends in `func`.

    `bounds`: variable of `func` -> (min, extent), for those that no `bound` states. Raises `BoundsError` for a
    variable without bounds or a read outside an input's, `HardwareError` for an algorithm that is no single
    reduction or pure definition of affine reads, `ScheduleError` for a directive that the extents do not allow.
    """
    pipeline = pipeline_of(func)
    for stage, place in pipeline.places.items():
        raise placed(stage, place)
    return lower_alone(pipeline, bounds)


def lower_alone(pipeline: Pipeline, bounds: Mapping[str, Range] | None) -> Nest:
    """The nest of a pipeline of one stage. Raises what `lower` does."""
    func = pipeline.output
    core = kernel(func, pipeline)
    notes = (*notes_of(func), *check_stages([core]))
    domain = computed_for(core, bounds or {})
    nest, _ = stage_nest(core, Frame.at_root(domain), domain)
    return verify(replace(nest, notes=once((*notes, *nest.notes))))


def stage_nest(
    core: Kernel, frame: Frame, domain: Mapping[str, Range], also: Beyond | None = None,
    counted: Mapping[str, Range] | None = None,
) -> tuple[Nest, Arrangement]:  # fmt: skip
    """The nest of one stage inside the loops of its frame, and its loops as directives name them.

    `domain`: (min, extent) of every variable of the stage, pure ones first, in all places together; `also`: what lies
    in its memories of other stages beside what it reads; `counted`: of the domain what counts, where that is not all.
    """
    seen = None if counted in (None, domain) else box_of(core, ranges_of(counted or domain))
    core = bordered(core, ranges_of(domain))
    check_overflow(core, domain)
    resolve = _resolving(core, ranges_of(domain))
    parts = _parts(core, domain, resolve)
    arrangement = arrange(core.stage, frame, core.limits, parts)
    nest = _nest(core, arrangement, frame, domain, also or {}, seen, resolve)

    def scheduled(stage: Stage) -> Nest:
        arrangement = arrange(stage, frame, core.limits, parts)
        return _nest(replace(core, stage=stage), arrangement, frame, domain, also or {}, seen, resolve)

    return declared(core, nest, scheduled), arrangement


Resolve = Callable[[AlgorithmAccess], Read]
"""What an access reads, at indices over the algorithm's variables."""


def _parts(core: Kernel, domain: Mapping[str, Range], resolve: Resolve) -> tuple[Part, ...]:
    """The quotients and remainders in the indices of what is read, but for tables."""
    ranges = ranges_of(domain)
    held = tables([core.value], ranges, core.stage.definition.source)
    accesses = (access for access in _accesses(core) if access.target not in held)
    forms = (form for access in accesses for form in resolve(access).indices)
    return tuple(name for form in forms for name in form.names if isinstance(name, Part))


def ranges_of(domain: Mapping[str, Range]) -> Ranges:
    """The least and the greatest value of each variable."""
    return {name: (low, low + extent - 1) for name, (low, extent) in domain.items()}


def _accesses(core: Kernel) -> tuple[AlgorithmAccess, ...]:
    roots = [core.value] if core.epilogue is None else [core.value, core.epilogue]
    return tuple(access for root in roots for access in inputs_read(root))


def _resolving(core: Kernel, ranges: Ranges) -> Resolve:
    """That of a kernel, which does it once for each access."""
    known: dict[int, tuple[AlgorithmAccess, Read]] = {}
    source = core.stage.definition.source

    def resolve(access: AlgorithmAccess) -> Read:
        if id(access) not in known:
            known[id(access)] = access, read(
                access, core.pipeline.stages, ranges, source, lambda read, place: for_read(core, read, place, ranges)
            )
        return known[id(access)][1]

    return resolve


def _nest(
    core: Kernel, arrangement: Arrangement, frame: Frame, domain: Mapping[str, Range], also: Beyond,
    seen: Mapping[object, Box] | None, resolve: Resolve,
) -> Nest:  # fmt: skip
    body = _body(core, arrangement, ranges_of(domain), also, seen, resolve)
    memories, notes = buffers(core, arrangement, body.reads, body.late, also)
    return Nest(
        name=core.output.name,
        loops=arrangement.loops,
        domain=arrangement.domain,
        inputs=body.inputs,
        output=_output(core, domain),
        reads=tuple(Access(each.tensor, each.indices) for each in body.reads),
        write=Access(core.output.name, tuple(arrangement.values[arg] for arg in core.args)),
        type=core.type,
        combine=core.combine,
        init=core.init,
        value=body.value,
        epilogue=body.epilogue,
        buffers=memories,
        schedule=_schedule(core),
        consumer=core.owner.name,
        source=core.stage.definition.source,
        place=len(frame.loops),
        scattered=scattered_loops(core, arrangement),
        notes=(*arrangement.notes, *notes),
    )


def computed_for(core: Kernel, extra: Mapping[str, Range]) -> dict[str, Range]:
    """(min, extent) of every variable of the stage that is the output's, pure ones first: as stated by bounds or
    `extra`."""
    output, owner = core.output, core.owner
    found: dict[str, Range] = {}
    for arg in output.args:
        name = core.renamed[arg]
        stated = [pair for pair in (output.bounds.get(arg), owner.bounds.get(name), extra.get(arg)) if pair]
        stated = stated or [pair for pair in (output.known.get(arg), owner.known.get(name)) if pair]
        if not stated:
            raise BoundsError(
                f"the extent of {arg} of {output.name} is not known",
                legal=(f"{output.name}.bound({arg}, 0, 16)",),
                source=core.stage.definition.source,
            )
        for other in stated[1:]:
            if other != stated[0]:
                raise BoundsError(
                    f"{arg} of {output.name} has two bounds: (min, extent) {stated[0]} and {other}",
                    legal=(f"{output.name}.bound({arg}, {stated[0][0]}, {stated[0][1]})",),
                    source=core.stage.definition.source,
                )
        found[name] = stated[0]
    reduction = core.stage.definition.domain
    inner = () if reduction is None else reduction.vars
    return found | {var.name: (var.min, var.extent) for var in inner}


def _output(core: Kernel, domain: Mapping[str, Range]) -> Tensor:
    pairs = [domain[arg] for arg in core.args]
    return Tensor(
        core.output.name, core.output.type, tuple(low for low, _ in pairs), tuple(extent for _, extent in pairs)
    )


@dataclass(frozen=True)
class _Body:
    """What an iteration computes, in terms of the loops. `late`: the tensors read at write-back."""

    inputs: tuple[Tensor, ...]
    reads: tuple[Indexed, ...]
    late: frozenset[str]
    value: Expr
    epilogue: Expr | None


def _body(
    core: Kernel, arrangement: Arrangement, ranges: Ranges, also: Beyond, seen: Mapping[object, Box] | None,
    resolve: Resolve,
) -> _Body:  # fmt: skip
    source = core.stage.definition.source
    loops = {loop.name: loop for loop in arrangement.loops}

    def in_place(access: AlgorithmAccess, found: Read, place: int) -> Affine:
        index = in_loops(found.indices[place], arrangement.values, loops)
        if index is None:
            variables = [each.name for each in nodes(access.args[place]) if isinstance(each, Variable)]
            moved = any(arrangement.values[name].names & set(arrangement.outside) for name in variables)
            legal = (f"{core.owner.name}.compute_root()",) if moved else for_read(core, access, place, ranges)
            raise not_affine(access, place, found.image.name, source, legal)
        return index

    roots = [core.value] if core.epilogue is None else [core.value, core.epilogue]
    box = loop_ranges(arrangement.loops)
    held = {
        target: table.with_room([[form.range(box) for form in index] for index in also.get(table.image.name, ())])
        for target, table in tables([core.value], ranges, source).items()
    }

    def indexed(access: AlgorithmAccess) -> Indexed:
        found = resolve(access)
        return Indexed(found.image.name, tuple(in_place(access, found, place) for place in range(len(found.indices))))

    def reaching(access: AlgorithmAccess) -> Read:
        found, reach = resolve(access), {}
        for place, form in enumerate(found.indices):
            if any(isinstance(name, Part) for name in form.names):
                index = in_place(access, found, place)
                reach[place] = _ends(index, arrangement)
        return replace(found, reach=reach)

    accesses = [[access for access in inputs_read(root) if access.target not in held] for root in roots]
    whole = tuple(Indexed(each.image.name, corner) for each in held.values() for corner in each.corners)
    reads = (*dict.fromkeys(indexed(access) for found in accesses for access in found), *whole)

    def leaf(node: Expr, parts: tuple[Expr, ...]) -> Expr | None:
        match node:
            case Recurring():
                return scanned(core, arrangement, node, parts[0], ranges[node.var])
            case Scatter():
                return scattered(core, arrangement, node, parts, ranges)
            case AlgorithmAccess(target=target) if target in held:
                return held[target].lookup(node, parts)
            case AlgorithmAccess():
                return Load(node.type, reads.index(indexed(node)))
            case Variable(type=kind, name=name):
                return LoopValue(kind, arrangement.values[name])
            case Position(type=kind, terms=terms, constant=constant):
                forms = (arrangement.values[name] * weight for name, weight in terms)
                return LoopValue(kind, sum(forms, Affine((), constant)))
        return None

    value, *epilogue = (shared(_replaced(root, leaf)) for root in roots)
    return _Body(
        inputs=tensors(
            [*(reaching(access) for found in accesses for access in found), *(each.read for each in held.values())],
            ranges, core.stage.definition.source, seen,
        ),
        reads=reads,
        late=frozenset(resolve(access).image.name for found in accesses[1:] for access in found),
        value=value,
        epilogue=epilogue[0] if epilogue else None,
    )


def _ends(index: Affine, arrangement: Arrangement) -> tuple[int, int]:
    """The least and the greatest value of an index that a memory of its tensor covers."""
    low = -greatest(-index, arrangement.loops, arrangement.domain)
    return low, greatest(index, arrangement.loops, arrangement.domain)


def _replaced(expr: Expr, leaf: Callable[[Expr, tuple[Expr, ...]], Expr | None]) -> Expr:
    """`expr` with every node for which `leaf`, given what its children have become, has something else replaced by
    that."""

    def change(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        found = leaf(node, parts)
        return rebuild(node, parts) if found is None else found

    return fold(expr, change)


def _schedule(core: Kernel) -> tuple[str, ...]:
    """The directives as lines of Python, whatever the notation they were given in."""
    funcs = dict.fromkeys((core.owner, core.output))
    lines = (
        ("" if isinstance(directive, BufferDirective) else f"{subject}.") + directive.written(PYTHON)
        for func in funcs
        for subject, directive in func.schedule
    )
    waiting = (each for each in pending(*core.pipeline.outputs) if each in core.directives)
    return tuple(dict.fromkeys(lines)) + tuple(each.written(PYTHON) for each in waiting)
