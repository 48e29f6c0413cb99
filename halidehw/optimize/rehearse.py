"""About how many cycles mappings without register files run: their tiles one after the other, many mappings at once.

A tile comes in when a half of its memory is free, and the port has time: where all tensors share one, words that are
written go first. The array takes its steps when the tile is there, or of one that comes in by pieces when what a step
needs is. So tiles are cut into equal parts, iterations of their outermost loop or a few of them each: of what a part
needs first, some is needed at its start and the rest in the course of its steps. Sums leave in equal groups, each when
it is complete, the last one after the last step. All tiles but the first are taken to bring as many words. Where sums
leave seldom, a shared port that is taken by them holds up the next tile but one for as long as the array has no work
left; what comes back of them is waited for where the port has hardly time left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SHOWN = 36
"""Parts of tiles that are gone through; those after them take what the last ones took."""

PERIOD = 12
"""The last of these parts, over which is averaged: loads take turns with the halves of memories."""

PARTS = 1, 2, 3, 4, 6
"""How many parts a tile can have: divisors of the period."""

BEHIND = 8
"""Parts whose sums may still leave while another one comes in: on their way out they pass the array."""

FULL = 0.95
"""Of the array's steps the cycles of the port from which on what comes back is waited for."""

READY = 3
"""Cycles from the last word of a tile until the array's first step on it."""


@dataclass(frozen=True)
class Loads:
    """What comes in, float64 (4, n): in the first part of the first tile, in its other parts, and so of tiles after it.
    Cycles of the port (`cycles`), those of them that the part's first step waits for (`late`), and steps of the part
    that are left when the last of it is wanted (`left`)."""

    cycles: np.ndarray
    late: np.ndarray
    left: np.ndarray


@dataclass(frozen=True)
class Tiles:
    """Of n mappings, float64 (n,) each: how `many` tiles, of so many `parts` with so many `steps` of the array; what
    comes in (`loads`); cycles of the port of `sums`, of which there are some after every so many (`every`) parts, in
    so many `groups`, each `late` cycles after the step that completes it; `back`: of those in all that come back.
    Of the last tile there is only a share (`rest`)."""

    many: np.ndarray
    parts: np.ndarray
    steps: np.ndarray
    loads: Loads
    sums: np.ndarray
    every: np.ndarray
    groups: np.ndarray
    late: np.ndarray
    back: np.ndarray
    rest: np.ndarray

    @property
    def load(self) -> np.ndarray:
        """Cycles of the port for a part of all tiles but the first, on average."""
        first, others = self.loads.cycles[2:]
        return np.asarray((first + others * (self.parts - 1)) / self.parts)


def rehearse(tiles: Tiles, shared: bool) -> np.ndarray:
    """float64 (n,): cycles of a run. `shared`: whether sums leave through the port through which tiles come in."""
    seldom = PERIOD % tiles.every != 0
    sums, every = np.where(seldom, 0, tiles.sums), np.where(seldom, 1, tiles.every)
    none, every_one, parts = np.zeros_like(tiles.steps), np.arange(len(tiles.steps)), tiles.parts.astype(int)
    ends, leaving, loaded = np.zeros((SHOWN + 1, len(none))), [(none, none)] * 3, none
    spread = tiles.steps - tiles.steps / tiles.groups
    busy = np.maximum(sums, spread + sums / tiles.groups)
    rate = np.divide(sums, busy, out=np.zeros_like(busy), where=busy > 0)
    gone, moved, stored = list[np.ndarray](), none, list[tuple[np.ndarray, np.ndarray]]()
    for number in range(SHOWN):
        tile = number // parts
        share = np.where(tile >= tiles.many - 1, tiles.rest, 1)
        kind = 2 * (tile > 0) + (number % parts > 0)
        cycles, late, left = (
            getattr(tiles.loads, name)[kind, every_one] * share for name in ("cycles", "late", "left")
        )
        free = np.where(tile > 1, ends[np.maximum(tile - 1, 0) * parts, every_one] + 1, 0)
        asked = np.maximum(loaded, free)
        loaded, there = (
            _through(asked, each, leaving[-BEHIND:], rate) if shared else asked + each for each in (cycles, late)
        )
        begun = np.maximum.reduce([there + READY, ends[number], leaving[-2][1] - tiles.late])
        moved = moved + cycles
        waiting = sum(np.where(end > ends[number], amount, 0) for end, amount in stored[-BEHIND:])
        through = np.maximum(loaded + READY, (moved - waiting) * shared) + left
        ends[number + 1] = np.maximum(begun + tiles.steps * share, through)
        begun = np.maximum(ends[number + 1] - spread * share + tiles.late, leaving[-1][1])
        out = (number + 1) % every == 0
        leaving.append((np.where(out, begun, leaving[-1][1]), np.where(out, begun + busy * share, leaving[-1][1])))
        stored.append((leaving[-1][1], np.where(out, sums * share, 0)))
        moved = moved + stored[-1][1]
        gone.append(np.maximum(ends[number + 1] + tiles.late + sums * share / tiles.groups, leaving[-1][1]))
    times, all_parts = np.stack(gone), tiles.many * parts
    last = np.minimum(all_parts, SHOWN).astype(int) - 1
    further = (all_parts - 1 - last) * (times[-1] - times[-1 - PERIOD]) / PERIOD
    if shared:
        held = np.maximum(tiles.sums + parts * (tiles.load - 2 * tiles.steps), 0)
        further += np.where(seldom, all_parts / tiles.every * held, 0)
        full = (tiles.back > 0) & (tiles.load + tiles.sums / tiles.every > FULL * tiles.steps)
        further += np.where(full, tiles.back + tiles.many * tiles.late, 0)
    return np.asarray(times[last, every_one] + further + np.where(seldom, tiles.sums / tiles.groups, 0))


def _through(
    time: np.ndarray, cycles: np.ndarray, leaving: list[tuple[np.ndarray, np.ndarray]], rate: np.ndarray
) -> np.ndarray:
    """float64 (n,): when a port has moved what takes it so many cycles, from a time on, in those that what is leaving
    meanwhile, one after the other at that rate, does not take."""
    for begin, end in leaving:
        free = np.clip(begin - time, 0, cycles)
        time, cycles = time + free, cycles - free
        room = np.where(cycles > 0, np.maximum(end - time, 0), 0)
        moved = np.minimum(cycles, room * (1 - rate))
        time = time + np.where(moved < cycles, room, moved / np.maximum(1 - rate, 1e-9))
        cycles = cycles - moved
    return time + cycles
