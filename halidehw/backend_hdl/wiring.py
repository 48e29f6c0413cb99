"""How the ports of components in one module are joined."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from amaranth.hdl import Cat, Const, Module, Value

from halidehw.backend_hdl.grid import NodeSpec, OutputSpec
from halidehw.backend_hdl.library import Part, Ports, Side
from halidehw.microarch.network import Space
from halidehw.microarch.taps import Mask

Drained = tuple[Ports, NodeSpec | OutputSpec]
"""What holds the words of a level of partial sums: its ports and its spec."""


def port_of(m: Module, outside: Ports | Part[Any], control: Ports, reader: Ports, name: str) -> None:
    """The port `name` is that of a process that reads; `control` says when it may offer something."""
    m.d.comb += outside[f"{name}_req_addr"].eq(reader.req_addr)
    for channel in ("req_ready", "resp_valid", "resp_data"):
        m.d.comb += reader[channel].eq(outside[f"{name}_{channel}"])
    m.d.comb += [
        control[f"{name}_req_offer"].eq(reader.req_valid),
        control[f"{name}_take"].eq(reader.resp_ready),
        control[f"{name}_resp_valid"].eq(outside[f"{name}_resp_valid"]),
        outside[f"{name}_resp_ready"].eq(control[f"{name}_resp_ready"]),
    ]


def drained(m: Module, source: Drained, taker: Ports, data: Value) -> None:
    """A process says the address and the lanes of what it takes from a level, and gets the words as `data`."""
    lanes, spec = source
    m.d.comb += [lanes.drain_address.eq(taker.drain_address), data.eq(lanes.drain_data)]
    if isinstance(spec, OutputSpec):
        m.d.comb += [lanes[name].eq(taker[name]) for name, _ in spec.selects]


def lanes_at_work(masks: tuple[Mask, ...], spaces: tuple[Space, ...], rooms: Ports) -> list[Value]:
    """For each lane of `spaces` whether no mask, of which `rooms` has the form's value, leaves it out."""
    found = []
    for lanes in product(*(range(space.extent) for space in spaces)):
        place = {space.name: lane for space, lane in zip(spaces, lanes, strict=True)}
        working: Value = Const(1)
        for mask in masks:
            working = working & (rooms[mask.name] >= sum(weight * place[n] for n, weight in mask.weights))
        found.append(working)
    return found


def joined(m: Module, target: Ports | Side, source: Ports | Side, fields: Iterable[str]) -> None:
    """What one side says, the other one hears."""
    m.d.comb += [target[name].eq(source[name]) for name in fields]


def words_of(data: Value, bits: int, lanes: tuple[int, ...], slot: int = 0) -> Value:
    """Words of `bits` bits in slots of so many (0: of their own)."""
    slot = slot or bits
    return Cat(*(data[lane * slot : lane * slot + bits] for lane in lanes))
