"""A trained network on one machine: engines for its layers, and lists of programs between the steps that the host runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from halidehw.buses.axi import AXI
from halidehw.buses.interface import registers_of
from halidehw.driver.build import design_and_graph
from halidehw.driver.run import memory_behind
from halidehw.energy_model.costs.table import load_costs
from halidehw.energy_model.estimate import DEFAULT_COSTS, estimate_hardware
from halidehw.errors import HalideHWError, HardwareError
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.text import parse, write
from halidehw.host.board import ARGUMENT, CALL
from halidehw.host.runtime import Report, Runtime
from halidehw.host.steps import Output, Step
from halidehw.importers.blocks import Block, blocks_of
from halidehw.importers.lanes import in_lanes
from halidehw.importers.scheduling import together
from halidehw.importers.steps import Arrays, Host, Layer, TrainedNetwork, View, on_host
from halidehw.machines.descriptor import Descriptor
from halidehw.machines.grouping import grouped
from halidehw.machines.machine import Machine, machine
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.simulate import Memory

_LEAST = 8
"""Multipliers of an engine for sums that few layers have."""


@dataclass(frozen=True)
class NetworkMachine:
    """A machine for a network, and the design of each of its layers by name. `network`: with a layer for each
    block. `apart`: why one array does not run all blocks, where layers are on engines of their kind instead."""

    network: TrainedNetwork
    machine: Machine
    designs: Mapping[str, Design]
    apart: str = ""

    @cached_property
    def programs(self) -> Mapping[str, Descriptor]:
        """What the machine is told to run each layer, by name."""
        return {name: self.machine.program(design) for name, design in self.designs.items()}

    def engine_of(self, layer: str) -> str:
        """The engine that runs a layer."""
        return self.machine.engine_of(self.programs[layer])

    def energy_pj(self, layer: str) -> float:
        """Of a layer with memories of its own size, by the default cost table, tensors outside included."""
        _, graph = design_and_graph(self.designs[layer])
        widest = max(port.lanes * port.bits for port in self.machine.hardware.interface.ports)
        network = derive(graph, Options(1 << (widest - 1).bit_length()))
        return estimate_hardware(graph, network, load_costs(DEFAULT_COSTS), None).energy_pj


@dataclass(frozen=True)
class Predicted:
    """Cycles by the model, behind a bus: `cycles` of each layer by name, as its status says; `total`: of all lists with
    their first descriptors, their last statuses and the registers of a simulated board."""

    cycles: Mapping[str, int]
    total: int


def predicted(found: NetworkMachine, bus: AXI, memory: Memory) -> Predicted:
    """What a run of the network will take. Raises CostError for what the model of the bus does not have."""
    cycles, total = dict[str, int](), 0
    hardware = found.machine.hardware
    arguments = registers_of(hardware.prefix, hardware.interface).arguments
    call = CALL + ARGUMENT * sum(1 for each in arguments for _ in each.registers)
    for steps in _segments(found.network):
        layers = [step for step in steps if isinstance(step, Layer)]
        if layers:
            made = {layer.output.name: number for number, layer in enumerate(layers)}
            for step in steps:
                if isinstance(step, View) and step.input.name in made:
                    made[step.output.name] = made[step.input.name]
            after = {number: [made[tensor.name] for tensor in layer.reads if tensor.name in made]
                     for number, layer in enumerate(layers)}  # fmt: skip
            programs = [found.programs[layer.name] for layer in layers]
            owners = [found.engine_of(layer.name) for layer in layers]
            before = [max((i for i in range(n) if owners[i] == owners[n]), default=-1) for n in range(len(layers))]
            passed = {n: [name for name, tensor in layer.inputs.items() if made.get(tensor.name) == before[n]]
                      for n, layer in enumerate(layers)}  # fmt: skip
            runs = found.machine.estimate(programs, memory=memory, bus=bus, listed=True, after=after, passed=passed)
            cycles |= {layer.name: run.run.total for layer, run in zip(layers, runs, strict=True)}
            lists = Counter[str]()
            for owner, run in zip(owners, runs, strict=True):
                lists[owner] += run.total
            total += call + max(lists.values())
    return Predicted(cycles, total)


@dataclass(frozen=True)
class NetworkRun:
    """A run of a network. `values`: every tensor, as the machine and the host made it; `cycles`: of each layer by name,
    as its status says; `total`: of all lists, with the work of registers; `sent`, `received`: bytes that the host
    moved; `wrong`: layers of which a bit is not what their algorithm gives."""

    values: Arrays
    cycles: Mapping[str, int]
    total: int = 0
    sent: int = 0
    received: int = 0
    wrong: tuple[str, ...] = ()


def machine_of(
    network: TrainedNetwork, macs: int, bus: AXI, memory: Memory | None = None, name: str = "network"
) -> NetworkMachine:
    """One machine for all layers of a network that run in hardware: an engine for its blocks, whose array and tiles are
    searched, and others for layers that are part of none, where those whose structure agrees share one.

    `macs`: multipliers of all sums at most; those of scales, and of lanes that only work on elements, do not count.
    `bus`, `memory`: what it is to be fast behind.
    A layer that no hardware can be built for is the host's, with the reason. Blocks that one array cannot run all are
    layers again, each on an engine of its kind. Raises HardwareError for a network without such layers, and for too few
    multipliers.
    """
    slow, network = memory_behind(bus, memory), network.folded
    try:
        return _made(network, blocks_of(network), macs, bus, slow, name)
    except HalideHWError as problem:
        why = problem.message
    rest = _buildable(network, macs, Options(bus.bits))
    if len(rest.layers) < len(network.layers):
        return machine_of(rest, macs, bus, memory, name)
    return replace(_made(network, network.steps, macs, bus, slow, name), apart=why)


def _buildable(network: TrainedNetwork, macs: int, options: Options) -> TrainedNetwork:
    """With the host's steps for layers that no hardware can be built for."""
    lanes, _ = _lanes(network.layers, macs, False, options)
    steps = list[Layer | View | Host]()
    for step in network.steps:
        try:
            if isinstance(step, Layer):
                derive(design_and_graph(_scheduled(step, lanes[_form(step)], options))[1], options)
            steps.append(step)
        except HalideHWError as problem:
            assert isinstance(step, Layer)
            steps.append(on_host(step, f"no hardware can be built for it: {problem.message}"))
    return replace(network, steps=tuple(steps))


def _made(
    network: TrainedNetwork, steps: Sequence[Block | Layer | View | Host], macs: int, bus: AXI, memory: Memory,
    name: str,
) -> NetworkMachine:  # fmt: skip
    blocks = _alike([step for step in steps if isinstance(step, Block)])
    apart = [layer for step in steps for layer in _layers(step) if step not in blocks]
    if not blocks and not apart:
        raise HardwareError(f"{network.name} has no layer for a machine", legal=("halidehw network FILE",))
    options = Options(bus.bits, prefix=name)
    lanes, rest = _lanes(apart, macs, bool(blocks), Options(bus.bits))
    made = together(blocks, rest, bus, memory) if blocks else {}
    done = list[Layer | View | Host]()
    for step in steps:
        done += [made[step].layer] if isinstance(step, Block) and step in made else _steps(step)
    designs = {layer.name: _scheduled(layer, lanes[_form(layer)], options) for layer in apart}
    groups = [[apart[number].name for number in group] for group in grouped(list(designs.values()), options)]
    designs |= {each.layer.name: parse(each.text) for each in made.values()}
    groups = [[each.layer.name for each in made.values()], *groups] if made else groups
    engines = {f"engine{i}": [designs[layer] for layer in group] for i, group in enumerate(groups)}
    built = machine(engines if len(engines) > 1 else engines["engine0"], name=name, port_bits=bus.bits)
    return NetworkMachine(replace(network, steps=tuple(done)), built, designs)


def _alike(blocks: Sequence[Block]) -> list[Block]:
    """Of blocks with inputs and outputs of several types, or rounded in several ways, those that have most to do."""
    work = dict[object, int]()
    for block in blocks:
        work[_kind(block)] = work.get(_kind(block), 0) + block.macs
    most = max(work, key=lambda kind: work[kind], default=None)
    return [block for block in blocks if _kind(block) == most]


def _kind(block: Block) -> tuple[object, ...]:
    """What all blocks of an array have to be alike in."""
    return block.types, frozenset(part.rounding.way for part in (block.first, block.main) if part)


def _steps(step: Block | Layer | View | Host) -> tuple[Layer | View | Host, ...]:
    return step.layers if isinstance(step, Block) else (step,)


def _layers(step: Block | Layer | View | Host) -> list[Layer]:
    return [each for each in _steps(step) if isinstance(each, Layer)]


def run(found: NetworkMachine, runtime: Runtime, inputs: Arrays) -> NetworkRun:
    """The network on a board that has its machine: layers one after the other without the host, as far as that runs
    none of their inputs' steps.

    Raises what `Runtime.run` does.
    """
    values, cycles, wrong = dict(inputs), dict[str, int](), list[str]()
    total = sent = received = 0
    for steps in _segments(found.network):
        if isinstance(steps[0], Host):
            values |= {tensor.name: array for tensor, array in zip(steps[0].makes, steps[0].run(values), strict=True)}
            continue
        layers = [step for step in steps if isinstance(step, Layer)]
        report = runtime.run(_listed(found, steps, values)) if layers else None
        results = iter(report.steps if report else ())
        for step in steps:
            if isinstance(step, View):
                (values[step.output.name],) = step.run(values)
                continue
            assert isinstance(step, Layer)
            each = next(results)
            words = each.written[0].outputs
            assert isinstance(words, np.ndarray)
            values[step.output.name] = step.output.taken(words)
            cycles[step.name] = each.cycles
            wrong += [step.name] * (not each.match)
        total, sent, received = _added((total, sent, received), report)
    return NetworkRun(values, cycles, total, sent, received, tuple(wrong))


def _added(sums: tuple[int, int, int], report: Report | None) -> tuple[int, int, int]:
    more = (report.cycles, report.sent, report.received) if report else (0, 0, 0)
    return sums[0] + more[0], sums[1] + more[1], sums[2] + more[2]


def _segments(network: TrainedNetwork) -> list[list[Layer | View | Host]]:
    """Steps in their order: each of the host's alone, those between them together."""
    found = list[list[Layer | View | Host]]()
    for step in network.steps:
        if isinstance(step, Host) or not found or isinstance(found[-1][0], Host):
            found.append([])
        found[-1].append(step)
    return found


def _listed(found: NetworkMachine, steps: Sequence[Layer | View | Host], values: Arrays) -> list[Step]:
    """The layers among steps as those of a list; `values`: what there is before it."""
    listed, made = list[Step](), dict[str, int]()
    known = dict(values)
    for step in steps:
        if isinstance(step, View):
            if step.input.name in made:
                made[step.output.name] = made[step.input.name]
            else:
                (known[step.output.name],) = step.run(known)
        elif isinstance(step, Layer):
            passed = {name: made[tensor.name] for name, tensor in step.inputs.items() if tensor.name in made}
            blank = {tensor.name: np.zeros(tensor.shape, tensor.dtype) for tensor in step.inputs.values()}
            arrays = step.arrays({**blank, **known})
            inputs = {name: Output(passed[name], viewed=True) if name in passed else array
                      for name, array in arrays.items()}  # fmt: skip
            made[step.output.name] = len(listed)
            listed.append(Step(found.programs[step.name], inputs))
    return listed


def _form(layer: Layer) -> tuple[str, ...]:
    """The loops that a layer's sums have, by what they are for; of elements, none."""
    return tuple(sorted(dict(layer.shape.loops))) if layer.shape else ()


def _lanes(
    layers: Sequence[Layer], macs: int, more: bool, options: Options
) -> tuple[dict[tuple[str, ...], dict[str, int]], int]:
    """For each form of sums how many lanes its channels have, and how many multipliers are left for `more` layers.
    Without these, the form with most to do gets what the others leave."""
    work = dict[tuple[str, ...], int]()
    for layer in layers:
        work[_form(layer)] = work.get(_form(layer), 0) + layer.macs
    forms = sorted((form for form in work if form), key=lambda form: -work[form])
    rest, found = macs, dict[tuple[str, ...], dict[str, int]]()
    for form in reversed(forms):
        least = options.lanes(_LEAST) if "G" in form else _LEAST
        room = rest if form == forms[0] and not more else least
        if room < 1 or room > rest - more:
            raise HardwareError(f"{macs} multipliers are too few for {len(forms) + more} kinds of sums",
                                legal=("--macs 256",))  # fmt: skip
        bits = room.bit_length() - 1
        channels = ["G"] if "G" in form else [dim for dim in ("C", "K") if dim in form]
        share = {"C": 1 << bits - bits // 2, "K": 1 << bits // 2} if len(channels) > 1 else {channels[0]: 1 << bits}
        found[form], rest = share, rest - (1 << bits)
    return {form: found.get(form, {}) for form in work}, rest


_INNER, _OUTER = ("X", "FX", "FY"), ("Y",)
"""The loops inside and outside those over groups of channels that are summed."""


def _scheduled(layer: Layer, lanes: Mapping[str, int], options: Options) -> Design:
    """Channels in lanes, one row of outputs after the other, weights of some filters kept for all rows; of elements,
    as many as a port's word has."""
    if layer.shape is None:
        return parse(in_lanes(layer, options))
    loops = dict(layer.shape.loops)
    splits = "".join(f".split({loops[dim]}, {dim}_o, {dim}_i, {count})" for dim, count in lanes.items())
    order = [f"{dim}_i" for dim in lanes] + [loops[dim] for dim in _INNER if dim in loops]
    order += [f"{dim}_o" for dim in lanes if dim == "C"] + [loops[dim] for dim in _OUTER if dim in loops]
    order += [f"{dim}_o" for dim in lanes if dim != "C"]
    unrolled = "".join(f".unroll({dim}_i)" for dim in lanes)
    names = ", ".join(f"{dim}_{part}" for dim in lanes for part in "oi")
    schedule = f"{layer.shape.subject}.update(){splits}.reorder({', '.join(order)}){unrolled};"
    kept = [f"weight.in().compute_at({layer.shape.subject}, {order[-1]});"] if "Y" in loops else []
    return parse("\n".join([write(design_of(layer.func)), f"Var {names};", schedule, *kept, ""]))
