"""How many parts keep a buffer's writer and reader from waiting for each other."""

from __future__ import annotations

FILL_TRIP = 5
"""Cycles from a word's read for a register file until it can be read there: the latency of the slowest memory."""


def parts(use: int, fill: int, trip: int) -> int:
    """The parts of a buffer whose tiles are read in `use` steps and written in `fill`, one a cycle, and can be read
    `trip` cycles after that.

    A part comes round again every use + fill + trip cycles, and a tile should be done every max(use, fill): two parts
    are the least.
    """
    return -(-(use + fill + trip) // max(use, fill))
