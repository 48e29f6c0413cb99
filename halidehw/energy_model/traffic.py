"""Every word an accelerator moves, counted from its walks.

Each count is a physical event that the hardware can count too: the counters of the build option of the same name
agree exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np

from halidehw.energy_model.points import iterations, points
from halidehw.ir.affine import Affine
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest
from halidehw.microarch.counters import in_words
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.processes import Compute, Fill, Fold, Load, Move, Transfer, Write, is_load, lanes_of, taps_of
from halidehw.microarch.steps import steps_of
from halidehw.microarch.stores import Memory, Sums
from halidehw.microarch.taps import Lanes, MemoryTap
from halidehw.microarch.travel import ARRAY, plain, travels
from halidehw.microarch.united import read_places, written_places
from halidehw.microarch.walk import Axis, Walk

Event = Literal["read", "write", "hop", "broadcast", "sum", "shift", "mac", "work"]
MOVES: tuple[Event, ...] = ("hop", "shift", "broadcast", "sum")
"""What moves words on inside the array: to the neighbour, from lane to lane of a memory, to all lanes, or a sum."""
LANE = "lane"


@dataclass(frozen=True)
class Count:
    """`words` events of one kind ("mac": iterations; "work": steps and places, and words of several elements, which are
    counted as elements too). `level`: the port ("memory"), a memory's or register file's name, "accumulator" or
    "array", of a stage before the last one with its label before these; `tensor`: whose words they are ("" for
    iterations and steps), each of `bits` bits; `distance`: PEs a word passes in one hop.
    """

    name: str
    level: str
    tensor: str
    event: Event
    words: int
    bits: int = 0
    distance: int = 1


def traffic(accelerator: Network, design: Nest | Graph) -> tuple[Count, ...]:
    """All counts of one run, stage after stage, each in order from the ports to the accumulators."""
    graph = design if isinstance(design, Graph) else Graph((design,))
    made = {sink.memory: stage.write for stage in accelerator.stages for sink in stage.write.inside}
    return tuple(count for stage in accelerator.stages for count in _stage(stage, graph.stage[stage.name], made))


def _stage(stage: Stage, nest: Nest, made: Mapping[str, Write]) -> Iterator[Count]:
    """`made`: the writers of stages, by the memories of others that they fill."""
    yield from _work(stage, nest)
    yield from _ports(stage)
    yield from _memories(stage, nest, made)
    yield from _files(stage)
    yield from _travels(stage, nest)
    yield from _sums(stage)


def _work(stage: Stage, nest: Nest) -> Iterator[Count]:
    steps, own = iterations(stage.compute.walk), stage.label
    yield Count(f"{own}macs", f"{own}array", "", "mac", macs(nest))
    yield Count(f"{own}steps", f"{own}array", "", "work", steps)
    yield Count(f"{own}pe_slots", f"{own}array", "", "work", steps * stage.pes)


def macs(nest: Nest) -> int:
    """The iterations of the nest's domain, which are the algorithm's."""
    forms = [Affine.of([(name, -value) for name, value in c.terms], c.limit) for c in nest.domain]
    return points([Axis(loop.name, loop.extent) for loop in nest.loops if loop.name not in nest.scattered], forms)


def _ports(stage: Stage) -> Iterator[Count]:
    for load in stage.loads:
        port = load.tap.port
        yield Count(f"{port.name}_words", "memory", port.tensor, "read", _vectors(load, asked=True), port.bits)
    if sink := stage.write.outside:
        port = sink.port
        yield Count(f"{port.name}_words", "memory", port.tensor, "write", _vectors(stage.write), port.bits)


def _vectors(process: Load | Move | Write, *, asked: bool = False) -> int:
    """Words of all lanes of a process's steps that are wanted; `asked`: only those a load asks its port for."""
    walk, lanes = process.walk, _lanes(process)
    axes = (*walk.axes, Axis(LANE, lanes)) if lanes > 1 else walk.axes
    forms = [limit.form for limit in walk.limits]
    forms += [form + Affine.of([(LANE, -weight)]) for form, weight in process.lane_limits if lanes > 1]
    if is_load(process) and asked and not clamps(process):
        for d, position in enumerate(process.tap.positions):
            if position is not None:
                place = position + Affine.of([(LANE, 1)]) if d == 0 and lanes > 1 else position
                forms += [place, Affine((), process.tap.extents[d] - 1) - place]
    total = points(axes, forms)
    if asked and is_load(process) and process.tap.revisit:
        total -= _first(process.tap.revisit.first, axes, forms)
    return total


def _first(still: tuple[str, ...], axes: tuple[Axis, ...], forms: list[Affine]) -> int:
    """The points with the axes in `still` at their start."""
    moving = [axis for axis in axes if axis.name not in still]
    names = [axis.name for axis in moving]
    return points(moving, [form.only(names) + form.constant for form in forms])


def clamps(load: Load) -> bool:
    """Whether a word outside the tensor is asked for all the same, at an element that stands for it."""
    return load.tap.boundary is not None and load.tap.boundary.value is None


def _lanes(process: Load | Move | Write) -> int:
    """Words a step of the process moves at most."""
    if isinstance(process, Transfer) and isinstance(process.tap, Lanes):
        return len(process.tap.lanes)
    return lanes_of(process)


def _memories(stage: Stage, nest: Nest, made: Mapping[str, Write]) -> Iterator[Count]:
    writing: tuple[Load | Move, ...] = (*stage.loads, *stage.moves)
    writers = {**made, **{process.sink.memory: process for process in writing}}
    readers = {read.memory: (read, walk) for read, walk in reads_of(stage)}
    for memory in stage.memories:
        level, name, bits = memory.name, plain(memory.name), memory.type.bits
        tensor = memory.tensor if memory.tensor in nest.tensor else nest.output.name
        moved = memory.kept * iterations(readers[level][1])
        written = _vectors(writers[level]) * len(memory.beside) + moved
        yield Count(f"{name}_written", level, tensor, "write", written, bits)
        fetched, shifted = _reads(memory, *readers[level])
        each = bits * memory.word if memory.home else bits  # of a word of several elements all are read for one
        yield Count(f"{name}_read", level, tensor, "read", fetched, each)
        if memory.word > 1:
            yield Count(in_words(memory), level, tensor, "work", _in_words(memory, *readers[level], writers[level]))
        if level in stage.compute.windows:
            shifted = iterations(readers[level][1]) * stage.compute.windows[level][0].shifted
        if memory.shifting or level in stage.compute.windows:
            yield Count(f"{name}_shifted", f"{stage.label}array", tensor, "shift", shifted, bits)


def reads_of(stage: Stage) -> Iterator[tuple[MemoryTap, Walk]]:
    """Every way a memory is read, and the walk of the process that does."""
    processes: tuple[Compute | Write, ...] = (stage.compute, stage.write)
    for process in processes:
        for lanes in taps_of(process.operands).values():
            yield lanes.tap, lanes.window.walk if lanes.window else process.walk
    transfers: tuple[Move | Fill, ...] = (*stage.moves, *stage.fills)
    for transfer in transfers:
        yield transfer.tap.tap, transfer.walk


def _reads(memory: Memory, read: MemoryTap, walk: Walk) -> tuple[int, int]:
    """Words fetched, and words shifted between lanes: a fresh step fetches all lanes, another one those that follow
    none."""
    fresh = iterations(walk, still=read.starts)
    others = iterations(walk) - fresh
    moved = sum(source not in (None, lane) for lane, source in enumerate(memory.follows))
    return fresh * memory.taken + others * memory.fetched, others * moved


def _in_words(memory: Memory, read: MemoryTap, walk: Walk, writer: Load | Move | Write) -> int:
    """Words of several elements that pass the port: written with their last one, or read with their first one."""
    if not memory.home:
        taken = read_places(memory, read, steps_of(walk))
        return sum(int(np.count_nonzero((word + memory.first) % memory.word == 0)) for _, word in taken)
    assert isinstance(writer, Write)
    sink = next(sink for sink in writer.inside if sink.memory == memory.name)
    made = written_places(memory, sink, steps_of(writer.walk), writer.lane_limits)
    return sum(int(np.count_nonzero(word[there] % memory.word == memory.word - 1)) for _, word, there in made)


def _files(stage: Stage) -> Iterator[Count]:
    """Words in all PEs; a file that is read at several places at once is as many memories, each of them written."""
    moved = {copy.sink.file: iterations(copy.walk) * stage.pes for copy in stage.copies}
    taken = {copy.tap.file: moved[copy.sink.file] for copy in stage.copies}
    for fill in stage.fills:
        reached = prod(space.extent for space in stage.spaces if space.name not in fill.sink.selects)
        moved[fill.sink.file] = iterations(fill.walk) * reached
    for file in stage.files:
        level, name, tensor, bits = file.name, plain(file.name), file.tensor, file.type.bits
        yield Count(f"{name}_written", level, tensor, "write", moved[level] * file.reads, bits)
        words = taken.get(level, iterations(stage.compute.walk) * stage.pes) * file.reads
        yield Count(f"{name}_read", level, tensor, "read", words, bits)


def _travels(stage: Stage, nest: Nest) -> Iterator[Count]:
    """Words on their way through the array."""
    steps = {ARRAY: iterations(stage.compute.walk)} | {fill.name: iterations(fill.walk) for fill in stage.fills}
    for travel in travels(stage):
        distance = nest.loop[travel.space.loop].distance if travel.space.systolic else 1
        words = steps[travel.process] * travel.words
        yield Count(travel.name, f"{stage.label}array", travel.tensor, travel.kind, words, travel.bits, distance)


def _sums(stage: Stage) -> Iterator[Count]:
    """Partial sums in the accumulators, and in the levels further out."""
    tensor, walk, sink = stage.sums[0].tensor, stage.compute.walk, stage.compute.sink
    steps, lanes = iterations(walk), stage.sums[0].lanes
    written, first = steps * lanes, iterations(walk, still=sink.reductions) * lanes
    for number, level in enumerate(stage.sums):
        place = level.name if number else f"{stage.label}accumulator"
        name, bits = plain(level.name), level.type.bits
        yield Count(f"{name}_read", place, tensor, "read", written - first, bits)
        yield Count(f"{name}_written", place, tensor, "write", written, bits)
        if number < len(stage.folds):
            written, first = _folded(stage.folds[number], stage.sums[number + 1])
        else:
            written, first = _vectors(stage.write), 0
        yield Count(f"{name}_drained", place, tensor, "read", written, bits)


def _folded(fold: Fold, into: Sums) -> tuple[int, int]:
    """Words that a fold hands on, and those of them that are first visits."""
    if into.inside:
        return iterations(fold.walk) * into.lanes, iterations(fold.walk, still=fold.sink.reductions) * into.lanes
    vector = {name: f"{LANE} along {name}" for name, _ in into.held}
    axes = (*fold.walk.axes, *(Axis(vector[name], count) for name, count in into.held if count > 1))
    forms = [limit.form for limit in fold.walk.limits]
    for mask in fold.tap.masks:
        forms.append(mask.form + Affine.of((vector[name], -weight) for name, weight in mask.weights))
    return points(axes, forms), _first(fold.sink.reductions, axes, forms)
