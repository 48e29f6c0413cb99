"""What can be built at all: how many PEs, and ports of which width."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from halidehw.errors import HardwareError
from halidehw.ir.graph import Graph, graph_of
from halidehw.ir.nest import Nest
from halidehw.microarch.options import WIDEST_PORT

MOST_PES = 1 << 16


def check_pes(nest: Nest) -> None:
    """Raises `HardwareError` for more than `MOST_PES` PEs."""
    lanes = {loop.name: loop.lanes for loop in nest.loops if loop.lanes > 1}
    total = prod(lanes.values())
    if total > MOST_PES:
        shares = " x ".join(f"{name} {count}" for name, count in lanes.items())
        widest = max(lanes, key=lambda name: lanes[name])
        fewer = MOST_PES * lanes[widest] // total
        raise HardwareError(
            f"{shares} = {total} PEs; at most {MOST_PES} can be built",
            legal=(f"unroll({widest}, {fewer})",) if fewer > 1 else (),
            source=nest.source,
        )


def check_ports(design: Nest | Graph, port_bits: int, *, shared: bool = False) -> None:
    """Raises `HardwareError` for a width (0: one word of each tensor) that no word fits, and for one that is neither a
    power of two, as buses are, nor a power of two of some tensor's words: part of every port would carry nothing. What
    passes between stages has no port. `shared`: it is the width of the one port of all."""
    graph = graph_of(design)
    tensors = (*graph.inputs, *(graph.stage[name].output for name in graph.between), *(n.output for n in graph.outputs))
    widths = {tensor.name: tensor.type.bits for tensor in tensors}
    if near := near_ports(port_bits, widths.values()):
        shown = ", ".join(f"{name} {bits}" for name, bits in widths.items())
        option, least = ("shared_port_bits", max(widths.values())) if shared else ("port_bits", 0)
        raise HardwareError(
            f"a {'shared ' * shared}port of {port_bits} bits: ports carry 1, 2, 4, 8 ... words, and those are of "
            f"{shown} bits",
            legal=[f"{option}={bits}" for bits in near if bits == 0 or bits >= least],
        )


def check_shared(graph: Graph, bits: int) -> None:
    """Raises `HardwareError` for a port of all tensors (0: there is none) into which a word of one of them does not
    fit."""
    tensors = (*graph.inputs, *(graph.stage[name].output for name in graph.between), *(n.output for n in graph.outputs))
    widest = max(tensors, key=lambda tensor: tensor.type.bits)
    if 0 < bits < widest.type.bits:
        raise HardwareError(
            f"{widest.name} cannot use a shared port of {bits} bits: its words have {widest.type.bits}",
            legal=[f"shared_port_bits={widest.type.bits}"],
        )


def near_ports(port_bits: int, widths: Iterable[int]) -> list[int]:
    """Of a width that ports for words of `widths` bits cannot have, others that they can; else none."""
    words = sorted(set(widths))
    bus = words[0] <= port_bits and port_bits & (port_bits - 1) == 0
    if port_bits == 0 or bus or any(port_bits == bits << _doublings(port_bits, bits) for bits in words):
        return []
    near = {bits << _doublings(port_bits, bits) + more for bits in words for more in (0, 1)}
    return [0, *sorted((bits for bits in near if bits <= WIDEST_PORT), key=lambda bits: abs(bits - port_bits))[:3]]


def _doublings(port_bits: int, bits: int) -> int:
    """How often one word can be doubled within the port, 0 where not even one fits."""
    return int(max(port_bits // bits, 1)).bit_length() - 1
