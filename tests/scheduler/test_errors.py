"""One test for each message."""

import re

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, UInt, Var, cast, i32, max, sum
from halidehw.errors import AlgorithmError, BoundsError, HardwareError, ScheduleError
from halidehw.scheduler import lower
from tests.scheduler.examples import convolution, product, worked_example, x, xi, xo, y, yi, yo

a, b = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "b")
r = RDom([(0, 3)])


def fails(kind, func, message, legal=None):
    """Lowering raises `kind` with a message that begins so, and this among what would work."""
    with pytest.raises(kind, match="^" + re.escape(message)) as caught:
        lower(func)
    assert caught.value.source is not None
    if legal is not None:
        assert legal in caught.value.legal


def summed(**bound):
    f = Func("f")
    f[x] += i32(a[x + r])
    return f.bound(x, *bound.get("x", (0, 6)))


def reduction_of(func):
    return func.stages[1].definition.domain.vars[0]


def test_undefined():
    fails(AlgorithmError, Func("f"), "f is never defined", "f[x, y] = ...")


def test_use_of_an_undefined_func():
    f, g = Func("f"), Func(Int(8), 1, "g")
    with pytest.raises(AlgorithmError, match="g is used"):
        f[x] = g[x]


def test_unknown_extent():
    f = Func("f")
    f[x] = a[x]
    fails(BoundsError, f, "the extent of x of f is not known", "f.bound(x, 0, 16)")


def test_bounds_of_both_stages_differ():
    f, g = summed(), Func("g")
    g[x] = f[x] + 1
    fails(BoundsError, g.bound(x, 0, 7), "x of g has two bounds: (min, extent) (0, 7) and (0, 6)", "g.bound(x, 0, 7)")


def test_scatter():
    f = Func("f")
    f[x] = 0
    f[r] += i32(a[r])
    message = "f is updated where x is r.x, which can be 0 .. 2, but is computed for 0 .. 1"
    fails(BoundsError, f.bound(x, 0, 2), message, "f.bound(x, 0, 3)")


def test_scatter_side_by_side():
    f = Func("f")
    f[x] = 0
    f[r] += i32(a[r])
    f.update().unroll(r)
    legal = "f[x] += select(r.x == x, cast(Int(32), a(r.x)), 0)"
    fails(HardwareError, f.bound(x, 0, 5), "r.x has 3 lanes, which could update the same element of f in one", legal)


def test_scatter_among_too_many():
    f = Func("f")
    f[x] = 0
    f[i32(cast(UInt(16), a[r]))] += 1
    fails(HardwareError, f.bound(x, 0, 1 << 16), "f is updated at 65536 places; its accumulators hold at most 4096")


def test_scatter_inside_a_loop():
    f = Func("f")
    f[x, y] = 0
    f[x, i32(a[r]) & 3] += 1
    f.update().reorder(x, r)
    fails(HardwareError, f.bound(x, 0, 3).bound(y, 0, 4), "f is updated at data: its variables that are loops must lie")


def test_not_associative():
    f = Func("f")
    f[x] = 0
    f[x] = f[x] * 2 + a[x + r]
    fails(HardwareError, f.bound(x, 0, 3), "the update of f is not f[x] combined", "f[x] += ...")


def test_combined_with_itself():
    f = Func("f")
    f[x] = 1
    f[x] += f[x] * a[x + r]
    fails(HardwareError, f.bound(x, 0, 3), "the update of f is not f[x] combined")


def test_reduction_of_a_reduction():
    f, g = summed(), Func("g")
    g[x] += f[x + r]
    fails(HardwareError, g.bound(x, 0, 2), "g reads f, which is itself a reduction: a memory would lie between")


def test_stencil_over_a_reduction():
    f, g = summed(), Func("g")
    g[x] = f[x] + f[x + 1]
    fails(HardwareError, g.bound(x, 0, 2), "g reads f(x) and f((x + 1)): a memory would lie between")


def test_reduction_read_at_another_point():
    f, g = summed(), Func("g")
    g[x] = f[x + 1]
    fails(HardwareError, g.bound(x, 0, 2), "g[x] reads f((x + 1)): a memory would lie between")


def test_index_that_is_not_affine():
    f = Func("f")
    f[x, y] = a[x * y]
    fails(HardwareError, f.set_bounds([(0, 2), (0, 2)]), "the index (x * y) of a is not affine in the loops")


def test_clamped_index_names_the_boundary_condition():
    f = Func("f")
    f[x] = a[max(x - 2, 0)]
    legal = "BoundaryConditions.repeat_edge(a, [(0, 2)])[(x - 2)]"
    fails(HardwareError, f.bound(x, 0, 4), "the index max((x - 2), 0) of a is not affine", legal)


def test_index_that_is_read():
    f = Func("f")
    f[x] = a[i32(b[x]) * 1000]
    message = "the index (int32(b(x)) * 1000) of a can be -128000 .. 127000: a table is held whole, of at most 65536"
    fails(HardwareError, f.bound(x, 0, 4), message, "a[clamp((cast(Int(32), b(x)) * 1000), 0, 255)]")


def test_index_that_is_read_beyond_the_bounds_of_a_table():
    f, c = Func("f"), ImageParam(Int(8), 1, "c")
    c.dim(0).set_bounds(0, 16)
    f[x] = c[i32(b[x])]
    fails(BoundsError, f.bound(x, 0, 4), "c is read at dimension 0 in [-128, 127] but has [0, 15]")


def test_a_table_looked_up_at_an_inline_sum():
    f, r = Func("f"), RDom([(0, 3)], "r")
    f[x] = a[i32(cast(UInt(8), sum(r, i32(b[x + r.x]))))]
    fails(HardwareError, f.bound(x, 0, 4), "f looks a up as sums are written back; an array of its own does that",
          "f[x] = a[s[x]]")  # fmt: skip


def test_read_outside_bounds():
    image = ImageParam(Int(8), 1, "a")
    image.dim(0).set_bounds(0, 16)
    f = Func("f")
    f[x] += i32(image[x + RDom([(-2, 4)])])
    legal = "BoundaryConditions.constant_exterior(a, 0)"
    fails(BoundsError, f.bound(x, 0, 17), "a is read at dimension 0 in [-2, 17] but has [0, 15]", legal)


def test_boundary_condition_without_bounds():
    f = Func("f")
    f[x] = BoundaryConditions.repeat_edge(ImageParam(Int(8), 1, "a"))[x]
    fails(BoundsError, f.bound(x, 0, 4), "where repeat_edge(a) takes effect is not known", "a.dim(0).set_bounds(0, 16)")


def test_two_boundary_conditions():
    f = Func("f")
    f[x] = BoundaryConditions.repeat_edge(a, [(0, 4)])[x] + BoundaryConditions.constant_exterior(a, 1, [(0, 4)])[x]
    fails(HardwareError, f.bound(x, 0, 4), "a is read through two boundary conditions, repeat_edge(a) and")


def test_boundary_condition_smaller_than_its_input():
    image = ImageParam(Int(8), 1, "a")
    image.dim(0).set_bounds(0, 16)
    f = Func("f")
    f[x] = BoundaryConditions.repeat_edge(image, [(0, 4)])[x]
    fails(HardwareError, f.bound(x, 0, 4), "repeat_edge(a) begins and ends at (0, 4) in dimension 0, a at (0, 16)")


def test_boundary_condition_on_another_one():
    f, padded = Func("f"), BoundaryConditions.repeat_edge(a, [(0, 4)])
    f[x] = BoundaryConditions.mirror_image(padded, [(-1, 6)])[x]
    message = "f reads mirror_image_repeat_edge_a(x), a boundary condition on repeat_edge_a, another one: "
    fails(HardwareError, f.bound(x, 0, 4), message, "inner[x] = repeat_edge_a[x]")


def test_lanes_that_are_no_box_of_a_fused_loop():
    f = product()
    f.update().fuse(x, y, "xy").unroll("xy", 8)
    fails(ScheduleError, f, "unroll(xy, 8): xy is fused of loops of 4 x 6 iterations, and 8 lanes", "unroll(xy, 12)")


def test_split_that_is_no_box_of_a_fused_loop():
    f = product()
    f.update().fuse(x, y, "xy").split("xy", "o", "i", 4)
    fails(ScheduleError, f, "split(xy, o, i, 4): xy is fused of loops of 4 x 6", "split(xy, o, i, 3)")


def test_schedule_of_a_func_that_is_written_out():
    f, g = Func("f"), Func("g")
    g[x] = a[x]
    g.bound(x, 0, 8).split(x, xo, xi, 2)
    f[x] = g[x]
    fails(ScheduleError, f.bound(x, 0, 4), "g.split(x, xo, xi, 2): g is computed where it is used, so it has no loops")


def test_bound_of_a_func_that_is_written_out():
    f, g = Func("f"), Func("g")
    g[x] = a[x]
    f[x] = g[x]
    g.bound(x, 0, 8)
    fails(ScheduleError, f.bound(x, 0, 4), "bound(x, 0, 8): g is computed where it is used, in the loops of f")


def test_schedule_of_the_initial_value():
    f = Func("f")
    f[x] = 3
    f[x] += i32(a[x + r])
    f.bound(x, 0, 8).split(x, xo, xi, 2)
    fails(
        ScheduleError, f, "f.split(x, xo, xi, 2): the first definition of f is where", "f.update().split(x, xo, xi, 2)"
    )


def test_schedule_of_a_final_stage():
    f, g = summed(), Func("g")
    g[x] = f[x] + 1
    g.split(x, xo, xi, 2)
    fails(ScheduleError, g, "g.split(x, xo, xi, 2): g is computed as f is written back")


def test_stage_with_a_place_of_its_own():
    f, g = Func("f"), Func("g")
    g[x] = a[x]
    f[x] = g[x] + g[x + 1]
    g.compute_at(f.bound(x, 0, 4), x)
    fails(HardwareError, f, "g.compute_at(f, x): g would be a stage of its own, with a memory between")


def test_reduction_placed_in_its_final_stage():
    f, g = summed(), Func("g")
    g[x] = f[x] + 1
    f.compute_at(g.bound(x, 0, 6), x)
    fails(HardwareError, g, "f.compute_at(g, x): f would be a stage of its own, with a memory between")


def test_buffer_at_a_loop_that_was_split():
    f = product()
    f.sources[0].in_().compute_at(f, x)
    f.update().split(x, xo, xi, 2)
    message = "a.in_().compute_at(f, x): x of f is not a loop of the nest of f.update(), whose loops"
    fails(ScheduleError, f, message, "a.in_().compute_at(f, xo)   #   for xo")


def test_level_that_is_not_inside_the_one_before():
    f = product()
    image = f.sources[0]
    image.in_().compute_at(f, x)
    image.in_().in_().compute_at(f, y)
    message = "a.in_().in_().compute_at(f, y): it is filled from a.in_(), which lies at loop x"
    fails(ScheduleError, f, message, "a.in_().in_().compute_at(f, r.x)")


def test_buffer_of_a_func_that_is_written_out():
    f, g = Func("f"), Func("g")
    g[x] = a[x]
    f[x] = g[x]
    g.in_().compute_at(f.bound(x, 0, 4), x)
    fails(ScheduleError, f, "g.in_().compute_at(f, x): g is not an input of f", "a.in_().compute_at(f, x)")


def test_buffer_of_a_bias_inside_the_reduction():
    bias, f = ImageParam(Int(32), 1, "bias"), Func("f")
    f[x] = bias[x]
    f[x] += i32(a[x + r])
    bias.in_().compute_at(f.bound(x, 0, 4), r.x)
    message = "bias.in_().compute_at(f, r.x): bias is read when an output element is complete"
    fails(ScheduleError, f, message, "bias.in_().compute_at(f, x)")


def test_partial_sums_in_two_levels():
    f = product()
    f.in_().in_().compute_at(f, x)
    message = "f.in_().in_().compute_at(f, x): there is no f.in_().compute_at, where its sums would go"
    fails(ScheduleError, f, message, "f.in_().compute_at(f, x)")


def test_a_level_of_partial_sums_like_the_one_outside_it():
    f = product()
    f.update().split(y, yo, yi, 2).reorder(x, yo, reduction_of(f), yi)
    f.in_().compute_at(f, yi)
    f.in_().in_().compute_at(f, reduction_of(f))
    message = "f.in_().in_().compute_at(f, r.x): it holds the same sums as f.in_(); remove it or state another loop"
    fails(ScheduleError, f, message, "f.in_().in_().compute_at(f, yo)")


def test_a_level_of_partial_sums_outside_the_one_before_it():
    f = product()
    f.in_().compute_at(f, x)
    f.in_().in_().compute_at(f, y)
    message = "f.in_().in_().compute_at(f, y): its sums go to f.in_(), which lies at loop x, so it must lie at a loop"
    fails(ScheduleError, f, message, "f.in_().in_().compute_at(f, r.x)")


def test_a_level_of_partial_sums_among_the_lanes():
    f = product()
    f.update().split(y, yo, yi, 2).reorder(reduction_of(f), yo, x, yi).unroll(yi, 2).unroll(x, 2)
    f.in_().compute_at(f, yi)
    f.in_().in_().compute_at(f, yo)
    message = "f.in_().compute_at(f, yi): it lies inside the lanes of yi and outside those of x; sums have one memory"
    fails(ScheduleError, f, message, "f.in_().compute_at(f, x)")


def test_partial_sums_inside_lanes_of_a_reduction():
    f = product()
    rx = f.stages[1].definition.domain.vars[0]
    f.update().reorder(x, rx).unroll(rx, 5)
    f.in_().compute_at(f, x)
    message = "f.in_().compute_at(f, x): it lies inside the lanes of r.x"
    fails(ScheduleError, f, message, "f.in_().compute_at(f, y)")


def test_partial_sums_of_a_final_stage():
    f, g = product(), Func("g")
    rx = f.stages[1].definition.domain.vars[0]
    f.update().reorder(x, rx)
    f.in_().compute_at(f, x)
    g[x, y] = cast(Int(8), f[x, y] >> 3)
    message = (
        "f.in_().compute_at(f, x): steps of r.x would leave partial sums of int32 in g, whose int8 words are made of "
        "complete sums only"
    )
    fails(HardwareError, g.set_bounds([(0, 6), (0, 4)]), message, "f.in_().compute_at(f, y)")


def test_partial_sums_where_nothing_is_reduced():
    f = Func("f")
    f[x, y] = a[x + y]
    f[x, 0] = cast(Int(8), x)
    f.in_().compute_at(f, y)
    message = "f.in_().compute_at(f, y): f reduces nothing, so it has no partial sums; remove the line"
    fails(ScheduleError, f.set_bounds([(0, 6), (0, 4)]), message, "a.in_().compute_at(f, y)")


def test_two_steps_of_a_reduction_leave_partial_sums_too():
    f, g = product(), Func("g")
    f.update().split("r.x", "ro", "ri", 3).reorder("ri", x, y, "ro")
    f.in_().compute_at(f, y)
    g[x, y] = cast(Int(8), f[x, y] >> 3)
    message = "f.in_().compute_at(f, y): steps of ro would leave partial sums of int32 in g"
    fails(HardwareError, g.set_bounds([(0, 6), (0, 4)]), message)


def test_a_value_that_needs_all_64_bits_is_written_out():
    a, b, f = ImageParam(Int(32), 1, "a"), ImageParam(Int(32), 1, "b"), Func("f")
    f[x] = a[x] * b[x]
    least = -(1 << 31)
    message = "f.check_overflow(): (a(x) * b(x)) needs 64 bits, has 32 (int32): "
    fails(HardwareError, f.bound(x, 0, 3).check_overflow(), f"{message}{least} * {least} = {least * least}")


def test_buffer_of_a_final_stage():
    f, g = product(), Func("g")
    g[x, y] = cast(Int(8), f[x, y] >> 3)
    with pytest.raises(ScheduleError, match=r"^g\.in_\(\)\.compute_at\(g, x\): g does not read g"):
        g.in_().compute_at(g, x)


def test_reads_that_move_apart():
    f = Func("f")
    image = ImageParam(Int(8), 1, "a")
    f[x] = cast(Int(16), image[x]) + image[3 * x]
    image.in_().compute_at(f.bound(x, 0, 4), x)
    fails(HardwareError, f, "a.in_().compute_at(f, x): the reads of a at x and 3*x in dimension 0 move apart")


def test_unknown_loop():
    with pytest.raises(ScheduleError, match="z is not a loop"):
        convolution().update().split(Var("z"), xo, xi, 8)


def test_split_by_zero():
    with pytest.raises(ScheduleError, match="factor 0"):
        convolution().update().split(x, xo, xi, 0)


def test_accelerate_that_leaves_out_an_input():
    output = convolution()
    with pytest.raises(ScheduleError, match="leaves out w"):
        output.accelerate([output.sources[0]])


def test_the_worked_example_breaks_none_of_these():
    lower(worked_example())
