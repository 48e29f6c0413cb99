"""From a scheduled nest to the micro-architecture."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Literal, get_args

from halidehw.errors import HardwareError
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Nest
from halidehw.microarch.counters import basic, with_all
from halidehw.microarch.division import with_dividers
from halidehw.microarch.interface import Interface
from halidehw.microarch.limits import check_pes, check_ports
from halidehw.microarch.network import Network
from halidehw.microarch.operands import operands_of
from halidehw.microarch.processes import Compute
from halidehw.microarch.reader import Reader
from halidehw.microarch.spacetime import SpaceTime, spacetime
from halidehw.microarch.sums import derive_sums
from halidehw.microarch.supply import Supplies
from halidehw.microarch.taps import Mask
from halidehw.microarch.verify import verify
from halidehw.microarch.walk import Walk, clipping
from halidehw.microarch.write import derive_write, port_lanes

LATENCY = 50
"""Cycles that hardware expects a memory to take at most where nothing is said."""

Counters = Literal["none", "basic", "all"]
"""Which counters hardware has: none; cycles, steps and words of each port; one for every count of the model."""

COUNTER_BITS = 48
_LONGEST = 64
"""Bits of a counter that no run can fill."""


@dataclass(frozen=True)
class Options:
    """What a schedule does not say. `port_bits`: width of each memory port; it carries the greatest power of two of
    its tensor's words that fits (at least one). `hide_latency`: cycles from a request to its answer that cost tensors
    without a buffer nothing. `counters`: which ones the hardware has, each of `counter_bits` bits.
    `prefix`: what the names of all modules begin with, where that is not the design's name.

    Raises HardwareError for a width or a latency that no hardware can have, counters of no such name, or a prefix that
    is no identifier."""

    port_bits: int = 0
    hide_latency: int = LATENCY
    counters: Counters = "basic"
    counter_bits: int = COUNTER_BITS
    prefix: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.port_bits, Integral):
            raise HardwareError(f"port_bits={self.port_bits!r} is no number of bits", legal=("port_bits=64",))
        if self.port_bits < 0:
            raise HardwareError(f"a port of {self.port_bits} bits has no width", legal=("port_bits=0", "port_bits=128"))
        if not isinstance(self.hide_latency, Integral):
            raise HardwareError(f"hide_latency={self.hide_latency!r} is no number of cycles", legal=["hide_latency=50"])
        if self.hide_latency < 1:
            raise HardwareError(f"no memory answers within {self.hide_latency} cycles", legal=("hide_latency=1",))
        if self.counters not in get_args(Counters):
            legal = [f'counters="{name}"' for name in get_args(Counters)]
            raise HardwareError(f"counters={self.counters!r} says nothing of counters", legal=legal)
        if not isinstance(self.counter_bits, Integral) or not 1 <= self.counter_bits <= _LONGEST:
            raise HardwareError(
                f"counter_bits={self.counter_bits!r} is no width of 1 to {_LONGEST} bits",
                legal=(f"counter_bits={COUNTER_BITS}",),
            )
        if self.prefix and not re.fullmatch(r"[A-Za-z]\w*", self.prefix, re.ASCII):
            plain = re.sub(r"\W", "_", self.prefix, flags=re.ASCII).lstrip("_0123456789") or "layer1"
            raise HardwareError(
                f"prefix={self.prefix!r} begins the names of modules, so it must be ASCII letters, digits and _, "
                "a letter first", legal=(f'prefix="{plain}"',),
            )  # fmt: skip

    def lanes(self, bits: int) -> int:
        return 1 << (int(max(self.port_bits // bits, 1)).bit_length() - 1)


def derive(nest: Nest, options: Options | None = None) -> Network:
    """The micro-architecture of a verified nest.

    Raises HardwareError where no hardware of this kind exists for the nest.
    """
    check_pes(nest)
    options = options or Options()
    check_ports(nest, options.port_bits)
    nest = with_dividers(_dimensioned(nest))
    st, supplies = spacetime(nest), Supplies(options.hide_latency)
    vector = {name: options.lanes(tensor.type.bits) for name, tensor in nest.tensor.items()}
    walk = Walk(st.times, clipping(st.times, list(st.limits)))
    reader = Reader(st.times, {space.name: space.extent for space in st.spaces}, st.limits, ())
    reads = {number: st.index(access) for number, access in enumerate(nest.reads)}
    operands = operands_of(st, supplies, nest.value, reader, reads, vector, array=True)
    together = port_lanes(st, vector[nest.output.name])
    sums = derive_sums(st, together)
    compute = Compute(walk, operands, _masks(st), nest.value, sums.sink)
    write = derive_write(st, supplies, sums.levels[-1], together, vector)
    ports = (*(load.tap.port for load in supplies.loads), write.port)
    counters = basic(ports, options.counter_bits) if options.counters != "none" else ()
    network = Network(
        name=nest.name, spaces=st.spaces, stores=(*supplies.memories, *supplies.files, *sums.stores),
        transfers=(*supplies.loads, *supplies.moves, *supplies.fills, *supplies.copies, *sums.folds), compute=compute,
        write=write, interface=Interface(f"{options.prefix or nest.name}_accelerator", ports, counters),
        schedule=nest.schedule, prefix=options.prefix or nest.name,
    )  # fmt: skip
    return verify(with_all(network, st, options.counter_bits) if options.counters == "all" else network)


def _dimensioned(nest: Nest) -> Nest:
    """Inputs of no dimension as of one, one word long: every memory has a dimension 0."""
    scalars = {tensor.name for tensor in nest.inputs if not tensor.extents}
    inputs = (replace(each, mins=(0,), extents=(1,)) if each.name in scalars else each for each in nest.inputs)
    reads = (replace(each, indices=(Affine(),)) if each.tensor in scalars else each for each in nest.reads)
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
