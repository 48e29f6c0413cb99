"""Turns at the one port of a memory that feeds an array and takes its results, as the reference's machine has it.

A word is `word` elements. A serializer reads one and hands out an element a cycle; a deserializer collects as many
results, and writes them with the last one. So each asks for the port in one cycle of `word`, and the question is only
whether that is the same cycle. Addresses are skewed as the array is: each of its memories is the first one, later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from halidehw.errors import HardwareError


@dataclass(frozen=True)
class Turns:
    """`passes` over a stream of `steps` elements, which begin `period` cycles apart. An element's result is there
    `distance` cycles after its read: as many as the array has rows, and the latency of PEs and memories.

    Raises HardwareError for words that do not divide the stream, and passes that overlap.
    """

    word: int
    distance: int
    steps: int
    passes: int = 1
    period: int = 0

    def __post_init__(self) -> None:
        if self.word < 1 or self.steps % self.word:
            whole, rest = divmod(self.steps, max(self.word, 1))
            fits = [n for n in range(max(self.word, 1), 0, -1) if self.steps % n == 0]
            raise HardwareError(
                f"words of {self.word} do not divide a stream of {self.steps} elements, "
                f"which is {whole} x {self.word} + {rest}",
                legal=(f"word={fits[0]}",),
            )
        if self.passes > 1 and self.period < self.steps:
            raise HardwareError(
                f"passes of {self.steps} steps cannot begin {self.period} cycles apart", legal=(f"period={self.steps}",)
            )

    @property
    def meetings(self) -> int:
        """The cycles in which the port is wanted for a read and a write.

        Word k of a pass is read in its cycle k * word, and its results are written word - 1 + distance cycles later. So
        a write of one pass meets a read `later` passes on where these differ by a whole number of words.
        """
        words = self.steps // self.word
        return sum((self.passes - later) * (words - abs(apart)) for later, apart in self._apart() if abs(apart) < words)

    def _apart(self) -> Iterator[tuple[int, int]]:
        """How many words further on in its own pass the write's word is than the read's, by passes between them."""
        after = self.word - 1 + self.distance
        for later in range(self.passes):
            apart, rest = divmod(after - later * self.period, self.word)
            if not rest:
                yield later, apart

    def check(self, memory: str, batch: int) -> None:
        """Raises HardwareError, with their number, where reads and writes meet. What is proposed are words that divide
        the `batch`, or else a larger one."""
        if met := self.meetings:
            phase = (self.distance - 1) % self.word
            works = [f"--word {n}" for n in range(2, batch + 1) if batch % n == 0 and not self._of(n).meetings]
            larger = (n for n in range(2, self.distance + 2) if not self._of(n, n).meetings)
            works = works[:3] or [f"--n {batch * n} --word {n}" for n in islice(larger, 1)]
            raise HardwareError(
                f"{memory} has one port, which {met} of its reads and writes want in the same cycle: words of "
                f"{self.word} are read at phase 0 and written at phase ({self.distance} - 1) mod {self.word} = {phase}",
                legal=works,
            )

    def _of(self, word: int, times: int = 1) -> Turns:
        """The same with other words, and so many times the batch."""
        steps = self.steps * times
        return replace(self, word=word, steps=steps, period=max(steps, self.period))
