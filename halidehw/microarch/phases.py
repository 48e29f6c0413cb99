"""Turns at fixed times: a memory with one port and words of several elements, read while sums are written to it.

A word passes the port once: it is read for the step that takes its first element, and kept for those that take the
others; it is written with its last element, those before having been collected. In which cycles, counted from the
array's first step, follows from latencies: an array and a writer that sinks into a memory alone wait for each other
and, but for what else the array reads, for nothing. Where the array waits, it does so for a multiple of a word's cycles
(`Compute.cadence`). So modulo these all times are known, whatever the memory outside does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halidehw.microarch.network import Stage
from halidehw.microarch.processes import taps_of
from halidehw.microarch.steps import steps_of, tiles
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import FileTap
from halidehw.microarch.walk import Walk

READ = 1
"""Cycles from a step to its address at a bank."""

WIDEST = 64
"""Elements of a word, at most, of those that are proposed."""

Places = dict[int, tuple[np.ndarray, np.ndarray]]
"""Of each bank the cycles in which its elements pass, in order, and which they are; shape (elements,) each."""


@dataclass(frozen=True)
class Port:
    """What passes the port of each bank by words of `word` elements: read for the array, and written by the writer, of
    the last tile of sums from cycle `final` on. `waiting`: the array may come later than here, by whole words."""

    word: int
    reads: Places
    writes: Places
    final: int
    waiting: bool

    @property
    def meetings(self) -> int:
        """How often, in all banks, a word is read in the cycle in which one is written, if the array does not wait; if
        that is never, how often it may be where it does."""
        words = [(self._read(bank), self._written(bank)) for bank in self.writes if bank in self.reads]
        met = sum(len(np.intersect1d(read, written)) for read, written in words)
        if met or not self.waiting:
            return met
        before = ((read, written[written < self.final]) for read, written in words)
        return sum(int(np.isin(written % self.word, read % self.word).sum()) for read, written in before)

    @property
    def phases(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """In which cycles modulo those of a word reads come, and writes, of all banks that have both."""
        both = [bank for bank in self.writes if bank in self.reads]
        read, written = (np.concatenate([of(bank) for bank in both]) for of in (self._read, self._written))
        return tuple(np.unique(read % self.word).tolist()), tuple(np.unique(written % self.word).tolist())

    def _read(self, bank: int) -> np.ndarray:
        times, places = self.reads[bank]
        return times[places % self.word == 0]

    def _written(self, bank: int) -> np.ndarray:
        times, places = self.writes[bank]
        return times[places % self.word == self.word - 1]

    @property
    def broken(self) -> str:
        """Why the elements do not pass by words, if so."""
        return next((why for why in (*map(self._misread, self.reads), *map(self._miswritten, self.writes)) if why), "")

    def _misread(self, bank: int) -> str:
        """A step takes an element of a word that was not read with its first one."""
        _, places = self.reads[bank]
        begun = np.maximum.accumulate(np.where(places % self.word == 0, np.arange(len(places)), -1))
        wrong = np.flatnonzero((begun < 0) | (places[begun] // self.word != places // self.word))
        if not wrong.size:
            return ""
        word, element = divmod(int(places[wrong[0]]), self.word)
        return f"step {wrong[0] + 1} reads element {element} of word {word} of bank {bank} before its first one"

    def _miswritten(self, bank: int) -> str:
        """The elements of a word do not come one after the other."""
        _, places = self.writes[bank]
        count = len(places)
        whole, rest = divmod(count, self.word)
        if rest:
            return f"{count} elements are written to bank {bank}, {whole} x {self.word} + {rest}"
        words = places.reshape(-1, self.word)
        wrong = np.flatnonzero((words != words[:, :1] + np.arange(self.word)).any(1) | (words[:, 0] % self.word != 0))
        if not wrong.size:
            return ""
        found = ", ".join(map(str, words[wrong[0]]))
        return f"elements {found} are written to bank {bank} in this order, which are no word"


def unsteady(stage: Stage, tenant: Memory, home: Memory) -> str:
    """Why nothing is known of a stage's times, or its elements pass the port by no words, if so."""
    compute, write = stage.compute, stage.write
    for memory in (tenant, home):
        if memory.rotating or memory.follows or memory.behind:
            return f"{memory.name} has banks that turn, or lanes that follow others"
    if compute.windows:
        return f"{', '.join(compute.windows)} is read through a window"
    if len(stage.sums) > 1 or stage.sums[0].scattered:
        return f"the sums of {stage.name} have {len(stage.sums)} levels, or scatter"
    if taps_of(write.operands) or write.partial:
        return f"the final stage of {stage.name} may wait for {', '.join(taps_of(write.operands)) or write.partial}"
    if len(write.sinks) > 1:
        return f"{stage.name} goes elsewhere too, where it may wait"
    return ""


def waiting(stage: Stage) -> bool:
    """Whether an array that has begun may have to wait for something else than its sums."""
    files = (each.source for each in stage.compute.operands if isinstance(each.source, FileTap))
    depths = [lanes.tap.tile for lanes in taps_of(stage.compute.operands).values()]
    return any((*depths, *(file.tile for file in files)))


def times(stage: Stage, cadence: int) -> tuple[np.ndarray, np.ndarray, int]:
    """The cycles of the array's steps and of its writer's, from the array's first one on, shape (steps,) each; and in
    which the writer begins the last tile. The array begins a tile of sums when it has a part for it, and the writer
    when the tile is there: see `Sums`. What the array waits is a multiple of `cadence`."""
    sums, write = stage.sums[0], stage.write
    made, taken = _tiles(stage.compute.walk, stage.compute.sink.tile), _tiles(write.walk, write.tap.tile)
    begins, starts, free = list[int](), list[int](), [0] * sums.halves
    done = emptied = 0
    for number, (steps, words) in enumerate(zip(made.tolist(), taken.tolist(), strict=True)):
        begins.append(done + -(-max(free[number] - done, 0) // cadence) * cadence)
        done = begins[-1] + steps
        starts.append(max(emptied, done + sums.landed))
        emptied = starts[-1] + words
        free.append(emptied + sums.returned)
    return _each(begins, made), _each(starts, taken), starts[-1]


def uneven(stage: Stage, word: int) -> str:
    """Why the writer's times, modulo a word's cycles, depend on how long the array waits, if so: a tile is begun when
    it is there, or when the one before is written, which are to be the same."""
    made = _tiles(stage.compute.walk, stage.compute.sink.tile)
    taken = _tiles(stage.write.walk, stage.write.tap.tile)
    wrong = np.flatnonzero((taken[:-1] - made[1:]) % word)
    if not wrong.size:
        return ""
    tile = int(wrong[0])
    return (
        f"the array takes {made[tile + 1]} steps for a tile of sums, while the writer takes {taken[tile]} for the one "
        f"before, and may wait for other things: {made[tile + 1]} mod {word} is not {taken[tile]} mod {word}"
    )


def _tiles(walk: Walk, depth: int) -> np.ndarray:
    """The steps of each tile that ends at a depth of a walk."""
    return np.bincount(tiles(steps_of(walk), [axis.name for axis in walk.axes[:depth]]))


def _each(begins: list[int], lengths: np.ndarray) -> np.ndarray:
    """The cycles of steps that follow each other in tiles, by where those begin."""
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(np.array(begins), lengths) + within
