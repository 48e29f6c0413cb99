"""What one stage leaves in the memory outside for another one: `store_in(MemoryType.Heap)`.

It is written through a port like an output, and read through one like an input, once all of it is there.
"""

from __future__ import annotations

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.directives import ComputeRoot, Inside
from halidehw.ir.graph import Graph
from halidehw.scheduler.copies import several_ways
from halidehw.scheduler.pipeline import Pipeline


def check_between(graph: Graph, pipeline: Pipeline) -> None:
    """Raises `ScheduleError` for one that is not computed as a whole, or of which it is said how it lies on the chip,
    `HardwareError` for one that is an output, or is read at several places: it has one port for that."""
    for func, place in pipeline.places.items():
        said = pipeline.between.get(func.name)
        if said is None:
            continue
        if not isinstance(place, ComputeRoot):
            raise ScheduleError(
                f"{said}: it would be computed inside loops, by {place}; in the memory outside it lies as a whole",
                legal=(f"{func.name}.compute_root()",),
                source=place.source or said.source,
            )
        if func in pipeline.outputs:
            raise HardwareError(
                f"{said}: {func.name} is an output, which is written anyway, and read from a memory on the chip; "
                "remove the line",
                source=said.source,
            )
        for inside in pipeline.said:
            if isinstance(inside, Inside) and inside.buffer == said.buffer:
                raise ScheduleError(
                    f"{inside}: {func.name} lies in the memory outside, by {said}; remove one of the lines",
                    source=inside.source,
                )
        readers = graph.consumers(func.name)
        if len(readers) > 1 or func.name in several_ways(readers[0]):
            where = " and ".join(nest.name for nest in readers) if len(readers) > 1 else f"{readers[0].name}, twice,"
            args = ", ".join(func.args)
            raise HardwareError(
                f"{said}: {where} would read it through one port",
                legal=('copy = Func("copy")', f"copy[{args}] = {func.name}[{args}]", "copy.compute_root()"),
                source=said.source,
            )
