from copy import copy

import pytest

from halidehw import Func, Var
from halidehw.errors import ScheduleError, SourceLine
from halidehw.expr.expr import as_expr
from halidehw.frontend.schedule import (
    Accelerate,
    Bound,
    ComputeAt,
    ComputeRoot,
    Dataflow,
    Fuse,
    LoopName,
    LoopNames,
    Reorder,
    RingBuffer,
    SingleBuffer,
    Split,
    StoreAt,
    StoreRoot,
    Systolic,
    Tile,
    Unroll,
    apply,
    from_dict,
    to_dict,
)

ORDER = [("k", False, 64), ("y", False, None), ("x", False, 17), ("r.y", True, 5), ("r.x", True, 3)]
LOOPS = LoopNames("f.update()", tuple(LoopName(*each) for each in ORDER))


def after(*directives):
    loops = LOOPS
    for directive in directives:
        loops = apply(loops, directive)
    return loops


def test_split_knows_the_extents_it_makes():
    loops = after(Split("x", "xo", "xi", 8))
    assert loops.names == ("k", "y", "xo", "xi", "r.y", "r.x")
    assert (loops["xo"].extent, loops["xi"].extent) == (3, 8)
    assert loops.derived == (Split("x", "xo", "xi", 8),)


def test_split_may_use_the_old_name_again():
    assert after(Split("x", "x", "xi", 8)).names == ("k", "y", "x", "xi", "r.y", "r.x")


def test_split_of_a_loop_of_unknown_extent():
    loops = after(Split("y", "yo", "yi", 4))
    assert (loops["yo"].extent, loops["yi"].extent) == (None, 4)


def test_fuse():
    loops = after(Fuse("r.x", "r.y", "taps"))
    assert loops.names == ("k", "y", "x", "taps")
    assert loops["taps"] == LoopName("taps", True, 15)


def test_reorder_permutes_the_named_loops_among_their_places():
    assert after(Reorder(("k", "x"))).names == ("x", "y", "k", "r.y", "r.x")
    assert after(Reorder(("r.y", "x", "r.x"))).names == ("k", "y", "r.x", "x", "r.y")


def test_tile_is_two_splits_and_a_reorder():
    loops = after(Tile("x", "y", "xo", "yo", "xi", "yi", 8, 4))
    assert loops.names == ("k", "yo", "xo", "yi", "xi", "r.y", "r.x")


def test_unroll_and_systolic_mark_the_loop():
    loops = after(Unroll("k", 4), Unroll("r.x"), Systolic(("k",)))
    assert loops["k"] == LoopName("k", False, 64, lanes=4, systolic=True)
    assert loops["r.x"].lanes == 3


def test_dataflow_assigns_loops_to_dimensions():
    loops = after(Dataflow("r.y | k", rows=4, cols=16))
    assert [(loop.name, loop.lanes, loop.dimension) for loop in loops.loops if loop.lanes] == [
        ("k", 16, 1),
        ("r.y", 4, 0),
    ]


def test_dataflow_replicates_what_fits():
    loops = after(Dataflow("RX X", rows=16))
    assert (loops["r.x"].lanes, loops["x"].lanes) == (3, 5)


@pytest.mark.parametrize(
    "given, message, legal",
    [
        ([Split("q", "a", "b", 2)], "split(q, a, b, 2): q is not a loop of f.update(); its loops, outer to inner, are "
         "k, y, x, r.y, r.x", "split(x, a, b, 2)"),
        ([Split("x", "xo", "xi", 0)], "split(x, xo, xi, 0): the factor 0 is not a positive number of iterations",
         "split(x, xo, xi, 8)"),
        ([Split("x", "xo", "xi", -3)], "the factor -3 is not a positive", "split(x, xo, xi, 8)"),
        ([Split("x", "y", "xi", 4)], "split(x, y, xi, 4): y is already a loop of f.update()",
         "split(x, y2, xi, 4)"),
        ([Split("x", "a", "a", 4)], "both new loops are named a", "split(x, xo, xi, 4)"),
        ([Unroll("x", 2), Split("x", "a", "b", 4)], "loop x is already unrolled by 2; unroll comes last",
         "split(x, a, b, 4).unroll(b, 2)"),
        ([Fuse("x", "k", "kx")], "fuse(x, k, kx): x does not lie directly inside k in k, y, x, r.y, r.x",
         "fuse(x, y, kx)"),
        ([Fuse("r.y", "x", "t")], "one of the two is a reduction loop and the other is not",
         "fuse(r.x, r.y, t)"),
        ([Reorder(("x", "y", "x"))], "reorder(x, y, x): x is named twice", "reorder(y, x)"),
        ([Reorder(("x", "q"))], "reorder(x, q): q is not a loop of f.update()", "reorder(x, k)"),
        ([Fuse("q", "y", "t")], "q is not a loop of f.update()", "fuse(x, y, t)"),
        ([Unroll("q")], "q is not a loop of f.update()", "unroll(x)"),
        ([Tile("p", "q", "xo", "yo", "xi", "yi", 2, 2)], "p is not a loop of f.update(); its loops, outer to inner, "
         "are k, y, x, r.y, r.x; remove the line", None),
        ([Unroll("y")], "unroll(y): the extent of y is not a constant", "unroll(y, 4)"),
        ([Unroll("x", 0)], "0 is not a number of iterations", "unroll(x, 4)"),
        ([Unroll("x", 2), Unroll("x", 3)], "loop x is already unrolled by 2", None),
        ([Systolic(("x",))], "systolic(x): x is not unrolled, so it has no PEs", "unroll(x, 4).systolic(x)"),
        ([Unroll("x", 2), Systolic(())], "systolic(): no loop is named", "systolic(x)"),
        ([Dataflow("x | y | k")], "it should name loops for one dimension, or for two", None),
        ([Dataflow("x | q")], "q names no loop; the loops, outer to inner, are k, y, x, r.y, r.x", None),
        ([Dataflow("x x | y", 4, 4)], "it names x twice", 'dataflow("x | y", rows=4, cols=4)'),
        ([Dataflow("x | x", 4, 4)], "it names x twice", 'dataflow("x", rows=4)'),
        ([Dataflow("y")], 'dataflow("y"): the extent of y is not a constant', 'dataflow("y", rows=16)'),
        ([Dataflow("r.x | r.y", 0, 4)], "0 is not a positive number of PEs", 'dataflow("r.x | r.y", rows=16, cols=16)'),
        ([Dataflow("r.x", cols=4)], "the array has one dimension, so it has no cols", 'dataflow("r.x", rows=4)'),
        ([Dataflow("r.x | x", cols=4)], "cols without rows", 'dataflow("r.x | x", rows=4, cols=4)'),
    ],
)  # fmt: skip
def test_directives_that_are_not_legal(given, message, legal):
    *before, last = given
    loops = after(*before)
    with pytest.raises(ScheduleError) as caught:
        apply(loops, last)
    assert message in caught.value.message
    assert legal is None or legal in caught.value.legal


@pytest.mark.parametrize(
    "given, said",
    [
        ([Reorder(("x", "y"))], "reorder(x, y): the loops, outer to inner, are k, y, x, r.y, r.x already"),
        ([Reorder(("x",))], "reorder(x): the loops, outer to inner, are"),
        ([Unroll("x", 2), Unroll("x", 2)], "unroll(x, 2): x is unrolled by 2 already"),
        ([Unroll("x", 1)], "unroll(x, 1): x stays in time"),
        ([Split("x", "xo", "xi", 17), Unroll("xo")], "unroll(xo): xo stays in time"),
        ([Unroll("x", 2), Systolic(("x",)), Systolic(("x",))], "systolic(x): x is systolic already"),
        ([Unroll("x", 1), Systolic(("x",))], "systolic(x): x has one lane, which passes nothing on"),
        ([Dataflow("r.x x", rows=4)], "x stays in time: of 4 PEs, r.x 3 = 3 are taken"),
        ([Dataflow("r.x", rows=1)], "r.x stays in time: there is 1 PE"),
        ([Split("x", "xo", "xi", 17), Dataflow("xo | k", 4, 4)], "xo stays in time: it has 1 iteration"),
    ],
    ids=str,
)
def test_directives_that_state_what_holds(given, said):
    assert said in after(*given).notes[-1].message


@pytest.mark.parametrize("factor", [17, 18, 99])
def test_a_split_is_at_most_its_loop(factor):
    loops = after(Split("x", "xo", "xi", factor), Unroll("xi", 20))
    assert (loops["xo"].extent, loops["xi"].extent, loops["xi"].lanes) == (1, 17, 17)


def test_the_error_shows_the_line_of_the_directive():
    line = SourceLine("design.hh", 3, "f.split(x, xo, xi, 0);")
    with pytest.raises(ScheduleError, match=r"at design.hh:3\n    f.split\(x, xo, xi, 0\);"):
        apply(LOOPS, Split("x", "xo", "xi", 0, source=line))


ALL = [
    (Split("x", "xo", "xi", 8), "split(x, xo, xi, 8)"),
    (Fuse("x", "y", "xy"), "fuse(x, y, xy)"),
    (Reorder(("x", "y")), "reorder(x, y)"),
    (Tile("x", "y", "xo", "yo", "xi", "yi", 8, 4), "tile(x, y, xo, yo, xi, yi, 8, 4)"),
    (Unroll("x"), "unroll(x)"),
    (Unroll("x", 4), "unroll(x, 4)"),
    (Systolic(("x", "y")), "systolic(x, y)"),
    (Dataflow("x | y", rows=4, cols=8), 'dataflow("x | y", rows=4, cols=8)'),
    (Bound("x", -1, 16), "bound(x, -1, 16)"),
    (ComputeAt("input", 2, "f", "xo"), "input.in_().in_().compute_at(f, xo)"),
    (StoreAt("g", 0, "f", "y"), "g.store_at(f, y)"),
    (StoreRoot("g", 1), "g.in_().store_root()"),
    (ComputeRoot("g", 0), "g.compute_root()"),
    (RingBuffer("input", 1, 3), "input.in_().ring_buffer(3)"),
    (SingleBuffer("input", 1), "input.in_().single_buffer()"),
    (Accelerate(("input", "w")), "accelerate([input, w])"),
]


@pytest.mark.parametrize("directive, text", ALL)
def test_directives_are_values_that_print_and_serialise(directive, text):
    assert str(directive) == text
    assert from_dict(to_dict(directive)) == directive


def test_data_that_is_no_directive():
    with pytest.raises(ScheduleError, match="'Blend' is not a directive"):
        from_dict({"directive": "Blend"})
    with pytest.raises(ScheduleError, match="Unroll has no times; it has var, factor"):
        from_dict({"directive": "Unroll", "var": "x", "times": 3})


def test_the_loops_of_a_stage_follow_its_directives_and_bounds_whatever_was_asked_before():
    x, y, xo, xi = Var("x"), Var("y"), Var("xo"), Var("xi")
    f = Func("f")
    f[x, y] = as_expr(x + y)
    f.split(x, xo, xi, 8)
    stage = f.stages[0]
    assert stage.loops.names == ("y", "xo", "xi") and stage.loops["xo"].extent is None
    f.bound(x, 0, 20)
    assert stage.loops["xo"].extent == 3
    other = copy(stage)
    other.directives = [Split("x", "xo", "xi", 4), Reorder(("y", "xo"))]
    assert (other.loops.names, other.loops["xo"].extent) == (("xo", "y", "xi"), 5)
    assert (stage.loops.names, stage.loops["xo"].extent) == (("y", "xo", "xi"), 3)
    with pytest.raises(ScheduleError):
        f.split(x, xo, xi, 2)
    assert stage.loops.names == ("y", "xo", "xi")
