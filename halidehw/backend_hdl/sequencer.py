"""The array's own process."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.forms import closings, index_values, read_forms, windows
from halidehw.backend_hdl.library import Library, Part
from halidehw.backend_hdl.pieces import pieces_read, pieces_said, say_pieces
from halidehw.backend_hdl.walker import Walker, WalkerSpec, form_shape
from halidehw.ir.affine import Affine
from halidehw.microarch.processes import Compute, taps_of
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import FileTap, MemoryTap


@dataclass(frozen=True)
class SequencerSpec:
    """The walk of the array and the shared memories it reads without a window."""

    compute: Compute
    memories: tuple[Memory, ...]

    @property
    def reads(self) -> dict[str, MemoryTap]:
        """How each shared memory is read that has no window."""
        return {name: lanes.tap for name, lanes in taps_of(self.compute.operands).items() if not lanes.window}

    @property
    def files(self) -> tuple[tuple[str, FileTap], ...]:
        """The operands that are read from register files, at addresses of the walk."""
        operands = ((operand.name, operand.source) for operand in self.compute.operands)
        return tuple((name, tap) for name, tap in operands if isinstance(tap, FileTap) and not tap.data)

    @property
    def forms(self) -> tuple[tuple[str, Affine], ...]:
        """What the walk puts out for each step."""
        forms: list[tuple[str, Affine]] = [("acc_address", self.compute.sink.address)]
        for memory in self.memories:
            forms += read_forms(memory, self.reads[memory.name], memory.name)
        forms += [(f"{name}_address", tap.address) for name, tap in self.files]
        forms += index_values(self.compute.operands)
        forms += [(mask.name, mask.form) for mask in (*self.compute.masks, *self.compute.activity)]
        return tuple(forms)

    @property
    def fresh(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The flags of steps that fetch all lanes of a memory."""
        return tuple(flag for memory in self.memories for flag in windows(memory, self.reads[memory.name], memory.name))

    @property
    def last(self) -> tuple[tuple[str, int], ...]:
        """The flags of steps after which the window of a memory starts anew."""
        pairs = ((memory, self.reads[memory.name]) for memory in self.memories)
        return tuple(flag for memory, read in pairs for flag in closings(memory, read, memory.name))

    @property
    def sources(self) -> tuple[tuple[str, int], ...]:
        """Everything whose tile must be there: name and the depth of its tile."""
        shared = tuple((memory.name, self.reads[memory.name].tile) for memory in self.memories)
        return shared + tuple(self.compute.files.items())


class Sequencer(Part[SequencerSpec]):
    """Issues one step of the array per cycle while every operand's tile is there and, at the start of an output
    tile, an accumulator part is free. Addresses and flags of the step are on the outputs in the cycle of `step`. Where
    it is watched, it shows whether it is under way (`active`), and whether it begins an output tile for which there is
    no accumulator (`crowded`). Where sums leave by pieces, `finished` comes with the last step of one. Reset: idle;
    starts with `start`.
    """

    title = "sequencer"

    def __init__(self, library: Library, spec: SequencerSpec):
        extents = spec.compute.walk.extents
        members = {"start": In(1), "step": Out(1), "free": In(1), "reserve": Out(1), "commit": Out(1), "first": Out(1)}
        members |= {name: Out(1) for name, _ in (*spec.fresh, *spec.last)}
        members |= {f"{name}_full": In(1) for name in spec.compute.windows}
        members |= {"active": Out(1), "crowded": Out(1)} if spec.compute.watched else {}
        members |= {"finished": Out(1)} if spec.compute.sink.finished else {}
        members |= {name: Out(form_shape(form, extents)) for name, form in spec.forms}
        for name, _ in spec.sources:
            members |= {f"{name}_full": In(1), f"{name}_retire": Out(1)}
        for memory in spec.memories:
            members |= pieces_said(spec.reads[memory.name], memory.name)
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        sink = spec.compute.sink
        ends = (("closes", sink.tile), *((f"{name}_leaves", depth) for name, depth in spec.sources), *spec.last)
        done = sink.finished
        ends += (("finishes", done.depth),) if done else ()
        pieces = [flags for memory in spec.memories for flags in pieces_read(spec.reads[memory.name], memory.name)]
        walker = WalkerSpec(
            "array", spec.compute.walk, spec.forms, (*ends, *(passes for passes, _ in pieces)), (("opens", sink.tile),),
            (("first", sink.reductions), *spec.fresh, *(comes for _, comes in pieces)),
            (("ending", done.last),) if done else (),
        )  # fmt: skip
        walk = self.library.use(m, "walk", Walker, walker)
        go: Value = walk.valid & (self.free | ~walk.opens)
        for name in spec.compute.windows:
            go = go & self[f"{name}_full"]
        for name, _ in spec.sources:
            go = go & self[f"{name}_full"]
            m.d.comb += self[f"{name}_retire"].eq(walk.advance & walk[f"{name}_leaves"])
        for memory in spec.memories:
            say_pieces(self, m, walk, spec.reads[memory.name], memory.name)
        if (cadence := spec.compute.cadence) > 1:  # cycles without a step are a multiple of it
            waited = Signal(range(cadence), name="waited")
            go = go & (waited == 0)
            with m.If(self.start):
                m.d.sync += waited.eq(0)
            with m.Elif(~walk.advance):
                whole = cadence & (cadence - 1) == 0
                m.d.sync += waited.eq(waited + 1 if whole else Mux(waited == cadence - 1, 0, waited + 1))
        if done:
            m.d.comb += self.finished.eq(walk.advance & walk.finishes & walk.ending)
        if spec.compute.watched:
            m.d.comb += [self.active.eq(walk.valid), self.crowded.eq(walk.opens & ~self.free)]
        m.d.comb += [
            walk.start.eq(self.start),
            walk.advance.eq(go),
            self.step.eq(walk.advance),
            self.reserve.eq(walk.advance & walk.opens),
            self.commit.eq(walk.advance & walk.closes),
            self.first.eq(walk.first),
        ]
        m.d.comb += [self[name].eq(walk[name]) for name, _ in (*spec.forms, *spec.fresh, *spec.last)]
        return m
