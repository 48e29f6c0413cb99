"""What the outside sees of an accelerator: memory ports, control and counters.

All ports are synchronous to `clk`; `rst` is synchronous and active high, and wants the other side of the memory ports
reset with it. `start` is taken in a cycle in which `idle` is high; `done` rises after the last output word has been
accepted and stays high until the next `start`. `abort` ends a run early: ports keep what they offer until it is
accepted, take the answers that they wait for, and then `idle` rises without `done`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

BASE_BITS = 64
"""Of the address of a tensor in the memory outside."""

PROGRAM_BITS = 16
"""Of the number of programs of a run."""

ARRIVED_BITS = 8
"""Of how many tiles arrive in a cycle; of more than there is room for so many are told."""


@dataclass(frozen=True)
class Signal:
    """`{port}_{name}`, of so many bits; `out`: the accelerator drives it, else the other side."""

    name: str
    bits: int
    out: bool


ALWAYS = Signal("start", 1, False), Signal("abort", 1, False), Signal("done", 1, True), Signal("idle", 1, True)
"""What starts and stops a run, and says how it ends."""

LIST = (
    Signal("programs", PROGRAM_BITS, False), Signal("completed", PROGRAM_BITS, True), Signal("corrupt", 1, True),
)  # fmt: skip
"""What a list of programs has: how many there are, how many are done, whether one is none."""


@dataclass(frozen=True)
class Port:
    """A memory port of one tensor, `lanes` consecutive words wide, in that tensor's own word addresses.

    read:  `{name}_req_valid/ready/addr[/mask]` asks for the words addr .. addr+lanes-1 (any alignment, lane i
           only where mask[i]; the sum wraps at the address width); `{name}_resp_valid/ready/data` answers in
           order, one response a request, lane 0 in the lowest bits.
    write: `{name}_valid/ready/addr/data[/mask]` stores the words whose mask bit is set.

    A tensor with both a read and a write port (partial sums) must deliver the words accepted in earlier cycles.
    `mask` exists only where lanes > 1. `words` is the size of the tensor in memory.

    posted: of a write port: a word accepted may be on its way for long; `{name}_settled` says in which cycles none is,
        those accepted in earlier cycles included. The tensor is read, and a run ends, only then.
    based: `{name}_base` is the address, in bytes, of the tensor's first word, with each request.
    anew: of a based read port: `{name}_anew` says, before the first request of each program, that the tensor may be
        another one, and, where it is being written, with the first request of a tile, that more of it has arrived.
    order: of a read port that shares the port outside with others: `{name}_req_order`, of so many bits, says with a
        request when its words are needed: the lower, the sooner.
    tiles: of a posted write port: `{name}_closes` says with a request that it is the last one of a tile, and
        `{name}_arrived` of how many tiles the words have arrived in a cycle, with all that was accepted before.
    """

    name: str
    tensor: str
    kind: Literal["read", "write"]
    lanes: int
    bits: int
    signed: bool
    words: int
    address_bits: int
    posted: bool = False
    based: bool = False
    anew: bool = False
    tiles: bool = False
    order: int = 0

    @property
    def unit(self) -> int:
        """The bytes of a word in memory, as NumPy has it."""
        return max(1 << (self.bits - 1).bit_length() >> 3, 1)

    @cached_property
    def signals(self) -> tuple[Signal, ...]:
        """All of them: those of the request, those of the answer."""
        word = Signal("data", self.lanes * self.bits, True)
        mask = (Signal("mask", self.lanes, True),) if self.lanes > 1 else ()
        request = (
            Signal("valid", 1, True), Signal("ready", 1, False), Signal("addr", self.address_bits, True), *mask,
        )  # fmt: skip
        based = (Signal("base", BASE_BITS, True),) if self.based else ()
        base = (*based, Signal("anew", 1, True)) if self.anew else based
        if self.kind == "write":
            posted = (Signal("settled", 1, False),) if self.posted else ()
            tiles = (Signal("closes", 1, True), Signal("arrived", ARRIVED_BITS, False)) if self.posted else ()
            return (*request, word, *base, *posted, *(tiles if self.tiles else ()))
        request += (Signal("order", self.order, True),) if self.order else ()
        data = replace(word, name="resp_data", out=False)
        answer = (Signal("resp_valid", 1, False), Signal("resp_ready", 1, True), data)
        return (*(replace(each, name=f"req_{each.name}") for each in request), *answer, *base)


@dataclass(frozen=True)
class Counter:
    """An output `{name}` of `bits` bits that counts events since `start`."""

    name: str
    bits: int
    meaning: str


@dataclass(frozen=True)
class Interface:
    """The module's name, its ports, its counters, if it has any.

    lists: what begins the names of the signals of each list of programs that a run is ("" for the only one); none: a
        run is of the only program. others: the lists of other hardware for which its programs wait. shared: the most
        bits that cross the one port that all of `ports` share outside in a cycle; 0: each has its own.
    """

    module: str
    ports: tuple[Port, ...]
    counters: tuple[Counter, ...]
    lists: tuple[str, ...] = ()
    others: int = 0
    shared: int = 0

    @property
    def listed(self) -> bool:
        return bool(self.lists)

    @property
    def posted(self) -> Interface:
        """With write ports that say when their words have arrived."""
        return replace(self, ports=tuple(replace(port, posted=port.kind == "write") for port in self.ports))

    @property
    def control(self) -> tuple[Signal, ...]:
        """What starts and stops runs, and says how they end."""
        lists = tuple(replace(each, name=prefix + each.name) for prefix in self.lists for each in LIST)
        stop = (Signal("stop", 1, False),) if self.lists else ()
        others = Signal("progress", self.others * PROGRAM_BITS, False), Signal("waiting", 1, True)
        return (*ALWAYS, *lists, *stop, *(others if self.others else ()))

    @property
    def port_bits(self) -> int:
        """Of the number of a port."""
        return max((len(self.ports) - 1).bit_length(), 1)

    @property
    def memory(self) -> tuple[Signal, ...]:
        """The signals `memory_...` of the port that all share: those of the request, those of the answer, if any port
        reads. Each is as wide as the widest of them wants it; `resp_ready` has a bit for each of them."""
        reads = [port for port in self.ports if port.kind == "read"]
        data = max((port.lanes * port.bits for port in self.ports if port.kind == "write"), default=1)
        number = self.port_bits
        request = (
            Signal("valid", 1, True), Signal("ready", 1, False), Signal("write", 1, True), Signal("port", number, True),
            Signal("addr", max(port.address_bits for port in self.ports), True),
            Signal("mask", max(port.lanes for port in self.ports), True), Signal("data", data, True),
        )  # fmt: skip
        answer = (
            Signal("resp_valid", 1, False), Signal("resp_ready", len(self.ports), True),
            Signal("resp_port", number, False),
            Signal("resp_data", max((port.lanes * port.bits for port in reads), default=1), False),
        )  # fmt: skip
        found = (*request, *(answer if reads else ()))
        return tuple(replace(each, name=f"memory_{each.name}") for each in found) if self.shared else ()

    def within(self, name: str) -> Interface:
        """As part of hardware that has several, which it knows by that name."""
        ports = tuple(replace(each, name=f"{name}_{each.name}", tensor=f"{name}_{each.tensor}") for each in self.ports)
        counters = tuple(replace(each, name=f"{name}_{each.name}") for each in self.counters)
        return replace(self, ports=ports, counters=counters, lists=tuple(f"{name}_{each}" for each in self.lists))


def side_by_side(module: str, parts: Mapping[str, Interface]) -> Interface:
    """The ports, counters and lists of all parts, each known by its name."""
    found = [interface.within(name) for name, interface in parts.items()]
    ports = tuple(port for each in found for port in each.ports)
    counters = tuple(counter for each in found for counter in each.counters)
    return Interface(module, ports, counters, tuple(name for each in found for name in each.lists))
