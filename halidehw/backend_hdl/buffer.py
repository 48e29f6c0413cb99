"""Shared, banked, multi-buffered memories."""

from __future__ import annotations

from itertools import product

from amaranth.hdl import Cat, Const, Module, Mux, Shape, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from halidehw.backend_hdl.library import Library, Part, Ports, addresses, alone, delay, ram, resize
from halidehw.backend_hdl.pieces import Arrivals, ArrivalsSpec
from halidehw.backend_hdl.pingpong import PingPong, PingPongSpec
from halidehw.backend_hdl.ring import Rows, RowsSpec, folded
from halidehw.backend_hdl.rotate import turned
from halidehw.backend_hdl.words import moved, shared
from halidehw.ir.varies import most
from halidehw.microarch.banking import Dim
from halidehw.microarch.stores import RAM_LATENCY, Memory

Field = int | range
"""The shape of a signal."""


def banked(memory: Memory) -> list[int]:
    """The dimensions with more than one bank."""
    return [d for d, dim in enumerate(memory.dims) if dim.factor > 1]


def written_digits(memory: Memory) -> list[int]:
    """The dimensions for which a writer says which bank; a ring's rows are written in order."""
    return [d for d in banked(memory) if not (memory.ring and d == memory.ring.dimension)]


def rotating(memory: Memory) -> list[int]:
    return [d for d, dim in enumerate(memory.dims) if dim.rotating]


def written(memory: Memory) -> dict[str, Field]:
    """What a writer of a memory says: when, where, which words; on its side of the buffer, `w_`."""
    fields: dict[str, Field] = {"valid": 1, "address": addresses(memory.addresses)}
    fields |= {"data": column_bits(memory) * memory.vector} | ({"mask": memory.vector} if memory.vector > 1 else {})
    fields |= {"landed": 1} if memory.pieces > 1 else {}
    return fields | {f"digit{d}": range(memory.dims[d].factor) for d in written_digits(memory)}


def column_bits(memory: Memory) -> int:
    """The words of a column that lie side by side."""
    return memory.type.bits * len(memory.beside)


def asked(memory: Memory) -> dict[str, Field]:
    """What a reader of a memory says with a step: which words; on its side of the buffer, `r_`."""
    fields: dict[str, Field] = {"address": addresses(memory.addresses)} | ({"fresh": 1} if memory.follows else {})
    fields |= {f"place{d}": range(most(memory.dims[d].extent)) for d in rotating(memory)}
    ends = enumerate(memory.ring.ends) if memory.ring else ()
    fields |= {"column": range(memory.behind.columns)} if memory.behind else {}
    fields |= {"passed": 1, "again": 1} if memory.pieces > 1 else {}
    return fields | ({"last": 1} if memory.ring else {}) | {f"left{k}": range(most + 1) for k, most in ends}


def lent(memory: Memory) -> dict[str, tuple[int, bool]]:
    """What a memory that lies in another one says to its banks, and hears (True): width, and direction."""
    banks, address, bits = memory.banks, Shape.cast(addresses(memory.addresses)).width, memory.common
    asks = {"writes": banks, "landing": address, "data": banks * bits, "reads": banks, "from": banks * address}
    return {name: (width, False) for name, width in asks.items()} | {"words": (banks * bits, True)}


def buffer_ports(memory: Memory) -> dict[str, Member]:
    """The signature of a memory's buffer: the writer's side, the reader's side, ownership."""
    writer = {f"w_{name}": In(shape) for name, shape in written(memory).items()}
    reader = {"r_step": In(1), "r_address": In(1), "r_data": Out(memory.type.bits * memory.given)}
    reader |= {f"r_{name}": In(shape) for name, shape in asked(memory).items()}
    owner = {"reserve": In(1), "commit": In(1), "retire": In(1), "free": Out(1), "granted": Out(1), "full": Out(1)}
    for name, (width, heard) in (lent(memory) if memory.common else {}).items():
        owner[f"l_{name}"] = (In if heard == bool(memory.home) else Out)(width)
    return writer | reader | owner


class Buffer(Part[Memory]):
    """A memory of several parts, cyclically banked so that every lane has a word each cycle.

    Write: `w_valid` with word address, bank digits of lane 0 and a mask lands in the same cycle, in the part being
    written. Read: `r_step` with the base address gives all lanes `Memory.latency` cycles later, from the part being
    read; they keep their value until the next step's. Without `r_fresh`, only the lanes that follow no other are
    fetched. With rows behind, they come with the lanes, from `r_column`. Ownership as in the ping-pong, or in the ring
    of rows, in which addresses wrap; by pieces, `full` says that the one is there that the reader comes to. With one
    port, parts are memories of their own. No back-pressure on either side.
    Reset: all parts free, contents undefined.
    """

    role = "buffer"

    def __init__(self, library: Library, spec: Memory):
        self.title = f"{spec.name}_buffer"
        super().__init__(library, spec, buffer_ports(spec))

    def elaborate(self, platform: object) -> Module:
        m, memory = Module(), self.spec
        owner = self.owner = self._owner(m)
        m.d.comb += [owner[name].eq(self[name]) for name in ("reserve", "commit", "retire")]
        m.d.comb += [self[name].eq(owner[name]) for name in ("free", "granted")]
        m.d.comb += self.full.eq(owner.full if memory.pieces == 1 else self._arrivals(m))
        self._taking_turns(m)
        self.used = set[int]()
        landing = Signal(addresses(self._words), name="landing")
        m.d.comb += landing.eq(moved(self._written() + self.w_address, memory.first, memory.word))
        step = Signal(name="step1")
        m.d.sync += step.eq(self.r_step)
        bases = self._bases(m)
        lanes = [self._lane_address(m, i, bases) for i in range(len(memory.lanes))]
        fresh = Signal(name="fresh1", reset_less=True)
        m.d.sync += fresh.eq(self.r_fresh if memory.follows else 1)
        fetch = [step & (fresh if memory.follows and memory.follows[i] is not None else 1) for i in range(len(lanes))]
        if memory.rotating:
            found = self._rotators(m, landing, fetch, lanes)
        else:
            found = [self._bank(m, bank, landing, fetch[i], address) for i, (address, bank) in enumerate(lanes)]
        if memory.common:
            self._lend(m, landing)
        if memory.rotating or memory.shifting:
            found = self._shifted(m, found, step, fresh)
        m.d.comb += self.r_data.eq(Cat(*found, *self._behind(m, step, Cat(*found))))
        return m

    def _behind(self, m: Module, step: Value, words: Value) -> list[Value]:
        """The words of the same column in the rows before, the last one first. A row's words move on when they are
        read, in place of those of the row before it."""
        if (behind := self.spec.behind) is None:
            return []
        column = Signal(addresses(behind.columns), name="column1", reset_less=True)
        m.d.sync += column.eq(self.r_column)
        moving = delay(m, "moving", step, RAM_LATENCY, reset=True)
        target = delay(m, "column", column, RAM_LATENCY)
        found = list[Value]()
        for row in range(behind.rows):
            write = (moving, target, found[-1] if found else words)
            found.append(ram(m, f"row{row + 1}", behind.columns, write, (step, column)))
        return found

    @property
    def _words(self) -> int:
        """Of a memory: of all parts, or, where it has one port, of one."""
        return self.spec.addresses * (1 if self.spec.one_port else self.spec.halves)

    def _taking_turns(self, m: Module) -> None:
        """Which part is being written, and which one the banks are asked for, a bit for each."""
        memory, owner = self.spec, self.owner
        self.writing, self.reading = [Const(1)], [Const(1)]
        if memory.one_port and memory.halves > 1:
            first = [part * memory.depth for part in range(memory.halves)]
            self.writing = [owner.write_base == base for base in first]
            asked = Cat(*(owner.read_base == base for base in first))
            late = delay(m, "reading", asked, 2 if memory.rotating else 1)
            self.reading = [late[part] for part in range(memory.halves)]

    def _owner(self, m: Module) -> Ports:
        memory, ring = self.spec, self.spec.ring
        if ring is None:
            return self.library.use(m, "owner", PingPong, PingPongSpec(memory.halves, memory.depth))
        spec = RowsSpec(memory.dims[ring.dimension].extent, ring.unit, ring.window, ring.step, ring.ends)
        owner = self.library.use(m, "owner", Rows, spec)
        m.d.comb += owner.last.eq(self.r_last)
        m.d.comb += [owner[f"left{k}"].eq(self[f"r_left{k}"]) for k in range(len(ring.ends))]
        return owner

    def _arrivals(self, m: Module) -> Value:
        """Whether the piece is there that the reader comes to."""
        arrivals = self.library.use(m, "arrivals", Arrivals, ArrivalsSpec(self.spec.halves * self.spec.pieces))
        m.d.comb += [arrivals.landed.eq(self.w_landed), arrivals.passed.eq(self.r_passed)]
        m.d.comb += arrivals.again.eq(self.r_again)
        return arrivals.there

    def _rows(self) -> Dim | None:
        """The dimension of a ring's rows, where they are banked."""
        rows = self.spec.dims[self.spec.ring.dimension] if self.spec.ring else None
        return rows if rows and rows.rotating else None

    def _written(self) -> Value:
        """The first word, in each bank, of what is being written."""
        rows, base = self._rows(), self.owner.write_base
        if rows is None:
            return Const(0) if self.spec.one_port and not self.spec.ring else base
        return Const(0) if rows.factor == rows.extent else base[rows.shift :] << (rows.stride.bit_length() - 1)

    def _bases(self, m: Module) -> dict[int, Value]:
        """The word that offset 0 reads, without its rotating dimensions, in each row that lanes read."""
        memory, ring = self.spec, self.spec.ring
        if ring is None or self._rows():
            base = Signal(addresses(self._words), name="base")
            at = self.r_address if ring or memory.one_port else self.owner.read_base + self.r_address
            m.d.comb += base.eq(moved(at, memory.first, memory.word))
            return {0: base}
        size, bases = memory.dims[ring.dimension].extent * ring.unit, {}
        for row in sorted({lane[ring.dimension] for lane in memory.lanes}):
            bases[row] = Signal(addresses(size), name=f"base{row}")
            m.d.comb += bases[row].eq(folded(self.owner.read_base + self.r_address + row * ring.unit, size))
        return bases

    def _shifted(self, m: Module, words: list[Value], step: Value, fresh: Value) -> list[Value]:
        """The lanes' registers: each takes its fetched word, or the word of the lane it follows."""
        memory, late = self.spec, self.spec.latency - 2
        lanes: list[Value] = [
            Signal(memory.type.bits, name=f"lane{i}_word", reset_less=True) for i in range(len(words))
        ]
        arrived, new = delay(m, "arrived", step, late, reset=True), delay(m, "fresh", fresh, late)
        with m.If(arrived):
            for i, word in enumerate(words):
                source = memory.follows[i] if memory.follows else None
                m.d.sync += lanes[i].eq(word if source is None else Mux(new, word, lanes[source]))
        return lanes

    def _lane_address(self, m: Module, i: int, bases: dict[int, Value]) -> tuple[Value, tuple[int, ...]]:
        """Registered word address of lane i, and its bank digits, before they are turned where they rotate."""
        memory, offset, row = self.spec, self.spec.lanes[i], 0
        shift, digits, quotients = 0, list[int](), []
        for d, (dim, place) in enumerate(zip(memory.dims, offset, strict=True)):
            if memory.ring and d == memory.ring.dimension and not dim.rotating:
                row = place
                digits.append(0)
                continue
            if not dim.rotating:
                shift += place // dim.factor * dim.stride
                digits.append(place % dim.factor)
                continue
            total = Signal(range(most(dim.extent) + place), name=f"lane{i}_place{d}")
            at = self[f"r_place{d}"] + place
            first = self.owner.read_base if memory.ring and d == memory.ring.dimension else None
            m.d.comb += total.eq(at if first is None else folded(first + at, dim.extent))
            digits.append(place % dim.factor)
            if dim.factor < dim.extent:
                quotients.append(total[dim.shift :] << (dim.stride.bit_length() - 1))
        address = Signal(addresses(self._words), name=f"lane{i}_address", reset_less=True)
        offset_words = self.library.number(f"lane{i}_offset", shift, lambda n: n)
        m.d.sync += address.eq(sum(quotients, moved(bases[row], offset_words, memory.word)))
        return address, tuple(digits)

    def _bank(self, m: Module, bank: tuple[int, ...], landing: Value, enable: Value, address: Value) -> Value:
        """One bank's memory: written when the writer's digits name it."""
        memory = self.spec
        hits, lane = [self.w_valid], 0
        if (rows := self._rows()) and memory.ring:
            hits.append(self.owner.write_base[: rows.shift] == bank[memory.ring.dimension])
        for d in written_digits(memory):
            first = bank[d]
            if d == 0 and memory.vector > 1:
                lane = bank[0] % memory.vector
                first -= lane
            hits.append(self[f"w_digit{d}"] == first)
        if memory.vector > 1:
            hits.append(self.w_mask[lane])
        hit: Value = Const(1)
        for condition in hits:
            hit = hit & condition
        bits = column_bits(memory)
        label = "bank" + "".join(f"_{bank[d]}" for d in banked(memory))
        write = (hit, landing, self.w_data[lane * bits : (lane + 1) * bits])
        if memory.common:
            return self._common(m, label, bank, write, (enable, address))
        if memory.one_port:
            return alone(m, label, memory.depth, write, (enable, address), self.writing, self.reading)
        return ram(m, label, self._words, write, (enable, address))

    def _common(
        self, m: Module, label: str, bank: tuple[int, ...], write: tuple[Value, Value, Value], read: tuple[Value, Value]
    ) -> Value:
        """A bank in which two memories lie, or, of the one that lies in another's, what it asks of that."""
        number = sum(digit * dim.bank_stride for digit, dim in zip(bank, self.spec.dims, strict=True))
        bits, width, own = self.spec.common, len(self.l_landing), self.spec.type.bits
        mine = slice(number * bits, (number + 1) * bits), slice(number * width, (number + 1) * width)
        self.used.add(number)
        if self.spec.home:
            m.d.comb += [self.l_writes[number].eq(write[0]), self.l_data[mine[0]].eq(write[2])]
            m.d.comb += [self.l_reads[number].eq(read[0]), self.l_from[mine[1]].eq(read[1])]
            return self.l_words[mine[0]][:own]
        writes, reads = self.l_writes[number], self.l_reads[number]
        if self.spec.word > 1:
            own_write = (write[0], write[1], resize(write[2], bits))
            lent_write = (writes, self.l_landing, self.l_data[mine[0]])
            lent_read = (reads, self.l_from[mine[1]])
            word = shared(m, label, self._words, self.spec.word, own_write, lent_write, read, lent_read)
            m.d.comb += self.l_words[mine[0]].eq(word)
            return word[:own]
        data = Mux(writes, self.l_data[mine[0]], resize(write[2], bits))
        write = (write[0] | writes, Mux(writes, self.l_landing, write[1]), data)
        read = (read[0] | reads, Mux(reads, self.l_from[mine[1]], read[1]))
        word = ram(m, label, self._words, write, read, one_port=self.spec.one_port)
        m.d.comb += self.l_words[mine[0]].eq(word)
        return word[:own]

    def _lend(self, m: Module, landing: Value) -> None:
        """The banks that no lane of this memory reads; where all of them are written."""
        if self.spec.home:
            m.d.comb += self.l_landing.eq(landing)
            return
        for number in sorted(set(range(self.spec.banks)) - self.used):
            nothing = (Const(0), landing, Const(0, self.spec.type.bits)), (Const(0), landing)
            digits = tuple(number // dim.bank_stride % dim.factor for dim in self.spec.dims)
            self._common(m, f"lent_{number}", digits, *nothing)

    def _turns(self, m: Module) -> list[Value]:
        """By how many banks the words lie turned, in each rotating dimension."""
        memory, found = self.spec, list[Value]()
        for d in rotating(memory):
            at, dim = self[f"r_place{d}"], memory.dims[d]
            if memory.ring and d == memory.ring.dimension:
                at = at + self.owner.read_base
                at = folded(at, dim.extent) if dim.factor & (dim.factor - 1) else at
            turn = Signal(dim.shift, name=f"turn{d}", reset_less=True)
            m.d.sync += turn.eq(at)
            found.append(turn)
        return found

    def _rotators(
        self, m: Module, landing: Value, fetch: list[Value], lanes: list[tuple[Value, tuple[int, ...]]]
    ) -> list[Value]:
        """Lanes to banks, with a register, and back: those with the same digits where nothing rotates turn together."""
        memory, turning = self.spec, rotating(self.spec)
        turns, sizes = self._turns(m), [memory.dims[d].factor for d in turning]
        late = [delay(m, f"turn{d}", turn, 1 + RAM_LATENCY) for d, turn in zip(turning, turns, strict=True)]
        nobody = Const(0, 1 + len(lanes[0][0]))
        found: list[Value] = [Const(0)] * len(lanes)
        fixed = {tuple(0 if dim.rotating else digit for digit, dim in zip(digits, memory.dims, strict=True))
                 for _, digits in lanes}  # fmt: skip
        for number, still in enumerate(sorted(fixed)):
            banks = [
                tuple(places[turning.index(d)] if d in turning else digit for d, digit in enumerate(still))
                for places in product(*(range(size) for size in sizes))
            ]
            askers = {digits: i for i, (_, digits) in enumerate(lanes) if digits in banks}
            asked = [Cat(fetch[askers[bank]], lanes[askers[bank]][0]) if bank in askers else nobody for bank in banks]
            words = []
            for bank, pick in zip(banks, turned(m, f"asked{number}_", asked, sizes, turns), strict=True):
                label = "bank" + "".join(f"_{digit}" for digit in bank)
                request = Signal(len(pick), name=f"{label}_request", reset_less=True)
                m.d.sync += request.eq(pick)
                words.append(self._bank(m, bank, landing, request[0], request[1:]))
            answers = dict(zip(banks, turned(m, f"found{number}_", words, sizes, late, back=True), strict=True))
            for bank, i in askers.items():
                found[i] = answers[bank]
        return found
