"""Lists of descriptors, in the component that runs them, by Amaranth's own simulator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import Module, Shape, signed, unsigned
from amaranth.lib.wiring import Out
from amaranth.sim import Simulator

from halidehw.backend_hdl.gate import WAITS
from halidehw.backend_hdl.library import Library, Part
from halidehw.backend_hdl.program import CORRUPT, Program, ProgramSpec, Share
from halidehw.ir.varies import Varies

SPEC = ProgramSpec(40, 1, 1234)
EARLY = ProgramSpec(40, 2, 1234, 0, (Share(0, 8, 16), Share(1, 0, 0)))
"""With two loads that may begin early, of which the first one has some of the numbers."""
LENGTH = 11
"""Cycles of a program."""


def descriptor(base: int, numbers: int, *head: int, bases: int = 1) -> list[int]:
    rest = [*head, *((base >> 32 * i) & 0xFFFFFFFF for i in range(2 * bases)),
            *((numbers >> 32 * i) & 0xFFFFFFFF for i in range(2))]  # fmt: skip
    return [(SPEC.key - sum(rest)) % 2**32, *rest]


@dataclass
class Seen:
    """What the component did: the numbers at each `go` and when that was; which loads it started when, and with which
    numbers; the words of status, by their address."""

    begun: list[tuple[int, int, int]] = field(default_factory=list)
    starts: list[tuple[int, int, int, int]] = field(default_factory=list)
    status: dict[int, int] = field(default_factory=dict)
    ended: int = 0
    completed: int = 0
    corrupt: int = 0


def run(
    words: list[int], programs: int, *, stop_at: int = -1, latency: int = 3, slow: int = 1, spec: ProgramSpec = SPEC,
    busy: int = 0,
) -> Seen:  # fmt: skip
    """A list in a memory of a latency, which accepts a request every `slow` cycles. Loads are `busy` for so many cycles
    of each program."""
    part, seen = Program(Library(), spec), Seen()
    simulator = Simulator(part)
    simulator.add_clock(1e-6)

    async def bench(ctx: Any) -> None:
        answers, left = list[tuple[int, int]](), 0
        for port, value in ((part.start, 1), (part.programs, programs), (part.finished, 1), (part.ready, 1)):
            ctx.set(port, value)
        await ctx.tick()
        ctx.set(part.start, 0)
        for now in range(1, 400):
            ctx.set(part.stop, now == stop_at)
            ctx.set(part.req_ready, now % slow == 0)
            ready = bool(answers) and answers[0][0] <= now
            ctx.set(part.resp_valid, ready)
            ctx.set(part.resp_data, answers[0][1] if ready else 0)
            ctx.set(part.finished, left == 0)
            ctx.set(part.rests, 3 if left <= LENGTH - busy else 0)
            if ctx.get(part.req_valid) and now % slow == 0:
                answers.append((now + latency, words[ctx.get(part.req_addr)]))
            if ready and ctx.get(part.resp_ready):
                answers.pop(0)
            if ctx.get(part.go):
                seen.begun.append((ctx.get(part.bases), ctx.get(part.numbers), now))
            if starts := ctx.get(part.starts):
                seen.starts.append((starts, ctx.get(part.bases), ctx.get(part.numbers), now))
            if ctx.get(part.valid):
                seen.status[ctx.get(part.addr)] = ctx.get(part.data)
            if not ctx.get(part.busy):
                seen.ended, seen.completed, seen.corrupt = now, ctx.get(part.completed), ctx.get(part.corrupt)
                assert not answers
                return
            left = LENGTH if ctx.get(part.go) else max(left - 1, 0)
            await ctx.tick()
        raise AssertionError("the list does not end")

    simulator.add_testbench(bench)
    simulator.run()
    return seen


LIST = [each for i in range(3) for each in descriptor(0x1_0000_0000 * i + 0x4000, 0xAB_0000_0000 + i)]


def test_programs_follow_each_other_at_once() -> None:
    seen = run(LIST, 3)
    assert [begun[:2] for begun in seen.begun] == [(0x1_0000_0000 * i + 0x4000, 0xAB_0000_0000 + i) for i in range(3)]
    assert seen.status == {i: LENGTH + 1 for i in range(3)}
    assert [later[2] - first[2] for first, later in zip(seen.begun, seen.begun[1:], strict=False)] == [LENGTH + 3] * 2
    assert (seen.completed, seen.corrupt) == (3, 0)


def test_a_slow_memory_delays_a_program_and_nothing_else() -> None:
    seen = run(LIST, 3, latency=20, slow=7)
    assert [begun[1] for begun in seen.begun] == [0xAB_0000_0000 + i for i in range(3)]
    assert seen.begun[1][2] - seen.begun[0][2] > LENGTH + 3


def test_a_corrupt_descriptor_ends_the_list() -> None:
    """Nothing of it is started, its status says so, and what came before it counts."""
    for place in range(SPEC.words, 2 * SPEC.words):
        words = list(LIST)
        words[place] ^= 1 << (7 * place % 32)
        seen = run(words, 3)
        assert (len(seen.begun), seen.completed, seen.corrupt) == (1, 1, 1)
        assert seen.status == {0: LENGTH + 1, 1: CORRUPT}


def test_stop_ends_the_list_after_the_program_under_way() -> None:
    begun = run(LIST, 3).begun
    for at in range(1, begun[2][2]):
        seen = run(LIST, 3, stop_at=at)
        assert len(seen.begun) == seen.completed == sum(at >= each[2] for each in begun)
        assert seen.corrupt == 0 and set(seen.status) == set(range(seen.completed))


def early(*may: int, length: int = 3) -> list[int]:
    """Descriptors of which loads with these bits begin early, at once or later."""
    words = [[WAITS if not bits >> load & 1 else 0x10002 * load for load in range(2)] for bits in may]
    return [each for i in range(length) for each in descriptor(i + 1, 0x11_1111_1111 * (i + 1), *words[i], bases=2)]


def test_loads_begin_a_program_while_the_one_before_runs() -> None:
    """Those that may, when they rest, with their own numbers; the others keep theirs, and begin with `go`."""
    seen = run(early(3, 1, 3), 3, spec=EARLY, busy=10, latency=1)
    begun = [at for _, _, at in seen.begun]
    assert [numbers for _, numbers, _ in seen.begun] == [0x11_1111_1111 * (i + 1) for i in range(3)]
    assert [starts for starts, _, _, _ in seen.starts] == [3, 1, 2, 3]
    assert [at for _, _, _, at in seen.starts][::2] == begun[:2]
    for (_, base, numbers, at), first in zip(seen.starts[1::2], (0, 1), strict=True):
        share = 0xFFFF00
        assert at == begun[first] + 10 + 2 and base == first + 2
        before, after = (0x11_1111_1111 * (first + k) for k in (1, 2))
        assert numbers == before & ~share | after & share
    assert seen.completed == 3 and set(seen.status.values()) == {LENGTH + 1}


def test_stop_lets_a_program_end_that_a_load_has_begun() -> None:
    words = early(0, 3, 3)
    whole = run(words, 3, spec=EARLY)
    begun = [next(at for _, base, _, at in whole.starts if base == i + 1) for i in range(3)]
    for at in range(1, whole.begun[2][2]):
        seen = run(words, 3, spec=EARLY, stop_at=at)
        assert len(seen.begun) == seen.completed == sum(at >= each for each in begun)
        assert seen.starts == whole.starts[: len(seen.starts)] and seen.corrupt == 0


def test_nothing_of_a_corrupt_descriptor_begins_early() -> None:
    for place in range(EARLY.words, 2 * EARLY.words):
        words = early(0, 3, 3)
        words[place] ^= 1 << (7 * place % 32)
        seen = run(words, 3, spec=EARLY)
        assert (len(seen.starts), seen.completed, seen.corrupt) == (1, 1, 1)


def test_an_empty_list_is_done() -> None:
    assert run(LIST, 0).begun == []


class Numbered(Part[Varies]):
    """Gives a number of the program under way."""

    title = "numbered"

    def __init__(self, library: Library, spec: Varies):
        super().__init__(library, spec, {"number": Out(8)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.number.eq(self.library.number("number", self.spec, int))
        ((_, _, self.shape),) = self.library.numbers()[0].flat()
        return m


def test_numbers_have_a_sign_where_another_program_may_need_it() -> None:
    """Any room for other programs is for numbers below 0, too."""

    def shape(*values: int, bits: int = 0) -> Shape:
        _, part = Library().add(Numbered, Varies(values, bits))
        assert isinstance(part, Numbered)
        return part.shape

    assert (shape(0, 1), shape(2, 5), shape(-3, 2)) == (unsigned(1), unsigned(3), signed(3))
    assert (shape(0, 1, bits=1), shape(2, 5, bits=1), shape(2, bits=10)) == (signed(2), signed(4), signed(11))
