"""The cycles of an accelerator, tile by tile.

Every process takes its steps in order, one a cycle, as soon as the part it reads is full and the part it writes is
free; so a run is the least solution of equations of maxima and sums over tiles. Tiles of equal shape that start from
equal states take equal time: each is worked out once, and a loop whose state repeats is advanced in one leap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from halidehw.energy_model.domain import Trip, Values, inner_points, trips
from halidehw.energy_model.plan import Actor, Feed, Handed, Plan, Slots, plan
from halidehw.energy_model.port import Bucket, lanes_moved, read_tile
from halidehw.energy_model.processes import Ahead, Process, Source, System
from halidehw.energy_model.state import Outcome, fronts, restore, shift, snapshot
from halidehw.microarch.processes import Load, Write, is_load
from halidehw.simulate.memory import Memory

QUEUE_SLACK = 4
"""Places of the writer's queue beyond the words in its pipeline."""
QUEUE_LATENCY = 2
"""Cycles from a word's arrival at the queue to the port."""

Span = Callable[[str, int, int], None]

Key = tuple[Any, ...]
"""What tells a tile apart: its actor, its depth, its shape, the state that it begins from."""


@dataclass(frozen=True)
class Times:
    """`end`: the cycle after the array's last step; `first`: that of its first one; `done`: cycles from start to
    done; `waits`: for each channel the cycles in which its reader, a transfer or the array, waited for it, in all and
    before the array's first step; for "sums" those in which the array waited for a free part."""

    first: int
    end: int
    done: int
    waits: dict[str, tuple[int, int]]


class Engine:
    """One run. `span`, if given, is told the first and last cycle of every tile of every process, in which case none
    is leapt over."""

    def __init__(self, system: System, memory: Memory, span: Span | None = None):
        self.system, self.span = system, span
        rate = memory.parameters
        self.latency, self.rate = rate["latency"], (rate["rate_words"], rate["rate_cycles"])
        self.limited = self.rate[0] > 0
        self.state: list[int] = []
        self.channels: list[Slots] = []
        self.actors: list[Actor] = []
        self.array = self._actor(system.array, None)
        self.sums: list[Handed] = []
        giver = self.array
        for channel, taker in zip(system.sums, system.takers, strict=True):
            slots = self._slots(Source(channel, giver.process))
            self.sums.append(Handed(slots, giver, self._actor(taker, None)))
            giver = self.sums[-1].taker
        self.writer = giver
        self.waits = [0] * len(self.channels)
        self.first: int | None = None
        self.before: list[int] = []
        self.plans: dict[tuple[int, int], Plan] = {}
        self.trips: dict[int, tuple[Trip, ...]] = {}
        self.known: dict[Key, Outcome] = {}
        self.moved: dict[Key, list[int]] = {}
        self.counted: dict[Key, int] = {}

    def run(self) -> Times:
        self._tile(self.array, 0, [])
        end, done = self.state[self.array.done], self._stored(self.writer)
        assert self.first is not None
        names = [slots.channel.name for slots in self.channels]
        waits = {name: (self.waits[i], self.before[i]) for i, name in enumerate(names)}
        return Times(self.first, end, done, waits)

    def _slot(self, value: int = 1) -> int:
        self.state.append(value)
        return len(self.state) - 1

    def _slots(self, source: Source) -> Slots:
        start = len(self.state)
        self.state += [1] * source.channel.halves
        free, full = slice(start, len(self.state)), self._slot()
        slots = Slots(source.channel, free, full, len(self.channels), self._slot() if source.channel.ahead else None)
        self.channels.append(slots)
        return slots

    def _actor(self, process: Process, target: Slots | None) -> Actor:
        actor = Actor(process, self._slot(), self._slot(), target, number=len(self.actors))
        self.actors.append(actor)
        if is_load(process.transfer):
            actor.taken = self._slot()
            revisit = process.transfer.tap.revisit
            ahead = self.system.latencies.writer + QUEUE_SLACK + (target.channel.halves if target else 0)
            if revisit and revisit.distance <= ahead + 2:
                start = len(self.state)
                self.state += [1] * revisit.distance
                actor.visits = slice(start, len(self.state))
        if self.limited and (is_load(process.transfer) or isinstance(process.transfer, Write)):
            actor.debt = self._slot(0)
        if isinstance(process.transfer, Write) and self.limited:
            start = len(self.state)
            self.state += [0] * (self.system.latencies.writer + QUEUE_SLACK)
            actor.queue = slice(start, len(self.state))
        for source in process.sources:
            slots = self._slots(source)
            actor.sources.append(Feed(source, self._actor(source.feeder, slots), slots))
        return actor

    def _plan(self, actor: Actor, depth: int) -> Plan:
        key = (actor.number, depth)
        if key not in self.plans:
            windowed = self.limited or self.latency > 1
            self.plans[key] = plan(self.system, actor, self.sums, depth, windowed)
        return self.plans[key]

    def _tile(self, actor: Actor, depth: int, values: Values) -> None:
        """Everything that happens inside the given values of the outer `depth` axes of an actor's walk."""
        made = self._plan(actor, depth)
        shape = tuple(trait.at(values) for trait in made.traits)
        if self.span:
            self._work(actor, depth, values, made, shape)
            return
        base = self._settle(actor, made)
        key = (actor.number, depth, shape, snapshot(self.state, made, base))
        outcome = self.known.get(key)
        if outcome is None:
            before = list(self.waits)
            self._work(actor, depth, values, made, shape)
            waits = tuple(after - b for after, b in zip(self.waits, before, strict=True))
            times, debts = snapshot(self.state, made, base, whole=True)
            self.known[key] = Outcome(times, debts, waits)
        else:
            restore(self.state, made, base, outcome)
            self.waits = [a + b for a, b in zip(self.waits, outcome.waits, strict=True)]

    def _settle(self, actor: Actor, made: Plan) -> int:
        """Raise times that are too early to matter to where they begin to; the actor's clock."""
        state, base = self.state, self.state[actor.clock]
        for one in made.actors[1:]:
            clock = state[one.clock]
            if one.target:
                clock = max(clock, state[one.target.free.start])
            elif actor is self.array:
                clock = max(clock, base)
            if one.debt is not None and one.queue is None:
                bucket = Bucket(*self.rate, state[one.debt])
                bucket.rest(clock - state[one.clock])
                state[one.debt] = bucket.debt
            state[one.clock] = clock
            if one.taken is not None:
                state[one.taken] = max(state[one.taken], clock + 1)
            if one.visits:
                state[one.visits] = [max(time, clock) for time in state[one.visits]]
        writers = {id(one.target): state[one.clock] for one in made.actors if one.target}
        for slots in made.channels:
            least = writers.get(id(slots), base)
            state[slots.free] = [max(time, least) for time in state[slots.free]]
        for feed in made.windows:
            if feed.slots.front is not None and feed.slots.channel.ahead and not feed.slots.channel.stepwise:
                state[feed.slots.front] = max(state[feed.slots.front], base - feed.slots.channel.ahead.warm)
        return base

    def _work(self, actor: Actor, depth: int, values: Values, made: Plan, shape: tuple[int, ...]) -> None:
        state = self.state
        returning = self._returning(actor, depth)
        for load, visits in returning:
            self._await(load, state[visits][0], None)
        for reader, feed in made.opens:
            self._feed(feed, depth, values)
            front, full = feed.slots.front, state[feed.slots.full]
            if front is None or feed.slots.channel.stepwise:
                self._await(reader, full, feed.slots)
            else:
                state[front] = max(state[front], full)
        for feed in made.windows:
            if feed.slots.channel.ahead and feed.slots.channel.ahead.depth == depth:
                self._begin(feed, feed.slots.channel.ahead, values)
        target = actor.target
        ends = target is not None and target.channel.written == depth
        handed = [level for level in self.sums if actor is self.array and level.slots.channel.tile == depth]
        begun = [(actor, target)] if ends and target else [(level.giver, level.slots) for level in handed]
        for giver, slots in begun:
            self._await(giver, state[slots.free.start], slots)
            state[slots.free] = [*state[slots.free][1:], 0]
        began = state[actor.clock]
        if made.nested:
            self._loop(actor, depth, values)
        else:
            self._steps(actor, values, (actor.number, depth, shape))
        for front in fronts(made):
            state[front] = state[actor.clock]
        if self.span and (not made.nested or begun):
            self.span(actor.process.name, began, state[actor.clock] - 1)
        for _, visits in returning:
            state[visits] = [*state[visits][1:], self._stored(actor)]
        for reader, feed in made.opens:
            self._leave(feed.slots, state[reader.done] + feed.slots.channel.emptied, values)
        if ends and target:
            last = state[actor.taken if actor.taken is not None else actor.clock]
            state[target.full] = last + target.channel.filled
        for level in handed:
            slots, taker = level.slots, level.taker
            state[slots.full] = state[level.giver.done] + slots.channel.filled
            state[taker.clock] = max(state[taker.clock], state[slots.full])
            self._tile(taker, depth, values)
            state[slots.free.stop - 1] = state[taker.done] + slots.channel.emptied

    def _feed(self, feed: Feed, depth: int, values: Values) -> None:
        """Everything that the feeder does for a tile: of a line buffer, its new rows; of a window's step, nothing with
        the first one, of which it was done before."""
        rows, ahead = feed.slots.channel.rows, feed.slots.channel.ahead
        if ahead and depth > ahead.depth:
            if values[-1]:
                self._tile(feed.feeder, depth, [*values[:-1], values[-1] + ahead.warm])
            return
        if rows is None:
            self._tile(feed.feeder, depth, values)
            return
        for row in rows.new(values):
            self._tile(feed.feeder, rows.anew + 1, [*values[: rows.anew], row])

    def _begin(self, feed: Feed, ahead: Ahead, values: Values) -> None:
        """The steps that a window's front takes alone, and all that the array's first one waits for."""
        state, slots = self.state, feed.slots
        assert slots.front is not None
        for step in range(ahead.warm + 1) if slots.channel.stepwise else ():
            self._tile(feed.feeder, ahead.depth + 1, [*values, step])
            state[slots.front] = max(state[slots.front], state[slots.full])
            if step < ahead.warm:
                state[slots.front] += 1
                self._leave(slots, state[slots.front], values)
        if not slots.channel.stepwise:
            state[slots.front] += ahead.warm
        self._await(self.array, state[slots.front], slots)

    def _leave(self, slots: Slots, time: int, values: Values) -> None:
        """The reader's parts are free from `time` on: the last one, or the first rows of its tile."""
        rows = slots.channel.rows
        held, freed = (rows.held(values), rows.freed(values)) if rows else (1, 1)
        first = slots.free.stop - held
        self.state[first : first + freed] = [time] * freed

    def _returning(self, actor: Actor, depth: int) -> list[tuple[Actor, slice]]:
        """The loads of partial sums that may not run too far ahead of this tile of the writer."""
        if actor is not self.writer or depth != self.sums[-1].slots.channel.tile:
            return []
        return [(feed.feeder, feed.feeder.visits) for feed in actor.sources if feed.feeder.visits]

    def _stored(self, writer: Actor) -> int:
        """The cycle after a tile's last word was accepted by the port."""
        if writer.queue:
            return self.state[writer.queue][-1] + 1
        return self.state[writer.done] + self.system.latencies.writer + QUEUE_LATENCY

    def _await(self, actor: Actor, time: int, slots: Slots | None) -> None:
        """An actor's next step is not before `time`; readers' waits and the array's are noted by channel."""
        late = time - self.state[actor.clock]
        if late <= 0:
            return
        if slots and actor is not self.writer and (actor is self.array or slots is not actor.target):
            self.waits[slots.number] += late
        if actor.debt is not None and actor.queue is None:
            debt = Bucket(*self.rate, self.state[actor.debt])
            debt.rest(late)
            self.state[actor.debt] = debt.debt
        self.state[actor.clock] = time

    def _loop(self, actor: Actor, depth: int, values: Values) -> None:
        """The iterations of the axis at `depth`."""
        if actor.number not in self.trips:
            self.trips[actor.number] = trips(actor.process.walk)
        trip = self.trips[actor.number][depth].at(values)
        made = self._plan(actor, depth + 1)
        moving = any(place == depth for trait in made.traits for place, _ in trait.term.weights)
        value = 0
        while value < trip:
            alike = self._alike(made, values, value, trip) if moving else trip
            self._repeat(actor, depth, values, value, alike)
            value = alike

    def _alike(self, made: Plan, values: Values, value: int, trip: int) -> int:
        """The end of the run of iterations, from `value` on, that have one shape."""
        shape = [trait.at([*values, value]) for trait in made.traits]
        end = value + 1
        while end < trip and all(trait.at([*values, end]) == s for trait, s in zip(made.traits, shape, strict=True)):
            end += 1
        return end

    def _repeat(self, actor: Actor, depth: int, values: Values, value: int, end: int) -> None:
        """Iterations of one shape, until their states repeat; then as many whole periods as there are at once."""
        made = self._plan(actor, depth + 1)
        seen: dict[Key, tuple[int, int, list[int]]] | None = None if self.span else {}
        while value < end:
            if seen is not None:
                base = self._settle(actor, made)
                key = snapshot(self.state, made, base)
                if key in seen:
                    at, then, waits = seen[key]
                    times = (end - value) // (value - at)
                    shift(self.state, made, times * (base - then))
                    self.waits = [now + times * (now - w) for now, w in zip(self.waits, waits, strict=True)]
                    value += times * (value - at)
                    seen = None
                    continue
                seen[key] = value, base, list(self.waits)
            self._tile(actor, depth + 1, [*values, value])
            value += 1

    def _steps(self, actor: Actor, values: Values, key: Key) -> None:
        """The steps of a tile within which nothing is waited for but a port."""
        state, transfer = self.state, actor.process.transfer
        if actor is self.array and self.first is None:
            self.first, self.before = state[actor.clock], list(self.waits)
        if is_load(transfer) and (self.limited or self.latency > 1):
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
        state[actor.done] = state[actor.clock]

    def _count(self, process: Process, values: Values, key: Key) -> int:
        if key not in self.counted:
            self.counted[key] = inner_points(process.walk, values)
        return self.counted[key]

    def _moved(self, transfer: Load | Write, values: Values, key: Key) -> list[int]:
        if key not in self.moved:
            self.moved[key] = lanes_moved(transfer, values)
        return self.moved[key]

    def _store(self, actor: Actor, moved: list[int]) -> None:
        """Words to a port that limits them, through the writer's queue."""
        state, late = self.state, self.system.latencies.writer + QUEUE_LATENCY
        assert actor.queue and actor.debt is not None
        accepted, bucket = state[actor.queue], Bucket(*self.rate, state[actor.debt])
        for words in moved:
            step = max(state[actor.clock], accepted[0] + 1)
            state[actor.clock] = step + 1
            offered = max(step + late, accepted[-1] + 1)
            bucket.rest(offered - accepted[-1] - 1)
            offered += bucket.wait()
            bucket.take(words)
            accepted = [*accepted[1:], offered]
        state[actor.queue], state[actor.debt] = accepted, bucket.debt
