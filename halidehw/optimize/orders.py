"""In which orders the loops of a tile are looked at, and what stays in each."""

from __future__ import annotations

import numpy as np

from halidehw.mapping.counts import INPUT
from halidehw.mapping.layer import RELEVANT, Layer
from halidehw.optimize.pieces import divides, several
from halidehw.optimize.rules import EXACT, FX, FY, FZ, B, C, G, K, X, Y, Z

_TAPS, _SPOTS = (FX, FY, FZ), (X, Y, Z)

ORDERS = (
    *EXACT.orders,
    (*_TAPS, C, *_SPOTS, B, K, G),
    (*_SPOTS, *_TAPS, C, K, B, G),
    (*_SPOTS, *_TAPS, C, B, K, G),
    (*_SPOTS, B, K, *_TAPS, C, G),
    (X, *_TAPS, C, K, G, Y, Z, B),
    (*_TAPS, C, X, K, G, Y, Z, B),
)
"""Orders of the loops of a tile, innermost first: those in which a tensor stays, as outside a tile, and others of which
the outermost loop goes through what comes in by pieces; the last two go through windows row by row."""

SLIDING = ORDERS[-2:]
"""These two: where rows of the input have no words in common, they are not looked at."""


def distinct(layer: Layer) -> list[int]:
    """Those of ORDERS that differ in the loops of a layer, those that slide windows last."""
    own = [tuple(dim for dim in order if layer.extents[dim] > 1) for order in ORDERS]
    slides = not divides(layer, INPUT).all()
    return [number for number, order in enumerate(own)
            if order not in own[:number] and (slides or ORDERS[number] not in SLIDING)]  # fmt: skip


def stays(order: tuple[int, ...], tensor: int, trips: np.ndarray) -> np.ndarray:
    """(n,): steps for which the words of a tensor stay in the array, with loops of so many `trips` (dims, n) in an
    `order`; of loops outside a tile, tiles for which that stays."""
    stay, moved = np.ones(trips.shape[1]), np.zeros(trips.shape[1], bool)
    for dim in several(order, trips):
        if RELEVANT[tensor][dim]:
            moved |= trips[dim] > 1
        else:
            stay = np.where(moved, stay, stay * trips[dim])
    return stay
