"""Shift registers between a memory and the array."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part, delay
from halidehw.backend_hdl.transfer import closings, read_forms
from halidehw.backend_hdl.walker import Walker, WalkerSpec, form_shape
from halidehw.ir.affine import Affine
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import MemoryTap, Window

WindowSpec = tuple[Window, Memory, MemoryTap]


class Shifter(Part[WindowSpec]):
    """Reads the front of a window from a memory, a step a cycle, and keeps what the array still needs of earlier steps.

    The steps that begin a run are taken as soon as the memory's tile is there; each other one is `ready` and waits for
    the array, which takes it with `take` in the cycle of its own step. `data`, the word of each tap, follows that by
    the memory's latency, as `words` do, and stays until the next step's. Reset: idle; starts with `start`.
    """

    role = "buffer"

    def __init__(self, library: Library, spec: WindowSpec):
        window, memory, read = spec
        self.title = window.name
        bits = memory.type.bits
        members = {"start": In(1), "source_full": In(1), "take": In(1), "ready": Out(1), "r_step": Out(1)}
        members |= {"retire": Out(1), "words": In(bits * len(memory.lanes)), "data": Out(bits * len(window.taps))}
        members |= {name: Out(1) for name, _ in closings(memory, read)}
        members |= {name: Out(form_shape(form, window.walk.extents)) for name, form in read_forms(memory, read)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, (window, memory, read) = Module(), self.spec
        forms, last = read_forms(memory, read), closings(memory, read)
        begun = ("begun", Affine.variable(window.walk.axes[-1].name) - window.warm)
        spec = WalkerSpec(window.name, window.walk, (*forms, begun), (("leaves", read.tile), *last))
        walk = self.library.use(m, "walk", Walker, spec)
        there, early = walk.valid & self.source_full, walk.begun < 0
        m.d.comb += [self[name].eq(walk[name]) for name, _ in (*forms, *last)]
        m.d.comb += [
            walk.start.eq(self.start),
            self.ready.eq(there & ~early),
            walk.advance.eq((there & early) | self.take),
            self.r_step.eq(walk.advance),
            self.retire.eq(walk.advance & walk.leaves),
            self.data.eq(Cat(*self._taps(m, delay(m, "arriving", walk.advance, memory.latency - 1, reset=True)))),
        ]
        return m

    def _taps(self, m: Module, arriving: Value) -> list[Value]:
        """The word of each tap: of a memory's lane, or of a register behind it, one step late each."""
        window, memory, _ = self.spec
        bits, kept = memory.type.bits, {}
        for lane, length in window.chains.items():
            word = self.words[lane * bits : (lane + 1) * bits]
            chain = Signal(bits * length, name=f"lane{lane}_before", reset_less=True)
            kept[lane] = Cat(word, chain)
            with m.If(arriving):
                m.d.sync += chain.eq(kept[lane][: bits * length])
        return [kept[lane][ago * bits : (ago + 1) * bits] for lane, ago in window.taps]
