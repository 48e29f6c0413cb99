"""The array and the memories that hardware needs, beside those that there are."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.errors import ScheduleError
from halidehw.mapping.architecture import Architecture
from halidehw.microarch.network import Network
from halidehw.microarch.stores import Memory


@dataclass(frozen=True)
class Room:
    """PEs, bits of the register files in each, and of the shared memories; all halves, without sums and streams."""

    pes: int
    registers: int
    shared: int

    def besides(self, other: Room) -> Room:
        """With memories as large as the larger of both: what a schedule takes that was found on an architecture is
        there."""
        return Room(self.pes, max(self.registers, other.registers), max(self.shared, other.shared))

    def check(self, there: Room) -> None:
        """Raises `ScheduleError` where it is more than there is."""
        if self.pes > there.pes:
            raise ScheduleError(f"{self.pes} PEs where there are {there.pes}")
        if self.registers > there.registers:
            raise ScheduleError(f"register files of {self.registers // 8} bytes where there are {there.registers // 8}")
        if self.shared > there.shared:
            raise ScheduleError(f"shared memories of {self.shared // 8} bytes where there are {there.shared // 8}")


def taken(network: Network) -> Room:
    """What the hardware of a design takes."""
    files = sum(file.halves * file.words * file.type.bits for file in network.output.files)
    memories = [memory for memory in network.memories if not memory.implicit]
    return Room(network.pes, files, sum(_words(each) * each.type.bits for each in memories))


def _words(memory: Memory) -> int:
    """Of all halves, and of the rows."""
    words = memory.halves * memory.words * len(memory.beside)
    return words + (memory.kept * memory.rows.columns if memory.rows else 0)


def room_of(arch: Architecture) -> Room:
    """What an architecture has."""
    words = {True: 0, False: 0}
    for level in arch.levels[:-1]:
        words[level.per_pe] += level.words or 0
    return Room(arch.pes, words[True] * arch.word_bits, words[False] * arch.word_bits)
