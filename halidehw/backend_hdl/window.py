"""Shift registers between a memory and the array, and what is computed of them on the way."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.datapath import as_type
from halidehw.backend_hdl.forms import closings, read_forms
from halidehw.backend_hdl.library import Library, Part, delay, resize
from halidehw.backend_hdl.value import Datapath, computed
from halidehw.backend_hdl.walker import Walker, WalkerSpec, form_shape
from halidehw.ir.affine import Affine
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import MemoryTap, Window

WindowSpec = tuple[Window, Memory, MemoryTap]


def slot(window: Window, memory: Memory) -> int:
    """The bits that each tap has among `data`: those of the widest."""
    kinds = [memory.type] * window.lanes + [value.type for value in window.values]
    return max(kinds[source].bits for source, _ in window.taps)


class Shifter(Part[WindowSpec]):
    """Reads the front of a window from a memory, a step a cycle, and keeps what the array still needs of earlier steps.

    The steps that begin a run are taken as soon as the memory's tile is there; each other one is `ready` and waits for
    the array, which takes it with `take` in the cycle of its own step. `data`, each tap in a `slot`, follows that by
    the memory's latency, as `words` do, and as many cycles as it is `late`, and stays until the next step's. Nothing
    that is computed waits: a register shifts as long after the words arrive as what it keeps. Reset: idle; starts with
    `start`.
    """

    role = "buffer"

    def __init__(self, library: Library, spec: WindowSpec):
        window, memory, read = spec
        self.title = window.name
        bits = memory.type.bits
        data = slot(window, memory) * len(window.taps)
        members = {"start": In(1), "source_full": In(1), "take": In(1), "ready": Out(1), "r_step": Out(1)}
        members |= {"retire": Out(1), "words": In(bits * memory.given), "data": Out(data)}
        members |= {name: Out(1) for name, _ in closings(memory, read)}
        members |= {name: Out(form_shape(form, window.run.extents)) for name, form in read_forms(memory, read)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, (window, memory, read) = Module(), self.spec
        forms, last = read_forms(memory, read), closings(memory, read)
        begun = tuple((name, Affine.variable(axis.name) - ahead) for name, axis, ahead in window.runs)
        idle = (("left", Affine((), window.walk.axes[-1].extent - 1) - Affine.variable(window.walk.axes[-1].name)),)
        more = (*begun, *(idle if window.idle else ()))
        spec = WalkerSpec(window.name, window.run, (*forms, *more), (("leaves", read.tile), *last))
        walk = self.library.use(m, "walk", Walker, spec)
        early, brings = Cat(*(walk[name] < 0 for name, _ in begun)).any(), walk.left >= 0 if window.idle else Const(1)
        there = walk.valid & (self.source_full | ~brings)
        m.d.comb += [self[name].eq(walk[name]) for name, _ in (*forms, *last)]
        m.d.comb += [
            walk.start.eq(self.start),
            self.ready.eq(there & ~early),
            walk.advance.eq((there & early) | self.take),
            self.r_step.eq(walk.advance & brings),
            self.retire.eq(self.r_step & walk.leaves),
            self.data.eq(Cat(*self._taps(m, delay(m, "arriving", walk.advance, memory.latency - 1, reset=True)))),
        ]
        return m

    def _taps(self, m: Module, arriving: Value) -> list[Value]:
        """Each tap: a word or a value, or a register behind it, one step late each."""
        (window, memory, _), bits = self.spec, self.spec[1].type.bits
        kept: list[Kept] = []

        def keep(name: str, word: Value, time: int) -> None:
            shift = delay(m, f"{name}_arriving", arriving, time, reset=True)
            kept.append(Kept(m, f"{name}_before", word, window.chains[len(kept)], shift))

        for lane in range(window.lanes):
            keep(f"lane{lane}", as_type(self.words[lane * bits : (lane + 1) * bits], memory.type), 0)
        done, end, size = window.times, window.late, slot(window, memory)
        for number, value in enumerate(computed(window, memory)):
            words = {f"word{i}": kept[source][ago] for i, (source, ago) in enumerate(value.sources)}
            found = self.library.use(m, f"value{number}", Datapath, value.spec, words)
            keep(f"value{number}", found.value, done[window.lanes + number])
        return [
            resize(delay(m, f"tap{i}", kept[source][ago], end - done[source]), size)
            for i, (source, ago) in enumerate(window.taps)
        ]


class Kept:
    """A word, and what it was in earlier steps: a register for each, which shifts with `shift`."""

    def __init__(self, m: Module, name: str, word: Value, length: int, shift: Value):
        self.shape, bits = word.shape(), len(word)
        chain = Signal(bits * length, name=name, reset_less=True)
        self.all = Cat(word, chain)
        with m.If(shift):
            m.d.sync += chain.eq(self.all[: bits * length])

    def __getitem__(self, steps: int) -> Value:
        bits = self.shape.width
        found = self.all[steps * bits : (steps + 1) * bits]
        return found.as_signed() if self.shape.signed else found
