"""What is decided about memories, ports and levels of sums, each decision on its own."""

from __future__ import annotations

import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.errors import HardwareError
from halidehw.ir.affine import Affine
from halidehw.microarch.banking import partition, power_of_two, strides
from halidehw.microarch.box import footprint
from halidehw.microarch.derive import derive
from halidehw.microarch.limits import check_pes, check_ports
from halidehw.microarch.network import Stage
from halidehw.microarch.options import Options
from halidehw.microarch.parts import file_parts, file_waits, parts, sums_parts, sums_trip
from halidehw.microarch.reader import Reader
from halidehw.microarch.registers import buses
from halidehw.microarch.sums import WIDEST, Level, _widths
from halidehw.microarch.walk import Axis
from halidehw.microarch.window import chains
from halidehw.scheduler import lower, lower_graph

n, m, no, ni, mo, mi = map(Var, ("n", "m", "no", "ni", "mo", "mi"))
T, U = Affine.variable("t"), Affine.variable("u")


def product(columns: int, rows: int, init: int = 0) -> Func:
    a, b, f, r = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f"), RDom([(0, 6)], "r")
    f[n, m] = i32(init)
    f[n, m] += i32(a[r, m]) * i32(b[n, r])
    return f.set_bounds([(0, columns), (0, rows)])


def stage(f: Func, options: Options | None = None) -> Stage:
    return derive(lower(f), options or Options()).output


def test_loops_of_one_step_hold_no_tiles_of_sums():
    """The level lies inside two loops; one of them has a single step, so that tiles end at depth 1."""
    f = product(4, 6)
    f.update().split(m, mo, mi, 6).split(n, no, ni, 2).reorder("r.x", ni, mi, no, mo)
    f.in_().compute_at(f, no)
    found = stage(f)
    assert found.write.tap.tile == 1
    assert [axis.name for axis in found.write.walk.axes] == ["no", "mi", "ni"]
    assert found.sums[0].words == 12


def test_only_the_outermost_level_of_sums_begins_with_the_first_definition():
    f = product(4, 6, init=7)
    f.update().split(m, mo, mi, 3).split("r.x", "ro", "ri", 2).reorder("ri", n, mi, "ro", mo)
    f.in_().compute_at(f, mo)
    f.in_().in_().compute_at(f, mi)
    assert [level.init for level in stage(f).sums] == [0, 7]


@pytest.mark.parametrize(("columns", "rows", "words"), [(1, 1, 8), (4, 6, 16)])
def test_short_rows_are_one_where_cycles_fall_by_more_than_wires_grow(columns: int, rows: int, words: int):
    """Six rows of six words are six words of the port, or three of 16: that pays for 24 PEs, which need six steps."""
    a, b, f, r = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f"), RDom([(0, 6)], "r")
    f[n, m] += i32(a[r, m]) * i32(b[n, r])
    f.set_bounds([(0, 4), (0, 6)]).update().unroll(n, columns).unroll(m, rows)
    a.dim(0).set_bounds(0, 6)
    a.in_().compute_root()
    ports = (load.tap.port for load in stage(f, Options(port_bits=128)).loads)
    assert next(port.lanes for port in ports if port.name == "a") == words


def test_of_the_partitions_one_that_fits():
    """Lanes 0 and 2 of 8 words: three banks are the fewest, and hold 9; four hold 8."""
    chosen = [partition((8,), (T * 12,), ((0,), (2,)), 1, most=most)[0].factor for most in (None, 9, 8, 7)]
    assert chosen == [3, 3, 4, 3]


def test_a_box_is_clipped_where_limits_leave_words_out_of_it_everywhere():
    """11 columns in tiles of 4, each word with its neighbour: 12 words, not 3 * 4 + 1. A tile may be whole."""
    axes, column = (Axis("t", 3), Axis("u", 4)), T * 4 + U
    reader = Reader(axes, {}, (-column + 10,), ((column,), (column + 1,)))
    found = [(reader.box(tile).words, reader.clipped(reader.box(tile)).words) for tile in (0, 1)]
    assert found == [(13, 12), (5, 5)]


def test_as_many_parts_as_come_round_in_time():
    """17 cycles of a part's round are two tiles of 9 and three of 8; what is made and used in a step waits for its
    trip. A small register file has as many as the limit allows, a large one two; so have sums of long tiles."""
    assert (parts(8, 4, 5), parts(9, 4, 4), parts(4, 4, 5), parts(1, 1, 51)) == (3, 2, 4, 53)
    assert (file_parts(1, 1, 4), file_parts(1, 1, 5), file_parts(1, 1, 16), file_parts(1, 1, 40)) == (7, 6, 2, 2)
    assert (file_waits(64, 60, 16), file_waits(64, 59, 16), file_waits(8, 8, 8), file_waits(8, 9, 8)) == (1, 0, 0, 1)
    assert (sums_parts(16), sums_parts(63), sums_parts(64), sums_parts(64, sums_trip(512))) == (6, 4, 2, 11)


def test_buses_from_the_narrowest_and_along_the_port_first():
    lanes = {"x": 4, "y": 4, "z": 32}
    assert buses(lanes, {"y"}) == ([(), ("y",), ("x",), ("x", "y"), ("z",), ("y", "z"), ("x", "z")], ("y", "z"))
    assert buses({"x": 300, "y": 2}, {"y"}) == ([(), ("y",), ("x",)], ("x",))


def test_dimensions_that_turn_lie_innermost_and_are_padded():
    assert strides((3, 5, 6), (False, True, True), power_of_two) == [48, 1, 8]
    assert strides((3, 5, 6), (False, False, True), power_of_two, 0) == [30, 6, 1]


def level(steps: int, halves: int, **held: int) -> Level:
    return Level("sums", 0, Affine(), 1, steps, halves, held, held)


def test_as_many_lanes_are_taken_together_as_it_takes_to_be_in_time():
    """64 sums a tile: one after the other in 200 steps, four at a time in 20; all where no number is in time."""
    assert _widths(level(200, 2, x=64), {}) == {}
    assert _widths(level(20, 6, x=64), {}) == {"x": 4}
    assert _widths(level(20, 1, x=64), {}) == {"x": 64}
    assert _widths(level(200, 2, x=64), {"x": 2}) == {"x": 2}


def test_more_lanes_than_the_widest_are_taken_of_one_axis_only():
    assert _widths(level(2, 40, x=4 * WIDEST, y=2), {}) == {"x": 4 * WIDEST}


def test_the_axis_with_most_lanes_is_proposed_to_have_fewer():
    f = product(512, 256)
    f.update().unroll(n).unroll(m)
    with pytest.raises(HardwareError, match="m 256 x n 512 = 131072 PEs; at most 65536 can be built") as caught:
        check_pes(lower(f))
    assert caught.value.legal == ("unroll(n, 256)",)


def test_a_bus_carries_the_narrowest_words_whatever_the_others_are():
    a, f = ImageParam(Int(12), 1, "a"), Func("f")
    f[n] = i32(a[n])
    check_ports(lower(f.bound(n, 0, 8)), 16)
    with pytest.raises(HardwareError, match="a port of 8 bits: "):
        check_ports(lower(f), 8)


def test_addresses_have_the_bits_of_the_words_behind_them():
    assert stage(product(7, 9)).write.outside.port.address_bits == 6
    assert stage(product(8, 8)).write.outside.port.address_bits == 7


def test_a_front_is_clipped_where_its_reader_is():
    """Reads at t, t + 1 and t + 2 are one chain, fetched two steps earlier: where t is below 5, so is t - 2."""
    found = chains(Reader((Axis("t", 8),), {}, (-T + 4,), ((T,), (T + 1,), (T + 2,))))
    assert found and (found.warm, found.front.axes) == (2, (Axis("t", 10),))
    assert found.front.limits == (-T + 6,)
    assert found.front.indices == ((T,),)


@pytest.mark.parametrize("step", [1, -1, 2, -3])
@pytest.mark.parametrize(
    ("lanes", "constants"), [((4, 1), (0,)), ((3, 2), (0, 5)), ((2, -2), (1, 0, 7)), ((1, 1), (0,))]
)
def test_a_window_is_as_many_steps_ahead_as_its_longest_chain(step: int, lanes: tuple[int, int], constants):
    """It is worked out from where reads lie at most and at least, before any of them is looked at."""
    many, apart = lanes
    reads = tuple((T * step + U * (step * apart) + step * constant,) for constant in constants)
    reader = Reader((Axis("t", 8),), {"u": many}, (-T + 7,), reads)
    if found := chains(reader):
        assert found.warm == max(ago for _, ago in found.taps.values()) > 0
    else:
        assert many == len(constants) == 1


def test_a_footprint_begins_where_an_index_that_falls_ends():
    """3t - 2u - 1 and 3t - 2u + 4 for u in 0 .. 4: from 3t - 9 to 3t + 4."""
    box = footprint([(3 * T - 2 * U - 1,), (3 * T - 2 * U + 4,)], ["t"], {"u": 5}, [])
    assert (box.origin, box.steps, box.extents) == ((3 * T - 9,), (1,), (14,))


def test_a_memory_may_answer_in_the_next_cycle():
    assert Options(hide_latency=1).hide_latency == 1


def test_only_the_outermost_memory_has_room_for_what_other_stages_read():
    """Of f, the output and a stage before it keep rows of their own, out of memories that hold all of it."""
    a, f, g, h = ImageParam(Int(8), 2, "a"), Func("f"), Func("g"), Func("h")
    f[n, m] = a[n, m]
    g[n, m] = f[n, m] + f[n, m + 2]
    h[n, m] = f[n, m + 1] + g[n, m]
    f.compute_root().in_().compute_at(h, m)
    g.compute_at(h, m)
    network = derive(lower_graph(h.set_bounds([(0, 6), (0, 5)])))
    words = {name: network.store[name].words for name in ("f_store", "g_f_store", "f_in", "g_f_in")}
    assert words == {"f_store": 42, "g_f_store": 42, "f_in": 6, "g_f_in": 12}


def test_accesses_that_move_apart_have_no_box():
    with pytest.raises(AssertionError, match="accesses of one box move apart"):
        footprint([(T + U,), (2 * T,)], ["t"], {"u": 3}, [])
