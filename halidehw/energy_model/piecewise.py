"""Tiles that pass by pieces: what their writer does for each of them.

The reader asks for one piece after the other, where it comes to it for the first time. Of a memory's tile the writer
then does that piece. Of sums it goes, with the first one, through all of the tile that comes before that piece is
complete: every iteration but the last of the loops that come back, and of the last one the first piece; with each
later one it does the next piece of that last iteration. What the writer reads and opens at a loop between tile and
piece it opens where it enters an iteration of that; what closes there does so when the reader asks for what comes
after it, or is through with the tile: the writer takes no step in between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from halidehw.energy_model.domain import Values
from halidehw.energy_model.leaps import Leaps
from halidehw.energy_model.plan import Beginning, Plan
from halidehw.energy_model.slots import Actor, Feed, Slots

Passing = Callable[[Actor, int, Values, Plan], None]


@dataclass(frozen=True)
class Within:
    """What a run does: it awaits a time, enters an iteration of an actor's outer axes, goes through one as a whole, and
    comes out of one."""

    wait: Callable[[Actor, int, Slots | None], None]
    enter: Passing
    tile: Callable[[Actor, int, Values, Beginning | None], None]
    leave: Passing


class Piecewise:
    """The pieces of a run, which does `within` what happens in between, and whose repeated time `leaps` over."""

    def __init__(self, leaps: Leaps, within: Within):
        self.leaps, self.within = leaps, within

    def piece(self, feed: Feed, values: Values) -> None:
        """What the writer does for the piece at `values`: its own axes outside it, but for those that come back."""
        channel, writer = feed.source.channel, feed.feeder
        outer, places = values[: channel.tile], values[channel.tile :]
        at = self._come_out(feed, outer, places) if any(places) else self._begin(feed, outer)
        self._go_on(feed, self._path(feed, outer, places)[:at], places)
        if channel.finished:
            self.leaps.state[feed.slots.full] = self.leaps.state[writer.clock] + channel.filled

    def close(self, feed: Feed, values: Values) -> None:
        """The reader is through with the tile at `values`, its outer axes."""
        path, outside = self._path(feed, values, None), len(values)
        for depth in reversed(range(outside if feed.source.channel.finished else outside + 1, len(path))):
            self._leave(feed.feeder, path[:depth])

    def _begin(self, feed: Feed, outer: Values) -> int:
        """A tile begins; how many of the writer's axes are outside it. Of sums it opens what it reads for the tile, and
        takes a free part. The first piece of a memory's takes its part by itself; what is read for that tile the reader
        opens where it begins it, and closes."""
        if feed.source.channel.finished:
            self._enter(feed.feeder, outer)
            self.within.wait(feed.feeder, feed.slots.free, feed.slots)
            feed.slots.take()
        return len(outer)

    def _come_out(self, feed: Feed, outer: Values, places: Values) -> int:
        """Out of the loops that the piece before this one ends; how many of the writer's axes are outside what begins.
        """
        stepped = max(place for place, value in enumerate(places) if value)
        before = self._path(feed, outer, [*places[:stepped], places[stepped] - 1])
        channel = feed.source.channel
        moved = [place for place, moves in enumerate(channel.moved, channel.tile) if moves]
        for depth in reversed(range(moved[stepped] + 1, len(before))):
            self._leave(feed.feeder, before[:depth])
        return moved[stepped]

    def _go_on(self, feed: Feed, path: Values, places: Values) -> None:
        """From where the writer is, its outer axes at `path`, through the piece."""
        channel, writer = feed.source.channel, feed.feeder
        again = [place for place, moves in enumerate(channel.moved, channel.tile) if not moves]
        whole = self._path(feed, path[: channel.tile], places)
        for depth in range(len(path), len(whole)):
            if depth in again:
                self.leaps.run(writer, path, whole[depth], partial(self.within.tile, writer, depth + 1), None)
            path = whole[: depth + 1]
            if depth + 1 < len(whole):
                self._enter(writer, path)
        self.within.tile(writer, len(whole), path, None)

    def _path(self, feed: Feed, outer: Values, places: Values | None) -> Values:
        """The writer's axes outside the piece at `places`, those not given there, and those of loops that come back, at
        their last value."""
        path, given = [*outer], list(places or ())
        for moves in feed.source.channel.moved:
            last = feed.feeder.trips[len(path)].at(path) - 1
            path.append(given.pop(0) if moves and given else last)
        return path

    def _enter(self, writer: Actor, path: Values) -> None:
        self.within.enter(writer, len(path), path, self.leaps.plan(writer, len(path), path))

    def _leave(self, writer: Actor, path: Values) -> None:
        self.within.leave(writer, len(path), path, self.leaps.plan(writer, len(path), path))
