"""What the levels of partial sums are made of, and the latencies of an accelerator that its processes wait for."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.backend_hdl.accumulate import LEAD, AccumulateSpec
from halidehw.backend_hdl.grid import NodeSpec, OutputSpec, array_spec
from halidehw.backend_hdl.library import RAM_LATENCY
from halidehw.backend_hdl.pe import PESpec, held
from halidehw.backend_hdl.wave import Wire
from halidehw.backend_hdl.window import late
from halidehw.backend_hdl.writer import WriterSpec
from halidehw.microarch.network import Space, Stage
from halidehw.microarch.stores import Sums


@dataclass(frozen=True)
class Latencies:
    """In cycles. `pe`: from a PE's operands to its product; `landed`: from a step of the array to its sum's place in
    the last accumulator; `drain`: from the last level's read port to the writer; `writer`: from a step of the writer to
    its word at the output queue.
    """

    pe: int
    landed: int
    drain: int
    writer: int


@dataclass(frozen=True)
class Handover:
    """When a level of partial sums passes its parts, in cycles: `landed` after the step that brings a tile's last sum,
    and `drain` after the one that takes it."""

    landed: int
    drain: int


def latencies(stage: Stage) -> Latencies:
    """The latencies of the hardware that `Top` makes of an accelerator."""
    write, levels = stage.write, handovers(stage)
    last, memories = stage.sums[-1], tuple(stage.read_by(write.operands).values())
    writer = WriterSpec(write, memories, (), last.type, last.halves * last.words, levels[-1].drain)
    return Latencies(pe_spec(stage).latency, levels[0].landed, levels[-1].drain, writer.latency)


def handovers(stage: Stage) -> tuple[Handover, ...]:
    """Those of all levels of partial sums, innermost first."""
    array = lanes_spec(stage, ())
    arrival = max([1 + RAM_LATENCY, *arrivals(stage).values()])
    skew = sum(space.extent - 1 for space in stage.spaces if space.systolic and not space.reduction)
    landed = [arrival + skew + lane(array).latency + 2]
    drains = []
    for number, outer in enumerate(stage.sums[1:]):
        drains.append(0 if outer.inside else drain_spec(stage, number, ()).drain_latency)
        landed.append(LEAD + 3 + skew if outer.inside else folded(drains[-1]) + 2)
    drains.append(drain_spec(stage, len(stage.folds), ()).drain_latency)
    return tuple(Handover(*each) for each in zip(landed, drains, strict=True))


def arrivals(stage: Stage) -> dict[str, int]:
    """Of each shared memory that the array reads, the cycles from a step to its words, or to the taps of its window."""
    windows = {name: late(window) for name, (window, _) in stage.compute.windows.items()}
    memories = stage.read_by(stage.compute.operands)
    return {memory.name: memory.latency + windows.get(memory.name, 0) for memory in memories.values()}


def folded(drain: int) -> int:
    """Cycles from a fold's step to its words' arrival at the next level, whose control is LEAD cycles ahead of them."""
    return max(drain, LEAD) + 1


def pe_spec(stage: Stage) -> PESpec:
    sums, masks = stage.sums[0], tuple(mask.name for mask in stage.compute.masks)
    return PESpec(stage.compute.value, sums.type, sums.combine, (), held(stage), masks)


def sums_spec(sums: Sums) -> AccumulateSpec:
    return AccumulateSpec(sums.halves * sums.words, sums.type, sums.combine, sums.init, sums.single)


def drain_spec(stage: Stage, level: int, wires: tuple[Wire, ...]) -> NodeSpec | OutputSpec:
    """What the fold or the writer after a level drains: the array, or a memory of sums."""
    return lanes_spec(stage, wires) if stage.sums[level].inside else banks_spec(stage, level, wires)


def lanes_spec(stage: Stage, wires: tuple[Wire, ...]) -> NodeSpec | OutputSpec:
    """The array, with the levels of sums in its lanes."""
    levels = tuple(sums_spec(level) for level in stage.sums if level.inside)
    return array_spec(stage.spaces, wires, pe_spec(stage), levels, _together(stage, len(levels) - 1))


def banks_spec(stage: Stage, level: int, wires: tuple[Wire, ...]) -> NodeSpec | OutputSpec:
    """The memory of a level of sums outside the lanes: a bank for each lane that its fold takes together."""
    sums = stage.sums[level]
    return array_spec(bank_spaces(stage, sums), wires, None, (sums_spec(sums),), _together(stage, level))


def bank_spaces(stage: Stage, sums: Sums) -> tuple[Space, ...]:
    """The lanes that a level of sums outside the array holds side by side, as axes of one."""
    width = dict(sums.held)
    spaces = (space for space in stage.spaces if width.get(space.name, 1) > 1)
    return tuple(Space(space.name, space.loop, width[space.name], False, space.dimension, False) for space in spaces)


def _together(stage: Stage, level: int) -> dict[str, int]:
    """The lanes of each axis that are drained together from a level."""
    if level + 1 < len(stage.sums):
        return dict(stage.sums[level + 1].held)
    return {stage.write.vector_space: stage.write.lanes} if stage.write.vector_space else {}


def lane(array: NodeSpec | OutputSpec) -> NodeSpec:
    """One output lane of the array."""
    return lane(array.child) if isinstance(array, OutputSpec) else array
