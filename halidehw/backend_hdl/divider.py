"""A pipelined divider: one bit of the quotient a stage, a division a cycle."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Shape, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part, delay
from halidehw.microarch.division import DividerSpec


@dataclass(frozen=True)
class StageSpec:
    """The bits of the dividend's and of the divisor's magnitude."""

    dividend: int
    divisor: int


class DividerStage(Part[StageSpec]):
    """One step of a restoring division: the digits' highest bit joins the remainder, of which the divisor is taken
    where it is not greater; whether it was is the digits' new lowest bit.

    A cycle later the remainder, the digits and the divisor are those of the next stage. No handshake, no reset.
    """

    title = "divider_stage"

    def __init__(self, library: Library, spec: StageSpec):
        widths = {"remainder": spec.divisor, "digits": spec.dividend, "divisor": spec.divisor}
        members = {name: In(bits) for name, bits in widths.items()}
        members |= {f"next_{name}": Out(bits) for name, bits in widths.items()}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        joined = Cat(self.digits[-1], self.remainder)
        rest = Signal(Shape(len(joined) + 1, signed=True), name="rest")
        fits = rest >= 0
        m.d.comb += rest.eq(joined - self.divisor)
        m.d.sync += [
            self.next_remainder.eq(Mux(fits, rest, joined)),
            self.next_digits.eq(Cat(fits, self.digits[:-1])),
            self.next_divisor.eq(self.divisor),
        ]
        return m


class Divider(Part[DividerSpec]):
    """The quotient and the remainder of two numbers, as Halide defines them: the remainder is never negative, and by
    zero both are zero.

    A division starts in every cycle; its results follow `spec.latency` cycles later. No handshake, no reset.
    """

    title = "divider"

    def __init__(self, library: Library, spec: DividerSpec):
        members = {
            "dividend": In(Shape(spec.dividend + spec.signed_dividend, spec.signed_dividend)),
            "divisor": In(Shape(spec.divisor + spec.signed_divisor, spec.signed_divisor)),
        }
        if spec.quotient:
            members["quotient"] = Out(Shape(spec.dividend + 2 * spec.signs, spec.signs))
        if spec.remainder:
            members["remainder"] = Out(spec.divisor)
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        now: dict[str, Value] = {"remainder": Const(0, spec.divisor), "digits": self.dividend, "divisor": self.divisor}
        if spec.signs:
            digits, divisor = Signal(spec.dividend, reset_less=True), Signal(spec.divisor, reset_less=True)
            m.d.sync += digits.eq(Mux(self._negative("dividend"), ~self.dividend, self.dividend))
            m.d.sync += divisor.eq(Mux(self._negative("divisor"), -self.divisor, self.divisor))
            now |= {"digits": digits, "divisor": divisor}
        for number in range(spec.dividend):
            stage = self.library.use(m, f"stage{number}", DividerStage, StageSpec(spec.dividend, spec.divisor), now)
            now = {name: stage[f"next_{name}"] for name in now}
        digits, rest, divisor = now["digits"], now["remainder"], now["divisor"]
        below, against = (self._late(m, name) for name in ("dividend", "divisor"))
        if spec.quotient:
            signed = (Cat(digits, Const(0, 2)) ^ (below ^ against).replicate(spec.dividend + 2)) + against
            m.d.sync += self.quotient.eq(Mux(divisor.any(), signed if spec.signs else digits, 0))
        if spec.remainder:
            m.d.sync += self.remainder.eq(Mux(divisor.any(), Mux(below, divisor + ~rest, rest), 0))
        return m

    def _negative(self, operand: str) -> Value:
        value: Value = self[operand]
        return value[-1] if value.shape().signed else Const(0, 1)

    def _late(self, m: Module, operand: str) -> Value:
        """Whether an operand was negative, with its results' last stage."""
        sign = self._negative(operand)
        return sign if isinstance(sign, Const) else delay(m, f"{operand}_negative", sign, self.spec.latency - 1)
