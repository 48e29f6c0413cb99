"""Funcs that have no place but have to have one: as in Halide the innermost loop of their reader.

What a Func with several updates is before one of them has no name to be placed by, so it goes further out where that
does not do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import takewhile

from halidehw.errors import HalideHWError, HardwareError
from halidehw.frontend.directives import ComputeAt, ComputeRoot, Place
from halidehw.frontend.func import Func
from halidehw.scheduler.framing import Stage
from halidehw.scheduler.kernel import Unplaced, kernel
from halidehw.scheduler.pipeline import Pipeline

Lowered = Callable[[Pipeline], Mapping[str, Stage]]
"""The stages of a pipeline by name. Raises what lowering does."""


def with_places(pipeline: Pipeline, lowered: Lowered) -> Pipeline:
    """The pipeline with a place for each Func that has to have one. Raises `HardwareError`, with the places that work,
    for one that has none in the innermost loop."""
    while missing := _missing(pipeline):
        pipeline = _placed(pipeline, missing, missing.funcs[0], lowered)
    return pipeline


def _missing(pipeline: Pipeline) -> Unplaced | None:
    """A Func that has to have a place, and who reads it."""
    waiting, seen = list(pipeline.outputs), set[object]()
    while waiting:
        func = waiting.pop()
        try:
            core = kernel(func, pipeline)
        except Unplaced as missing:
            return missing
        seen.add(func)
        waiting += [each for each in core.reads if isinstance(each, Func) and each not in seen]
    return None


def _placed(pipeline: Pipeline, missing: Unplaced, func: Func, lowered: Lowered) -> Pipeline:
    own, *others = _places(pipeline, missing.reader, func)
    tried = cache(lambda place: _tried(pipeline, func, place, lowered))
    first = tried(own)
    if isinstance(first, Pipeline):
        return first
    if others and _alike(first, tried(others[-1])):
        raise first
    works = ((place, found) for place in others if isinstance(found := tried(place), Pipeline))
    if func in pipeline.updates.earlier:
        for _, found in works:
            return found
    legal = tuple(str(place) for place, _ in works)
    why = f"{missing.message}; it would be computed in the innermost loop, which does not do: {own}"
    raise HardwareError(why, legal=legal or missing.legal, source=missing.source)


def _alike(one: HalideHWError, other: HalideHWError | Pipeline) -> bool:
    """Whether what is wrong in the innermost loop is wrong outside all loops, too, so that no place helps."""
    return isinstance(other, HalideHWError) and (one.message, one.source) == (other.message, other.source)


def _places(pipeline: Pipeline, reader: Func, func: Func) -> Iterator[Place]:
    """From the innermost loop of its reader that lies outside all lanes outwards."""
    stage = pipeline.updates.view(reader).stages[-1]
    loops = [loop.name for loop in takewhile(lambda loop: loop.lanes is None, stage.loops.loops)]
    for loop in reversed(loops):
        yield ComputeAt(func.name, 0, consumer=reader.name, var=loop)
    yield ComputeRoot(func.name, 0)


def _tried(pipeline: Pipeline, func: Func, place: Place, lowered: Lowered) -> Pipeline | HalideHWError:
    """The pipeline with a Func at a place, and then others that have to have one where that is what it was before an
    update; or why that is not legal."""
    tried = pipeline.placing(func, place)
    try:
        if func in pipeline.updates.earlier and _missing(tried):
            return with_places(tried, lowered)
        lowered(tried)
    except Unplaced:
        return tried
    except HalideHWError as error:
        return error
    return tried
