"""The part of the engine's state that a tile reads and writes, and how it is written down and put back."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.energy_model.plan import Plan

Free = tuple[int, tuple[int, ...]]
"""Of a channel, how many parts are not free, and when those are that will be."""

Snapshot = tuple[tuple[int, ...], tuple[int, ...], tuple[Free, ...]]


@dataclass(frozen=True)
class Outcome:
    """A tile's effect: the state after it, times relative to the actor's clock before it, and what was waited for."""

    times: tuple[int, ...]
    debts: tuple[int, ...]
    free: tuple[Free, ...]
    waits: tuple[int, ...]


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
    times += [state[front] - base for front in fronts(made)]
    if whole:
        times += [state[slots.full] - base for slots in made.channels]
        times += [state[one.done] - base for one in made.actors]
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
    for front in fronts(made):
        state[front] = base + next(times)
    for slots in made.channels:
        state[slots.full] = base + next(times)
    for one in made.actors:
        state[one.done] = base + next(times)


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
    for front in fronts(made):
        state[front] += time


def fronts(made: Plan) -> list[int]:
    """Where the fronts of a plan's windows stand in the state."""
    return [feed.slots.front for feed in made.windows if feed.slots.front is not None]
