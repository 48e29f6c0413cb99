"""A list of programs on a machine: planned, loaded, started, waited for, read back, compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from halidehw.backend_hdl.program import CORRUPT, PORT, STATUS, WORD
from halidehw.buses.axi import AXI
from halidehw.buses.controlled import behind
from halidehw.buses.device import Device, DeviceError
from halidehw.buses.files import described
from halidehw.buses.interface import registers_of
from halidehw.driver.limits import limits
from halidehw.driver.run import Written, written_of
from halidehw.driver.work import iterations
from halidehw.errors import HardwareError, SimulationError
from halidehw.host.board import Board, Wiring
from halidehw.host.mapped import Place
from halidehw.host.plan import ALWAYS, Block, placed
from halidehw.host.steps import Step, Steps
from halidehw.host.words import unpacked
from halidehw.machines.machine import Machine
from halidehw.machines.tasks import Task
from halidehw.simulate import Memory
from halidehw.simulate.build import Optimize
from halidehw.simulate.memory import memory_of

ROOM = 1 << 24
"""Bytes of a board's memory, where nobody says how many."""

_PAGE = 4096
_LARGE = 64
"""PEs beyond which a machine is simulated as loops over arrays, which is compiled sooner."""

_SLOWER, _LEAST = 20, 10_000
"""How much longer a run may take than behind native ports, and cycles for its shortest."""


@dataclass(frozen=True)
class StepReport:
    """What a step did. `cycles`: as its status says, or of a machine without lists by the clock. `written`: its
    outputs; none where later steps have used their memory."""

    name: str
    cycles: int
    macs: int
    written: tuple[Written, ...]

    @property
    def match(self) -> bool:
        """Whether every bit that was read back is as expected."""
        return not any(each.mismatches for each in self.written)


@dataclass(frozen=True)
class Report:
    """What a list of programs did. `cycles`: of the whole list, registers included. `counters`: as of its end. `sent`,
    `received`: bytes that the host moved. `addresses`: of each step's tensors by name. `memory`: bytes from the first
    to the last that is used."""

    steps: tuple[StepReport, ...]
    cycles: int
    counters: Mapping[str, int]
    sent: int
    received: int
    addresses: tuple[Mapping[str, int], ...]
    memory: int

    @property
    def match(self) -> bool:
        return all(step.match for step in self.steps)


@dataclass(frozen=True)
class ProgramList:
    """An engine's list: the numbers of its steps, the address of the first descriptor and that of its status."""

    steps: tuple[int, ...]
    descriptors: int
    status: int


@dataclass(frozen=True)
class Loaded:
    """Steps whose inputs and descriptors are in memory: their blocks and addresses, the list of each engine by its
    name, if there are any. `sent`: bytes that the host wrote."""

    plan: Steps
    blocks: tuple[Block, ...]
    places: tuple[int, ...]
    lists: Mapping[str, ProgramList]
    sent: int


def simulated(
    machine: Machine, bus: AXI, memory: Memory, room: int = ROOM, optimize: Optimize = "build"
) -> Board:
    """A simulated board that has a machine. `optimize`: for a quick "build", or for a quick "run"."""
    found = behind(machine.hardware, bus, loops=machine.hardware.pes > _LARGE)
    return Board(Wiring(found.verilog, found.attached, found.registers, room), memory, optimize)


def _by_engine(loaded: Loaded, done: int | Mapping[str, int]) -> dict[str, int]:
    """How many steps of each engine are over. Raises HardwareError for a number of several engines' together, and for
    engines and steps that are not there."""
    counts = dict(done) if isinstance(done, Mapping) else dict.fromkeys(loaded.lists, done)
    there = {name: len(each.steps) for name, each in loaded.lists.items()}
    right = {name: range(there.get(name, -1) + 1) for name in counts}
    if wrong := [name for name, n in counts.items() if not isinstance(n, int) or n not in right[name]]:
        has = ", ".join(f"{count} of {name}" if name else f"{count}" for name, count in there.items())
        raise HardwareError(f"done={done!r}: there are steps {has}, and {counts[wrong[0]]!r} are no number of those",
                            legal=("start(loaded)",))  # fmt: skip
    if isinstance(done, Mapping):
        return {name: counts.get(name, 0) for name in loaded.lists}
    if done and len(loaded.lists) > 1:
        said = ", ".join(f'"{name}": {int(not at)}' for at, name in enumerate(loaded.lists))
        raise HardwareError("how many steps are done is said of each engine", legal=(f"start(loaded, {{{said}}})",))
    return dict.fromkeys(loaded.lists, done)


class Runtime:
    """A machine on a board, which runs one list of programs after the other without a reset.

    bus: its AXI4 master. board: where the machine is, such as a `Mapped`; without one it is `simulated`, with a memory
    of so many bytes, `room`, and this timing.
    """

    def __init__(
        self, machine: Machine, bus: AXI | None = None, memory: Memory | None = None, room: int = ROOM, *,
        board: Place | None = None,
    ):  # fmt: skip
        self.machine, self.bus, self.memory = machine, bus or AXI(), memory_of(memory)
        self.board: Place = board or simulated(machine, self.bus, self.memory, room)
        hardware = machine.hardware
        self.device = Device(self.board, described(registers_of(hardware.prefix, hardware.interface)))
        for name in ("gie", "ier"):
            self.device.write(name, 1)

    @property
    def align(self) -> int:
        """Bursts as long as the bus has them stay inside a page where tensors begin at multiples of this."""
        return min(self.bus.bytes * self.bus.burst, _PAGE)

    def run(self, steps: Sequence[Step], *, reuse: bool = False) -> Report:
        """Runs a list of programs. `reuse`: what steps read gives its memory back when it is not needed any more, and
        what they wrote for others is not read back.

        Raises HardwareError for a design that does not fit the machine, inputs that are not what a step wrote, and
        tensors that overlap; SimulationError where a run fails.
        """
        return self.start(self.load(steps, reuse=reuse))

    def load(self, steps: Sequence[Step], *, reuse: bool = False) -> Loaded:
        """Plans memory, and writes inputs and descriptors into it. Raises HardwareError as `run` does."""
        plan = Steps(self.machine, steps, reuse)
        owned = {name: tuple(i for i, owner in enumerate(plan.owners) if owner == name) for name in self._listed}
        own = list[Block]()
        for name, numbers in owned.items():
            size = sum(len(plan.tasks[number].program.words) for number in numbers) * WORD // 8
            own += [Block(f"descriptors {name}", size, ALWAYS),
                    Block(f"status {name}", len(numbers) * WORD // 8, ALWAYS)]  # fmt: skip
        blocks = (*plan.blocks, *own)
        places = placed(blocks, plan.order, self.align, self.board.origin, self.board.size)
        pairs = zip(places[len(plan.blocks) :: 2], places[len(plan.blocks) + 1 :: 2], strict=True)
        lists = {name: ProgramList(numbers, *pair) for (name, numbers), pair in zip(owned.items(), pairs, strict=True)}
        for block, data in plan.loads:
            self.board.at(places[block], data.shape, np.uint8)[:] = data
        sent = sum(len(data) for _, data in plan.loads) + sum(block.size for block in own[::2])
        loaded = Loaded(plan, blocks, places, lists, sent)
        self._describe(loaded, dict.fromkeys(lists, 0))
        return loaded

    def _describe(self, loaded: Loaded, done: Mapping[str, int]) -> None:
        """Writes the descriptors. So many programs of each engine are `done`, for which none waits any more."""
        plan = loaded.plan
        for name, each in loaded.lists.items():
            others = [count for other, count in done.items() if other != name]
            words = [np.zeros(0, np.uint32)]
            for i in each.steps:
                after = tuple(max(n - count, 0) for n, count in zip(plan.tasks[i].after, others, strict=True))
                bases, early = plan.bases(i, loaded.places), plan.early(i, loaded.places)
                words.append(plan.tasks[i].program.at(bases, after, early))
            told = np.concatenate(words)
            self.board.at(each.descriptors, told.shape, "<u4")[:] = told

    def start(self, loaded: Loaded, done: int | Mapping[str, int] = 0) -> Report:
        """Runs what is loaded, but for so many steps that are `done`, of several engines by their names; again, if it
        was loaded without `reuse`. Raises SimulationError where a run fails, and HardwareError for a number of steps
        that are done without the engine."""
        before = self.board.cycles
        if loaded.lists:
            over = _by_engine(loaded, done)
            if len(over) > 1:
                self._describe(loaded, over)
            cycles = self._lists(loaded, over)
        else:
            assert isinstance(done, int), "a machine of one design has one engine"
            cycles = self._each(loaded, done)
        return self._report(loaded, cycles, self._since(before))

    def _since(self, before: int) -> int:
        """Cycles by the board's clock, or those that the accelerator has counted, if it does."""
        counted = self.device.registers.keys() & {"cycles"}
        return self.board.cycles - before or sum(map(self.device.read, counted))

    def arguments(self, loaded: Loaded, done: int | Mapping[str, int] = 0) -> dict[str, int]:
        """What the registers are told of lists, but for so many steps. Raises HardwareError as `start` does."""
        found = dict[str, int]()
        for name, count in _by_engine(loaded, done).items():
            each, prefix = loaded.lists[name], f"{name}_" if len(loaded.lists) > 1 else ""
            first = sum(len(loaded.plan.tasks[number].program.words) for number in each.steps[:count])
            found |= {f"{prefix}{PORT}_base": each.descriptors + first * WORD // 8,
                      f"{prefix}{STATUS}_base": each.status + count * WORD // 8,
                      f"{prefix}programs": len(each.steps) - count}  # fmt: skip
        return found

    @property
    def _listed(self) -> tuple[str, ...]:
        """The engines that run lists: all, or none."""
        return tuple(self.machine.engines) if self.machine.hardware.interface.listed else ()

    def _lists(self, loaded: Loaded, done: Mapping[str, int]) -> list[int]:
        """One start for all; the cycles of each, as its status says."""
        plan, found = loaded.plan, [0] * len(loaded.plan.tasks)
        status = {name: self.board.at(each.status, (len(each.steps),), "<u4") for name, each in loaded.lists.items()}
        for name, words in status.items():
            words[done[name] :] = 0
        left = [plan.tasks[i] for name, each in loaded.lists.items() for i in each.steps[done[name] :]]
        try:
            self._call(left, self.arguments(loaded, done))
        except SimulationError as error:
            said = {number: word for name, each in loaded.lists.items()
                    for number, word in zip(each.steps, status[name], strict=True)}  # fmt: skip
            wrong = (plan.tasks[number].name for number, word in sorted(said.items()) if word in (0, CORRUPT))
            raise SimulationError(f"{next(wrong, 'a list of programs')}: {error.message}") from None
        for name, each in loaded.lists.items():
            for number, word in zip(each.steps, status[name], strict=True):
                found[number] = int(word)
        return found

    def _each(self, loaded: Loaded, done: int) -> list[int]:
        """A start for each; its cycles by the board's clock."""
        spent = [0] * done
        for number, task in list(enumerate(loaded.plan.tasks))[done:]:
            before, bases = self.board.cycles, loaded.plan.bases(number, loaded.places)
            self._call([task], {f"{name}_base": at for name, at in bases.items()})
            spent.append(self._since(before))
        return spent

    def _report(self, loaded: Loaded, cycles: Sequence[int], spent: int) -> Report:
        plan, places = loaded.plan, loaded.places
        count, ends = len(plan.tasks), [at + block.size for at, block in zip(places, loaded.blocks, strict=True)]
        return Report(
            tuple(self._step(loaded, number, cycles[number]) for number in range(count)),
            spent,
            {each.name: self.device.read(each.name) for each in self.machine.hardware.interface.counters},
            loaded.sent,
            sum(each.words * each.port.unit for number in range(count) for each in plan.read_back(number)),
            tuple({each.name: places[each.block] for each in tensors} for tensors in plan.tensors),
            max(ends) - self.board.origin,
        )

    def _step(self, loaded: Loaded, number: int, cycles: int) -> StepReport:
        task, words = loaded.plan.tasks[number], dict[str, np.ndarray]()
        for each in loaded.plan.read_back(number):
            found = self.board.at(loaded.places[each.block], (each.words * each.port.unit,), np.uint8)
            words[each.name] = unpacked(found, each.port)
        written = written_of(task.graph, words, task.right) if words else ()
        return StepReport(task.name, cycles, sum(map(iterations, task.graph.stages)), written)

    def _call(self, tasks: Sequence[Task], arguments: Mapping[str, int]) -> None:
        longest = sum(limits(task.program.network, self.memory).timeout for task in tasks)
        self.board.deadline = self.board.cycles + _SLOWER * longest + _LEAST
        try:
            self.device.call(*(arguments[name] for name in self.device.arguments), seconds=inf)
        except DeviceError as error:
            errors = self.device.read("errors")
            ports = [port.name for i, port in enumerate(self.machine.hardware.interface.ports) if errors >> i & 1]
            raise SimulationError(str(error) + (f" (at {', '.join(ports)})" if ports else "")) from None
        finally:
            self.device.write("isr", self.device.read("isr"))
