"""The words of one input on their way to the array, in symbols: the same cases as `microarch.supply`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from halidehw.energy_model.symbolic.chains import Digit
from halidehw.energy_model.symbolic.lanes import Lanes
from halidehw.energy_model.symbolic.loops import Entry, Loops, Store
from halidehw.energy_model.symbolic.terms import Value
from halidehw.energy_model.symbolic.tiles import Indexed, Role, Tiles
from halidehw.errors import CostError
from halidehw.ir.nest import Buffer
from halidehw.microarch.operands import read_name
from halidehw.microarch.options import LATENCY
from halidehw.microarch.parts import file_parts, file_waits, parts
from halidehw.microarch.registers import buses
from halidehw.microarch.spacetime import lane_axis
from halidehw.microarch.travel import Wave, along, plain

Unrolled = tuple[str, Digit]
"""A variable and one of its loops."""


@dataclass(frozen=True)
class Input:
    """A tensor that the array reads. `reads`: the accesses' numbers; `buffers`: innermost first."""

    loops: Loops
    tensor: Indexed
    reads: tuple[int, ...]
    buffers: tuple[Buffer, ...]

    @property
    def lanes(self) -> list[Unrolled]:
        return self.loops.lanes_on(self.tensor.variables)

    def entries(self) -> Iterator[tuple[Value, Entry]]:
        """All counts, each with the case in which it is one: 1 or 0."""
        terms, loops = self.loops.terms, self.loops
        within = [buffer for buffer in self.buffers if self._in_pe(buffer)]
        for buffer in self.buffers:
            if buffer not in within and any(d.position < loops.depth(buffer.at) for _, d in self.lanes):
                raise CostError(
                    f"{buffer.name}: copies for some lanes cannot be counted in symbols", source=buffer.source
                )
        if len(within) > 1 or (within and len(self.reads) > 1):
            what = "register files behind register files" if len(within) > 1 else "several reads of a register file"
            raise CostError(f"{self.tensor.name}: {what} cannot be counted in symbols", source=within[0].source)
        if within:
            yield from self._file(1, within[0].name, loops.depth(within[0].at), within[0].halves, self.buffers[1:])
            return
        held: Value = 0
        if prod(digit.lanes for _, digit in self.lanes) > 1 and len(self.reads) == 1:
            whole = len(loops.ordered)
            held = terms.more(loops.inside(loops.moves(self.tensor.variables, whole)), 1)
            if held != 0:
                yield from self._file(held, f"{self.tensor.name}_register", whole, 2, self.buffers)
        if held != 1:
            yield from self._direct(terms.negation(held))

    def _in_pe(self, buffer: Buffer) -> bool:
        depth = self.loops.depth(buffer.at)
        every = [digit for _, digit in self.loops.ordered if digit.lanes > 1]
        return all(digit.position < depth for _, digit in self.lanes) and any(d.position < depth for d in every)

    def _direct(self, case: Value) -> Iterator[tuple[Value, Entry]]:
        """Operands straight from a shared memory, or from a stream."""
        if len(self.reads) > 1:
            raise CostError(f"{self.tensor.name}: reads that a window may shift cannot be counted in symbols")
        loops, names = self.loops, tuple(lane_axis(digit.loop) for _, digit in self.lanes)
        for number in self.reads:
            wave = Wave(read_name(number), "", self.tensor.name, self.tensor.bits, names)
            yield from self._travels(case, wave, loops.steps())
        lanes = Lanes(loops.terms, self.tensor, tuple(self.lanes))
        depth = loops.depth(self.buffers[0].at) if self.buffers else len(loops.ordered)
        tiles = loops.tiles(self.tensor, depth)
        use = loops.inside(loops.moves(self.tensor.variables, depth))
        memory = Box(tiles, tiles.words, lanes, self._strides(depth), use=use, port=tiles)
        yield from self.shared(case, self.buffers, memory, self._read_by_array(lanes, depth))

    def _read_by_array(self, lanes: Lanes, depth: int) -> tuple[Value, Value]:
        """Words fetched and words shifted: by what the innermost loop that has steps does."""
        terms, loops = self.loops.terms, self.loops
        every = loops.steps()
        fetched, shifted, left = [], [], 1
        for name, digit in reversed(loops.ordered):
            here = terms.product((left, terms.more(digit.steps, 1)))
            left = terms.product((left, terms.negation(terms.more(digit.steps, 1))))
            words, moved = every * lanes.count, 0
            if name not in self.tensor.variables:
                words = loops.steps(moves=loops.moves(self.tensor.variables, len(loops.ordered))) * lanes.count
            elif digit.position >= depth:
                follow = self._following(lanes, name, digit.advance)
                others = every - loops.steps(start=digit.loop) if follow != 0 else 0
                words, moved = every * lanes.count - others * follow, others * follow
            fetched.append(here * words)
            shifted.append(here * moved)
        fetched.append(left * every * lanes.count)
        return terms.named(sum(fetched)), terms.named(sum(shifted))

    def _following(self, lanes: Lanes, name: str, values: Value) -> Value:
        d = next(d for d, dim in enumerate(self.tensor.dims) if name in dim)
        return lanes.following(d, self.tensor.dims[d][name] * values, name)

    def _strides(self, depth: int) -> list[list[tuple[Value, Value]]]:
        """Of the loops inside `depth` others: whether they step, and how far in the tensor."""
        terms = self.loops.terms
        inner = [(name, digit) for name, digit in self.loops.ordered if digit.position >= depth]
        return [
            [(terms.more(digit.steps, 1), terms.named(dim[n] * digit.advance)) for n, digit in inner if n in dim]
            for dim in self.tensor.dims
        ]

    def _file(
        self, case: Value, level: str, depth: int, halves: int, outer: Sequence[Buffer]
    ) -> Iterator[tuple[Value, Entry]]:
        """Operands from a register file in every PE, filled over the bus that is wide enough."""
        terms, loops, tensor = self.loops.terms, self.loops, self.tensor
        tiles = loops.tiles(tensor, depth, "start")
        extents = tuple(side.extent for side in tiles.sides)
        pes = prod(space.extent for space in loops.spaces)
        reuse = loops.inside(loops.moves(tensor.variables, depth))
        words = terms.product(extents)
        for chosen, bus in self._buses(words, reuse):
            both = terms.product((case, chosen))
            fill = _Fill(self, depth, bus)
            serial = prod(digit.lanes for _, digit in self.lanes if digit not in bus)
            written = fill.steps * (pes // serial)
            parts = file_parts(reuse, terms.product((serial, words)), words, terms) if halves > 1 else 1
            store = Store(level, "register_file", parts, tensor.bits, extents)
            yield both, self._entry(f"{plain(level)}_read", level, "read", loops.steps() * pes, store)
            yield both, self._entry(f"{plain(level)}_written", level, "write", written, store)
            names = tuple(lane_axis(digit.loop) for digit in bus)
            yield from self._travels(both, Wave(plain(level), "", tensor.name, tensor.bits, names), fill.steps)
            yield from fill.shared(both, outer, tiles)

    def _buses(self, words: Value, reuse: Value) -> Iterator[tuple[Value, tuple[Digit, ...]]]:
        """The loops side by side on a fill bus, and whether they are the choice of `microarch.registers`."""
        terms, digits = self.loops.terms, {digit.loop: digit for _, digit in self.lanes}
        near = [digit.loop for name, digit in self.lanes if name in self.tensor.dims[0]]
        found, widest = buses({name: digit.lanes for name, digit in digits.items()}, near)
        left, truths = 1, dict[tuple[str, ...], Value]()
        for bus in found:
            fill = words * prod(digit.lanes for name, digit in digits.items() if name not in bus)
            slow = file_waits(reuse, fill, words, terms)
            truths[bus] = terms.product((left, terms.negation(slow)))
            left = terms.product((left, slow))
        truths[widest] = terms.named(truths[widest] + left)
        yield from ((truth, tuple(map(digits.__getitem__, bus))) for bus, truth in truths.items() if truth != 0)

    def _travels(self, case: Value, wave: Wave, steps: Value) -> Iterator[tuple[Value, Entry]]:
        nest = self.loops.nest
        for travel in along(self.loops.spaces, wave):
            distance = nest.loop[travel.space.loop].distance if travel.space.systolic else 1
            words = self.loops.terms.named(steps * travel.words)
            yield case, Entry(travel.name, "array", travel.tensor, travel.kind, words, travel.bits, distance)

    def shared(
        self, case: Value, buffers: Sequence[Buffer], box: Box, read: tuple[Value, Value]
    ) -> Iterator[tuple[Value, Entry]]:
        """A shared memory (a stream, if there is no buffer) and those outside it, up to the port. `read`: words fetched
        and words shifted."""
        terms = self.loops.terms
        level = buffers[0].name if buffers else f"{self.tensor.name}_stream"
        extents, kept, steps = (
            tuple(getattr(side, field) for side in box.tiles.sides) for field in ("extent", "kept", "step")
        )
        strides = tuple(map(tuple, box.strides))
        halves = buffers[0].halves if buffers else parts(box.use, terms.product(extents), LATENCY + 1, terms)
        store = Store(level, "sram", halves, self.tensor.bits, kept, box.lanes, steps, strides)
        fetched, shifted = read
        yield case, self._entry(f"{plain(level)}_written", level, "write", box.words, store)
        yield case, self._entry(f"{plain(level)}_read", level, "read", fetched, store)
        if shifted != 0:
            yield case, Entry(f"{plain(level)}_shifted", "array", self.tensor.name, "shift", shifted, self.tensor.bits)
        if buffers[1:]:
            outer = self.loops.tiles(self.tensor, self.loops.depth(buffers[1].at))
            yield from self.shared(case, buffers[1:], Box(outer, outer.words, port=outer), (box.words, 0))
        else:
            port = Store("memory", "dram", bits=self.tensor.bits)
            asked = self.loops.asked(box.port) if box.port else box.words
            yield case, self._entry(f"{self.tensor.name}_words", "memory", "read", asked, port)

    def _entry(self, name: str, level: str, event: str, words: Value, store: Store) -> Entry:
        return Entry(name, level, self.tensor.name, event, words, self.tensor.bits, store=store)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Box:
    """What a shared memory holds: its tiles' boxes, the words written in all, the lanes it is read by (None: one word
    at a time), of the loops inside the strides, the steps for which a stream's tile is used, and the tiles that a port
    would be asked for."""

    tiles: Tiles
    words: Value
    lanes: Lanes | None = None
    strides: Sequence[Sequence[tuple[Value, Value]]] = ()
    use: Value = 1
    port: Tiles | None = None


@dataclass(frozen=True)
class _Fill:
    """The process that fills register files inside `depth` loops, `bus` side by side, other lanes one by one."""

    source: Input
    depth: int
    bus: tuple[Digit, ...]

    @property
    def steps(self) -> Value:
        return self._tiles().words

    def _tiles(self, *, start: str | None = None, lane: str | None = None) -> Tiles:
        """Its boxes. `start`: a loop at its first step; `lane`: a loop at its first lane."""
        on_bus = {digit.loop for digit in self.bus} | {lane}
        roles: dict[str, Role] = {
            digit.loop: "start" if digit.loop in on_bus else "moves" for _, digit in self.source.lanes
        }
        return self.source.loops.tiles(self.source.tensor, self.depth, roles, start)

    def shared(self, case: Value, outer: Sequence[Buffer], file: Tiles) -> Iterator[tuple[Value, Entry]]:
        """The memory that it reads, and those outside. `file`: the tiles of the register files."""
        loops, tensor = self.source.loops, replace(self.source.tensor, taps=self.source.tensor.taps[:1])
        lanes = Lanes(loops.terms, tensor, tuple(each for each in self.source.lanes if each[1] in self.bus))
        if outer:
            depth = loops.depth(outer[0].at)
            tiles = loops.tiles(tensor, depth)
            box = Box(tiles, tiles.words, lanes, self._strides(depth, file), port=tiles)
            yield from self.source.shared(case, outer, box, self._read(lanes, depth, file))
            return
        for d, dim in enumerate(tensor.dims):
            if sum(name in dim for name, _ in lanes.loops) > 1:
                raise CostError(
                    f"{tensor.name}: register files filled over a bus of several loops' lanes in dimension {d} from no "
                    "memory cannot be counted in symbols"
                )
        roles: dict[str, Role] = {
            digit.loop: "inside" if digit in self.bus else "moves" for _, digit in self.source.lanes
        }
        step = loops.tiles(tensor, len(loops.ordered), roles)
        every = loops.tiles(tensor, self.depth, "moves")
        read = loops.terms.named(self.steps * lanes.count)
        yield from self.source.shared(
            case, (), Box(step, every.words, lanes, [[] for _ in tensor.dims], port=every), (read, 0)
        )

    def _strides(self, depth: int, file: Tiles) -> list[list[tuple[Value, Value]]]:
        """Of its axes inside the memory's tile: whether they step, and how far in the tensor."""
        loops, tensor = self.source.loops, self.source.tensor
        terms = loops.terms
        found: list[list[tuple[Value, Value]]] = [[(terms.more(side.extent, 1), side.step)] for side in file.sides]
        for d, dim in enumerate(tensor.dims):
            for name, digit in loops.ordered:
                if name in dim and depth <= digit.position < self.depth:
                    found[d].append((terms.more(digit.steps, 1), terms.named(dim[name] * digit.advance)))
                if name in dim and digit.lanes > 1 and digit not in self.bus:
                    found[d].append((1, terms.named(dim[name] * digit.stride)))
        return found

    def _read(self, lanes: Lanes, depth: int, file: Tiles) -> tuple[Value, Value]:
        """Words fetched and words shifted: by what its innermost axis with steps does."""
        terms, every = self.source.loops.terms, self.steps
        fetched, shifted, left = [], [], 1
        for present, follow, fresh in self._axes(lanes, depth, file):
            here = terms.product((left, present))
            left = terms.product((left, terms.negation(present)))
            others = every - fresh if follow != 0 else 0
            fetched.append(here * (every * lanes.count - others * follow))
            shifted.append(here * others * follow)
            if left == 0:
                break
        fetched.append(left * every * lanes.count)
        return terms.named(sum(fetched)), terms.named(sum(shifted))

    def _axes(self, lanes: Lanes, depth: int, file: Tiles) -> Iterator[tuple[Value, Value, Value]]:
        """Its axes, innermost first: whether there are steps, the lanes that then follow others, the steps at start."""
        source, terms = self.source, self.source.loops.terms
        for d, side in enumerate(file.sides):
            yield terms.more(side.extent, 1), lanes.following(d, side.step), self._tiles().words_at_start(d)
        for name, digit in reversed(source.lanes):
            if digit not in self.bus:
                follow = source._following(lanes, name, digit.stride)
                yield 1, follow, self._tiles(lane=digit.loop).words
        for name, digit in reversed(source.loops.ordered[: self.depth]):
            if name in source.tensor.variables:
                inside = digit.position >= depth
                follow = source._following(lanes, name, digit.advance) if inside else 0
                yield terms.more(digit.steps, 1), follow, self._tiles(start=digit.loop).words
