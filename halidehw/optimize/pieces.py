"""Which operands of a mapping come in by pieces, so that their first tile is read while it comes in.

A tile that loops come back to need not be there as a whole before its first step: it comes in as the loops that move it
step for the first time. How far a piece reaches follows from the mapping: the less of the tile the better, as long as
the port takes as many words together as of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from math import ceil, prod
from typing import TypeVar

import numpy as np

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import INPUT, OUTPUT, OUTS, WEIGHT, WINDOWS
from halidehw.mapping.layer import DIMS, RELEVANT, Layer
from halidehw.mapping.mapping import Mapping, tiling
from halidehw.optimize.layout import held_words, rates, stored

EQUAL = 0.9999
"""What is as many words, but for rounding."""

LOSS = 0.25
"""Of the cycles in which a tile comes in, by how many more all of them may come in by pieces, of which fewer words pass
the port together: before the first step there is less to wait for, once."""

FEW, MANY, ONCE = 64, 512, 1024
"""Pieces of a tile that are enough, and so many at most where the first loop has more: each one takes its own time. Of
those that are wanted once a few are under way, however many there are."""

ROOM = 256
"""Pieces or tiles for which there is room, at most."""

ROOMY, OFTEN = 64, 2048
"""Pieces for which there is room, if two tiles have so many, where no more come in a run: of so few the first ones,
beside which all else comes for the first time, take a part of it."""


@dataclass(frozen=True)
class Cut:
    """How an operand's outermost tile comes in: how many of its `loops` lie outside a piece, 0 where it comes in as a
    whole; of pieces that are wanted once, for how many there is `room`. Where pieces `slide`, each has words of the one
    before, in whose memory it lies: a line buffer. `unjoined`: whether the port takes neighbours along one dimension,
    not along all that a tile has whole, which hardware joins only where that pays."""

    loops: int = 0
    room: int = 2
    slides: bool = False
    unjoined: bool = False


Pieces = tuple[Cut, Cut]
"""Of input and weight."""

WHOLE: Pieces = Cut(), Cut()

OPERANDS = INPUT, WEIGHT


Many = TypeVar("Many", float, np.ndarray)

Loop = tuple[int, int, int]
"""A level, a dim and its trips there."""


def inside(arch: Architecture, mapping: Mapping) -> tuple[Loop, ...]:
    """The loops of the outermost tile that is built, outer to inner, up to where another one of the same tensor may
    lie."""
    for level in reversed(range(arch.pe_levels, len(mapping.temporal) - 1)):
        if found := [(level, DIMS.index(dim), trips) for dim, trips in reversed(mapping.temporal[level]) if trips > 1]:
            return tuple(found)
    return ()


def outer_loops(mapping: Mapping) -> list[Loop]:
    """The loops outside the outermost tile, inner to outer."""
    return [(len(mapping.temporal) - 1, DIMS.index(dim), trips) for dim, trips in mapping.temporal[-1] if trips > 1]


def leaves(layer: Layer, arch: Architecture, mapping: Mapping, words: int) -> float:
    """Cycles in which so many sums of each lane leave."""
    lanes = np.ones((len(DIMS), 1), np.int64)
    for dim, own in (loop for axis in mapping.spatial for loop in axis):
        lanes[DIMS.index(dim)] = own
    every = words * prod(own for dim, own in enumerate(lanes[:, 0].tolist()) if RELEVANT[OUTPUT][dim])
    return every / int(stored(layer, lanes, arch.port_words[OUTPUT])[0])


def pieces(
    layer: Layer, arch: Architecture, mapping: Mapping, rows: bool = True, roomy: bool = True, loss: float = 0,
    waits: bool = False, keeps: bool = True,
) -> Pieces:  # fmt: skip
    """How the operands of a mapping come in; `rows`: windows row by row, where they can; `roomy`: with room for ROOMY
    pieces where few come in; `loss`: as in `slowest`; `waits`: as in `ahead`; `keeps`: also where the whole tile is
    kept, as loops come back to it: no memory is smaller then."""
    loops, found = inside(arch, mapping), list[Cut]()
    for tensor in OPERANDS:
        count = _deepest(layer, arch, mapping, loops, tensor, rows, loss, waits, keeps)
        again = count > 0 and place(arch, mapping, tensor, count)[2]
        slides = tensor == INPUT and not _apart(layer, mapping, loops[:count])
        first = _first_window(layer, mapping, loops[:count]) if slides else 1
        room = 2 if again else ahead(layer, arch, mapping, tensor, count, first, waits)
        more = _many(arch, mapping, tensor, count) if roomy and count and not (again or slides) else 0
        found.append(Cut(count, max(room, more), slides))
    return found[0], found[1]


def _many(arch: Architecture, mapping: Mapping, tensor: int, count: int) -> int:
    """For how many pieces, each wanted once, there is room at least: ROOMY, those that the memory would hold of whole
    tiles at most, or none where more than OFTEN come in a run."""
    loops, run = inside(arch, mapping), prod(trips for level in mapping.temporal for _, trips in level)
    if run > OFTEN * prod(trips for _, _, trips in loops[count:]):
        return 0
    many = prod(trips for _, dim, trips in loops[:count] if RELEVANT[tensor][dim])
    return min(ROOMY, arch.levels[loops[0][0]].buffers * many)


def held(layer: Layer, mapping: Mapping, loops: tuple[Loop, ...]) -> np.ndarray:
    """int64 (dims, 1): what is inside the outermost tile's loops, in all lanes, where it goes through `loops` of them
    piece by piece."""
    nest = tiling(layer, mapping)
    own = nest.tiles[-2].copy()
    for _, dim, trips in loops:
        own[dim] //= trips
    return np.minimum(own * nest.lanes, np.array(layer.extents)[:, None])


def _deepest(
    layer: Layer, arch: Architecture, mapping: Mapping, loops: tuple[Loop, ...], tensor: int, rows: bool, loss: float,
    waits: bool, keeps: bool,
) -> int:  # fmt: skip
    """The most loops that may lie outside a piece of an operand."""
    port, best = arch.port_words[tensor], 0
    least = slowest(_come(mapping, tensor), loss) * rates(layer, held(layer, mapping, ()), tensor, port)[0]
    for count, (_, dim, _) in enumerate(loops, 1):
        outside = loops[:count]
        if not RELEVANT[tensor][dim]:
            continue
        again, alone = place(arch, mapping, tensor, count)[2], tensor != INPUT or _apart(layer, mapping, outside)
        if again and not keeps:
            break
        if not alone and (again or not rows or dim not in OUTS or not _apart(layer, mapping, outside[:-1])):
            break
        many = prod(trips for _, dim, trips in outside if RELEVANT[tensor][dim])
        if many > ((FEW if best else MANY) if again else ONCE):
            break
        if not again and ahead(layer, arch, mapping, tensor, count, waits=waits) > ROOM:
            break
        if rates(layer, held(layer, mapping, outside), tensor, port)[0] >= least:
            best = count
        if not alone:
            break
    return best


def _come(mapping: Mapping, tensor: int) -> int:
    """How many tiles of an operand come in."""
    outer = outer_loops(mapping)
    first = next((at for at, (_, dim, _) in enumerate(outer) if RELEVANT[tensor][dim]), len(outer))
    return prod(trips for _, _, trips in outer[first:])


def slowest(tiles: Many, loss: float) -> Many:
    """The share of the words that pass a port together in one of so many tiles, which those of a piece are at least,
    where all pieces may take a `loss` of a tile's cycles longer."""
    return EQUAL / (1 + loss / tiles)


def _apart(layer: Layer, mapping: Mapping, outside: tuple[Loop, ...]) -> bool:
    """Whether pieces of the input outside of which these loops lie have no words in common."""
    moved = np.isin(np.arange(len(DIMS)), [dim for _, dim, _ in outside])[:, None]
    return bool(apart(layer, held(layer, mapping, outside), moved)[0])


def _first_window(layer: Layer, mapping: Mapping, outside: tuple[Loop, ...]) -> int:
    """How many pieces the first window of a tile has, of those that the last of these loops slides: with room for all
    of them they come in beside the last window of the tile before."""
    piece, dim = held(layer, mapping, outside), outside[-1][1]
    moved = layer.steps(DIMS[dim])[0] * int(piece[dim, 0])
    return max(1, ceil((_reach(layer, piece, dim, dict(WINDOWS)[dim]) + 1) / moved))


def _reach(layer: Layer, piece: np.ndarray, out: int, tap: int) -> int:
    """From the first word of the input under a piece (dims, 1) to the last one, along one dimension."""
    stride, dilation = layer.steps(DIMS[out])
    return stride * (int(piece[out, 0]) - 1) + dilation * (int(piece[tap, 0]) - 1)


def begins_anew(arch: Architecture, mapping: Mapping, count: int) -> Loop | None:
    """Of an operand whose pieces lie inside so many loops of the outermost tile, of which the last one slides them: the
    loop just inside of which they begin anew; None: outside all."""
    return next(reversed([*reversed(outer_loops(mapping)), *inside(arch, mapping)[: count - 1]]), None)


def place(arch: Architecture, mapping: Mapping, tensor: int, count: int) -> tuple[Loop | None, Loop, bool]:
    """Of an operand whose pieces lie inside so many loops of the outermost tile: the loop just inside of which its tile
    is kept (None: outside all), the one just inside of which a piece is, and whether loops between come back to what is
    kept; else each piece is wanted once, and need not be kept."""
    outer = outer_loops(mapping)
    kept = next((loop for loop in outer if RELEVANT[tensor][loop[1]]), None)
    between = [*reversed(outer[: outer.index(kept) if kept else len(outer)]), *inside(arch, mapping)[:count]]
    moved = [RELEVANT[tensor][dim] for _, dim, _ in between]
    return kept, between[-1], False in moved and any(moved[moved.index(False) :])


def ahead(
    layer: Layer, arch: Architecture, mapping: Mapping, tensor: int, count: int, first: int = 1, waits: bool = False
) -> int:
    """How many pieces, each wanted once, or tiles an operand has room for: two, and, unless the array `waits` for
    those, as many as are used while sums leave, which holds up what comes in at a port that all tensors share; tiles as
    far as their memory has room, of which each operand may take half; of pieces, of which a tile begins with so many
    (`first`), these and one more."""
    loops, nest = inside(arch, mapping), [loop for level in mapping.temporal for loop in level if loop[1] > 1]
    steps = prod(trips for _, _, trips in loops[count:])
    whole = max((at for at, (dim, _) in enumerate(nest) if not RELEVANT[OUTPUT][DIMS.index(dim)]), default=0)
    sums = prod(trips for dim, trips in nest[:whole] if RELEVANT[OUTPUT][DIMS.index(dim)])
    leave = 0 if waits else leaves(layer, arch, mapping, sums) * bool(arch.shared_port_bits)
    level = arch.levels[loops[0][0] if loops else -2]
    if count:
        many = prod(trips for _, dim, trips in loops[:count] if RELEVANT[tensor][dim])
        most = level.buffers * (many + first - 1) - (first - 1)
        return max(2, min(1 + first + ceil(leave / steps), most))
    outer = outer_loops(mapping)
    moved = [any(RELEVANT[each][dim] for _, dim, _ in outer) for each in range(3)]
    if not moved[tensor]:
        return 2
    steps *= prod(trips for _, _, trips in takewhile(lambda loop: not RELEVANT[tensor][loop[1]], outer))
    words = held_words(layer, held(layer, mapping, ()))[:, 0] * [1, 1, arch.sum_width]
    taken = (words * np.where(moved, level.buffers, 1)).sum()
    left = ((level.words or 0) - taken) / len(OPERANDS) if level.buffers > 1 else 0
    return max(2, min(2 + ceil(leave / steps), 2 + int(left // words[tensor]), ROOM))


def reached(
    layer: Layer, order: tuple[int, ...], tiles: np.ndarray, trips: np.ndarray, tensor: int, port: int,
    kept: np.ndarray, share: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """bool (dims, n): of the loops of `tiles` (dims, n), so many `trips` (dims, n), those outside a piece of an
    operand: down to the innermost one inside of which about as many words pass the port together as of the whole.
    `kept`, bool (n,): whether loops outside come back to the tile, of which no rows slide then; `share`, float64 (n,):
    that of the words, as in `slowest`. And how many times the cycles of a whole tile the port takes, (n,)."""
    whole, piece = rates(layer, tiles, tensor, port), tiles.copy()
    alone, able, some = divides(layer, tensor), np.ones(tiles.shape[1], bool), np.zeros(tiles.shape[1], bool)
    close, many, back = list[tuple[int, np.ndarray]](), np.ones(tiles.shape[1]), np.zeros(tiles.shape[1], bool)
    for dim in reversed(order):
        own = trips[dim]
        if not RELEVANT[tensor][dim]:
            back = back | (own > 1)
            continue
        many = many * own
        fine = many <= np.where(back, np.where(some, FEW, MANY), ONCE)
        slides = able & fine & ~back & ~kept & _windowed(dim, alone)
        able = able & ((own == 1) | (alone[dim] & fine))
        piece[dim] = np.where(able | slides, -(-piece[dim] // own), piece[dim])
        fits = (able | slides) & (rates(layer, piece, tensor, port) >= share * whole)
        some = some | (fits & (own > 1))
        close.append((dim, fits))
    found, inner = np.zeros(tiles.shape, bool), np.zeros(tiles.shape[1], bool)
    for dim, fits in reversed(close):
        inner = inner | fits
        found[dim] = inner
    cut = np.where(found, -(-tiles // trips), tiles)
    return found, whole / rates(layer, cut, tensor, port)


def wanted(
    order: tuple[int, ...], trips: np.ndarray, tensor: int, outside: np.ndarray, steps: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """float64 (n,): the share of an operand's tiles, whose pieces have the loops `outside` (dims, n), that is wanted
    until the step `at` (n,) of so many `steps`; `order`, `trips` as in `first_piece`."""
    each, share, piece, going = steps, np.zeros_like(steps), np.ones_like(steps), np.ones(steps.shape, bool)
    for dim in reversed(order):
        each = each / trips[dim]
        over = np.clip(np.floor(at / each), 0, np.ceil(trips[dim]) - 1)
        at = at - over * each
        if RELEVANT[tensor][dim]:
            piece = np.where(outside[dim], piece / trips[dim], piece)
            share = share + np.where(going & outside[dim], over * piece, 0)
        else:
            share = share + np.where(going & (over > 0), piece, 0)
            going = going & (over == 0)
    return np.minimum(share + np.where(going, piece, 0), 1)


def rings(
    order: tuple[int, ...], trips: np.ndarray, tensor: int, outside: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of an operand with loops `outside` (dims, n) its pieces, the rest as in `reached`: how many pieces a tile has,
    float64 (n,), and whether each is wanted once, and its room free again after that, bool (n,)."""
    many, back, once = np.ones(trips.shape[1]), np.zeros(trips.shape[1], bool), ~kept
    for dim in reversed(order):
        if RELEVANT[tensor][dim]:
            many = many * np.where(outside[dim], trips[dim], 1)
            once = once & ~(back & outside[dim] & (trips[dim] > 1))
        else:
            back = back | (trips[dim] > 1)
    return many, once & (many > 1)


def _windowed(dim: int, alone: np.ndarray) -> bool:
    """Whether a loop slides a window, of loops of which those `alone` have words of their own in each iteration."""
    return dim in OUTS and not alone[dim]


def apart(layer: Layer, piece: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """bool (n,): pieces of the input (dims, n), from one to the next of which loops over the dims `moved`, bool
    (dims, n), go, have no words in common."""
    found = np.ones(piece.shape[1], bool)
    for out, tap in WINDOWS:
        stride, dilation = layer.steps(DIMS[out])
        far = stride > dilation * (piece[tap] - 1), dilation > stride * (piece[out] - 1)
        found &= ~(moved[out] & moved[tap]) & (~moved[out] | far[0]) & (~moved[tap] | far[1])
    return found


def first_piece(
    layer: Layer, order: tuple[int, ...], trips: np.ndarray, tensor: int, load: np.ndarray, steps: np.ndarray,
    outside: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """float64 (n,) each: by about how many cycles the array's first step is late, and those of the tile that must wait
    besides, for an operand whose tile takes the port so many cycles (`load`), of which pieces come in beside the tile's
    `steps`; `trips` (dims, n) of its loops, of which `order` is innermost first, and those `outside` (dims, n) lie
    outside a piece, if that is known; and the steps that are left when the last piece is wanted.

    A piece is there when those before it are, and wanted after the share of the steps that is before its first visit;
    both are sums over the tile's loops, so the latest piece is found loop by loop.
    """
    pieces, able = np.ones_like(load), np.ones(load.shape, bool)
    alone, back = divides(layer, tensor), np.zeros(load.shape, bool)
    part, moves = np.ones_like(load), list[tuple[np.ndarray, np.ndarray]]()
    for dim in reversed(several(order, trips)):
        own = trips[dim]
        part = part / own
        if not RELEVANT[tensor][dim]:
            back = back | (own > 1)
            continue
        slides = able & ~back & _windowed(dim, alone)
        able = able & ((own == 1) | alone[dim]) if outside is None else outside[dim]
        own = np.where(able | slides if outside is None else able, own, 1)
        pieces = pieces * own
        moves.append((own, part))
    late, rest, left = load / pieces, pieces, steps
    for own, each in moves:
        rest, left = rest / own, left - (own - 1) * each * steps
        late = late + (own - 1) * np.maximum(rest * load / pieces - each * steps, 0)
    return np.minimum(late, load), left


def divides(layer: Layer, tensor: int) -> np.ndarray:
    """bool (dims,): of which loops each iteration has words of an operand of its own: all but those over outputs whose
    filter has several taps, and over these taps."""
    found = np.ones(len(DIMS), bool)
    for out, tap in WINDOWS if tensor == INPUT else ():
        found[[out, tap]] = layer.extents[tap] == 1
    return found


def several(order: tuple[int, ...], trips: np.ndarray) -> list[int]:
    """Those loops of an order of which any has several `trips` (dims, n)."""
    some = np.flatnonzero((trips > 1).any(axis=1)).tolist()
    return [dim for dim in order if dim in some]


def outermost(order: tuple[int, ...], trips: np.ndarray) -> np.ndarray:
    """int64 (n,): of loops, `order` innermost first, the outermost one of several `trips` (dims, n)."""
    found = np.zeros(trips.shape[1], np.int64)
    for dim in order:
        found = np.where(trips[dim] > 1, dim, found)
    return found
