"""What several designs share: one network for all, and what each is told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from halidehw.backend_hdl.contract import groups
from halidehw.backend_hdl.library import Library, Number
from halidehw.backend_hdl.program import ADDRESS, PORT, STATUS, WORD, ProgramSpec
from halidehw.backend_hdl.top import Top
from halidehw.driver.arrays import inputs_of, laid
from halidehw.driver.build import design_and_graph
from halidehw.driver.run import Result, answers, written_of
from halidehw.driver.work import iterations
from halidehw.errors import HardwareError
from halidehw.frontend.design import Design
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.frontend.params import Buffer
from halidehw.ir.graph import Graph
from halidehw.ir.varies import programs
from halidehw.machines.agree import agreed, joined, shared
from halidehw.machines.descriptor import Descriptor
from halidehw.machines.differences import explained
from halidehw.machines.names import names_in
from halidehw.machines.tasks import Plan, Task
from halidehw.microarch.interface import BASE_BITS, PROGRAM_BITS, Port
from halidehw.microarch.network import Network
from halidehw.microarch.options import Options
from halidehw.simulate import Run

Programmed = Func | Pipeline | Design


@dataclass(frozen=True)
class Room:
    """What an engine has besides what its designs need: `bits` of numbers, `words` of memories. `others`: how many
    engines there are besides, for which its programs may wait."""

    bits: int = 0
    words: int = 0
    others: int = 0


@dataclass(frozen=True)
class _Built:
    """The hardware of a unified network: its text, its interface, the numbers of its descriptor."""

    text: str
    network: Network
    numbers: tuple[Number, ...]
    spec: ProgramSpec | None

    def descriptor(self, design: Design, graph: Graph, network: Network, place: int) -> Descriptor:
        """That of the program at a place of the unified network."""
        flat = [each for number in self.numbers for each in number.flat()]
        total, at = 0, 0
        for _, number, shape in flat:
            total |= (number.values[place] & ((1 << shape.width) - 1)) << at
            at += shape.width
        numbers = tuple((path, number.values[place]) for path, number, _ in flat)
        if self.spec is None:
            return Descriptor(design, graph, np.zeros(0, np.uint32), numbers, network, (), (), 0, 0)
        total <<= self.spec.head * WORD + self.spec.bases * BASE_BITS
        words = np.array([total << WORD >> i * WORD & 0xFFFFFFFF for i in range(self.spec.words)], np.uint32)
        bases = tuple(port.name for port in self.network.interface.ports if port.based)
        early = tuple(load.tap.port.name for load in self.network.early)
        made = Descriptor(design, graph, words, numbers, network, bases, early, self.spec.others, self.spec.key)
        return replace(made, words=made.at({}))


def _check_whole(graph: Graph) -> None:
    """Raises HardwareError for tiles that pass by pieces: what a machine's designs have in common knows parts."""
    parted = [(each.pieces, each in nest.sums) for nest in graph.stages for each in nest.buffers if each.pieces]
    for pieces, sums in parted:
        way = "leave by the pieces added to" if sums else "come in by the pieces read"
        raise HardwareError(
            f"{pieces.subject}: its tiles {way} inside {pieces.at}; on a machine as a whole",
            legal=(pieces.whole,), source=pieces.source,
        )  # fmt: skip


class Engine:
    """One network for the designs it was made of, and for what else fits.

    `descriptors`: of its designs, in their order. `network`: what all have in common, with the numbers of each."""

    def __init__(self, designs: Sequence[Programmed], options: Options, room: Room):
        whole = [design_and_graph(design) for design in designs]
        for _, graph in whole:
            _check_whole(graph)
        self._designs, self._room = [design for design, _ in whole], room
        graphs = self._graphs = [graph for _, graph in whole]
        self._options = options
        try:
            self._common, self._members = agreed(self._designs, graphs, options, room.bits, room.words)
            every = joined(self._designs, (*self._members, *self._common.ragged), room.bits)
        except HardwareError as error:
            raise explained(error, self._designs) from None
        self._built = _build(every, room.others)
        pairs = enumerate(zip(whole, self._members, strict=True))
        self.descriptors = tuple(self._built.descriptor(*each, member.own, place) for place, (each, member) in pairs)
        keys = [_key(design, graph) for design, graph in whole]
        self._told = dict(zip(keys, self.descriptors, strict=True))

    @property
    def network(self) -> Network:
        return self._built.network

    @property
    def text(self) -> str:
        return self._built.text

    def program(self, whole: Design, graph: Graph) -> Descriptor:
        """The descriptor of a design. Raises HardwareError where it does not fit, with the place, what it needs, and
        what there is."""
        if known := self.known(whole, graph):
            return known
        _check_whole(graph)
        try:
            member = self._common.member(whole, graph)
            every = (*self._members, *self._common.ragged, member)
            unified = joined((*self._designs, whole), every, self._room.bits)
        except HardwareError as error:
            raise self._refused(error, whole, graph) from None
        built = _build(unified, self._room.others)
        if built.text != self._built.text:
            raise HardwareError(f"{whole.name}: {_larger(self._built, built)}", legal=("machine([...], counters=16)",))
        return self._told.setdefault(_key(whole, graph), built.descriptor(whole, graph, member.own, len(every) - 1))

    def _refused(self, error: HardwareError, whole: Design, graph: Graph) -> HardwareError:
        """What says that a design does not fit, with what would work: a number, a line of its schedule, or the machine
        that is made of it too, if there is one."""
        found = error if error.legal else explained(error, (self._designs[0], whole))
        message = found.message if re.search(rf"\b{whole.name}\b", found.message) else f"{whole.name}: {found.message}"
        legal = found.legal
        if not legal and shared((*self._designs, whole), (*self._graphs, graph), self._options):
            legal = (f"machine([..., {whole.name}])",)
        return HardwareError(message, legal=legal, source=found.source)

    def known(self, design: Design, graph: Graph) -> Descriptor | None:
        """That of a design that it was made of, or has been told of before."""
        return self._told.get(_key(design, graph))

    def has(self, program: Descriptor) -> bool:
        """Whether it is one of its own."""
        return any(each is program for each in self._told.values())

    def called(self, program: Descriptor) -> Mapping[str, str]:
        """The engine's names of a design's tensors."""
        return names_in(program.graph, self._common.model).tensors

    def task(
        self, program: Descriptor, inputs: Mapping[str, np.ndarray | Buffer], after: tuple[int, ...]
    ) -> Task:
        """A program with its inputs; `after`: how many programs of each other engine come before it."""
        graph, called = program.graph, self.called(program)
        buffers = inputs_of(program.design, graph, inputs)
        words = {called.get(name, name): held for name, held in laid(graph, buffers).items()}
        outputs = {called.get(nest.name, nest.name): nest.output.span for nest in graph.outputs}
        return Task(program, graph, called, words, outputs, answers(program.design, graph, buffers), after)

    def result(self, plan: Plan, task: Task, run: Run) -> Result:
        """What a task has come to in a run."""
        graph, called = task.graph, task.called
        names = {nest.name: called.get(nest.name, nest.name) for nest in graph.outputs}
        words = {name: plan.output(task, tensor, run) for name, tensor in names.items()}
        written, work = written_of(graph, words, task.right), sum(map(iterations, graph.stages))
        cycles = plan.status(task, run) if plan.listed else run.cycles
        return Result(written, run.counters, cycles, work, self.network.pes)


def _key(design: Design, graph: Graph) -> tuple[object, ...]:
    """The same for a design that is scheduled as it was. What a Func computes does not change; its schedule may."""
    return (*map(id, design.outputs), repr(graph))


def _build(network: Network, others: int) -> _Built:
    """With ports for descriptors and their status, and addresses of tensors, where programs differ or wait."""
    if programs(network) or others:
        interface = network.interface
        told = Port(PORT, PORT, "read", 1, WORD, False, 1 << ADDRESS, ADDRESS)
        ends = Port(STATUS, STATUS, "write", 1, WORD, False, 1 << PROGRAM_BITS, PROGRAM_BITS)
        early = {load.tap.port.name for load in network.early}
        passing = network.passing
        tensors = (replace(port, based=True, anew=port.name in early, tiles=port.name == passing)
                   for port in interface.ports)  # fmt: skip
        ports = (told, *tensors, ends)
        network = replace(network, interface=replace(interface, ports=ports, lists=("",), others=others))
    library = Library(network.prefix)
    _, top = library.add(Top, network, network.interface.module)
    assert isinstance(top, Top)
    text = library.hierarchy.verilog(groups(network.interface))
    return _Built(text, network, top.program, top.descriptor)


def _larger(built: _Built, wanted: _Built) -> str:
    """The first number for which a program wants more bits than there are, or that is a constant."""
    has = {path: shape for number in built.numbers for path, _, shape in number.flat()}
    for number in wanted.numbers:
        for path, value, shape in number.flat():
            if path not in has:
                return f"{path} is {value.values[-1]}, and {value.values[0]} in all other programs of the machine"
            if shape != has[path]:
                return f"{path} is {value.values[-1]}, which needs {shape.width} bits, and has {has[path].width}"
    return "an address needs more bits than there are"
