"""How wide the bus is that fills register files."""

from __future__ import annotations

import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Network
from halidehw.scheduler import lower


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
