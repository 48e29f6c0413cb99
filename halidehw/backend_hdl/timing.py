"""The latencies of an accelerator that its processes wait for."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.backend_hdl.accumulate import AccumulateSpec
from halidehw.backend_hdl.grid import NodeSpec, OutputSpec, array_spec
from halidehw.backend_hdl.library import RAM_LATENCY
from halidehw.backend_hdl.pe import PESpec, held
from halidehw.backend_hdl.writer import WriterSpec
from halidehw.microarch.accelerator import Accelerator, Memory


@dataclass(frozen=True)
class Latencies:
    """In cycles. `pe`: from a PE's operands to its product; `landed`: from a step of the array to its sum's place in
    the last accumulator; `drain`: from an accumulator's read port to the writer; `writer`: from a step of the writer to
    its word at the output queue.
    """

    pe: int
    landed: int
    drain: int
    writer: int


def latencies(acc: Accelerator) -> Latencies:
    """The latencies of the hardware that `Top` makes of an accelerator."""
    compute, write, sums = acc.compute, acc.write, acc.compute.accumulator
    words = sums.halves * sums.words
    arrival = max([1 + RAM_LATENCY, *(acc.memory(o.read.memory).latency for o in compute.operands if o.read)])
    pe = PESpec(compute.value, sums.type, sums.combine, (), held(acc), tuple(mask.name for mask in compute.masks))
    partial = AccumulateSpec(words, sums.type, sums.combine, sums.init, not sums.reductions)
    array = array_spec(acc.spaces, (), pe, partial, write.vector_space, write.port.lanes)
    skew = sum(space.extent - 1 for space in acc.spaces if space.systolic and not space.reduction)
    read: dict[str, Memory] = {o.read.memory: acc.memory(o.read.memory) for o in write.operands if o.read}
    writer = WriterSpec(write, tuple(read.values()), sums.type, words, array.drain_latency)
    return Latencies(pe.latency, arrival + skew + lane(array).latency + 2, array.drain_latency, writer.latency)


def lane(array: NodeSpec | OutputSpec) -> NodeSpec:
    """One output lane of the array."""
    return lane(array.child) if isinstance(array, OutputSpec) else array
