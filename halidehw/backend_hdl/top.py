"""The accelerator: processes, memories and the array, wired together."""

from __future__ import annotations

from itertools import product

from amaranth.hdl import Cat, ClockDomain, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from halidehw.backend_hdl.accumulate import LEAD
from halidehw.backend_hdl.buffer import Buffer, rotating
from halidehw.backend_hdl.control import Control, control_spec
from halidehw.backend_hdl.counters import detailed
from halidehw.backend_hdl.fold import Folder, FoldSpec
from halidehw.backend_hdl.grid import NodeSpec, OutputSpec, node
from halidehw.backend_hdl.library import RAM_LATENCY, Library, Part, Ports, addresses, delay, identifier
from halidehw.backend_hdl.pingpong import PingPong, PingPongSpec
from halidehw.backend_hdl.sequencer import Sequencer, SequencerSpec
from halidehw.backend_hdl.timing import bank_spaces, banks_spec, folded, handovers, lanes_spec
from halidehw.backend_hdl.transfer import Copier, Filler, Loader, Mover
from halidehw.backend_hdl.wave import Wire
from halidehw.backend_hdl.window import Shifter
from halidehw.backend_hdl.writer import Writer, WriterSpec
from halidehw.microarch.interface import Port, channels
from halidehw.microarch.network import Network, Space
from halidehw.microarch.processes import Fold, Operand
from halidehw.microarch.stores import Memory, Sums
from halidehw.microarch.taps import FileTap, Lanes, Mask

Drained = tuple[Ports, NodeSpec | OutputSpec]
"""What holds the words of a level of partial sums: its ports and its spec."""


class Top(Part[Network]):
    """A whole accelerator.

    A `start` is taken when idle; the processes then run by themselves, meeting only in buffers. Reset at any time
    leaves it idle; contents of memories are not cleared and not needed. An abort ends in the same reset of everything
    but `control`, which says when.
    """

    def __init__(self, library: Library, spec: Network):
        self.title = spec.interface.module
        members = {"clk": In(1), "rst": In(1), "start": In(1), "abort": In(1), "idle": Out(1), "done": Out(1)}
        for port in spec.interface.ports:
            members |= _port_members(port)
        members |= {counter.name: Out(counter.bits) for counter in spec.interface.counters}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, acc = Module(), self.spec
        control = self.control = self._control(m)
        self.go, self.running = control.go, control.running
        self.buffers = {mem.name: self.library.use(m, mem.name, Buffer, mem) for mem in acc.memories}
        self.files = {
            file.name: self.library.use(m, f"{file.name}_owner", PingPong, PingPongSpec(file.halves, file.words))
            for file in acc.files
        }
        self.fillers: dict[str, Ports] = {}
        self.folders: list[Ports] = []
        self.folded: list[Value] = []
        self._loads(m)
        self._moves(m)
        wave = self._fills(m) | self._copies(m)
        step, finished = self._array(m, wave)
        m.d.comb += control.finished.eq(finished)
        self._count(m, step)
        return m

    def _control(self, m: Module) -> Ports:
        """What starts and stops a run; everything else has its reset besides the accelerator's own."""
        m.domains.sync = domain = ClockDomain()
        domain.clk, domain.rst = self.clk, Signal(name="clear")
        control = self.library.use(m, "control", Control, control_spec(self.spec), reset=self.rst)
        m.d.comb += [domain.rst.eq(self.rst | control.reset), control.start.eq(self.start)]
        m.d.comb += [control.abort.eq(self.abort), self.idle.eq(control.idle), self.done.eq(control.done)]
        for channel in control_spec(self.spec).channels:
            m.d.comb += control[f"{channel}_ready"].eq(self[f"{channel}_ready"])
            m.d.comb += self[f"{channel}_valid"].eq(control[f"{channel}_valid"])
        return control

    def _loads(self, m: Module) -> None:
        self.loaders = {}
        for load in self.spec.loads:
            memory = self.spec.memory(load.sink.memory)
            loader = self.loaders[memory.name] = self.library.use(m, load.name, Loader, (load, memory))
            buffer, name = self.buffers[memory.name], load.tap.port.name
            m.d.comb += loader.start.eq(self.go)
            for channel in ("req_addr",) + (("req_mask",) if load.tap.port.lanes > 1 else ()):
                m.d.comb += self[f"{name}_{channel}"].eq(loader[channel])
            for channel in ("req_ready", "resp_valid", "resp_data"):
                m.d.comb += loader[channel].eq(self[f"{name}_{channel}"])
            m.d.comb += [
                self.control[f"{name}_req_offer"].eq(loader.req_valid),
                self.control[f"{name}_take"].eq(loader.resp_ready),
                self.control[f"{name}_resp_valid"].eq(self[f"{name}_resp_valid"]),
                self[f"{name}_resp_ready"].eq(self.control[f"{name}_resp_ready"]),
            ]
            m.d.comb += [loader.free.eq(buffer.free), loader.granted.eq(buffer.granted)]
            _same(m, buffer, loader, ("reserve", "commit", *_writing(buffer)))

    def _moves(self, m: Module) -> None:
        for move in self.spec.moves:
            source, target = self.spec.memory(move.tap.tap.memory), self.spec.memory(move.sink.memory)
            mover = self.library.use(m, move.name, Mover, (move, source, target))
            taken, given = self.buffers[source.name], self.buffers[target.name]
            m.d.comb += [mover.start.eq(self.go), mover.source_full.eq(taken.full), mover.free.eq(given.free)]
            _same(m, taken, mover, ("retire", "r_step", *_reading(source)))
            _same(m, given, mover, ("reserve", "commit", *(name for name in _writing(given) if name != "w_data")))
            m.d.comb += given.w_data.eq(_lanes(taken.r_data, source.type.bits, move.tap.lanes))

    def _fills(self, m: Module) -> dict[Wire, Value]:
        """The fill waves, with a register behind the base address."""
        wave: dict[Wire, Value] = {}
        for fill in self.spec.fills:
            source, file = self.spec.memory(fill.tap.tap.memory), self.spec.file(fill.sink.file)
            filler = self.fillers[fill.name] = self.library.use(m, fill.name, Filler, (fill, source, file))
            taken, owner = self.buffers[source.name], self.files[file.name]
            m.d.comb += [filler.start.eq(self.go), filler.source_full.eq(taken.full), filler.free.eq(owner.free)]
            _same(m, taken, filler, ("retire", "r_step", *_reading(source)))
            _same(m, owner, filler, ("reserve", "commit"))
            address = Signal(addresses(file.halves * file.words), name=f"{file.name}_fill_address", reset_less=True)
            m.d.sync += address.eq(filler.address + owner.write_base)
            data = _lanes(taken.r_data, file.type.bits, fill.tap.lanes)
            valid = f"{file.name}_valid"
            wave[Wire(valid, 1)] = delay(m, valid, filler.valid, 1, reset=True)
            wave[Wire(f"{file.name}_address", len(address))] = address
            wave[Wire(f"{file.name}_data", file.type.bits, fill.sink.bus)] = delay(m, f"{file.name}_data", data, 1)
            for space in fill.sink.selects:
                name = f"select_{identifier(space)}"
                value = filler[name]
                select = Wire(f"{file.name}_{name}", len(value), (), space, valid)
                wave[select] = delay(m, f"{file.name}_{name}", value, 1)
        return wave

    def _copies(self, m: Module) -> dict[Wire, Value]:
        """The waves that move words between register files: what to read, and what to write when it is read."""
        wave: dict[Wire, Value] = {}
        for copy in self.spec.copies:
            source, file = self.spec.file(copy.tap.file), self.spec.file(copy.sink.file)
            copier = self.fillers[copy.name] = self.library.use(m, copy.name, Copier, copy)
            taken, owner = self.files[source.name], self.files[file.name]
            m.d.comb += [copier.start.eq(self.go), copier.source_full.eq(taken.full), copier.free.eq(owner.free)]
            m.d.comb += taken.retire.eq(copier.retire)
            _same(m, owner, copier, ("reserve", "commit"))
            ends = (("read_address", source, copier.r_address + taken.read_base),
                    ("address", file, copier.address + owner.write_base))  # fmt: skip
            for name, held_in, value in ends:
                address = Signal(addresses(held_in.halves * held_in.words), name=f"{file.name}_{name}", reset_less=True)
                m.d.sync += address.eq(value)
                wave[Wire(f"{file.name}_{name}", len(address))] = address
            for name, pulse in (("read", copier.r_step), ("valid", copier.valid)):
                wave[Wire(f"{file.name}_{name}", 1)] = delay(m, f"{file.name}_{name}", pulse, 1, reset=True)
        return wave

    def _array(self, m: Module, wave: dict[Wire, Value]) -> tuple[Value, Value]:
        acc, compute = self.spec, self.spec.compute
        every = tuple(acc.read_by(compute.operands).values())
        memories = tuple(memory for memory in every if memory.name not in compute.windows)
        watched = "macs" in {counter.name for counter in acc.interface.counters}
        spec = SequencerSpec(compute, memories, watched)
        sequencer = self.sequencer = self.library.use(m, "sequencer", Sequencer, spec)
        m.d.comb += sequencer.start.eq(self.go)
        for memory in memories:
            buffer = self.buffers[memory.name]
            m.d.comb += [buffer.r_step.eq(sequencer.step), sequencer[f"{memory.name}_full"].eq(buffer.full)]
            m.d.comb += buffer.retire.eq(sequencer[f"{memory.name}_retire"])
            for name in _reading(memory):
                m.d.comb += buffer[name].eq(sequencer[f"{memory.name}{name.removeprefix('r')}"])
        self._windows(m)
        for name in compute.files:
            owner = self.files[name]
            m.d.comb += owner.retire.eq(sequencer[f"{name}_retire"])
            m.d.comb += sequencer[f"{name}_full"].eq(owner.full)
        arrival = max([1 + RAM_LATENCY, *(memory.latency for memory in every)])
        for operand in compute.operands:
            wave |= self._operand(m, operand, sequencer, arrival)
        for mask in compute.masks:
            extents = [(space, weight) for space in acc.spaces for name, weight in mask.weights if name == space.name]
            bits = [
                sequencer[mask.name]
                >= sum(weight * lane for (_, weight), lane in zip(extents, lanes, strict=True))
                for lanes in product(*(range(space.extent) for space, _ in extents))
            ]
            wire = Wire(mask.name, 1, tuple(space.name for space, _ in extents))
            wave[wire] = delay(m, mask.name, Cat(*bits), arrival)
        return sequencer.step, self._drain(m, wave, sequencer, arrival)

    def _windows(self, m: Module) -> None:
        """Between a memory and the array, of which it takes a step with each of its own."""
        self.windows = {}
        for name, (window, read) in self.spec.compute.windows.items():
            memory, buffer = self.spec.memory(name), self.buffers[name]
            shifter = self.windows[name] = self.library.use(m, window.name, Shifter, (window, memory, read))
            m.d.comb += [shifter.start.eq(self.go), shifter.source_full.eq(buffer.full)]
            m.d.comb += [shifter.words.eq(buffer.r_data), shifter.take.eq(self.sequencer.step)]
            m.d.comb += self.sequencer[f"{name}_full"].eq(shifter.ready)
            _same(m, buffer, shifter, ("retire", "r_step", *_reading(memory)))

    def _operand(self, m: Module, operand: Operand, sequencer: Ports, arrival: int) -> dict[Wire, Value]:
        """The operand's wires and their values as they enter the array."""
        name, bits = identifier(operand.name), operand.type.bits
        if isinstance(source := operand.source, Lanes):
            memory = self.spec.memory(source.tap.memory)
            words = self.windows[memory.name].data if source.window else self.buffers[memory.name].r_data
            data = _lanes(words, bits, source.lanes)
            return {Wire(name, bits, operand.spaces): delay(m, name, data, arrival - memory.latency)}
        if isinstance(source, FileTap):
            file, owner = self.spec.file(source.file), self.files[source.file]
            address = Signal(addresses(file.halves * file.words), name=f"{name}_at", reset_less=True)
            m.d.sync += address.eq(sequencer[f"{name}_address"] + owner.read_base)
            return {
                Wire(f"{name}_read_address", len(address)): delay(
                    m, f"{name}_address", address, arrival - RAM_LATENCY - 1
                ),
                Wire(f"{name}_read", 1): delay(m, f"{name}_read", sequencer.step, arrival - RAM_LATENCY, reset=True),
            }
        values = []
        for offset in source.offsets:
            value = Signal(bits, name=f"{name}_plus_{offset}".replace("-", "minus"), reset_less=True)
            m.d.sync += value.eq(sequencer[name] + offset)
            values.append(value)
        return {Wire(name, bits, operand.spaces): delay(m, name, Cat(*values), arrival - 1)}

    def _drain(self, m: Module, wave: dict[Wire, Value], sequencer: Ports, arrival: int) -> Value:
        """Levels of partial sums, array and writer; whether the writer is idle."""
        acc, sums = self.spec, self.spec.sums
        address = Signal(addresses(sums[0].halves * sums[0].words), name="acc_at", reset_less=True)
        wave |= {
            Wire("acc_valid", 1): delay(m, "acc_valid", sequencer.step, arrival, reset=True),
            Wire("acc_first", 1): delay(m, "acc_first", sequencer.first, arrival),
            Wire("acc_address", len(address)): delay(m, "acc_address", address, arrival - 1),
        }
        targets = [address]
        for number in range(1, len(acc.sums)):
            self._folder(m, number, targets)
            wave |= self._wave(m, number, targets[number]) if acc.sums[number].inside else {}
        spec = lanes_spec(acc, tuple(wave))
        array = self.library.use(m, "array", node(spec), spec)
        m.d.comb += [array[wire.name].eq(value) for wire, value in wave.items()]
        source: Drained = (array, spec)
        writers = [(sequencer, sequencer.acc_address), *((folder, folder.address) for folder in self.folders)]
        for number, (level, handover) in enumerate(zip(sums, handovers(acc), strict=True)):
            parts = PingPongSpec(level.halves, level.words, handover.landed, handover.drain)
            owner = self.library.use(m, "tiles" if number == 0 else f"{level.name}_tiles", PingPong, parts)
            writing, place = writers[number]
            m.d.sync += targets[number].eq(place + owner.write_base)
            m.d.comb += writing.free.eq(owner.free)
            _same(m, owner, writing, ("reserve", "commit"))
            if number < len(acc.folds):
                source = self._taken(m, number + 1, owner, source, targets[number + 1])
        return self._writer(m, owner, source)

    def _folder(self, m: Module, number: int, targets: list[Signal]) -> None:
        """The fold into level `number`, and the address where its words go."""
        fold, source, into = self.spec.folds[number - 1], self.spec.sums[number - 1], self.spec.sums[number]
        spec = FoldSpec(fold, source.halves * source.words)
        self.folders.append(self.library.use(m, fold.name, Folder, spec))
        words = addresses(into.halves * into.words)
        targets.append(Signal(words, name=f"{into.name}_at", reset_less=True))

    def _wave(self, m: Module, number: int, address: Signal) -> dict[Wire, Value]:
        """A fold in all lanes at once: what to take, and where that goes."""
        folder, name = self.folders[number - 1], f"acc_{number}"
        return {
            Wire(f"{name}_valid", 1): delay(m, f"{name}_valid", folder.r_step, 1, reset=True),
            Wire(f"{name}_first", 1): delay(m, f"{name}_first", folder.first, 1),
            Wire(f"{name}_address", len(address)): address,
            Wire(f"{name}_from", len(folder.drain_address)): folder.drain_address,
        }

    def _taken(self, m: Module, number: int, owner: Ports, source: Drained, address: Signal) -> Drained:
        """The fold into level `number` takes parts from `owner`; what holds that level's words."""
        fold, into, folder = self.spec.folds[number - 1], self.spec.sums[number], self.folders[number - 1]
        m.d.comb += [folder.start.eq(self.go), folder.source_full.eq(owner.full), owner.retire.eq(folder.retire)]
        m.d.comb += folder.base.eq(owner.read_base)
        if into.inside:
            self.folded.append(Const(into.lanes))
            return source
        wave = self._arriving(m, fold, into, folder, source, address)
        spec = banks_spec(self.spec, number, tuple(wave))
        banks = self.library.use(m, into.name, node(spec), spec)
        m.d.comb += [banks[wire.name].eq(value) for wire, value in wave.items()]
        return banks, spec

    def _arriving(
        self, m: Module, fold: Fold, into: Sums, folder: Ports, source: Drained, address: Signal
    ) -> dict[Wire, Value]:
        """The words that a fold takes out of the lanes, and where they go, LEAD cycles ahead of them."""
        name, drain = into.name, source[1].drain_latency
        data = Signal(source[1].drain_width, name=f"{name}_data")
        _drain(m, source, folder, data)
        spaces = bank_spaces(self.spec, into)
        lanes, early = tuple(space.name for space in spaces), folded(drain) - LEAD
        working = _lanes_at_work(fold.tap.masks, spaces, folder)
        self.folded.append(sum(working, Const(0)))
        valid = Mux(folder.r_step, Cat(*working), 0)
        return {
            Wire("acc_valid", 1, lanes): delay(m, f"{name}_valid", valid, early, reset=True),
            Wire("acc_first", 1): delay(m, f"{name}_first", folder.first, early),
            Wire("acc_address", len(address)): delay(m, f"{name}_address", address, early - 1),
            Wire("acc_value", into.type.bits, lanes): delay(m, f"{name}_value", data, folded(drain) - drain - 1),
        }

    def _writer(self, m: Module, owner: Ports, source: Drained) -> Value:
        """The writer, which takes the last level; whether it is idle."""
        acc, write, sums = self.spec, self.spec.write, self.spec.sums[-1]
        memories = tuple(acc.read_by(write.operands).values())
        writing = WriterSpec(write, memories, sums.type, sums.halves * sums.words, source[1].drain_latency)
        writer = self.library.use(m, "writer", Writer, writing)
        m.d.comb += [writer.start.eq(self.go), writer.tile_full.eq(owner.full), owner.retire.eq(writer.retire)]
        m.d.comb += writer.base.eq(owner.read_base)
        _drain(m, source, writer, writer.drain_data)
        for memory in memories:
            buffer = self.buffers[memory.name]
            m.d.comb += [
                buffer.r_step.eq(writer[f"{memory.name}_step"]),
                buffer.retire.eq(writer[f"{memory.name}_retire"]),
                writer[f"{memory.name}_full"].eq(buffer.full),
                writer[f"{memory.name}_data"].eq(buffer.r_data),
            ]
            for name in _reading(memory):
                m.d.comb += buffer[name].eq(writer[f"{memory.name}{name.removeprefix('r')}"])
        port = write.port.name
        for channel in ("addr", "data") + (("mask",) if write.port.lanes > 1 else ()):
            m.d.comb += self[f"{port}_{channel}"].eq(writer[channel])
        m.d.comb += self.control[f"{port}_offer"].eq(writer.valid)
        m.d.comb += writer.ready.eq(self[f"{port}_ready"])
        if write.partial:
            m.d.comb += self.loaders[write.partial].stored.eq(writer.stored)
        return writer.idle

    def _count(self, m: Module, step: Value) -> None:
        events: dict[str, Value] = {"cycles": self.running, "steps": step}
        for port in self.spec.interface.ports:
            channel = f"{port.name}_req" if port.kind == "read" else port.name
            taken = self[f"{channel}_valid"] & self[f"{channel}_ready"]
            words: Value = taken
            if port.lanes > 1:
                mask = self[f"{channel}_mask"]
                words = Mux(taken, sum(mask[i] for i in range(port.lanes)), 0)
            events[f"{port.name}_words"] = words
        if "macs" in {counter.name for counter in self.spec.interface.counters}:
            folded = [(each.r_step, words, each.first) for each, words in zip(self.folders, self.folded, strict=True)]
            drained = events[f"{self.spec.write.port.name}_words"]
            events |= detailed(
                self.spec, self.buffers, self.fillers, self.sequencer, self.running, self.steps, folded, drained
            )
        for counter in self.spec.interface.counters:
            count = self[counter.name]
            with m.If(self.go):
                m.d.sync += count.eq(0)
            with m.Else():
                m.d.sync += count.eq(count + events[counter.name])


def _drain(m: Module, source: Drained, taker: Ports, data: Value) -> None:
    """A process says the address and the lanes of what it takes from a level, and gets the words as `data`."""
    lanes, spec = source
    m.d.comb += [lanes.drain_address.eq(taker.drain_address), data.eq(lanes.drain_data)]
    if isinstance(spec, OutputSpec):
        m.d.comb += [lanes[name].eq(taker[name]) for name, _ in spec.selects]


def _lanes_at_work(masks: tuple[Mask, ...], spaces: tuple[Space, ...], rooms: Ports) -> list[Value]:
    """For each lane of `spaces` whether no mask, of which `rooms` has the form's value, leaves it out."""
    found = []
    for lanes in product(*(range(space.extent) for space in spaces)):
        place = {space.name: lane for space, lane in zip(spaces, lanes, strict=True)}
        working: Value = Const(1)
        for mask in masks:
            working = working & (rooms[mask.name] >= sum(weight * place[n] for n, weight in mask.weights))
        found.append(working)
    return found


def _port_members(port: Port) -> dict[str, Member]:
    """The port's signals: what comes from the other side are ready, and all of a response but its ready."""
    inputs = {"ready", "req_ready", "resp_valid", "resp_data"}
    return {f"{port.name}_{n}": (In if n in inputs else Out)(width) for n, width in channels(port).items()}


def _writing(buffer: Ports) -> list[str]:
    return [name for name in buffer if name.startswith("w_")]


def _reading(memory: Memory) -> list[str]:
    fresh = ["r_fresh"] if memory.follows else []
    ring = ["r_last", *(f"r_left{k}" for k in range(len(memory.ring.ends)))] if memory.ring else []
    return ["r_address", *fresh, *(f"r_place{d}" for d in rotating(memory)), *ring]


def _same(m: Module, target: Ports, source: Ports, names: tuple[str, ...]) -> None:
    m.d.comb += [target[name].eq(source[name]) for name in names]


def _lanes(data: Value, bits: int, lanes: tuple[int, ...]) -> Value:
    return Cat(*(data[lane * bits : (lane + 1) * bits] for lane in lanes))
