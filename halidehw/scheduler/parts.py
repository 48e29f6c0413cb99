"""How many parts the memories between stages have.

What they need: of a producer that several stages read, every memory has room for all that one tile of the output asks
of it, since one reader may want all of that before another one takes any (docs/design/pipelines.md).

For the rate: a stage begins a part when it is complete, so each stage on the way from a producer to a reader makes that
reader one part late. Where several ways lead from one to the other, the memory at the end of the shorter one holds what
passes meanwhile: a part for each stage of the longest way, and the one that is being written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.directives import FoldStorage
from halidehw.ir.bounds import box, held
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Buffer, Nest, Slide
from halidehw.notes import Note
from halidehw.scheduler.pipeline import Pipeline


def with_parts(graph: Graph, pipeline: Pipeline) -> Graph:
    """The graph, with parts enough in each buffer between stages. One that is to have a single part keeps that, and one
    whose rows are stated has these, or all there are where these are fewer, with a note in its nest.

    Raises `HardwareError` for room that is less than its readers need, `ScheduleError` for rows of what has none.
    """
    asked = _asked(graph)
    folds = {each.tensor: each for each in pipeline.said if isinstance(each, FoldStorage)}
    args = {func.name: func.args for func in pipeline.places}
    return replace(graph, stages=tuple(_parts(graph, nest, asked, folds, args) for nest in graph.stages))


def _parts(
    graph: Graph, nest: Nest, asked: dict[str, int], folds: Mapping[str, FoldStorage],
    args: Mapping[str, tuple[str, ...]],
) -> Nest:  # fmt: skip
    outermost = {nest.levels(name)[0] for name in graph.made & nest.tensor.keys() if name != nest.name}
    notes = list[Note]()

    def parts(buffer: Buffer) -> Buffer:
        if buffer not in outermost:
            return buffer
        window, step = _rows(nest, buffer)
        several = len(graph.consumers(buffer.tensor)) > 1
        least = 1 + max(0, -(-(asked[buffer.tensor] - window) // step)) if several else 1
        if fold := folds.get(buffer.tensor):
            if buffer.halves > 2:
                why = f"{buffer.name} has its parts already, by ring_buffer({buffer.halves}); remove one of the lines"
                raise ScheduleError(f"{fold}: {why}", source=fold.source)
            made = _folded(nest, buffer, fold, args[buffer.tensor], (window, step, least))
            return _capped(nest, made, fold, (window, step), notes)
        if buffer.halves == 1 < least and buffer.slide:
            raise HardwareError(
                f"{buffer.name}: it has room for {window} rows, but the stages that read {buffer.tensor} ask for "
                f"{asked[buffer.tensor]} before the first of them is left; remove single_buffer()",
                source=buffer.source or graph.stage[buffer.tensor].source,
            )
        if buffer.halves == 1:
            return buffer
        return replace(buffer, halves=max(least, 1 + _longest(graph, buffer.tensor, nest), buffer.halves))

    return replace(nest, buffers=tuple(map(parts, nest.buffers)), notes=(*nest.notes, *notes))


def _capped(nest: Nest, buffer: Buffer, fold: FoldStorage, rows: tuple[int, int], notes: list[Note]) -> Buffer:
    """A line buffer of as many rows as are stated, but of no more than there are, with a note. `rows`: those that a
    tile reads, and by how many it moves on."""
    assert buffer.slide
    (window, step), every = rows, _every(nest, buffer, buffer.slide)
    more = max(0, -(-(every - window) // step))
    if buffer.halves <= 1 + more:
        return buffer
    why = f"{nest.name} reads {every} rows of {buffer.tensor} in all, so {buffer.name} has {window + more * step}"
    notes.append(Note(f"{fold}: {why}", fold.source))
    return replace(buffer, halves=1 + more)


def _every(nest: Nest, buffer: Buffer, slide: Slide) -> int:
    """The rows of all of a line buffer's tiles until it begins anew."""
    accesses = [each.indices for each in nest.reads if each.tensor == buffer.tensor]
    place = min(nest.loops.index(nest.loop[name]) for name in slide.loops)
    span = box((*accesses, *buffer.also), nest, place)[slide.dimension]
    return (span.size - 1) // span.step + 1


def _folded(
    nest: Nest, buffer: Buffer, fold: FoldStorage, args: tuple[str, ...], room: tuple[int, int, int]
) -> Buffer:
    """A line buffer of as many rows as are stated. `room`: the rows that a tile reads, by how many it moves on, and the
    least number of parts."""
    window, step, least = room
    if buffer.slide is None:
        raise ScheduleError(
            f"{fold}: {buffer.name} of {nest.name} has no rows that pass one by one; remove the line",
            source=fold.source,
        )
    more, left = divmod(fold.rows - window, step) if isinstance(fold.rows, int) else (-1, 0)
    row, few = args[buffer.slide.dimension], more < least - 1 or left
    fits = replace(fold, var=row, rows=window + step * max(least - 1, more + 1) if few else fold.rows)
    if row != fold.var:
        raise ScheduleError(
            f"{fold}: {buffer.name} of {nest.name} has no rows along {fold.var} that pass one by one",
            legal=(str(fits),),
            source=fold.source,
        )
    if few:
        beside = f", and {step * (least - 1)} that other stages take before it" if least > 1 else ""
        raise HardwareError(
            f"{fold}: a tile of {nest.name} reads {window} row{'s' * (window > 1)} of {buffer.tensor}{beside}; it "
            f"moves on by {step}",
            legal=(str(fits),),
            source=fold.source,
        )
    return replace(buffer, halves=1 + more, slide=replace(buffer.slide, folded=True))


def _asked(graph: Graph) -> dict[str, int]:
    """How many rows, or parts, of each stage the first tile of the output asks for."""
    asked = dict.fromkeys((nest.name for nest in graph.stages), 1)
    for nest in reversed(graph.stages):
        for name in graph.made & nest.tensor.keys() - {nest.name}:
            window, step = _rows(nest, nest.levels(name)[0])
            asked[name] = max(asked[name], window + (asked[nest.name] - 1) * step)
    return asked


def _rows(nest: Nest, buffer: Buffer) -> tuple[int, int]:
    """The rows of a line buffer's window, and by how many it moves on; of any other buffer one part, and one."""
    if buffer.slide is None:
        return 1, 1
    window, more = (held(nest, replace(buffer, halves=halves))[buffer.slide.dimension] for halves in (1, 2))
    return window, more - window


def _longest(graph: Graph, start: str, end: Nest) -> int:
    """The most stages one after the other on a way from what `start` makes to `end`, that one included."""
    away = {start: 0}
    for nest in graph.stages:
        found = [away[tensor.name] for tensor in nest.inputs if tensor.name in away]
        if found and nest.name != start:
            away[nest.name] = 1 + max(found)
    return away[end.name]
