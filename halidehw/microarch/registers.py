"""Register files: the levels of a tensor's memories that lie inside the PEs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from halidehw.ir.affine import Affine
from halidehw.ir.declared import Width
from halidehw.microarch.box import Index
from halidehw.microarch.level import Level, Made, Outside
from halidehw.microarch.parts import file_parts, file_waits
from halidehw.microarch.processes import Compute, Transfer
from halidehw.microarch.reader import Reader
from halidehw.microarch.stores import LEAD, RegisterFile
from halidehw.microarch.supply import Supplies, shared
from halidehw.microarch.taps import FileSink, FileTap, Lanes
from halidehw.microarch.walk import Axis, Walk, clipping

WIDEST_BUS = 256
"""Lanes of a fill bus that spans several axes of the array; one along a single axis is as wide as that axis."""


@dataclass(frozen=True)
class FileRead:
    """A derived read of a register file: the address in every PE of each of the reader's accesses, and the depth of
    its walk at which the tile ends."""

    file: str
    addresses: tuple[Affine, ...]
    tile: int


@dataclass(frozen=True)
class _Tile:
    """A register file's tile: the axes of its filler outside it and over its box, and over them and the lanes the
    index of a word, the limits, and the address within the part."""

    outer: tuple[Axis, ...]
    inner: tuple[Axis, ...]
    index: Index
    limits: tuple[Affine, ...]
    address: Affine

    @property
    def words(self) -> int:
        return prod(axis.extent for axis in self.inner)


@dataclass(frozen=True)
class PerPE:
    """A tensor that lies in the PEs: `spaces`, the array's axes it depends on; `steps`, the array's axes in time."""

    outside: Outside | Made
    spaces: tuple[Axis, ...]
    steps: tuple[Axis, ...]


def register_file(
    supplies: Supplies, held: PerPE, reader: Reader, levels: list[Level], inside: int, lookups: int = 0
) -> FileRead:
    """Supply `reader` from a register file in every PE, levels[0]; the first `inside` levels are such. `lookups`: how
    often a step reads it at data."""
    level, tensor, names = levels[0], held.outside.tensor, tuple(space.name for space in held.spaces)
    depth = supplies.choices.tile(level.name, [axis.name for axis in reader.axes], reader.tile(level.outside))
    whole = level.whole or reader
    box = whole.box(depth, names)
    if level.room:
        box = box if box.words <= level.room.words else whole.clipped(box)
        level.room.check(level.name, box.words, " x ".join(map(str, box.extents)))
    strides = [prod(box.extents[:d]) for d in range(len(box.extents))]
    addresses = tuple(_address(reader, box.coordinate(index), strides) for index in reader.indices)
    axes = [Axis(f"{level.name}.{d}", extent) for d, extent in enumerate(box.extents)]
    q = [Affine.of([(axis.name, 1)] if axis.extent > 1 else []) for axis in axes]
    outer = reader.axes[:depth]
    limits = [limit.only({*names, *(axis.name for axis in outer)}) + limit.constant for limit in reader.limits]
    limits += [
        bound - form * step for form, step, bounds in zip(q, box.steps, box.reach, strict=True) for bound in bounds
    ]
    local = Affine()
    for form, stride in zip(q, strides, strict=True):
        local = local + form * stride
    index = tuple(origin + form * step for origin, form, step in zip(box.origin, q, box.steps, strict=True))
    inner = tuple(axis for axis in reversed(axes) if axis.extent > 1)
    tile = _Tile(outer, inner, index, tuple(limits), local)
    if level.inside:
        raise level.inside.refused(
            f"{level.name} lies in every PE, and the memories outside the PEs have an order and ports"
        )
    place = len(supplies.files)
    fill = _copy(supplies, held, reader, tile, levels, inside) if inside > 1 else _fill(supplies, held, tile, levels)
    use, reads = prod(axis.extent for axis in reader.axes[depth:]), lookups or len(addresses)
    halves = max(file_parts(use, fill, box.words), level.halves) if level.halves > 1 else 1
    halves = supplies.choices.of("parts", level.name, halves)
    file = RegisterFile(level.name, tensor.name, tensor.type, halves, box.words, names, level.implicit, reads)
    supplies.files.insert(place, file)
    return FileRead(level.name, addresses, depth)


def kept(supplies: Supplies, compute: Compute) -> tuple[RegisterFile, ...]:
    """The register files, of which no part is filled anew while steps that have been taken still read it."""
    memories = {memory.name: memory for memory in supplies.memories}
    late = {file.name: late_reads(compute, file.name) for file in supplies.files}
    ahead = {fill.sink.file: memories[fill.tap.tap.memory].latency for fill in supplies.fills}
    return tuple(
        replace(file, kept=max(late[file.name] - ahead.get(file.name, RegisterFile.latency), 0))
        for file in supplies.files
    )


def late_reads(compute: Compute, file: str) -> int:
    """Cycles by which the array reads a part of a register file later than the step after the last one could write to
    it, were words under way to it for none. At data it is read as the datapath computes; a part that is never filled
    anew is not late."""
    taps = [tap for operand in compute.operands if isinstance(tap := operand.source, FileTap) and tap.file == file]
    return max((compute.arrival + compute.latency * tap.data - LEAD for tap in taps if tap.tile), default=0)


def _address(reader: Reader, coordinate: Index, strides: list[int]) -> Affine:
    """Where a coordinate of the box lies in the part, which is the same in all PEs."""
    address = Affine()
    for form, stride in zip(coordinate, strides, strict=True):
        address = address + (form.only(axis.name for axis in reader.axes) + form.constant) * stride
    return address


def _copy(supplies: Supplies, held: PerPE, reader: Reader, tile: _Tile, levels: list[Level], inside: int) -> int:
    """Every PE fills the register file from the next one, all at once, each its own words: in how many steps."""
    if levels[0].width:
        raise levels[0].width.refused("each PE copies from its own memory, a word at a time", levels[0].width.line(1))
    axes = (*tile.outer, *tile.inner)
    copier = Reader(axes, reader.lanes, tile.limits, (tile.index,))
    source = register_file(supplies, held, copier, levels[1:], inside - 1)
    name, walk = levels[0].name, Walk(axes, clipping(axes, list(tile.limits)))
    depth = len(tile.outer)
    (address,) = source.addresses
    tap, sink = FileTap(source.file, address, source.tile), FileSink(name, tile.address, depth)
    supplies.copies.append(Transfer(f"{name}_fill", walk, tap, sink))
    return tile.words


def _fill(supplies: Supplies, held: PerPE, tile: _Tile, levels: list[Level]) -> int:
    """The register file is filled through the array, from the next level outside it or from a stream: in how many
    steps."""
    name, depth = levels[0].name, len(tile.outer)
    reuse = prod(axis.extent for axis in held.steps[depth:])
    bus = supplies.choices.of("bus", name, _bus(held.spaces, tile.words, reuse, tile.index[0].names, levels[0].width))
    wide = {space.name: space.extent for space in held.spaces if space.name in bus}
    selects = tuple(space for space in held.spaces if space.name not in bus)
    axes = (*tile.outer, *selects, *tile.inner)
    supply = shared(supplies, held.outside, Reader(axes, wide, tile.limits, (tile.index,)), levels[1:])
    positions = product(*(range(extent) for extent in wide.values()))
    taken = tuple(supply.lane_of[0, position] for position in positions)
    sink = FileSink(name, tile.address, depth, tuple(wide), tuple(space.name for space in selects))
    walk = Walk(axes, clipping(axes, list(tile.limits)))
    supplies.fills.append(Transfer(f"{name}_fill", walk, Lanes(supply.read, taken), sink))
    return tile.words * prod(space.extent for space in selects)


def _bus(
    spaces: tuple[Axis, ...], words: int, reuse: int, neighbours: frozenset[str], width: Width | None
) -> frozenset[str]:
    """The spatial axes side by side on a fill bus: the fewest lanes with which no tile is waited for, else the widest;
    where a width is declared, so many along dimension 0, whose axes are `neighbours`."""
    lanes = {space.name: space.extent for space in spaces}
    found, widest = buses(lanes, neighbours)
    if width:
        beside = {prod(lanes[name] for name in bus): bus for bus in found if neighbours.issuperset(bus)}
        if width.words not in beside:
            shown = " or ".join(map(str, beside))
            raise width.refused(f"the array has {shown} lanes along dimension 0", *map(width.line, beside))
        return frozenset(beside[width.words])
    serial = {bus: prod(lanes[name] for name in lanes if name not in bus) for bus in found}
    return frozenset(next((bus for bus in found if not file_waits(reuse, words * serial[bus], words)), widest))


def buses(lanes: Mapping[str, int], neighbours: Collection[str]) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The axes, of so many lanes each, that can lie side by side on a fill bus, the fewest lanes first; and the widest.
    Of as many lanes, one along dimension 0 (whose axes are `neighbours`) is first: a port delivers those together."""
    choices = []
    for chosen in product((False, True), repeat=len(lanes)):
        bus = tuple(name for name, wide in zip(lanes, chosen, strict=True) if wide)
        count = prod(lanes[name] for name in bus)
        if count <= WIDEST_BUS or len(bus) == 1:
            choices.append((count, not any(name in neighbours for name in bus), bus))
    widest = min(choices, key=lambda choice: (-choice[0], *choice[1:]))
    return [bus for *_, bus in sorted(choices)], widest[-1]
