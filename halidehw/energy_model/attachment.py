"""An accelerator's ports on a bus that they share, as the model of its cycles asks for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

from halidehw.buses.axi import AXI
from halidehw.energy_model.bus import Gated, ReadPort, Request, SharedReads
from halidehw.energy_model.domain import Values, outer
from halidehw.energy_model.port import port_of, words_moved
from halidehw.energy_model.posted import PostedWrites
from halidehw.energy_model.processes import Process, System
from halidehw.energy_model.slots import Actor
from halidehw.microarch.processes import Load, Write, is_load
from halidehw.simulate.memory import Memory


class Written:
    """The words of a writer, one after the other, as its adapter takes them. `start`: of its run. `asked`: whether it
    is of any use from when on they are in memory while there are more."""

    def __init__(self, writer: Write, reads: SharedReads, start: int, asked: bool):
        tiles = _tiles(writer, writer.tap.tile, reads.bus)
        self.steps = ((step, number == len(tile)) for tile in tiles for number, step in enumerate(tile, 1))
        self.arrived = list[int]()
        self.posted, self.start, self.asked = PostedWrites(reads.bus, reads.latency), start, asked
        self.unsettled = deque([(0, 0)])

    def accepted(self, time: int) -> int:
        """When the next words are that are offered from a time of the run on."""
        step, ends = next(self.steps)
        if step is None:
            self._note(ends)
            return time
        accepted = max(self.start + time, self.posted.ready)
        self.posted.word(accepted, *step)
        self._note(ends)
        if self.asked:
            self.unsettled.append((accepted, replace(self.posted).end()))
        return accepted - self.start

    def _note(self, ends: bool) -> None:
        """What has arrived by now; whether the last words were those of a tile."""
        if ends:
            self.posted.ends_tile()
        self.arrived += self.posted.arrived
        self.posted.arrived = ()

    def tiles(self, number: int) -> float:
        """From when on so many tiles are in memory, as far as is known: infinity if no words have come for them."""
        if number > len(self.arrived):
            later = replace(self.posted)
            later.end()
            further = later.arrived[number - len(self.arrived) - 1 :]
            return further[0] if further else inf
        return self.arrived[number - 1] if number else 0

    def settled(self, now: int) -> int:
        """From when on all that was accepted by now is in memory. `now` never goes back."""
        while len(self.unsettled) > 1 and self.unsettled[1][0] <= now:
            self.unsettled.popleft()
        return self.unsettled[0][1]

    def end(self) -> int:
        """The first cycle of the run in which all is in memory."""
        return self.posted.end() - self.start


class Returning:
    """A load that takes partial sums again. A step of it may be asked for when there is room for it, and, as the first
    one of a tile, when the writer's tile so many before it is stored."""

    def __init__(self, load: Load):
        assert load.tap.revisit
        self.distance, self.visits = load.tap.revisit.distance, _begins(load, load.tap.revisit.tile)
        self.rooms, self.stored, self.visit = deque[int](), list[int](), 0
        self.next = next(self.visits, False)

    def free(self) -> Iterator[int]:
        """From when on each of the steps may be asked for of which that is known now."""
        while self.rooms:
            before = self.visit - self.distance
            if self.next and before >= len(self.stored):
                return
            yield max(self.rooms.popleft(), self.stored[before] if self.next and before >= 0 else 0)
            self.visit += self.next
            self.next = next(self.visits, False)


@dataclass(frozen=True)
class Following:
    """The `loads` of the next program that may begin it early, by their names, and when that is, as of
    `ReadPort.follow`. `needs`: of those that follow what this program writes, for each tile how many of it are there
    before."""

    loads: Mapping[str, Load]
    begins: Callable[[], int | None]
    needs: Mapping[str, Callable[[int], int]]


class Attachment:
    """The loads of a run that begins at `start`, a cycle of the bus; their own times count from there. `first`: the
    number of the first of their ports. Tensors begin at the first byte of a page. `kept`: of loads that began the run
    before its start, by their names, the port and how many tiles of earlier programs it had; `following`: those of the
    next program that may."""

    def __init__(
        self, reads: SharedReads, start: int = 0, first: int = 0,
        kept: Mapping[str, tuple[ReadPort, int]] | None = None, following: Following | None = None,
    ):  # fmt: skip
        self.reads, self.start, self.first = reads, start, first
        self.kept, self.following = kept or {}, following
        self._ports, self._tile = dict[Actor, ReadPort](), dict[Actor, int]()
        self._returning, self.written = dict[Actor, Returning](), dict[Actor, Written]()
        self.over: int | None = None
        """When the next run begins, if that is known."""

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
            writer, write = actors[line.writer], line.stage.write
            if write.outside:
                asked = any(load.tap.revisit for load in line.stage.loads)
                self.written[writer] = Written(write, self.reads, self.start, asked)
            for load in line.stage.loads:
                actor, mine = loads[load.name], load.tap.port.tensor in written
                tiles, settled = _tiles(load, load.sink.tile, self.reads.bus), None
                if load.tap.revisit:
                    self._returning[actor], settled = Returning(load), self.written[writer].settled
                if load.name in self.kept:
                    self._ports[actor], self._tile[actor] = self.kept[load.name]
                else:
                    self._ports[actor] = self.reads.attach(self.first + len(self._ports), tiles, not mine, settled)
                    self._tile[actor] = 0
                    if load.tap.revisit or not mine:
                        self.begun(actor, 1)
                if self.following and (after := self.following.loads.get(load.name)):
                    tiles = _tiles(after, after.sink.tile, self.reads.bus)
                    self._ports[actor].follow(tiles, self.following.begins, self._gated(load.name))

    def _gated(self, load: str) -> Gated | None:
        """When what the next run's load reads is there, if it follows what this one writes."""
        assert self.following
        if (needs := self.following.needs.get(load)) is None:
            return None

        def there(tile: int) -> float:
            *_, written = self.written.values()
            return written.tiles(needs(tile)) + (needs(tile) > 0)

        return Gated(there, lambda: inf if self.over is None else self.over + 1)

    def left(self, names: Collection[str]) -> dict[str, tuple[ReadPort, int]]:
        """After the run, the ports of loads that go on, as the next run's `kept`."""
        ports = ((actor.process.name, port, self._tile[actor]) for actor, port in self._ports.items())
        return {name: (port, tiles) for name, port, tiles in ports if name in names}

    def begun(self, load: Actor, time: int) -> None:
        """A load may ask for what there is room for from `time` on."""
        self.freed(load, load.targets[0].channel.halves, time)

    def freed(self, actor: Actor, parts: int, time: int) -> None:
        """The memory that a load fills has parts free from `time` on."""
        if actor in self._returning:
            self._returning[actor].rooms += [self.start + time] * parts
            self._ports[actor].free += self._returning[actor].free()
        elif actor in self._ports:
            self._ports[actor].free += [self.start + time] * parts

    def passed(self, actor: Actor) -> tuple[int, int]:
        """Its next tile, which may be asked for: the cycles after the last request and answer."""
        port, tile = self._ports[actor], self._tile[actor]
        self._tile[actor] += 1
        asked, taken = self.reads.until(port, tile)
        return asked - self.start, taken - self.start

    def stored(self, load: Actor, time: int) -> None:
        """A tile of partial sums that will come back through a load was stored."""
        self._returning[load].stored.append(self.start + time)
        self._ports[load].free += self._returning[load].free()

    def settled(self, writer: Actor) -> int:
        """The first cycle in which all words of a writer are in memory."""
        return self.written[writer].end()


def _tiles(process: Load | Write, depth: int, bus: AXI) -> Iterator[list[Request]]:
    """The steps of a process's tiles, in order."""
    for values in outer(process.walk, depth):
        yield _beats(process, values, bus)


def _begins(load: Load, depth: int) -> Iterator[bool]:
    """Of each of a load's tiles whether it is the first one at a depth of its walk."""
    before: Values | None = None
    for values in outer(load.walk, load.sink.tile):
        yield values[:depth] != before
        before = values[:depth]


def _beats(process: Load | Write, values: Values, bus: AXI) -> list[Request]:
    """What is asked for, or written, at each step inside the given values of the outer axes, in order."""
    wanted, first, last = words_moved(process, values)
    port = port_of(process)
    low, high = first * port.unit // bus.bytes, last * port.unit // bus.bytes
    steps = zip(wanted.tolist(), low.tolist(), (low != high).tolist(), strict=True)
    return [(beat, two) if some else None for some, beat, two in steps]
