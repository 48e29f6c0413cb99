"""Read ports behind one AXI4 master, cycle by cycle: the registers of `buses.reads` and of its arbiter, the memory.

A load asks for its tiles in order, each from when a part of its memory is free: `free` says when. So nothing that comes
later can change what was found: time passes as far as somebody asks for the end of a tile.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf

from halidehw.buses.axi import AXI, PAGE
from halidehw.buses.waits import QUEUED, WAIT
from halidehw.energy_model.turns import Turns
from halidehw.simulate.memory import Memory

EARLY = 2
"""Cycles from when a load may begin a program while the one before runs to its first request."""

Request = tuple[int, bool] | None
"""The beat of a step's first word, and whether its last one lies in the next; None where nothing is asked for."""


@dataclass
class _Tile:
    """Steps of a load, those that are `asked` and `taken`; in which cycle the first was asked (`opened`)."""

    steps: list[Request]
    opened: int = 0
    asked: int = 0
    taken: int = 0


@dataclass(frozen=True)
class Gated:
    """Of a load whose tensor is being written, as far as is known: from when on each tile is there, by its number, and
    from when on all are."""

    there: Callable[[int], float]
    whole: Callable[[], float]


@dataclass(frozen=True)
class _Next:
    """Tiles that a port asks for after its own, as of `ReadPort.follow`."""

    tiles: Iterator[list[Request]]
    begins: Callable[[], int | None]
    gated: Gated | None


class ReadPort:
    """A load, or what else asks for words in order, with its adapter. `keeps`: as of `ReadSpec`. `settled`: of a load
    that waits for writes, from when on nothing is on its way that was accepted by a cycle.

    `free`: from which cycle on each tile may be asked for. `asked`, `taken`: of each tile so far the cycle after its
    last request, and after its last answer."""

    def __init__(
        self, bus: AXI, tiles: Iterator[list[Request]], keeps: bool, settled: Callable[[int], int] | None = None
    ):
        self.bus, self.tiles, self.keeps, self.settled = bus, tiles, keeps, settled
        self.waiting, self.unsettled = False, 0
        self.free, self.asked, self.taken = list[int](), list[int](), list[int]()
        self.under, self.opened = deque[_Tile](), 0
        self.held: Request = None
        self.spanned: Request = None
        self.placed: Request = None
        self.room, self.under_way = bus.room, 0
        self.last: int | None = None
        self.half, self.known, self.open = False, False, False
        self.length, self.begun = 0, 0
        self.run: int | None = None
        self.next, self.gate = deque[_Next](), 0
        self.gated: Gated | None = None
        self.followed = 0
        self.answers, self.beats = deque[tuple[int, int]](), deque[int]()
        self.old = self.offered = self.kept = False

    def follow(
        self, tiles: Iterator[list[Request]], begins: Callable[[], int | None], gated: Gated | None = None
    ) -> None:
        """After its own it asks for these tiles, of another tensor, as soon as its own are taken and `begins` is over,
        which is when they may be told of; None: not yet."""
        self.next.append(_Next(tiles, begins, gated))

    def step(self, now: int, granted: bool, beat: bool) -> bool:
        """One cycle: whether its burst is granted, and whether it gets a beat. Whether anything has changed."""
        held = len(self.answers)
        visible = held > 0 and self.answers[0][0] <= now
        ahead = sum(there <= now + 1 for there, _ in islice(self.answers, 2))
        moving = self._take(now)
        used = self._answer(now)
        if self.kept and not self.offered:
            self.offered, self.kept = True, False
        moving |= beat or granted or used or len(self.answers) < held or self.open or held > visible
        if beat:
            self.beats.append(now + QUEUED)
        done = self._ask(now, granted, beat, held - ahead < self.bus.room)
        moving |= self._enter(now, done) or self.open
        self.room += used
        return moving or (bool(self.beats) and self.beats[-1] > now)

    def _take(self, now: int) -> bool:
        """The load takes an answer, or passes a step without."""
        if not self.under or now <= self.under[0].opened:
            return False
        tile = self.under[0]
        if tile.taken == tile.asked or (tile.steps[tile.taken] is not None and not self.offered):
            return False
        self.offered = self.offered and tile.steps[tile.taken] is None
        tile.taken += 1
        if tile.taken == len(tile.steps):
            self.taken.append(now + 1)
            self.under.popleft()
        return True

    def _answer(self, now: int) -> bool:
        """The next answer of what the queues hold; whether that uses a beat."""
        if not self.answers or self.answers[0][0] > now:
            return False
        need, there = self.answers[0][1], bool(self.beats) and self.beats[0] <= now
        if need == 2 and not self.old:
            if there:
                self.beats.popleft()
                self.old = True
            return there
        if self.kept or (need and not there):
            return False
        self.answers.popleft()
        self.kept, self.old = True, False
        if need:
            self.beats.popleft()
        return need > 0

    def _ask(self, now: int, granted: bool, beat: bool, ready: bool) -> bool:
        """The adapter's third stage; whether it is done with its request."""
        here = self.placed
        same, follows, needed, target = False, False, False, 0
        if here is not None:
            first, two = here
            same = self.half or (self.known and first == self.last)
            target = (self.last or 0) + 1 if same else first
            follows = self.last is not None and target == self.last + 1 and target % (PAGE // self.bus.bytes) != 0
            needed = not same or two
        longer = self.open and follows and self.length != self.bus.burst - 1
        ends = here is None or (needed and not longer) or self.begun == WAIT or self.under_way == 0
        hand = self.open and ends and (self.run is None or granted)
        wanted = needed and self.room > 0 and ready and (not self.open or hand or longer)
        done = here is not None and ready and (not needed or (wanted and (same or not here[1])))
        if done and here is not None:
            self.answers.append((now + QUEUED, (self.half or not same) + here[1]))
        self.under_way += (self.length + 1 if hand else 0) - beat
        if granted:
            self.run = None
        if hand:
            self.run, self.open = self.length, False
            self.known = self.known and self.keeps
        elif self.begun != WAIT:
            self.begun += 1
        if wanted:
            self.last, self.known, self.open, self.half = target, True, True, not done
            self.room -= 1
            if longer and not hand:
                self.length += 1
            else:
                self.length = self.begun = 0
        self.half = self.half and not done
        return done

    def _enter(self, now: int, done: bool) -> bool:
        """Requests go on by a stage, and the load makes its next one."""
        step = self.placed is None or done
        ready = self.spanned is None or step
        if step:
            self.placed, self.spanned = self.spanned, None
        held = self.held is not None
        if ready and held:
            self.spanned, self.held = self.held, None
        tile = self._opening(now)
        if tile is None:
            return held or (step and self.placed is not None)
        request = tile.steps[tile.asked]
        if request is not None and self._held_back(now):
            return held or (step and self.placed is not None)
        self.waiting = request is not None and held
        if self.waiting:
            return True
        if tile.asked == 0:
            tile.opened = now
            if self.gated:
                self.known = False
                self.gated = None if self.gated.whole() <= now else self.gated
            self.opened += 1
        if request is not None and ready:
            self.spanned = request
        elif request is not None:
            self.held = request
        tile.asked += 1
        if tile.asked == len(tile.steps):
            self.asked.append(now + 1)
        return True

    def _held_back(self, now: int) -> bool:
        """Whether a request is not offered, as words are on their way. One that was offered stays."""
        self.unsettled = 0 if self.settled is None or self.waiting else self.settled(now)
        return self.unsettled > now

    def _opening(self, now: int) -> _Tile | None:
        """The tile whose next step may be asked for."""
        if self.under and self.under[-1].asked < len(self.under[-1].steps):
            tile = self.under[-1]
        elif len(self.asked) < len(self.free) and (steps := self._steps()) is not None:
            self.under.append(tile := _Tile(steps))
        else:
            return None
        return None if tile.asked == 0 and max(self.free[self.opened], self.gate, self._opens) > now else tile

    @property
    def _opens(self) -> float:
        """From when on the next tile may be asked for, as what it is read from is written; 0: at any time."""
        return min(self.gated.there(self.opened - self.followed), self.gated.whole()) if self.gated else 0

    def _steps(self) -> list[Request] | None:
        """Those of the next tile, if there is one."""
        steps = next(self.tiles, None)
        if steps is None and self.next and not self.under and (begun := self.next[0].begins()) is not None:
            after = self.next.popleft()
            self.tiles, self.gated, self.followed = after.tiles, after.gated, self.opened
            self.gate, self.known = max(begun, self.taken[-1]) + EARLY, False
            steps = next(self.tiles, None)
        return steps

    @property
    def waits_until(self) -> float:
        """When it may go on by itself, if nothing of it is under way."""
        tile = self.under[-1] if self.under else None
        if tile and tile.asked < len(tile.steps):
            return self.unsettled
        if self.opened == len(self.free):
            return inf
        return max(self.free[self.opened], self.unsettled, self.gate, self._opens)


class SharedReads:
    """Read ports that share an AXI4 master before a memory. Exact without random stalls, as long as each port's `free`
    is told before the time comes."""

    def __init__(self, bus: AXI, memory: Memory):
        self.bus, self.latency = bus, memory.latency
        self.ports = dict[int, ReadPort]()
        self.now, self.turn = 0, 0
        self.offered: tuple[int, int] | None = None
        self.due = deque[tuple[int, int]]()
        self.turns: Turns | None = None
        self.switches = 0

    def attach(
        self, number: int, tiles: Iterator[list[Request]], keeps: bool = True,
        settled: Callable[[int], int] | None = None,
    ) -> ReadPort:  # fmt: skip
        """A port's next tiles, when those it had are done. Bursts are granted in the order of numbers."""
        self.ports[number] = ReadPort(self.bus, tiles, keeps, settled)
        return self.ports[number]

    def until(self, port: ReadPort, tile: int) -> tuple[int, int]:
        """The cycles after the last request and the last answer of a port's tile, which may be asked for."""
        self.wait(lambda: len(port.taken) > tile)
        return port.asked[tile], port.taken[tile]

    def wait(self, ready: Callable[[], bool], *, timed: bool = True) -> None:
        """Until something holds: lets time pass, or of tasks that go on at once the others go on, which will bring it
        about where it is not `timed`."""
        if self.turns and not ready():
            self.switches += 1
            self.turns.wait(ready, timed=timed)
        while not ready():
            self.pass_on()

    def together(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Tasks that go on at once, and `wait`."""
        if self.turns:
            self.turns.beside(tasks[1:], tasks[0])
            return
        self.turns = Turns(self.pass_on)
        self.turns.run(tasks)
        self.turns = None

    def pass_on(self) -> None:
        """One cycle, and those after it in which nothing happens."""
        now, who = self.now, self._granted()
        beat = self.due.popleft()[1] if self.due and self.due[0][0] <= now else None
        if self.offered:
            number, beats = self.offered
            self.due += [(now + self.latency, number)] * beats
        self.offered = (who, (self.ports[who].run or 0) + 1) if who is not None else None
        moving = self.offered is not None
        for number, port in self.ports.items():
            moving |= port.step(now, number == who, number == beat)
        self.now += 1
        if not moving:
            later = [*(port.waits_until for port in self.ports.values()), self.due[0][0] if self.due else inf]
            self.now = max(self.now, int(min(later)))

    def _granted(self) -> int | None:
        """Bursts are granted in turn; an address is taken in the cycle in which it is offered."""
        asking = [number for number, port in sorted(self.ports.items()) if port.run is not None]
        if not asking:
            return None
        self.turn = next((number for number in asking if number > self.turn), asking[0])
        return self.turn
