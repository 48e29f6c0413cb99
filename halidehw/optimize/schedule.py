"""A layer and a mapping as a text design: the algorithm, and the schedule in the primitives a user writes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import dropwhile, takewhile
from math import prod

from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.counts import OUTPUT
from halidehw.mapping.layer import DIMS, RELEVANT, Layer
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.files import ALL, Files
from halidehw.optimize.layout import WINDOWS, neighbours, operands
from halidehw.optimize.pieces import WHOLE, Pieces, begins_anew, held, inside
from halidehw.optimize.pieces import place as cut_at
from halidehw.optimize.sums import sums_place

PURE = {"X": "x", "Y": "y", "Z": "z", "K": "k", "G": "g", "B": "b"}
REDUCTION = ("FX", "FY", "FZ", "C")
COORDINATES = "xyzw"
OPERANDS = "input", "weight"


@dataclass(frozen=True)
class Piece:
    """One loop of a dim after its splits: `level` of memory, or None when spatial; its name, trips or lanes."""

    dim: str
    level: int | None
    name: str
    trips: int


@dataclass(frozen=True)
class Arrangement:
    """How a layer is written: its pure and its reduction loops by dim, innermost first, with their names; the dims
    along which input and weight lie in memory, the first one fastest."""

    pure: dict[str, str]
    reduction: dict[str, str]
    moved: tuple[str, ...]
    filters: tuple[str, ...]


def arrangement(
    layer: Layer, arch: Architecture, mapping: Mapping, files: Files, cut: Pieces = WHOLE
) -> Arrangement:
    """What suits a mapping with register files for some tensors, whose operands come in by pieces or not: words that
    are wanted together are neighbours."""
    pure, reduction = _active(layer, held=not mapping.temporal[-1])
    first = neighbours(layer, arch, mapping)
    pure = {dim: pure[dim] for dim in (*first, *(dim for dim in pure if dim not in first))}
    loops = inside(arch, mapping)
    own = tuple(held(layer, mapping, loops[: each.loops]) for each in cut)
    joined = tuple(not (tensor in files or each.unjoined) for tensor, each in enumerate(cut))
    return Arrangement(pure, reduction, *operands(layer, arch, own, joined))


def schedule_text(
    layer: Layer, arch: Architecture, mapping: Mapping, files: Files = ALL, cut: Pieces = WHOLE, sums_cut: int = 0
) -> str:
    """A `.hh` design of the layer with the mapping's splits, order, unrolling and buffers; in the PEs for tensors that
    have `files`: words of the others go from the shared memories straight into the array, or sums back. `cut`: how the
    outermost tiles of the operands come in; `sums_cut`: how many of the loops of that tile lie outside a piece of sums,
    if they leave by pieces."""
    arranged, first = arrangement(layer, arch, mapping, files, cut), neighbours(layer, arch, mapping)
    names = {**arranged.reduction, **arranged.pure}
    found = schedule_lines(arch, mapping, names, "output", first, files, cut, sums_cut)
    lines = [
        f"// On {arch.name}: {', '.join(f'{dim} {n}' for dim, n in _extents(layer).items() if n > 1) or 'one step'}",
        "",
        *algorithm(layer, arch, arranged, list(found.loops)),
        "",
        *found.lines,
        "output.accelerate({input, weight});",
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Lines:
    """Directives in the notation of texts, and the loops that they make."""

    lines: tuple[str, ...]
    loops: tuple[str, ...]


def schedule_lines(
    arch: Architecture, mapping: Mapping, names: dict[str, str], subject: str, first: tuple[str, ...] = (),
    files: Files = ALL, cut: Pieces = WHOLE, sums_cut: int = 0,
) -> Lines:  # fmt: skip
    """The mapping's splits, order, unrolling and buffers for an algorithm whose sum is called `subject`, whose operands
    are `input` and `weight`. `names`: of its loops by dim; `first`: of which the lanes are the innermost loop; `files`:
    which tensors have memories in the PEs; `cut`: how the outermost tiles come in, and `sums_cut` how sums leave."""
    pieces = {dim: _pieces(dim, name, arch, mapping, dim in first) for dim, name in names.items()}
    pieces = _held(pieces, mapping)
    splits = {dim: _splits(name, pieces[dim]) for dim, name in names.items()}
    nest = _nest(arch, mapping, pieces)
    new = tuple(name for found in splits.values() for _, outer, inner, _ in found for name in (outer, inner))
    directives = [
        f".split({old}, {outer}, {inner}, {n})" for found in splits.values() for old, outer, inner, n in found
    ]
    lines = (
        *(f"{subject}.update(){directive};" for directive in directives),
        *_reorder(names, splits, nest, subject),
        *_dataflow(arch, mapping, pieces, subject),
        "",
        *_buffers(arch, nest, subject, files, _cut(arch, mapping, nest, subject, cut)),
        *(_sums(arch, nest, subject) if OUTPUT in files else _shared_sums(arch, mapping, nest, subject, sums_cut)),
    )
    return Lines(lines, new)


def _extents(layer: Layer) -> dict[str, int]:
    return dict(zip(DIMS, layer.extents, strict=True))


def _active(layer: Layer, held: bool) -> tuple[dict[str, str], dict[str, str]]:
    """The loops of the design by dim, innermost first: those of more than one trip, and at least one of each kind.

    `held`: a level holds the whole layer, so it needs a loop of one trip for its buffers to be in.
    """
    extents = _extents(layer)
    outermost = [dim for dim in reversed(PURE) if extents[dim] == 1][:1] if held else []
    pure = [dim for dim in PURE if extents[dim] > 1 or dim in outermost] or ["K"]
    taps = [dim for dim in REDUCTION if extents[dim] > 1] or ["C"]
    letters = zip(taps, COORDINATES, strict=False)
    return {dim: PURE[dim] for dim in pure}, {dim: f"r.{letter}" for dim, letter in letters}


def algorithm(layer: Layer, arch: Architecture, arranged: Arrangement, new: list[str]) -> list[str]:
    """The layer without its schedule, whose new loops are called `new`. Loops that are not arranged have one trip."""
    pure, reduction = arranged.pure, arranged.reduction
    names = {**pure, **reduction}
    windows = {out: _window(pure.get(out), reduction.get(tap), layer.steps(out)) for out, tap in WINDOWS.items()}
    inputs = [index for index in ({**names, **windows}.get(dim) for dim in arranged.moved) if index]
    weights = [names[dim] for dim in arranged.filters if dim in names]
    extents = _extents(layer)
    factors = [f"input({', '.join(inputs)})", f"weight({', '.join(weights)})"]
    return [
        f"ImageParam input(Int({arch.word_bits}), {len(inputs) or 1});",
        f"ImageParam weight(Int({arch.word_bits}), {len(weights) or 1});",
        f"Var {', '.join([*pure.values(), *new])};",
        f"RDom r({', '.join(f'0, {extents[dim]}' for dim in reduction)});",
        f"Func output(Int({arch.sum_bits}), {len(pure)});",
        "",
        f"output({', '.join(pure.values())}) +=",
        f"    {' * '.join(_cast(factor, arch.sum_bits) for factor in factors)};",
        f"output{''.join(f'.bound({name}, 0, {extents[dim]})' for dim, name in pure.items())};",
    ]


def _cast(value: str, bits: int) -> str:
    return f"cast<int{bits}_t>({value})" if bits in (8, 16, 32, 64) else f"cast(Int({bits}), {value})"


def _window(out: str | None, tap: str | None, steps: tuple[int, int]) -> str | None:
    moved = (name if step == 1 else f"{name} * {step}" for name, step in zip((out, tap), steps, strict=True) if name)
    return " + ".join(moved) or None


def _pieces(dim: str, name: str, arch: Architecture, mapping: Mapping, innermost: bool) -> list[Piece]:
    """The loops of `dim`, outermost first; the lanes lie between the shared levels and those in the PE, or `innermost`:
    then they are neighbours.
    """
    found: list[tuple[int | None, int]] = []
    for level in reversed(range(len(mapping.temporal))):
        found.append((level, dict(mapping.temporal[level]).get(dim, 1)))
        if level == arch.pe_levels:
            found.append((None, next((n for axis in mapping.spatial for each, n in axis if each == dim), 1)))
    if innermost:
        found.sort(key=lambda each: each[0] is None)
    kept = [(level, trips) for level, trips in found if trips > 1] or [(len(mapping.temporal) - 1, 1)]
    if len(kept) == 1:
        return [Piece(dim, kept[0][0], name, kept[0][1])]
    return [Piece(dim, level, f"{dim.lower()}{'s' if level is None else level}", trips) for level, trips in kept]


def _held(pieces: dict[str, list[Piece]], mapping: Mapping) -> dict[str, list[Piece]]:
    """`pieces` with a loop of one trip at the outermost level, if nothing else is there: what its buffers are in."""
    last, outermost = len(mapping.temporal) - 1, list(pieces)[-1]
    if any(piece.level == last for found in pieces.values() for piece in found):
        return pieces
    name = outermost.lower()
    whole = [replace(each, name=f"{name}{'s' if each.level is None else each.level}") for each in pieces[outermost]]
    return {**pieces, outermost: [Piece(outermost, last, f"{name}{last}", 1), *whole]}


def _splits(name: str, pieces: list[Piece]) -> list[tuple[str, str, str, int]]:
    """The splits (old, outer, inner, factor) that turn the loop `name` into `pieces`."""
    found = []
    for at, piece in enumerate(pieces[:-1]):
        last = at == len(pieces) - 2
        inner = pieces[-1].name if last else f"{piece.dim.lower()}_in{'s' if piece.level is None else piece.level}"
        found.append((name, piece.name, inner, prod(each.trips for each in pieces[at + 1 :])))
        name = inner
    return found


def _nest(arch: Architecture, mapping: Mapping, pieces: dict[str, list[Piece]]) -> list[Piece]:
    """All loops, innermost first; of the lanes those that are nearest, whose words are passed on and summed first."""
    by_place = {(piece.dim, piece.level): piece for found in pieces.values() for piece in found}
    lanes = [(dim, None) for axis in mapping.spatial for dim, _ in axis]
    loops = [[(dim, level) for dim, _ in found] for level, found in enumerate(mapping.temporal)]
    inside = [place for level in loops[: arch.pe_levels] for place in level]
    outside = [place for level in loops[arch.pe_levels :] for place in level]
    order = [place for place in (*inside, *lanes, *outside) if place in by_place]
    return [by_place[place] for place in (*order, *(place for place in by_place if place not in order))]


def _reorder(
    names: dict[str, str], splits: dict[str, list[tuple[str, str, str, int]]], nest: list[Piece], subject: str
) -> list[str]:
    """The order of the loops, unless the splits already leave them so."""
    loops = list(names.values())
    for each in splits.values():
        for old, outer, inner, _ in each:
            at = loops.index(old)
            loops[at : at + 1] = [inner, outer]
    wanted = [piece.name for piece in nest]
    return [] if loops == wanted else [f"{subject}.update().reorder({', '.join(wanted)});"]


def _dataflow(arch: Architecture, mapping: Mapping, pieces: dict[str, list[Piece]], subject: str) -> list[str]:
    lanes = {piece.dim: piece.name for found in pieces.values() for piece in found if piece.level is None}
    axes = [[lanes[dim] for dim, _ in axis if dim in lanes] for axis in mapping.spatial]
    sides = [(" ".join(axis), size) for axis, size in zip(axes, arch.array, strict=False) if axis]
    if not sides:
        return []
    shape = ", ".join(str(n) for _, n in sides)
    text = f'{subject}.update().dataflow("{" | ".join(side for side, _ in sides)}", {shape})'
    return [f"{text}.systolic({{{', '.join(name for axis in axes for name in axis)}}});" if arch.links else f"{text};"]


def _cut(
    arch: Architecture, mapping: Mapping, nest: list[Piece], subject: str, cut: Pieces
) -> dict[str, tuple[str, bool]]:
    """Where the outermost tile of each operand lies that comes in by pieces, as it is said, and whether it is kept: of
    what is not, several pieces together are as much as the tile."""
    names = {(piece.dim, piece.level): piece.name for piece in nest}
    found = dict[str, tuple[str, bool]]()
    for tensor, (operand, each) in enumerate(zip(OPERANDS, cut, strict=True)):
        room = f".ring_buffer({each.room})" if each.room > 2 else ""
        if each.loops:
            kept, (level, dim, _), back = cut_at(arch, mapping, tensor, each.loops)
            kept = begins_anew(arch, mapping, each.loops) if each.slides else kept
            store = f".store_at({subject}, {names[DIMS[kept[1]], kept[0]]})" if kept else ".store_root()"
            store = store if back or each.slides else ""
            found[operand] = f"{store}.compute_at({subject}, {names[DIMS[dim], level]}){room}", back
        elif room:
            found[operand] = f".compute_at({subject}, {_place(arch, nest, len(arch.levels) - 2)}){room}", True
    return found


def _buffers(
    arch: Architecture, nest: list[Piece], subject: str, files: Files, cut: dict[str, tuple[str, bool]]
) -> list[str]:
    """The levels of both operands, from the outermost in, each just inside the loops outside its tile, the outermost
    where it is `cut`; of levels with the same tile the innermost, in the PEs those of tensors with `files`."""
    places = [{_place(arch, nest, at): arch.levels[at] for at in reversed(range(least, len(arch.levels) - 1))}
              for least in (0 if tensor in files else arch.pe_levels for tensor in range(len(OPERANDS)))]  # fmt: skip
    lines = list[str]()
    for depth in range(1, 1 + max(map(len, places))):
        for tensor, operand in enumerate(OPERANDS):
            if depth > len(places[tensor]):
                continue
            place, level = [*places[tensor].items()][depth - 1]
            said, kept = cut.get(operand, ("", True)) if depth == 1 else ("", True)
            own = level if kept else replace(level, buffers=2)
            once = depth == 1 and kept and _whole(nest, place, tensor)
            lines += _level(replace(own, buffers=1) if once else own, operand + ".in()" * depth, place, subject, said)
    return lines


def _whole(nest: list[Piece], place: str, tensor: int) -> bool:
    """Whether no loop outside a tile, from a `place` on, moves a tensor: no other tile of it ever comes in."""
    outside = list(dropwhile(lambda piece: piece.name != place, nest))
    return not any(piece.trips > 1 and RELEVANT[tensor][DIMS.index(piece.dim)] for piece in outside)


def _sums(arch: Architecture, nest: list[Piece], subject: str) -> list[str]:
    """The levels of partial sums, outermost first: those whose loops move the output, and the accumulators, unless they
    are all there is and lie there anyway."""
    temporal = [piece for piece in nest if piece.level is not None and piece.trips > 1]
    levels = [
        at
        for at in reversed(range(len(arch.levels) - 1))
        if at == 0 or any(piece.level == at and piece.dim in PURE for piece in temporal)
    ]
    if len(levels) > 1:
        chain = [(subject + ".in()" * depth, at) for depth, at in enumerate(levels, 1)]
        places = [(wrapper, arch.levels[at], _place(arch, nest, at)) for wrapper, at in chain]
        return [line for wrapper, level, place in places for line in _level(level, wrapper, place, subject)]
    outside = list(dropwhile(lambda piece: piece.dim not in PURE, (piece for piece in temporal if piece.level)))
    anyway = list(takewhile(lambda piece: piece.dim in PURE, reversed(temporal)))
    if not outside or (arch.levels[0].buffers > 1 and outside[::-1] == anyway):
        return []
    return _level(arch.levels[0], f"{subject}.in()", outside[0].name, subject)


def _shared_sums(arch: Architecture, mapping: Mapping, nest: list[Piece], subject: str, sums_cut: int) -> list[str]:
    """The level of partial sums where none is in the PEs: the shared one, where loops outside it come back to them or
    they leave by pieces; else they leave when their last reduction is done."""
    shared, level = arch.pe_levels, arch.levels[arch.pe_levels]
    outermost, once = _place(arch, nest, shared), replace(level, buffers=1)
    if sums_cut:
        names = {(piece.dim, piece.level): piece.name for piece in nest}
        kept, (at, dim, _) = sums_place(arch, mapping, sums_cut)
        store = f".store_at({subject}, {names[DIMS[kept[1]], kept[0]]})" if kept else ".store_root()"
        said = f"{store}.compute_at({subject}, {names[DIMS[dim], at]})"
        return _level(level if kept else once, f"{subject}.in()", "", subject, said)
    again = any((piece.level or 0) > shared and piece.trips > 1 and piece.dim not in PURE for piece in nest)
    level = once if _whole(nest, outermost, OUTPUT) else level
    return _level(level, f"{subject}.in()", outermost, subject) if again else []


def _place(arch: Architecture, nest: list[Piece], at: int) -> str:
    """The loop just outside the tiles of a level."""
    level = arch.levels[at]
    return next(piece.name for piece in nest if (piece.level is None and level.per_pe) or (piece.level or 0) > at)


def _level(level: Level, wrapper: str, place: str, subject: str, said: str = "") -> list[str]:
    """A buffer at a loop, or where it is `said` that it is."""
    single = [f"{wrapper}.single_buffer();"] if level.buffers == 1 else []
    return [f"{wrapper}{said or f'.compute_at({subject}, {place})'};  // {level.name}", *single]
