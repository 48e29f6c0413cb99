"""About how many cycles mappings without register files run: their tiles one after the other, many mappings at once.

A tile comes in when a half of its memory is free, and the port has time: where all tensors share one, words that are
written go first; of operands whose pieces are wanted once, a piece when there is room for it. The array takes its steps
when the tile is there, or of one that comes in by pieces when what a step needs is. So tiles are cut into equal parts,
iterations of their outermost loop or a few of them each: of what a part needs first, some is needed at its start and
the rest in the course of its steps, of each operand until a step of its own. Sums leave piece by piece as they
become complete, after each part where its loop moves them, else after a tile, or the last of several tiles. All tiles
but the first are taken to bring as many words, or the last of several a share of them. Where sums leave seldom, a
shared port that is taken by them holds up the next tile but one for as long as the array has no work left; some of what
comes back is waited for where the port has hardly time left.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

SHOWN = 36
"""Parts of tiles that are gone through, or two periods; those after them take what the last ones took."""

PERIOD = 12
"""Parts of tiles in a period, which has whole rounds of tiles: loads take turns with the halves of memories."""

LONG = 24
"""Parts of a period where PERIOD has no whole rounds, at most."""

PARTS = 1, 2, 3, 4, 6
"""How many parts a tile can have."""

BEHIND = 8
"""Parts whose sums may still leave while another one comes in: on their way out they pass the array."""

FULL, WAITED = 0.95, 0.25
"""Of the array's steps the port's cycles from which on what comes back is waited for, and how much of it, about."""

READY = 3
"""Cycles from the last word of a tile until the array's first step on it."""


@dataclass(frozen=True)
class Loads:
    """What comes in, float64 (4, n): in the first part of the first tile, in its other parts, and so of tiles after it.
    Cycles of the port (`cycles`), those of them that the part's first step waits for (`late`), and steps of the part
    that are left when the last of it is wanted (`left`); the cycles of the operand that is wanted `sooner`, and the
    steps that are left when the last of it is (`more`); the cycles of operands whose pieces are wanted once (`once`).
    """

    cycles: np.ndarray
    late: np.ndarray
    left: np.ndarray
    sooner: np.ndarray
    more: np.ndarray
    once: np.ndarray


@dataclass(frozen=True)
class Tiles:
    """Of n mappings, float64 (n,) each: how `many` tiles, of so many `parts` with so many `steps` of the array; what
    comes in (`loads`); cycles of the port of `sums`, which are complete in the last one of so many `rounds` of tiles:
    after each part (`moved`, bool), or the last one, `late` cycles after the step that completes them, from so many
    steps before the last one of the part on (`spread`), so that after it some leave for so many cycles (`tail`);
    `back`: of those in all that come back. Of the tiles of the last round there is only a share (`rest`), of the last
    one of each round, but for its sums, a share (`short`). Of operands whose
    pieces are wanted once there is room for `ahead` parts, which each leaves free, or 0: there are none; `alone`: there
    are no others, for which there is room for two tiles."""

    many: np.ndarray
    parts: np.ndarray
    steps: np.ndarray
    loads: Loads
    sums: np.ndarray
    rounds: np.ndarray
    moved: np.ndarray
    tail: np.ndarray
    spread: np.ndarray
    late: np.ndarray
    back: np.ndarray
    rest: np.ndarray
    short: np.ndarray
    ahead: np.ndarray
    alone: np.ndarray

    @property
    def load(self) -> np.ndarray:
        """Cycles of the port for a part of all tiles but the first, on average."""
        first, others = self.loads.cycles[2:]
        return np.asarray((first + others * (self.parts - 1)) / self.parts)

    @property
    def leave(self) -> np.ndarray:
        """Cycles of the port for all sums of a round."""
        return np.asarray(self.sums * np.where(self.moved, self.parts, 1))

    @property
    def seldom(self) -> np.ndarray:
        """bool: rounds have more tiles than are gone through one after the other."""
        return np.asarray(periods(self.rounds) % (self.rounds * self.parts) != 0)

    def only(self, at: np.ndarray) -> Tiles:
        """Those of the mappings at some places."""
        loads = Loads(*(getattr(self.loads, each.name)[:, at] for each in fields(Loads)))
        others = {each.name: getattr(self, each.name)[at] for each in fields(Tiles) if each.name != "loads"}
        return Tiles(loads=loads, **others)


def periods(rounds: np.ndarray) -> np.ndarray:
    """float64 (n,): the parts of a period, where sums are complete in the last one of so many `rounds` of tiles."""
    some = np.minimum(rounds, LONG)
    return np.where((PERIOD % rounds == 0) | (rounds > LONG), PERIOD, some * (LONG // some))


def rehearse(tiles: Tiles, shared: bool) -> np.ndarray:
    """float64 (n,): cycles of a run. `shared`: whether sums leave through the port through which tiles come in."""
    runs, every = np.empty(len(tiles.many)), periods(tiles.rounds)
    for period in np.unique(every):
        at = np.flatnonzero(every == period)
        runs[at] = _gone_through(tiles.only(at), shared, int(period))
    return runs


def _gone_through(tiles: Tiles, shared: bool, period: int) -> np.ndarray:
    """float64 (n,): those of mappings whose periods have so many parts."""
    seldom, length = tiles.seldom, max(SHOWN, 2 * period)
    sums, rounds = np.where(seldom, 0, tiles.sums), np.where(seldom, 1, tiles.rounds)
    tail, spread = np.where(seldom, 0, tiles.tail), np.where(seldom, 0, tiles.spread)
    none, every_one, parts = np.zeros_like(tiles.steps), np.arange(len(tiles.steps)), tiles.parts.astype(int)
    ends, leaving, loaded, passed = np.zeros((length + 1, len(none))), [(none, none)] * 3, none, none
    busy = np.maximum(sums, spread + tail)
    rate = np.divide(sums, busy, out=np.zeros_like(busy), where=busy > 0)
    gone, moved, stored = list[np.ndarray](), none, list[tuple[np.ndarray, np.ndarray]]()
    free_from, last_out = none, none
    for number in range(length):
        tile = number // parts
        share, last = np.where(tile >= tiles.many - rounds, tiles.rest, 1), tile % rounds == rounds - 1
        some = share * np.where(last & ~seldom, tiles.short, 1)
        kind = 2 * (tile > 0) + (number % parts > 0)
        cycles, late, left, sooner, more, once = (
            getattr(tiles.loads, each.name)[kind, every_one] * some for each in fields(Loads)
        )
        free = _ended(ends, np.where(tiles.ahead > 0, number - tiles.ahead, -1))
        asked = np.maximum(loaded, np.where(tiles.alone, free, _ended(ends, (tile - 1) * parts)))
        begun_in = np.stack([asked, np.maximum(passed, free)])
        asked, wanted = begun_in[[0, 0, 0, 1]], np.stack([cycles, late, sooner, once])
        loaded, there, soon, passed = _through(asked, wanted, leaving[-BEHIND:], rate) if shared else asked + wanted
        room = _ended(ends, np.where(tiles.ahead > 0, number + 1 - tiles.ahead, -1))
        loaded, passed = np.where(tiles.alone, np.maximum(loaded, room), loaded), np.maximum(passed, room)
        cleared = np.where(tiles.back > 0, np.where(number % parts == 0, leaving[-2][1], 0), free_from)
        begun = np.maximum.reduce([there + READY, ends[number], cleared - tiles.late])
        moved = moved + cycles
        waiting = sum(np.where(end > ends[number], amount, 0) for end, amount in stored[-BEHIND:])
        last_in = np.maximum(loaded, passed * (tiles.ahead > 0))
        through = np.maximum(np.maximum(last_in + READY, (moved - waiting) * shared) + left, soon + READY + more)
        ends[number + 1] = np.maximum(begun + tiles.steps * some, through)
        out_from = np.maximum(ends[number + 1] - spread * share + tiles.late, leaving[-1][1])
        out = last & (tiles.moved | (number % parts == parts - 1))
        if shared:
            until = np.stack([loaded, passed])
            beside = np.clip(until - np.maximum(out_from, begun_in), 0, None) * rate / np.maximum(1 - rate, 1e-9)
            loaded, passed = until + np.where(out, np.minimum(beside, sums * share), 0)
            last_in = np.maximum(loaded, passed * (tiles.ahead > 0))
            ends[number + 1] = np.maximum(ends[number + 1], last_in + READY + left)
        out_to = np.where(out, out_from + busy * share, leaving[-1][1])
        leaving.append((np.where(out, out_from, leaving[-1][1]), out_to))
        free_from, last_out = np.where(out, last_out, free_from), leaving[-1][1]
        stored.append((leaving[-1][1], np.where(out, sums * share, 0)))
        moved = moved + stored[-1][1]
        gone.append(np.maximum(ends[number + 1] + tiles.late + tail * share, leaving[-1][1]))
    times, all_parts = np.stack(gone), tiles.many * parts
    shown = np.minimum(all_parts, length).astype(int) - 1
    others = np.maximum(all_parts - (1 - tiles.rest) * rounds * parts - 1 - shown, 0)
    further = others * (times[-1] - times[-1 - period]) / period
    before = tiles.spread + np.where(tiles.moved, (parts - 1) * tiles.steps * tiles.short, 0)
    if shared:
        load, steps = parts * tiles.load, parts * tiles.steps
        meanwhile = np.minimum(tiles.leave, before) + load - np.maximum(steps * tiles.short, load)
        held = np.maximum.reduce([tiles.leave + load - (1 + tiles.short) * steps, meanwhile, none])
        further += np.where(seldom, tiles.many / tiles.rounds * held, 0)
        full = tiles.load + tiles.leave / (tiles.rounds * parts) > FULL * tiles.steps
        further += np.where(full, WAITED * tiles.back, 0)
    end = np.where(seldom, np.maximum(tiles.tail, tiles.leave - before), 0)
    return np.asarray(times[shown, every_one] + further + end)


def _ended(ends: np.ndarray, part: np.ndarray) -> np.ndarray:
    """float64 (n,): when parts of tiles (n,) have ended, by `ends` (parts, n), in between with the share of their steps
    that is over; 0 before the first."""
    whole = np.maximum(np.floor(part), 0).astype(int)
    every_one = np.arange(len(part))
    before, after = ends[whole, every_one], ends[np.minimum(whole + 1, len(ends) - 1), every_one]
    return np.where(part > 0, before + (part - whole) * (after - before) + 1, 0)


def _through(
    time: np.ndarray, cycles: np.ndarray, leaving: list[tuple[np.ndarray, np.ndarray]], rate: np.ndarray
) -> np.ndarray:
    """float64 (k, n): when a port has moved what takes it so many cycles (k, n), from some times (k, n) on, in those
    that what is leaving meanwhile, one after the other at that rate (n,), does not take."""
    first, free, times = time.min(initial=np.inf), 1 - rate, time
    for begin, end in leaving:
        if end.max(initial=0) <= first:
            continue
        before = np.clip(begin - times, 0, cycles)
        times, cycles = times + before, cycles - before
        room = np.where(cycles > 0, np.maximum(end - times, 0), 0)
        moved = np.minimum(cycles, room * free)
        times = times + np.where(moved < cycles, room, moved / np.maximum(free, 1e-9))
        cycles = cycles - moved
    return np.asarray(times + cycles)
