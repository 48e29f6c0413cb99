"""How wide the bus is that fills register files."""

from __future__ import annotations

import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, estimate, i32
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Network
from halidehw.scheduler import lower
from halidehw.simulate import Memory
from tests.fuzz.check import check_hardware
from tests.fuzz.designs import Design


def product(rows: int) -> Network:
    """A 32 x 32 array whose weights each stay for `rows` steps."""
    n, m = Var("n"), Var("m")
    c = RDom([(0, 64)], "c")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[n, m] += i32(a[c, m]) * i32(b[n, c])
    stage = f.set_bounds([(0, 64), (0, rows)]).update()
    stage.reorder(m, n, c).dataflow("c.x | n", 32, 32)
    return derive(lower(f))


@pytest.mark.parametrize("rows, lanes", [(64, 32), (16, 32)])
def test_the_bus_is_as_narrow_as_the_steps_allow_else_as_wide_as_may_be(rows: int, lanes: int):
    """32 lanes fill the weights in 32 steps: in time for 64 rows; too late for 16, but 1 lane would take 1024."""
    (fill,) = product(rows).output.fills
    assert len(fill.tap.lanes) == lanes


@pytest.mark.parametrize("rows, lanes", [pytest.param(4, 4, marks=pytest.mark.soak), (5, 1)])
def test_a_bus_that_takes_all_of_a_tiles_steps_is_too_narrow(rows: int, lanes: int):
    """One lane fills 4 x 16 weights in the 64 steps of 4 rows, and words need 5 cycles more until they can be read:
    32 tiles would each wait 2.5 cycles. In 80 steps they do not."""
    x, y, ri, ro = map(Var, ("x", "y", "ri", "ro"))
    r = RDom([(0, 512)], "r")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, y] += i32(a[r, y]) * i32(b[x, r])
    f.set_bounds([(0, 4), (0, rows)]).update().split(r, ro, ri, 16).reorder(ri, y, ro, x).unroll(x).systolic(x)
    b.in_().compute_at(f, ro)
    (fill,) = derive(lower(f)).output.fills
    assert len(fill.tap.lanes) == lanes
    assert not any(estimate(f).cycles.stalls.values())
    check_hardware(Design(f, memory=Memory(latency=7, stall_probability=0.4), starts=2))
