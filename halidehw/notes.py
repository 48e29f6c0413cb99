"""What a user is told of a legal schedule: which of its lines state what holds without them, or ask for more than is.

Notes are values. They belong to the design, in the order of its directives, and change nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from halidehw.errors import SourceLine


@dataclass(frozen=True)
class Note:
    """`message`: the directive and what it comes to; `source`: the user's line."""

    message: str
    source: SourceLine | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.message + (f"\n  at {self.source}" if self.source else "")


def once(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Each note where it is said first."""
    return tuple(dict.fromkeys(notes))
