"""A queue in a block memory whose first entry is in a register, as such a memory's own output is late in its cycle."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.fifo import SyncFIFOBuffered


class Queue:
    """`ready`, `data`: the first entry, which leaves in a cycle with `used`. `room`: whether one may come in.

    Of `depth` entries besides those in the register and before it; one may come in and one leave in each cycle. Reset:
    empty.
    """

    def __init__(self, m: Module, name: str, width: int, depth: int, enter: Value, data: Value):
        m.submodules[name] = queue = SyncFIFOBuffered(width=width, depth=depth + 1)
        self.ready, self.used = Signal(name=f"{name}_ready"), Signal(name=f"{name}_used")
        self.data, self.room = Signal(width, name=f"{name}_first", reset_less=True), queue.w_rdy
        free = ~self.ready | self.used
        m.d.comb += [queue.w_en.eq(enter), queue.w_data.eq(data), queue.r_en.eq(free)]
        with m.If(free):
            m.d.sync += [self.ready.eq(queue.r_rdy), self.data.eq(queue.r_data)]
