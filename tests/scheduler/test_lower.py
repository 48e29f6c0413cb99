
import numpy as np
import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, UInt, Var, cast, i32, max, reference
from halidehw.ir.affine import Affine
from halidehw.ir.interpreter import interpret
from halidehw.ir.nest import Access, Accumulated, Boundary, Constraint
from halidehw.ir.printer import buffers_json, loop_nest, loops_json
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower
from tests.scheduler.examples import convolution, k, product, worked_example, x, xi, xo, y


def by_name(nest):
    return {loop.name: loop for loop in nest.loops}


def agrees(func, seed=0):
    """Whether interpreter and reference give the same bits."""
    nest = lower(func)
    rng = np.random.default_rng(seed)
    buffers = {}
    for tensor in nest.inputs:
        image = next(source for source in sources(func) if source.name == tensor.name)
        for dimension, pair in enumerate(zip(tensor.mins, tensor.extents, strict=True)):
            image.dim(dimension).set_bounds(*pair)
        kind = tensor.type
        array = rng.integers(kind.min, kind.max, tensor.extents[::-1], np.int64, endpoint=True)
        buffers[tensor.name] = array.astype(kind.dtype)
    return np.array_equal(interpret(nest, buffers), reference(func, buffers))


def sources(func):
    for source in func.sources:
        yield from [source] if isinstance(source, ImageParam) else sources(source)


def test_worked_example():
    nest = lower(worked_example())
    loops = loops_json(nest)
    assert [loop["name"] for loop in loops] == ["k", "yo", "xo", "yi", "xi", "r.z", "r.y", "r.x"]
    assert [loop["extent"] for loop in loops] == [64, 2, 2, 8, 8, 3, 5, 5]
    assert [loop["min"] for loop in loops] == [0, 0, 0, 0, 0, 0, -2, -2]
    assert [loop["kind"] for loop in loops] == ["temporal"] * 4 + ["spatial"] + ["temporal"] * 3
    assert (loops[4]["lanes"], loops[4]["systolic"], loops[4]["dimension"]) == (4, True, 0)
    assert [(b["name"], b["extents"], b["words"]) for b in buffers_json(nest)] == [
        ("input_in", [12, 12, 3], 432),
        ("w_in", [5, 5, 3, 1], 75),
    ]
    assert all(buffer["double"] and not buffer["per_pe"] for buffer in buffers_json(nest))
    assert [(t.mins, t.extents) for t in nest.inputs] == [((-2, -2, 0), (20, 20, 3)), ((-2, -2, 0, 0), (5, 5, 3, 64))]
    assert (nest.combine, nest.init, nest.epilogue, nest.domain) == ("add", 0, None, ())


def test_split_that_does_not_divide_adds_the_constraint_that_clips_it():
    nest = lower(worked_example((17, 13, 2)))
    assert nest.domain == (Constraint((("xi", 1), ("xo", 8)), 16), Constraint((("yi", 1), ("yo", 8)), 12))
    assert (by_name(nest)["xo"].extent, by_name(nest)["yo"].extent) == (3, 2)
    assert agrees(worked_example((17, 13, 2)))


def test_split_of_a_split_clips_both():
    f = product(n=17)
    f.update().split(x, xo, xi, 8).split(xi, "a", "b", 3)
    assert lower(f).domain == (
        Constraint((("a", 3), ("b", 1), ("xo", 8)), 16),
        Constraint((("a", 3), ("b", 1)), 7),
    )
    assert agrees(f)


def test_split_as_long_as_the_loop():
    f = product(n=5)
    f.update().split(x, xo, xi, 5)
    assert [(by_name(lower(f))[name].extent) for name in ("xo", "xi")] == [1, 5]


def test_a_split_is_at_most_its_loop_where_its_extent_is_known_late():
    f = Func("f")
    f[x] = i32(ImageParam(Int(8), 1, "a")[x])
    f.split(x, xo, xi, 8)
    nest = lower(f.bound(x, 0, 5))
    assert [(loop.name, loop.extent) for loop in nest.loops] == [("xo", 1), ("xi", 5)]
    assert nest.notes[0].message == "split(x, xo, xi, 8): x has 5 iterations, all of them in xi"
    assert nest.notes[0].source is not None and nest.notes[0].source.text == "f.split(x, xo, xi, 8)"


def test_loops_keep_their_mins_and_splits_start_from_zero():
    f = product()
    g = Func("g")
    g[x, y] = i32(f.sources[0][x, y]) + x
    g.bound(x, -3, 6).bound(y, 2, 2).split(x, xo, xi, 2)
    nest = lower(g)
    assert [(loop.name, loop.min) for loop in nest.loops] == [("y", 2), ("xo", 0), ("xi", 0)]
    assert str(nest.write.indices[0]) == "xi + 2*xo - 3"
    assert agrees(g)


def test_fused_loop_is_its_parts():
    f = product()
    f.update().fuse(x, y, "xy")
    nest = lower(f)
    assert [(loop.name, loop.fused) for loop in nest.loops] == [("y", "xy"), ("x", "xy"), ("r.x", None)]
    assert agrees(f)


@pytest.mark.parametrize(
    ("factor", "extents"),
    [(3, {"y": 4, "xo": 2, "in": 3}), (6, {"out": 4, "in": 6}), (12, {"out": 2, "yi": 2, "x": 6})],
)
def test_split_of_a_fused_loop(factor, extents):
    f = product()
    f.update().fuse(x, y, "xy").split("xy", "out", "in", factor)
    loops = by_name(lower(f))
    assert {name: loops[name].extent for name in loops if name != "r.x"} == extents
    assert agrees(f)


def test_fused_loop_unrolled_whole_replicates_on_one_dimension():
    f = product(m=3, n=2)
    f.update().fuse(x, y, "xy").unroll("xy")
    loops = by_name(lower(f))
    assert [(loops[n].lanes, loops[n].dimension, loops[n].distance) for n in "yx"] == [(3, 0, 2), (2, 0, 1)]


def test_dimensions_go_from_the_outermost_unrolled_loop_inwards():
    f = convolution((4, 4, 4))
    f.update().unroll(k, 2).unroll(y, 2).unroll(x, 3)
    loops = by_name(lower(f))
    assert [(loops[n].dimension, loops[n].distance) for n in "kyx"] == [(0, 1), (1, 3), (1, 1)]


def test_dataflow_names_dimensions_and_the_left_is_nearest():
    f = convolution((4, 4, 4))
    f.update().dataflow("x y | k", rows=16, cols=2)
    loops = by_name(lower(f))
    assert [(loops[n].lanes, loops[n].dimension, loops[n].distance) for n in "xyk"] == [(4, 0, 1), (4, 0, 4), (2, 1, 1)]


def test_buffer_inside_lanes_is_one_per_pe_and_holds_one_lane():
    f = product()
    b = f.sources[1]
    f.update().unroll(x, 2)
    b.in_().compute_at(f, y)
    b.in_().in_().compute_at(f, x)
    nest = lower(f)
    assert [(each.name, each.extents, each.per_pe) for each in nest.buffers] == [
        ("b_in", (6, 5), False),
        ("b_in_in", (1, 5), True),
    ]
    assert agrees(f)


def test_single_buffer_has_one_half():
    f = product()
    f.sources[0].in_().compute_at(f, y).single_buffer()
    assert lower(f).buffers[0].halves == 1


def test_pure_funcs_are_written_out():
    a = ImageParam(Int(8), 1, "a")
    g, h = Func("g"), Func("h")
    g[x] = i32(a[x]) * 3
    h[y] = g[y + 1] - g[y]
    h.bound(y, 0, 5)
    nest = lower(h)
    assert (nest.combine, [str(read.indices[0]) for read in nest.reads]) == (None, ["y + 1", "y"])
    assert agrees(h)


def test_equal_reads_are_one():
    a = ImageParam(Int(8), 1, "a")
    f = Func("f")
    f[x] = i32(a[x]) * i32(a[x])
    assert len(lower(f.bound(x, 0, 4)).reads) == 1


def test_bias_is_combined_at_write_back():
    f = product()
    bias = ImageParam(Int(32), 1, "bias")
    g, r = Func("g"), RDom([(0, 5)])
    g[x, y] = bias[x]
    g[x, y] += i32(f.sources[0][r, y]) * i32(f.sources[1][x, r])
    nest = lower(g.set_bounds([(0, 6), (0, 4)]))
    assert (nest.init, nest.reads[-1]) == (0, Access("bias", (Affine.variable("x"),)))
    assert nest.epilogue is not None
    assert agrees(g)


def test_maximum_starts_from_its_constant():
    a = ImageParam(Int(8), 1, "a")
    f, r = Func("f"), RDom([(0, 3)])
    f[x] = cast(Int(8), -5)
    f[x] = max(f[x], a[2 * x + r])
    nest = lower(f.bound(x, 0, 4))
    assert (nest.combine, nest.init, nest.inputs[0].extents) == ("max", -5, (9,))
    assert agrees(f)


def test_final_stage_under_other_names_is_fused_at_write_back():
    f = product()
    u, v = Var("u"), Var("v")
    g = Func("g")
    g[v, u] = cast(UInt(8), max(f[u, v], 0) >> 2)
    g.set_bounds([(0, 4), (0, 6)])
    f.update().split(x, xo, xi, 4)
    nest = lower(g)
    assert nest.output.extents == (4, 6)
    assert [str(index) for index in nest.write.indices] == ["y", "xi + 4*xo"]
    assert isinstance(nest.epilogue.a.a.a, Accumulated)
    assert agrees(g)


def test_subtraction_adds_the_negative():
    a = ImageParam(Int(8), 1, "a")
    f, r = Func("f"), RDom([(0, 3)])
    f[x] -= i32(a[x + r])
    assert lower(f.bound(x, 0, 4)).combine == "add"
    assert agrees(f)


def test_boundary_condition_is_the_tensors_own():
    a = ImageParam(Int(8), 1, "a")
    padded = BoundaryConditions.constant_exterior(a, 7, [(0, 6)])
    f, r = Func("f"), RDom([(-2, 5)])
    f[x] += i32(padded[x + r])
    padded.in_().compute_at(f.bound(x, 0, 6), x)
    nest = lower(f)
    assert nest.inputs[0].boundary == Boundary("constant_exterior", 7)
    assert (nest.inputs[0].mins, nest.inputs[0].extents) == ((0,), (6,))
    assert agrees(f)


def test_bounds_may_be_given_at_lowering():
    a = ImageParam(Int(8), 1, "a")
    f = Func("f")
    f[x] = a[x]
    assert lower(f, {"x": (2, 3)}).loops[0].min == 2


def test_clamp_that_never_clamps_is_seen_through():
    a = ImageParam(Int(8), 1, "a")
    f = Func("f")
    f[x] = a[max(x, 0)]
    assert str(lower(f.bound(x, 0, 4)).reads[0].indices[0]) == "x"


def test_schedule_is_kept_as_code():
    assert lower(worked_example()).schedule[:2] == (
        "output.update().split(x, xo, xi, 8)",
        "output.update().split(y, yo, yi, 8)",
    )


def test_buffer_does_not_take_a_tensors_name():
    a, other = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "a_in")
    f = Func("f")
    f[x] = a[x] + other[x]
    a.in_().compute_at(f.bound(x, 0, 4), x)
    assert lower(f).buffers[0].name == "a_in_"
    assert agrees(f)


def test_tensor_without_dimensions():
    scale, a = ImageParam(Int(8), 0, "scale"), ImageParam(Int(8), 1, "a")
    f = Func("f")
    f[x] = a[x] * scale[()]
    scale.in_().compute_at(f.bound(x, 0, 4), x)
    assert buffers_json(lower(f))[0]["words"] == 1
    assert agrees(f)


def test_reference_and_interpreter_agree_on_the_whole_example():
    assert agrees(worked_example((16, 16, 8)))


def test_words_that_a_stride_passes_over_are_not_held():
    """The buffers of `show` once counted them, though neither the hardware nor a capacity does."""
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = a[2 * x]
    f.bound(x, 0, 32).split(x, xo, xi, 8)
    a.in_().compute_at(f, xo)
    nest = lower(f)
    (shown,) = buffers_json(nest)
    assert (shown["extents"], shown["words"]) == ([15], 8)
    assert derive(nest).output.memory("a_in").words == 8
    assert "allocate a_in[15] with room for 8 words (double)" in loop_nest(nest)


def test_points_that_fall_away_with_growing_indices_are_left_out_by_counters():
    """As far as the first point, whatever it is, is among those that stay."""
    a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(2, 6), (1, 6)], "r")
    r.where(r.x + r.y < 8)
    f[x] += i32(a[x + r.x, r.y])
    (constraint,) = lower(f.bound(x, 0, 3)).domain
    assert (dict(constraint.terms), constraint.limit) == ({"r.x": 1, "r.y": 1}, 4)


def test_an_index_that_is_wider_on_its_way():
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = a[i32(cast(Int(40), x) + 1)]
    assert lower(f.bound(x, 0, 4)).reads == (Access("a", (Affine.variable("x") + 1,)),)
