"""A memory level as the schedule states it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from halidehw.frontend.directives import Place
from halidehw.scheduler.lines import Kept

P = TypeVar("P", bound=Place)


@dataclass(frozen=True)
class Level(Generic[P]):
    """A wrapper's place: just inside loop `at` (None: outside all), with `depth` loops outside. `store`: how its words
    are kept, if they are, just inside loop `kept` (None: outside all)."""

    directive: P
    tensor: str
    depth: int
    at: str | None
    halves: int
    store: Kept | None = None
    kept: str | None = None

    @property
    def where(self) -> str:
        return f"at loop {self.at}" if self.at else "outside all loops"
