"""What a schedule does not say of hardware."""

from __future__ import annotations

import re
from dataclasses import dataclass
from numbers import Integral
from typing import Literal, get_args

from halidehw.errors import HardwareError

LATENCY = 50
"""Cycles that hardware expects a memory to take at most where nothing is said."""

Counters = Literal["none", "basic", "all"]
"""Which counters hardware has: none; cycles, steps and words of each port; one for every count of the model."""

COUNTER_BITS = 48
WIDEST_PORT = 1 << 16
"""Bits of a port at most: of no wider vector does Verilog promise that a tool takes it (IEEE 1364-2005, 4.3.1), and
some do not."""
_LONGEST = 64
"""Bits of a counter that no run can fill."""


@dataclass(frozen=True)
class Options:
    """What a schedule does not say. `port_bits`: width of each memory port; it carries the greatest power of two of
    its tensor's words that fits (at least one). `shared_port_bits`: width of the one port that all tensors share (0:
    each has its own), which none of theirs exceeds. `hide_latency`: cycles from a request to its answer that cost
    tensors without a buffer nothing. `counters`: which ones the hardware has, each of `counter_bits` bits.
    `prefix`: what the names of all modules begin with, where that is not the design's name.

    Raises HardwareError for a width or a latency that no hardware can have, counters of no such name, or a prefix that
    is no identifier."""

    port_bits: int = 0
    hide_latency: int = LATENCY
    counters: Counters = "basic"
    counter_bits: int = COUNTER_BITS
    prefix: str = ""
    shared_port_bits: int = 0

    def __post_init__(self) -> None:
        for name in ("port_bits", "shared_port_bits"):
            if not isinstance(bits := getattr(self, name), Integral):
                raise HardwareError(f"{name}={bits!r} is no number of bits", legal=(f"{name}=64",))
            if bits < 0:
                raise HardwareError(f"a port of {bits} bits has no width", legal=(f"{name}=0", f"{name}=128"))
            if int(bits) > WIDEST_PORT:
                raise HardwareError(
                    f"{name}={bits}: a port has {WIDEST_PORT} bits at most, as many as every tool takes in Verilog",
                    legal=(f"{name}={WIDEST_PORT}",),
                )
        if 0 < self.shared_port_bits < self.port_bits:
            raise HardwareError(
                f"ports of {self.port_bits} bits do not fit into a shared one of {self.shared_port_bits}",
                legal=(f"port_bits={self.shared_port_bits}", f"shared_port_bits={self.port_bits}"),
            )
        if not isinstance(self.hide_latency, Integral):
            raise HardwareError(f"hide_latency={self.hide_latency!r} is no number of cycles", legal=["hide_latency=50"])
        if self.hide_latency < 1:
            raise HardwareError(f"no memory answers within {self.hide_latency} cycles", legal=("hide_latency=1",))
        if self.counters not in get_args(Counters):
            legal = [f'counters="{name}"' for name in get_args(Counters)]
            raise HardwareError(f"counters={self.counters!r} says nothing of counters", legal=legal)
        no_width = not isinstance(self.counter_bits, Integral) or isinstance(self.counter_bits, bool)
        if no_width or not 1 <= self.counter_bits <= _LONGEST:
            raise HardwareError(
                f"counter_bits={self.counter_bits!r} is no width of 1 to {_LONGEST} bits",
                legal=(f"counter_bits={COUNTER_BITS}",),
            )
        if self.prefix and not re.fullmatch(r"[A-Za-z]\w*", name := str(self.prefix), re.ASCII):
            plain = re.sub(r"\W", "_", name, flags=re.ASCII).lstrip("_0123456789") or "layer1"
            raise HardwareError(
                f"prefix={self.prefix!r} begins the names of modules, so it must be ASCII letters, digits and _, "
                "a letter first", legal=(f'prefix="{plain}"',),
            )  # fmt: skip

    @property
    def widest(self) -> int:
        """Bits that a tensor's port may have; 0: those of a word."""
        return self.port_bits or self.shared_port_bits

    def lanes(self, bits: int) -> int:
        return 1 << (int(max(self.widest // bits, 1)).bit_length() - 1)
