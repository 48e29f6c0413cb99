"""How many parts the memories between stages have, so that none of the stages waits for another one without need.

A stage begins a part when it is complete, so each stage on the way from a producer to a reader makes that reader one
part late. Where several ways lead from one to the other, the memory at the end of the shorter one holds what passes
meanwhile: a part for each stage of the longest way, and the one that is being written. That is for rate alone: with
fewer parts stages wait, but none for ever (docs/design/pipelines.md).
"""

from __future__ import annotations

from dataclasses import replace

from halidehw.ir.graph import Graph
from halidehw.ir.nest import Buffer, Nest


def with_parts(graph: Graph) -> Graph:
    """The graph, with as many parts in each buffer between stages as the longest way to its reader has stages, and one
    more; a buffer that is to have one part keeps one."""
    return replace(graph, stages=tuple(_parts(graph, nest) for nest in graph.stages))


def _parts(graph: Graph, nest: Nest) -> Nest:
    outermost = {nest.levels(name)[0] for name in graph.made & nest.tensor.keys() if name != nest.name}

    def parts(buffer: Buffer) -> Buffer:
        if buffer not in outermost or buffer.halves == 1:
            return buffer
        return replace(buffer, halves=1 + _longest(graph, buffer.tensor, nest))

    return replace(nest, buffers=tuple(map(parts, nest.buffers)))


def _longest(graph: Graph, start: str, end: Nest) -> int:
    """The most stages one after the other on a way from what `start` makes to `end`, that one included."""
    away = {start: 0}
    for nest in graph.stages:
        found = [away[tensor.name] for tensor in nest.inputs if tensor.name in away]
        if found and nest.name != start:
            away[nest.name] = 1 + max(found)
    return away[end.name]
