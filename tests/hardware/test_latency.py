"""Parts enough: unbuffered tensors hide the memory's latency, register files with short tiles that of their fill."""

from __future__ import annotations

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.energy_model.counters import predicted
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_hardware
from tests.fuzz.designs import Design

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
