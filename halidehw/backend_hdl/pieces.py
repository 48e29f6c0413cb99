"""Parts that pass by pieces: which are there, and what a reader says of them."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Member, Out

from halidehw.backend_hdl.library import Library, Part, Ports
from halidehw.microarch.taps import FileSink, MemorySink, MemoryTap, SumsSink

Ends = tuple[str, int]
Origins = tuple[str, tuple[str, ...]]
"""A walker's flag: its name, and the depth at which all that is inside ends, or the axes that are at their start."""


@dataclass(frozen=True)
class ArrivalsSpec:
    """`most`: the pieces of all parts."""

    most: int


class Arrivals(Part[ArrivalsSpec]):
    """Counts the pieces that have come and that their reader has not passed.

    The writer pulses `landed` with a piece's last word, the reader `passed` with its last step on a piece that it has
    come to for the first time, only while `there`: a piece is there one cycle after it landed, and until it is passed;
    and all the time in which the reader comes to pieces `again`. Reset: none is there.
    """

    title = "arrivals"

    def __init__(self, library: Library, spec: ArrivalsSpec):
        super().__init__(library, spec, {"landed": In(1), "passed": In(1), "again": In(1), "there": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = Signal(range(self.spec.most + 1), name="pieces")
        m.d.comb += self.there.eq((count != 0) | self.again)
        with m.If(self.landed & ~self.passed):
            m.d.sync += count.eq(count + 1)
        with m.Elif(self.passed & ~self.landed):
            m.d.sync += count.eq(count - 1)
        return m


def lands(sink: MemorySink | FileSink | SumsSink) -> tuple[Ends, ...]:
    """The walker's flag for a writer of a part in pieces: of a piece's last word."""
    return (("lands", sink.piece),) if isinstance(sink, MemorySink) and sink.piece is not None else ()


def pieces_read(read: MemoryTap, prefix: str = "r") -> tuple[tuple[Ends, Origins], ...]:
    """The walker's flags for a reader of a part in pieces: of a piece's last step, and of steps that come to a piece
    for the first time."""
    name = f"{prefix}_passes", f"{prefix}_comes"
    return (((name[0], read.pieces.depth), (name[1], read.pieces.again)),) if read.pieces else ()


def say_pieces(part: Ports, m: Module, walk: Ports, read: MemoryTap, prefix: str = "r") -> None:
    """What a reader of a part in pieces says of them."""
    for (passes, _), (comes, _) in pieces_read(read, prefix):
        m.d.comb += part[f"{prefix}_passed"].eq(walk.advance & walk[passes] & walk[comes])
        m.d.comb += part[f"{prefix}_again"].eq(~walk[comes])


def pieces_said(read: MemoryTap, prefix: str = "r") -> dict[str, Member]:
    """The outputs of a reader of a part in pieces."""
    return {f"{prefix}_passed": Out(1), f"{prefix}_again": Out(1)} if read.pieces else {}
