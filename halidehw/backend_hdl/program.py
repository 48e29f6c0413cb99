"""What tells a machine its program: the numbers in which programs differ, fetched before each run."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part

PORT = "program"
"""The port through which a descriptor is fetched."""

WORD = 32
ADDRESS = 12
"""Bits of the address of a word of it."""


@dataclass(frozen=True)
class ProgramSpec:
    """`bits`: of all numbers."""

    bits: int

    @property
    def words(self) -> int:
        return -(-self.bits // WORD)


class Program(Part[ProgramSpec]):
    """Fetches the descriptor of a run, and then starts its processes.

    With `start` it asks for the words one after the other, as many at once as the port takes, and shifts the answers
    in; the first has the lowest bits of `numbers`. `go` comes a cycle after the last one. `busy` from the cycle after
    `start` to that of `go`. `numbers` keep their values until the next start. Reset: idle, numbers undefined.
    """

    title = "program"

    def __init__(self, library: Library, spec: ProgramSpec):
        members = {"start": In(1), "go": Out(1), "busy": Out(1), "numbers": Out(spec.bits)}
        members |= {"req_valid": Out(1), "req_ready": In(1), "req_addr": Out(ADDRESS)}
        members |= {"resp_valid": In(1), "resp_ready": Out(1), "resp_data": In(WORD)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, words = Module(), self.spec.words
        asked, taken = Signal(range(words + 1), name="words_asked"), Signal(range(words + 1), name="words_taken")
        held = Signal(words * WORD, name="held", reset_less=True)
        m.d.comb += [
            self.req_valid.eq(self.busy & (asked != words)),
            self.req_addr.eq(asked),
            self.resp_ready.eq(self.busy & (taken != words)),
            self.numbers.eq(held),
        ]
        arrived = self.resp_valid & self.resp_ready
        m.d.sync += self.go.eq(arrived & (taken == words - 1))
        with m.If(self.start):
            m.d.sync += [self.busy.eq(1), asked.eq(0), taken.eq(0)]
        with m.Else():
            m.d.sync += [asked.eq(asked + (self.req_valid & self.req_ready)), taken.eq(taken + arrived)]
            with m.If(self.go):
                m.d.sync += self.busy.eq(0)
        with m.If(arrived):
            m.d.sync += held.eq(Cat(held[WORD:], self.resp_data))
        return m
