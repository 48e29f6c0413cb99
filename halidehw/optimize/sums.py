"""How sums leave a mapping without register files: when the loops of their reduction have come to them for the last
time, piece by piece.

A tile of sums is all that loops of a reduction come back to; in the last round of these each piece of it is complete
when the loops inside it are through. So what leaves after the last step is the last piece, or what the port had no time
for while the pieces before it became complete.
"""

from __future__ import annotations

from math import prod

import numpy as np

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import OUTPUT
from halidehw.mapping.layer import RELEVANT, Layer
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.orders import ORDERS
from halidehw.optimize.pieces import Loop, inside, leaves, outer_loops, several

FEW = 16
"""Pieces of a tile of sums that are enough."""

WORTH = 2000
"""Where a tile leaves in less than such a part of the array's steps, it leaves as a whole."""


def sums_cut(layer: Layer, arch: Architecture, mapping: Mapping) -> int:
    """How many loops of the outermost tile on the chip lie outside a piece of the sums; 0: they leave as whole tiles,
    as they must where the loops outside come back to sums that were stored, or there is little to gain."""
    outer = outer_loops(mapping)[::-1]
    nest = [*outer, *inside(arch, mapping)]
    first = next((at for at, loop in enumerate(nest) if not RELEVANT[OUTPUT][loop[1]]), len(nest))
    if any(RELEVANT[OUTPUT][dim] for _, dim, _ in outer[first:]):
        return 0
    found, many, words = 0, 1, 1
    for count, (_, dim, trips) in enumerate(nest[first:], first + 1 - len(outer)):
        if RELEVANT[OUTPUT][dim]:
            found, many, words = (count if many < FEW else found), many * trips, words * trips
    steps = layer.macs / prod(own for axis in mapping.spatial for _, own in axis)
    return found if WORTH * leaves(layer, arch, mapping, words) > steps else 0


def sums_place(arch: Architecture, mapping: Mapping, count: int) -> tuple[Loop | None, Loop]:
    """Of sums whose pieces lie inside so many loops of the outermost tile: the loop just inside of which their tile is
    kept (None: outside all), and the one just inside of which a piece is."""
    nest = [*outer_loops(mapping)[::-1], *inside(arch, mapping)[:count]]
    first = next(at for at, loop in enumerate(nest) if not RELEVANT[OUTPUT][loop[1]])
    return next(reversed(nest[:first]), None), nest[-1]


def leaving(
    inner: int, trips: np.ndarray, words: np.ndarray, back: np.ndarray, pace: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """float64 (n,) each, or the shape of `back`, cycles, for tiles with loops of so many `trips` (dims, n) in one of
    ORDERS, of which a step takes `pace` cycles, and the sums of a step leave in so many (`words`): for how long sums
    leave after the last step, and for how long before it the first ones are complete. `back`, bool: loops outside come
    back to what was stored, so all of a tile leaves at its end."""
    after, before, steps, many = words.astype(float), np.zeros(len(words)), pace.astype(float), words.astype(float)
    for dim in several(ORDERS[inner], trips):
        own = trips[dim]
        if RELEVANT[OUTPUT][dim]:
            before = before + (own - 1) * steps
            many = many * own
            after = np.maximum(after, many - before)
        steps = steps * own
    return np.where(back, many, after), np.where(back, 0, before)
