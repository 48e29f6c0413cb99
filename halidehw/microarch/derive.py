"""From a scheduled nest to the micro-architecture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from numbers import Integral

import sympy

from halidehw.errors import HardwareError
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Nest
from halidehw.ir.sums import spilling, sums_depth
from halidehw.microarch.accelerator import Accelerator, Accumulator, Compute, Mask
from halidehw.microarch.counters import with_counters
from halidehw.microarch.interface import Counter, Interface, Port
from halidehw.microarch.operands import operands_of
from halidehw.microarch.operators import check_operators, check_pes, check_ports
from halidehw.microarch.reader import Reader
from halidehw.microarch.spacetime import SpaceTime, spacetime
from halidehw.microarch.supply import Supplies
from halidehw.microarch.walk import Walk, clipping
from halidehw.microarch.write import derive_write
from halidehw.scheduler.reduction import identity

SHORT_TILE = 64
"""Output tiles of fewer steps than this get more than two parts, so that the writer's latency stays hidden."""

LATENCY = 50
"""Cycles that hardware expects a memory to take at most where nothing is said."""


@dataclass(frozen=True)
class Options:
    """What a schedule does not say. `port_bits`: width of each memory port; it carries the greatest power of two of
    its tensor's words that fits (at least one). `hide_latency`: cycles from a request to its answer that cost tensors
    without a buffer nothing. `counters`: the hardware counts all that the model does.

    Raises HardwareError for a width or a latency that no hardware can have."""

    port_bits: int = 0
    hide_latency: int = LATENCY
    counters: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.port_bits, Integral) or self.port_bits < 0:
            raise HardwareError(f"a port of {self.port_bits} bits has no width", legal=("port_bits=0", "port_bits=128"))
        if not isinstance(self.hide_latency, Integral) or self.hide_latency < 1:
            raise HardwareError(f"no memory answers within {self.hide_latency} cycles", legal=("hide_latency=1",))

    def lanes(self, bits: int) -> int:
        return 1 << (int(max(self.port_bits // bits, 1)).bit_length() - 1)


def derive(nest: Nest, options: Options | None = None) -> Accelerator:
    """The micro-architecture of a verified nest.

    Raises HardwareError where no hardware of this kind exists for the nest.
    """
    check_pes(nest)
    check_operators(nest)
    options = options or Options()
    check_ports(nest, options.port_bits)
    nest = _dimensioned(nest)
    st, supplies = spacetime(nest), Supplies(options.hide_latency)
    vector = {name: options.lanes(tensor.type.bits) for name, tensor in nest.tensor.items()}
    walk = Walk(st.times, clipping(st.times, list(st.limits)))
    reader = Reader(st.times, {space.name: space.extent for space in st.spaces}, st.limits, ())
    reads = {number: st.index(access) for number, access in enumerate(nest.reads)}
    operands = operands_of(st, supplies, nest.value, reader, reads, vector, array=True)
    accumulator = _accumulator(st)
    compute = Compute(walk, operands, _masks(st), nest.value, accumulator)
    write = derive_write(st, supplies, accumulator, vector)
    ports = (*(load.port for load in supplies.loads), write.port)
    accelerator = Accelerator(
        name=nest.name, spaces=st.spaces, memories=tuple(supplies.memories), files=tuple(supplies.files),
        loads=tuple(supplies.loads), moves=tuple(supplies.moves), fills=tuple(supplies.fills),
        copies=tuple(supplies.copies), compute=compute, write=write,
        interface=Interface(f"{nest.name}_accelerator", ports, _counters(ports)), schedule=nest.schedule,
    )  # fmt: skip
    return with_counters(accelerator, st) if options.counters else accelerator


def _dimensioned(nest: Nest) -> Nest:
    """Inputs of no dimension as of one, one word long: every memory has a dimension 0."""
    scalars = {tensor.name for tensor in nest.inputs if not tensor.extents}
    inputs = (replace(each, mins=(0,), extents=(1,)) if each.name in scalars else each for each in nest.inputs)
    reads = (replace(each, indices=(sympy.Integer(0),)) if each.tensor in scalars else each for each in nest.reads)
    return replace(nest, inputs=tuple(inputs), reads=tuple(reads))


def _masks(st: SpaceTime) -> tuple[Mask, ...]:
    """Lanes of a reduction that a limit can switch off must not contribute."""
    reducing = {space.name for space in st.spaces if space.reduction}
    times = [axis.name for axis in st.times]
    masks = []
    for number, limit in enumerate(st.limits):
        if limit.names & reducing and limit.range_over(st.extents)[0] < 0:
            weights = tuple((space.name, -limit[space.name]) for space in st.spaces if limit[space.name])
            masks.append(Mask(f"mask{number}", limit.only(times) + limit.constant, weights))
    return tuple(masks)


def _accumulator(st: SpaceTime) -> Accumulator:
    """The tile of partial sums: where the schedule says, or everything inside the outermost temporal reduction."""
    nest = st.nest
    written = {name for form in st.index(nest.write) for name in form.names}
    reducing = [i for i, axis in enumerate(st.times) if axis.name not in written]
    tile = reducing[0] if reducing else len(st.times)
    if nest.sums:
        tile = sum(loop.steps > 1 for loop in nest.loops[: sums_depth(nest)])
    address, words = Affine(), 1
    for axis in reversed(st.times[tile:]):
        if axis.name in written:
            address = address + Affine.of([(axis.name, words)])
            words *= axis.extent
    steps = prod(axis.extent for axis in st.times[tile:])
    halves = 2 if steps >= SHORT_TILE else 2 + -(-SHORT_TILE // steps)
    if nest.sums and nest.sums.halves == 1:
        halves = 1
    reductions = tuple(st.times[i].name for i in reducing if i >= tile)
    init = identity(nest.combine, nest.type) if nest.combine and spilling(nest) else nest.init
    return Accumulator(words, halves, address, tile, reductions, nest.combine, init, nest.type)


def _counters(ports: tuple[Port, ...]) -> tuple[Counter, ...]:
    counters = [Counter("cycles", 48, "cycles from start to done"), Counter("steps", 48, "array steps issued")]
    for port in ports:
        verb = "read from" if port.kind == "read" else "written to"
        counters.append(Counter(f"{port.name}_words", 48, f"words {verb} {port.tensor}"))
    return tuple(counters)
