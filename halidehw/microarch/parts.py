"""How many parts keep a buffer's writer and reader from waiting for each other."""

from __future__ import annotations

FILL_TRIP = 5
"""Cycles from a word's read for a register file until it can be read there: the latency of the slowest memory."""


STAGE_TRIP = 16
"""Cycles, about, from the last step with a part to the first one with its next words, where a stage fills it: free,
the writer's pipeline and final stage, full."""

UNSEEN = 100
"""Of a wait that is shorter than one in so many steps no memory is worth it."""


def ahead(use: int) -> int:
    """The parts that a store between stages has besides, so that its producer need not wait for the one that is being
    read for `use` steps."""
    return 0 if use >= STAGE_TRIP * UNSEEN else -(-STAGE_TRIP // use)


def parts(use: int, fill: int, trip: int) -> int:
    """The parts of a buffer whose tiles are read in `use` steps and written in `fill`, one a cycle, and can be read
    `trip` cycles after that.

    A part comes round again every use + fill + trip cycles, and a tile should be done every max(use, fill): two parts
    are the least.
    """
    return -(-(use + fill + trip) // max(use, fill))
