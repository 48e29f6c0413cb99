"""Comparisons with small numbers as gates."""

from __future__ import annotations

import pytest
from amaranth.hdl import Module, Shape, Signal, signed, unsigned
from amaranth.sim import Simulator

from halidehw.backend_hdl.transfer import in_gates


@pytest.mark.parametrize("shape", [signed(5), unsigned(5), signed(1), unsigned(1), signed(4)])
def test_equal_to_the_comparison(shape: Shape) -> None:
    """For all values, and numbers up to ones that no value reaches."""
    value, module, numbers = Signal(shape), Module(), range(40)
    outs = [Signal(name=f"reaches{least}") for least in numbers]
    module.d.comb += [out.eq(in_gates(value, least)) for out, least in zip(outs, numbers, strict=True)]
    first = -(1 << shape.width - 1) if shape.signed else 0
    wrong = list[tuple[int, int]]()

    async def check(ctx: object) -> None:
        for here in range(first, first + (1 << shape.width)):
            ctx.set(value, here)  # type: ignore[attr-defined]
            await ctx.delay(1e-9)  # type: ignore[attr-defined]
            wrong.extend((here, least) for out, least in zip(outs, numbers, strict=True)
                         if ctx.get(out) != (here >= least))  # type: ignore[attr-defined]

    simulator = Simulator(module)
    simulator.add_testbench(check)
    simulator.run()
    assert not wrong
