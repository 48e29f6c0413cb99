"""A memory level as the schedule states it."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.frontend.directives import ComputeAt
from halidehw.scheduler.lines import Kept


@dataclass(frozen=True)
class Level:
    """A wrapper's place: just inside loop `at`, with `depth` loops outside. `store`: how its words are kept, if they
    are, just inside loop `kept` (None: outside all)."""

    directive: ComputeAt
    tensor: str
    depth: int
    at: str
    halves: int
    store: Kept | None = None
    kept: str | None = None
