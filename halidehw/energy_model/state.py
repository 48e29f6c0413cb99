"""The part of a run's state that a tile reads and writes, and how it is written down and put back."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.energy_model.calendar import Since
from halidehw.energy_model.plan import Actor, Plan
from halidehw.energy_model.port import Bucket

Free = tuple[int, tuple[int, ...]]
"""Of a channel, how many parts are not free, and when those are that will be."""

Snapshot = tuple[tuple[int, ...], tuple[int, ...], tuple[Free, ...]]


@dataclass(frozen=True)
class Outcome:
    """A tile's effect: the state after it, times relative to the actor's clock before it, what was waited for, and of
    the port that all share what is taken from where the tile's own begins."""

    times: tuple[int, ...]
    debts: tuple[int, ...]
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
    times = [state[one.clock] - base for one in made.actors]
    debts = []
    for one in made.actors:
        if one.taken is not None:
            times.append(state[one.taken] - base)
        if one.debt is not None:
            debts.append(state[one.debt])
        for several in (one.queue, one.visits):
            times += [time - base for time in state[several]] if several else []
    for slots in made.channels:
        if untaken := slots.untaken:
            times += [time - base for time in state[untaken.ready]]
            debts.append(state[untaken.count])
            debts += [state[untaken.alone]] if untaken.alone is not None else []
    times += [state[front] - base for front in made.fronts]
    if whole:
        times += [state[slots.full] - base for slots in made.channels]
        times += [state[one.done] - base for one in made.actors]
    debts += [(state[one.done] - base) % one.cadence for one in made.actors if one.cadence > 1]
    free = tuple((slots.held, tuple([time - base for time in slots.later])) for slots in made.channels)
    return tuple(times), tuple(debts), free


def restore(state: list[int], made: Plan, base: int, outcome: Outcome) -> None:
    """The state as a whole snapshot says."""
    times, debts = iter(outcome.times), iter(outcome.debts)
    for one in made.actors:
        state[one.clock] = base + next(times)
    for one in made.actors:
        if one.taken is not None:
            state[one.taken] = base + next(times)
        if one.debt is not None:
            state[one.debt] = next(debts)
        for several in (one.queue, one.visits):
            if several:
                state[several] = [base + next(times) for _ in state[several]]
    for slots, (held, later) in zip(made.channels, outcome.free, strict=True):
        slots.held, slots.later = held, tuple([base + time for time in later])
        if untaken := slots.untaken:
            state[untaken.ready] = [base + next(times) for _ in state[untaken.ready]]
            state[untaken.count] = next(debts)
            if untaken.alone is not None:
                state[untaken.alone] = next(debts)
    for front in made.fronts:
        state[front] = base + next(times)
    for slots in made.channels:
        state[slots.full] = base + next(times)
    for one in made.actors:
        state[one.done] = base + next(times)


def settle(state: list[int], actor: Actor, made: Plan, rate: tuple[int, int]) -> int:
    """Raise times that are too early to matter to where they begin to; the actor's clock."""
    for one in reversed(made.actors):
        clock = state[one.clock]
        if one.giver and one.giver.feeder in made.members:
            clock = max(clock, state[one.giver.feeder.clock])
        if one is not actor and not one.targets[0].channel.sums:
            clock = max(clock, *(slots.free for slots in one.targets))
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
    for one in made.actors:
        state[one.clock] += time
        state[one.done] += time
        if one.taken is not None:
            state[one.taken] += time
        for several in (one.queue, one.visits):
            if several:
                state[several] = [t + time for t in state[several]]
    for slots in made.channels:
        slots.later = tuple([t + time for t in slots.later])
        if untaken := slots.untaken:
            state[untaken.ready] = [t + time for t in state[untaken.ready]]
        state[slots.full] += time
    for front in made.fronts:
        state[front] += time
