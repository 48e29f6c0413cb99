"""About how many cycles mappings without register files run: their tiles one after the other, many mappings at once.

A tile comes in when a half of its memory is free, and the port has time: each operand's own, or where all tensors share
one, that after the words that are written, which go first; of operands whose pieces are wanted once, a piece when there
is room for it. The array takes its steps when the tile is there, or of one that comes in by pieces when what a step
needs is. So tiles are cut into equal parts, iterations of their outermost loop or a few of them each: of what a part
needs first, some is needed at its start and the rest in the course of its steps, of each operand until a step of its
own. Sums leave piece by piece as they become complete, after each part where its loop moves them, else after a tile, or
the last of several tiles. All tiles but the first are taken to bring as many words, or the last of several a share of
them. Where sums leave seldom, a shared port that is taken by them holds up the next tile but one for as long as the
array has no work left; some of what comes back is waited for where the port has hardly time left.
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

BUSY = 0.9
"""Of the array's steps the port's cycles at most of pieces that are wanted once, beside which all else comes slower."""

FULL, WAITED = 0.95, 0.25
"""Of the array's steps the port's cycles from which on what comes back is waited for, and how much of it, about."""

READY, SOONER = 3, 1
"""Cycles from the last word of a tile until the array's first step on it, and from when its room is free, as its last
word is read, until the last step is through."""


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
class Port:
    """Of n mappings what comes in through a port (`loads`). Of operands whose pieces are wanted once there is room for
    `ahead` parts, float64 (n,), which each leaves free, or 0: there are none; `alone`, bool (n,): there are no others,
    for which there is room for two tiles."""

    loads: Loads
    ahead: np.ndarray
    alone: np.ndarray

    def only(self, at: np.ndarray) -> Port:
        """Those of the mappings at some places."""
        loads = Loads(*(getattr(self.loads, each.name)[:, at] for each in fields(Loads)))
        return Port(loads, self.ahead[at], self.alone[at])


@dataclass(frozen=True)
class Tiles:
    """Of n mappings, float64 (n,) each: how `many` tiles, of so many `parts` with so many `steps` of the array; what
    comes in through one of the `ports` or several; cycles of the port of `sums`, which are complete in the last one of
    so many `rounds` of tiles: after each part (`moved`, bool), or the last one, `late` cycles after the step that
    completes them, from so many steps before the last one of the part on (`spread`), so that after it some leave for so
    many cycles (`tail`); `back`: of those in all that come back. Of the tiles of the last round there is only a share
    (`rest`), of the last one of each round, but for its sums, a share (`short`)."""

    many: np.ndarray
    parts: np.ndarray
    steps: np.ndarray
    ports: tuple[Port, ...]
    sums: np.ndarray
    rounds: np.ndarray
    moved: np.ndarray
    tail: np.ndarray
    spread: np.ndarray
    late: np.ndarray
    back: np.ndarray
    rest: np.ndarray
    short: np.ndarray

    @property
    def load(self) -> np.ndarray:
        """Cycles of the first port for a part of all tiles but the first, on average."""
        first, others = self.ports[0].loads.cycles[2:]
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
        others = {each.name: getattr(self, each.name)[at] for each in fields(Tiles) if each.name != "ports"}
        return Tiles(ports=tuple(port.only(at) for port in self.ports), **others)


def periods(rounds: np.ndarray) -> np.ndarray:
    """float64 (n,): the parts of a period, where sums are complete in the last one of so many `rounds` of tiles."""
    some = np.minimum(rounds, LONG)
    return np.where((PERIOD % rounds == 0) | (rounds > LONG), PERIOD, some * (LONG // some))


def rehearse(tiles: Tiles, shared: bool) -> np.ndarray:
    """float64 (n,): cycles of a run. `shared`: whether sums leave through the port through which tiles come in."""
    runs, every = np.empty(len(tiles.many)), periods(tiles.rounds)
    for period in np.unique(every):
        at = np.flatnonzero(every == period)
        runs[at] = Rehearsal(tiles.only(at), shared, int(period)).run()
    return runs


Wait = tuple[np.ndarray, np.ndarray]
"""Until when the array waits at most in a part, and for how many of its last steps, float64 (n,)."""


class Ends:
    """When parts of tiles have ended (`every`, (parts, n), 0 before the first), and of each until when the array waited
    in it longest (`waited`) and what share of its steps was over then (`over`)."""

    def __init__(self, parts: int, many: int):
        self.every, self.waited, self.over = np.zeros((3, parts + 1, many))
        self.each = np.arange(many)

    def next(self, part: int, end: np.ndarray, steps: np.ndarray, waits: list[Wait]) -> None:
        """The `end` of a part of so many `steps`, float64 (n,)."""
        begin, longest = self.every[part], np.zeros_like(end)
        self.every[part + 1], self.waited[part], self.over[part] = end, end, 1
        for until, left in waits:
            over = np.minimum(np.maximum(1 - left / steps, 0), 1)
            late = until - begin - over * (end - begin)
            more = late > longest
            longest = np.where(more, late, longest)
            self.waited[part] = np.where(more, np.minimum(until, end), self.waited[part])
            self.over[part] = np.where(more, over, self.over[part])

    def at(self, part: np.ndarray) -> np.ndarray:
        """float64 (n,): when the room of parts (n,) is free, or of as much of one; 0 before the first."""
        many, most = len(self.each), len(self.every) - 1
        whole = np.minimum(np.maximum(np.floor(part), 0), most).astype(int)
        place, next_ = (each * many + self.each for each in (whole, np.minimum(whole + 1, most)))
        share, over, waited = part - whole, self.over.take(place), self.waited.take(place)
        before, after = self.every.take(place), self.every.take(next_)
        first = before + share / np.maximum(over, 1e-9) * (waited - before)
        then = waited + (share - over) / np.maximum(1 - over, 1e-9) * (after - waited)
        return np.where(part > 0, np.maximum(np.where(share <= over, first, then) - SOONER, 0), 0)


class Coming:
    """What comes in through a port. Times are float64 (n,): when that has done so (`loaded`), and pieces that are
    wanted once (`passed`), where other operands are `beside` them: these are so much `slower`, as they come in
    meanwhile."""

    def __init__(self, port: Port, tiles: Tiles):
        self.port, self.parts, self.each = port, tiles.parts.astype(int), np.arange(len(tiles.steps))
        self.beside = np.where((port.ahead > 0) & ~port.alone, np.clip(1 - port.ahead / tiles.parts, 0, 1), 0)
        self.slower = 1 / (1 - self.beside * np.minimum(port.loads.once[3] / tiles.steps, BUSY))
        self.loaded = self.passed = np.zeros_like(tiles.steps)

    @property
    def last(self) -> np.ndarray:
        """When all is there."""
        return np.asarray(np.maximum(self.loaded, self.passed * (self.port.ahead > 0)))

    def load(self, number: int, share: np.ndarray) -> Loads:
        """Of a part of which only a `share` is there."""
        kind = 2 * (number // self.parts > 0) + (number % self.parts > 0)
        return Loads(*(getattr(self.port.loads, each.name)[kind, self.each] * share for each in fields(Loads)))

    def come_in(
        self, load: Loads, number: int, ends: Ends, beside: list[tuple[np.ndarray, np.ndarray]], rate: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What comes in for a part: from when on, (2, n) all and what is wanted once; when the array may begin, and
        when what is wanted sooner is there. `ends` of parts; what leaves `beside` it through the port, and at what
        `rate`."""
        ahead, alone, tile = self.port.ahead, self.port.alone, number // self.parts
        free, room = (ends.at(np.where(ahead > 0, at - ahead, -1)) for at in (number, number + 1))
        asked = np.maximum(self.loaded, np.where(alone, free, ends.at((tile - 1) * self.parts)))
        begun = np.stack([asked, np.maximum(self.passed, free)])
        rest, slower = load.cycles - self.beside * load.once, np.where(tile > 0, self.slower, 1)
        asked, wanted = begun[[0, 0, 0, 1]], np.stack([rest * slower, load.late, load.sooner * slower, load.once])
        there = _through(asked, wanted, beside, rate)
        self.loaded = np.where(alone, np.maximum(there[0], room), there[0])
        self.passed = np.maximum(there[3], room)
        return begun, there[1], there[2]


class Rehearsal:
    """Of mappings whose periods have so many parts. Times are float64 (n,): when the array is through with each part
    (`ends`), when sums leave after it and have left (`leaving`); what is `coming` in through each port; `moved`: cycles
    of a shared port so far, `stored`: until when how many of sums.
    """

    def __init__(self, tiles: Tiles, shared: bool, period: int):
        seldom = tiles.seldom
        self.tiles, self.shared, self.period, self.length = tiles, shared, period, max(SHOWN, 2 * period)
        self.parts, self.each = tiles.parts.astype(int), np.arange(len(tiles.steps))
        self.rounds = np.where(seldom, 1, tiles.rounds)
        self.sums, self.tail, self.spread = (np.where(seldom, 0, of) for of in (tiles.sums, tiles.tail, tiles.spread))
        self.busy = np.maximum(self.sums, self.spread + self.tail)
        self.rate = np.divide(self.sums, self.busy, out=np.zeros_like(self.busy), where=self.busy > 0)
        self.coming = [Coming(port, tiles) for port in tiles.ports]
        none = np.zeros_like(tiles.steps)
        self.ends, self.leaving = Ends(self.length, len(none)), [(none, none)] * 3
        self.moved = self.free_from = self.last_out = none
        self.stored: list[tuple[np.ndarray, np.ndarray]] = []

    def run(self) -> np.ndarray:
        """Cycles: the parts that are gone through, and what comes after them."""
        times = np.stack([self._part(number) for number in range(self.length)])
        return self._whole(times)

    def _part(self, number: int) -> np.ndarray:
        """When all is done after one more part."""
        tiles, tile = self.tiles, number // self.parts
        share = np.where(tile >= tiles.many - self.rounds, tiles.rest, 1)
        last = tile % self.rounds == self.rounds - 1
        some = share * np.where(last & ~tiles.seldom, tiles.short, 1)
        first = number % self.parts == 0
        cleared = np.where(tiles.back > 0, np.where(first, self.leaving[-2][1], 0), self.free_from)
        before = self.ends.every[number]
        start, through, waits = np.maximum(before, cleared - tiles.late), np.zeros_like(some), list[Wait]()
        waiting = sum(np.where(end > before, amount, 0) for end, amount in self.stored[-BEHIND:])
        loads, beside = [each.load(number, some) for each in self.coming], self.leaving[-BEHIND:] * self.shared
        for each, load in zip(self.coming, loads, strict=True):
            begun, there, soon = each.come_in(load, number, self.ends, beside, self.rate)
            self.moved = self.moved + load.cycles
            start = np.maximum(start, there + READY)
            all_in = np.maximum(each.last + READY, (self.moved - waiting) * self.shared) + load.left
            through = np.maximum.reduce([through, all_in, soon + READY + load.more])
            waits += [(each.last + READY, load.left), (soon + READY, load.more)]
        self.ends.next(number, np.maximum(start + tiles.steps * some, through), tiles.steps * some, waits)
        out = last & (tiles.moved | (number % self.parts == self.parts - 1))
        self._go_out(number, out, share, begun, loads[-1].left)
        return np.asarray(np.maximum(self.ends.every[number + 1] + tiles.late + self.tail * share, self.leaving[-1][1]))

    def _go_out(self, number: int, out: np.ndarray, share: np.ndarray, begun: np.ndarray, left: np.ndarray) -> None:
        """Sums leave after a part where they do (`out`), and hold up what has `begun` to come in through a port that
        all share; `left`: as in Loads."""
        from_, before = self.ends.every[number + 1] - self.spread * share + self.tiles.late, self.leaving[-1][1]
        from_ = np.maximum(from_, before)
        if self.shared:
            (port,) = self.coming
            until = np.stack([port.loaded, port.passed])
            beside = np.maximum(until - np.maximum(from_, begun), 0) * self.rate / np.maximum(1 - self.rate, 1e-9)
            port.loaded, port.passed = until + np.where(out, np.minimum(beside, self.sums * share), 0)
            ends = self.ends.every
            ends[number + 1] = np.maximum(ends[number + 1], port.last + READY + left)
        then = (np.where(out, from_, before), np.where(out, from_ + self.busy * share, before))
        self.leaving.append(then if out.any() else self.leaving[-1])
        self.free_from, self.last_out = np.where(out, self.last_out, self.free_from), self.leaving[-1][1]
        self.stored.append((self.last_out, np.where(out, self.sums * share, 0)))
        self.moved = self.moved + self.stored[-1][1]

    def _whole(self, times: np.ndarray) -> np.ndarray:
        """Cycles of all parts, where so many `times` (parts, n) are gone through."""
        tiles, parts, seldom = self.tiles, self.parts, self.tiles.seldom
        shown = np.minimum(tiles.many * parts, self.length).astype(int) - 1
        others = np.maximum((tiles.many - (1 - tiles.rest) * tiles.rounds) * parts - 1 - shown, 0)
        further = others * (times[-1] - times[-1 - self.period]) / self.period
        before = tiles.spread + np.where(tiles.moved, (parts - 1) * tiles.steps * tiles.short, 0)
        if self.shared:
            load, steps = parts * tiles.load, parts * tiles.steps
            meanwhile = np.minimum(tiles.leave, before) + load - np.maximum(steps * tiles.short, load)
            held = np.maximum.reduce([tiles.leave + load - (1 + tiles.short) * steps, meanwhile, 0 * load])
            further += np.where(seldom, tiles.many / tiles.rounds * held, 0)
            full = tiles.load + tiles.leave / (tiles.rounds * parts) > FULL * tiles.steps
            further += np.where(full, WAITED * tiles.back, 0)
        end = np.where(seldom, np.maximum(tiles.tail, tiles.leave - before), 0)
        return np.asarray(times[shown, self.each] + further + end)


def _through(
    time: np.ndarray, cycles: np.ndarray, leaving: list[tuple[np.ndarray, np.ndarray]], rate: np.ndarray
) -> np.ndarray:
    """float64 (k, n): when a port has moved what takes it so many cycles (k, n), from some times (k, n) on, in those
    that what is leaving meanwhile, one after the other at that rate (n,), does not take. Where the same leaves twice,
    as nothing was complete in between, it is gone through once."""
    first, free, times = time.min(initial=np.inf), 1 - rate, time
    for begin, end in {id(each[1]): each for each in leaving}.values():
        if end.max(initial=0) <= first:
            continue
        before = np.minimum(np.maximum(begin - times, 0), cycles)
        times, cycles = times + before, cycles - before
        room = np.where(cycles > 0, np.maximum(end - times, 0), 0)
        moved = np.minimum(cycles, room * free)
        times = times + np.where(moved < cycles, room, moved / np.maximum(free, 1e-9))
        cycles = cycles - moved
    return np.asarray(times + cycles)
