"""Inputs that several stages read: a stage that is a copy of one, so that it comes through its port once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from halidehw.errors import HalideHWError
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.directives import ComputeAt, ComputeRoot, Place, StoreRoot
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.frontend.pipeline import tensors_of
from halidehw.ir.bounds import depth
from halidehw.ir.nest import Nest
from halidehw.scheduler.framing import Stage
from halidehw.scheduler.pipeline import Pipeline

Lowered = Callable[[Pipeline], Mapping[str, Stage]]
"""The stages of a pipeline by name. Raises what lowering does."""


def with_copy(pipeline: Pipeline, image: ImageParam, readers: Sequence[str], lowered: Lowered) -> Pipeline:
    """The pipeline with a copy of an input that several stages read.

    It lies where the input's wrapper is placed, else at the innermost loop where its rows pass through line buffers of
    all readers, each once. Where there is none, each reader has a port. It has as many lanes along dimension 0 as the
    widest reader.
    """
    through = _through(pipeline, image)
    if any(isinstance(each, Place) and (each.tensor, each.level) == (image.name, 1) for each in pipeline.said):
        return _widened(pipeline.copying(image, through), image, readers, lowered)
    for place in _common(lowered(pipeline), readers):
        extra = (ComputeAt(image.name, 1, *place), StoreRoot(image.name, 1))
        tried = pipeline.copying(image, through, extra)
        if _passes(tried, tried.copies[image], lowered):
            return _widened(tried, image, readers, lowered)
    return pipeline


def several_ways(nest: Nest) -> tuple[str, ...]:
    """The tensors that a stage reads at indices that differ by more than constants."""
    ways = {(each.tensor, tuple(form.terms for form in each.indices)) for each in nest.reads}
    names = [name for name, _ in ways]
    return tuple(name for name in dict.fromkeys(each.tensor for each in nest.reads) if names.count(name) > 1)


def with_stage(pipeline: Pipeline, image: ImageParam) -> Pipeline:
    """The pipeline with a copy of an input that one stage reads in several ways, each from a memory of its own, which
    what a stage makes can have. It lies where the input's wrapper is placed, else outside all loops."""
    placed = any(isinstance(each, Place) and (each.tensor, each.level) == (image.name, 1) for each in pipeline.said)
    return pipeline.copying(image, _through(pipeline, image), () if placed else (ComputeRoot(image.name, 1),))


def _widened(pipeline: Pipeline, image: ImageParam, readers: Sequence[str], lowered: Lowered) -> Pipeline:
    """The copy keeps up with its readers: it makes as many words at once. What was lowered without its lanes is not
    taken for what has them."""
    stages, copy = lowered(pipeline), pipeline.copies[image]
    lanes = max(_lanes(stages[name].nest) for name in readers)
    if 1 < lanes <= stages[copy.name].nest.output.extents[0] and lanes & (lanes - 1) == 0:
        copy.vectorize(copy.args[0], lanes)
    return replace(pipeline)


def _lanes(nest: Nest) -> int:
    """The neighbours along dimension 0 that a stage makes at once."""
    first = nest.write.indices[0]
    return max((loop.lanes for loop in nest.loops if loop.lanes > 1 and first[loop.name] == 1), default=1)


def _through(pipeline: Pipeline, image: ImageParam) -> Func | ImageParam:
    """The boundary condition through which an input is read, if it has one."""
    funcs = [func for func in tensors_of(*pipeline.outputs) if isinstance(func, BoundaryFunc)]
    return next((func for func in funcs if func.boundary.source is image), image)


def _common(stages: Mapping[str, Stage], readers: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The loops that all readers have in common, or whose rows they move on with, innermost first."""
    last, *others = [stages[name] for name in reversed(readers)]
    shared = [named for named in last.places if all(named in other.places for other in others)]
    inner = sorted(shared, key=lambda named: -depth(last.nest, last.places[named]))
    yield from dict.fromkeys(named for named in inner if last.places[named] is not None)


def _passes(pipeline: Pipeline, copy: Func, lowered: Lowered) -> bool:
    """Whether the rows of a copy pass through line buffers, each once."""
    try:
        stages = lowered(pipeline)
    except HalideHWError:
        return False
    buffers = (stage.nest.levels(copy.name) for stage in stages.values())
    return not stages[copy.name].nest.place and all(levels[0].slide for levels in buffers if levels)
