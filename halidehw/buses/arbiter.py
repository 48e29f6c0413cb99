"""What several adapters share: the channels of one AXI master."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part
from halidehw.buses.axi import ADDRESS, log2


@dataclass(frozen=True)
class ArbiterSpec:
    """`masters`: how many; `beat`: bytes of a beat; `id_bits`: of the identifiers of bursts, which are the numbers of
    the masters."""

    masters: int
    beat: int
    id_bits: int

    @property
    def runs(self) -> dict[str, object]:
        """How a master hands over its bursts."""
        bits = ADDRESS - log2(self.beat)
        members: dict[str, object] = {}
        for i in range(self.masters):
            members |= {f"run{i}_valid": In(1), f"run{i}_ready": Out(1), f"run{i}_beat": In(bits),
                        f"run{i}_length": In(8)}  # fmt: skip
        return members


class _Arbiter(Part[ArbiterSpec]):
    """What reads and writes have in common: the address channel, its bursts granted in turn, from `fresh` on."""

    def granted(self, m: Module, may: Value) -> tuple[Value, Value]:
        """Grants a burst in each cycle in which the channel can take one, if it `may`: whether it does, to whom."""
        masters = range(self.spec.masters)
        turn, who = (Signal(range(max(len(masters), 2)), name=name) for name in ("turn", "who"))
        asks = Cat(self[f"run{i}_valid"] for i in masters)
        for i in reversed(masters):
            with m.If(asks[i]):
                m.d.comb += who.eq(i)
        for i in reversed(masters):
            with m.If(asks[i] & (turn < i)):
                m.d.comb += who.eq(i)
        grant = Signal(name="grant")
        m.d.comb += grant.eq(asks.any() & may & (~self.a_valid | self.a_ready))
        for i in masters:
            m.d.comb += self[f"run{i}_ready"].eq(grant & (who == i))
        with m.If(self.a_ready):
            m.d.sync += self.a_valid.eq(0)
        with m.If(self.fresh):
            m.d.sync += turn.eq(0)
        with m.If(grant):
            m.d.sync += [self.a_valid.eq(1), self.a_id.eq(who), turn.eq(who)]
            for i in masters:
                with m.If(who == i):
                    m.d.sync += [self.a_beat.eq(self[f"run{i}_beat"]), self.a_length.eq(self[f"run{i}_length"])]
        return grant, who


def _address(spec: ArbiterSpec) -> dict[str, object]:
    return {"a_valid": Out(1), "a_ready": In(1), "a_id": Out(spec.id_bits), "a_beat": Out(ADDRESS - log2(spec.beat)),
            "a_length": Out(8)}  # fmt: skip


class ReadArbiter(_Arbiter):
    """Bursts of several masters on one read channel; beats go to the master whose identifier they have.

    A burst is offered a cycle after it is granted. Beats are always taken. `errors`: a bit for each master, from an
    error response on, until `fresh`. Reset: nothing is offered, no errors.
    """

    title = "read_arbiter"

    def __init__(self, library: Library, spec: ArbiterSpec):
        members = spec.runs | _address(spec)
        members |= {f"beat{i}_valid": Out(1) for i in range(spec.masters)}
        members |= {"r_valid": In(1), "r_id": In(spec.id_bits), "r_resp": In(2)}
        members |= {"fresh": In(1), "errors": Out(spec.masters)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.granted(m, Const(1))
        for i in range(self.spec.masters):
            m.d.comb += self[f"beat{i}_valid"].eq(self.r_valid & (self.r_id == i))
        failed(m, self.r_valid & self.r_resp[1], self.r_id, self.errors, self.fresh)
        return m


class WriteArbiter(_Arbiter):
    """Bursts of several masters on one write channel: the beats of one after those of the other, without a gap where
    they are there; responses go to the master whose identifier they have.

    `errors` as of reads. Reset: nothing is offered, no errors.
    """

    title = "write_arbiter"

    def __init__(self, library: Library, spec: ArbiterSpec):
        members = spec.runs | _address(spec)
        for i in range(spec.masters):
            members |= {f"beat{i}_valid": In(1), f"beat{i}_ready": Out(1), f"beat{i}_data": In(8 * spec.beat),
                        f"beat{i}_strobe": In(spec.beat), f"answered{i}": Out(1)}  # fmt: skip
        members |= {"w_valid": Out(1), "w_ready": In(1), "w_data": Out(8 * spec.beat), "w_strobe": Out(spec.beat),
                    "w_last": Out(1), "b_valid": In(1), "b_id": In(spec.id_bits), "b_resp": In(2)}  # fmt: skip
        members |= {"fresh": In(1), "errors": Out(spec.masters)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, masters = Module(), range(self.spec.masters)
        busy, left = Signal(name="busy"), Signal(8, name="beats_left")
        from_, ends = Signal(range(max(len(masters), 2)), name="beats_of"), Signal(name="ends")
        grant, who = self.granted(m, ~busy | ends)
        m.d.comb += [self.w_last.eq(left == 0), ends.eq(self.w_valid & self.w_ready & self.w_last)]
        for i in masters:
            mine = from_ == i
            m.d.comb += self[f"beat{i}_ready"].eq(busy & mine & self.w_ready)
            m.d.comb += self[f"answered{i}"].eq(self.b_valid & (self.b_id == i))
            with m.If(mine):
                m.d.comb += [self.w_valid.eq(busy & self[f"beat{i}_valid"]), self.w_data.eq(self[f"beat{i}_data"]),
                             self.w_strobe.eq(self[f"beat{i}_strobe"])]  # fmt: skip
            with m.If(grant & (who == i)):
                m.d.sync += left.eq(self[f"run{i}_length"])
        with m.If(grant):
            m.d.sync += [busy.eq(1), from_.eq(who)]
        with m.Else():
            m.d.sync += left.eq(left - (self.w_valid & self.w_ready))
            with m.If(ends):
                m.d.sync += busy.eq(0)
        failed(m, self.b_valid & self.b_resp[1], self.b_id, self.errors, self.fresh)
        return m


def failed(m: Module, error: Value, who: Value, errors: Signal, fresh: Value) -> None:
    """The bits of `errors` from an error of theirs on, until `fresh`."""
    for i in range(len(errors)):
        with m.If(error & (who == i)):
            m.d.sync += errors[i].eq(1)
        with m.Elif(fresh):
            m.d.sync += errors[i].eq(0)
