"""Processes of a run and what passes between them, and where their times stand in its state."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from halidehw.energy_model.domain import Trip, Values, trips
from halidehw.energy_model.processes import Channel, Process, Source
from halidehw.microarch.processes import Compute, Load, Write, is_load


@dataclass(frozen=True)
class Untaken:
    """Of a store beside which its writer fills others, where in the state it stands how many parts the reader has not
    taken yet (`count`), and when they were full, oldest first (`ready`). `alone`, of one before a window of which each
    step takes a part: how many the front has taken in steps of its own that its reader has not come to yet."""

    count: int
    ready: slice
    alone: int | None = None


@dataclass(eq=False)
class Slots:
    """Where a channel's times stand in the state: of its last full part, and before a window the earliest cycle of its
    front's next step. `held`: its parts that are not free, and `later`, when those are that will be, oldest first; of
    those that were before its writer's next step nothing is kept. `leads`: with what its reader begins its writer does
    too; of those that one writer fills word by word the first one does. `meets`: such a writer is on the way to it."""

    channel: Channel
    reader: Actor
    writer: Actor
    full: int
    number: int
    front: int | None = None
    untaken: Untaken | None = None
    leads: bool = True
    meets: bool = False
    held: int = 0
    later: tuple[int, ...] = ()

    @property
    def eager(self) -> bool:
        """Whether a front takes its words in steps of its own as soon as they come, whoever asked for them."""
        return self.untaken is not None and self.untaken.alone is not None

    def is_alone(self, values: Values) -> bool:
        """Whether the front's step with the word that its writer makes at `values` is one of its own."""
        ahead = self.channel.ahead
        return ahead is not None and (values[-1] < ahead.warm or (ahead.rows > 0 and values[-2] < ahead.rows))

    @property
    def free(self) -> int:
        """When the next part is; 0 if it is already, or all are held, or pieces of the last one are to come."""
        if self.channel.pieces and self.held:
            return 0
        return self.later[0] if self.later and self.held + len(self.later) == self.channel.halves else 0

    def take(self) -> None:
        """The next free part."""
        if self.held + len(self.later) == self.channel.halves:
            self.later = self.later[1:]
        self.held += 1

    def give_back(self, parts: int, time: int) -> None:
        self.held -= parts
        self.later += (time,) * parts

    def settle(self, time: int) -> None:
        """The parts that are free by then are free."""
        while self.later and self.later[0] <= time:
            self.later = self.later[1:]


@dataclass(eq=False)
class Actor:
    """A process with its places in the state: the earliest cycle of its next step, and the cycle after its last, of a
    load after its last answer; for a load the earliest cycle of its next answer, and, of partial sums, when each tile
    may be asked for; for one with a limited port the port's debt. `targets`: what it fills; `sources`: what it reads,
    in the order of its process's."""

    process: Process
    clock: int
    done: int
    number: int
    targets: list[Slots] = field(default_factory=list)
    sources: list[Feed] = field(default_factory=list)
    taken: int | None = None
    debt: int | None = None
    queue: slice | None = None
    visits: slice | None = None

    @cached_property
    def trips(self) -> tuple[Trip, ...]:
        return trips(self.process.walk)

    @cached_property
    def cadence(self) -> int:
        """The cycles of which what it waits is a multiple; 1: any."""
        return self.process.work.cadence if isinstance(self.process.work, Compute) else 1

    @cached_property
    def passing(self) -> Load | Write | None:
        """What it does, if its words pass a port."""
        work = self.process.work
        return work if is_load(work) or (isinstance(work, Write) and work.outside is not None) else None

    @property
    def written(self) -> int:
        """The depth of its walk at which a part of what it fills is complete."""
        return self.targets[0].channel.written

    @property
    def giver(self) -> Feed | None:
        """Of what takes partial sums, where they come from."""
        return self.sources[0] if self.sources and self.sources[0].slots.channel.sums else None


@dataclass(frozen=True, eq=False)
class Feed:
    """A source with its reader's, its feeder's and its channel's places in the state."""

    source: Source
    reader: Actor
    feeder: Actor
    slots: Slots

    @property
    def piecewise(self) -> bool:
        """Whether something may open or close for the feeder between a tile and its pieces."""
        return bool(self.source.channel.finished or (self.source.channel.pieces and self.feeder.sources))
