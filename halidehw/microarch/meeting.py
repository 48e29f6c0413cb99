"""Where ways from one stage to another meet: whether words may be taken as they come there, and how many wait.

A stage whose words several others take as they come puts each into all of their queues at once. So the stage in which
all ways from there have met must take its words at the same place of the same rows on each of them, none of which may
wait for a row or a tile as a whole: else the queue of one fills while the words of another one cannot come. That is so
where the steps by which readers are behind what they read add up to the same on each way. What is left are the cycles
that a longer way takes: so many words wait in the queue at the end of a shorter one. docs/design/pipelines.md has the
proof.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from halidehw.ir.graph import Graph
from halidehw.microarch.network import Stage
from halidehw.microarch.processes import taps_of
from halidehw.microarch.stores import Memory

Lead = tuple[int, int]
"""Rows and columns by which a reader is behind what it reads."""

VISIBLE = 2
"""Cycles from a word that is in a memory to the step of its reader that sees it."""


def apart(graph: Graph, stages: Collection[Stage], asked: Collection[str]) -> frozenset[str]:
    """Those of the tensors `asked` whose words cannot be taken as they come, or need not: of several readers that meet
    again otherwise, and rows of a tile that are taken beside what comes otherwise."""
    found = set[str]()
    for source in graph.made:
        if len(graph.consumers(source)) > 1 and (passed := _disagreeing(graph, stages, source)):
            found |= {source, *(name for name in passed if _tile(graph, name))}
    for stage in stages:
        leads = {memory.tensor: _lead(stage, memory) for memory in stage.memories if memory.tensor in graph.made}
        if None in leads.values():
            found |= {name for name in leads if _tile(graph, name, stage.name)}
    return frozenset(found.intersection(asked))


def waiting(graph: Graph, stages: Collection[Stage], asked: Collection[str]) -> tuple[Stage, ...]:
    """The stages, with room in their queues for what comes on a shorter way while a longer one takes its time."""
    more: dict[str, int] = {}
    for source in (name for name in graph.made.intersection(asked) if len(graph.consumers(name)) > 1):
        there = {source: 0}
        for stage in stages:
            came = {memory.name: there[memory.tensor] for memory in _read(stage, there)}
            if came:
                latest = max(came.values())
                more |= {name: max(more.get(name, 0), latest - time) for name, time in came.items()}
                there[stage.name] = latest + stage.sums[-1].landed + stage.write.latency + VISIBLE
    return tuple(_roomier(stage, more) for stage in stages)


def _disagreeing(graph: Graph, stages: Collection[Stage], source: str) -> set[str]:
    """What lies on the ways from `source` to where all of them have met, if some are not as far behind as others;
    nothing if they agree."""
    behind: dict[str, Lead | None] = {source: (0, 0)}
    for stage in stages:
        leads = {_sum(behind[memory.tensor], _lead(stage, memory)) for memory in _read(stage, behind)}
        if not leads:
            continue
        if None in leads or len(leads) > 1:
            break
        behind[stage.name] = leads.pop()
        readers = {nest.name for name in behind if name != stage.name for nest in graph.consumers(name)}
        if readers <= behind.keys():
            return set()
    return set(behind)


def _read(stage: Stage, tensors: Collection[str]) -> Iterator[Memory]:
    """The memories from which a stage reads what other stages make, one of `tensors`."""
    return (memory for memory in stage.memories if memory.tensor in tensors and memory.tensor != stage.name)


def _lead(stage: Stage, memory: Memory) -> Lead | None:
    """By how much a stage is behind what it takes from a memory word by word; None where it takes larger parts, or
    rows from a ring, which is behind by those of its window, or hands them on to another memory."""
    if (lanes := taps_of(stage.compute.operands).get(memory.name)) is None or memory.ring:
        return None
    axes = lanes.window.walk.axes if lanes.window else stage.compute.walk.axes
    if lanes.tap.tile < len(axes):
        return None
    return (lanes.window.rows, lanes.window.warm) if lanes.window else (0, 0)


def _sum(before: Lead | None, lead: Lead | None) -> Lead | None:
    return None if before is None or lead is None else (before[0] + lead[0], before[1] + lead[1])


def _tile(graph: Graph, name: str, *readers: str) -> bool:
    """Whether a tensor's readers (all, if none are named) keep no rows of it."""
    nests = (nest for nest in graph.consumers(name) if not readers or nest.name in readers)
    return any(nest.levels(name)[0].slide is None for nest in nests)


def _roomier(stage: Stage, more: dict[str, int]) -> Stage:
    def roomier(memory: Memory) -> Memory:
        return replace(memory, halves=memory.halves + more[memory.name]) if more.get(memory.name) else memory

    return replace(stage, stores=tuple(roomier(each) if isinstance(each, Memory) else each for each in stage.stores))
