"""The accelerator: processes, memories and the array, wired together."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.accumulate import AccumulateSpec
from halidehw.backend_hdl.buffer import Buffer, rotating
from halidehw.backend_hdl.counters import detailed
from halidehw.backend_hdl.grid import NodeSpec, OutputSpec, array_spec, node
from halidehw.backend_hdl.library import RAM_LATENCY, Library, Part, addresses, delay, identifier
from halidehw.backend_hdl.pe import PESpec, held
from halidehw.backend_hdl.pingpong import PingPong, PingPongSpec
from halidehw.backend_hdl.sequencer import Sequencer, SequencerSpec
from halidehw.backend_hdl.transfer import Copier, Filler, Loader, Mover
from halidehw.backend_hdl.wave import Wire
from halidehw.backend_hdl.writer import Writer, WriterSpec
from halidehw.microarch.accelerator import Accelerator, Memory, Operand
from halidehw.microarch.interface import Port


class Top(Part[Accelerator]):
    """A whole accelerator: see `microarch.interface` for its ports.

    A `start` is taken when idle; the processes then run by themselves, meeting only in buffers. Reset at any time
    leaves it idle; contents of memories are not cleared and not needed.
    """

    def __init__(self, library: Library, spec: Accelerator):
        self.title = spec.interface.module
        members = {"start": In(1), "done": Out(1)}
        for port in spec.interface.ports:
            members |= _port_members(port)
        members |= {counter.name: Out(counter.bits) for counter in spec.interface.counters}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, acc = Module(), self.spec
        running, finished, go = Signal(name="running"), Signal(name="finished"), Signal(name="go")
        m.d.comb += [go.eq(self.start & ~running), self.done.eq(finished)]
        self.go, self.running = go, running
        self.buffers = {mem.name: self.library.use(m, mem.name, Buffer, mem) for mem in acc.memories}
        self.files = {
            file.name: self.library.use(m, f"{file.name}_owner", PingPong, PingPongSpec(file.halves, file.words))
            for file in acc.files
        }
        self.fillers: dict[str, SimpleNamespace] = {}
        self._loads(m)
        self._moves(m)
        wave = self._fills(m) | self._copies(m)
        step, idle = self._array(m, wave)
        with m.If(go):
            m.d.sync += [running.eq(1), finished.eq(0)]
        with m.Elif(running & idle):
            m.d.sync += [running.eq(0), finished.eq(1)]
        self._count(m, step)
        return m

    def _loads(self, m: Module) -> None:
        self.loaders = {}
        for load in self.spec.loads:
            memory = self.spec.memory(load.store.memory)
            loader = self.loaders[load.name] = self.library.use(m, load.name, Loader, (load, memory))
            buffer, name = self.buffers[memory.name], load.port.name
            m.d.comb += loader.start.eq(self.go)
            for channel in ("req_valid", "req_addr", "resp_ready") + (("req_mask",) if load.port.lanes > 1 else ()):
                m.d.comb += getattr(self, f"{name}_{channel}").eq(getattr(loader, channel))
            for channel in ("req_ready", "resp_valid", "resp_data"):
                m.d.comb += getattr(loader, channel).eq(getattr(self, f"{name}_{channel}"))
            m.d.comb += [loader.free.eq(buffer.free), loader.granted.eq(buffer.granted)]
            _same(m, buffer, loader, ("reserve", "commit", *_writing(buffer)))

    def _moves(self, m: Module) -> None:
        for move in self.spec.moves:
            source, target = self.spec.memory(move.read.memory), self.spec.memory(move.store.memory)
            mover = self.library.use(m, move.name, Mover, (move, source, target))
            taken, given = self.buffers[source.name], self.buffers[target.name]
            m.d.comb += [mover.start.eq(self.go), mover.source_full.eq(taken.full), mover.free.eq(given.free)]
            _same(m, taken, mover, ("retire", "r_step", *_reading(source)))
            _same(m, given, mover, ("reserve", "commit", *(name for name in _writing(given) if name != "w_data")))
            m.d.comb += given.w_data.eq(_lanes(taken.r_data, source.type.bits, move.lanes))

    def _fills(self, m: Module) -> dict[Wire, Value]:
        """The fill waves, with a register behind the base address."""
        wave: dict[Wire, Value] = {}
        for fill in self.spec.fills:
            source, file = self.spec.memory(fill.read.memory), self.spec.file(fill.file)
            filler = self.fillers[fill.name] = self.library.use(m, fill.name, Filler, (fill, source, file))
            taken, owner = self.buffers[source.name], self.files[file.name]
            m.d.comb += [filler.start.eq(self.go), filler.source_full.eq(taken.full), filler.free.eq(owner.free)]
            _same(m, taken, filler, ("retire", "r_step", *_reading(source)))
            _same(m, owner, filler, ("reserve", "commit"))
            address = Signal(addresses(file.halves * file.words), name=f"{file.name}_fill_address", reset_less=True)
            m.d.sync += address.eq(filler.address + owner.write_base)
            data = _lanes(taken.r_data, file.type.bits, fill.lanes)
            valid = f"{file.name}_valid"
            wave[Wire(valid, 1)] = delay(m, valid, filler.valid, 1, reset=True)
            wave[Wire(f"{file.name}_address", len(address))] = address
            wave[Wire(f"{file.name}_data", file.type.bits, fill.bus)] = delay(m, f"{file.name}_data", data, 1)
            for space in fill.selects:
                name = f"select_{identifier(space)}"
                value = getattr(filler, name)
                select = Wire(f"{file.name}_{name}", len(value), (), space, valid)
                wave[select] = delay(m, f"{file.name}_{name}", value, 1)
        return wave

    def _copies(self, m: Module) -> dict[Wire, Value]:
        """The waves that move words between register files: what to read, and what to write when it is read."""
        wave: dict[Wire, Value] = {}
        for copy in self.spec.copies:
            source, file = self.spec.file(copy.source), self.spec.file(copy.file)
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
        memories = tuple({o.read.memory: acc.memory(o.read.memory) for o in compute.operands if o.read}.values())
        watched = "macs" in {counter.name for counter in acc.interface.counters}
        spec = SequencerSpec(compute, memories, watched)
        sequencer = self.sequencer = self.library.use(m, "sequencer", Sequencer, spec)
        m.d.comb += sequencer.start.eq(self.go)
        for memory in memories:
            buffer = self.buffers[memory.name]
            m.d.comb += [buffer.r_step.eq(sequencer.step), getattr(sequencer, f"{memory.name}_full").eq(buffer.full)]
            m.d.comb += buffer.retire.eq(getattr(sequencer, f"{memory.name}_retire"))
            for name in _reading(memory):
                m.d.comb += getattr(buffer, name).eq(getattr(sequencer, f"{memory.name}{name.removeprefix('r')}"))
        for name in compute.files:
            owner = self.files[name]
            m.d.comb += owner.retire.eq(getattr(sequencer, f"{name}_retire"))
            m.d.comb += getattr(sequencer, f"{name}_full").eq(owner.full)
        arrival = max([1 + RAM_LATENCY, *(memory.latency for memory in memories)])
        for operand in compute.operands:
            wave |= self._operand(m, operand, sequencer, arrival)
        for mask in compute.masks:
            extents = [(space, weight) for space in acc.spaces for name, weight in mask.weights if name == space.name]
            bits = [
                getattr(sequencer, mask.name)
                >= sum(weight * lane for (_, weight), lane in zip(extents, lanes, strict=True))
                for lanes in product(*(range(space.extent) for space, _ in extents))
            ]
            wire = Wire(mask.name, 1, tuple(space.name for space, _ in extents))
            wave[wire] = delay(m, mask.name, Cat(*bits), arrival)
        return sequencer.step, self._drain(m, wave, sequencer, arrival)

    def _operand(self, m: Module, operand: Operand, sequencer: SimpleNamespace, arrival: int) -> dict[Wire, Value]:
        """The operand's wires and their values as they enter the array."""
        name, bits = identifier(operand.name), operand.type.bits
        if operand.read:
            memory = self.spec.memory(operand.read.memory)
            data = _lanes(self.buffers[memory.name].r_data, bits, operand.lanes)
            return {Wire(name, bits, operand.spaces): delay(m, name, data, arrival - memory.latency)}
        if operand.file:
            file, owner = self.spec.file(operand.file), self.files[operand.file]
            address = Signal(addresses(file.halves * file.words), name=f"{name}_at", reset_less=True)
            m.d.sync += address.eq(getattr(sequencer, f"{name}_address") + owner.read_base)
            return {
                Wire(f"{name}_read_address", len(address)): delay(
                    m, f"{name}_address", address, arrival - RAM_LATENCY - 1
                ),
                Wire(f"{name}_read", 1): delay(m, f"{name}_read", sequencer.step, arrival - RAM_LATENCY, reset=True),
            }
        values = []
        for offset in operand.offsets:
            value = Signal(bits, name=f"{name}_plus_{offset}".replace("-", "minus"), reset_less=True)
            m.d.sync += value.eq(getattr(sequencer, name) + offset)
            values.append(value)
        return {Wire(name, bits, operand.spaces): delay(m, name, Cat(*values), arrival - 1)}

    def _drain(self, m: Module, wave: dict[Wire, Value], sequencer: SimpleNamespace, arrival: int) -> Value:
        """Accumulators, array and writer; whether the writer is idle."""
        acc, sums = self.spec, self.spec.compute.accumulator
        words = sums.halves * sums.words
        address = Signal(addresses(words), name="acc_at", reset_less=True)
        wave |= {
            Wire("acc_valid", 1): delay(m, "acc_valid", sequencer.step, arrival, reset=True),
            Wire("acc_first", 1): delay(m, "acc_first", sequencer.first, arrival),
            Wire("acc_address", len(address)): delay(m, "acc_address", address, arrival - 1),
        }
        masks = tuple(mask.name for mask in acc.compute.masks)
        pe = PESpec(acc.compute.value, sums.type, sums.combine, (), held(acc), masks)
        partial = AccumulateSpec(words, sums.type, sums.combine, sums.init, not sums.reductions)
        write = acc.write
        spec = array_spec(acc.spaces, tuple(wave), pe, partial, write.vector_space, write.port.lanes)
        array = self.library.use(m, "array", node(spec), spec)
        m.d.comb += [getattr(array, wire.name).eq(value) for wire, value in wave.items()]
        skew = sum(space.extent - 1 for space in acc.spaces if space.systolic and not space.reduction)
        landed = arrival + skew + inner_latency(spec) + 2
        parts = PingPongSpec(sums.halves, sums.words, landed, spec.drain_latency)
        owner = self.library.use(m, "tiles", PingPong, parts)
        m.d.sync += address.eq(sequencer.acc_address + owner.write_base)
        m.d.comb += sequencer.free.eq(owner.free)
        _same(m, owner, sequencer, ("reserve", "commit"))
        memories = tuple({o.read.memory: acc.memory(o.read.memory) for o in write.operands if o.read}.values())
        writing = WriterSpec(write, memories, sums.type, words, spec.drain_latency)
        writer = self.library.use(m, "writer", Writer, writing)
        m.d.comb += [writer.start.eq(self.go), writer.tile_full.eq(owner.full), owner.retire.eq(writer.retire)]
        m.d.comb += [writer.base.eq(owner.read_base), array.drain_address.eq(writer.drain_address)]
        m.d.comb += writer.drain_data.eq(array.drain_data)
        if isinstance(spec, OutputSpec):
            m.d.comb += [getattr(array, name).eq(getattr(writer, name)) for name, _ in spec.selects]
        for memory in memories:
            buffer = self.buffers[memory.name]
            m.d.comb += [
                buffer.r_step.eq(getattr(writer, f"{memory.name}_step")),
                buffer.retire.eq(getattr(writer, f"{memory.name}_retire")),
                getattr(writer, f"{memory.name}_full").eq(buffer.full),
                getattr(writer, f"{memory.name}_data").eq(buffer.r_data),
            ]
            for name in _reading(memory):
                m.d.comb += getattr(buffer, name).eq(getattr(writer, f"{memory.name}{name.removeprefix('r')}"))
        port = write.port.name
        for channel in ("valid", "addr", "data") + (("mask",) if write.port.lanes > 1 else ()):
            m.d.comb += getattr(self, f"{port}_{channel}").eq(getattr(writer, channel))
        m.d.comb += writer.ready.eq(getattr(self, f"{port}_ready"))
        if write.partial:
            m.d.comb += self.loaders[write.partial].stored.eq(writer.stored)
        return writer.idle

    def _count(self, m: Module, step: Value) -> None:
        events: dict[str, Value] = {"cycles": self.running, "steps": step}
        for port in self.spec.interface.ports:
            channel = f"{port.name}_req" if port.kind == "read" else port.name
            taken = getattr(self, f"{channel}_valid") & getattr(self, f"{channel}_ready")
            words: Value = taken
            if port.lanes > 1:
                mask = getattr(self, f"{channel}_mask")
                words = Mux(taken, sum(mask[i] for i in range(port.lanes)), 0)
            events[f"{port.name}_words"] = words
        if "macs" in {counter.name for counter in self.spec.interface.counters}:
            drained = events[f"{self.spec.write.port.name}_words"]
            events |= detailed(
                self.spec, self.buffers, self.fillers, self.sequencer, self.running, self.steps, drained
            )
        for name, amount in events.items():
            counter = getattr(self, name)
            with m.If(self.go):
                m.d.sync += counter.eq(0)
            with m.Else():
                m.d.sync += counter.eq(counter + amount)


def inner_latency(spec: NodeSpec | OutputSpec) -> int:
    """From an output lane's operands to the sum."""
    while isinstance(spec, OutputSpec):
        spec = spec.child
    return spec.latency


def _port_members(port: Port) -> dict:
    data, name = port.bits * port.lanes, port.name
    mask = port.lanes > 1
    if port.kind == "write":
        members = {f"{name}_valid": Out(1), f"{name}_ready": In(1), f"{name}_addr": Out(port.address_bits)}
        members |= {f"{name}_data": Out(data)} | ({f"{name}_mask": Out(port.lanes)} if mask else {})
        return members
    members = {f"{name}_req_valid": Out(1), f"{name}_req_ready": In(1), f"{name}_req_addr": Out(port.address_bits)}
    members |= {f"{name}_req_mask": Out(port.lanes)} if mask else {}
    return members | {f"{name}_resp_valid": In(1), f"{name}_resp_ready": Out(1), f"{name}_resp_data": In(data)}


def _writing(buffer: SimpleNamespace) -> list[str]:
    return [name for name in vars(buffer) if name.startswith("w_")]


def _reading(memory: Memory) -> list[str]:
    fresh = ["r_fresh"] if memory.follows else []
    ring = ["r_last", *(f"r_left{k}" for k in range(len(memory.ring.ends)))] if memory.ring else []
    return ["r_address", *fresh, *(f"r_place{d}" for d in rotating(memory)), *ring]


def _same(m: Module, target: SimpleNamespace, source: SimpleNamespace, names: tuple[str, ...]) -> None:
    m.d.comb += [getattr(target, name).eq(getattr(source, name)) for name in names]


def _lanes(data: Value, bits: int, lanes: tuple[int, ...]) -> Value:
    return Cat(*(data[lane * bits : (lane + 1) * bits] for lane in lanes))
