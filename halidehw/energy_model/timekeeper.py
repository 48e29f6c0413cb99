"""The cycles of an accelerator, tile by tile.

Every process takes its steps in order, one a cycle, as soon as the part it reads is full and the part it writes is
free; so a run is the least solution of equations of maxima and sums over tiles. What repeats is leapt over (`leaps`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

from halidehw.energy_model.actors import Actors
from halidehw.energy_model.attachment import Attachment
from halidehw.energy_model.calendar import Calendar
from halidehw.energy_model.deadline import Deadline
from halidehw.energy_model.domain import Values
from halidehw.energy_model.leaps import Leaps
from halidehw.energy_model.piecewise import Piecewise, Within
from halidehw.energy_model.plan import Beginning, Early, Plan, cuts, early, feeders_first
from halidehw.energy_model.processes import Line, Process, System
from halidehw.energy_model.slots import Actor, Feed, Slots
from halidehw.energy_model.state import Standing
from halidehw.energy_model.steps import Steps
from halidehw.microarch.processes import Compute, Write, is_load
from halidehw.simulate.memory import Memory

Span = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Times:
    """`done`: cycles from start to done. Of each stage by name: `first`, the cycle of its array's first step, and
    `end`, the cycle after its last one. `waits`: for each channel the cycles, from that first step on, in which a
    transfer or array waited for it: for a full part, or of sums for a free one."""

    done: int
    first: dict[str, int]
    end: dict[str, int]
    waits: dict[str, int]


class Timekeeper:
    """One run. `span`, if given, is told the first and last cycle of every tile of every process, in which case none
    is leapt over. `early`: by their names the loads that have begun before the run's start. `most`: the run is given
    up, and Late raised, where it is known to take more cycles."""

    def __init__(
        self, system: System, memory: Memory, span: Span | None = None, bus: Attachment | None = None,
        early: Mapping[str, Standing] | None = None, most: float = inf,
    ):  # fmt: skip
        self.system, self.span, self.bus = system, span, bus
        self.start = max((1 - each.clock for each in (early or {}).values()), default=0)
        rate = memory.parameters
        self.latency, self.rate = rate["latency"], (rate["rate_words"], rate["rate_cycles"])
        self.made = made = Actors(self.rate[0] > 0, bus is not None, self.start + 1)
        self.drivers = [made.actor(writer) for writer in system.drivers]
        self.order = feeders_first(self.drivers, lambda feed: True)[::-1]
        made.share(self.order, self.drivers)
        self.state, self.actors = made.state, made.actors
        calendar = Calendar() if system.shared else None
        self.steps = Steps(made.state, self.latency, self.rate, bus.written if bus else {}, calendar)
        if bus:
            bus.attach(system, self.actors)
        self._begin_early(early or {})
        self.alone, self.begun = set[Feed](), set[tuple[Feed | int, ...]]()
        self.filled, self.freed = dict[Feed, Callable[[], None]](), dict[Slots, Callable[[], None]]()
        array, limited = self.actors[system.lines[-1].array], most < inf
        deadline = Deadline.of(array, self.start, most) if limited else None
        self.leaps = Leaps(self.steps, self.order, len(made.channels), bus, self.freed, span is not None, deadline)
        self.waits = self.leaps.waits
        self.piecewise = Piecewise(self.leaps, Within(self._await, self._enter, self._tile, self._exit))
        self.first: dict[Process, int] = {}
        self.before: dict[Process, list[int]] = {}

    def run(self) -> Times:
        for driver in self.drivers:
            self._drive(driver)
            self._left(driver)
        lines = self.system.lines
        done = max(map(self._settled, lines)) - self.start
        first = {line.stage.name: self.first[line.array] - self.start for line in lines}
        end = {line.stage.name: self.state[self.actors[line.array].done] - self.start for line in lines}
        waits = dict[str, int]()
        for line in lines:
            for slots in self.made.slots_of(line):
                waits[slots.channel.name] = self.waits[slots.number] - self.before[line.array][slots.number]
        return Times(done, first, end, waits)

    def _begin_early(self, early: Mapping[str, Standing]) -> None:
        for actor in self.actors.values():
            if standing := early.get(actor.process.name):
                assert actor.taken is not None
                self.state[actor.clock] = self.state[actor.taken] = standing.clock + self.start
                if actor.debt is not None:
                    self.state[actor.debt] = standing.debt
                actor.targets[0].later = tuple(time + self.start for time in standing.later)

    def standing(self) -> dict[str, Standing]:
        """How the loads stand after the run."""
        found = dict[str, Standing]()
        for actor in self.actors.values():
            if is_load(actor.process.work):
                debt = 0 if actor.debt is None else self.state[actor.debt]
                later = tuple(time - self.start for time in actor.targets[0].later)
                clock, rests = (self.state[place] - self.start for place in (actor.clock, actor.done))
                found[actor.process.name] = Standing(clock, debt, later, rests)
        return found

    def _drive(self, driver: Actor) -> None:
        """All that a driver does. Behind a bus what waits there in several places does so at once, where it can."""
        cut = [feed for feed in cuts(driver) if feed not in self.filled] if self.bus else []
        for feed in cut:
            self._cut(feed)
        tasks = [partial(self._tile, actor, 0, []) for actor in (driver, *(feed.feeder for feed in cut))]
        if self.bus and cut:
            self.bus.reads.together(tasks)
        else:
            tasks[0]()

    def _cut(self, feed: Feed) -> None:
        """Parts are made by what goes on by itself, from when there is room."""
        assert self.bus
        slots, wait = feed.slots, self.bus.reads.wait
        untaken = slots.untaken = self.made.untaken(slots)
        slots.leads = False
        self.filled[feed] = lambda: wait(lambda: self.state[untaken.count] > 0, timed=False)
        self.freed[slots] = lambda: wait(lambda: slots.held < slots.channel.halves, timed=False)

    def _left(self, driver: Actor) -> None:
        """What a driver leaves outside for another stage is asked for when all of it is there."""
        work = driver.process.work
        assert isinstance(work, Write) and work.outside
        for actor in self.order:
            load = actor.process.work
            if is_load(load) and load.tap.revisit is None and load.tap.port.tensor == work.outside.port.tensor:
                self.state[actor.clock] = self.steps.stored(driver) + 1
                if self.bus:
                    self.bus.begun(actor, self.state[actor.clock])

    def _tile(self, actor: Actor, depth: int, values: Values, begun: Beginning | None = None) -> None:
        """Everything that happens inside the given values of the outer `depth` axes of an actor's walk."""
        self.leaps.tile(actor, depth, values, self._work, begun)

    def _work(self, actor: Actor, depth: int, values: Values, made: Plan, shape: tuple[int, ...]) -> None:
        state = self.state
        self._enter(actor, depth, values, made)
        for slots in [slots for slots in made.filled if slots.channel.begins(values)]:
            if slots in self.freed:
                self.freed[slots]()
            self._await(actor, slots.free, slots)
            slots.take()
        began = state[actor.clock]
        if self.bus and actor.taken is not None:
            state[actor.clock], state[actor.taken] = self.bus.passed(actor)
            state[actor.done] = state[actor.clock]
        elif made.nested:
            self._loop(actor, depth, values)
        else:
            began = self._keep_cadence(actor)
            if isinstance(actor.process.work, Compute) and actor.process not in self.first:
                self.first[actor.process], self.before[actor.process] = began, list(self.waits)
            self.steps.take(actor, values, (actor.number, depth, shape))
        if self.span and (not made.nested or made.filled):
            self.span(actor.process.name, began, state[actor.clock] - 1)
        self._exit(actor, depth, values, made)
        for slots in made.filled:
            self._filled(actor, slots, values)

    def _keep_cadence(self, actor: Actor) -> int:
        """The cycle of an actor's next step, after waits that take a multiple of its cadence: for its turn at the port
        to which its sums go."""
        late = (self.state[actor.done] - self.state[actor.clock]) % actor.cadence
        if late:
            self.waits[actor.targets[0].number] += late
            self.state[actor.clock] += late
        return self.state[actor.clock]

    def _enter(self, actor: Actor, depth: int, values: Values, made: Plan) -> None:
        """What comes before the first step inside a tile."""
        for load, visits in made.returning:
            self._await(load, self.state[visits.start], None)
        apart = made.pulls != made.opens
        for feed in made.pulls if apart else ():
            self._feed(feed, depth, values)
        for feed in made.opens:
            if not apart:
                self._feed(feed, depth, values)
            self._open(feed)
        if made.begins:
            self._begins([feed for feed in made.begins if (feed, *values) not in self.begun], values)
            self.begun.difference_update((feed, *values) for feed in made.begins)

    def _begins(self, feeds: Sequence[Feed], values: Values) -> None:
        """Windows begin."""
        self._rows_of([feed for feed in feeds if feed.slots.meets], values)
        for feed in feeds:
            if not feed.slots.meets:
                self._rows_of([feed], values)
            self._begin(feed, values)

    def _exit(self, actor: Actor, depth: int, values: Values, made: Plan) -> None:
        """What comes after the last one."""
        state = self.state
        for feed in made.windows:
            if feed.slots.front is not None:
                state[feed.slots.front] = state[feed.reader.clock]
        for feed in made.begins:
            if (ahead := feed.source.channel.ahead) and ahead.rows:
                self._row(feed, ahead.place(values)[:-1], self._exit)
        for _, visits in made.returning:
            state[visits] = [*state[visits][1:], self.steps.stored(actor)]
        if self.bus and isinstance(write := actor.process.work, Write) and write.tap.tile == depth:
            for feed in actor.sources:
                if is_load(load := feed.feeder.process.work) and load.tap.revisit:
                    self.bus.stored(feed.feeder, self.steps.stored(actor))
        for feed in made.leaves:
            self._leave(feed, values)

    def _row(self, feed: Feed, values: Values, passing: Callable[[Actor, int, Values, Plan], None]) -> None:
        """The feeder of a window that is rows ahead begins or ends a row."""
        if feed.feeder.sources and feed.slots.leads:
            passing(feed.feeder, len(values), values, self.leaps.plan(feed.feeder, len(values), values))

    def _filled(self, actor: Actor, slots: Slots, values: Values) -> None:
        """A part is complete with the last word that the actor has moved."""
        time = self.state[actor.taken if actor.taken is not None else actor.clock] + slots.channel.filled
        if (untaken := slots.untaken) is None:
            self.state[slots.full] = time
        elif untaken.alone is not None and not self.state[untaken.count] and slots.is_alone(values):
            self._alone(actor, slots, time, values)
            self.state[untaken.alone] += 1
        else:
            self.state[untaken.ready.start + self.state[untaken.count]] = time
            self.state[untaken.count] += 1

    def _open(self, feed: Feed) -> None:
        """A reader's part is there: it awaits it, or the front of its window does."""
        front, full = feed.slots.front, self.state[feed.slots.full]
        if front is None or feed.source.channel.stepwise:
            self._await(feed.reader, full, feed.slots)
        else:
            self.state[front] = max(self.state[front], full)

    def _feed(self, feed: Feed, depth: int, values: Values) -> None:
        """Everything that the feeder does for a tile: of a line buffer, its new rows; of a window's step, nothing with
        the first one, of which it was done before."""
        rows, ahead = feed.source.channel.rows, feed.source.channel.ahead
        if ahead and depth > ahead.depth:
            if values[-1] and ahead.brings(values[-1]):
                self._pull(feed, ahead.place(values[:-1], values[-1] + ahead.warm))
        elif rows is None:
            pieces, tile = feed.source.channel.pieces, feed.source.channel.tile
            self._pull(feed, pieces.place(tile, values) if pieces else values)
        else:
            for row in rows.new(values):
                self._pull(feed, [*values[: rows.anew], row])

    def _pull(self, feed: Feed, values: Values) -> None:
        """The next part of a feeder, unless it was made before, for another reader."""
        state, untaken = self.state, feed.slots.untaken
        if feed in self.filled:
            self.filled[feed]()
        elif feed.piecewise:
            self.piecewise.piece(feed, values)
        elif untaken is None or not state[untaken.count]:
            self._tile(feed.feeder, len(values), values)
        if untaken:
            time, *rest = state[untaken.ready]
            state[feed.slots.full], state[untaken.ready] = time, [*rest, time]
            state[untaken.count] -= 1

    def _rows_of(self, feeds: Sequence[Feed], values: Values) -> None:
        """The rows that fronts take alone, where their reader's first row begins at `values`; of what comes from one
        writer on several ways also those further up, side by side: each so many rows and columns before the reader's
        first step as it is ahead."""
        feeds = [feed for feed in feeds if feed not in self.alone]
        rows = list(early(feeds, self.leaps.plan, 0, 0)) if values and not values[-1] else []
        self.alone.update(each.feed for each in rows)
        for row in range(min((each.row for each in rows), default=0), 0):
            now = [(each, [*values[:-1], row - each.row]) for each in rows if 0 <= row - each.row < each.rows]
            self._row_of([(each, outer, each.feed.feeder.trips[len(outer)].at(outer)) for each, outer in now])
        self.alone.difference_update(each.feed for each in rows)

    def _row_of(self, now: Sequence[tuple[Early, Values, int]]) -> None:
        """A row that each of several fronts takes alone, of so many steps."""
        first = min((each.column for each, _, _ in now), default=0)
        for place in range(first, max((each.column + trip for each, _, trip in now), default=first)):
            for each, outer, trip in now:
                if place == each.column:
                    self._begins_before(each, outer, now)
                    self._row(each.feed, outer, self._enter)
                    if len(now) == 1:
                        self._run_alone(each.feed, outer, trip)
                if each.column <= place < each.column + trip and len(now) > 1:
                    self._step_alone(each.feed, [*outer, place - each.column])
                if place + 1 == each.column + trip:
                    self._row(each.feed, outer, self._exit)
        for each, _, _ in now:
            if not each.feed.slots.eager and each.feed.source.channel.ahead:
                self.state[each.feed.slots.front or 0] += each.feed.source.channel.ahead.idle

    def _begins_before(self, front: Early, row: Values, now: Sequence[tuple[Early, Values, int]]) -> None:
        """A front takes a row before the one that leads it: what its writer reads begins with it."""
        led = [each for each, other, _ in now if each.feed.slots.leads and other == row and each.column > front.column]
        later = {feed for each in led for feed in self.leaps.plan(each.feed.feeder, len(row)).begins}
        own = [feed for feed in self.leaps.plan(front.feed.feeder, len(row)).begins if feed in later]
        new = [feed for feed in own if (feed, *row) not in self.begun]
        self.begun.update((feed, *row) for feed in new)
        self._begins(new, row)

    def _begin(self, feed: Feed, values: Values) -> None:
        """The steps of a row that a window's front takes alone, and all that the array's first one waits for."""
        state, slots, ahead = self.state, feed.slots, feed.source.channel.ahead
        assert slots.front is not None and ahead
        if slots.channel.stepwise:
            *outer, first = ahead.place(values, ahead.warm)
            if ahead.rows:
                self._row(feed, outer, self._enter)
            self._run_alone(feed, outer, first)
            self._pull(feed, [*outer, first])
            state[slots.front] = max(state[slots.front], state[slots.full])
        else:
            state[slots.front] += ahead.warm
        self._await(feed.reader, state[slots.front], slots)

    def _run_alone(self, feed: Feed, outer: Values, steps: int) -> None:
        """The first steps of a row, which a window's front takes without its reader."""
        if feed.slots.eager:
            for step in range(steps):
                self._step_alone(feed, [*outer, step])
        else:
            self.leaps.run(feed.feeder, outer, steps, partial(self._step_alone, feed), feed.slots.front)

    def _step_alone(self, feed: Feed, values: Values, _: Beginning | None = None) -> None:
        """One of them; nothing if it was taken when its word came."""
        if (untaken := feed.slots.untaken) and untaken.alone is not None:
            if not self.state[untaken.alone] + self.state[untaken.count]:
                self._tile(feed.feeder, len(values), values)
            if self.state[untaken.alone]:
                self.state[untaken.alone] -= 1
                return
        self._pull(feed, values)
        self._alone(feed.feeder, feed.slots, self.state[feed.slots.full], values)

    def _alone(self, feeder: Actor, slots: Slots, time: int, values: Values) -> None:
        """A front takes a word, which is there at a time, in a step of its own."""
        front, ahead = slots.front, slots.channel.ahead
        assert front is not None and ahead
        self.state[front] = max(self.state[front], time) + 1
        self._given_back(slots, self.state[front], values)
        if slots.eager and ahead.idle and ahead.rows and values[-2] < ahead.rows:
            *outer, column = values
            self.state[front] += ahead.idle * (column + 1 == feeder.trips[len(outer)].at(outer))

    def _leave(self, feed: Feed, values: Values) -> None:
        """A reader has taken its last step on a part."""
        if feed.piecewise:
            self.piecewise.close(feed, values)
        ahead = feed.source.channel.ahead
        if ahead and feed.source.channel.stepwise and not ahead.brings(values[-1]):
            return
        self._given_back(feed.slots, self.state[feed.reader.done] + feed.source.channel.emptied, values)

    def _given_back(self, slots: Slots, time: int, values: Values) -> None:
        """The reader's parts are free from `time` on: the last one, or the first rows of its tile."""
        rows = slots.channel.rows
        parts = rows.freed(values) if rows else 1
        slots.give_back(parts, time)
        if self.bus:
            self.bus.freed(slots.writer, parts, time)

    def _settled(self, line: Line) -> int:
        """The cycle after that in which all words of a writer are in memory."""
        writer = self.actors[line.writer]
        return self.bus.settled(writer) if self.bus and line.stage.write.outside else self.steps.stored(writer)

    def _await(self, actor: Actor, time: int, slots: Slots | None) -> None:
        """An actor's next step is not before `time`; what readers wait for is noted by channel, and of sums what those
        do who bring them."""
        late = time - self.state[actor.clock]
        if late <= 0:
            return
        if slots and slots.channel.sums == (actor is not slots.reader) and not isinstance(actor.process.work, Write):
            self.waits[slots.number] += late
        self.steps.rest(actor, late)
        self.state[actor.clock] = time

    def _loop(self, actor: Actor, depth: int, values: Values) -> None:
        """The iterations of the axis at `depth`."""
        trip = actor.trips[depth].at(values)
        self.leaps.run(actor, values, trip, partial(self._tile, actor, depth + 1))
