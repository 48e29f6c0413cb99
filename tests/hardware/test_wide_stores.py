"""A port takes the words of several axes' lanes together, where they follow each other in memory."""

from dataclasses import replace

import pytest

import halidehw as hl
from halidehw.frontend.text import parse
from halidehw.microarch.options import Options
from halidehw.simulate.memory import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

TEXT = """
ImageParam input(Int(8), 3);
ImageParam weight(Int(8), 2);
Var k, x, y, k1, ks, x1, xs, c1, cs;
RDom r(0, 5);
Func output(Int(32), 3);
output(k, x, y) += cast<int32_t>(input(x, y, r.x)) * cast<int32_t>(weight(r.x, k));
output.bound(k, 0, {k}).bound(x, 0, {x}).bound(y, 0, 3);
output.update().split(k, k1, ks, {ks}).split(x, x1, xs, {xs}).split(r.x, c1, cs, 2);
output.update().reorder({order}, k1, x1, y, c1);
output.update().dataflow("cs | ks xs", 2, 64).systolic({{cs, xs}});
{sums}
output.accelerate({{input, weight}});
"""

KX, XK = "cs, ks, xs", "cs, xs, ks"
"""The lanes of the loops, the inner ones first, and so the order in which the array gives its sums."""

KEPT = "output.in().compute_at(output, y);"


def design(k=4, x=6, ks=4, xs=3, order=KX, sums=""):
    return parse(TEXT.format(k=k, x=x, ks=ks, xs=xs, order=order, sums=sums)).output


CASES = [
    (dict(), 512, {"ks.lane": 4, "xs.lane": 3}),
    (dict(order=XK), 512, {"ks.lane": 4, "xs.lane": 3}),
    (dict(order=XK, xs=6), 512, {"ks.lane": 4, "xs.lane": 3}),
    (dict(order=XK, xs=6, x=12), 256, {"ks.lane": 4, "xs.lane": 2}),
    (dict(k=3, ks=3), 256, {"ks.lane": 3}),
    (dict(k=3, ks=3, xs=2), 256, {"ks.lane": 3, "xs.lane": 2}),
    (dict(k=8), 512, {"ks.lane": 4}),  # there are further filters behind those of the lanes
    (dict(x=7), 512, {"ks.lane": 4}),  # the last lanes of x have no words
    (dict(x=7, xs=6), 512, {"ks.lane": 4}),  # nor here, of other lanes
    (dict(x=9, xs=6), 512, {"ks.lane": 4, "xs.lane": 3}),  # all lanes that are taken together have words, or none
    (dict(x=10, xs=6, order=XK), 256, {"ks.lane": 4, "xs.lane": 2}),
    (dict(order=XK, xs=6, x=12, sums=KEPT), 256, {"ks.lane": 4}),  # sums come back
]


@pytest.mark.parametrize(("sizes", "bits", "lanes"), CASES)
def test_the_lanes_that_follow_each_other_leave_together(sizes, bits, lanes):
    write = hl.compile(design(**sizes), port_bits=bits).accelerator.stages[-1].write
    assert dict(write.together) == lanes and sorted(write.drained) == list(range(write.lanes))


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_their_words_are_right_and_their_cycles_the_models(every):
    """Each with a memory that always answers, and with stalls, a second start and an abort; or every third one with
    one of both."""
    designs = []
    for number, (sizes, bits, _) in enumerate(CASES if every else CASES[::3]):
        options = Options(shared_port_bits=bits) if number % 2 else Options(port_bits=bits)
        free = Design(design(**sizes), replace(options, counters="all"), Memory())
        both = [free, replace(free, memory=Memory(5, stall_probability=0.3), starts=2, abort=20)]
        designs += both if every else [both[number // 2 % 2]]
    check_each(designs)


def test_lanes_of_two_loops_of_one_dimension():
    """The outer one goes on where the inner one ends."""
    x, xo, xi, xa, xb = map(hl.Var, ("x", "xo", "xi", "xa", "xb"))
    f, a = hl.Func("f"), hl.ImageParam(hl.Int(8), 1, "a")
    f[x] = hl.i16(a[x]) + 1
    f.bound(x, 0, 24).split(x, xo, xi, 8).split(xi, xa, xb, 2).dataflow("xa | xb", 4, 2)
    write = hl.compile(f, port_bits=128).accelerator.stages[-1].write
    assert write.together == (("xb.lane", 2), ("xa.lane", 4))
    check_each([Design(f, Options(port_bits=128), Memory())])
