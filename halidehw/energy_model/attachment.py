"""An accelerator's ports on a bus that they share, as the model of its cycles asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from halidehw.buses.axi import AXI
from halidehw.energy_model.bus import ReadPort, Request, SharedReads
from halidehw.energy_model.domain import Values, trips
from halidehw.energy_model.plan import Actor
from halidehw.energy_model.port import port_of, words_moved
from halidehw.energy_model.posted import PostedWrites
from halidehw.energy_model.processes import Process, System
from halidehw.microarch.processes import Load, Write, is_load
from halidehw.microarch.walk import Walk
from halidehw.simulate.memory import Memory


@dataclass
class Returning:
    """Partial sums that come back: `parts`, when there was room for each tile that has not been asked for, and what is
    written. None is asked for while words are on their way."""

    posted: PostedWrites
    parts: list[int] = field(default_factory=list)

    @property
    def settled(self) -> int:
        """The first cycle in which all that was written is in memory."""
        return replace(self.posted).end()

    def taken(self, time: int) -> list[int]:
        """From when on each of the tiles may be asked for, not before `time`."""
        found, self.parts = [max(each, time, self.settled) for each in self.parts], []
        return found


KEPT = 64
"""The last words of a run, which say what is on its way at the end."""


class Attachment:
    """The loads of a run that begins at `start`, a cycle of the bus; their own times count from there. `first`: the
    number of the first of their ports. Tensors begin at the first byte of a page."""

    def __init__(self, reads: SharedReads, start: int = 0, first: int = 0):
        self.reads, self.start, self.first = reads, start, first
        self._ports, self._tile = dict[Actor, ReadPort](), dict[Actor, int]()
        self._returning = dict[Actor, Returning]()

    @staticmethod
    def alone(bus: AXI, memory: Memory) -> Attachment:
        """Of a run that has the bus for itself."""
        return Attachment(SharedReads(bus, memory))

    def attach(self, system: System, actors: Mapping[Process, Actor]) -> None:
        """A port for each load, in the order of the accelerator's. Those of what another stage leaves outside begin
        when that says so."""
        writes = [line.stage.write.outside for line in system.lines]
        written = {write.port.tensor for write in writes if write}
        loads = {work.name: actor for process, actor in actors.items() if is_load(work := process.work)}
        for line in system.lines:
            for load in line.stage.loads:
                actor, mine = loads[load.name], load.tap.port.tensor in written
                tiles = _tiles(load, self.reads.bus)
                self._ports[actor] = self.reads.attach(self.first + len(self._ports), tiles, not mine)
                self._tile[actor] = 0
                if load.tap.revisit or not mine:
                    self.begun(actor, 1)
                if load.tap.revisit:
                    self._returning[actor] = Returning(PostedWrites(self.reads.bus, self.reads.latency))

    def begun(self, load: Actor, time: int) -> None:
        """A load may ask for what there is room for from `time` on."""
        self.freed(load, load.targets[0].channel.halves, time)

    def freed(self, actor: Actor, parts: int, time: int) -> None:
        """The memory that a load fills has parts free from `time` on."""
        if actor in self._returning:
            self._returning[actor].parts += [self.start + time] * parts
        elif actor in self._ports:
            self._ports[actor].free += [self.start + time] * parts

    def passed(self, actor: Actor, time: int) -> tuple[int, int]:
        """Its next tile, which may be asked for from `time` on: the cycles after the last request and answer."""
        port, tile = self._ports[actor], self._tile[actor]
        self._tile[actor] += 1
        if len(port.free) <= tile:
            port.free += self._returning[actor].taken(self.start + time)
        asked, taken = self.reads.until(port, tile)
        return asked - self.start, taken - self.start

    def stored(self, load: Actor, write: Write, values: Values, end: int) -> None:
        """A tile of partial sums that will come back through a load was accepted, its last word in the cycle before
        `end`: what waits for earlier ones does so until they are in memory, or longer if this one comes before."""
        tile, returning = _beats(write, values, self.reads.bus), self._returning[load]
        first = self.start + end - len(tile)
        if returning.settled <= first:
            self._ports[load].free += returning.taken(0)
        for step, request in enumerate(tile):
            if request is not None:
                returning.posted.word(first + step, *request)

    def settled(self, write: Write, accepted: Sequence[int]) -> int:
        """The first cycle in which all words of a writer are in memory, the last of which were accepted at these
        times. Earlier ones are taken to have come just before."""
        tiles, steps = _last(write.walk, write.tap.tile), list[Request]()
        while len(steps) < len(accepted) and (values := next(tiles, None)) is not None:
            steps = [*_beats(write, values, self.reads.bus), *steps]
        known = list(zip(reversed(accepted), reversed(steps), strict=False))[::-1]
        before = known[0][0] + self.reads.latency if len(steps) > len(known) else 0
        posted = PostedWrites(self.reads.bus, self.reads.latency, before)
        for time, request in known:
            if request is not None:
                posted.word(time, *request)
        return posted.end()


def _tiles(load: Load, bus: AXI) -> Iterator[list[Request]]:
    """The steps of a load's tiles, in order."""
    for values in _outer(load.walk, load.sink.tile):
        yield _beats(load, values, bus)


def _beats(process: Load | Write, values: Values, bus: AXI) -> list[Request]:
    """What is asked for, or written, at each step inside the given values of the outer axes, in order."""
    wanted, first, last = words_moved(process, values)
    port = port_of(process)
    low, high = first * port.unit // bus.bytes, last * port.unit // bus.bytes
    steps = zip(wanted.tolist(), low.tolist(), (low != high).tolist(), strict=True)
    return [(beat, two) if some else None for some, beat, two in steps]


def _last(walk: Walk, depth: int) -> Iterator[Values]:
    """The values of a walk's outer axes in its last tiles, backwards."""
    made = trips(walk)

    def inside(values: Values) -> Iterator[Values]:
        if len(values) == depth:
            yield values
            return
        for value in reversed(range(made[len(values)].at(values))):
            yield from inside([*values, value])

    return inside([])


def _outer(walk: Walk, depth: int) -> Iterator[Values]:
    """The values of a walk's outer axes, in order."""
    made = trips(walk)

    def inside(values: Values) -> Iterator[Values]:
        if len(values) == depth:
            yield values
            return
        for value in range(made[len(values)].at(values)):
            yield from inside([*values, value])

    return inside([])
