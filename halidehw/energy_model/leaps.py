"""Time that repeats is leapt over.

A tile of equal shape that starts from an equal state takes equal time: each is worked out once. A loop whose state
repeats is advanced by as many whole periods as there are.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from halidehw.energy_model.attachment import Attachment
from halidehw.energy_model.calendar import Since
from halidehw.energy_model.deadline import Deadline
from halidehw.energy_model.domain import Values
from halidehw.energy_model.plan import NOTHING, Beginning, Plan, Run, Tile, plan
from halidehw.energy_model.slots import Actor, Feed, Slots
from halidehw.energy_model.state import Outcome, restore, settle, shift, snapshot
from halidehw.energy_model.steps import Key, Steps

Work = Callable[[Actor, int, Values, Plan, tuple[int, ...]], None]
"""What happens inside the values of an actor's outer axes, by its plan, in a tile of a shape."""


class Leaps:
    """Of a run, whose times are those of `steps`. `order`: all actors, those that feed others first. `apart`: channels
    to or from what goes on by itself. `stepwise`: nothing is leapt over. `deadline`: of a run that is given up
    where it is late. `waits`: cycles for each channel so far."""

    def __init__(
        self, steps: Steps, order: tuple[Actor, ...], channels: int, bus: Attachment | None, apart: Container[Slots],
        stepwise: bool, deadline: Deadline | None = None,
    ):  # fmt: skip
        self.steps, self.order, self.bus, self.apart, self.stepwise = steps, order, bus, apart, stepwise
        self.deadline = deadline
        self.state, self.rate = steps.state, steps.rate
        self.waits = [0] * channels
        self.plans: dict[tuple[int, int, frozenset[Feed]], Plan] = {}
        self.known: dict[Key, Outcome] = {}

    def plan(self, actor: Actor, depth: int, values: Values | None = None) -> Plan:
        """That of a tile inside the outer `depth` axes of an actor's walk, at certain values of these."""
        made = self._plan(actor, depth, NOTHING)
        there = made.there(values) if values is not None and made.comes else None
        return self._plan(actor, depth, there) if there else made

    def _plan(self, actor: Actor, depth: int, there: frozenset[Feed]) -> Plan:
        key = (actor.number, depth, there)
        if (made := self.plans.get(key)) is None:
            made = self.plans[key] = plan(actor, depth, self.order, self.steps.paced, there)
        return made

    def tile(self, actor: Actor, depth: int, values: Values, work: Work, begun: Beginning | None = None) -> None:
        """What `work` does in a tile, or has done in one like it; `begun`: how it begins, if that is known. A step by
        itself at a port that all share is sooner made than known."""
        if self.deadline and actor is self.deadline.array:
            self.deadline.check(self.state[actor.clock], values)
        made = self.plan(actor, depth, values)
        shape = made.shape(values)
        if self._timed(made) or (self.steps.calendar and not made.nested):
            work(actor, depth, values, made, shape)
            return
        base, port, begins = begun or self._beginning(actor, made)
        key = (actor.number, depth, shape, begins)
        outcome = self.known.get(key)
        if outcome is None:
            before, switches = list(self.waits), self._switches()
            work(actor, depth, values, made, shape)
            if self._switches() == switches:
                waits = tuple(now - b for now, b in zip(self.waits, before, strict=True))
                after = snapshot(self.state, made, base, whole=True)
                self.known[key] = Outcome(*after, waits, self._taken(port, base))
        else:
            restore(self.state, made, base, outcome)
            if self.steps.calendar and port is not None and outcome.taken:
                self.steps.calendar.restore(port, base, outcome.taken)
            self._wait(outcome.waits, 1)

    def run(self, actor: Actor, values: Values, trip: int, tile: Tile, front: int | None = None) -> None:
        """So many iterations of an actor's next axis, in each of which `tile` happens, and time `front` moves on."""
        depth, value = len(values), 0
        made = self.plan(actor, depth + 1)
        while value < trip:
            alike = made.alike(values, value, trip)
            here = self.plan(actor, depth + 1, [*values, value])
            self._repeat(Run(actor, here, tile, front), values, value, alike)
            value = alike

    def _repeat(self, run: Run, values: Values, value: int, end: int) -> None:
        """Iterations of one shape, until their states repeat; then as many whole periods as there are at once."""
        made, front = run.made, run.front
        apart = self._timed(made) or end == value + 1
        seen: dict[Key, tuple[int, int, int | None, list[int]]] | None = None if apart else {}
        while value < end:
            begun: Beginning | None = None
            if seen is not None:
                begun = base, port, begins = self._beginning(run.actor, made)
                key: Key = begins if front is None else (*begins, self.state[front] - base)
                if key in seen:
                    at, then, began, waits = seen[key]
                    times = (end - value) // (value - at)
                    shift(self.state, made, times * (base - then))
                    if self.steps.calendar and port is not None and began is not None:
                        self.steps.calendar.repeat(began, port, times)
                    if front is not None:
                        self.state[front] += times * (base - then)
                    self._wait([now - before for now, before in zip(self.waits, waits, strict=True)], times)
                    value += times * (value - at)
                    seen = None
                    continue
                seen[key] = value, base, port, list(self.waits)
            switches = self._switches()
            run.tile([*values, value], begun)
            value += 1
            if seen and self._switches() != switches:
                seen.clear()

    def _beginning(self, actor: Actor, made: Plan) -> Beginning:
        """How a tile begins now, its times raised to where they matter."""
        base = settle(self.state, actor, made, self.rate)
        port = self.steps.begins(made.actors)
        return base, port, (*snapshot(self.state, made, base), self._taken(port, base))

    def _taken(self, port: int | None, base: int) -> Since | None:
        """Of the port that all share, what is taken from a time on."""
        return self.steps.calendar.since(port, base) if self.steps.calendar and port is not None else None

    def _wait(self, cycles: Sequence[int], times: int) -> None:
        """So many cycles more for each channel, so often."""
        self.waits[:] = [now + times * each for now, each in zip(self.waits, cycles, strict=True)]

    def _switches(self) -> int:
        """How often something else went on meanwhile, whose effects are no tile's own."""
        return self.bus.reads.switches if self.bus else 0

    def _timed(self, made: Plan) -> bool:
        """Whether each tile has its own time: where it is asked for, where what is behind a bus is at work, of whose
        time there is only one, or where parts pass to or from what goes on by itself, which it may wait for."""
        if self.bus is None or self.stepwise:
            return self.stepwise
        outside = any(one.taken is not None or one in self.bus.written for one in made.actors)
        return outside or any(slots in self.apart for slots in made.channels)
