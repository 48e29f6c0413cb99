"""What travels through the PE array with a step.

A wave enters at the array's first PE and reaches lane j of a systolic axis j cycles later, of any other axis in the
same cycle; every wire of a wave does so alike, whatever it carries. A wire with words for each lane is delayed for all
of its axes once, at the array's edge; what is common to the lanes hops from each to the next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from amaranth.hdl import Cat, Module, Value

from halidehw.backend_hdl.library import delay, identifier
from halidehw.microarch.network import Space


@dataclass(frozen=True)
class Wire:
    """`bits` per lane, with lanes on `spaces` (in the array's order, the first one slowest). `select`: this wire
    says which lane of that axis its `gates` wire is meant for, and ends there. `skewed`: each lane's word is already as
    late as its wave. `sums`: it is for the sums of a lane, and does not reach its PEs."""

    name: str
    bits: int
    spaces: tuple[str, ...] = ()
    select: str | None = None
    gates: str | None = None
    skewed: bool = False
    sums: bool = False

    def width(self, extents: dict[str, int]) -> int:
        return self.bits * prod(extents[space] for space in self.spaces)

    def below(self, space: str) -> Wire:
        """The same wire inside one lane of `space`."""
        return replace(self, spaces=tuple(s for s in self.spaces if s != space), skewed=True)


def split(
    m: Module, wires: tuple[Wire, ...], values: dict[str, Value], space: Space, spaces: tuple[Space, ...]
) -> list[dict[str, Value]]:
    """The wires' values at each lane of `space`, one of the array's `spaces`: own slice, or shared and one hop later
    per systolic lane; selected."""
    extents = extents_of(spaces)
    shared = [wire for wire in wires if space.name not in wire.spaces]
    own = [wire for wire in wires if space.name in wire.spaces]
    hops = [{wire.name: _skew(m, wire, values[wire.name], spaces) for wire in shared}]
    bundle = Cat(*hops[0].values())
    for j in range(1, space.extent if space.systolic else 1):
        bundle = delay(m, f"hop{j}", bundle, 1, role="links")
        hops.append(_unbundle(bundle, shared, extents))
    slices = {wire.name: _skew(m, wire, values[wire.name], spaces) for wire in own}
    lanes = []
    for j in range(space.extent):
        here = dict(hops[j if space.systolic else 0])
        for wire in own:
            width = wire.below(space.name).width(extents)
            here[wire.name] = slices[wire.name][j * width : (j + 1) * width]
        for wire in wires:
            if wire.select == space.name and wire.gates:
                here[wire.gates] = here[wire.gates] & (here.pop(wire.name) == j)
        lanes.append(here)
    return lanes


def _skew(m: Module, wire: Wire, value: Value, spaces: tuple[Space, ...]) -> Value:
    """A wire's value with the word of lane j of each of its systolic axes j cycles late."""
    own = [space for space in spaces if space.name in wire.spaces]
    late = [space for space in own if space.systolic and not wire.skewed]
    for space in late:
        outer = prod(each.extent for each in own[: own.index(space)])
        name = wire.name if late == [space] else f"{wire.name}_{identifier(space.name)}"
        width = len(value) // (outer * space.extent)
        parts = [[value[at : at + width] for at in range(j * width, len(value), space.extent * width)]
                 for j in range(space.extent)]  # fmt: skip
        delayed = [delay(m, f"{name}_skew{j}", Cat(*each), j, role="links") for j, each in enumerate(parts)]
        value = Cat(*(each[o * width : (o + 1) * width] for o in range(outer) for each in delayed))
    return value


def extents_of(spaces: tuple[Space, ...]) -> dict[str, int]:
    return {space.name: space.extent for space in spaces}


def _unbundle(bundle: Value, wires: list[Wire], extents: dict[str, int]) -> dict[str, Value]:
    parts, at = {}, 0
    for wire in wires:
        parts[wire.name] = bundle[at : at + wire.width(extents)]
        at += wire.width(extents)
    return parts


def inside(wires: tuple[Wire, ...], space: Space) -> tuple[Wire, ...]:
    """The wires that go on below one lane of `space`."""
    return tuple(wire.below(space.name) for wire in wires if wire.select != space.name)
