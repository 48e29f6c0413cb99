"""How long a run can take, and how long it can be silent, if the hardware is well."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from halidehw.buses.axi import AXI
from halidehw.energy_model.cycles import cycles
from halidehw.errors import CostError
from halidehw.microarch.network import Network
from halidehw.microarch.processes import Write, is_load
from halidehw.microarch.walk import Walk
from halidehw.simulate import Memory, Scenario
from halidehw.simulate.memory import MAX_LATENCY

_A_STEP = 8
"""Cycles of a step that waits for all others: no process hands a part on more slowly."""

_START = 1000
_SLOWEST = 0.001
_BUS = 100
"""Cycles that a bus adds to a request and its answer, the wait for a longer burst and for other ports' included."""


@dataclass(frozen=True)
class Limits:
    """`timeout`: cycles that no start takes; `patience`: cycles in which some word crosses a port."""

    timeout: int
    patience: int


def limits(accelerator: Network, memory: Memory) -> Limits:
    """Of all processes, one after the other, with a memory that is as slow as this one for every word."""
    ports = [(load.tap.port, load.walk) for load in accelerator.loads]
    writes = [stage.write for stage in accelerator.stages]
    ports += [(write.outside.port, write.walk) for write in writes if write.outside]
    others = [each for each in accelerator.processes if not is_load(each) and not isinstance(each, Write)]
    inside = [*(each.walk for each in others), *(write.walk for write in writes if not write.outside)]
    requests = sum(_steps(walk) for _, walk in ports)
    steps = _START + _A_STEP * (requests + sum(map(_steps, inside)))
    gap = max(_gap(memory, port.lanes) for port, _ in ports)
    return Limits(steps + gap * requests, steps + _A_STEP * gap)


def shared(memory: Memory, ports: int) -> Memory:
    """A memory as slow for each port as this one is behind a bus that so many share."""
    rate = Fraction(memory.words_per_cycle or 1) / (2 * ports)
    slowest = Fraction(1, 1000)
    return replace(memory, latency=min(2 * memory.latency + _BUS, MAX_LATENCY), words_per_cycle=max(rate, slowest))


def limited(scenario: Scenario, accelerator: Network, bus: AXI | None = None) -> Scenario:
    """The scenario, given up when the hardware cannot be well. `bus`: that it is behind."""
    ports = len(accelerator.interface.ports)
    found, held = limits(accelerator, shared(scenario.memory, ports) if bus else scenario.memory), scenario.hold * ports
    return replace(scenario, timeout_cycles=found.timeout + held, patience=found.patience + held)


def expected(accelerator: Network, memory: Memory) -> int:
    """About the cycles of a run: exact on a memory that does nothing at random, which else counts as a slower one; of
    a shared port whose cycles are not known, those of ports of their own."""
    if memory.stall_probability:
        rate = (memory.words_per_cycle or 1) * (1 - memory.stall_probability)
        memory = Memory(memory.latency, max(rate, _SLOWEST))
    if accelerator.interface.shared:
        with suppress(CostError):
            return cycles(accelerator, memory).total
        accelerator = replace(accelerator, interface=replace(accelerator.interface, shared=0))
    return cycles(accelerator, memory).total


def _steps(walk: Walk) -> int:
    return prod(axis.extent for axis in walk.axes)


def _gap(memory: Memory, lanes: int) -> int:
    """The most cycles from a request to the next one, as good as always."""
    rate = memory.parameters
    waits = -(-lanes * rate["rate_cycles"] // rate["rate_words"]) if rate["rate_words"] else 1
    return memory.latency + waits + round(_A_STEP / (1 - memory.stall_probability))
