"""A trained network on one machine: engines for its layers, and lists of programs between the steps that the host runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.errors import HardwareError
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.text import parse, write
from halidehw.host.runtime import Report, Runtime
from halidehw.host.steps import Output, Step
from halidehw.importers.scheduling import in_lanes
from halidehw.importers.steps import Arrays, Host, Layer, TrainedNetwork, View
from halidehw.machines.grouping import grouped
from halidehw.machines.machine import Machine, machine
from halidehw.microarch.options import Options

_LEAST = 8
"""Multipliers of an engine for sums that few layers have."""


@dataclass(frozen=True)
class NetworkMachine:
    """A machine for a network, and the design of each of its layers by name."""

    network: TrainedNetwork
    machine: Machine
    designs: Mapping[str, Design]

    def engine_of(self, layer: str) -> str:
        """The engine that runs a layer."""
        return self.machine.engine_of(self.designs[layer])


@dataclass(frozen=True)
class NetworkRun:
    """A run of a network. `values`: every tensor, as the machine and the host made it; `cycles`: of each layer by name,
    as its status says; `total`: of all lists, with the work of registers; `sent`, `received`: bytes that the host
    moved; `wrong`: layers of which a bit is not what their algorithm gives."""

    values: Arrays
    cycles: Mapping[str, int]
    total: int
    sent: int
    received: int
    wrong: tuple[str, ...]


def machine_of(network: TrainedNetwork, macs: int, port_bits: int = 128, name: str = "network") -> NetworkMachine:
    """One machine for all layers of a network that run in hardware. Layers whose structure agrees share an engine.

    `macs`: multipliers of all sums at most; those of scales, and of lanes that only work on elements, do not count.
    Raises HardwareError for a network without such layers, and for too few multipliers.
    """
    layers = [step for step in network.steps if isinstance(step, Layer)]
    if not layers:
        raise HardwareError(f"{network.name} has no layer for a machine", legal=("halidehw network FILE",))
    options, lanes = Options(port_bits, prefix=name), _lanes(layers, macs, Options(port_bits))
    designs = [_scheduled(layer, lanes[_form(layer)], options) for layer in layers]
    groups = grouped(designs, options)
    engines = {f"engine{i}": [designs[number] for number in group] for i, group in enumerate(groups)}
    made = machine(engines if len(engines) > 1 else designs, name=name, port_bits=port_bits)
    return NetworkMachine(network, made, {layer.name: each for layer, each in zip(layers, designs, strict=True)})


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
            listed.append(Step(found.designs[step.name], inputs))
    return listed


def _form(layer: Layer) -> tuple[str, ...]:
    """The loops that a layer's sums have, by what they are for; of elements, none."""
    return tuple(sorted(dict(layer.shape.loops))) if layer.shape else ()


def _lanes(layers: Sequence[Layer], macs: int, options: Options) -> dict[tuple[str, ...], dict[str, int]]:
    """For each form of sums how many lanes its channels have: those with most to do get what the others leave."""
    work = dict[tuple[str, ...], int]()
    for layer in layers:
        work[_form(layer)] = work.get(_form(layer), 0) + layer.macs
    forms = sorted((form for form in work if form), key=lambda form: -work[form])
    rest, found = macs, dict[tuple[str, ...], dict[str, int]]()
    for form in reversed(forms):
        least = options.lanes(_LEAST) if "G" in form else _LEAST
        room = rest if form == forms[0] else least
        if room < 1 or room > rest:
            raise HardwareError(f"{macs} multipliers are too few for {len(forms)} kinds of sums", legal=("--macs 256",))
        bits = room.bit_length() - 1
        channels = ["G"] if "G" in form else [dim for dim in ("C", "K") if dim in form]
        share = {"C": 1 << bits - bits // 2, "K": 1 << bits // 2} if len(channels) > 1 else {channels[0]: 1 << bits}
        found[form], rest = share, rest - (1 << bits)
    return {form: found.get(form, {}) for form in work}


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
