"""The actors of a run, made from its processes, and where their times stand in its state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halidehw.energy_model.processes import Channel, Line, Process
from halidehw.energy_model.slots import Actor, Feed, Slots, Untaken
from halidehw.microarch.processes import Transfer, Write, is_load

QUEUE_SLACK = 4
"""Places of the writer's queue beyond the words in its pipeline."""


class Actors:
    """Those made so far, by their processes, their channels, and the state at the start. `limited`: ports move only so
    many words a cycle. `posted`: writes wait for an adapter. `first`: the first cycle in which something happens."""

    def __init__(self, limited: bool, posted: bool, first: int = 1):
        self.limited, self.posted, self.first = limited, posted, first
        self.state: list[int] = []
        self.channels: list[Slots] = []
        self.actors: dict[Process, Actor] = {}

    def share(self, actors: Iterable[Actor], drivers: Iterable[Actor]) -> None:
        """Parts that one actor fills at once for several readers wait for each of them. `actors`: readers before their
        feeders."""
        for actor in actors:
            for slots in actor.targets if len(actor.targets) > 1 else ():
                slots.untaken = self.untaken(slots, slots.channel.stepwise)
        led = set[Actor]()
        for driver in drivers:
            _lead(driver, led)

    def untaken(self, slots: Slots, stepwise: bool = False) -> Untaken:
        """What a writer has filled that the reader has not come to."""
        alone = self._slot(0) if stepwise else None
        return Untaken(self._slot(0), self._slice(slots.channel.halves), alone)

    def slots_of(self, line: Line) -> Iterator[Slots]:
        """The channels that the processes of a stage read."""
        readers = [line.array, *line.takers]
        for reader in readers:
            for feed in self.actors[reader].sources:
                yield feed.slots
                readers += [feed.source.feeder] if isinstance(feed.source.feeder.work, Transfer) else []

    def _slot(self, value: int | None = None) -> int:
        self.state.append(self.first if value is None else value)
        return len(self.state) - 1

    def _slice(self, places: int, value: int | None = None) -> slice:
        start = len(self.state)
        self.state += [self.first if value is None else value] * places
        return slice(start, start + places)

    def _slots(self, channel: Channel, reader: Actor, writer: Actor) -> Slots:
        full, front = self._slot(), self._slot() if channel.ahead else None
        slots = Slots(channel, reader, writer, full, len(self.channels), front)
        self.channels.append(slots)
        return slots

    def actor(self, process: Process) -> Actor:
        """The actor of a process, made with all that it reads, directly or not, when it is first asked for."""
        if process in self.actors:
            return self.actors[process]
        actor = self.actors[process] = Actor(process, self._slot(), self._slot(), len(self.actors))
        work = process.work
        if is_load(work):
            actor.taken = self._slot()
        offers = isinstance(work, Write) and work.outside and (self.limited or self.posted)
        if offers or (self.limited and is_load(work)):
            actor.debt = self._slot(0)
        if offers:
            actor.queue = self._slice(process.late + QUEUE_SLACK, 0)
        for source in process.sources:
            feeder = self.actor(source.feeder)
            slots = self._slots(source.channel, actor, feeder)
            feeder.targets.append(slots)
            actor.sources.append(Feed(source, actor, feeder, slots))
            revisit = feeder.process.work.tap.revisit if is_load(feeder.process.work) else None
            if revisit and revisit.distance <= process.late + QUEUE_SLACK + slots.channel.halves + 2:
                feeder.visits = self._slice(revisit.distance)
        return actor


def _lead(actor: Actor, led: set[Actor]) -> bool:
    """Marks of each writer whose words fronts take eagerly the feed that leads it: the first one in the order in which
    rows begin, of which those that begin with their reader's come first. Whether there is such a writer on the way."""
    found = False
    for feed in sorted(actor.sources, key=lambda feed: feed.source.channel.is_rows_ahead):
        if feed.slots.eager:
            feed.slots.leads, feed.slots.meets = feed.feeder not in led, True
        if feed.slots.leads:
            led.add(feed.feeder)
            feed.slots.meets |= _lead(feed.feeder, led)
        found |= feed.slots.meets
    return found
