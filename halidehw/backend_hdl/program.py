"""What tells a machine its programs: a list of descriptors in memory, fetched ahead, one run of its processes each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.gate import WAITS
from halidehw.backend_hdl.library import Library, Part
from halidehw.microarch.interface import BASE_BITS, PROGRAM_BITS

PORT = "program"
"""The port through which descriptors are fetched."""

STATUS = "status"
"""The port through which a word for each program is written."""

WORD = 32
ADDRESS = 18
"""Bits of the address of a word of the list."""

CORRUPT = (1 << WORD) - 1
"""The status of a descriptor that is none."""


@dataclass(frozen=True)
class Share:
    """What one load is told: the address with the number `base`, and `bits` of the numbers from bit `first` on."""

    base: int
    first: int
    bits: int


@dataclass(frozen=True)
class ProgramSpec:
    """`bits`: of all numbers. `bases`: how many tensors have an address. `key`: the sum of a descriptor's words.
    `others`: how many other lists a program waits for. `early`: the loads that may begin it while the one before runs.
    """

    bits: int
    bases: int
    key: int
    others: int = 0
    early: tuple[Share, ...] = ()

    @property
    def head(self) -> int:
        """Words of a descriptor before the addresses, but for the first one: how many programs of each other list come
        before it, and for each load that may begin early what its gate is told."""
        return self.others + len(self.early)

    @property
    def words(self) -> int:
        """Of a descriptor: one that completes the sum, its head, the addresses, the numbers."""
        return 1 + self.head + -(-(self.bases * BASE_BITS + self.bits) // WORD)

    @property
    def pieces(self) -> tuple[tuple[int, int | None], ...]:
        """Addresses and numbers, from the lowest bit on: the bits that are taken together, and the load that takes
        them, or None, all processes."""
        owner: list[int | None] = [None] * (self.bases * BASE_BITS + self.bits)
        for number, share in enumerate(self.early):
            first = self.bases * BASE_BITS + share.first
            owner[share.base * BASE_BITS : (share.base + 1) * BASE_BITS] = [number] * BASE_BITS
            owner[first : first + share.bits] = [number] * share.bits
        return tuple((len(list(bits)), number) for number, bits in groupby(owner))


class Program(Part[ProgramSpec]):
    """Runs a list of programs: fetches each descriptor while the program before it runs.

    With `start`, `programs` descriptors are asked for one after the other, as many words at once as the port takes,
    and shifted in. After the first word comes one for each of the `others`, that says of how many programs `progress`
    must tell before this one begins, then one for the gate of each load that may begin early, then `bases`, `numbers`,
    lowest bits first. `go` starts the processes, two cycles after a descriptor's last word has come and the program
    before has `finished`, with `numbers` that stay until the next `go`; `waiting` as long as only others keep it from
    that. `starts` does so for the loads that may be early, each with its share of the numbers: with `go`, or, if its
    word is not `WAITS`, while the program before runs, as soon as the descriptor is there, and `rests` says that it is
    done with that one; `gates` are those words, from then to `go`. After `finished` a word of status is offered: the
    cycles from `go` to there, `CORRUPT` for a descriptor whose words do not have the sum `key`, which ends the list, as
    `stop` does: after the program under way, which is the one after it if a load has begun that. `completed` counts
    programs. `busy` from the cycle after `start` until
    all is done. Reset: idle, numbers undefined.
    """

    title = "program"

    def __init__(self, library: Library, spec: ProgramSpec):
        members = {"start": In(1), "programs": In(PROGRAM_BITS), "stop": In(1), "finished": In(1), "go": Out(1)}
        members |= {"busy": Out(1), "completed": Out(PROGRAM_BITS), "corrupt": Out(1)}
        members |= {"progress": In(spec.others * PROGRAM_BITS), "waiting": Out(1)}
        members |= {"starts": Out(len(spec.early)), "rests": In(len(spec.early)), "gates": Out(len(spec.early) * WORD)}
        members |= {"numbers": Out(spec.bits), "bases": Out(spec.bases * BASE_BITS)}
        members |= {"req_valid": Out(1), "req_ready": In(1), "req_addr": Out(ADDRESS)}
        members |= {"resp_valid": In(1), "resp_ready": Out(1), "resp_data": In(WORD)}
        members |= {"valid": Out(1), "ready": In(1), "addr": Out(PROGRAM_BITS), "data": Out(WORD)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        left, fetched = Signal(PROGRAM_BITS, name="programs_left"), Signal(name="fetched")
        fetching = Signal(name="fetching")
        held = Signal((spec.words - 1) * WORD, name="held", reset_less=True)
        self._fetch(m, left, fetched, fetching, held)
        running, elapsed = Signal(name="program_running"), Signal(WORD - 1, name="elapsed")
        stopping, right, ended = Signal(name="stopping"), self._right, Signal(name="ended")
        free = ~running & ~self.go
        after, rest = held[: spec.others * WORD], held[spec.head * WORD :]
        m.d.comb += self.gates.eq(held[spec.others * WORD : spec.head * WORD])
        may = Cat(self.gates.word_select(i, WORD) != WAITS for i in range(len(spec.early)))
        needs = [after.word_select(i, WORD) for i in range(spec.others)]
        met = Cat(self.progress.word_select(i, PROGRAM_BITS) >= need for i, need in enumerate(needs)).all()
        begun = Signal(len(spec.early), name="begun")
        halts = ((stopping | self.stop) & ~begun.any()) | ~right
        taken = fetched & free & (met | halts)
        halted, wrong = taken & halts, taken & ~right & ~stopping & ~self.stop
        early = Signal(len(spec.early), name="early")
        ready = fetched & ~taken & met & ~halts
        m.d.comb += early.eq(Mux(ready, may & self.rests & ~begun, 0))
        begins = early | Mux(taken & ~halted, ~begun, 0)
        m.d.sync += [self.starts.eq(begins), begun.eq(Mux(taken, 0, begun | early))]
        m.d.comb += self.waiting.eq(fetched & free & ~met & ~halts)
        m.d.comb += ended.eq(running & self.finished & ~self.valid)
        m.d.sync += [self.go.eq(taken & ~halted), running.eq(self.go | (running & ~ended))]
        m.d.sync += elapsed.eq(Mux(self.go, 1, elapsed + ~elapsed.all()))
        with m.If(taken):
            m.d.sync += [fetched.eq(0), fetching.eq((left != 0) & ~halts)]
        self._tell(m, rest, taken, begins)
        with m.If(self.start):
            m.d.sync += [self.busy.eq(1), left.eq(self.programs), self.completed.eq(0), self.corrupt.eq(0)]
            m.d.sync += stopping.eq(0)
        with m.Elif(self.busy):
            m.d.sync += stopping.eq(stopping | self.stop)
            m.d.sync += self.completed.eq(self.completed + ended)
            with m.If(halted):
                m.d.sync += [left.eq(0), self.corrupt.eq(self.corrupt | wrong)]
            with m.If((left == 0) & ~fetched & free & ~self.valid):
                m.d.sync += self.busy.eq(0)
        with m.If(ended | wrong):
            m.d.sync += [self.valid.eq(1), self.data.eq(Mux(wrong, CORRUPT, elapsed)), self.addr.eq(self.completed)]
        with m.Elif(self.ready):
            m.d.sync += self.valid.eq(0)
        return m

    def _tell(self, m: Module, rest: Value, taken: Value, begins: Value) -> None:
        """Addresses and numbers of the next program, for each process as it begins it."""
        parts, at = list[Signal](), 0
        for bits, owner in self.spec.pieces:
            parts.append(part := Signal(bits, name=f"told{len(parts)}", reset_less=True))
            with m.If(taken if owner is None else begins[owner]):
                m.d.sync += part.eq(rest[at : at + bits])
            at += bits
        m.d.comb += Cat(self.bases, self.numbers).eq(Cat(parts))

    def _fetch(self, m: Module, left: Signal, fetched: Signal, fetching: Signal, held: Signal) -> None:
        """Fills `held` while `fetching`: it is free and descriptors are left; whether their sum is `right`."""
        words = self.spec.words
        asked, taken = Signal(range(words + 1), name="words_asked"), Signal(range(words), name="words_taken")
        before, total = Signal(WORD, name="sum_of_words"), Signal(WORD, name="sum_so_far")
        self._right = Signal(name="right")
        m.d.comb += total.eq(Mux(taken == 0, 0, before) + self.resp_data)
        arrived, last = Signal(name="arrived"), Signal(name="last")
        m.d.comb += [
            self.req_valid.eq(fetching & (asked != words)),
            self.resp_ready.eq(fetching),
            arrived.eq(self.resp_valid & fetching),
            last.eq(arrived & (taken == words - 1)),
        ]
        with m.If(self.start):
            m.d.sync += [asked.eq(0), taken.eq(0), fetched.eq(0), self.req_addr.eq(0)]
            m.d.sync += fetching.eq(self.programs != 0)
        with m.Else():
            accepted = self.req_valid & self.req_ready
            m.d.sync += [self.req_addr.eq(self.req_addr + accepted)]
            m.d.sync += [asked.eq(Mux(last, 0, asked + accepted)), taken.eq(Mux(last, 0, taken + arrived))]
            with m.If(last):
                m.d.sync += [fetched.eq(1), fetching.eq(0), left.eq(left - 1)]
        with m.If(arrived):
            m.d.sync += held.eq(Cat(held[WORD:], self.resp_data))
            m.d.sync += [before.eq(total), self._right.eq(total == self.spec.key)]
