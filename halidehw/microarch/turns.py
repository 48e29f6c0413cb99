"""Turns at the one port of a memory.

Of shared memories each part has a port of its own, and belongs to its writer or to its reader. Accumulators read a sum
and write one in every step: sums lie in several memories side by side, in turn. Of two memories that lie together:
`microarch.united`.
"""

from __future__ import annotations

import numpy as np


def met(words: np.ndarray, memories: int, distance: int) -> int:
    """How often a word is read in the cycle in which one is written to the same of so many memories, of which each has
    every so-many-th word. `words`: shape (steps,), read step by step, and written `distance` cycles after that.

    However long the steps wait for each other, a write meets one of the `distance` steps after its own.
    """
    banks = words % memories
    return sum(int(np.count_nonzero(banks[later:] == banks[:-later])) for later in range(1, distance + 1))
