"""One way to run a design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from halidehw.errors import SimulationError
from halidehw.simulate.memory import Memory

DEFAULT_TIMEOUT = 10_000_000


@dataclass(frozen=True)
class Scenario:
    """What the memories hold, their timing, how often the design starts, and where a reset comes.

    inputs: tensor name -> integers, shape (words,), in address order.
    memory: timing of the memory ports (default: the ideal memory).
    starts: start this often in a row, with fresh outputs; every start must deliver the same words.
    reset_at: reset after this many cycles of an extra start before the others; as a Fraction below 1, after this
        part of the cycles of the scenario before.
    resets: with `reset_at`, such an extra start before each of the first `resets` starts, each reset a cycle later.
    timeout_cycles: give up when a start is not done after this many cycles (default 10 million).

    Raises SimulationError for a value outside these ranges.
    """

    inputs: Mapping[str, np.ndarray]
    memory: Memory = field(default_factory=Memory)
    starts: int = 1
    reset_at: int | Fraction | None = None
    resets: int = 1
    timeout_cycles: int | None = None

    def __post_init__(self) -> None:
        if self.starts < 1:
            raise SimulationError(f"starts={self.starts}: a simulation starts at least once", legal=("starts=1",))
        if self.reset_at is not None and not self._reset_is_possible:
            raise SimulationError(
                f"reset_at={self.reset_at}: cycles count from 1", legal=("reset_at=1", "reset_at=None")
            )
        if not 1 <= self.resets <= self.starts:
            fits = max(self.resets, 1)
            raise SimulationError(
                f"resets={self.resets}: each is followed by one of {self.starts} starts",
                legal=(f"starts={fits}, resets={fits}",),
            )
        if self.timeout_cycles is not None and self.timeout_cycles < 1:
            raise SimulationError(
                f"timeout_cycles={self.timeout_cycles}: no run is that short", legal=("timeout_cycles=None",)
            )

    @property
    def timeout(self) -> int:
        return self.timeout_cycles or DEFAULT_TIMEOUT

    @property
    def parameters(self) -> dict[str, int | tuple[int, int]]:
        """What the bench is told; of a Fraction its two parts."""
        at, resets = self.reset_at or 0, self.resets if self.reset_at else 0
        reset_at = (at.numerator, at.denominator) if isinstance(at, Fraction) else at
        sequence = {"starts": self.starts, "resets": resets, "reset_at": reset_at, "timeout": self.timeout}
        return sequence | self.memory.parameters

    @property
    def _reset_is_possible(self) -> bool:
        return 0 < self.reset_at < 1 if isinstance(self.reset_at, Fraction) else (self.reset_at or 0) >= 1
