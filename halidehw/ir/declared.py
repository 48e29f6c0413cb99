"""What a schedule declares of a buffer: its room, how it is copied, how it lies on the chip."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.errors import HardwareError, SourceLine


@dataclass(frozen=True)
class Room:
    """What a buffer is declared to have room for: so many words of one half, of each PE where each has one.
    `subject`: what the schedule calls it there."""

    words: int
    subject: str
    source: SourceLine | None = None

    def holding(self, words: int) -> str:
        """The line that declares it for so many words."""
        return f"{self.subject}.capacity({words})"

    def check(self, name: str, words: int, how: str) -> None:
        """Raises `HardwareError` where it is less than the `words` that the hardware of that name has, and `how`."""
        if words > self.words:
            shown, room = (f"{number:,}".replace(",", " ") for number in (words, self.words))
            raise HardwareError(
                f"{self.holding(self.words)}: {name} takes {shown} words ({how}), has {room}",
                legal=(self.holding(words),), source=self.source,
            )  # fmt: skip


@dataclass(frozen=True)
class Width:
    """How many words along dimension 0 are copied into a buffer at a time. `subject`: what the schedule calls it."""

    words: int
    subject: str
    source: SourceLine | None = None

    def refused(self, why: str, *possible: str) -> HardwareError:
        """That it cannot be, with what can."""
        return HardwareError(f"{self.line(self.words)}: {why}", legal=possible, source=self.source)

    def line(self, words: int) -> str:
        """The line that says it of so many words."""
        return f"{self.subject}.vectorize({words})"


@dataclass(frozen=True)
class Inside:
    """How a buffer lies on the chip. `order`: its dimensions, the fastest first (empty: those of the memory outside, in
    their order); `aligned`: pairs of a dimension and what its length is a multiple of. `ports`: the memories side by
    side that read or write a word in a cycle, each with every so-many-th word; 0: a memory reads and writes one.
    `together`: the tensor in whose memory it lies, whose own words begin with that number. `subject`: what the schedule
    calls it; `names`: its dimensions, where these are not their numbers."""

    subject: str
    order: tuple[int, ...] = ()
    aligned: tuple[tuple[int, int], ...] = ()
    ports: int = 0
    together: tuple[str, int] | None = None
    names: tuple[str, ...] = ()
    source: SourceLine | None = None

    def called(self, dimension: int) -> str:
        """A dimension, as the schedule calls it."""
        return self.names[dimension] if self.names else str(dimension)

    @property
    def said(self) -> tuple[str, ...]:
        """The lines that say it."""
        lines = [f"reorder_storage({', '.join(map(self.called, self.order))})"] if self.order else []
        lines += [f"align_storage({self.called(d)}, {multiple})" for d, multiple in self.aligned]
        lines += [f"store_with({self.together[0]}, {self.together[1]})"] if self.together else []
        return (*lines, *([f"single_port({self.ports if self.ports > 1 else ''})"] if self.ports else []))

    def refused(self, why: str, *possible: str) -> HardwareError:
        """That it cannot be, with what can."""
        return HardwareError(f"{self.subject}.{self.said[0]}: {why}", legal=possible, source=self.source)
