"""Nests of mappings without register files, many at once, and their prefixes: when an operand's words under one are
there, and what has left by then.

A prefix of a nest is some iterations of a loop with all that is inside, and perhaps, of the next iteration, a prefix of
the loops inside. Times and counts are float64 (n,) of n nests, and (k, n) of k prefixes of each.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import accumulate

import numpy as np

from halidehw.mapping.counts import OUTPUT, read
from halidehw.mapping.layer import RELEVANT, Layer
from halidehw.optimize.pieces import divides

OUT = [dim for dim, moved in enumerate(RELEVANT[OUTPUT]) if moved]
"""Dimensions of the output."""

LEAD = 4
"""Steps whose words are read before the array makes them, at most."""


@dataclass(frozen=True)
class NestLoop:
    """A loop of many nests: its dim, trips and steps of one iteration, float64 (n,); whether it is `inside` a tile."""

    dim: int
    trips: np.ndarray
    steps: np.ndarray
    inside: bool

    def take(self, some: np.ndarray) -> NestLoop:
        """That of `some` of the nests."""
        return NestLoop(self.dim, self.trips[some], self.steps[some], self.inside)


def moves(loops: list[NestLoop], tensor: int) -> list[np.ndarray]:
    """Of each loop, innermost first, whether its iterations have words of a tensor of their own, bool (n,): inside a
    tile those that it depends on, outside those and all around them."""
    found, moved = list[np.ndarray](), np.zeros(1, bool)
    for loop in loops:
        own = RELEVANT[tensor][loop.dim] & (loop.trips > 1)
        moved = moved | own & (not loop.inside)
        found.append(own if loop.inside else moved)
    return found


@dataclass(frozen=True)
class Prefix:
    """Of prefixes: cycles of a port until an operand's words under them are there (`load`), and the step at which the
    `last` of these is wanted. Before that step sums are `complete` that leave in so many cycles at most, and so many
    tiles of the other operand are `through`, and `steps` of the one in use."""

    load: np.ndarray
    last: np.ndarray
    complete: np.ndarray
    through: np.ndarray
    steps: np.ndarray

    def ending(self, done: np.ndarray) -> Prefix:
        """The same; of sums none is complete where they are not `done`, bool (n,)."""
        return replace(self, complete=np.where(done, self.complete, 0))


def beside(prefixes: list[Prefix]) -> Prefix:
    """All of them, (k, n)."""
    values = ([np.atleast_2d(getattr(each, own.name)) for each in prefixes] for own in fields(Prefix))
    return Prefix(*(np.concatenate(each) for each in values))


@dataclass(frozen=True)
class Arrival:
    """How an operand (`tensor`) comes in, in nests of `loops`, innermost first, of a layer with some `lanes` and
    `tiles`, int64 (dims, n): at most so many words in a cycle (`port`, of whole tiles `rate`). The sums of a step leave
    in so many cycles (`each`). What loops of a tile over some dims, `whole`, bool (dims, n), go through comes in as a
    whole."""

    layer: Layer
    loops: list[NestLoop]
    lanes: np.ndarray
    tiles: np.ndarray
    tensor: int
    port: int | np.ndarray
    rate: np.ndarray
    each: np.ndarray
    whole: np.ndarray

    def prefixes(self, deep: int = 0) -> Prefix:
        """Of all iterations of each loop, from the outermost one, and of a reduction without its last one, before which
        none of its sums are complete; and of one step. Where they are `deep` those, too, that go on into the second
        iteration of a loop and into its last one, there so much less deep."""
        return self._within(len(self.loops), deep)

    def free(self, some: Prefix) -> np.ndarray:
        """Tiles of the other operand whose room may be free when the last word is wanted."""
        life = self._all([~move for move in self._apart], np.ones_like(self.each))[-1]
        return np.asarray(some.through + np.minimum((some.steps + LEAD) / life, 1))

    def _within(self, top: int, deep: int) -> Prefix:
        """Those of one iteration of a loop, of the first ones outside of it."""
        found, done = list[Prefix](), np.ones(len(self.each), bool)
        for at in range(top - 1, -1, -1):
            found += [each.ending(done) for each in self._alone[at]]
            if deep and self._next[at]:
                inside = self._within(at, deep - 1)
                found += [self._joined(at, *each, inside).ending(done) for each in self._next[at]]
            done = done & (self._sums[at] | (self.loops[at].trips == 1))
        return beside([*found, self._first[0][0].ending(done)])

    @cached_property
    def _alone(self) -> list[list[Prefix]]:
        """Of each loop those of all its iterations, and of a reduction without the last one."""
        found = list[list[Prefix]]()
        for at, loop in enumerate(self.loops):
            many = [loop.trips, *[np.maximum(loop.trips - 1, 1)] * (loop.dim not in OUT)]
            found.append([self._grown(at, *self._first[at], each)[0] for each in many])
        return found

    @cached_property
    def _next(self) -> list[list[tuple[np.ndarray, Prefix]]]:
        """Of each loop so many iterations, one and as many as there are, after which there is one that is no shorter,
        or 0; with their prefix, of at least one."""
        found = list[list[tuple[np.ndarray, Prefix]]]()
        for at, loop in enumerate(self.loops):
            size, part = self._sizes(loop)
            last = np.maximum(loop.trips - np.where(size % part == 0, 1, 2), 0)
            many = [np.minimum(last, 1)] * bool((last > 0).any()) + [last] * bool((last > 1).any())
            found.append([(each, self._grown(at, *self._first[at], np.maximum(each, 1))[0]) for each in many])
        return found

    def _sizes(self, loop: NestLoop) -> tuple[np.ndarray, np.ndarray]:
        """Of a loop's dimension what is looped over, and what one iteration has."""
        if loop.inside:
            return self.tiles[loop.dim], self.lanes[loop.dim]
        return np.full_like(self.tiles[loop.dim], self.layer.extents[loop.dim]), self.tiles[loop.dim]

    def _grown(
        self, at: int, before: Prefix, again: np.ndarray, size: np.ndarray, many: np.ndarray
    ) -> tuple[Prefix, np.ndarray, np.ndarray]:
        """With so many iterations of a loop, at least one, of which each is as the prefix `before`, with words that
        have come in so often (`again`) and of some `size` (dims, n)."""
        loop, over, size = self.loops[at], np.where(self._own[at], many - 1, 0), size.copy()
        size[loop.dim] = np.minimum(size[loop.dim] * many, self._sizes(loop)[0])
        again = again * np.where(self._own[at] & (not RELEVANT[self.tensor][loop.dim]), many, 1)
        done = np.where(self._sums[at], over * self._leave[at], 0)
        complete = np.where(self._sums[at] | (over == loop.trips - 1), before.complete, 0)
        through = before.through + np.where(self._apart[at], over * self._pass[at], 0)
        steps = before.steps + np.where(self._apart[at], 0, over * loop.steps)
        load = self._load(size, again, self.port if loop.inside else self.rate)
        return Prefix(load, before.last + over * loop.steps, done + complete, through, steps), again, size

    def _joined(self, at: int, many: np.ndarray, before: Prefix, inside: Prefix) -> Prefix:
        """Those of so many iterations of a loop, or of none, as in `_next`, and of prefixes of the next one, `inside`,
        as far as it has words of its own."""
        loop = self.loops[at]
        alone = not loop.inside or bool(divides(self.layer, self.tensor)[loop.dim])
        more = (self._own[at] & alone) | (many == 0)
        over = np.where(self._sums[at], many * self._leave[at], 0)
        next_ = Prefix(
            np.where(many > 0, before.load, 0) + inside.load,
            many * loop.steps + inside.last,
            over + np.where(self._sums[at] | (many == loop.trips - 1), inside.complete, 0),
            np.where(self._apart[at], many * self._pass[at], 0) + inside.through,
            np.where(self._apart[at], 0, many * loop.steps) + inside.steps,
        )
        names = [own.name for own in fields(Prefix)]
        return Prefix(*(np.where(more, getattr(next_, name), getattr(before, name)) for name in names))

    @cached_property
    def _first(self) -> list[tuple[Prefix, np.ndarray, np.ndarray]]:
        """Of each loop its first iteration, as in `_grown`."""
        none, again = np.zeros_like(self.each), np.ones_like(self.each)
        piece = np.where(self.whole, self.tiles, self.lanes)
        found = [(Prefix(self._load(piece, again, self.port), none, none, none, none), again, piece)]
        for at, loop in enumerate(self.loops[:-1]):
            found.append(self._grown(at, *found[at], loop.trips))
        return found

    def _load(self, size: np.ndarray, again: np.ndarray, rate: int | np.ndarray) -> np.ndarray:
        return np.asarray(read(self.layer, size, self.tensor) * again / rate)

    def _all(self, moving: list[np.ndarray], each: np.ndarray) -> list[np.ndarray]:
        """What an iteration of each loop has, and last of all, if one of all loops has `each`."""
        factors = (np.where(move, loop.trips, 1) for loop, move in zip(self.loops, moving, strict=True))
        return list(accumulate(factors, np.multiply, initial=each))

    @cached_property
    def _own(self) -> list[np.ndarray]:
        own = moves(self.loops, self.tensor)
        return [move & ~(loop.inside & self.whole[loop.dim]) for loop, move in zip(self.loops, own, strict=True)]

    @cached_property
    def _sums(self) -> list[np.ndarray]:
        return moves(self.loops, OUTPUT)

    @cached_property
    def _apart(self) -> list[np.ndarray]:
        """Of each loop whether its iterations have tiles of the other operand of their own, bool (n,)."""
        other = moves(self.loops, 1 - self.tensor)
        return [move & (not loop.inside) for loop, move in zip(self.loops, other, strict=True)]

    @cached_property
    def _leave(self) -> list[np.ndarray]:
        """Of an iteration of each loop the cycles in which its sums leave."""
        return self._all(self._sums, self.each)

    @cached_property
    def _pass(self) -> list[np.ndarray]:
        """Of an iteration of each loop its tiles of the other operand."""
        return self._all(self._apart, np.ones_like(self.each))
