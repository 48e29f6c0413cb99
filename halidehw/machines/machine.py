"""One piece of hardware for many designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from halidehw.backend_hdl.contract import groups
from halidehw.backend_hdl.library import Library, Number
from halidehw.backend_hdl.program import ADDRESS, PORT, WORD
from halidehw.backend_hdl.top import Top
from halidehw.driver.arrays import inputs_of
from halidehw.driver.build import design_and_graph
from halidehw.driver.limits import limited
from halidehw.driver.run import Result, answers, written_of
from halidehw.driver.work import iterations
from halidehw.errors import HardwareError
from halidehw.frontend.design import Design
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.frontend.params import Buffer
from halidehw.ir.graph import Graph
from halidehw.ir.varies import programs
from halidehw.machines.agree import agreed, joined
from halidehw.machines.cycles import RunCycles, run_cycles
from halidehw.machines.names import names_in
from halidehw.microarch.interface import Port
from halidehw.microarch.network import Network
from halidehw.microarch.options import LATENCY, Options
from halidehw.simulate import Experiment, Memory, Scenario, simulate_scenarios
from halidehw.simulate.memory import memory_of

Programmed = Func | Pipeline | Design


@dataclass(frozen=True)
class Descriptor:
    """What a machine is told to run one design: `words` of 32 bits, as they lie in memory. `numbers`: what they say,
    by the way to the counter or the address that each is for."""

    design: Design
    words: np.ndarray
    numbers: tuple[tuple[str, int], ...]
    network: Network

    def __repr__(self) -> str:
        return f"<Descriptor of {self.design.name}: {len(self.words)} words>"


@dataclass(frozen=True)
class _Built:
    """The hardware of a unified network: its text, its interface, the numbers of its descriptor."""

    text: str
    network: Network
    numbers: tuple[Number, ...]

    def descriptor(self, design: Design, network: Network, place: int) -> Descriptor:
        """That of the program at a place of the unified network."""
        flat = [each for number in self.numbers for each in number.flat()]
        total, at = 0, 0
        for _, number, shape in flat:
            total |= (number.values[place] & ((1 << shape.width) - 1)) << at
            at += shape.width
        count = -(-at // WORD)
        words = np.array([total >> i * WORD & 0xFFFFFFFF for i in range(count)], np.uint32)
        return Descriptor(design, words, tuple((path, number.values[place]) for path, number, _ in flat), network)


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
        self, runs: Sequence[tuple[Programmed, Mapping[str, np.ndarray | Buffer]]], *, memory: Memory | None = None
    ) -> list[Result]:
        """Run designs one after the other in one simulation, without a reset between them; each beside the reference
        evaluation of its algorithm."""
        told = [(self.program(design), inputs) for design, inputs in runs]
        timing = memory_of(memory)
        ports = {port.tensor: port for port in self.network.interface.ports if port.kind == "read"}
        scenarios, found = list[Scenario](), list[tuple[Graph, Mapping[str, str], dict[str, Any]]]()
        for number, (program, inputs) in enumerate(told):
            _, graph = design_and_graph(program.design)
            buffers = inputs_of(program.design, graph, inputs)
            called = names_in(graph, self._common.model).tensors
            words = {called.get(name, name): buffer.array.reshape(-1) for name, buffer in buffers.items()}
            words = {name: _padded(each, ports[name]) for name, each in words.items()}
            if PORT in ports:
                words[PORT] = _padded(program.words, ports[PORT])
            scenario = Scenario(words, timing, onward=number > 0, name=program.design.name)
            scenarios.append(limited(scenario, program.network))
            found.append((graph, called, answers(program.design, graph, buffers)))
        runs_made = simulate_scenarios(Experiment(self.verilog(), self.network.interface, tuple(scenarios)))
        results = []
        for run, (graph, called, right) in zip(runs_made, found, strict=True):
            sizes = {nest.name: nest.output.words for nest in graph.outputs}
            words = {name: run.outputs[called.get(name, name)][:size] for name, size in sizes.items()}
            written, work = written_of(graph, words, right), sum(map(iterations, graph.stages))
            results.append(Result(written, run.counters, run.cycles, work, self.network.pes))
        return results

    def estimate(self, designs: Sequence[Programmed], *, memory: Memory | None = None) -> list[RunCycles]:
        """The cycles of runs one after the other, without simulating them: exact on memories without random stalls."""
        timing = memory_of(memory)
        found = map(self.program, designs)
        return [run_cycles(each.design.name, each.network, len(each.words), timing) for each in found]


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
    """With a port for descriptors, where programs differ."""
    if programs(network):
        port = Port(PORT, PORT, "read", 1, WORD, False, 1 << ADDRESS, ADDRESS)
        interface = network.interface
        network = replace(network, interface=replace(interface, ports=(port, *interface.ports)))
    library = Library(network.prefix)
    _, top = library.add(Top, network, network.interface.module)
    assert isinstance(top, Top)
    text = library.hierarchy.verilog(groups(network.interface))
    return _Built(text, network, top.program)


def _padded(words: np.ndarray, port: Port) -> np.ndarray:
    """As many words as the port's memory has."""
    found = np.zeros(port.words, words.dtype)
    found[: len(words)] = words
    return found


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
