"""From a scheduled Func to the graph of its stages.

Consumers come first: what a stage is computed for follows from the buffers in which its consumers keep it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from halidehw.errors import BoundsError, HardwareError, ScheduleError
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam, Range
from halidehw.frontend.pipeline import notes_of
from halidehw.ir.affine import Affine
from halidehw.ir.bounds import Span, depth, footprint, greatest
from halidehw.ir.graph import Graph, shared, verify_graph
from halidehw.ir.nest import Constraint, Loop, Nest, Tensor
from halidehw.notes import once
from halidehw.scheduler.frame import Along, Frame, Named, outside
from halidehw.scheduler.kernel import Kernel, kernel
from halidehw.scheduler.loops import Arrangement
from halidehw.scheduler.lower import computed_for, lower, stage_nest
from halidehw.scheduler.order import check_order
from halidehw.scheduler.pipeline import Pipeline, pipeline_of
from halidehw.scheduler.stages import check_stages


def lower_graph(func: Func, bounds: Mapping[str, Range] | None = None) -> Graph:
    """The scheduled stages of an algorithm that ends in `func`, those that it is computed from first.

    `bounds`: variable of `func` -> (min, extent), for those that no `bound` states. Raises what `lower` raises, and
    `HardwareError` for a stage of which no box of constant size is needed at its place.
    """
    pipeline = pipeline_of(func)
    if not pipeline.stages:
        return Graph((lower(func, bounds),))
    kernels = _kernels(pipeline)
    notes = (*notes_of(func), *check_stages(kernels))
    _check_read(pipeline, kernels)
    done: dict[str, _Stage] = {}
    for core in reversed(kernels):
        if core.output is func:
            domain = computed_for(core, bounds or {})
            frame = Frame.at_root(domain)
        else:
            consumers = [each for each in done.values() if core.output in each.core.reads]
            region = _region(core, consumers)
            domain = _domain(core, region)
            frame = _frame(core, domain, _only(core, consumers))
        done[core.output.name] = _Stage(core, *stage_nest(core, frame, domain))
        if core.output is not func:
            check_order(core, done[core.output.name].nest, [each.nest for each in consumers])
    made = {name: stage.nest.output for name, stage in done.items()}
    nests = [replace(stage.nest, inputs=tuple(made.get(tensor.name, tensor) for tensor in stage.nest.inputs))
             for stage in reversed(done.values())]  # fmt: skip
    notes = once((*notes, *(note for nest in nests for note in nest.notes)))
    return verify_graph(Graph((*nests[:-1], replace(nests[-1], notes=notes))))


@dataclass(frozen=True)
class _Stage:
    """A stage that is lowered."""

    core: Kernel
    nest: Nest
    arrangement: Arrangement

    @property
    def places(self) -> dict[Named, str | None]:
        """The loops as directives name them, this stage's own and its consumers'."""
        own: dict[Named, str | None] = {}
        for func in (self.core.owner, self.core.output):
            names = {self.core.renamed[arg]: arg for arg in self.core.output.args} if func is self.core.output else {}
            own |= {(func.name, names.get(var, var)): loop for var, loop in self.arrangement.places.items()}
        return {**self.arrangement.beyond, **own}


def _kernels(pipeline: Pipeline) -> tuple[Kernel, ...]:
    """Those of all stages that are read, the output's last, each after those that it reads."""
    found: dict[Func, Kernel] = {}

    def visit(func: Func) -> None:
        core = kernel(func, pipeline)
        for source in core.reads:
            if isinstance(source, Func) and source not in found:
                visit(source)
        found[func] = core

    for func in pipeline.places:
        _check_defined(pipeline, func)
    visit(pipeline.output)
    return tuple(found.values())


def _check_defined(pipeline: Pipeline, func: Func) -> None:
    if isinstance(func, BoundaryFunc):
        args = ", ".join("xyzw"[: func.dimensions]) if func.dimensions <= 4 else "..."
        raise HardwareError(
            f"{pipeline.places[func]}: {func.name} is a boundary condition, which has no loops; a stage that is a copy "
            "of it has",
            legal=(f"padded[{args}] = {func.name}[{args}]", "padded.compute_root()"),
            source=pipeline.places[func].source,
        )


def _check_read(pipeline: Pipeline, kernels: Sequence[Kernel]) -> None:
    """Every memory is that of a tensor that a stage reads, and every input is read by one."""
    taken = (each for core in kernels for each in core.directives)
    for directive in pipeline.unread(taken):
        if (directive.tensor, directive.level) != (pipeline.output.name, 0):
            raise ScheduleError(
                f"{directive}: no stage reads {directive.tensor} from a memory; remove the line",
                source=directive.source,
            )
    readers: dict[ImageParam, list[Kernel]] = {}
    for core in kernels:
        for image in core.reads:
            if isinstance(image, ImageParam):
                readers.setdefault(image, []).append(core)
    for image, found in readers.items():
        if len(found) > 1:
            args = ", ".join("xyzw"[: image.dimensions])
            raise HardwareError(
                f"{image.name} is read by {' and '.join(core.output.name for core in found)}, but its port has one "
                "reader; a stage that is a copy of it can have several",
                legal=(f"copied[{args}] = {image.name}[{args}]", "copied.compute_root()"),
                source=found[-1].stage.definition.source,
            )


def _only(core: Kernel, consumers: Sequence[_Stage]) -> _Stage:
    if len(consumers) > 1:
        names = " and ".join(each.nest.name for each in consumers)
        raise HardwareError(
            f"{core.output.name} is read by {names}: a stage that several others read cannot be built yet",
            source=core.pipeline.places[core.output].source,
        )
    return consumers[0]


def _region(core: Kernel, consumers: Sequence[_Stage]) -> Tensor:
    """All of a stage that its consumers read. Raises `BoundsError` if that is not within its stated bounds."""
    read = [stage.nest.tensor[core.output.name] for stage in consumers]
    mins = tuple(min(low) for low in zip(*(each.mins for each in read), strict=True))
    ends = [tuple(low + size for low, size in zip(each.mins, each.extents, strict=True)) for each in read]
    extents = tuple(max(end) - low for low, *end in zip(mins, *ends, strict=True))
    for arg, low, extent in zip(core.output.args, mins, extents, strict=True):
        stated = core.output.bounds.get(arg)
        if stated and not (stated[0] <= low and low + extent <= sum(stated)):
            raise BoundsError(
                f"{core.output.name} is needed for {arg} in [{low}, {low + extent - 1}], but is bound to "
                f"[{stated[0]}, {sum(stated) - 1}]",
                legal=(f"{core.output.name}.bound({arg}, {low}, {extent})",),
                source=core.stage.definition.source,
            )
    return replace(read[0], mins=mins, extents=extents)


def _domain(core: Kernel, region: Tensor) -> dict[str, Range]:
    pairs = zip(region.mins, region.extents, strict=True)
    reduction = core.stage.definition.domain
    inner = () if reduction is None else reduction.vars
    return dict(zip(core.args, pairs, strict=True)) | {var.name: (var.min, var.extent) for var in inner}


def _frame(core: Kernel, domain: Mapping[str, Range], consumer: _Stage) -> Frame:
    """Where the loops of a stage lie that one other reads."""
    nest, name = consumer.nest, core.output.name
    buffer = nest.levels(name)[0]
    _check_temporal(core, consumer)
    loops = shared(nest, buffer)
    inside = {loop.name for loop in loops}
    reads = [access.indices for access in nest.reads if access.tensor == name]
    outer, inner = nest.loops[: len(loops)], nest.loops[len(loops) :]
    spans = [footprint(indices, outer, inner, nest.domain) for indices in zip(*reads, strict=True)]
    own = Frame.at_root(domain).box
    box = {arg: _along(core, span) for arg, span in zip(core.args, spans, strict=True)}
    kept = [(tuple(term for term in each.terms if term[0] in inside), each.limit) for each in nest.domain]
    rows = {} if buffer.slide is None else {
        named: core.args[buffer.slide.dimension] for named, loop in consumer.places.items()
        if depth(nest, buffer.slide.loops[-1]) <= depth(nest, loop) <= depth(nest, buffer.at)}  # fmt: skip
    innermost = loops[-1].name if loops else None
    places = {
        named: loop if loop is None or loop in inside else innermost
        for named, loop in consumer.places.items()
        if loop is None or loop in inside or (buffer.slide is None and depth(nest, loop) <= depth(nest, buffer.at))
    }
    return Frame(
        box={**own, **box},
        prefix=_prefix(name, loops),
        loops=loops,
        domain=tuple(Constraint(terms, limit) for terms, limit in kept if terms),
        limits=_limits(core, domain, [(span, _within(nest, loops, span)) for span in spans], box),
        places=places,
        rows=rows,
    )


def _prefix(name: str, loops: Sequence[Loop]) -> str:
    """What the names of a stage's own loops begin with."""
    prefix = f"{name}."
    while any(loop.name.startswith(prefix) for loop in loops):
        prefix = f"_{prefix}"
    return prefix


def _along(core: Kernel, span: Span) -> Along:
    if span.low != span.first.sympy:
        place = core.pipeline.places[core.output]
        raise HardwareError(
            f"{place}: the part of {core.output.name} that is needed there is cut off at its lower end as the loops "
            "outside step; only its upper end can be",
            legal=(f"{core.output.name}.compute_root()",),
            source=place.source,
        )
    return Along(span.first, (span.size - 1) // span.step + 1, span.step)


def _within(nest: Nest, loops: Sequence[Loop], span: Span) -> int:
    """What the last index of a span does not exceed, by its limits."""
    return min(greatest(span.first + limit, loops, nest.domain) for limit in span.limits)


def _limits(
    core: Kernel, domain: Mapping[str, Range], spans: Sequence[tuple[Span, int]], box: Mapping[str, Along]
) -> tuple[Affine, ...]:
    """What is needed of the box: up to what the loops inside touch, and within the whole of the stage. `spans`: what
    their last indices do not exceed beside them."""
    found: dict[tuple[tuple[str, int], ...], Affine] = {}
    for arg, (span, most) in zip(core.args, spans, strict=True):
        along, last = box[arg], sum(domain[arg]) - 1
        cut = most > last and all(weight > 0 for _, weight in span.first.terms)
        whole = [-span.first + last] if cut else []
        for limit in (*span.limits, *whole):
            if limit.terms:
                free = limit.substitute({name: Affine.variable(outside(name)) for name in limit.names})
                form = free - along.step * (Affine.variable(arg) - along.low)
                if form.terms not in found or form.constant < found[form.terms].constant:
                    found[form.terms] = form
    return tuple(found.values())


def _check_temporal(core: Kernel, consumer: _Stage) -> None:
    """A stage is computed outside the lanes of its consumer."""
    nest, name = consumer.nest, core.output.name
    buffer = nest.levels(name)[0]
    lanes = next((loop for loop in nest.loops[: depth(nest, buffer.at)] if loop.lanes > 1), None)
    if lanes is None:
        return
    legal = [f"{name}.compute_at({func}, {var})" for (func, var), loop in consumer.places.items()
             if depth(nest, loop) < depth(nest, lanes.name)]  # fmt: skip
    place = core.pipeline.places[core.output]
    raise ScheduleError(
        f"{place}: {name} would be computed inside the lanes of {lanes.name}, in each of them; it is computed outside "
        "the array",
        legal=(*dict.fromkeys(legal), f"{name}.compute_root()"),
        source=place.source,
    )
