"""How a tensor's words reach a process: memories level by level, each with the process that fills it.

Each level is derived from its reader alone: the reader's walk gives the tile (a prefix of its axes, by the refill
rule), the box, the lanes and so the banking; the box gives the filler's walk, and the filler is the next reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import gcd, prod

from halidehw.errors import HardwareError
from halidehw.ir.affine import Affine
from halidehw.microarch.banking import Dim, Offset, partition
from halidehw.microarch.box import Box
from halidehw.microarch.choices import Choices
from halidehw.microarch.interface import Port
from halidehw.microarch.level import Level, Made, Outside, check_rows, declared, fitting, one_port, stated, together
from halidehw.microarch.line import line
from halidehw.microarch.parts import ahead, parts
from halidehw.microarch.pieces import Cut, check_cut, cut, laid_apart
from halidehw.microarch.processes import Copy, Fill, Load, Move, Transfer
from halidehw.microarch.raster import Order, Raster
from halidehw.microarch.reader import Reader
from halidehw.microarch.stores import Behind, Memory, RegisterFile
from halidehw.microarch.taps import Lanes, MemorySink, MemoryTap, PortTap
from halidehw.microarch.walk import Axis, Walk, clipping


@dataclass(frozen=True)
class Demand:
    """What a memory wants of the stage that makes its tensor: the words of `box`, a part for each iteration of the
    axes `outside`, which are the outer ones of both."""

    memory: Memory
    box: Box
    outside: tuple[str, ...]

    @property
    def tile(self) -> int:
        """How many axes lie outside a part."""
        return len(self.outside)


@dataclass
class Supplies:
    """What has been derived so far for one stage, for memories outside that answer within `latency` cycles. `label`:
    what the names of its stores begin with; `made`: the tensors that other stages make, and how many words a cycle;
    `orders`: in which order, where words may be taken as they come; `ports`: of tensors the names of their ports, where
    these are not the tensors' own; `demands`: what it wants of those stages."""

    latency: int
    label: str = ""
    made: Mapping[str, int] = field(default_factory=dict)
    orders: Mapping[str, Order] = field(default_factory=dict)
    ports: Mapping[str, str] = field(default_factory=dict)
    memories: list[Memory] = field(default_factory=list)
    files: list[RegisterFile] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)
    demands: list[Demand] = field(default_factory=list)
    choices: Choices = field(default_factory=Choices)


@dataclass(frozen=True)
class SharedRead:
    """A derived read: `lane_of[(access, lane values in the order of Reader.lanes)]` is the memory's lane."""

    read: MemoryTap
    lane_of: dict[tuple[int, Offset], int]


def shared(
    supplies: Supplies, outside: Outside | Made, reader: Reader, levels: list[Level], front: Reader | None = None
) -> SharedRead:
    """Supply `reader` from a shared memory: the innermost of `levels` (given innermost first), or a stream.

    The copies of a level are one memory, in which the lanes that have one each are further dimensions. `front`: the
    process that fetches for `reader`, through a window; a level holds what the reader needs, a stream what the front
    does.
    """
    by, tensor = front or reader, outside.tensor
    reader = reader if levels else by
    if levels:
        level = levels[0]
    else:
        assert isinstance(outside, Outside), "what a stage makes lies in a memory"
        level = _stream(outside, reader, supplies)
    alone = one_port(level)
    tile = supplies.choices.tile(level.name, [axis.name for axis in reader.axes], reader.tile(level.outside))
    level = _paced(level, reader, tile) if isinstance(outside, Made) and len(levels) == 1 else level
    whole = level.whole or reader
    slides = line(whole, tile, level.slide) if level.slide else None
    along, box = (slides.dimension, slides.window) if slides else (None, _box(supplies, level, whole, by, tile))
    lane_of, lanes, base = _lanes(by, box, level.copies)
    pieces = cut(level, reader, tile, box) if not (front or slides or isinstance(outside, Made)) else None
    copies, choices = tuple(reader.extents[lane] for lane in level.copies), supplies.choices

    def banked(box: Box, most: int | None = None) -> tuple[Box, int, list[Dim]]:
        held = slides.rows(level.halves) if slides else pieces.held(box.extents) if pieces else box.extents
        width = port_words(outside, box) if along != 0 else 1
        width = pieces.vector(port_words(outside, pieces.box)) if pieces else width
        if level.width:
            width = declared(level.width, width, box, outside, bool(levels[1:]) and along != 0)
        width = choices.of("vector", level.name, width)
        forced = choices.banks(level.name)
        lie = stated(level, len(held), len(copies), along)
        return box, width, partition((*held, *copies), base, lanes, width, along, forced, most, lie, alone)

    boxes = (box,) if slides else (box, _kept(whole, by, box, base))
    box, width, dims = fitting(level, banked, boxes, prod(copies))
    at, whose = base, lanes
    while pieces and (more := laid_apart(pieces, dims, port_words(outside, pieces.box), at, whose, reader.extents)):
        pieces, base, lanes = more, more.placed(at), more.spread(whose)
        box, width, dims = fitting(level, banked, boxes, prod(copies))
    choices.of("vector", level.name, width)
    choices.of("factors", level.name, tuple(dim.factor for dim in dims))
    choices.of("turning", level.name, tuple(dim.rotating for dim in dims))
    choices.of("places", level.name, tuple(dim.stride.bit_length() - 1 if dim.rotating else 0 for dim in dims))
    starts, follows = ((), ()) if front else _following(reader, tile, base, lanes)
    starts, follows = (starts, follows) if choices.of("follows", level.name, bool(follows)) else ((), ())
    ring = slides.ring(dims[slides.dimension], reader.extents) if slides else None
    check_rows(level, dims, slides.dimension if slides else None)
    if pieces:
        check_cut(level, pieces, box, dims)
    memory = Memory(
        level.name, tensor.name, tensor.type, 1 if ring else level.halves, tuple(dims), lanes, width, level.implicit,
        follows, level.copies, ring, behind=level.behind, one_port=alone,
        together=together(level), word=level.inside.ports if level.inside and level.inside.ports else 1,
        pieces=pieces.count if pieces else 1,
    )  # fmt: skip
    supplies.memories.append(memory)
    filled, depth = (slides.whole, slides.anew) if slides else (box, tile)
    _fill_shared(supplies, outside, reader, memory, filled, depth, levels[1:], pieces)
    address = Affine()
    for dim, form in zip(dims, base, strict=True):
        if not dim.rotating:
            address = address + form.divided(dim.factor) * dim.stride
    rotations = tuple(form for dim, form in zip(dims, base, strict=True) if dim.rotating)
    left, anew = (slides.units(ring.unit), slides.anew) if slides and ring else ((), 0)
    column = Affine.variable(reader.axes[-1].name) if level.behind else None
    taken = pieces.taken if pieces else None
    return SharedRead(MemoryTap(level.name, address, rotations, tile, starts, left, anew, column, taken), lane_of)


def queue(supplies: Supplies, outside: Outside | Made, level: Level, found: Raster) -> SharedRead:
    """Supply the front of `level`, whose words come as they are taken: the words of a step, so many steps deep that
    their way here is hidden, and the rows behind."""
    front, halves = found.front, 2
    box = front.box(len(front.axes))
    if isinstance(outside, Outside):
        halves = supplies.choices.of("parts", level.name, parts(1, port_cycles(outside, box), supplies.latency + 1))
    names = frozenset(axis.name for axis in front.axes)
    behind = Behind(found.kept, front.axes[-1].extent) if found.kept else None
    return shared(supplies, outside, front, [Level(level.name, names, halves, behind=behind)])


def _following(
    reader: Reader, tile: int, base: tuple[Affine, ...], lanes: tuple[Offset, ...]
) -> tuple[tuple[str, ...], tuple[int | None, ...]]:
    """How the lanes' words move on when the innermost axis steps: the axes of the window, and whom a lane follows.

    The words stay where they are under the innermost run of axes that do not move the base; otherwise the window
    moves by the base's stride along the innermost axis; where that is farther than it is wide, no lane follows any.
    """
    inner = [axis.name for axis in reader.axes[tile:]]
    run: list[str] = []
    while inner and not any(form[inner[-1]] for form in base):
        run.insert(0, inner.pop())
    if not run and inner:
        run = inner[-1:]
    if not run:
        return (), ()
    stride = tuple(form[run[-1]] for form in base)
    if any(abs(step) > max(own) - min(own) for step, own in zip(stride, zip(*lanes, strict=True), strict=True)):
        return (), ()
    place = {offset: lane for lane, offset in enumerate(lanes)}
    follows = tuple(place.get(tuple(o + s for o, s in zip(offset, stride, strict=True))) for offset in lanes)
    return (tuple(run), follows) if any(source is not None for source in follows) else ((), ())


def _paced(level: Level, reader: Reader, tile: int) -> Level:
    """The outermost level of what a stage makes, with parts enough for its rate; one of a single part, or of a stated
    number of rows, keeps that, and one whose words are made once, whole."""
    if level.halves == 1 or tile == 0 or (level.slide and level.slide.folded):
        return level
    return replace(level, halves=level.halves + ahead(prod(axis.extent for axis in reader.axes[tile:])))


def port_words(outside: Outside | Made, box: Box) -> int:
    """Words along dimension 0 that are written together: as many as the port carries, where they are neighbours, or as
    the stage makes that they are from."""
    if isinstance(outside, Made):
        return outside.vector
    boundary = outside.tensor.boundary
    straight = box.steps[0] == outside.tensor.strides[0] == 1
    straight = straight and (boundary is None or boundary.kind == "constant_exterior")
    return min(outside.vector, 1 << (box.extents[0] - 1).bit_length()) if straight else 1


def port_cycles(outside: Outside, box: Box) -> int:
    """The cycles in which a box comes through a port."""
    return -(-box.extents[0] // port_words(outside, box)) * prod(box.extents[1:])


def _stream(outside: Outside, reader: Reader, supplies: Supplies) -> Level:
    """The level of a tensor that has none (left): the words of one step, so many steps deep that the memory's latency
    is hidden."""
    tensor = outside.tensor
    taken = sum(memory.tensor == tensor.name for memory in supplies.memories)
    name = f"{supplies.label}{tensor.name}_stream" + (f"_{taken}" if taken else "")
    names = frozenset(axis.name for axis in reader.axes)
    tile = reader.tile(names)
    box = reader.box(tile)
    fill = port_cycles(outside, box)
    use = prod(axis.extent for axis in reader.axes[tile:])
    halves = supplies.choices.of("parts", name, parts(use, fill, supplies.latency + 1))
    return Level(name, names, halves, implicit=True)


def _box(supplies: Supplies, level: Level, whole: Reader, by: Reader, tile: int) -> Box:
    """What a tile holds: the words in use, or those between them too where other designs need them."""
    box = whole.box(tile, level.copies)
    reads = [[form.only(by.lanes) + form.constant for form in box.coordinate(index)] for index in by.indices]
    ranges = ([form.range_over(by.lanes) for form in forms] for forms in zip(*reads, strict=True))
    spread = (max(high for _, high in own) > min(low for low, _ in own) for own in ranges)
    own = tuple(step if apart else 0 for step, apart in zip(box.steps, spread, strict=True))
    forced = supplies.choices.of("steps", level.name, own)
    return box.refined(step and gcd(step, fine) for step, fine in zip(own, forced, strict=True))


def _kept(whole: Reader, by: Reader, box: Box, base: Sequence[Affine]) -> Box:
    """A box without what the limits leave out of it everywhere, but with a word for each place that `by` goes to, which
    reads it: a step more than `whole` has where lanes are skewed."""
    least = (by.greatest(form) + 1 for form in base)
    extents = zip(box.extents, whole.clipped(box).extents, least, strict=False)
    return replace(box, extents=tuple(min(full, max(kept, most)) for full, kept, most in extents))


def _lanes(
    reader: Reader, box: Box, copies: tuple[str, ...]
) -> tuple[dict[tuple[int, Offset], int], tuple[Offset, ...], tuple[Affine, ...]]:
    """The distinct offsets read in one step, who reads which, and the base (never negative) they are offset from."""
    names = tuple(axis.name for axis in reader.axes)
    copy = tuple(map(Affine.variable, copies))
    parts = [form.only(names) for form in (*box.coordinate(reader.indices[0]), *copy)]
    lows = [part.range_over(reader.extents)[0] for part in parts]
    base = tuple(part - low for part, low in zip(parts, lows, strict=True))
    wanted: dict[tuple[int, Offset], Offset] = {}
    positions = list(product(*(range(extent) for extent in reader.lanes.values())))
    for number, index in enumerate(reader.indices):
        coordinate = (form + low for form, low in zip((*box.coordinate(index), *copy), lows, strict=True))
        offsets = zip(*(form.over(reader.lanes) for form in coordinate), strict=True)
        wanted |= {(number, values): offset for values, offset in zip(positions, offsets, strict=True)}
    lanes = tuple(sorted(set(wanted.values()), key=lambda offset: offset[::-1]))
    place = {offset: i for i, offset in enumerate(lanes)}
    return {who: place[offset] for who, offset in wanted.items()}, lanes, base


def _fill_shared(
    supplies: Supplies, outside: Outside | Made, reader: Reader, memory: Memory, box: Box, tile: int,
    outer: list[Level], pieces: Cut | None,
) -> None:  # fmt: skip
    """Derive the process that fills `memory`: from the next level outside, or from the tensor's port. What a stage
    makes is demanded of it."""
    if isinstance(outside, Made) and not outer:
        supplies.demands.append(Demand(memory, box, tuple(axis.name for axis in reader.axes[:tile])))
        return
    tensor, before = outside.tensor, (*reader.axes[:tile], *(pieces.axes if pieces else ()))
    inner, q, digits, address = _box_axes(memory, box, pieces)
    axes = (*before, *inner)
    index = tuple(origin + form * step for origin, form, step in zip(box.origin, q, box.steps, strict=True))
    ends: list[tuple[Affine, int]] = []
    for d, (form, extent, step, bounds) in enumerate(zip(q, box.extents, box.steps, box.reach, strict=True)):
        weight = 1 if d == 0 else 0
        ends.append((Affine((), extent - 1) - form, weight))
        ends += [(bound - form * step, step * weight) for bound in bounds]
        if pieces and d in pieces.apart:
            ends.append((Affine((), pieces.box.extents[d] - 1) + pieces.begins[d] - form, weight))
    names = {axis.name for axis in axes}
    outer_names = {*(axis.name for axis in before), *memory.copies}
    limits = [limit.only(outer_names) + limit.constant for limit in reader.limits]
    limits += [form for form, _ in ends]
    walk = Walk(axes, clipping(axes, limits))
    last = memory.vector - 1
    lane_limits = tuple(
        (form.only(names) + form.constant, weight)
        for form, weight in ends
        if weight and form.range_over(walk.extents)[0] - weight * last < 0 and last
    )
    sink = MemorySink(
        memory.name, digits, address, tile + (memory.ring is not None), len(before) if pieces else None
    )
    if outer:
        lane = f"{memory.name}.vector"
        wide = (index[0] + Affine.of([(lane, box.steps[0])]), *index[1:]) if memory.vector > 1 else index
        lanes = {lane: memory.vector} if memory.vector > 1 else {}
        supply = shared(supplies, outside, Reader(axes, lanes, tuple(limits), (wide,)), outer)
        taken = tuple(supply.lane_of[0, (i,) if lanes else ()] for i in range(memory.vector))
        supplies.moves.append(Transfer(f"{memory.name}_fill", walk, Lanes(supply.read, taken), sink, lane_limits))
        return
    assert isinstance(outside, Outside)
    positions = tuple(form - low for form, low in zip(index, tensor.mins, strict=True))
    total = Affine()
    for form, stride in zip(positions, tensor.strides, strict=True):
        total = total + form * stride
    leaves = tuple(
        _may_leave(form, extent, walk, (d == 0) * last)
        for d, (form, extent) in enumerate(zip(positions, tensor.extents, strict=True))
    )
    watched = supplies.choices.of("checked", memory.name, tuple(leaf or supplies.choices.wide for leaf in leaves))
    if any(leaf and not watch for leaf, watch in zip(leaves, watched, strict=True)):
        raise HardwareError(f"{tensor.name} is read beyond its edges where nothing looks at them")
    checked = tuple(form if watch else None for form, watch in zip(positions, watched, strict=True))
    bits = max((tensor.span + last).bit_length(), 1)
    name = supplies.ports.get(tensor.name, tensor.name)
    port = Port(
        name, outside.owner, "read", memory.vector, tensor.type.bits, tensor.type.signed, tensor.span, bits
    )
    waiting = memory.parts * prod(axis.extent for axis in axes[sink.tile :])
    tap = PortTap(port, total, tensor.strides, checked, tensor.extents, tensor.boundary, waiting, outside.revisit)
    supplies.loads.append(Transfer(f"{memory.name}_load", walk, tap, sink, lane_limits))


def _box_axes(
    memory: Memory, box: Box, pieces: Cut | None
) -> tuple[tuple[Axis, ...], tuple[Affine, ...], tuple[Affine, ...], Affine]:
    """A filler's axes over the copies and the box, or a piece of it (dimension 0 innermost, the rows of a ring
    outermost), and over them: the coordinate in the box, bank digits, word address.

    The lanes of an axis with copies are in one bank or in one each; so it is one axis, and keeps its name.
    """
    axes: list[Axis] = []
    coordinates, digits, address = [], [], Affine()
    dimensions, apart = len(box.steps), pieces.apart if pieces else frozenset[int]()
    names = [(f"{memory.name}.{d}", f"{memory.name}.{d}.bank") for d in range(dimensions)]
    outside = [axis.name for axis in (pieces.along if pieces else ())]
    names += [(name, name) for name in outside]
    names += [(lane, lane) for lane in memory.copies]
    for d, (dim, (row, bank)) in enumerate(zip(memory.dims, names, strict=True)):
        if memory.ring and d == memory.ring.dimension:
            coordinates.append(Affine.variable(row))
            digits.append(Affine())
            continue
        if row in outside:
            digits.append(Affine())
            address = address + Affine.variable(row) * dim.stride
            continue
        vector, extent, begin = memory.vector if d == 0 else 1, dim.extent, Affine()
        if pieces and d < dimensions:
            extent, begin = pieces.box.extents[d], pieces.begins[d]
        outer, inner = (
            Axis(row, -(-extent // dim.factor)),
            Axis(bank, -(-min(extent, dim.factor) // vector)),
        )
        rows = Affine.of([(outer.name, 1)] if outer.extent > 1 else [])
        digit = Affine.of([(inner.name, vector)] if inner.extent > 1 else [])
        axes = [*(axis for axis in (outer, inner) if axis.extent > 1), *axes]
        coordinates.append(begin + rows * dim.factor + digit)
        digits.append(digit)
        address = address + (rows if d in apart else rows + begin.divided(dim.factor)) * dim.stride
    if memory.ring:
        d = memory.ring.dimension
        axes.insert(0, Axis(names[d][0], box.extents[d]))
    return tuple(axes), tuple(coordinates[:dimensions]), tuple(digits), address


def _may_leave(form: Affine, extent: int, walk: Walk, lane: int) -> bool:
    """Whether an index (counted from the tensor's edge) can lie outside it."""
    low, high = form.range_over(walk.extents)
    for limit in walk.limits:
        if limit.form.names == form.names and form.terms:
            ratios = {-value / form[name] for name, value in limit.form.terms}
            if len(ratios) == 1 and (ratio := ratios.pop()) > 0:
                high = min(high, int((limit.form.constant + ratio * form.constant) // ratio))
    return low < 0 or high + lane >= extent
