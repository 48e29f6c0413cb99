"""About how many cycles mappings without register files run: their tiles one after the other, many mappings at once.

A tile comes in when a half of its memory is free, and the port has time: where all tensors share one, words that are
written go first. The array takes its steps when the tile is there. Its sums leave in equal groups, each when it is
complete, the last one after the last step. All tiles but the first are taken to bring as many words. Where sums leave
seldom, a shared port that is taken by them holds up the next tile but one for as long as the array has no work left;
what comes back of them is waited for where the port has hardly time left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SHOWN = 24
"""Tiles that are gone through; those after them take what the last ones took."""

PERIOD = 12
"""The last of these tiles, over which is averaged: loads take turns with the halves of memories."""

BEHIND = 8
"""Tiles whose sums may still leave while another one comes in: on their way out they pass the array."""

FULL = 0.95
"""Of the array's steps the cycles of the port from which on what comes back is waited for."""

READY = 3
"""Cycles from the last word of a tile until the array's first step on it."""


@dataclass(frozen=True)
class Tiles:
    """Of n mappings, float64 (n,) each: `steps` of the array in a tile, how `many` tiles, cycles of the port until the
    `first` tile is there and of each `load` after it, and of `sums`, of which there are some after every so many
    (`every`) tiles, in so many `groups`, each `late` cycles after the step that completes it; `back`: of those in all
    that come back from outside."""

    steps: np.ndarray
    many: np.ndarray
    first: np.ndarray
    load: np.ndarray
    sums: np.ndarray
    every: np.ndarray
    groups: np.ndarray
    late: np.ndarray
    back: np.ndarray


def rehearse(tiles: Tiles, shared: bool) -> np.ndarray:
    """float64 (n,): cycles of a run. `shared`: whether sums leave through the port through which tiles come in."""
    seldom = PERIOD % tiles.every != 0
    sums, every = np.where(seldom, 0, tiles.sums), np.where(seldom, 1, tiles.every)
    none = np.zeros_like(tiles.steps)
    ends, leaving, loaded = [none, none], [(none, none)] * 3, none
    spread = tiles.steps - tiles.steps / tiles.groups
    busy = np.maximum(sums, spread + sums / tiles.groups)
    rate = np.divide(sums, busy, out=np.zeros_like(busy), where=busy > 0)
    for number in range(SHOWN):
        asked = loaded if number < 2 else np.maximum(loaded, ends[-2] + 1)
        cycles = tiles.load if number else tiles.first
        loaded = _through(asked, cycles, leaving[-BEHIND:], rate) if shared else asked + cycles
        ends.append(np.maximum.reduce([loaded + READY, ends[-1], leaving[-2][1] - tiles.late]) + tiles.steps)
        begun = np.maximum(ends[-1] - spread + tiles.late, leaving[-1][1])
        out = (number + 1) % every == 0
        leaving.append((np.where(out, begun, leaving[-1][1]), np.where(out, begun + busy, leaving[-1][1])))
    gone = [end + tiles.late + sums / tiles.groups for end in ends[2:]]
    times = np.maximum(np.stack(gone), np.stack([end for _, end in leaving[3:]]))
    last = np.minimum(tiles.many, SHOWN).astype(int) - 1
    further = (tiles.many - 1 - last) * (times[-1] - times[-1 - PERIOD]) / PERIOD
    if shared:
        held = np.maximum(tiles.sums + tiles.load - 2 * tiles.steps, 0)
        further += np.where(seldom, tiles.many / tiles.every * held, 0)
        full = (tiles.back > 0) & (tiles.load + tiles.sums > FULL * tiles.steps)
        further += np.where(full, tiles.back + tiles.many * tiles.late, 0)
    return np.asarray(times[last, np.arange(len(last))] + further + np.where(seldom, tiles.sums / tiles.groups, 0))


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
