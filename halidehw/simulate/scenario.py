"""One way to run a design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np

from halidehw.errors import SimulationError
from halidehw.simulate.memory import Memory
from halidehw.simulate.waves import NEVER

PATIENCE = 10_000_000

Refused = Literal["none", "reads", "writes"]

Parameter = int | tuple[int, int] | tuple[tuple[int, int], int]
"""A number; a part of one; a part of one that is beyond another."""


@dataclass(frozen=True)
class Stop:
    """A start that ends early: after `part` of the cycles of the first scenario's, if these are more than `beyond`."""

    part: Fraction
    beyond: int


@dataclass(frozen=True)
class Scenario:
    """What the memories hold, their timing, how often the design starts, and where a reset or an abort comes.

    inputs: tensor name -> integers, shape (words,), in address order.
    memory: timing of the memory ports (default: the ideal memory).
    starts: start this often in a row, with fresh outputs; every start must deliver the same words.
    reset_at: reset the accelerator and the memories after this many cycles of an extra start before the others; as a
        Fraction below 1, after this part of the cycles of the shortest scenario before.
    abort_at: the same, but abort the accelerator and go on when it is idle. Not both.
    cuts: with either, such an extra start before each of the first `cuts` starts, each cut off a cycle later.
    timeout_cycles: give up when a start is not done after this many cycles, whatever it does (default: never).
    patience: give up when no word has crossed a port for this many cycles (default: `timeout_cycles`, or else 10
        million).
    onward: go on from where the scenario before has left the design, without the reset that comes first otherwise.
    stop: when the last start is ended, though it is not done; its outputs are then those written so far.
    hold: each memory in turn, inputs first, accepts nothing for so many cycles, though no more than the first scenario
        took, from the beginning of each start that is not cut off: all that does not need it goes on as far as it can.
    held_first: the first of these memories, by its number (`bench.memories`).
    programs: how many descriptors each list of a machine has, by what its signals' names begin with.
    refuse: of a design behind a bus, the bursts that are answered with an error: "reads", "writes" or "none".
    name: what an error in it begins with.

    Raises SimulationError for a value outside these ranges.
    """

    inputs: Mapping[str, np.ndarray]
    memory: Memory = field(default_factory=Memory)
    starts: int = 1
    reset_at: int | Fraction | None = None
    abort_at: int | Fraction | None = None
    cuts: int = 1
    timeout_cycles: int | None = None
    patience: int | None = None
    onward: bool = False
    stop: Stop | None = None
    hold: int = 0
    held_first: int = 0
    programs: Mapping[str, int] = field(default_factory=dict)
    refuse: Refused = "none"
    name: str = ""

    def __post_init__(self) -> None:
        if self.starts < 1:
            raise SimulationError(f"starts={self.starts}: a simulation starts at least once", legal=("starts=1",))
        if self.reset_at is not None and self.abort_at is not None:
            raise SimulationError(
                f"reset_at={self.reset_at}, abort_at={self.abort_at}: a start is cut off in one way",
                legal=(f"reset_at={self.reset_at}", f"abort_at={self.abort_at}"),
            )
        if self.cut_at is not None and not self._cut_is_possible:
            raise SimulationError(
                f"{self.cut}_at={self.cut_at}: cycles count from 1", legal=(f"{self.cut}_at=1", f"{self.cut}_at=None")
            )
        if not 1 <= self.cuts <= self.starts:
            fits = max(self.cuts, 1)
            raise SimulationError(
                f"cuts={self.cuts}: each is followed by one of {self.starts} starts",
                legal=(f"starts={fits}, cuts={fits}",),
            )
        if self.timeout_cycles is not None and self.timeout_cycles < 1:
            raise SimulationError(
                f"timeout_cycles={self.timeout_cycles}: no run is that short", legal=("timeout_cycles=None",)
            )

    @property
    def quiet(self) -> int:
        """The cycles without a word on any port after which a start is given up."""
        return self.patience or self.timeout_cycles or PATIENCE

    @property
    def cut(self) -> Literal["reset", "abort"]:
        """How a start is cut off, if one is."""
        return "reset" if self.abort_at is None else "abort"

    @property
    def cut_at(self) -> int | Fraction | None:
        return self.reset_at if self.abort_at is None else self.abort_at

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What the bench is told; of a Fraction its two parts."""
        at, cuts = self.cut_at or 0, self.cuts if self.cut_at else 0
        cut: dict[str, Parameter] = {
            "cuts": cuts,
            "cut_at": (at.numerator, at.denominator) if isinstance(at, Fraction) else at,
            "hold": self.hold,
            "held_first": self.held_first,
            **{f"{prefix}programs": number for prefix, number in self.programs.items()},
            "softly": int(self.cut == "abort"),
            "stop_at": (self.stop.part.as_integer_ratio(), self.stop.beyond) if self.stop else 0,
        }
        limits = {"timeout": self.timeout_cycles or NEVER, "patience": self.quiet}
        return {"starts": self.starts, "onward": int(self.onward)} | cut | limits | self.memory.parameters

    @property
    def _cut_is_possible(self) -> bool:
        return 0 < self.cut_at < 1 if isinstance(self.cut_at, Fraction) else (self.cut_at or 0) >= 1
