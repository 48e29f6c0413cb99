"""Processes: each steps through a walk, one iteration a cycle, and meets the others in stores alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeGuard, TypeVar

from halidehw.expr.expr import Expr
from halidehw.expr.types import Type
from halidehw.ir.affine import Affine
from halidehw.microarch.taps import (
    FileSink,
    FileTap,
    IndexValue,
    Lanes,
    Mask,
    MemorySink,
    MemoryTap,
    PortSink,
    PortTap,
    Sink,
    SumsSink,
    SumsTap,
    Tap,
    Window,
)
from halidehw.microarch.walk import Walk

T = TypeVar("T", bound=Tap, covariant=True)
S = TypeVar("S", bound=Sink, covariant=True)


@dataclass(frozen=True)
class Transfer(Generic[T, S]):
    """From what it taps into what it sinks. `lane_limits`: forms >= 0 where lane 0 of the words that it moves side by
    side is wanted; lane i subtracts i * its weight.
    """

    name: str
    walk: Walk
    tap: T
    sink: S
    lane_limits: tuple[tuple[Affine, int], ...] = ()


Load = Transfer[PortTap, MemorySink]
"""From a port into a memory."""
Move = Transfer[Lanes, MemorySink]
"""From a memory into one nearer the array, a vector a cycle."""
Fill = Transfer[Lanes, FileSink]
"""From a memory into the PEs' register files."""
Copy = Transfer[FileTap, FileSink]
"""From a register file into one nearer the datapath, inside every PE in lock step, a word a cycle."""
Fold = Transfer[SumsTap, SumsSink]
"""From a level of partial sums into the next one out, as many lanes at once as that holds side by side; into one that
is inside the lanes all, in lock step."""


def is_load(process: object) -> TypeGuard[Load]:
    return isinstance(process, Transfer) and isinstance(process.tap, PortTap)


@dataclass(frozen=True)
class Operand:
    """One read of a datapath. `spaces`: the spatial axes it has lanes on, in the array's order; a position is one of
    those lanes.
    """

    name: str
    type: Type
    spaces: tuple[str, ...]
    source: Lanes | FileTap | IndexValue


def taps_of(operands: tuple[Operand, ...]) -> dict[str, Lanes]:
    """How operands read shared memories, by memory."""
    return {each.source.tap.memory: each.source for each in operands if isinstance(each.source, Lanes)}


@dataclass(frozen=True)
class Compute:
    """The array's process: its walk, what it reads each step, what it sums up. A PE takes part in a reduction only
    where all `masks` hold. `watched`: counters want to know what it does, `activity` says which lanes are at work.

    The operands of a step reach the first PE `arrival` cycles after it. From them to the product of a PE it takes
    `latency` cycles, to that of all lanes of the reductions `product`. Where it waits, it is for a multiple of
    `cadence` cycles.
    """

    walk: Walk
    operands: tuple[Operand, ...]
    masks: tuple[Mask, ...]
    value: Expr
    sink: SumsSink
    arrival: int
    latency: int
    product: int
    watched: bool = False
    activity: tuple[Mask, ...] = ()
    name: str = "array"
    cadence: int = 1

    @property
    def windows(self) -> dict[str, tuple[Window, MemoryTap]]:
        """The windows, by their memories, and how they read them."""
        found = [(name, lanes.window, lanes.tap) for name, lanes in taps_of(self.operands).items()]
        return {name: (window, tap) for name, window, tap in found if window}

    @property
    def files(self) -> dict[str, int]:
        """The register files that are read, and the depth of the walk at which the tile of each ends."""
        taps = (operand.source for operand in self.operands)
        return {tap.file: tap.tile for tap in taps if isinstance(tap, FileTap)}


@dataclass(frozen=True)
class Write:
    """From the last level of partial sums through the final stage to the output's port, or to the memories of the
    stages that read this one: `lanes` words a cycle, lanes of the axes `together`, the first of which are neighbours;
    `drained`: where each of them lies among those that the sums give. `partial`: the load that brings partial sums
    back, where tiles leave before they are complete; `epilogue` then adds those.

    What the final stage takes is there `arrival` cycles after a step; its word is where it goes, in the queue before a
    port or in a memory, `latency` cycles after that step.
    """

    walk: Walk
    tap: SumsTap
    sinks: tuple[PortSink | MemorySink, ...]
    lanes: int
    together: tuple[tuple[str, int], ...]
    drained: tuple[int, ...]
    lane_limits: tuple[tuple[Affine, int], ...]
    operands: tuple[Operand, ...]
    epilogue: Expr | None
    type: Type
    arrival: int
    latency: int
    partial: str | None = None
    name: str = "writer"

    @property
    def places(self) -> int:
        """Words, from their step on, for which there is room before the port."""
        return self.latency + 4

    @property
    def outside(self) -> PortSink | None:
        """The way to a port, if it has one."""
        return next((sink for sink in self.sinks if isinstance(sink, PortSink)), None)

    @property
    def inside(self) -> tuple[MemorySink, ...]:
        """The ways to the memories of other stages."""
        return tuple(sink for sink in self.sinks if isinstance(sink, MemorySink))


def lanes_of(process: Load | Write) -> int:
    """The words that it moves in a step at most."""
    return process.lanes if isinstance(process, Write) else process.tap.port.lanes


Process = Transfer[Tap, Sink] | Compute | Write
