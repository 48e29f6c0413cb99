"""How many parts keep a buffer's writer and reader from waiting for each other."""

from __future__ import annotations


def parts(use: int, fill: int, trip: int) -> int:
    """The parts of a buffer whose tiles are read in `use` steps and written in `fill`, one a cycle, and can be read
    `trip` cycles after that; at least two.

    A part comes round again every use + fill + trip cycles, and a tile should be done every max(use, fill).
    """
    return max(2, -(-(use + fill + trip) // max(use, fill)))
