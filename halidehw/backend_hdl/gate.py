"""What lets a load that has begun a program early ask for tiles of what the program before still writes."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part

COUNT = 16
"""Bits of a number of tiles."""

WAITS = (1 << 2 * COUNT) - 1
"""The word of a load that begins with all others."""


class Gate(Part[None]):
    """Holds a load's tiles back until what they read has been written: tile number t, from 0, opens a cycle after as
    many tiles of the program before have `arrived` as the low half of `word` says, and t times as many as the high
    half says; and from `go` on, with which that program is over. A number of 2^16 is not reached. `start`: the load
    begins with the next cycle; `opens`: a tile in this one. `word` stays until `go`. `anew`: it has begun, or a tile
    has opened, of which a part may have come before it was there: each until all was there when one has. Reset:
    undefined, until `start`.
    """

    title = "gate"

    def __init__(self, library: Library, spec: None):
        members = {"start": In(1), "go": In(1), "opens": In(1), "word": In(2 * COUNT), "arrived": In(COUNT)}
        super().__init__(library, spec, members | {"may_open": Out(1), "anew": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        needed, after = (Signal(COUNT + 1, name=name) for name in ("needed", "needed_after"))
        gone, whole, some, reached = (Signal(name=name) for name in ("gone", "whole", "some_needed", "reached"))
        first = self.word[:COUNT]
        m.d.comb += after.eq(needed + self.word[COUNT:])
        m.d.sync += reached.eq(needed <= self.arrived)
        with m.If(self.start):
            m.d.sync += [needed.eq(first), some.eq(first != 0), reached.eq(first <= self.arrived), whole.eq(0)]
        with m.Elif(self.opens):
            m.d.sync += [needed.eq(after), some.eq(after != 0), reached.eq(after <= self.arrived), whole.eq(gone)]
        m.d.sync += gone.eq(self.go | (gone & ~self.start))
        m.d.comb += [self.may_open.eq(gone | reached), self.anew.eq(self.start | (self.opens & ~whole & some))]
        return m
