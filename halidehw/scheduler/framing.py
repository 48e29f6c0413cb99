"""The frame of a stage: the loops of its consumer outside its memory there, and the box that this memory then holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.directives import ComputeAt
from halidehw.frontend.params import Range
from halidehw.ir.affine import Affine
from halidehw.ir.bounds import Span, box, depth, greatest
from halidehw.ir.graph import shared
from halidehw.ir.nest import Buffer, Constraint, Loop, Nest
from halidehw.scheduler.buffers import Beyond
from halidehw.scheduler.frame import Along, Frame, Named, outside
from halidehw.scheduler.kernel import Kernel
from halidehw.scheduler.loops import Arrangement
from halidehw.scheduler.lower import stage_nest
from halidehw.scheduler.proposals import at_root
from halidehw.scheduler.union import Pace


@dataclass(frozen=True)
class Stage:
    """A stage that is lowered. `domain`: (min, extent) of its variables in all places together, `counted`: of those
    whose values count; `pace`: of those loops of its consumers that its rows move on with; `also`: what its memories
    hold beside what it reads."""

    core: Kernel
    domain: Mapping[str, Range]
    counted: Mapping[str, Range]
    frame: Frame
    pace: Mapping[Named, Pace]
    also: Beyond
    nest: Nest
    arrangement: Arrangement

    @staticmethod
    def of(
        core: Kernel, domain: Mapping[str, Range], counted: Mapping[str, Range], frame: Frame,
        pace: Mapping[Named, Pace], also: Beyond,
    ) -> Stage:  # fmt: skip
        """With its nest, which is the one that was made before if nothing is different."""
        nests = core.pipeline.kept.nests
        key = *_decisive(core), frame.decisive, *(tuple(each.items()) for each in (domain, counted, also))
        if key not in nests:
            nests[key] = stage_nest(core, frame, domain, also, counted)
        return Stage(core, domain, counted, frame, pace, also, *nests[key])

    @property
    def places(self) -> dict[Named, str | None]:
        """The loops as directives name them, this stage's own and its consumers'."""
        own: dict[Named, str | None] = {}
        for func in (self.core.owner, self.core.output):
            names = {self.core.renamed[arg]: arg for arg in self.core.output.args} if func is self.core.output else {}
            own |= {(func.name, names.get(var, var)): loop for var, loop in self.arrangement.places.items()}
        return {**self.arrangement.beyond, **own}


def _decisive(core: Kernel) -> tuple[object, ...]:
    """All of a kernel that its nest depends on, in one algorithm: which stage it is, which others, copies and outputs
    there are, and what is said of its loops and memories."""
    pipeline = core.pipeline
    said = (core.directives, tuple(core.stage.directives), core.owner.schedule, core.output.schedule)
    others = (pipeline.stages, pipeline.copies.values(), pipeline.outputs)
    return (core.output.name, *(frozenset(each.name for each in found) for found in others), pipeline.anew, *said)


def framed(core: Kernel, domain: Mapping[str, Range], consumer: Stage) -> tuple[Frame, dict[Named, Pace]]:
    """Where the loops of a stage lie that another one reads, and how its rows move on with those of others."""
    nest, name = consumer.nest, core.output.name
    buffer = nest.levels(name)[0]
    loops = shared(nest, buffer)
    inside = {loop.name for loop in loops}
    reads = [access.indices for access in nest.reads if access.tensor == name]
    spans = box((*reads, *buffer.also), nest, len(loops))
    own = Frame.at_root(domain).box
    made = {arg: _along(core, span) for arg, span in zip(core.args, spans, strict=True)}
    kept = [(tuple(term for term in each.terms if term[0] in inside), each.limit) for each in nest.domain]
    rows = _rows(core, consumer, buffer)
    innermost = loops[-1].name if loops else None
    places = {
        named: loop if loop is None or loop in inside else innermost
        for named, loop in consumer.places.items()
        if loop is None or loop in inside or (buffer.slide is None and depth(nest, loop) <= depth(nest, buffer.at))
    }
    frame = Frame(
        box={**own, **made},
        prefix=_prefix(name, loops),
        loops=loops,
        domain=tuple(Constraint(terms, limit) for terms, limit in kept if terms),
        limits=_limits(core, domain, [(span, _within(nest, loops, span)) for span in spans], made),
        places=places,
        rows=rows,
    )
    if buffer.slide is None:
        return frame, {}
    step, window = spans[buffer.slide.dimension].step, buffer.extents[buffer.slide.dimension]
    pace = Pace(buffer.slide.step // step, (window - 1) // step)
    return frame, {named: pace.after(consumer.pace.get(named, Pace())) for named in rows}


def _rows(core: Kernel, consumer: Stage, buffer: Buffer) -> dict[Named, str]:
    """The loops, from those that slide a memory to the one at which it is said to lie, and the variable that a stage's
    own loops move on with each."""
    nest, place = consumer.nest, core.pipeline.places[core.output]
    if buffer.slide is None:
        return {}
    said = consumer.places.get((place.consumer, place.var)) if isinstance(place, ComputeAt) else None
    first, last, most = (depth(nest, at) for at in (buffer.slide.loops[-1], buffer.at, said))
    index = next(access.indices for access in nest.reads if access.tensor == core.output.name)
    found = {}
    for named, loop in consumer.places.items():
        if first <= depth(nest, loop) <= last:
            found[named] = core.args[buffer.slide.dimension]
        elif loop and last < depth(nest, loop) <= most:
            found.update((named, arg) for arg, form in zip(core.args, index, strict=True) if form[loop])
    return found


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
            legal=(at_root(place),),
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


def check_temporal(core: Kernel, consumer: Stage) -> None:
    """A stage is computed outside the lanes of its consumer."""
    nest, name = consumer.nest, core.output.name
    buffer = nest.levels(name)[0]
    lanes = next((loop for loop in nest.loops[: depth(nest, buffer.at)] if loop.lanes > 1), None)
    if lanes is None:
        return
    place = core.pipeline.places[core.output]
    outside = [named for named, loop in consumer.places.items() if depth(nest, loop) < depth(nest, lanes.name)]
    legal = [ComputeAt(*place.buffer, *named, of=place.of, source=place.source) for named in outside]
    raise ScheduleError(
        f"{place}: {name} would be computed inside the lanes of {lanes.name}, in each of them; it is computed outside "
        "the array",
        legal=(*dict.fromkeys(legal), at_root(place)),
        source=place.source,
    )
