"""Who is told how far a long simulation is."""

from __future__ import annotations

import warnings

from halidehw.simulate import Watch

_MUCH = 100_000_000


class Observer:
    """Is told of long simulations; this one says nothing but that waveforms will take over 100 MB, as a warning."""

    def simulated(self, cycles: int, expected: int) -> None:
        """So many cycles are simulated, of about so many; the further runs come on top."""

    def foretold(self, size: int, cycles: int) -> None:
        """The waveforms of so many cycles, still to be written, will take about `size` bytes."""
        if size > _MUCH:
            warnings.warn(f"the waveforms of {cycles} cycles will take about {size / 1e6:.0f} MB", stacklevel=2)

    def watch(self, expected: int) -> Watch:
        """Its simulation's side, for a run of about so many cycles."""
        return Watch(expected, lambda cycles: self.simulated(cycles, expected), self.foretold)
