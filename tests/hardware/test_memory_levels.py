"""Shared memories: one half or two, several levels, tiles beyond the edge of the tensor."""

from __future__ import annotations

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, Var, estimate, i32, symbolic
from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.design import design_of
from halidehw.frontend.pipeline import inputs_of
from halidehw.frontend.text import parse, write
from halidehw.frontend.wrapper import Wrapped
from halidehw.ir.printer import loop_nest
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

x, y, k, xo, xi, yo, yi = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi"))
STALLS = Memory(latency=6, stall_probability=0.3)


def convolution(boundary: str) -> Func:
    """Ragged tiles of 4 x 3 of an 11 x 7 image with one pixel of padding; three tiles in each direction."""
    r = RDom([(-1, 3), (-1, 3)])
    a, w, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 3, "w"), Func("f")
    ranges = [(0, 11), (0, 7)]
    edge = BoundaryConditions.repeat_edge(a, ranges)
    padded = edge if boundary == "repeat_edge" else BoundaryConditions.constant_exterior(a, -128, ranges)
    f[x, y, k] += i32(padded[x + r.x, y + r.y]) * i32(w[r.x + 1, r.y + 1, k])
    stage = f.set_bounds([(0, 11), (0, 7), (0, 3)]).update()
    stage.split(x, xo, xi, 4).split(y, yo, yi, 3).reorder(r.x, r.y, xi, yi, k, xo, yo).unroll(xi, 2)
    return f


def levels(tensor: Wrapped, f: Func, places: list[Var], halves: tuple[int, ...]) -> None:
    """Buffers at `places`, outermost first."""
    for place, half in zip(places, halves, strict=True):
        tensor = tensor.in_().compute_at(f, place)
        if half == 1:
            tensor.single_buffer()


BOUNDARIES = ("repeat_edge", "constant_exterior")


def test_two_levels():
    """Each level of each of the two with one part and with two."""
    pairs = zip(BOUNDARIES, (((1, 2), (2, 1)), ((1, 1), (2, 2))), strict=True)
    check_each([two_levels(boundary, halves) for boundary, both in pairs for halves in both])


def two_levels(boundary: str, halves: tuple[int, ...]) -> Design:
    f = convolution(boundary)
    a, w = f.sources[0].sources[0], f.sources[1]
    levels(a, f, [yo, xo], halves)
    levels(w, f, [yo, k], halves[::-1])
    memories = [memory for memory in derive(Design(f).nest).memories if memory.tensor == "a" and not memory.implicit]
    assert tuple(memory.halves for memory in reversed(memories)) == halves
    return Design(f, memory=STALLS, starts=2, options=Options(port_bits=32))


def test_three_levels_at_the_extremes():
    """The outermost one has no more words than it must: tiles of 4 are 12 + 2 wide, but for the image's edge."""
    funcs = [convolution(boundary) for boundary in BOUNDARIES]
    for f in funcs:
        levels(f.sources[0].sources[0], f, [yo, xo, k], (2, 1, 2))
        inputs_of(f)[0].in_().capacity(13 * 5)
        assert Design(f).accelerator.store["a_in"].words == 13 * 5
    fills = ("least", "greatest")
    check_each([Design(f, memory=STALLS, fill=fill, reset=50, abort=50) for f in funcs for fill in fills])


def test_one_half_waits_for_its_reader():
    """Loading and computing take turns: the time is their sum, not the longer one."""
    designs = []
    for halves in (1, 2):
        f = convolution("repeat_edge")
        levels(f.sources[0].sources[0], f, [xo], (halves,))
        designs.append(Design(f))
    one, two = check_each(designs)
    assert one.cycles > two.cycles


def whole(inner: bool, boundary: str = "repeat_edge") -> Func:
    """Both inputs copied as a whole before the loops; tiles of `a` from its copy."""
    f = convolution(boundary)
    a, w = inputs_of(f)
    w.in_().compute_root()
    copied = a.in_().compute_root()
    if inner:
        copied.in_().compute_at(f, xo)
    return f.accelerate([a, w])


def test_copies_outside_all_loops():
    designs = []
    for boundary, bits in zip(BOUNDARIES, (0, 32), strict=True):
        alone, both = (whole(inner=inner, boundary=boundary) for inner in (False, True))
        designs += [
            Design(alone, Options(counters="all")),
            Design(both, Options(bits), STALLS, starts=2),
            Design(both, Options(bits), STALLS, reset=40, abort=40),
        ]
    runs = check_each(designs)
    assert [run.counters["w_words"] for run in runs[::3]] == [27, 27]


def test_a_copy_outside_all_loops_has_one_half_and_is_filled_once():
    nest = lower(whole(inner=True))
    buffers = {buffer.name: buffer for buffer in nest.buffers}
    assert (buffers["w_in"].at, buffers["w_in"].halves, buffers["w_in"].extents) == (None, 1, (3, 3, 3))
    assert buffers["a_in_in"].at == "xo" and buffers["a_in_in"].halves == 2
    assert "fill w_in from w at (0, 0, 0) once" in loop_nest(nest)
    assert "w.in_().compute_root()" in nest.schedule


def test_copies_outside_all_loops_are_counted_in_symbols():
    f = whole(inner=False)
    assert symbolic(f, "xi").evaluate({"xi": [4]}).words["w_words"].tolist() == [27]
    assert estimate(f).count("w_words") == 27


def test_copies_outside_all_loops_as_text():
    text = write(design_of(whole(inner=True)))
    assert "w.in().compute_root();" in text and "a.in().compute_root();" in text
    assert loop_nest(lower(parse(text).output)) == loop_nest(lower(whole(inner=True)))


@pytest.mark.parametrize(
    ("change", "message", "legal"),
    [
        (
            lambda f, a: a.in_().compute_root().compute_at(f, xo),
            "a.in_().compute_at(f, xo): it has its place already, by a.in_().compute_root(); remove one of the lines, "
            "or place a.in_().in_()",
            (),
        ),
        (
            lambda f, a: a.in_().compute_at(f, xo).compute_root(),
            "a.in_().compute_root(): it has its place already, by the schedule of f; remove one of the lines",
            (),
        ),
        (
            lambda f, a: a.in_().compute_root().capacity(9).capacity(8),
            "a.in_().capacity(8): it has its capacity already, by a.in_().capacity(9); remove one of the lines",
            (),
        ),
        (
            lambda f, a: (a.in_().compute_at(f, xi), a.in_().in_().compute_root(), lower(f)),
            "a.in_().in_().compute_root(): it is filled from a.in_(), which lies at loop xi, so it must lie at a loop "
            "inside that",
            ("a.in_().in_().compute_at(f, r.y)", "a.in_().in_().compute_at(f, r.x)"),
        ),
    ],
)
def test_a_copy_that_cannot_be_outside_all_loops(change, message, legal):
    f = convolution("repeat_edge")
    with pytest.raises(ScheduleError) as caught:
        change(f, inputs_of(f)[0])
    assert (caught.value.message, caught.value.legal) == (message, legal)


def test_a_copy_outside_all_loops_that_is_too_large():
    f = convolution("repeat_edge")
    inputs_of(f)[0].in_().compute_root().capacity(20)
    with pytest.raises(HardwareError) as caught:
        lower(f)
    assert caught.value.message == "a.in_().capacity(20): a_in needs 117 words (13 x 9), has 20"
    assert caught.value.legal == ("a.in_().compute_at(f, yi)", "a.in_().capacity(117)")


def sums_outside(order: str, inner: str | None) -> Func:
    x, y, *loops = map(Var, ("x", "y", "xo", "xi", "yo", "yi", "ro", "ri"))
    xo, xi, yo, yi, ro, ri = loops
    r = RDom([(0, 30)], "r")
    a, b, c = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("c")
    c[x, y] += i32(a[r.x, y]) * i32(b[x, r.x])
    c.bound(x, 0, 21).bound(y, 0, 10)
    named = {loop.name: loop for loop in loops}
    c.update().split(x, xo, xi, 4).split(y, yo, yi, 3).split(r.x, ro, ri, 7)
    c.update().reorder(*(named[name] for name in order.split())).dataflow("xi | yi", 4, 4).systolic(xi, yi)
    c.in_().compute_root()
    if inner:
        c.in_().in_().compute_at(c, named[inner])
    return c.accelerate([a, b])


@pytest.mark.soak
def test_sums_outside_all_loops():
    """The whole output is held on chip, with a level of sums further in or without one."""
    memory, orders = Memory(latency=3, words_per_cycle=0.7), ("ri xi yi xo yo ro", "ri xi yi ro xo yo")
    funcs = [sums_outside(order, inner) for order in orders for inner in (None, "xo", "yo")]
    for run in check_each([Design(f, memory=memory) for f in funcs]):
        assert run.counters["c_words"] == 210 and "c_partial_words" not in run.counters
