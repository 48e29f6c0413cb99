"""How many parts keep a buffer's writer and reader from waiting for each other."""

from __future__ import annotations

from halidehw.microarch.numbers import INTEGERS, Arithmetic, N

FILL_TRIP = 5
"""Cycles from a word's read for a register file until it can be read there: the latency of the slowest memory."""

SMALL_FILE = 32
"""Words, of all parts, up to which a register file with short tiles gets more than two: two LUT memories of an FPGA."""

SHORT_TILE = 64
"""Tiles of sums of fewer steps than this get more than two parts, so that the latency of whoever takes them stays
hidden."""

SUMS_TRIP = 24
"""Cycles, about, of a part of sums besides those from the array's first PE to its last."""

STAGE_TRIP = 16
"""Cycles, about, from the last step with a part to the first one with its next words, where a stage fills it: free,
the writer's pipeline and final stage, full."""

UNSEEN = 100
"""Of a wait that is shorter than one in so many steps no memory is worth it."""


def ahead(use: int) -> int:
    """The parts that a store between stages has besides, so that its producer need not wait for the one that is being
    read for `use` steps."""
    return 0 if use >= STAGE_TRIP * UNSEEN else -(-STAGE_TRIP // use)


def parts(use: N, fill: N, trip: int, by: Arithmetic[N] = INTEGERS) -> N:
    """The parts of a buffer whose tiles are read in `use` steps and written in `fill`, one a cycle, and can be read
    `trip` cycles after that.

    A part comes round again every use + fill + trip cycles, and a tile should be done every max(use, fill): two parts
    are the least.
    """
    return by.rounds(use + fill + trip, by.greatest(use, fill))


def file_parts(use: N, fill: N, words: N, by: Arithmetic[N] = INTEGERS) -> N:
    """The same of a register file with so many words a part: no more than are small, but two."""
    return by.least(parts(use, fill, FILL_TRIP, by), _most_parts(words, by))


def file_waits(use: N, fill: N, words: N, by: Arithmetic[N] = INTEGERS) -> N:
    """1 where as many parts as a register file may have do not keep a tile's use from waiting for its words."""
    round_trip, hidden = use + fill + FILL_TRIP, by.product((use, _most_parts(words, by)))
    return by.greatest(by.more(fill, use), by.more(round_trip, hidden))


def _most_parts(words: N, by: Arithmetic[N]) -> N:
    return by.greatest(2, by.quotient(SMALL_FILE, words))


def sums_trip(hops: int) -> int:
    """Cycles that parts of sums hide, of an array with so many PEs from its first to its last."""
    return max(SHORT_TILE, hops + SUMS_TRIP)


def sums_parts(steps: N, trip: int = SHORT_TILE, by: Arithmetic[N] = INTEGERS) -> N:
    """The parts of a level of sums whose tiles take so many steps of the array, and come round again so many cycles
    after the last of them."""
    return by.product((by.more(trip, steps), by.rounds(trip, steps))) + 2
