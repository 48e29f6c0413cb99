"""Runs that are given up when they are known to take too long."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from halidehw.energy_model.domain import Values, inner_points
from halidehw.energy_model.slots import Actor


class Late(Exception):
    """A run takes at least so many cycles (`least`), which is too many."""

    def __init__(self, least: int):
        super().__init__(f"at least {least} cycles")
        self.least = least


@dataclass(frozen=True)
class Deadline:
    """A run that begins at `start` is wanted if it takes `most` cycles at most. An array makes one of its `steps` a
    cycle; `each`: those in an iteration of each axis of its walk, at most."""

    array: Actor
    start: int
    most: float
    steps: int
    each: tuple[int, ...]

    @staticmethod
    def of(array: Actor, start: int, most: float) -> Deadline:
        """The deadline of a run by one of its arrays."""
        walk = array.process.walk
        extents = [axis.extent for axis in walk.axes]
        each = tuple(prod(extents[place + 1 :]) for place in range(len(extents)))
        return Deadline(array, start, most, inner_points(walk, []), each)

    def check(self, clock: int, values: Values) -> None:
        """The array's next step is at `clock` or later, and inside these values of its outer axes: no more steps can be
        behind it than these say. Raises Late where those that are left come too late."""
        least = clock - self.start + self.steps
        for value, each in zip(values, self.each, strict=False):
            least -= value * each
        if least > self.most:
            raise Late(least)
