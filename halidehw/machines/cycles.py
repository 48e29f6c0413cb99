"""How long a machine takes for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from halidehw.energy_model.cycles import Cycles, cycles
from halidehw.energy_model.port import Bucket, read_tile
from halidehw.microarch.network import Network
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
    """One of a list: its network, the words of its descriptor, and of other lists how many programs come before it."""

    name: str
    network: Network
    words: int
    after: Mapping[str, int] = field(default_factory=dict)


def lists_cycles(lists: Mapping[str, Sequence[Program]], memory: Memory) -> dict[str, list[RunCycles]]:
    """The cycles of lists of programs that start together, each of which waits for programs of other lists: exact on
    memories without random stalls. A program without a descriptor is the only one of its list."""
    made = {name: _List(programs, memory) for name, programs in lists.items()}
    moving = True
    while moving:
        moving = any([each.advanced(made) for each in made.values()])
    return {name: each.found for name, each in made.items()}


class _List:
    """One list under way: what has been found of its programs, and when each has ended."""

    def __init__(self, programs: Sequence[Program], memory: Memory):
        rate = memory.parameters
        self.programs, self.memory = programs, memory
        self.bucket = Bucket(rate["rate_words"], rate["rate_cycles"])
        self.found, self.ends, self.free = list[RunCycles](), list[int](), 0

    def advanced(self, lists: Mapping[str, _List]) -> bool:
        """Takes the next program, if there is one, and all that it waits for have ended."""
        place = len(self.found)
        if place == len(self.programs):
            return False
        program = self.programs[place]
        if any(len(lists[name].ends) < number for name, number in program.after.items()):
            return False
        run = cycles(program.network, self.memory)
        earlier = [*self.ends[-1:], *(lists[name].ends[number - 1] for name, number in program.after.items() if number)]
        begun = self._begun(program, max(earlier, default=-_BEGIN))
        last = _END if program.words and place == len(self.programs) - 1 else 0
        self.found.append(RunCycles(program.name, begun - (self.ends[-1] if self.ends else 0), run, last))
        self.ends.append(begun + run.total)
        return True

    def _begun(self, program: Program, earlier: int) -> int:
        """When its processes start: the descriptor is fetched from when the one before was taken."""
        if not program.words:
            return 0
        asked, fetched = read_tile([1] * program.words, 0, 0, self.memory.latency, self.bucket)
        begun = max(self.free + fetched, earlier) + _BEGIN
        self.bucket.rest(max(begun - 1 - self.free - asked, 0))
        self.free = begun - 1
        return begun
