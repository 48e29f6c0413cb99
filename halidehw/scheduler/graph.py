"""From a scheduled Func to the graph of its stages.

Consumers come first: what a stage is computed for follows from the buffers in which its consumers keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from halidehw.errors import BoundsError, HalideHWError, HardwareError, ScheduleError, SourceLine
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.design import Design
from halidehw.frontend.directives import Bound, ComputeRoot, StoreAt, StoreRoot
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam, Range
from halidehw.frontend.pipeline import notes_of, tensors_of
from halidehw.ir.affine import Affine
from halidehw.ir.elements import touched
from halidehw.ir.graph import Graph, shared, verify_graph
from halidehw.ir.nest import Nest, Tensor
from halidehw.notes import Note, once
from halidehw.scheduler.between import check_between
from halidehw.scheduler.borders import around, counted, over_edge
from halidehw.scheduler.copies import several_ways, with_copy, with_stage
from halidehw.scheduler.frame import Frame, Named
from halidehw.scheduler.framing import Stage, check_temporal, framed
from halidehw.scheduler.kernel import Kernel, kernel
from halidehw.scheduler.layouts import with_layouts
from halidehw.scheduler.lower import computed_for, lower_alone, ranges_of
from halidehw.scheduler.order import check_order, in_rows
from halidehw.scheduler.parts import with_parts
from halidehw.scheduler.pipeline import Pipeline, pipeline_of
from halidehw.scheduler.places import with_places
from halidehw.scheduler.proposals import at_root, checked
from halidehw.scheduler.recurrences import Recurring
from halidehw.scheduler.scattered import reached
from halidehw.scheduler.stages import check_stages
from halidehw.scheduler.union import Pace, Reader, beyond, paced


def lower_graph(
    design: Func | Design, bounds: Mapping[str, Range] | None = None, nests: dict[object, Any] | None = None
) -> Graph:
    """The scheduled stages of an algorithm that ends in the Funcs of a design, those that they are computed from first.

    `bounds`: variable of the output -> (min, extent), for those that no `bound` states; `nests`: what earlier calls for
    the same algorithm, under other schedules, have left there, by what it depends on. Raises what `lower` raises, and
    `HardwareError` for a stage of which no box of constant size is needed at its place.
    """
    pipeline = pipeline_of(*(design.outputs if isinstance(design, Design) else (design,)), nests=nests)
    tensors = (each for each in tensors_of(*pipeline.outputs) if isinstance(each, Func | ImageParam))
    try:
        graph = _kept(pipeline, bounds)
    except HalideHWError as error:
        raise checked(error, pipeline, lambda other: _kept(other, bounds)).naming(pipeline.others) from None
    return with_layouts(replace(graph, others=tuple(pipeline.others.items())), tensors)


def _kept(pipeline: Pipeline, bounds: Mapping[str, Range] | None) -> Graph:
    """With windows that slide along all loops that move them; or, where the stages do not meet so, along the innermost
    one alone, and a note."""
    try:
        return _graph(pipeline, bounds)
    except HalideHWError as error:
        if not any(isinstance(each, StoreAt | StoreRoot) for each in pipeline.said):
            raise
        try:
            graph = _graph(replace(pipeline, anew=True), bounds)
        except HalideHWError:
            raise error from None
        last = graph.stages[-1]
        why = Note(f"windows begin anew as loops outside the one that slides them step: {error.message}", error.source)
        return replace(graph, stages=(*graph.stages[:-1], replace(last, notes=once((*last.notes, why)))))


def _graph(pipeline: Pipeline, bounds: Mapping[str, Range] | None) -> Graph:
    """That of a pipeline, whose Funcs have a place where they need one."""
    outputs, lowered = pipeline.outputs, cache(lambda other: _lowered(other, bounds or {}))
    pipeline = with_places(pipeline, lowered)
    if len(outputs) == 1 and not pipeline.stages and not several_ways(nest := _alone(pipeline, bounds)):
        return Graph((nest,))
    for image, readers in _shared(_kernels(pipeline)).items():
        pipeline = with_copy(pipeline, image, readers, lowered)
    done = lowered(pipeline)
    if names := {name for stage in done.values() for name in several_ways(stage.nest)}:
        images = (each for core in _kernels(pipeline) for each in core.reads if each.name in names)
        for image in dict.fromkeys(each for each in images if isinstance(each, ImageParam)):
            pipeline = with_stage(pipeline, image)
        done = lowered(pipeline)
    notes = (*notes_of(*outputs), *check_stages([stage.core for stage in reversed(done.values())]))
    whole = _whole(done.values())
    nests = [replace(stage.nest, inputs=tuple(whole[tensor.name] for tensor in stage.nest.inputs))
             for stage in reversed(done.values())]  # fmt: skip
    written = tuple(func.name for func in outputs)
    graph = Graph(tuple(nests), written, frozenset(pipeline.between))
    check_between(graph, pipeline)
    graph = with_parts(graph, pipeline)
    last, notes = graph.stages[-1], (*notes, *(note for nest in graph.stages for note in nest.notes))
    return verify_graph(replace(graph, stages=(*graph.stages[:-1], replace(last, notes=once(notes)))))


def _alone(pipeline: Pipeline, bounds: Mapping[str, Range] | None) -> Nest:
    return lower_alone(replace(pipeline, anew=False), bounds)


def _lowered(pipeline: Pipeline, bounds: Mapping[str, Range]) -> dict[str, Stage]:
    """The stages by name, consumers before what they read."""
    kernels = _kernels(pipeline)
    _check_read(pipeline, kernels)
    done: dict[str, Stage] = {}
    for core in reversed(kernels):
        also = {each.name: () for each in core.reads if sum(each in other.reads for other in kernels) > 1
                and each in pipeline.stages and each.name not in pipeline.between}  # fmt: skip
        readers = [each for each in done.values() if core.output in each.core.reads]
        if core.output not in pipeline.stages:
            domain = computed_for(core, bounds)
            stage = Stage.of(core, domain, domain, Frame.at_root(domain), {}, also)
        elif core.output.name in pipeline.between:
            domain, real = _domains(core, readers)
            stage = Stage.of(core, domain, real, Frame.at_root(domain), {}, also)
        else:
            consumers = _agreed(core, readers)
            done |= {each.nest.name: each for each in consumers}
            domain, real = _domains(core, consumers)
            nests = [each.nest for each in consumers]
            frame, pace = _framed(core, domain, consumers)
            stage = Stage.of(in_rows(core, nests), domain, real, frame, pace, also)
            check_order(core, stage.nest, nests)
            _check_output(core, stage, bounds)
        done[core.output.name] = stage
    return done


def _shared(kernels: Sequence[Kernel]) -> dict[ImageParam, tuple[str, ...]]:
    """The inputs that several stages read, and the names of these."""
    images = dict.fromkeys(each for core in kernels for each in core.reads if isinstance(each, ImageParam))
    readers = {image: tuple(core.output.name for core in kernels if image in core.reads) for image in images}
    return {image: names for image, names in readers.items() if len(names) > 1 and image.dimensions}


def _whole(stages: Iterable[Stage]) -> dict[str, Tensor]:
    """Every tensor that is read: what a stage makes, and of an input what all of its readers have together."""
    made = {stage.nest.name: stage.nest.output for stage in stages}
    found: dict[str, Tensor] = {}
    for stage in stages:
        for tensor in stage.nest.inputs:
            found[tensor.name] = together([found.get(tensor.name, tensor), tensor])
    for stage in stages:
        _check_bordered(stage.nest, found)
    return {**found, **{name: tensor for name, tensor in made.items() if name in found}}


def _check_bordered(nest: Nest, whole: Mapping[str, Tensor]) -> None:
    """No stage reads an input beyond the bounds of the boundary condition through which another one reads it."""
    for tensor in nest.inputs:
        all_of_it, border = whole[tensor.name], tensor.boundary
        if border and not border.free and (tensor.mins, tensor.extents) != (all_of_it.mins, all_of_it.extents):
            own, read = ([(low, low + size - 1) for low, size in zip(each.mins, each.extents, strict=True)]
                         for each in (tensor, all_of_it))  # fmt: skip
            value = "" if border.value is None else f", {border.value}"
            pairs = list(zip(tensor.mins, tensor.extents, strict=True))
            raise BoundsError(
                f"{tensor.name} is read at {read}, but has {own} (first and last of each dimension) where {nest.name} "
                f"reads it through {border.kind}",
                legal=(f"padded = BoundaryConditions.{border.kind}({tensor.name}{value}, {pairs})",),
                source=nest.source,
            )


def together(read: Sequence[Tensor]) -> Tensor:
    """The smallest box around all of these boxes of a tensor."""
    mins = tuple(min(low) for low in zip(*(each.mins for each in read), strict=True))
    ends = [tuple(low + size for low, size in zip(each.mins, each.extents, strict=True)) for each in read]
    extents = tuple(max(end) - low for low, *end in zip(mins, *ends, strict=True))
    borders = sorted((each.boundary for each in read if each.boundary), key=lambda border: border.free)
    return replace(read[0], mins=mins, extents=extents, boundary=borders[0] if borders else None)


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
    for func in pipeline.outputs:
        visit(func)
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
    """Every memory is that of a tensor that a stage reads."""
    taken = (each for core in kernels for each in core.directives)
    for directive in pipeline.unread(taken):
        if directive.level or directive.tensor not in {func.name for func in pipeline.outputs}:
            raise ScheduleError(
                f"{directive}: no stage reads {directive.tensor} from a memory; remove the line",
                source=directive.source,
            )


def _agreed(core: Kernel, consumers: Sequence[Stage]) -> Sequence[Stage]:
    """The stages that read one, with memories that hold the same part of it at a time."""
    for each in consumers:
        check_temporal(core, each)
    whole = _reached(core, consumers)
    if len(consumers) == 1 and not any(whole):
        return consumers
    name, place = core.output.name, core.pipeline.places[core.output]
    readers = [Reader(each.nest, name, paced(each.pace, place)) for each in consumers]
    others = beyond(place, readers) if len(readers) > 1 else [()]
    return [
        Stage.of(each.core, each.domain, each.counted, each.frame, each.pace, {**each.also, name: (*indices, *more)})
        for each, indices, more in zip(consumers, others, whole, strict=True)
    ]


def _reached(core: Kernel, consumers: Sequence[Stage]) -> list[tuple[tuple[Affine, ...], ...]]:
    """For each consumer the first, the next and the last index of all that updates at data reach or one of them reads,
    or of an output; nothing where a stage is neither."""
    found = reached(core)
    if core.output in core.pipeline.outputs and isinstance(core.pipeline.places[core.output], ComputeRoot):
        found = dict.fromkeys(range(core.output.dimensions), (0, 1)) | found
    if not found:
        return [() for _ in consumers]
    region = _region(core, consumers)
    ends = [(low, min(low + 1, low + size - 1), low + size - 1)
            for low, size in zip(region.mins, region.extents, strict=True)]  # fmt: skip
    reads = [[read for read in each.nest.reads if read.tensor == core.output.name] for each in consumers]
    for each, mine in zip(consumers, reads, strict=True):
        _check_whole(core, each.nest, [read.indices[d] for read in mine for d in found])
    return [
        tuple(tuple(Affine((), ends[d][which]) if d in found else form for d, form in enumerate(read.indices))
              for read in each for which in range(3))
        for each in reads
    ]  # fmt: skip


def _check_whole(core: Kernel, reader: Nest, indices: Iterable[Affine]) -> None:
    """What is updated at data is not computed where only a part of it is needed. `indices`: those it is read at."""
    place = core.pipeline.places[core.output]
    outside = {loop.name for loop in shared(reader, reader.levels(core.output.name)[0])}
    if any(outside & set(form.names) for form in indices):
        along = f"follows its own elements along {core.value.var}" if isinstance(core.value, Recurring) else ""
        why = f"{core.output.name} {along or 'is updated at data'}"
        raise HardwareError(
            f"{place}: {why}, so all of it is computed at a time; {reader.name} reads a part of it there",
            legal=(at_root(place),),
            source=place.source,
        )


def _framed(
    core: Kernel, domain: Mapping[str, Range], consumers: Sequence[Stage]
) -> tuple[Frame, dict[Named, Pace]]:
    """The one frame in which all consumers have a stage computed; of the places in it, those in all of them."""
    found = [framed(core, domain, each) for each in consumers]
    frame, pace = found[0]
    place = core.pipeline.places[core.output]
    for (other, also), consumer in zip(found[1:], consumers[1:], strict=True):
        if (other.box, other.loops, set(other.limits)) != (frame.box, frame.loops, set(frame.limits)):
            raise HardwareError(
                f"{place}: {consumers[0].nest.name} and {consumer.nest.name} read {core.output.name}, but do not need "
                "the same part of it at a time",
                legal=(at_root(place),),
                source=place.source,
            )
        frame = replace(
            frame,
            domain=tuple(each for each in frame.domain if each in other.domain),
            places={named: loop for named, loop in frame.places.items() if other.places.get(named, "") == loop},
            rows={named: var for named, var in frame.rows.items() if other.rows.get(named) == var},
        )
        pace = {named: each for named, each in pace.items() if also.get(named) == each}
    return frame, pace


def _domains(core: Kernel, consumers: Sequence[Stage]) -> tuple[dict[str, Range], dict[str, Range]]:
    """(min, extent) of the variables of a stage, and of those of its elements whose values count: all of an output, and
    of what nothing reads beyond bounds. Raises `BoundsError` where they are not within its stated bounds."""
    region = _region(core, consumers)
    pairs = list(zip(region.mins, region.extents, strict=True))
    beyond = any(each.counted != each.domain or over_edge(each.core, core.output) for each in consumers)
    real = _counted(core, consumers) if beyond and core.output not in core.pipeline.outputs else pairs
    _check_stated(core, real)
    return _domain(core, pairs), _domain(core, real)


def _counted(core: Kernel, consumers: Sequence[Stage]) -> list[Range]:
    boxes = [counted(each.core, ranges_of(each.counted))[core.output] for each in consumers]
    if moved := reached(core):
        boxes.append([(moved[d][0], sum(moved[d]) - 1) if d in moved else pair for d, pair in enumerate(boxes[0])])
    return [(low, high - low + 1) for low, high in around(boxes)]


def _region(core: Kernel, consumers: Sequence[Stage]) -> Tensor:
    """All of a stage that its consumers read, and its updates at data reach."""
    read = together([stage.nest.tensor[core.output.name] for stage in consumers])
    pairs = list(zip(read.mins, read.extents, strict=True))
    moved = [reached(core).get(d, pair) for d, pair in enumerate(pairs)]
    return together([read, replace(read, mins=tuple(low for low, _ in moved), extents=tuple(n for _, n in moved))])


def _check_stated(core: Kernel, pairs: Sequence[Range]) -> None:
    """What is needed of a stage is within its stated bounds."""
    for arg, (low, extent) in zip(core.output.args, pairs, strict=True):
        stated = core.output.bounds.get(arg)
        if stated and not (stated[0] <= low and low + extent <= sum(stated)):
            raise BoundsError(
                f"{core.output.name} is needed for {arg} in [{low}, {low + extent - 1}], but is bound to "
                f"[{stated[0]}, {sum(stated) - 1}]",
                legal=(f"{core.output.name}.bound({arg}, {low}, {extent})",),
                source=_bound(core.output, arg) or core.stage.definition.source,
            )


def _bound(func: Func, arg: str) -> SourceLine | None:
    """The line that states the bounds of a variable."""
    return next((each.source for each in func.directives if isinstance(each, Bound) and each.var == arg), None)


def _check_output(core: Kernel, stage: Stage, bounds: Mapping[str, Range]) -> None:
    """What is written of an output is what the others read of it, and all of that is computed."""
    if core.output not in core.pipeline.outputs:
        return
    for arg in core.output.args:
        stated = core.output.known.get(arg) or bounds.get(arg)
        low, extent = stage.domain[core.renamed[arg]]
        if stated and stated != (low, extent):
            raise BoundsError(
                f"{core.output.name} is written for {arg} in [{stated[0]}, {sum(stated) - 1}], but read for "
                f"[{low}, {low + extent - 1}]: an output that another one reads is read as a whole",
                legal=(f"{core.output.name}.bound({arg}, {low}, {extent})",),
                source=core.stage.definition.source,
            )
    place, nest = core.pipeline.places[core.output], stage.nest
    if (computed := touched(nest, [nest.write])) < nest.output.words:
        raise HardwareError(
            f"{place}: {core.output.name} is an output of {nest.output.words} elements, of which only the {computed} "
            "that are read would be computed there",
            legal=(at_root(place),),
            source=place.source,
        )


def _domain(core: Kernel, pairs: Iterable[Range]) -> dict[str, Range]:
    """(min, extent) of its variables, given those of its elements."""
    reduction = core.stage.definition.domain
    inner = () if reduction is None else reduction.vars
    return dict(zip(core.args, pairs, strict=True)) | {var.name: (var.min, var.extent) for var in inner}
