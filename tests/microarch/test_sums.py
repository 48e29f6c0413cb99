"""Whether the array may come back to a sum before it is in memory, beside a walk through all its steps."""

from itertools import permutations, product

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Stage
from halidehw.microarch.stores import LEAD
from halidehw.scheduler import lower
from tests.fuzz.check import accepted

x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))


def apart(stage: Stage) -> int:
    """The fewest steps from one visit of a word to the next one of the same tile."""
    sink, last, least = stage.compute.sink, dict[tuple[int, ...], int](), LEAD + 2
    for step, values in enumerate(stage.compute.walk):
        tile = (values[axis.name] for axis in stage.compute.walk.axes[: sink.tile])
        word = (sink.address.at(values), *tile)
        least = min(least, step - last.get(word, -LEAD - 2))
        last[word] = step
    return least


def check(stage: Stage) -> bool:
    """Whether it is said that it comes back soon; where it does, that is said."""
    said = stage.sums[0].soon
    assert said or apart(stage) > LEAD + 1
    return said


def test_orders_of_loops():
    found = set()
    for width, order in product((4, 5), permutations(("xi", "xo", "r.x", "y"))):
        a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(0, 3)], "r")
        f[x, y] += i32(a[x + r.x, y])
        f.bound(x, 0, width).bound(y, 0, 3).update().split(x, xo, xi, 2).reorder(*order)
        found.add((width, check(derive(lower(f)).output)))
    assert found == {(4, True), (4, False), (5, True)}


def test_random_designs():
    assert {check(design.accelerator.output) for design in accepted(range(12))}
