"""One piece of hardware for many designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from halidehw.backend_hdl.contract import groups
from halidehw.backend_hdl.library import Library, Number
from halidehw.backend_hdl.program import ADDRESS, PORT, STATUS, WORD, ProgramSpec
from halidehw.backend_hdl.top import Top
from halidehw.driver.arrays import inputs_of, laid
from halidehw.driver.build import design_and_graph
from halidehw.driver.limits import limits
from halidehw.driver.run import Result, answers, written_of
from halidehw.driver.work import iterations
from halidehw.errors import HardwareError
from halidehw.frontend.design import Design
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.frontend.params import Buffer
from halidehw.ir.varies import programs
from halidehw.machines.agree import agreed, joined
from halidehw.machines.cycles import RunCycles, list_cycles
from halidehw.machines.descriptor import Descriptor
from halidehw.machines.names import names_in
from halidehw.machines.tasks import Plan, Task
from halidehw.microarch.interface import BASE_BITS, PROGRAM_BITS, Port
from halidehw.microarch.network import Network
from halidehw.microarch.options import LATENCY, Options
from halidehw.simulate import Experiment, Memory, Run, Scenario, simulate_scenarios
from halidehw.simulate.memory import memory_of

Programmed = Func | Pipeline | Design


@dataclass(frozen=True)
class _Built:
    """The hardware of a unified network: its text, its interface, the numbers of its descriptor."""

    text: str
    network: Network
    numbers: tuple[Number, ...]
    spec: ProgramSpec | None

    def descriptor(self, design: Design, network: Network, place: int) -> Descriptor:
        """That of the program at a place of the unified network."""
        flat = [each for number in self.numbers for each in number.flat()]
        total, at = 0, 0
        for _, number, shape in flat:
            total |= (number.values[place] & ((1 << shape.width) - 1)) << at
            at += shape.width
        numbers = tuple((path, number.values[place]) for path, number, _ in flat)
        if self.spec is None:
            return Descriptor(design, np.zeros(0, np.uint32), numbers, network, (), 0)
        total <<= self.spec.bases * BASE_BITS
        words = np.array([total << WORD >> i * WORD & 0xFFFFFFFF for i in range(self.spec.words)], np.uint32)
        bases = tuple(port.name for port in self.network.interface.ports if port.based)
        made = Descriptor(design, words, numbers, network, bases, self.spec.key)
        return replace(made, words=made.at({}))


class Machine:
    """Hardware for the designs it was made of, and for what else fits.

    `descriptors`: of its designs, in their order. `network`: what all have in common, with the numbers of each."""

    def __init__(self, designs: Sequence[Programmed], options: Options, bits: int, words: int):
        whole = [design_and_graph(design) for design in designs]
        self._designs, self._bits = [design for design, _ in whole], bits
        self._common, self._members = agreed(self._designs, [graph for _, graph in whole], options, bits, words)
        self._built = _build(joined(self._designs, self._members, bits))
        pairs = zip(self._designs, self._members, strict=True)
        self.descriptors = tuple(self._built.descriptor(*pair, place) for place, pair in enumerate(pairs))

    @property
    def network(self) -> Network:
        return self._built.network

    def verilog(self) -> str:
        """One file. The same designs give the same bytes."""
        return self._built.text

    def program(self, design: Programmed) -> Descriptor:
        """The descriptor with which the machine runs a design.

        Raises HardwareError where it does not fit, with the place, what it needs, and what there is.
        """
        whole, graph = design_and_graph(design)
        for known in self.descriptors:
            if known.design.outputs == whole.outputs:
                return known
        network = self._common.network(whole, graph)
        built = _build(joined((*self._designs, whole), (*self._members, network), self._bits))
        if built.text != self._built.text:
            raise HardwareError(f"{whole.name}: {_larger(self._built, built)}", legal=("machine([...], counters=16)",))
        return built.descriptor(whole, network, len(self._members))

    def simulate(
        self, runs: Sequence[tuple[Programmed, Mapping[str, np.ndarray | Buffer]]], *, memory: Memory | None = None,
        listed: bool = False,
    ) -> list[Result]:  # fmt: skip
        """Run designs one after the other in one simulation, without a reset between them; each beside the reference
        evaluation of its algorithm. `listed`: with one start for all, each at an address of its own; `cycles` are then
        each program's own, as its status says, and `counters` those of the whole list."""
        if listed and not self.descriptors[0].words.size:
            raise HardwareError("a machine of one design has no list", legal=("machine([...], counters=16)",))
        tasks = [self._task(*each) for each in runs]
        plan = Plan(self.network.interface, tasks if listed else [])
        groups = [tasks] if listed else [[task] for task in tasks]
        timing, scenarios = memory_of(memory), list[Scenario]()
        for group in groups:
            words, onward = plan.words(group), bool(scenarios)
            scenario = Scenario(words, timing, onward=onward, programs=len(group), name=group[0].name)
            found = [limits(task.program.network, timing) for task in group]
            most = sum(each.timeout for each in found), sum(each.patience for each in found)
            scenarios.append(replace(scenario, timeout_cycles=most[0], patience=most[1]))
        made = simulate_scenarios(Experiment(self.verilog(), plan.interface, tuple(scenarios)))
        return [self._result(plan, task, place, run, listed)
                for run, group in zip(made, groups, strict=True) for place, task in enumerate(group)]  # fmt: skip

    def estimate(
        self, designs: Sequence[Programmed], *, memory: Memory | None = None, listed: bool = False
    ) -> list[RunCycles]:
        """The cycles of runs one after the other, or of one list, without simulating them: exact on memories without
        random stalls."""
        timing = memory_of(memory)
        told = [(each.design.name, each.network, len(each.words)) for each in map(self.program, designs)]
        groups = [told] if listed else [[each] for each in told]
        return [found for group in groups for found in list_cycles(group, timing)]

    def _task(self, design: Programmed, inputs: Mapping[str, np.ndarray | Buffer]) -> Task:
        program = self.program(design)
        _, graph = design_and_graph(program.design)
        buffers = inputs_of(program.design, graph, inputs)
        called = names_in(graph, self._common.model).tensors
        words = {called.get(name, name): held for name, held in laid(graph, buffers).items()}
        outputs = {called.get(nest.name, nest.name): nest.output.span for nest in graph.outputs}
        return Task(program, graph, called, words, outputs, answers(program.design, graph, buffers))

    def _result(self, plan: Plan, task: Task, place: int, run: Run, listed: bool) -> Result:
        graph, called = task.graph, task.called
        names = {nest.name: called.get(nest.name, nest.name) for nest in graph.outputs}
        words = {name: plan.output(task, place, tensor, run) for name, tensor in names.items()}
        written, work = written_of(graph, words, task.right), sum(map(iterations, graph.stages))
        cycles = int(run.outputs[STATUS][place]) if listed else run.cycles
        return Result(written, run.counters, cycles, work, self.network.pes)


def machine(
    designs: Sequence[Programmed], *, name: str = "", port_bits: int = 0, hide_latency: int = LATENCY,
    counters: int = 0, words: int = 0,
) -> Machine:  # fmt: skip
    """The hardware for several scheduled designs, of which all structure agrees: the array, its memories and their
    banks, the operators. What else differs, how far loops run and how addresses move, each run fetches anew.

    `name`: what its modules begin with (the first design's name). `port_bits`, `hide_latency`: as of `compile`.
    `counters`: the bits of all such numbers at least, so that other designs fit too; 0: as the designs need, and what
    is equal in all is a constant. `words`: the words of a part in each bank of each memory at least.

    Raises HardwareError for designs that differ in structure.
    """
    if not designs:
        raise HardwareError("a machine is made of one design at least", legal=("machine([f1, f2])",))
    return Machine(designs, Options(port_bits, hide_latency, prefix=name), counters, words)


def _build(network: Network) -> _Built:
    """With ports for descriptors and their status, and addresses of tensors, where programs differ."""
    if programs(network):
        interface = network.interface
        told = Port(PORT, PORT, "read", 1, WORD, False, 1 << ADDRESS, ADDRESS)
        ends = Port(STATUS, STATUS, "write", 1, WORD, False, 1 << PROGRAM_BITS, PROGRAM_BITS)
        ports = (told, *(replace(port, based=True) for port in interface.ports), ends)
        network = replace(network, interface=replace(interface, ports=ports, listed=True))
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
