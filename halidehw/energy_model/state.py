"""The part of a run's state that a tile reads and writes, and how it is written down and put back."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.energy_model.calendar import Since
from halidehw.energy_model.plan import Plan
from halidehw.energy_model.port import Bucket
from halidehw.energy_model.slots import Actor

Free = tuple[int, tuple[int, ...]]
"""Of a channel, how many parts are not free, and when those are that will be."""

Snapshot = tuple[tuple[int, ...], tuple[int, ...], tuple[Free, ...]]


@dataclass(frozen=True)
class Outcome:
    """A tile's effect: the state after it, times relative to the actor's clock before it, what was waited for, and of
    the port that all share what is taken from where the tile's own begins."""

    times: tuple[int, ...]
    counts: tuple[int, ...]
    free: tuple[Free, ...]
    waits: tuple[int, ...]
    taken: Since | None = None


@dataclass(frozen=True)
class Standing:
    """A load between two programs of a list, in cycles of one of them: its earliest next step (`clock`), its port's
    `debt`, and when the parts of its memory are free that will be later (`later`). `rests`: from when on it is done."""

    clock: int
    debt: int
    later: tuple[int, ...]
    rests: int

    def begins(self, time: int, start: int, rate: tuple[int, int]) -> Standing:
        """That of a program which starts at `start`, of which its first step is at `time` or later."""
        clock, bucket = max(time, self.clock), Bucket(*rate, self.debt)
        bucket.rest(clock - self.clock)
        return Standing(clock - start, bucket.debt, tuple(each - start for each in self.later), clock - start)


def snapshot(state: list[int], made: Plan, base: int, whole: bool = False) -> Snapshot:
    """The times (from `base`), debts and counts that a plan touches, and the parts that are not free; `whole`: the
    times that are only written, too."""
    places = made.places
    times = tuple([state[place] - base for place in (places.moved if whole else places.read)])
    counts = [state[place] for place in places.counts]
    counts += [(state[one.done] - base) % one.cadence for one in made.turning]
    return times, tuple(counts), tuple([(each.held, tuple([t - base for t in each.later])) for each in made.channels])


def restore(state: list[int], made: Plan, base: int, outcome: Outcome) -> None:
    """The state as a whole snapshot says."""
    for place, time in zip(made.places.moved, outcome.times, strict=True):
        state[place] = base + time
    for place, count in zip(made.places.counts, outcome.counts, strict=False):
        state[place] = count
    for slots, (held, later) in zip(made.channels, outcome.free, strict=True):
        slots.held, slots.later = held, tuple([base + time for time in later])


def settle(state: list[int], actor: Actor, made: Plan, rate: tuple[int, int]) -> int:
    """Raise times that are too early to matter to where they begin to; the actor's clock."""
    for one, given, room in made.inside_out:
        clock = state[one.clock]
        if given is not None:
            clock = max(clock, state[given])
        if one is not actor:
            for slots in room:
                clock = max(clock, slots.free)
        if one.debt is not None and one.queue is None:
            bucket = Bucket(*rate, state[one.debt])
            bucket.rest(clock - state[one.clock])
            state[one.debt] = bucket.debt
        state[one.clock] = clock
        if one.taken is not None and one is not actor:
            state[one.taken] = max(state[one.taken], clock + 1)
        if one.visits:
            state[one.visits] = [max(time, clock) for time in state[one.visits]]
    for slots in made.channels:
        clock = state[slots.writer.clock]
        if slots.later:
            slots.settle(clock)
        if untaken := slots.untaken:
            ready, least, count = state[untaken.ready], state[slots.reader.clock], state[untaken.count]
            state[untaken.ready] = [max(time, least) for time in ready[:count]] + [clock] * (len(ready) - count)
    for feed in made.windows:
        front, ahead = feed.slots.front, feed.source.channel.ahead
        if front is not None and ahead and not feed.source.channel.stepwise:
            state[front] = max(state[front], state[feed.reader.clock] - ahead.warm)
    return state[actor.clock]


def shift(state: list[int], made: Plan, time: int) -> None:
    """All times that a plan touches, so much later."""
    for place in made.places.moved:
        state[place] += time
    for slots in made.channels:
        slots.later = tuple([t + time for t in slots.later])
