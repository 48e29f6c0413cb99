"""The process that takes finished tiles from the accumulators to the output's port."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.buffer import column_bits
from halidehw.backend_hdl.datapath import as_type, pipeline
from halidehw.backend_hdl.forms import closings, index_values, lane_mask, read_forms, rooms, store_forms, windows
from halidehw.backend_hdl.grid import drain_select
from halidehw.backend_hdl.library import Library, Part, Ports, addresses, delay, identifier, ram, resize
from halidehw.backend_hdl.walker import Walker, WalkerSpec, form_shape
from halidehw.expr.nodes import Expr
from halidehw.expr.types import Type
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Load, LoopValue
from halidehw.microarch.interface import Port
from halidehw.microarch.operands import operand_name
from halidehw.microarch.processes import Write, taps_of
from halidehw.microarch.stores import RAM_LATENCY, Before, Memory
from halidehw.microarch.taps import IndexValue, Lanes, MemoryTap


@dataclass(frozen=True)
class FinalSpec:
    """The write-back expression of one lane and the operands it reads (name, bits)."""

    value: Expr
    accumulated: Type
    operands: tuple[tuple[str, int], ...]


class Final(Part[FinalSpec]):
    """The final stage of one lane: `word` follows its operands by the expression's latency. No handshake, no reset."""

    title = "final_stage"

    def __init__(self, library: Library, spec: FinalSpec):
        members = {name: In(bits) for name, bits in spec.operands}
        members |= {"accumulated": In(spec.accumulated.bits), "word": Out(spec.value.type.bits)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m = Module()

        def leaf(expr: Expr) -> Value:
            match expr:
                case Load() | LoopValue():
                    value = self[identifier(operand_name(expr))]
                case _:
                    value = self.accumulated
            return as_type(value, expr.type)

        m.d.comb += self.word.eq(pipeline(m, self.library, self.spec.value, leaf).value)
        return m


@dataclass(frozen=True)
class WriterSpec:
    """`words`: of all parts of the level of sums that it drains, which takes `drained` cycles. `targets`: the memories
    of other stages that it writes, in the order of its sinks. `tiles`: whether its port is told where tiles end."""

    write: Write
    memories: tuple[Memory, ...]
    targets: tuple[Memory, ...]
    accumulated: Type
    words: int
    drained: int
    tiles: bool = False

    @property
    def reads(self) -> dict[str, MemoryTap]:
        """How the final stage reads each memory."""
        return {name: lanes.tap for name, lanes in taps_of(self.write.operands).items()}

    @property
    def rows(self) -> Before | None:
        """What is kept of the words for several of the targets."""
        return next((memory.before for memory in self.targets if memory.before), None)

    @property
    def values(self) -> tuple[tuple[str, Affine], ...]:
        """The values of loops that the final stage computes with."""
        return index_values(self.write.operands)


class Writer(Part[WriterSpec]):
    """Drains tiles in the order of its walk, applies the final stage, and stores the words.

    Steps when a tile is complete, its operands are there, and every sink has a place for the word: of a port, the queue
    behind the pipeline, with ready/valid on the port; of another stage's memory, at the start of a part, a free one. A
    word lands there `Write.latency` cycles after its step. `idle` when all steps of the run are done, and the port
    has accepted all words. `stored` with the last word of a tile that may come back; `closes` with each request,
    accepted or not, that has it. Where sums leave by pieces, `tile_full` says that a piece is complete, and `passed`
    comes with its last step. Reset: idle.
    """

    title = "writer"

    def __init__(self, library: Library, spec: WriterSpec):
        write, extents = spec.write, spec.write.walk.extents
        members = {"start": In(1), "tile_full": In(1), "retire": Out(1), "idle": Out(1)}
        members |= {"base": In(addresses(spec.words)), "drain_address": Out(addresses(spec.words))}
        members |= {drain_select(s): Out(form_shape(form, extents)) for s, form in write.tap.selects if form.terms}
        members |= {"drain_data": In(spec.accumulated.bits * write.lanes)}
        if sink := write.outside:
            port = sink.port
            members |= {
                "valid": Out(1),
                "ready": In(1),
                "addr": Out(port.address_bits),
                "data": Out(port.bits * port.lanes),
            }
            members |= {"mask": Out(port.lanes)} if port.lanes > 1 else {}
        for memory, into in zip(spec.targets, write.inside, strict=True):
            name = f"{memory.name}_w"
            members |= {f"{memory.name}_free": In(1), f"{memory.name}_reserve": Out(1), f"{memory.name}_commit": Out(1)}
            members |= {f"{name}_valid": Out(1), f"{name}_data": Out(column_bits(memory) * write.lanes)}
            members |= {f"{name}_mask": Out(write.lanes)} if write.lanes > 1 else {}
            members |= {each: Out(form_shape(form, extents)) for each, form in store_forms(memory, into, name)}
        members |= {"stored": Out(1)} if write.partial else {}
        members |= {"passed": Out(1)} if write.tap.piece is not None else {}
        members |= {"closes": Out(1)} if spec.tiles else {}
        for memory in spec.memories:
            forms = read_forms(memory, spec.reads[memory.name], memory.name)
            members |= {name: Out(form_shape(form, extents)) for name, form in forms}
            read = spec.reads[memory.name]
            flags = (*windows(memory, read, memory.name), *closings(memory, read, memory.name))
            members |= {name: Out(1) for name, _ in flags}
            members |= {f"{memory.name}_step": Out(1), f"{memory.name}_retire": Out(1), f"{memory.name}_full": In(1)}
            members |= {f"{memory.name}_data": In(memory.type.bits * len(memory.lanes))}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec, write = Module(), self.spec, self.spec.write
        forms: list[tuple[str, Affine]] = [("address", write.outside.address)] if write.outside else []
        forms += [("word", write.tap.address)]
        forms += [(drain_select(space), form) for space, form in write.tap.selects if form.terms]
        forms += [*rooms(write.lane_limits), *spec.values]
        forms += [("column", Affine.variable(write.walk.axes[-1].name))] if spec.rows else []
        ends, fresh, last = [("closes", write.tap.tile)], list[tuple[str, tuple[str, ...]]](), list[tuple[str, int]]()
        ends += [("passes", write.tap.piece)] if write.tap.piece is not None else []
        for memory in spec.memories:
            read = spec.reads[memory.name]
            forms += read_forms(memory, read, memory.name)
            ends.append((f"{memory.name}_leaves", read.tile))
            fresh += windows(memory, read, memory.name)
            last += closings(memory, read, memory.name)
        opens = list[tuple[str, int]]()
        for memory, into in zip(spec.targets, write.inside, strict=True):
            forms += store_forms(memory, into, f"{memory.name}_w")
            opens.append((f"{memory.name}_opens", into.tile))
            ends.append((f"{memory.name}_closes", into.tile))
        walker = WalkerSpec("writer", write.walk, tuple(forms), (*ends, *last), tuple(opens), tuple(fresh))
        walk = self.library.use(m, "walk", Walker, walker)
        m.d.comb += [self[name].eq(walk[name]) for name, _ in (*fresh, *last)]
        room, empty = self._room(m, walk)
        go: Value = walk.valid & self.tile_full & room
        for memory in spec.memories:
            go = go & self[f"{memory.name}_full"]
        for memory in spec.targets:
            go = go & (self[f"{memory.name}_free"] | ~walk[f"{memory.name}_opens"])
        m.d.comb += [walk.start.eq(self.start), walk.advance.eq(go), self.idle.eq(~walk.valid & empty)]
        m.d.comb += self.retire.eq(walk.advance & walk.closes)
        m.d.comb += [self.passed.eq(walk.advance & walk.passes)] if write.tap.piece is not None else []
        m.d.sync += self.drain_address.eq(self.base + walk.word)
        for space, form in write.tap.selects:
            if form.terms:
                m.d.sync += self[drain_select(space)].eq(walk[drain_select(space)])
        for memory in spec.memories:
            m.d.comb += self[f"{memory.name}_step"].eq(walk.advance)
            m.d.comb += self[f"{memory.name}_retire"].eq(walk.advance & walk[f"{memory.name}_leaves"])
            for name, _ in read_forms(memory, spec.reads[memory.name], memory.name):
                m.d.comb += self[name].eq(walk[name])
        words = self._words(m, walk)
        if write.outside:
            self._queue(m, walk, words, write.outside.port)
        if spec.targets:
            self._land(m, walk, words)
        return m

    def _room(self, m: Module, walk: Ports) -> tuple[Value, Value]:
        """Whether the queue before the port has a place for the word of another step, and whether it has none left."""
        if not self.spec.write.outside:
            return Const(1), Const(1)
        pending = Signal(range(self.spec.write.places + 1), name="words_pending")
        m.d.sync += pending.eq(pending + walk.advance - (self.valid & self.ready))
        return pending != self.spec.write.places, pending == 0

    def _land(self, m: Module, walk: Ports, words: list[Value]) -> None:
        """Words on their way to other stages' memories, with where they go."""
        write, late = self.spec.write, self.spec.write.latency
        landing = delay(m, "landing", walk.advance, late, reset=True)
        columns = self._columns(m, walk, words, landing)
        mask = delay(m, "lanes", lane_mask(walk, write.lane_limits, write.lanes), late)
        for memory, into in zip(self.spec.targets, write.inside, strict=True):
            name, taken = f"{memory.name}_w", [columns[row] for row in memory.beside]
            commit = delay(m, f"{memory.name}_closing", walk.advance & walk[f"{memory.name}_closes"], late, reset=True)
            m.d.comb += [
                self[f"{memory.name}_reserve"].eq(walk.advance & walk[f"{memory.name}_opens"]),
                self[f"{memory.name}_commit"].eq(commit),
                self[f"{name}_valid"].eq(landing if write.lanes > 1 else landing & mask),
                self[f"{name}_data"].eq(Cat(*(row[lane] for lane in range(write.lanes) for row in taken))),
            ]
            m.d.comb += [self[f"{name}_mask"].eq(mask)] if write.lanes > 1 else []
            m.d.comb += [self[each].eq(delay(m, each, walk[each], late)) for each, _ in store_forms(memory, into, name)]

    def _columns(self, m: Module, walk: Ports, words: list[Value], landing: Value) -> list[list[Value]]:
        """The lanes' words, and those of the same column in the rows before, the last one first, which move on by a
        row when they land."""
        found = [words]
        if (rows := self.spec.rows) is None:
            return found
        late, bits = self.spec.write.latency, len(words[0])
        step = delay(m, "coming", walk.advance, late - RAM_LATENCY, reset=True)
        column = delay(m, "column", walk.column, late - RAM_LATENCY)
        target = delay(m, "target", column, RAM_LATENCY)
        for row in range(rows.rows):
            whole = ram(m, f"row{row + 1}", rows.columns, (landing, target, Cat(*found[-1])), (step, column))
            found.append([whole[lane * bits : (lane + 1) * bits] for lane in range(len(words))])
        return found

    def _words(self, m: Module, walk: Ports) -> list[Value]:
        """The lanes' final words, the spec's latency after their step."""
        spec, write = self.spec, self.spec.write
        bits = spec.accumulated.bits
        drained = delay(m, "drained", self.drain_data, write.arrival - spec.drained - 1)
        words: list[Value] = [drained[place * bits : (place + 1) * bits] for place in write.drained]
        if write.epilogue is None:
            return words
        operands = tuple((identifier(operand.name), operand.type.bits) for operand in write.operands)
        finals, read, values = [], {}, {}
        for name, _ in spec.values:
            values[name] = delay(m, name, walk[name], write.arrival)
        for memory in spec.memories:
            data = self[f"{memory.name}_data"]
            read[memory.name] = delay(m, f"{memory.name}_data", data, write.arrival - memory.latency)
        for lane, word in enumerate(words):
            final = self.library.use(m, f"final{lane}", Final, FinalSpec(write.epilogue, spec.accumulated, operands))
            m.d.comb += final.accumulated.eq(word)
            for operand in write.operands:
                name, place, width = identifier(operand.name), lane if operand.spaces else 0, operand.type.bits
                match operand.source:
                    case Lanes(tap=tap, lanes=taken):
                        first = taken[place] * width
                        m.d.comb += final[name].eq(read[tap.memory][first : first + width])
                    case IndexValue(offsets=offsets):
                        offset = self.library.number(f"{name}_offset", offsets[place], lambda n: n)
                        m.d.comb += final[name].eq(values[name] + offset)
            finals.append(final.word)
        return finals

    def _queue(self, m: Module, walk: Ports, words: list[Value], port: Port) -> None:
        write, late = self.spec.write, self.spec.write.latency
        payload = [delay(m, "address", resize(walk.address, port.address_bits), late), *words]
        if port.lanes > 1:
            payload.append(delay(m, "mask", lane_mask(walk, write.lane_limits, port.lanes), late))
        if write.partial or self.spec.tiles:
            payload.append(delay(m, "closes", walk.closes, late))
        packed = Cat(*payload)
        m.submodules.queue = queue = SyncFIFOBuffered(width=len(packed), depth=self.spec.write.places)
        m.d.comb += [
            queue.w_data.eq(packed),
            queue.w_en.eq(delay(m, "arrival", walk.advance, late, reset=True)),
            self.valid.eq(queue.r_rdy),
            queue.r_en.eq(self.ready & queue.r_rdy),
        ]
        split = [self.addr, self.data] + ([self.mask] if port.lanes > 1 else [])
        if write.partial or self.spec.tiles:
            closes = Signal(name="tile_closes")
            split.append(closes)
            m.d.comb += [self.stored.eq(self.valid & self.ready & closes)] if write.partial else []
            m.d.comb += [self.closes.eq(closes)] if self.spec.tiles else []
        m.d.comb += Cat(*split).eq(queue.r_data)
