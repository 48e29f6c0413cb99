"""A stage with room for two words, so that whether it takes one is a register's word and not that of all behind it."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value


class Pair:
    """`data` comes in with `enter`, which there must be `room` for. `there`, `first`: the word that leaves in a cycle
    with `used`. One may come in and one leave in each cycle. Latency: a cycle. Reset: empty."""

    def __init__(self, m: Module, name: str, enter: Value, data: Value, used: Value):
        bits = len(data)
        self.there, later = Signal(name=f"{name}_there"), Signal(name=f"{name}_later")
        self.first, behind = (Signal(bits, name=f"{name}_{which}", reset_less=True) for which in ("first", "behind"))
        self.room = ~later
        m.d.sync += later.eq(self.there & ~used & (later | enter))
        with m.If(~self.there | used):
            m.d.sync += [self.there.eq(later | enter), self.first.eq(Mux(later, behind, data))]
        with m.If(~later):
            m.d.sync += behind.eq(data)
