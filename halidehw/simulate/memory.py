"""The memory that stands outside an accelerator during simulation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from numbers import Integral, Real

from halidehw.errors import SimulationError

MAX_LATENCY = 1000
_STALL_STEPS = 1 << 16


@dataclass(frozen=True)
class Memory:
    """Timing of every memory port. The default is the ideal memory: all lanes in every cycle, one cycle later.

    latency: cycles from an accepted request to its answer, 1 .. 1000.
    words_per_cycle: words each port moves in a cycle on average (an int, Fraction or float, at least 0.001); None:
        all lanes.
    stall_probability: fraction of the cycles, 0 <= p < 1, in which each ready and valid is held back at random.
    stall_seed: of the random stalls; each port draws its own from it.

    Raises SimulationError for a value outside these ranges.
    """

    latency: int = 1
    words_per_cycle: int | float | Fraction | None = None
    stall_probability: float = 0.0
    stall_seed: int = 0

    def __post_init__(self) -> None:
        if not (isinstance(self.latency, Integral) and 1 <= self.latency <= MAX_LATENCY):
            raise SimulationError(
                f"a memory latency of {self.latency} cycles: it must be 1 to {MAX_LATENCY}",
                legal=("Memory(latency=1)", "Memory(latency=50)"),
            )
        rate = self.words_per_cycle
        if rate is not None and not (isinstance(rate, Real) and isfinite(rate) and self._rate > 0):
            raise SimulationError(
                f"a memory that moves {self.words_per_cycle} words a cycle: it must be a number of at least 0.001",
                legal=("Memory(words_per_cycle=1)", "Memory(words_per_cycle=None)  # all lanes in every cycle"),
            )
        if not (isinstance(self.stall_probability, Real) and 0 <= self.stall_probability < 1):
            raise SimulationError(
                f"a stall probability of {self.stall_probability}: it must be at least 0 and less than 1",
                legal=("Memory(stall_probability=0.3)",),
            )

    @property
    def parameters(self) -> dict[str, int]:
        """What the simulated memories are told when a run starts."""
        rate = self._rate
        return {
            "latency": self.latency,
            "rate_words": rate.numerator,
            "rate_cycles": rate.denominator,
            "stall": min(round(self.stall_probability * _STALL_STEPS), _STALL_STEPS - 1),
            "stall_seed": self.stall_seed % (1 << 31),
        }

    @property
    def _rate(self) -> Fraction:
        return Fraction(self.words_per_cycle or 0).limit_denominator(1000)


def memory_of(value: Memory | None) -> Memory:
    """The memory that an argument states: the ideal one for None. Raises SimulationError for what is no Memory."""
    if value is None or isinstance(value, Memory):
        return value or Memory()
    raise SimulationError(f"a memory is a Memory, not {value!r}", legal=("memory=Memory(latency=50)",))
