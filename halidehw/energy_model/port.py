"""Memory ports with a latency and a bandwidth, word by word, as the simulated memory has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from halidehw.energy_model.domain import Values, outer_term
from halidehw.energy_model.traffic import clamps
from halidehw.ir.affine import Affine
from halidehw.ir.exterior import nearest
from halidehw.microarch.interface import Port
from halidehw.microarch.processes import Load, Write, is_load, lanes_of


@dataclass
class Bucket:
    """The debt of a port that moves `words` words in `cycles` cycles: a request adds to it, time takes from it, and
    there is none while it is `words` or more. `words` 0: unlimited."""

    words: int
    cycles: int
    debt: int = 0

    def rest(self, time: int) -> None:
        self.debt = max(0, self.debt - self.words * time)

    def wait(self) -> int:
        """Cycles until the next request can be accepted, which pass."""
        if not self.words or self.debt < self.words:
            return 0
        time = self.debt // self.words
        self.rest(time)
        return time

    def take(self, words: int) -> None:
        """A request for `words` words is accepted; one cycle passes."""
        if self.words:
            self.debt += self.cycles * words
            self.rest(1)


def lanes_moved(process: Load | Write, values: Values) -> list[int]:
    """Words moved at each step inside the given values of the walk's outer axes, in order."""
    visited, lanes = _lanes(process, values)
    return np.sum(lanes, axis=0)[visited].tolist()


def words_moved(process: Load | Write, values: Values) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each step inside the given values of the walk's outer axes, in order: whether any word is moved, and the
    addresses, in words, of the first and the last one."""
    visited, lanes = _lanes(process, values)
    place = _grid(process, values)
    address = _address(process, place)
    every = np.broadcast_to(address, visited.shape)[visited]
    wanted = np.stack([np.broadcast_to(lane, visited.shape)[visited] for lane in lanes])
    first, last = wanted.argmax(axis=0), len(lanes) - 1 - wanted[::-1].argmax(axis=0)
    return np.logical_or.reduce(wanted), every + first, every + last


def port_of(process: Load | Write) -> Port:
    """That through which its words pass."""
    if is_load(process):
        return process.tap.port
    assert isinstance(process, Write) and process.outside
    return process.outside.port


def _address(process: Load | Write, place: Callable[[Affine], np.ndarray]) -> np.ndarray:
    """That of lane 0 at each step."""
    if not is_load(process):
        assert isinstance(process, Write) and process.outside
        return place(process.outside.address)
    tap = process.tap
    address = place(tap.address)
    if tap.boundary is not None and tap.boundary.value is None:
        for form, stride, extent in zip(tap.positions, tap.strides, tap.extents, strict=True):
            if form is not None:
                at = place(form)
                address = address + stride * (nearest(tap.boundary.kind, at, extent) - at)
    return address


def _grid(process: Load | Write, values: Values) -> Callable[[Affine], np.ndarray]:
    """What gives a form at each step inside the given values of the walk's outer axes."""
    walk = process.walk
    inner = walk.axes[len(values) :]
    grid = np.ogrid[tuple(slice(axis.extent) for axis in inner)]

    def place(form: Affine) -> np.ndarray:
        total = np.array(outer_term(form, walk, len(values)).at(values))
        for axis, value in zip(inner, grid, strict=True):
            total = total + form[axis.name] * value
        return total

    return place


def _lanes(process: Load | Write, values: Values) -> tuple[np.ndarray, list[np.ndarray]]:
    """Which iterations of the inner axes there are, and for each lane in which of them it moves a word."""
    place, shape = _grid(process, values), tuple(axis.extent for axis in process.walk.axes[len(values) :])
    visited, lanes = np.ones(shape, bool), list[np.ndarray]()
    for limit in process.walk.limits:
        visited = visited & (place(limit.form) >= 0)
    wanted = np.ones(shape, bool)
    if is_load(process) and process.tap.revisit:
        wanted = wanted & (place(Affine.of([(name, 1) for name in process.tap.revisit.first])) > 0)
    along = list[tuple[np.ndarray, int]]()
    if is_load(process) and not clamps(process):
        for d, (form, extent) in enumerate(zip(process.tap.positions, process.tap.extents, strict=True)):
            if form is not None and d == 0:
                along = [(place(form), extent)]
            elif form is not None:
                wanted = wanted & (place(form) >= 0) & (place(form) < extent)
    limits = [(place(form), weight) for form, weight in process.lane_limits]
    for lane in range(lanes_of(process)):
        held = [limit >= weight * lane for limit, weight in limits]
        held += [(position >= -lane) & (position < extent - lane) for position, extent in along]
        lanes.append(reduce(np.logical_and, held, wanted))
    return visited, lanes


def read_tile(moved: list[int], start: int, taken: int, latency: int, bucket: Bucket) -> tuple[int, int]:
    """A tile through a read port: its first request may be made at `start`, its first answer taken at `taken`.

    Returns the cycles after the last request and after the last answer.
    """
    ask, taken = start, max(taken, start + 1)
    for words in moved:
        if not words:
            bucket.rest(1)
        else:
            ask += bucket.wait()
            bucket.take(words)
            taken = max(taken, ask + latency)
        ask, taken = ask + 1, taken + 1
    return ask, taken
