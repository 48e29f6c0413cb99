"""A board whose registers and memory this process reaches: what a runtime needs of one."""

from __future__ import annotations

import time
from math import prod
from typing import Any, Protocol

import numpy as np

from halidehw.buses.device import POLL, Bus
from halidehw.errors import SimulationError


class Array(np.ndarray[Any, Any]):
    """An array in a board's memory, at `device_address`."""

    device_address: int


class Place(Protocol):
    """Registers, memory and time of a board. `cycles`: of its clock so far, 0 where nobody counts; `deadline`: that of
    them at which a run is given up, 0 for none."""

    origin: int
    size: int
    deadline: int

    def read(self, offset: int) -> int: ...

    def write(self, offset: int, value: int) -> None: ...

    def pause(self) -> None: ...

    def at(self, address: int, shape: tuple[int, ...], dtype: Any) -> Array: ...

    @property
    def cycles(self) -> int: ...


class Mapped:
    """A board behind a processor. `bus`: of its registers, such as `pynq.MMIO`. `memory`: a buffer, such as an `mmap`,
    of the bytes that the accelerator finds from the address `origin` on; no cache may stand before it."""

    def __init__(self, bus: Bus, memory: Any, origin: int):
        self.bus, self.origin, self.deadline = bus, origin, 0
        self.memory = np.frombuffer(memory, np.uint8)
        self.size = len(self.memory)

    def read(self, offset: int) -> int:
        return self.bus.read(offset)

    def write(self, offset: int, value: int) -> None:
        self.bus.write(offset, value)

    def pause(self) -> None:
        """Lets some time pass."""
        getattr(self.bus, "pause", lambda: time.sleep(POLL))()

    def at(self, address: int, shape: tuple[int, ...], dtype: Any) -> Array:
        return array_at(self.memory, self.origin, address, shape, dtype)

    @property
    def cycles(self) -> int:
        return 0


def array_at(memory: np.ndarray, origin: int, address: int, shape: tuple[int, ...], dtype: Any) -> Array:
    """The array at an address of a memory, bytes from `origin` on. Raises SimulationError where it is not all there."""
    kind, first = np.dtype(dtype), address - origin
    end = first + prod(shape) * kind.itemsize
    if not 0 <= first <= end <= len(memory):
        raise SimulationError(f"the board has {len(memory)} bytes of memory from {origin:#x} on, and {end - first} "
                              f"bytes at {address:#x} are wanted")  # fmt: skip
    found = memory[first:end].view(kind).reshape(shape).view(Array)
    found.device_address = address
    return found
