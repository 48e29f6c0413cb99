"""Updates that follow elements of their own: in order along a dimension, every bit as the algorithm's."""

import pytest

import halidehw as hl
from halidehw.expr.tree import nodes
from halidehw.ir.nest import Scan
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_interpreter
from tests.fuzz.designs import Design
from tests.refused import refused

x, y = hl.vars("x y")


def filtered(most=1, width=9, height=4):
    """Each pixel takes some of those up to `most` before it, from pixel `most` on."""
    a, f, r = hl.ImageParam(hl.UInt(8), 2, "a"), hl.Func("f"), hl.RDom([(most, width - most)], "r")
    f[x, y] = hl.i16(a[x, y])
    f[r, y] = f[r - most, y] * 3 - (f[r - 1, y] + f[r, y] * 7) / 5
    return f.set_bounds([(0, width), (0, height)])


def scheduled(schedule, **sizes):
    f = filtered(**sizes)
    schedule(f.update())
    return f


def both_ways():
    """Along x and back, then along y, and what reads it."""
    a, f, g = hl.ImageParam(hl.UInt(8), 2, "a"), hl.Func("f"), hl.Func("g")
    r, q = hl.RDom([(1, 8)], "r"), hl.RDom([(1, 4)], "q")
    f[x, y] = hl.u16(a[x, y])
    f[r, y] = (f[r - 1, y] * 3 + f[r, y]) / 4
    f[8 - r, y] = (f[9 - r, y] * 3 + f[8 - r, y]) / 4
    f[x, q] = f[x, q - 1] + f[x, q]
    g[x, y] = f[x, y] + f[8 - x, y]
    f.compute_root()
    return g.set_bounds([(0, 9), (0, 5)])


def in_rows():
    """Each row by itself, as it is read."""
    a, f, g, r = hl.ImageParam(hl.UInt(8), 2, "a"), hl.Func("f"), hl.Func("g"), hl.RDom([(1, 8)], "r")
    f[x, y] = hl.i32(a[x, y])
    f[r, y] += f[r - 1, y] * f[r, y]
    g[x, y] = f[x, y] - f[x + 2, y]
    f.compute_at(g, y)
    return g.set_bounds([(0, 7), (0, 5)])


def equalised():
    """A histogram's running sum, a table of the picture."""
    a, h, s, f = hl.ImageParam(hl.UInt(3), 2, "a"), hl.Func("h"), hl.Func("s"), hl.Func("f")
    r, b = hl.RDom([(0, 6), (0, 5)], "r"), hl.RDom([(1, 7)], "b")
    h[x] = hl.u16(0)
    h[hl.i32(a[r.x, r.y])] += hl.u16(1)
    s[x] = h[x]
    s[b] = s[b - 1] + h[b]
    f[x, y] = s[hl.i32(a[x, y])]
    h.compute_root()
    return f.set_bounds([(0, 6), (0, 5)])


def of_a_part():
    """Two variables in the RDom, of which points are left out; elements that are not yet written are what they were."""
    a, f, g, r = hl.ImageParam(hl.UInt(8), 2, "a"), hl.Func("f"), hl.Func("g"), hl.RDom([(1, 8), (2, 3)], "r")
    f[x, y] = hl.i32(a[x, y])
    r.where(r.x + r.y < 11)
    f[r.x, r.y] = f[r.x - 1, r.y] * 2 + f[r.x + 1, r.y + 1] + f[r.x, r.y]
    g[x, y] = f[x + 3, y + 1]
    f.compute_root()
    return g.set_bounds([(0, 4), (0, 4)])


MADE = {
    "each after the one before": filtered,
    "two back": lambda: filtered(2),
    "columns inside": lambda: scheduled(lambda f: f.reorder(y, "r.x"), most=3),
    "lanes": lambda: scheduled(lambda f: f.reorder(y, "r.x").vectorize(y, 4), height=7),
    "in systolic order": lambda: scheduled(lambda f: f.unroll(y, 2).systolic(y), height=7, most=2),
    "in strips": lambda: scheduled(lambda f: f.split("r.x", "ro", "ri", 4).reorder("ri", y, "ro"), height=3),
    "both ways": both_ways,
    "in rows": in_rows,
    "equalised": equalised,
    "of a part": of_a_part,
}


@pytest.mark.parametrize("name", MADE)
def test_the_values(name):
    design = Design(MADE[name]())
    check_interpreter(design)
    assert any(isinstance(node, Scan) for nest in design.graph.stages for node in nodes(nest.value))


def test_recurrences_in_hardware():
    """One element a cycle, whatever the ports do; started again, and cut off."""
    stalling = {"memory": Memory(5, stall_probability=0.3), "starts": 2, "abort": 30}
    ways = [{}, stalling, {"memory": Memory(7), "reset": 20}]
    designs = [Design(make(), Options(counters="all"), **ways[n % 3]) for n, make in enumerate(MADE.values())]
    runs = check_each(designs)
    assert runs[0].cycles < 9 * 4 + 40


@pytest.mark.parametrize(("left", "right", "why", "legal"), [
    ("r.x, r.y", "f[r.x - 1, r.y] + f[r.x, r.y - 1]", "it follows others along one dimension",
     "f[r.x, y] = f[r.x - 1, y] + ..."),
    ("r.x, r.y", "f[r.x - 1, r.y - 1]", "it follows others along one dimension", "f[r.x, y] = f[r.x - 1, y] + ..."),
    ("r.x, y", "f[r.x - 1, y] + r.y", "each element has one value, and is updated once: each variable of the RDom "
     "stands alone on the left", "f[r.x, y] = f[r.x - 1, y] + ..."),
    ("2 * r.x, r.y", "f[r.x, r.y]", "(2 * r.x) is a variable, with a constant added or without",
     "f[r.x, y] = f[r.x - 1, y] + ..."),
    ("x, 0", "f[x, 0] + f[x, r.y]", "0 is a variable, with a constant added or without",
     "f[x, r.x] = f[x, r.x - 1] + ..."),
    ("r.x, r.y", "f[r.x / 2, r.y]", "f((r.x / 2), r.y) lies as far from what is written at every iteration",
     "f[r.x, y] = f[r.x - 1, y] + ..."),
    ("x, r.y", "f[x, r.y - 1] * r.x", "each element has one value, and is updated once: each variable of the RDom "
     "stands alone on the left", "f[x, r.y] = f[x, r.y - 1] + ..."),
    ("r.x + 8, r.y", "f[r.x - 1, r.y]", "it reads 8 elements back at most", "f[r.x, y] = f[r.x - 1, y] + ..."),
])  # fmt: skip
def test_what_is_refused(left, right, why, legal):
    a, f, r = hl.ImageParam(hl.UInt(8), 2, "a"), hl.Func("f"), hl.RDom([(1, 8), (1, 4)], "r")
    f[x, y] = hl.i32(a[x, y])
    exec(f"f[{left}] = {right}", {"f": f, "r": r, "x": x, "y": y})
    with pytest.raises(hl.HalideHWError) as error:
        hl.compile(f.set_bounds([(0, 17), (0, 5)]))
    assert error.value.message.endswith(f"its iterations follow one another, as they can where {why}")
    assert error.value.legal == (legal,)


@pytest.mark.parametrize(("other", "legal"), [(0, ("one Func for each value",)), (1, ())])
def test_several_values(other, legal):
    """A Func for each does where no value follows another one."""
    a, f, r = hl.ImageParam(hl.UInt(8), 2, "a"), hl.Func("f"), hl.RDom([(1, 3)], "r")
    f[x, y] = hl.Tuple(hl.i32(a[x, y]), hl.i32(1))
    f[r, y] = hl.Tuple(f[r - 1, y][other] + 1, f[r - 1, y][1] * 2)
    with pytest.raises(hl.HalideHWError, match="where each element has one value") as error:
        hl.compile(f.set_bounds([(0, 5), (0, 3)]))
    assert error.value.legal == legal


@pytest.mark.parametrize(("line", "message", "legal"), [
    (lambda f: f.unroll("r.x", 2), "r.x has 2 lanes, but elements of f follow one another along it",
     "f.update().unroll(y, 4)"),
    (lambda f: f.split("r.x", "ro", "ri", 4).reorder("ro", y, "ri"),
     "elements of f follow one another along r.x, whose loops are, outer to inner, ri, ro",
     "f.update().reorder(ri, ro)"),
])  # fmt: skip
def test_loops_in_another_order(line, message, legal):
    refused(lambda: hl.compile(scheduled(line)), message, legal)


def test_what_a_cycle_is_too_short_for():
    table, f, r = hl.ImageParam(hl.UInt(8), 1, "table"), hl.Func("f"), hl.RDom([(1, 8)], "r")
    f[x] = hl.u8(1)
    f[r] = table[hl.i32(f[r - 1])]
    with pytest.raises(hl.HalideHWError, match="f looks table up at an element before"):
        hl.compile(f.bound(x, 0, 9))
    g = hl.Func("g")
    g[x] = hl.u8(1)
    g[r] = table[r] / (g[r - 1] + 1)
    with pytest.raises(hl.HalideHWError, match="g divides by what is no constant at an element before"):
        hl.compile(g.bound(x, 0, 9))


def test_a_place_that_needs_a_part():
    a, f, g, r = hl.ImageParam(hl.UInt(8), 1, "a"), hl.Func("f"), hl.Func("g"), hl.RDom([(1, 8)], "r")
    f[x] = hl.i32(a[x])
    f[r] += f[r - 1]
    g[x] = f[x] + f[x + 1]
    f.compute_at(g, x)
    refused(
        lambda: hl.compile(g.bound(x, 0, 8)),
        "f.compute_at(g, x): f follows its own elements along r.x, so all of it is computed at a time; g reads a part "
        "of it there",
        "f.compute_root()",
    )
