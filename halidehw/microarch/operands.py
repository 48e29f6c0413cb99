"""The operands of a datapath: for each leaf of its expression, where its words come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod

from halidehw.errors import HardwareError
from halidehw.expr.nodes import Expr
from halidehw.expr.tree import nodes
from halidehw.ir.affine import Affine
from halidehw.ir.declared import Inside
from halidehw.ir.nest import Load, Lookup, LoopValue, Slide, Tensor
from halidehw.microarch.banking import Offset
from halidehw.microarch.box import Index
from halidehw.microarch.choices import Choices
from halidehw.microarch.level import Level, Made, Outside
from halidehw.microarch.line import line
from halidehw.microarch.processes import Operand, taps_of
from halidehw.microarch.raster import Raster, raster
from halidehw.microarch.reader import Reader
from halidehw.microarch.registers import PerPE, register_file
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.stores import Memory
from halidehw.microarch.supply import SharedRead, Supplies, queue, shared
from halidehw.microarch.taps import FileTap, IndexValue, Lanes, Window
from halidehw.microarch.values import Age, values
from halidehw.microarch.walk import Axis, Walk, clipping
from halidehw.microarch.window import window


def operands_of(
    st: SpaceTime, supplies: Supplies, value: Expr, reader: Reader, indices: dict[int, Index], vector: dict[str, int],
    array: bool, placed: Callable[[Affine], Affine] = lambda form: form,
) -> tuple[tuple[Operand, ...], Expr]:  # fmt: skip
    """One operand for each read and loop value of `value`; each tensor is supplied once. And `value` itself, without
    what windows compute of it.

    `indices`: the index of each read over the reader's axes and lanes. `vector`: lanes of each tensor's port.
    `array`: the reader is the PE array, which can hold words in its PEs. `placed`: a form of the nest's space and time
    over the reader's axes and lanes.
    """
    found = [leaf for leaf in nodes(value) if isinstance(leaf, Load | LoopValue)]
    operands = [_loop_value(leaf, placed(st.substitute(leaf.index)), reader) for leaf in _widest(found)]
    numbers = sorted({leaf.read for leaf in found if isinstance(leaf, Load)})
    for name in dict.fromkeys(st.nest.reads[number].tensor for number in numbers):
        mine = {number: indices[number] for number in numbers if st.nest.reads[number].tensor == name}
        for group in _alike(st, supplies, name, mine):
            others = tuple(index for number, index in mine.items() if number not in group)
            found_here, value = _supply(st, supplies, name, group, others, reader, vector[name], array, value)
            operands += found_here
    return (*operands, *_tables(st, supplies, value, reader, vector)), value


def _tables(
    st: SpaceTime, supplies: Supplies, value: Expr, reader: Reader, vector: dict[str, int]
) -> Iterator[Operand]:
    """The tables that a value looks up: each in every PE, filled once a run, as many memories as there are look-ups."""
    reads = [node for node in nodes(value) if isinstance(node, Lookup)]
    for name in dict.fromkeys(node.tensor for node in reads):
        tensor, made = st.tensor(name), supplies.made.get(name)
        corners = tuple(st.index(access) for access in st.nest.reads if access.tensor == name)
        whole = Reader(reader.axes, {}, reader.limits, (), corners)
        levels, _ = levels_of(st, name, whole, (), (), False, supplies.choices)
        levels = [replace(level, name=f"{supplies.label}{level.name}") for level in levels]
        table = Level(f"{supplies.label}{name}_table", frozenset(), 1, implicit=True)
        outside = Made(tensor, made) if made else Outside(tensor, vector[name], name)
        held, count = PerPE(outside, (), reader.axes), sum(node.tensor == name for node in reads)
        read = register_file(supplies, held, whole, [table, *levels], 1, count)
        yield Operand(table_name(name), tensor.type, (), FileTap(read.file, Affine(), read.tile, data=True))


def table_name(tensor: str) -> str:
    """The operand that a table is."""
    return f"{tensor}_looked_up"


def _alike(st: SpaceTime, supplies: Supplies, name: str, reads: dict[int, Index]) -> list[dict[int, Index]]:
    """The reads of a tensor, those together that differ by constants only. What a stage makes has a memory for each of
    these ways; an input, which has one port, is read in one."""
    if any(memory.tensor == name for memory in supplies.memories):
        raise HardwareError(
            f"{name} is read both in the reduction and in the final stage: one memory cannot serve both orders",
            legal=_second(st.nest.tensor[name]),
            source=st.nest.source,
        )
    groups: dict[tuple[object, ...], dict[int, Index]] = {}
    for number, index in reads.items():
        groups.setdefault(tuple(form.terms for form in index), {})[number] = index
    assert len(groups) == 1 or name in supplies.made, f"{name} is read in several ways"
    return list(groups.values())


def _supply(
    st: SpaceTime, supplies: Supplies, name: str, group: dict[int, Index], others: tuple[Index, ...], reader: Reader,
    vector: int, array: bool, value: Expr,
) -> tuple[list[Operand], Expr]:  # fmt: skip
    """The operands of the reads `group`, from a memory with room for `others` too; what is left of `value`."""
    tensor, indices, made = st.tensor(name), tuple(group.values()), supplies.made.get(name)
    before = sum(demand.memory.tensor == name for demand in supplies.demands)
    mine = {axis for index in (*indices, *others) for form in index for axis in form.names}
    spaces = tuple(Axis(axis, extent) for axis, extent in reader.lanes.items() if axis in mine)
    names = tuple(space.name for space in spaces)
    consumers = prod(reader.lanes.values())
    reader = Reader(reader.axes, {space.name: space.extent for space in spaces}, reader.limits, indices)
    levels, inside = levels_of(st, name, reader, others, spaces, array, supplies.choices)
    again = f"_{before + 1}" if before else ""
    levels = [replace(level, name=f"{supplies.label}{level.name}{again}") for level in levels]
    outside = Made(tensor, made) if made else Outside(tensor, vector, name)
    if inside:
        read = register_file(supplies, PerPE(outside, spaces, reader.axes), reader, levels, inside)
        return [
            Operand(read_name(number), tensor.type, names, FileTap(read.file, address, read.tile))
            for number, address in zip(group, read.addresses, strict=True)
        ], value
    slides = array and not (levels and (levels[0].copies or reader.tile(levels[0].outside) == len(reader.axes)))
    several = len(group) > 1 or any(space.reduction and space.name in names for space in st.spaces)
    chains = window(reader, bool(levels), vector, consumers * len(group)) if slides and several else None
    chains = chains if supplies.choices.of("window", f"{supplies.label}{name}{again}", bool(chains)) else None
    positions = list(product(*(range(space.extent) for space in spaces)))
    if array and not others and (found := _raster(supplies, reader, levels, name)):
        supply = queue(supplies, outside, levels[0], found)
        heads = len(found.front.indices)
        ages = {who: (supply.lane_of[word, ()] + rows * heads, ago) for who, (word, rows, ago) in found.taps.items()}
        every = heads * (1 + found.kept)
        ahead = Window(supply.read.memory, _walk(found.front), found.warm, (), every, (), found.rows, found.idle)
        return _windowed(st, supply, ahead, ages, group, positions, names, value)
    supply = shared(supplies, outside, reader, levels, chains.front if chains else None)
    if chains:
        ages = {who: (supply.lane_of[head, ()], ago) for who, (head, ago) in chains.taps.items()}
        ahead = Window(supply.read.memory, _walk(chains.front), chains.warm, (), len(chains.front.indices))
        return _windowed(st, supply, ahead, ages, group, positions, names, value)
    taken = [tuple(supply.lane_of[i, position] for position in positions) for i in range(len(group))]
    return [
        Operand(read_name(number), tensor.type, names, Lanes(supply.read, taken[i], None))
        for i, number in enumerate(group)
    ], value


def _raster(supplies: Supplies, reader: Reader, levels: list[Level], name: str) -> Raster | None:
    """How a reader takes words as they come, if it can: of a line buffer, or of a tile that a stage fills, of which
    nothing is said."""
    if len(levels) != 1 or (levels[0].slide and levels[0].slide.folded) or supplies.choices.wide:
        return None
    level, order = levels[0], supplies.orders.get(name)
    said = level.room or level.width or level.inside
    if level.copies or said or level.halves == 1 or (name in supplies.made and order is None):
        return None
    whole, tile = level.whole or reader, reader.tile(level.outside)
    if level.slide:
        sliding = line(whole, tile, level.slide)
        return raster(reader, sliding, sliding.anew, order)
    return raster(reader, whole.box(tile), tile, order) if order else None


def _walk(front: Reader) -> Walk:
    return Walk(front.axes, clipping(front.axes, list(front.limits)))


def _windowed(
    st: SpaceTime, supply: SharedRead, window: Window, taken: Mapping[tuple[int, Offset], Age],
    group: dict[int, Index], positions: list[Offset], names: tuple[str, ...], value: Expr,
) -> tuple[list[Operand], Expr]:  # fmt: skip
    """The operands that a window before a memory serves, and what is left of `value`. `taken`: of each access, and
    values of its lanes, what of the window it takes."""
    reads = {number: tuple(taken[i, each] for each in positions) for i, number in enumerate(group)}
    free = 1 + max(len(st.nest.reads), *(node.read for node in nodes(value) if isinstance(node, Load)))
    found = values(value, reads, len(positions), window.lanes, free)
    kinds = {node.read: node.type for node in nodes(found.expr) if isinstance(node, Load)}
    served = {number: ages for number, ages in (reads | found.taps).items() if number in kinds}
    taps = tuple(sorted({age for ages in served.values() for age in ages}))
    before = replace(window, taps=taps, values=found.computed)
    return [
        Operand(read_name(number), kinds[number], names, Lanes(supply.read, tuple(map(taps.index, ages)), before))
        for number, ages in served.items()
    ], found.expr


def arrival_of(operands: tuple[Operand, ...], memories: Iterable[Memory], least: int) -> int:
    """Cycles from a step of their reader until all of them are there, `least` where no memory takes longer."""
    known = {memory.name: memory for memory in memories}
    return max([least, *(lanes.arrival(known[name]) for name, lanes in taps_of(operands).items())])


def levels_of(
    st: SpaceTime, name: str, reader: Reader, others: tuple[Index, ...], spaces: tuple[Axis, ...], array: bool,
    choices: Choices,
) -> tuple[list[Level], int]:  # fmt: skip
    """The tensor's levels, innermost first, and how many of them lie in the PEs. `others`: what other
    memories of the tensor serve, for which its buffers have room too.

    An operand with lanes that stays the same over the innermost steps is stationary: without a buffer of its own in
    the PEs it gets a register there.
    """
    levels, in_pe = [], []
    mine = {axis for index in reader.indices for form in index for axis in form.names}.intersection(reader.extents)
    for buffer in reversed(st.nest.levels(name)):
        outside = st.outside(buffer.at)
        copies = tuple(space.name for space in st.spaces if space.name in outside & mine)
        slide = _slide(st, name, buffer.slide)
        own = outside.difference(copies)
        also = (*(st.place(name, index) for index in buffer.also), *others)
        whole = replace(reader, also=(*reader.also, *also)) if also else None
        pieces = (buffer.pieces, st.outside(buffer.pieces.at)) if buffer.pieces else None
        level = Level(
            buffer.name, own, buffer.halves, copies, False, slide, buffer.capacity, buffer.width, whole=whole,
            inside=_inside(st, name, buffer.inside), pieces=pieces,
        )  # fmt: skip
        levels.append(level)
        in_pe.append(array and len(copies) == len(spaces) and any(space.name in outside for space in st.spaces))
    if any(in_pe):
        return levels, sum(in_pe)
    times = frozenset(axis.name for axis in reader.axes)
    held = prod(axis.extent for axis in reader.axes[reader.tile(times) :])
    alone = array and len(reader.indices) == 1 and prod(space.extent for space in spaces) > 1
    if alone and choices.of("register", name, held > 1):
        return [Level(f"{name}_register", times, 2, implicit=True), *levels], 1
    return levels, 0


def _inside(st: SpaceTime, tensor: str, inside: Inside | None) -> Inside | None:
    """How a buffer lies, by the dimensions of memory; of one in blocks these stay together."""
    if inside is None or not (inside.order or inside.aligned):
        return inside
    order = (place for d in inside.order for place in st.parts(tensor, d))
    aligned = ((st.parts(tensor, d)[-1], multiple) for d, multiple in inside.aligned)
    return replace(inside, order=tuple(order), aligned=tuple(aligned))


def _slide(st: SpaceTime, tensor: str, slide: Slide | None) -> Slide | None:
    """How a line buffer moves on, by axes and in the order of memory: a loop that goes round the banks of what it makes
    is several axes."""
    if slide is None:
        return None
    names = {name for loop in slide.loops for name in st.values[loop].names}
    loops = tuple(axis.name for axis in st.times if axis.name in names)
    return replace(slide, loops=loops, dimension=st.part(tensor, slide.dimension))


def _second(tensor: Tensor) -> tuple[str, ...]:
    """A stage that is a copy, for the other way of reading a tensor."""
    name, args = f"{tensor.name}_2", ", ".join("xyzw"[: len(tensor.extents)])
    return f'{name} = Func("{name}")', f"{name}[{args}] = {tensor.name}[{args}]", f"{name}.compute_root()"


def _widest(leaves: Iterable[Load | LoopValue]) -> Iterable[LoopValue]:
    """The loop values, each once: where it is used as numbers of several types, as the widest; others take its low
    bits."""
    widest: dict[Affine, LoopValue] = {}
    for leaf in leaves:
        if isinstance(leaf, LoopValue):
            known = widest.setdefault(leaf.index, leaf)
            widest[leaf.index] = leaf if leaf.type.bits > known.type.bits else known
    return widest.values()


def _loop_value(leaf: LoopValue, form: Affine, reader: Reader) -> Operand:
    mine = {name: extent for name, extent in reader.lanes.items() if form[name]}
    positions = product(*(range(extent) for extent in mine.values()))
    offsets = tuple(sum(form[n] * v for n, v in zip(mine, values, strict=True)) for values in positions)
    value = form.only(axis.name for axis in reader.axes) + form.constant
    return Operand(operand_name(leaf), leaf.type, tuple(mine), IndexValue(value, offsets))


def read_name(number: int) -> str:
    """The operand of the read of that number."""
    return f"read{number}"


def operand_name(leaf: Load | LoopValue) -> str:
    """The operand that a leaf is; that of a loop value is named after its loops and coefficients, so that equal values
    share one."""
    if isinstance(leaf, Load):
        return read_name(leaf.read)
    form = leaf.index
    return "value_" + "_".join(f"{value}{name}" for name, value in form.terms) + f"_{form.constant}"
