"""The steps of a tile within which nothing is waited for but a port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from halidehw.energy_model.actors import QUEUE_SLACK
from halidehw.energy_model.attachment import Written
from halidehw.energy_model.calendar import Calendar
from halidehw.energy_model.domain import Values, inner_points
from halidehw.energy_model.port import Bucket, lanes_moved, read_tile
from halidehw.energy_model.processes import Process
from halidehw.energy_model.slots import Actor
from halidehw.errors import CostError
from halidehw.microarch.processes import Load, Write, is_load

QUEUE_LATENCY = 2
"""Cycles from a word's arrival at the queue to the port."""

Key = tuple[Any, ...]
"""What tells a tile apart: its actor, its depth, its shape, the state that it begins from."""


class Steps:
    """Takes them on `state`. A port answers after `latency` cycles and moves `rate` (words, cycles) at the most, no
    words: any number. `written`: of writers behind a bus. `calendar`: of the port that all share, if they do."""

    def __init__(
        self, state: list[int], latency: int, rate: tuple[int, int], written: Mapping[Actor, Written],
        calendar: Calendar | None = None,
    ):  # fmt: skip
        self.state, self.latency, self.rate, self.written, self.calendar = state, latency, rate, written, calendar
        self.paced = rate[0] > 0 or latency > 1 or calendar is not None
        self.runs: dict[Key, list[tuple[bool, int]]] = {}
        self.moved: dict[Key, list[int]] = {}
        self.counted: dict[Key, int] = {}

    def take(self, actor: Actor, values: Values, key: Key) -> None:
        """Those of the tile that `key` tells apart from others."""
        state, transfer = self.state, actor.process.work
        if self.calendar and actor.passing is not None:
            self._share(self.calendar, actor, self._runs(actor.passing, values, key))
        elif is_load(transfer) and self.paced:
            bucket = Bucket(*self.rate, state[actor.debt] if actor.debt is not None else 0)
            moved = self._moved(transfer, values, key)
            times = read_tile(moved, state[actor.clock], state[actor.taken or 0], self.latency, bucket)
            state[actor.clock], state[actor.taken or 0] = times
            if actor.debt is not None:
                state[actor.debt] = bucket.debt
        elif isinstance(transfer, Write) and actor.queue:
            self._store(actor, self._moved(transfer, values, key))
        else:
            state[actor.clock] += self._count(actor.process, values, key)
            if actor.taken is not None:
                state[actor.taken] = state[actor.clock] + 1
        state[actor.done] = state[actor.clock if actor.taken is None else actor.taken]

    def rest(self, actor: Actor, cycles: int) -> None:
        """An actor takes no step in so many cycles: its port catches up."""
        if actor.debt is not None and actor.queue is None:
            bucket = Bucket(*self.rate, self.state[actor.debt])
            bucket.rest(cycles)
            self.state[actor.debt] = bucket.debt

    def begins(self, actors: Iterable[Actor]) -> int | None:
        """Where all that some actors take of the port that all share lies, from now on: at this time or later. None:
        there is no such port, or they take nothing of it."""
        if not self.calendar:
            return None
        times = [self.state[one.clock] + (0 if one.taken is not None else one.process.late + QUEUE_LATENCY)
                 for one in actors if one.passing is not None]  # fmt: skip
        return min(times, default=None)

    def stored(self, writer: Actor) -> int:
        """The cycle after a tile's last word was accepted by the port, or after the last step of a writer without."""
        if writer.queue:
            return self.state[writer.queue][-1] + 1
        work, done = writer.process.work, self.state[writer.done]
        assert isinstance(work, Write)
        return done + writer.process.late + QUEUE_LATENCY if work.outside else done

    def _count(self, process: Process, values: Values, key: Key) -> int:
        if key not in self.counted:
            self.counted[key] = inner_points(process.walk, values)
        return self.counted[key]

    def _moved(self, transfer: Load | Write, values: Values, key: Key) -> list[int]:
        if key not in self.moved:
            self.moved[key] = lanes_moved(transfer, values)
        return self.moved[key]

    def _runs(self, transfer: Load | Write, values: Values, key: Key) -> list[tuple[bool, int]]:
        """Steps in a row with words, and without."""
        if key not in self.runs:
            moved = lanes_moved(transfer, values)
            self.runs[key] = [(some, len(list(steps))) for some, steps in groupby(moved, bool)]
        return self.runs[key]

    def _share(self, calendar: Calendar, actor: Actor, runs: list[tuple[bool, int]]) -> None:
        """Words through a port that all share: what is written goes first, what is read takes what was left by all
        that is needed sooner."""
        state, start = self.state, self.state[actor.clock]
        if actor.taken is None:
            at = start + actor.process.late + QUEUE_LATENCY
            for some, count in runs:
                if some and not calendar.put(at, count):
                    raise CostError(f"{actor.process.name} writes in a cycle in which the port is taken")
                at += count
            state[actor.clock] = start + sum(count for _, count in runs)
            return
        asked, answered = start, max(state[actor.taken], start + 1)
        for some, count in runs:
            asked = calendar.take(asked, count) + 1 if some else asked + count
            answered = max(answered + count, asked + self.latency) if some else answered + count
        state[actor.clock], state[actor.taken] = asked, answered

    def _store(self, actor: Actor, moved: list[int]) -> None:
        """Words to a port that limits them, through the writer's queue."""
        state, late = self.state, actor.process.late + QUEUE_LATENCY
        assert actor.queue and actor.debt is not None
        accepted, bucket = state[actor.queue], Bucket(*self.rate, state[actor.debt])
        room, posted = actor.process.late + QUEUE_SLACK, self.written.get(actor)
        for words in moved:
            step = max(state[actor.clock], accepted[-room] + 1)
            state[actor.clock] = step + 1
            offered = max(step + late, accepted[-1] + 1)
            bucket.rest(offered - accepted[-1] - 1)
            offered += bucket.wait()
            bucket.take(words)
            accepted = [*accepted[1:], posted.accepted(offered) if posted else offered]
        state[actor.queue], state[actor.debt] = accepted, bucket.debt
