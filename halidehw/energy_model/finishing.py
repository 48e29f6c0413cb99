"""Tiles of sums that leave by pieces: what the array does for each of them.

The writer asks for one piece after the other. With the first one the array goes through all of the tile but what comes
after that piece is complete: every iteration but the last of the loops that come back, and of the last one the first
piece. With each later one it does the next piece of that last iteration. What opens at a loop between tile and piece
opens where the array enters its iteration; what closes there does so when the writer asks for what comes after it, or
is through with the tile: the array takes no step in between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from halidehw.energy_model.domain import Values
from halidehw.energy_model.leaps import Leaps
from halidehw.energy_model.plan import Actor, Beginning, Feed, Plan, Slots

Passing = Callable[[Actor, int, Values, Plan], None]


@dataclass(frozen=True)
class Within:
    """What a run does: it awaits a time, enters an iteration of an actor's outer axes, goes through one as a whole, and
    comes out of one."""

    wait: Callable[[Actor, int, Slots | None], None]
    enter: Passing
    tile: Callable[[Actor, int, Values, Beginning | None], None]
    leave: Passing


class Finishing:
    """The pieces of a run, which does `within` what happens in between, and whose repeated time `leaps` over."""

    def __init__(self, leaps: Leaps, within: Within):
        self.leaps, self.within = leaps, within

    def piece(self, feed: Feed, values: Values) -> None:
        """That which the writer takes at `values`, its outer axes to a piece, is complete."""
        channel, array = feed.source.channel, feed.feeder
        outer, places = values[: channel.tile], values[channel.tile :]
        if any(places):
            at = self._come_out(feed, outer, places)
        else:
            at = channel.tile
            self.within.wait(array, feed.slots.free, feed.slots)
            feed.slots.take()
            self._enter(array, outer)
        self._go_on(feed, self._path(feed, outer, places)[:at], places)
        self.leaps.state[feed.slots.full] = self.leaps.state[array.clock] + channel.filled

    def close(self, feed: Feed, values: Values) -> None:
        """The writer is through with the tile at `values`, its outer axes."""
        path = self._path(feed, values, None)
        for depth in reversed(range(len(values), len(path))):
            self._leave(feed.feeder, path[:depth])

    def _come_out(self, feed: Feed, outer: Values, places: Values) -> int:
        """Out of the loops that the piece before this one ends; how many axes of the array are outside what begins."""
        channel = feed.source.channel
        assert channel.finished
        stepped = max(place for place, value in enumerate(places) if value)
        before = self._path(feed, outer, [*places[:stepped], places[stepped] - 1])
        moved = [place for place, moves in enumerate(channel.finished.moved, channel.tile) if moves]
        for depth in reversed(range(moved[stepped] + 1, len(before))):
            self._leave(feed.feeder, before[:depth])
        return moved[stepped]

    def _go_on(self, feed: Feed, path: Values, places: Values) -> None:
        """From where the array is, its outer axes at `path`, through the piece."""
        channel, array = feed.source.channel, feed.feeder
        assert channel.finished
        again = [place for place, moves in enumerate(channel.finished.moved, channel.tile) if not moves]
        whole, end = self._path(feed, path[: channel.tile], places), channel.tile + len(channel.finished.moved)
        stepping = len(path)
        for depth in range(stepping, end):
            if depth in again:
                self.leaps.run(array, path, whole[depth], partial(self.within.tile, array, depth + 1), None)
            path = whole[: depth + 1]
            if depth + 1 < end:
                self._enter(array, path)
        self.within.tile(array, end, path, None)

    def _path(self, feed: Feed, outer: Values, places: Values | None) -> Values:
        """The array's outer axes to the piece at `places`, of axes not given there at the last one: those of the loops
        that come back are at their last value."""
        finished, path, given = feed.source.channel.finished, [*outer], list(places or ())
        assert finished
        for moves in finished.moved:
            last = feed.feeder.trips[len(path)].at(path) - 1
            path.append(given.pop(0) if moves and given else last)
        return path

    def _enter(self, array: Actor, path: Values) -> None:
        self.within.enter(array, len(path), path, self.leaps.plan(array, len(path), path))

    def _leave(self, array: Actor, path: Values) -> None:
        self.within.leave(array, len(path), path, self.leaps.plan(array, len(path), path))
