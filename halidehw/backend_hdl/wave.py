"""What travels through the PE array with a step.

A wave enters at the array's first PE and reaches lane j of a systolic axis j cycles later, of any other axis in the
same cycle; every wire of a wave does so alike, whatever it carries.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from amaranth.hdl import Cat, Module, Value

from halidehw.backend_hdl.library import delay
from halidehw.microarch.network import Space


@dataclass(frozen=True)
class Wire:
    """`bits` per lane, with lanes on `spaces` (in the array's order, the first one slowest). `select`: this wire
    says which lane of that axis its `gates` wire is meant for, and ends there."""

    name: str
    bits: int
    spaces: tuple[str, ...] = ()
    select: str | None = None
    gates: str | None = None

    def width(self, extents: dict[str, int]) -> int:
        return self.bits * prod(extents[space] for space in self.spaces)

    def below(self, space: str) -> Wire:
        """The same wire inside one lane of `space`."""
        return Wire(self.name, self.bits, tuple(s for s in self.spaces if s != space), self.select, self.gates)


def split(
    m: Module, wires: tuple[Wire, ...], values: dict[str, Value], space: Space, extents: dict[str, int]
) -> list[dict[str, Value]]:
    """The wires' values at each lane of `space`: own slice or shared, selected, and one hop later per systolic lane."""
    shared = [wire for wire in wires if space.name not in wire.spaces]
    bundle = Cat(*(values[wire.name] for wire in shared))
    hops = [{wire.name: values[wire.name] for wire in shared}]
    for j in range(1, space.extent if space.systolic else 1):
        bundle = delay(m, f"hop{j}", bundle, 1)
        hops.append(_unbundle(bundle, shared, extents))
    lanes = []
    for j in range(space.extent):
        here = dict(hops[j if space.systolic else 0])
        for wire in wires:
            if space.name in wire.spaces:
                width = wire.below(space.name).width(extents)
                own = values[wire.name][j * width : (j + 1) * width]
                here[wire.name] = delay(m, f"{wire.name}_skew{j}", own, j if space.systolic else 0)
        for wire in wires:
            if wire.select == space.name and wire.gates:
                here[wire.gates] = here[wire.gates] & (here.pop(wire.name) == j)
        lanes.append(here)
    return lanes


def _unbundle(bundle: Value, wires: list[Wire], extents: dict[str, int]) -> dict[str, Value]:
    parts, at = {}, 0
    for wire in wires:
        parts[wire.name] = bundle[at : at + wire.width(extents)]
        at += wire.width(extents)
    return parts


def inside(wires: tuple[Wire, ...], space: Space) -> tuple[Wire, ...]:
    """The wires that go on below one lane of `space`."""
    return tuple(wire.below(space.name) for wire in wires if wire.select != space.name)
