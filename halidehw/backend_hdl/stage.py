"""One stage of an accelerator, wired: its memories, what fills them, the array, sums and the writer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from halidehw.backend_hdl.buffer import Buffer, asked, written
from halidehw.backend_hdl.fold import Folder, FoldSpec
from halidehw.backend_hdl.grid import node
from halidehw.backend_hdl.levels import bank_spaces, banks_spec, lanes_spec
from halidehw.backend_hdl.library import Library, Part, Ports, addresses, delay, identifier, masked
from halidehw.backend_hdl.pe import STEP
from halidehw.backend_hdl.pieces import Arrivals, ArrivalsSpec
from halidehw.backend_hdl.pingpong import PingPong, PingPongSpec
from halidehw.backend_hdl.sequencer import Sequencer, SequencerSpec
from halidehw.backend_hdl.transfer import Copier, Filler, Loader, Mover
from halidehw.backend_hdl.wave import Wire
from halidehw.backend_hdl.window import Shifter, slot
from halidehw.backend_hdl.wiring import Drained, drained, joined, lanes_at_work, port_of, words_of
from halidehw.backend_hdl.writer import Writer, WriterSpec
from halidehw.expr.tree import nodes
from halidehw.ir.nest import Scan
from halidehw.ir.varies import Varies
from halidehw.microarch.network import Stage
from halidehw.microarch.processes import Operand
from halidehw.microarch.stores import LEAD, RAM_LATENCY, Memory
from halidehw.microarch.taps import FileTap, Lanes


@dataclass(frozen=True)
class Around:
    """What a stage's components are wired to: the module's ports, what starts all processes, the memories of the stages
    that read this one, with their ports, of a tensor that another stage leaves outside when all of it is there, what
    starts the loads that may begin a program early and lets them open tiles, and the port that is told where tiles
    end."""

    ports: Ports
    control: Ports
    go: Value
    memories: Mapping[str, Memory]
    buffers: Mapping[str, Ports]
    left: Mapping[str, Signal]
    begin: Mapping[str, Signal]
    may_open: Mapping[str, Signal]
    passing: str


class Wired:
    """The components of a stage in the module of the whole accelerator."""

    def __init__(self, library: Library, m: Module, spec: Stage, around: Around):
        self.library, self.m, self.spec, self.around = library, m, spec, around
        self.outside, self.control = around.ports, around.control
        self.go = around.go
        self.buffers = {mem.name: self._use(mem.name, Buffer, mem) for mem in spec.memories}
        self.files = {
            file.name: self._use(f"{file.name}_owner", PingPong, PingPongSpec(file.halves, file.words, 0, file.kept))
            for file in spec.files
        }
        self.fillers: dict[str, Ports] = {}
        self.folders: list[Ports] = []
        self.folded: list[Value] = []
        self._loads()
        self._moves()
        self.step, self.finished = self._array(self._fills() | self._copies())

    def _use(self, name: str, kind: type[Part[Any]], spec: object) -> Ports:
        return self.library.use(self.m, name, kind, spec)

    def _own(self, name: str) -> str:
        """What other stages have too, in the module of all stages."""
        return f"{self.spec.label}{name}"

    def _delay(self, name: str, value: Value, cycles: int, *, reset: bool = False) -> Value:
        return delay(self.m, name, value, cycles, reset=reset)

    def _loads(self) -> None:
        self.loaders = {}
        for load in self.spec.loads:
            memory = self.spec.memory(load.sink.memory)
            loader = self.loaders[memory.name] = self._use(load.name, Loader, (load, memory))
            buffer, name = self.buffers[memory.name], load.tap.port.name
            start = self.go if load.tap.revisit else self.around.left.get(load.tap.port.tensor, self.go)
            start = self.around.begin.get(load.name, start)
            self.m.d.comb += loader.start.eq(start)
            if load.tap.port.lanes > 1:
                self.m.d.comb += self.outside[f"{name}_req_mask"].eq(loader.req_mask)
            if load.tap.port.order:
                self.m.d.comb += self.outside[f"{name}_req_order"].eq(loader.req_order)
            port_of(self.m, self.outside, self.control, loader, name)
            may_open = self.around.may_open.get(load.name, Const(1))
            self.m.d.comb += [loader.free.eq(buffer.free & may_open), loader.granted.eq(buffer.granted)]
            joined(self.m, buffer, loader, ("reserve", "commit"))
            joined(self.m, buffer.side("w"), loader.side("w"), written(memory))

    def _moves(self) -> None:
        for move in self.spec.moves:
            source, target = self.spec.memory(move.tap.tap.memory), self.spec.memory(move.sink.memory)
            mover = self._use(move.name, Mover, (move, source, target))
            taken, given = self.buffers[source.name], self.buffers[target.name]
            self.m.d.comb += [mover.start.eq(self.go), mover.source_full.eq(taken.full), mover.free.eq(given.free)]
            joined(self.m, taken, mover, ("retire", "r_step"))
            joined(self.m, taken.side("r"), mover.side("r"), asked(source))
            joined(self.m, given, mover, ("reserve", "commit"))
            joined(self.m, given.side("w"), mover.side("w"), (field for field in written(target) if field != "data"))
            self.m.d.comb += given.w_data.eq(words_of(taken.r_data, source.type.bits, move.tap.lanes))

    def _fills(self) -> dict[Wire, Value]:
        """The fill waves, with a register behind the base address."""
        wave: dict[Wire, Value] = {}
        for fill in self.spec.fills:
            source, file = self.spec.memory(fill.tap.tap.memory), self.spec.file(fill.sink.file)
            filler = self.fillers[fill.name] = self._use(fill.name, Filler, (fill, source, file))
            taken, owner = self.buffers[source.name], self.files[file.name]
            self.m.d.comb += [filler.start.eq(self.go), filler.source_full.eq(taken.full), filler.free.eq(owner.free)]
            joined(self.m, taken, filler, ("retire", "r_step"))
            joined(self.m, taken.side("r"), filler.side("r"), asked(source))
            joined(self.m, owner, filler, ("reserve", "commit"))
            address = Signal(addresses(file.halves * file.words), name=f"{file.name}_fill_address", reset_less=True)
            self.m.d.sync += address.eq(filler.address + owner.write_base)
            data = words_of(taken.r_data, file.type.bits, fill.tap.lanes)
            valid = f"{file.name}_valid"
            wave[Wire(valid, 1)] = self._delay(valid, filler.valid, 1, reset=True)
            wave[Wire(f"{file.name}_address", len(address))] = address
            wave[Wire(f"{file.name}_data", file.type.bits, fill.sink.bus)] = self._delay(f"{file.name}_data", data, 1)
            for space in fill.sink.selects:
                name = f"select_{identifier(space)}"
                value = filler[name]
                select = Wire(f"{file.name}_{name}", len(value), (), space, valid)
                wave[select] = self._delay(f"{file.name}_{name}", value, 1)
        return wave

    def _copies(self) -> dict[Wire, Value]:
        """The waves that move words between register files: what to read, and what to write when it is read."""
        wave: dict[Wire, Value] = {}
        for copy in self.spec.copies:
            source, file = self.spec.file(copy.tap.file), self.spec.file(copy.sink.file)
            copier = self.fillers[copy.name] = self._use(copy.name, Copier, copy)
            taken, owner = self.files[source.name], self.files[file.name]
            self.m.d.comb += [copier.start.eq(self.go), copier.source_full.eq(taken.full), copier.free.eq(owner.free)]
            self.m.d.comb += taken.retire.eq(copier.retire)
            joined(self.m, owner, copier, ("reserve", "commit"))
            ends = (("read_address", source, copier.r_address + taken.read_base),
                    ("address", file, copier.address + owner.write_base))  # fmt: skip
            for name, held_in, value in ends:
                address = Signal(addresses(held_in.halves * held_in.words), name=f"{file.name}_{name}", reset_less=True)
                self.m.d.sync += address.eq(value)
                wave[Wire(f"{file.name}_{name}", len(address))] = address
            for name, pulse in (("read", copier.r_step), ("valid", copier.valid)):
                wave[Wire(f"{file.name}_{name}", 1)] = self._delay(f"{file.name}_{name}", pulse, 1, reset=True)
        return wave

    def _array(self, wave: dict[Wire, Value]) -> tuple[Value, Value]:
        acc, compute = self.spec, self.spec.compute
        every = tuple(acc.read_by(compute.operands).values())
        memories = tuple(memory for memory in every if memory.name not in compute.windows)
        spec = SequencerSpec(compute, memories)
        sequencer = self.sequencer = self._use(self._own("sequencer"), Sequencer, spec)
        self.m.d.comb += sequencer.start.eq(self.go)
        for memory in memories:
            buffer = self.buffers[memory.name]
            self.m.d.comb += [buffer.r_step.eq(sequencer.step), sequencer[f"{memory.name}_full"].eq(buffer.full)]
            self.m.d.comb += buffer.retire.eq(sequencer[f"{memory.name}_retire"])
            joined(self.m, buffer.side("r"), sequencer.side(memory.name), asked(memory))
        self._windows()
        for name in compute.files:
            owner = self.files[name]
            self.m.d.comb += owner.retire.eq(sequencer[f"{name}_retire"])
            self.m.d.comb += sequencer[f"{name}_full"].eq(owner.full)
        arrival = compute.arrival
        for operand in compute.operands:
            wave |= self._operand(operand, sequencer, arrival)
        for mask in compute.masks:
            extents = [(space, weight) for space in acc.spaces for name, weight in mask.weights if name == space.name]
            bits = [
                sequencer[mask.name]
                >= sum(weight * lane for (_, weight), lane in zip(extents, lanes, strict=True))
                for lanes in product(*(range(space.extent) for space, _ in extents))
            ]
            wire = Wire(mask.name, 1, tuple(space.name for space, _ in extents))
            wave[wire] = self._delay(self._own(mask.name), Cat(*bits), arrival)
        if any(isinstance(node, Scan) for node in nodes(compute.value)):
            wave[Wire(STEP, 1)] = self._delay(self._own(STEP), sequencer.step, arrival, reset=True)
        return sequencer.step, self._drain(wave, sequencer, arrival)

    def _windows(self) -> None:
        """Between a memory and the array, of which it takes a step with each of its own."""
        self.windows = {}
        for name, (window, read) in self.spec.compute.windows.items():
            memory, buffer = self.spec.memory(name), self.buffers[name]
            shifter = self.windows[name] = self._use(window.name, Shifter, (window, memory, read))
            self.m.d.comb += [shifter.start.eq(self.go), shifter.source_full.eq(buffer.full)]
            self.m.d.comb += [shifter.words.eq(buffer.r_data), shifter.take.eq(self.sequencer.step)]
            self.m.d.comb += self.sequencer[f"{name}_full"].eq(shifter.ready)
            joined(self.m, buffer, shifter, ("retire", "r_step"))
            joined(self.m, buffer.side("r"), shifter.side("r"), asked(memory))

    def _operand(self, operand: Operand, sequencer: Ports, arrival: int) -> dict[Wire, Value]:
        """The operand's wires and their values as they enter the array, `arrival` cycles after a step."""
        name, bits = identifier(operand.name), operand.type.bits
        if isinstance(source := operand.source, Lanes):
            memory = self.spec.memory(source.tap.memory)
            if source.window:
                data = words_of(self.windows[memory.name].data, bits, source.lanes, slot(source.window, memory))
            else:
                data = words_of(self.buffers[memory.name].r_data, bits, source.lanes)
            early = arrival - source.arrival(memory)
            return {Wire(name, bits, operand.spaces): self._delay(self._own(name), data, early)}
        if isinstance(source, FileTap) and source.data:
            return {}
        if isinstance(source, FileTap):
            file, owner = self.spec.file(source.file), self.files[source.file]
            address = Signal(addresses(file.halves * file.words), name=f"{name}_at", reset_less=True)
            self.m.d.sync += address.eq(sequencer[f"{name}_address"] + owner.read_base)
            return {
                Wire(f"{name}_read_address", len(address)): self._delay(
                    self._own(f"{name}_address"), address, arrival - RAM_LATENCY - 1
                ),
                Wire(f"{name}_read", 1): self._delay(
                    self._own(f"{name}_read"), sequencer.step, arrival - RAM_LATENCY, reset=True
                ),
            }
        values = []
        for offset in source.offsets:
            label = len(values) if isinstance(offset, Varies) else offset
            value = Signal(bits, name=f"{name}_plus_{label}".replace("-", "minus"), reset_less=True)
            self.m.d.sync += value.eq(sequencer[name] + self.library.number(f"{name}_offset", offset, lambda n: n))
            values.append(value)
        return {Wire(name, bits, operand.spaces): self._delay(self._own(name), Cat(*values), arrival - 1)}

    def _drain(self, wave: dict[Wire, Value], sequencer: Ports, arrival: int) -> Value:
        """Levels of partial sums, array and writer; whether the writer is idle."""
        acc, sums = self.spec, self.spec.sums
        address = Signal(addresses(sums[0].halves * sums[0].words), name="acc_at", reset_less=True)
        wave |= {
            Wire("acc_valid", 1, sums=True): self._delay(self._own("acc_valid"), sequencer.step, arrival, reset=True),
            Wire("acc_first", 1, sums=True): self._delay(self._own("acc_first"), sequencer.first, arrival),
            Wire("acc_address", len(address), sums=True): self._delay(self._own("acc_address"), address, arrival - 1),
        }
        targets = [address]
        for number in range(1, len(acc.sums)):
            self._folder(number, targets)
            wave |= self._wave(number, targets[number]) if acc.sums[number].inside else {}
        spec = lanes_spec(acc, tuple(wave))
        array = self._use(self._own("array"), node(spec), spec)
        self.m.d.comb += [array[wire.name].eq(value) for wire, value in wave.items()]
        source: Drained = (array, spec)
        writers = [(sequencer, sequencer.acc_address), *((folder, folder.address) for folder in self.folders)]
        for number, level in enumerate(sums):
            parts = PingPongSpec(level.halves, level.words, level.landed, level.returned)
            owner = self._use(self._own("tiles") if number == 0 else f"{level.name}_tiles", PingPong, parts)
            writing, place = writers[number]
            self.m.d.sync += targets[number].eq(place + owner.write_base)
            self.m.d.comb += writing.free.eq(owner.free)
            joined(self.m, owner, writing, ("reserve", "commit"))
            if number < len(acc.folds):
                source = self._taken(number + 1, owner, source, targets[number + 1])
        return self._writer(owner, source)

    def _folder(self, number: int, targets: list[Signal]) -> None:
        """The fold into level `number`, and the address where its words go."""
        fold, source, into = self.spec.folds[number - 1], self.spec.sums[number - 1], self.spec.sums[number]
        spec = FoldSpec(fold, source.halves * source.words)
        self.folders.append(self._use(fold.name, Folder, spec))
        words = addresses(into.halves * into.words)
        targets.append(Signal(words, name=f"{into.name}_at", reset_less=True))

    def _wave(self, number: int, address: Signal) -> dict[Wire, Value]:
        """A fold in all lanes at once: what to take, and where that goes."""
        folder, name = self.folders[number - 1], f"acc_{number}"
        return {
            Wire(f"{name}_valid", 1, sums=True): self._delay(self._own(f"{name}_valid"), folder.r_step, 1, reset=True),
            Wire(f"{name}_first", 1, sums=True): self._delay(self._own(f"{name}_first"), folder.first, 1),
            Wire(f"{name}_address", len(address), sums=True): address,
            Wire(f"{name}_from", len(folder.drain_address), sums=True): folder.drain_address,
        }

    def _taken(self, number: int, owner: Ports, source: Drained, address: Signal) -> Drained:
        """The fold into level `number` takes parts from `owner`; what holds that level's words."""
        into, folder = self.spec.sums[number], self.folders[number - 1]
        self.m.d.comb += [folder.start.eq(self.go), folder.source_full.eq(owner.full), owner.retire.eq(folder.retire)]
        self.m.d.comb += folder.base.eq(owner.read_base)
        if into.inside:
            self.folded.append(Const(into.lanes))
            return source
        wave = self._arriving(number, folder, source, address)
        spec = banks_spec(self.spec, number, tuple(wave))
        banks = self._use(into.name, node(spec), spec)
        self.m.d.comb += [banks[wire.name].eq(value) for wire, value in wave.items()]
        return banks, spec

    def _arriving(self, number: int, folder: Ports, source: Drained, address: Signal) -> dict[Wire, Value]:
        """The words that the fold into level `number` takes out of the one before, and where they go, LEAD cycles ahead
        of them."""
        fold, taken, into = self.spec.folds[number - 1], self.spec.sums[number - 1], self.spec.sums[number]
        name = into.name
        data = Signal(source[1].drain_width, name=f"{name}_data")
        drained(self.m, source, folder, data)
        spaces = bank_spaces(self.spec, into)
        lanes, early = tuple(space.name for space in spaces), into.arrival - LEAD
        working = lanes_at_work(fold.tap.masks, spaces, folder)
        self.folded.append(sum(working, Const(0)))
        valid = Mux(folder.r_step, Cat(*working), 0)
        return {
            Wire("acc_valid", 1, lanes, sums=True): self._delay(f"{name}_valid", valid, early, reset=True),
            Wire("acc_first", 1, sums=True): self._delay(f"{name}_first", folder.first, early),
            Wire("acc_address", len(address), sums=True): self._delay(f"{name}_address", address, early - 1),
            Wire("acc_value", into.type.bits, lanes, sums=True): self._delay(
                f"{name}_value", data, into.arrival - taken.drained - 1
            ),
        }

    def _writer(self, owner: Ports, source: Drained) -> Value:
        """The writer, which takes the last level; whether it is idle."""
        acc, write, sums = self.spec, self.spec.write, self.spec.sums[-1]
        memories = tuple(acc.read_by(write.operands).values())
        targets = tuple(self.around.memories[sink.memory] for sink in write.inside)
        tiles = write.outside is not None and write.outside.port.name == self.around.passing
        writing = WriterSpec(write, memories, targets, sums.type, sums.halves * sums.words, sums.drained, tiles)
        writer = self.writer = self._use(self._own("writer"), Writer, writing)
        self.m.d.comb += [writer.start.eq(self.go), owner.retire.eq(writer.retire)]
        self.m.d.comb += writer.tile_full.eq(self._finished(writer) if write.tap.piece is not None else owner.full)
        self.m.d.comb += writer.base.eq(owner.read_base)
        drained(self.m, source, writer, writer.drain_data)
        for memory in memories:
            buffer = self.buffers[memory.name]
            self.m.d.comb += [
                buffer.r_step.eq(writer[f"{memory.name}_step"]),
                buffer.retire.eq(writer[f"{memory.name}_retire"]),
                writer[f"{memory.name}_full"].eq(buffer.full),
                writer[f"{memory.name}_data"].eq(buffer.r_data),
            ]
            joined(self.m, buffer.side("r"), writer.side(memory.name), asked(memory))
        if sink := write.outside:
            port = sink.port.name
            for channel in ("addr", "data") + (("mask",) if write.lanes > 1 else ()):
                self.m.d.comb += self.outside[f"{port}_{channel}"].eq(writer[channel])
            self.m.d.comb += self.control[f"{port}_offer"].eq(writer.valid)
            self.m.d.comb += writer.ready.eq(self.outside[f"{port}_ready"])
            self.m.d.comb += [self.outside[f"{port}_closes"].eq(writer.closes)] if tiles else []
        if write.partial:
            self.m.d.comb += self.loaders[write.partial].stored.eq(writer.stored)
        self._land(writing)
        return writer.idle

    def _finished(self, writer: Ports) -> Value:
        """Whether a piece of sums is complete that the writer has not passed."""
        write, sums = self.spec.write, self.spec.sums[-1]
        count = prod(axis.extent for axis in write.walk.axes[write.tap.tile : write.tap.piece])
        pieces = self._use(self._own("finished"), Arrivals, ArrivalsSpec(sums.halves * count))
        landed = self._delay(self._own("finishing"), self.sequencer.finished, sums.landed, reset=True)
        self.m.d.comb += [pieces.landed.eq(landed), pieces.passed.eq(writer.passed), pieces.again.eq(0)]
        return pieces.there

    @property
    def landed(self) -> Value:
        """The words that the writer puts into the first of other stages' memories in this cycle."""
        name = f"{self.spec.write.inside[0].memory}_w"
        valid = self.writer[f"{name}_valid"]
        return masked(valid, self.writer[f"{name}_mask"]) if self.spec.write.lanes > 1 else valid

    def _land(self, writing: WriterSpec) -> None:
        """The words that the writer has for the memories of other stages, which were wired before."""
        for memory in writing.targets:
            into, own = self.around.buffers[memory.name], self.writer.side(memory.name)
            self.m.d.comb += own["free"].eq(into.free)
            self.m.d.comb += [into[pulse].eq(own[pulse]) for pulse in ("reserve", "commit")]
            joined(self.m, into.side("w"), self.writer.side(f"{memory.name}_w"), written(memory))
