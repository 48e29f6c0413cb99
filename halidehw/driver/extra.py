"""What hardware is tried on besides the run that was asked for: a second start; random stalls after an abort, and after
a reset.

Of a run of over a million cycles the further starts are stopped early, so that all of them together take a fifth of
it. What a stopped start has written is compared; words that it has not written yet are known by a pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from halidehw.ir.nest import Nest
from halidehw.ir.sums import visits
from halidehw.simulate import Run, Scenario, Stop
from halidehw.simulate.words import unwritten_word

LONG = 1_000_000
"""Cycles of a run from which on a faster simulator is worth its longer build, and further runs are stopped early."""

_STALLS = 0.2


@dataclass(frozen=True)
class Extra:
    """A further run: what it is, its cycles, the words of the output that were compared, and how many were wrong."""

    name: str
    cycles: int
    words: int
    mismatches: int


def further(first: Scenario) -> tuple[Scenario, ...]:
    """The scenarios that come after the first one."""
    stop = Stop(Fraction(1, 20), LONG)
    stalling = replace(first.memory, stall_probability=max(first.memory.stall_probability, _STALLS))
    return (
        replace(first, onward=True, stop=stop, name="on a second start"),
        replace(first, memory=stalling, onward=True, abort_at=Fraction(1, 2), stop=stop,
                name="under random stalls, after an abort"),
        replace(first, memory=stalling, reset_at=Fraction(1, 2), stop=stop, name="under random stalls, after a reset"),
    )  # fmt: skip


def judged(name: str, run: Run, nest: Nest, expected: np.ndarray) -> Extra:
    """A further run beside the words that it should have written; of one that is stopped, no partial sums."""
    words = run.outputs[nest.output.name]
    written = np.full(words.shape, run.whole)
    if not run.whole and visits(nest) == 1:
        written = words != unwritten_word(nest.output.type, run.starts)
    wrong = written & (words != expected)
    return Extra(name, run.cycles, int(written.sum()), int(wrong.sum()))
