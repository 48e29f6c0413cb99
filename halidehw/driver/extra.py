"""What hardware is tried on besides the run that was asked for: further starts; random stalls after an abort, at first
with the output held back until all before it is full; after a reset each memory held back in turn, while what does
not need it goes on; and a memory as slow as the hardware has room for, where a part too few costs cycles.

Of a run of over a million cycles the further starts are stopped early, so that all of them together take a fifth of
it. What a stopped start has written is compared; words that it has not written yet are known by a pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

import numpy as np

from halidehw.driver.counters import differing
from halidehw.energy_model.points import iterations
from halidehw.energy_model.processes import Process, system
from halidehw.ir.nest import Nest
from halidehw.ir.sums import visits
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.options import LATENCY
from halidehw.microarch.processes import Transfer, is_load
from halidehw.microarch.stores import Memory, Store
from halidehw.simulate import Run, Scenario, Stop
from halidehw.simulate.bench import memories
from halidehw.simulate.memory import MAX_LATENCY
from halidehw.simulate.words import unwritten_word

LONG = 1_000_000
"""Cycles of a run from which on a faster simulator is worth its longer build, and further runs are stopped early."""

_STALLS = 0.2
_HOLD = 10_000
_STARTS = 8
_STEPS = 100_000
"""Of the array, in all starts that follow the first one."""


Expectation = tuple[Nest, np.ndarray]
"""A stage whose words are written to memory, and these words in the order of their addresses."""


@dataclass(frozen=True)
class Extra:
    """A further run, or several of a kind: what it is, the cycles of the longest, the words of the output that were
    compared each time, how many were wrong in all, and the names of counters that were."""

    name: str
    cycles: int
    words: int
    mismatches: int
    counters: tuple[str, ...] = ()

    @property
    def match(self) -> bool:
        return not self.mismatches and not self.counters

    def __add__(self, other: Extra) -> Extra:
        return Extra(
            self.name, max(self.cycles, other.cycles), min(self.words, other.words),
            self.mismatches + other.mismatches, tuple(dict.fromkeys((*self.counters, *other.counters))),
        )  # fmt: skip


def further(first: Scenario, accelerator: Network, slow: bool = True) -> tuple[Scenario, ...]:
    """The scenarios that come after the first one. `slow`: one with a memory as slow as the hardware expects, for which
    the model has to know the cycles."""
    stop = Stop(Fraction(1, 20), LONG)
    stalling = replace(first.memory, stall_probability=max(first.memory.stall_probability, _STALLS))
    slower = replace(first.memory, latency=hidden(accelerator), stall_probability=0.0)
    starts = _starts(accelerator)
    again = "on a second start" if starts == 1 else f"on {starts} further starts"
    return (
        *(replace(first, onward=True, stop=stop, name=again) for _ in range(starts)),
        replace(first, memory=stalling, onward=True, abort_at=Fraction(1, 2), stop=stop, hold=_HOLD,
                held_first=len(memories(accelerator.interface)) - 1, name="under random stalls, after an abort"),
        replace(first, hold=_HOLD, reset_at=Fraction(1, 2), stop=stop,
                name="with each memory held back, after a reset"),
        *([replace(first, memory=slower, stop=stop, name="on a slower memory")] if slow else []),
    )  # fmt: skip


def judged(
    runs: Iterable[tuple[Scenario, Run]], expected: Sequence[Expectation], accelerator: Network
) -> tuple[Extra, ...]:
    """All runs but the first one, beside the words that they should have written, and the first one's counters."""
    first, *others = runs
    found: dict[str, Extra] = {}
    for scenario, run in others:
        each = _judged(scenario, run, first, accelerator, expected)
        found[each.name] = found[each.name] + each if each.name in found else each
    return tuple(found.values())


def _judged(
    scenario: Scenario, run: Run, first: tuple[Scenario, Run], accelerator: Network, expected: Sequence[Expectation]
) -> Extra:
    """Of a run that is stopped, no partial sums."""
    compared = wrong = 0
    for nest, right in expected:
        memory = run.outputs[nest.output.name]
        words = nest.output.taken(memory)
        wrong += beside(nest, memory, run.starts)
        written = np.full(words.shape, run.whole)
        if not run.whole and visits(nest) == 1:
            written = words != unwritten_word(nest.output.type, run.starts)
        compared += int(written.sum())
        wrong += int((written & (words != right)).sum())
    return Extra(scenario.name, run.cycles, compared, wrong, differing(scenario, run, first, accelerator))


def beside(nest: Nest, memory: np.ndarray, start: int) -> int:
    """Words between an output's elements that the start of this number, counted from 1, has written."""
    if nest.output.layout is None:
        return 0
    between = np.ones(memory.shape, bool)
    between[nest.output.layout.addresses(nest.output.extents).reshape(-1)] = False
    return int((memory[between] != unwritten_word(nest.output.type, start)).sum())


def hidden(accelerator: Network) -> int:
    """The greatest latency of a memory for which no tensor without a buffer has too few parts to be read at once; that
    which hardware expects where all tensors have buffers; none beyond that of any memory."""
    readers = [(line.stage, process) for line in system(accelerator).lines for process in (line.array, line.writer)]
    found = [latency for stage, process in readers for latency in _unbuffered(stage, process)]
    return min(max(min(found, default=LATENCY), 1), MAX_LATENCY)


def _unbuffered(stage: Stage, reader: Process) -> Iterator[int]:
    """Of each store of a step's words that comes from a port, on its way to a reader, the latency that its parts hide:
    see `microarch.parts.parts`."""
    for source in reader.sources:
        feeder, store, tile = source.feeder, stage.store[source.channel.name], source.channel.tile
        if is_load(feeder.work) and isinstance(store, Memory) and store.implicit:
            use, fill = (prod(axis.extent for axis in walk.axes[tile:]) for walk in (reader.walk, feeder.walk))
            yield store.halves * max(use, fill) - use - fill - 1
        elif isinstance(feeder.work, Transfer):
            yield from _unbuffered(stage, feeder)


def _starts(accelerator: Network) -> int:
    """After so many further starts each part of a store has been used twice, so that one that is not given back is
    missed; and some more, as what is left behind may add up. Fewer where that takes long."""
    steps = max(iterations(stage.compute.walk) for stage in accelerator.stages)
    needed = max(_parts(store) // _tiles(stage, store) for stage in accelerator.stages for store in _own(stage))
    return max(1, min(max(needed, _STARTS), _STEPS // steps))


def _own(stage: Stage) -> list[Store]:
    """The stores that the stage itself writes."""
    return [store for store in stage.stores if store.name in stage.writer]


def _parts(store: Store) -> int:
    """The tiles for which a store has room."""
    if isinstance(store, Memory) and store.ring:
        return store.dims[store.ring.dimension].extent // store.ring.step
    return store.halves


def _tiles(stage: Stage, store: Store) -> int:
    """The tiles that a run puts into a store."""
    process = stage.writer[store.name]
    return iterations(process.walk, process.sink.tile)
