"""Whether a stage makes its elements in an order in which its memory can take them: each once, and row by row where
rows pass through a line buffer."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

from halidehw.errors import HardwareError
from halidehw.frontend.directives import Dataflow, Fuse, Reorder, Tile
from halidehw.ir.nest import Loop, Nest, Slide
from halidehw.ir.sums import spilling
from halidehw.scheduler.kernel import Kernel
from halidehw.scheduler.proposals import at_root


def in_rows(core: Kernel, consumers: Sequence[Nest]) -> Kernel:
    """A stage whose rows pass through line buffers, with the rows outermost where no directive orders its loops."""
    slides = [buffer.slide for consumer in consumers for buffer in consumer.levels(core.output.name)[:1]]
    rows = [core.args[slide.dimension] for slide in slides if slide]
    outermost = next(iter(core.stage.default_loops.names), None)
    ordered = any(isinstance(each, Reorder | Tile | Fuse | Dataflow) for each in core.stage.directives)
    if not rows or rows[0] == outermost or ordered:
        return core
    names = [name for name in core.stage.default_loops.names if name != rows[0]]
    stage = copy(core.stage)
    stage.directives = [Reorder((*reversed(names), rows[0])), *core.stage.directives]
    return replace(core, stage=stage)


def check_order(core: Kernel, nest: Nest, consumers: Sequence[Nest]) -> None:
    """Raises `HardwareError` for a stage that comes back to partial sums in its memory, or does not make the rows of a
    line buffer one after the other."""
    own = [loop for loop in nest.loops[nest.place :] if loop.extent > 1]
    for loop in spilling(nest):
        outer = [each for each in own if not each.reduction]
        raise HardwareError(
            f"{core.stage.name}: a step of {loop.name} comes back to partial sums of {nest.name}, whose memory takes "
            "complete elements only",
            legal=_reordered(core, outer),
            source=core.stage.definition.source,
        )
    for consumer in consumers:
        slide = consumer.levels(nest.name)[0].slide
        if slide:
            _check_rows(core, nest, own, slide)


def _check_rows(core: Kernel, nest: Nest, own: Sequence[Loop], slide: Slide) -> None:
    row = nest.write.indices[slide.dimension]
    rows = [loop for loop in own if row[loop.name]]
    weights = [row[loop.name] for loop in rows]
    place = core.pipeline.places[core.output]
    var = core.output.args[slide.dimension]
    why = f"{place}: its rows pass through a line buffer one after the other, but {core.output.name} is computed"
    lanes = next((loop for loop in rows if loop.lanes > 1), None)
    if lanes:
        raise HardwareError(
            f"{why} at {lanes.lanes} places of {var} side by side, by the lanes of {lanes.name}; without its unroll it "
            "is not, nor is there a line buffer without its store_at",
            legal=(at_root(place),),
            source=place.source,
        )
    if own[: len(rows)] != rows or weights != sorted(weights, reverse=True):
        outer = sorted(rows, key=lambda each: -row[each.name])
        raise HardwareError(
            f"{why} along {var} inside other loops: outer to inner, {', '.join(each.name for each in own)}",
            legal=(*_reordered(core, outer), at_root(place)),
            source=place.source,
        )


def _reordered(core: Kernel, outermost: Sequence[Loop]) -> tuple[str, ...]:
    """The stage with these of its loops outermost."""
    names = core.stage.loops.names
    first = [loop.name.split(".", 1)[-1] for loop in outermost]
    if not set(first) <= set(names):
        return ()
    order = [*first, *(name for name in names if name not in first)]
    return (f"{core.stage.name}.reorder({', '.join(reversed(order))})",)
