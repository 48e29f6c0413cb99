"""Parts enough: unbuffered tensors hide the memory's latency, register files with short tiles that of their fill."""

from __future__ import annotations

import numpy as np

from halidehw import Func, ImageParam, Int, RDom, Var, i32, simulate
from halidehw.energy_model.counters import predicted
from halidehw.errors import ScheduleError
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.ir.printer import loop_nest
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower, lower_graph
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_hardware
from tests.fuzz.designs import Design
from tests.refused import refused

x, y, xo, xi, yo, yi, ko, ki = map(Var, ("x", "y", "xo", "xi", "yo", "yi", "ko", "ki"))


def product(size: int) -> Func:
    """Two operands without buffers, four words of each in every step of a 4 x 4 array."""
    r = RDom([(0, size)], "r")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, y] += i32(a[y, r]) * i32(b[x, r])
    stage = f.set_bounds([(0, size), (0, size)]).update()
    stage.split(x, xo, xi, 4).split(y, yo, yi, 4).reorder(r, xi, yi, xo, yo).unroll(xi).unroll(yi).systolic(xi, yi)
    return f


def cycles(f: Func, options: Options, latency: int) -> int:
    nest = Design(f).nest
    return predicted(nest, derive(nest, options), Memory(latency=latency))["cycles"]


def test_a_slow_memory_costs_its_latency_once():
    """One part fewer would do for no more than the latency asked for: every part is needed."""
    f, options = product(16), Options(port_bits=32, hide_latency=20)
    fast, slow = (check_hardware(Design(f, options, Memory(latency=latency))).cycles for latency in (1, 20))
    assert slow == fast + 19
    steps = 16**3 // 16
    assert cycles(f, options, 21) > fast + 20 + steps // 30


def test_fifty_cycles_are_hidden_where_nothing_is_said():
    f = product(128)
    steps = 128**3 // 16
    assert cycles(f, Options(port_bits=32), 50) < 1.01 * steps
    assert cycles(f, Options(port_bits=32, hide_latency=13), 50) > 3 * steps


def test_parts_of_a_wide_step_through_a_narrow_port():
    """Four words a step take four cycles each, so far fewer steps are under way."""
    design = Design(product(16))
    assert {memory.name: memory.halves for memory in derive(design.nest).memories} == {"a_stream": 14, "b_stream": 14}


def tiles_of(words: int) -> Func:
    """Each PE uses every word of its tile once; a tile is filled from a shared memory in as many steps."""
    r = RDom([(0, 24)], "r")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, y] += i32(a[r, y]) * i32(b[x, r])
    stage = f.set_bounds([(0, 4), (0, 24)]).update()
    stage.split(r, ko, ki, words).reorder(ki, x, ko, y).unroll(x)
    a.in_().compute_at(f, y)
    b.in_().compute_at(f, y)
    b.in_().in_().compute_at(f, x)
    return f


def test_short_tiles_in_the_pes_follow_each_other():
    designs = [Design(tiles_of(words), Options(counters="all")) for words in (2, 3, 6, 8)]
    assert [derive(design.nest).output.files[0].halves for design in designs] == [5, 4, 3, 3]
    assert [run.counters["stalls_b_in_in"] for run in check_each(designs)] == [0] * 4


def test_short_tiles_in_the_pes_in_one_part_on_request():
    f = tiles_of(4)
    f.sources[1].in_().in_().single_buffer()
    design = Design(f, Options(counters="all"))
    assert [file.halves for file in derive(design.nest).output.files] == [1]
    assert check_hardware(design).counters["stalls_b_in_in"] > 0


def test_long_tiles_in_the_pes_have_two_parts():
    assert [file.halves for file in derive(Design(tiles_of(12)).nest).output.files] == [2]


def streamed(n: int, tiles: int, in_pes: int = 0) -> Func:
    """A product of a matrix, whose rows are loaded as long as they are used, and of vectors that lie inside; with
    `in_pes`, each PE has so many tiles of four words of its own. `tiles`: of the matrix, 0: nothing is said."""
    r = RDom([(0, 20)], "r")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, y] += i32(a[r, y]) * i32(b[r, x])
    f.set_bounds([(0, 3), (0, n)]).update().split(r, ko, ki, 4).reorder(ki, x, ko, y).unroll(x)
    matrix, vectors = a.in_().compute_at(f, y), b.in_().compute_root()
    matrix.ring_buffer(tiles) if tiles else None
    vectors.in_().compute_at(f, x).ring_buffer(in_pes) if in_pes else None
    return f.accelerate([a, b])


def rows(n: int, tiles: int) -> Func:
    """A stencil on a line buffer, in whose window each word is used once."""
    a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(0, 3)], "r")
    f[x, y] += i32(a[x, y + r])
    f.set_bounds([(0, 11), (0, n)]).update().reorder(x, r, y).unroll(r)
    a.in_().store_root().compute_at(f, y).ring_buffer(tiles)
    return f


def test_a_ring_buffer_has_room_for_the_tiles_that_are_stated():
    """Tiles that are loaded as long as they are used: with two, the latency costs something at every other one, with
    enough of them only at the first, after the 60 words of `b`."""
    slow, stalls = Memory(latency=30), Memory(stall_probability=0.3)
    two, four, *_ = check_each([
        *(Design(streamed(24, tiles), memory=slow) for tiles in (2, 4)), Design(rows(9, 5), memory=slow),
        Design(streamed(5, 3, 3), memory=stalls, starts=2, abort=50),
    ])  # fmt: skip
    steps = 24 * 20
    assert two.cycles > steps + 10 * 30 and four.cycles < steps + 60 + 30 + 30
    made = derive(lower(streamed(24, 4, 6))).output
    assert [(memory.name, memory.halves) for memory in made.memories] == [("a_in", 4), ("b_in", 1)]
    assert [file.halves for file in made.files] == [6]
    assert "allocate a_in[20][1] (4 parts)" in loop_nest(lower(streamed(24, 4)))


def test_a_ring_buffer_is_stated_once_and_not_of_sums():
    f = streamed(4, 3)
    a = f.sources[0].in_()
    for again, attempt in (("single_buffer()", a.single_buffer), ("ring_buffer(4)", lambda: a.ring_buffer(4))):
        why = "it has its parts already, by a.in_().ring_buffer(3); remove one of the lines"
        refused(attempt, f"a.in_().{again}: {why}", kind=ScheduleError)
    wrong = "a.in_().in_().ring_buffer(0): 0 is not a positive number of tiles"
    refused(lambda: a.in_().compute_at(f, x).ring_buffer(0), wrong, "a.in_().in_().ring_buffer(4)", kind=ScheduleError)
    f.in_().compute_at(f, y).ring_buffer(3)
    why = "of partial sums of f there are as many tiles as keep up with the array"
    refused(lambda: lower(f), f"f.in_().ring_buffer(3): {why}", "f.in_().single_buffer()", kind=ScheduleError)


def test_rows_of_a_line_buffer_are_said_in_one_way():
    a, g, f = ImageParam(Int(8), 2, "a"), Func("g"), Func("f")
    g[x, y] = i32(a[x, y])
    f[x, y] = g[x, y] + g[x, y + 1]
    f.set_bounds([(0, 4), (0, 4)])
    g.store_root().compute_at(f, y).ring_buffer(3).fold_storage(y, 4)
    why = "g_store has its parts already, by ring_buffer(3); remove one of the lines"
    refused(lambda: lower_graph(design_of(f)), f"g.fold_storage(y, 4): {why}", kind=ScheduleError)


def test_a_ring_buffer_in_text():
    text = write(design_of(streamed(4, 3)))
    assert "a.in().compute_at(f, y).ring_buffer(3);" in text
    assert loop_nest(lower(parse(text).output)) == loop_nest(lower(streamed(4, 3)))


def test_a_word_that_a_thousand_steps_use_hides_no_more_than_a_memory_has():
    """It is read once: the slower memory of `simulate` was one of 1 098 cycles, and refused."""
    r = RDom([(0, 1100)], "r")
    a, b, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "b"), Func("f")
    f[x] += i32(a[r]) * i32(b[x])
    a.in_().compute_root()
    f.set_bounds([(0, 1)])
    found = simulate(f, {"a": np.ones(1100, np.int8), "b": np.ones(1, np.int8)})
    assert found.match
