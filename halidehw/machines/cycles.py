"""How long a machine takes for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate

from halidehw.backend_hdl.program import WORD
from halidehw.buses.axi import AXI
from halidehw.energy_model.attachment import Attachment, Following
from halidehw.energy_model.bus import EARLY, ReadPort, Request, SharedReads
from halidehw.energy_model.cycles import Cycles
from halidehw.energy_model.cycles import following as ran
from halidehw.energy_model.port import Bucket, read_tile
from halidehw.energy_model.posted import PostedWrites
from halidehw.energy_model.state import Standing
from halidehw.errors import CostError
from halidehw.microarch.network import Network
from halidehw.microarch.processes import Load
from halidehw.simulate.memory import Memory

_BEGIN = 2
"""From a descriptor's last word, or the end of the programs before, to the start of the processes."""
_END = 3
"""From the end of a list's last program to the end of the list, while its status is written."""


@dataclass(frozen=True)
class RunCycles:
    """A program in a list: `before`, since the end of the program before or the start of the list, for its descriptor,
    for programs of other lists and to begin; those of `run`, as of a design of its own; `after` it, until the list is
    done."""

    name: str
    before: int
    run: Cycles
    after: int

    @property
    def total(self) -> int:
        return self.before + self.run.total + self.after


@dataclass(frozen=True)
class Program:
    """One of a list: its network, the words of its descriptor, of other lists how many programs come before it, and its
    loads, by their names, that may begin while the program before runs, and those that follow what that writes, with
    how many of its tiles each tile needs."""

    name: str
    network: Network
    words: int
    after: Mapping[str, int] = field(default_factory=dict)
    early: frozenset[str] = frozenset()
    follows: Mapping[str, Callable[[int], int]] = field(default_factory=dict)

    @property
    def loads(self) -> dict[str, Load]:
        """Those loads."""
        return {load.name: load for load in self.network.loads if load.name in self.early | self.follows.keys()}


def lists_cycles(
    lists: Mapping[str, Sequence[Program]], memory: Memory, bus: AXI | None = None
) -> dict[str, list[RunCycles]]:
    """The cycles of lists of programs that start together, each of which waits for programs of other lists: exact on
    memories without random stalls. A program without a descriptor is the only one of its list.

    bus: that all ports share; as exact as `cycles`. Raises CostError for programs that wait for each other in a circle.
    """
    reads, made, first = SharedReads(bus, memory) if bus else None, dict[str, _List](), 0
    for name, programs in lists.items():
        made[name] = _List(programs, memory, _Fetch(memory) if reads is None else _Shared(reads, first, programs))
        first += 1 + max((len(program.network.loads) for program in programs), default=0)
    if reads and len(made) > 1:
        _together(list(made.values()), made, reads)
    while waiting := [each for each in made.values() if each.ready(made)]:
        waiting[0].advance(made)
    if stuck := [name for name, each in made.items() if len(each.found) < len(each.programs)]:
        raise CostError(f"programs of {', '.join(stuck)} wait for each other, and none can begin")
    return {name: each.found for name, each in made.items()}


def _together(lists: Sequence[_List], made: Mapping[str, _List], reads: SharedReads) -> None:
    """Takes the programs of all lists in the order of time, which is one on the bus."""

    def taken(each: _List) -> None:
        for _ in each.programs:
            reads.wait(lambda: each.ready(made), timed=False)
            each.advance(made)

    reads.together([partial(taken, each) for each in lists])


class _Fetch:
    """Descriptors that come through a port of their own, each from when the one before was taken."""

    bus: AXI | None = None

    def __init__(self, memory: Memory):
        rate = memory.parameters
        self.latency, self.bucket, self.free = memory.latency, Bucket(rate["rate_words"], rate["rate_cycles"]), 0

    def fetched(self, words: int) -> int:
        """When all words of the next one are there."""
        self.asked, fetched = read_tile([1] * words, 0, 0, self.latency, self.bucket)
        return self.free + fetched

    def taken(self, time: int) -> None:
        self.bucket.rest(max(time - self.free - self.asked, 0))
        self.free = time

    def attached(self, start: int, program: Program, following: Program | None) -> Attachment | None:
        """What the loads of a program share that begins then, before the one `following`."""
        return None

    def over(self, ended: int) -> int:
        """When the list is, whose last program has ended."""
        return ended + _END


class _Shared(_Fetch):
    """The same on a bus, for the list whose first port has this number."""

    def __init__(self, reads: SharedReads, first: int, programs: Sequence[Program]):
        self.reads, self.first, self.bus = reads, first, reads.bus
        words = WORD // 8
        starts = accumulate([0, *(program.words for program in programs)])
        tiles: list[list[Request]] = [
            [((start + i) * words // reads.bus.bytes, False) for i in range(program.words)]
            for start, program in zip(starts, programs, strict=False)
        ]
        self.port, self.place = reads.attach(first, iter(tiles)), 0
        self.port.free.append(1)
        self.before: Attachment | None = None

    def fetched(self, words: int) -> int:
        self.place += 1
        return self.reads.until(self.port, self.place - 1)[1] - 1

    def taken(self, time: int) -> None:
        self.port.free.append(time + 1)

    def attached(self, start: int, program: Program, following: Program | None) -> Attachment | None:
        kept, place = dict[str, tuple[ReadPort, int]](), self.place
        if self.before:
            kept, self.before.over = self.before.left(program.loads), start
        after = Following(following.loads, lambda: self._told(place), following.follows) if following else None
        self.before = Attachment(self.reads, start, self.first + 1, kept, after)
        return self.before

    def _told(self, place: int) -> int | None:
        """From when on loads may begin the program with that descriptor."""
        return self.port.taken[place] if len(self.port.taken) > place else None

    def over(self, ended: int) -> int:
        written = PostedWrites(self.reads.bus, self.reads.latency)
        written.word(ended + 1, 0, False)
        return written.end()


class _List:
    """One list under way: what has been found of its programs, and when each has ended."""

    def __init__(self, programs: Sequence[Program], memory: Memory, fetch: _Fetch):
        self.programs, self.memory, self.fetch = programs, memory, fetch
        self.found, self.ends = list[RunCycles](), list[int]()
        self.begun, self.standing = 0, dict[str, Standing]()

    def ready(self, lists: Mapping[str, _List]) -> bool:
        """Whether there is a next program, and all that it waits for have ended."""
        if len(self.found) == len(self.programs):
            return False
        after = self.programs[len(self.found)].after
        return all(len(lists[name].ends) >= number for name, number in after.items())

    def earlier(self, lists: Mapping[str, _List]) -> int:
        """When what the next program waits for has ended."""
        after = self.programs[len(self.found)].after
        ends = (lists[name].ends[number - 1] for name, number in after.items() if number)
        return max((*self.ends[-1:], *ends), default=-_BEGIN)

    def advance(self, lists: Mapping[str, _List]) -> None:
        """Takes the next program."""
        program, begun, earlier = self.programs[len(self.found)], 0, self.earlier(lists)
        early = dict[str, Standing]()
        if program.words:
            fetched = self.fetch.fetched(program.words)
            begun = max(fetched, earlier) + _BEGIN
            early = self._early(program, fetched + 1, begun)
            self.fetch.taken(begun - 1)
        following = next(iter(self.programs[len(self.found) + 1 :]), None)
        attached = self.fetch.attached(begun, program, following)
        run, self.standing = ran(program.network, early, self.memory, self.fetch.bus, attached)
        self.begun = begun
        before, end = begun - (self.ends[-1] if self.ends else 0), begun + run.total
        last = program.words and len(self.found) == len(self.programs) - 1
        self.found.append(RunCycles(program.name, before, run, self.fetch.over(end) - end if last else 0))
        self.ends.append(end)

    def _early(self, program: Program, told: int, begun: int) -> dict[str, Standing]:
        """How the loads stand that begin a program before its start `begun`, when its descriptor is there from `told`
        on. Behind a bus it is the ports that know."""
        found = dict[str, Standing]()
        for name in program.early if self.fetch.bus is None and self.found else ():
            before = self.standing[name]
            if (time := max(told, self.begun + before.rests)) < begun - 1:
                rate = self.memory.parameters["rate_words"], self.memory.parameters["rate_cycles"]
                found[name] = before.begins(time + EARLY - self.begun, begun - self.begun, rate)
        return found
