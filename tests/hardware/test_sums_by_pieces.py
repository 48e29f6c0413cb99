"""Tiles of partial sums that leave piece by piece, as the last round of a reduction completes them."""

from dataclasses import replace

import pytest

import halidehw as hl
from halidehw.energy_model.counters import predicted
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.processes import system
from halidehw.energy_model.timekeeper import Timekeeper
from halidehw.errors import CostError
from halidehw.frontend.text import parse
from halidehw.microarch.options import Options
from halidehw.simulate.memory import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.refused import refused

TEXT = """
ImageParam input(Int(8), 3);
ImageParam weight(Int(8), 2);
Var k, x, y, k1, ks, x1, xs, c2, c_in, c1, c0;
RDom r(0, {c});
Func output(Int(32), 3);
output(k, x, y) += cast<int32_t>(input(r.x, x, y)) * cast<int32_t>(weight(k, r.x));
output.bound(k, 0, {k}).bound(x, 0, {x}).bound(y, 0, 3);
output.update().split(k, k1, ks, 4).split(x, x1, xs, 2).split(r.x, c2, c_in, 4).split(c_in, c1, c0, 2);
output.update().reorder(ks, xs, {order});
output.update().dataflow("ks | xs", 4, 2).systolic({{ks, xs}});
{buffers}
output.accelerate({{input, weight}});
"""


def design(buffers, order="c0, c1, k1, x1, c2, y", k=12, c=12, x=6):
    return parse(TEXT.format(buffers=buffers, order=order, k=k, c=c, x=x)).output


WHOLE = "output.in().compute_at(output, y);"
BY_COLUMNS = "output.in().store_at(output, y).compute_at(output, x1);"
BY_BOTH = "output.in().store_at(output, y).compute_at(output, k1);"
KEPT = "weight.in().store_root().compute_at(output, k1);\ninput.in().compute_at(output, y);"

CASES = [
    dict(buffers=BY_COLUMNS),
    dict(buffers=BY_BOTH),
    dict(buffers=BY_BOTH, k=10, c=11, x=5),  # the last filters, channels and columns are fewer
    dict(buffers=f"{BY_BOTH}\noutput.in().single_buffer();"),  # the array waits for the last piece
    dict(buffers=BY_BOTH, order="c0, k1, c1, x1, c2, y", k=10),  # two loops come back, to tile and piece
    dict(buffers=BY_BOTH, order="c0, k1, c1, x1, c2, y", k=10, c=9, x=7),
    dict(buffers="output.in().store_root().compute_at(output, k1);", order="c0, c1, k1, x1, c2, y"),  # all of y
    dict(buffers="output.in().store_at(output, k1).compute_at(output, x1);", order="c0, c1, x1, c2, k1, y", c=10),
    dict(buffers="output.in().store_at(output, x1).compute_at(output, k1);", order="c0, k1, c1, c2, x1, y"),
    dict(buffers=f"{BY_BOTH}\n{KEPT}"),  # operands by pieces, too
    dict(buffers=f"{BY_BOTH}\n{KEPT}", order="c0, k1, c1, x1, c2, y", c=11),
    dict(buffers=f"{BY_BOTH}\nweight.in().compute_at(output, x1);"),  # tiles inside the piece's loops
    dict(buffers=f"{BY_BOTH}\nweight.in().compute_at(output, c2);\ninput.in().compute_at(output, x1);"),
]


def pieces(func, **options):
    """Of each tile of sums."""
    [stage] = hl.compile(func, **options).accelerator.stages
    tap, axes = stage.write.tap, stage.write.walk.axes
    return [axis.extent for axis in axes[tap.tile : tap.piece]] if tap.piece is not None else None


def test_a_piece_is_what_is_added_to_inside_the_loop_where_the_tile_is_computed():
    assert pieces(design(WHOLE)) is None
    assert pieces(design(BY_COLUMNS)) == [3]
    assert pieces(design(BY_BOTH)) == [3, 3]
    assert pieces(design("output.in().store_root().compute_at(output, k1);")) == [3, 3, 3]


def test_what_leaves_before_the_last_step_does_not_leave_after_it():
    """Of 8 lanes, a word in a cycle: a column has 24, a filter of it 8."""
    drains = [cycles(hl.compile(design(buffers), port_bits=64).accelerator).drain
              for buffers in (WHOLE, BY_COLUMNS, BY_BOTH)]  # fmt: skip
    assert drains[0] > drains[1] > drains[2]


def test_the_words_are_those_of_whole_tiles():
    found = []
    for buffers in (WHOLE, BY_COLUMNS, BY_BOTH):
        made = hl.compile(design(buffers), port_bits=32)
        counts = predicted(made.graph, made.accelerator, Memory())
        found.append({name: count for name, count in counts.items() if name.endswith(("_words", "_read", "_written"))})
    assert found[0] == found[1] == found[2] and found[0]["output_words"] == 12 * 6 * 3


@pytest.mark.parametrize("sizes", CASES)
def test_the_sums_of_these_leave_by_pieces(sizes):
    assert pieces(design(**sizes))


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_their_words_are_right_and_their_cycles_the_models(every):
    """Through ports of their own and one for all, of a word and of several; with stalls, a second start, an abort.
    All of them with both (`every`), or every third one with one."""
    designs = []
    for number, sizes in enumerate(CASES if every else CASES[::3]):
        shared = Options(shared_port_bits=(32, 128)[number // 2 % 2], counters="all")
        both = Options(port_bits=(0, 64)[number // 2 % 2], counters="all"), shared
        for options in both if every else (both[number % 2],):
            free = Design(design(**sizes), options, Memory())
            designs += [replace(free, fill="extremes", starts=2)] if number % 3 == 0 else []
            designs += [free, replace(free, memory=Memory(5, stall_probability=0.3), starts=2, abort=30 + 5 * number)]
    check_each(designs)


@pytest.mark.parametrize(
    "sizes", [*(pytest.param(sizes, marks=[pytest.mark.soak] * (at % 3 > 0)) for at, sizes in enumerate(CASES)),
              dict(buffers=f"{BY_BOTH}\n{KEPT}", k=60, c=46, x=38)],
)  # fmt: skip
def test_what_repeats_is_leapt_over(sizes):
    """The model takes as many cycles when it goes through every tile."""
    for options in ({"port_bits": 64}, {"shared_port_bits": 64}):
        made = hl.compile(design(**sizes), **options).accelerator
        ends = dict[str, int]()

        def span(name, first, last, ends=ends):
            ends[name] = max(ends.get(name, 0), last + 1)

        times = Timekeeper(system(made), Memory(), span).run()
        assert times.done == cycles(made).total and ends["array"] == times.end["output"]


def test_what_nothing_comes_back_to_is_kept_nowhere():
    func = design("output.in().store_at(output, c2).compute_at(output, x1);")
    assert pieces(func) is None
    notes = [str(note) for note in hl.compile(func).notes]
    assert any("partial sums of output have nothing in common to keep" in note for note in notes)
    assert not any("have nothing in common" in str(note) for note in hl.compile(design(BY_BOTH)).notes)


def cannot(buffers, why, whole="output.in().compute_at(output, y)", at="k1", **sizes):
    refused(
        lambda: hl.compile(design(buffers, **sizes)),
        f"output.in(): its tiles cannot leave by the pieces that are added to inside {at}: {why}",
        whole,
    )


def test_sums_of_several_levels_leave_as_whole_tiles():
    cannot(f"{BY_BOTH}\noutput.in().in().compute_at(output, x1);",
           "they pass through several memories, each of which hands on whole tiles")  # fmt: skip
    hl.compile(design(f"{WHOLE}\noutput.in().in().compute_at(output, x1);"))


def test_sums_with_one_port_leave_as_whole_tiles():
    order = "k1, x1, c0, c1, c2, y"
    cannot(f"{BY_BOTH}\noutput.in().single_port(8);",
           "with one port each part of them is its writer's or its reader's", order=order, x=10)  # fmt: skip
    hl.compile(design(f"{WHOLE}\noutput.in().single_port(8);", order=order, x=10))


def test_sums_that_come_back_leave_as_whole_tiles():
    order = "c0, k1, c1, y, c2, x1"
    cannot(BY_BOTH, "output_partial_stream is filled for a whole one when that is complete", order=order)
    hl.compile(design(WHOLE, order=order))


STAGES = """
ImageParam input(Int(8), 2);
ImageParam weight(Int(8), 1);
ImageParam bias(Int(32), 1);
Var k, x, k1, k0;
RDom r(0, 8);
Func sums(Int(32), 2), output(Int(32), 2);
sums(k, x) += cast<int32_t>(input(r.x, x)) * cast<int32_t>(weight(k));
output(k, x) = sums(k, x)%s;
output.bound(k, 0, 8).bound(x, 0, 4);
sums.update().split(k, k1, k0, 2).reorder(k0, k1, r.x, x);
%s
output.accelerate({input, weight%s});
"""


def stages(value, lines, inputs=""):
    return parse(STAGES % (value, lines, inputs)).output


def test_what_is_read_as_they_leave_is_there_for_a_whole_tile():
    """A bias for each column, of which a tile is one; where all of it lies in a memory, the sums leave by pieces."""
    by_pieces = "sums.in().store_at(sums, x).compute_at(sums, k1);"
    refused(
        lambda: hl.compile(stages(" + bias(x)", f"bias.in().compute_at(output, x);\n{by_pieces}", ", bias")),
        "sums.in(): its tiles cannot leave by the pieces that are added to inside k1: bias_in is filled for a whole "
        "one when that is complete",
        "sums.in().compute_at(sums, x)",
    )
    hl.compile(stages(" + bias(x)", "bias.in().compute_at(output, x);\nsums.in().compute_at(sums, x);", ", bias"))
    held = stages(" + bias(x)", f"bias.in().compute_root();\n{by_pieces}", ", bias")
    assert pieces(held) == [4]
    check_each([Design(held, Options(shared_port_bits=32, counters="all"), Memory())])


def test_what_another_stage_reads_it_takes_as_whole_tiles():
    by_pieces = "sums.compute_at(output, x);\nsums.in().store_at(output, x).compute_at(sums, k1);"
    refused(
        lambda: hl.compile(stages("", by_pieces)),
        "sums.in(): its tiles cannot leave by the pieces that are added to inside sums.k1: other stages take them as "
        "whole tiles",
        "sums.in().compute_at(sums, r.x)",
    )
    hl.compile(stages("", "sums.compute_at(output, x);\nsums.in().compute_at(sums, r.x);"))


def test_a_machine_has_whole_tiles():
    refused(
        lambda: hl.machine([design(BY_BOTH)]),
        "output.in(): its tiles leave by the pieces added to inside k1; on a machine as a whole",
        "output.in().compute_at(output, y)",
    )
    hl.machine([design(WHOLE)])


def test_the_model_of_a_bus_has_whole_tiles():
    with pytest.raises(CostError, match="sums behind a bus: its tiles leave by pieces"):
        cycles(hl.compile(design(BY_BOTH)).accelerator, bus=hl.AXI())


def test_the_loop_nest_says_so(capsys):
    design(BY_BOTH).print_loop_nest()
    said = "allocate output_in[12][6][1] (double, left by the pieces that are added to inside k1)"
    assert said in capsys.readouterr().out


FUSED = """
ImageParam image(Int(7), 3);
Var x, y, k, f, xo, xi;
RDom r(0, 2, 0, 3);
Func pool(Int(7), 3);
pool(x, y, k) = cast(Int(7), -64);
pool(x, y, k) = max(pool(x, y, k), image(x * 2 + r.x, y * 2 + r.y, k));
pool.bound(x, 0, 8).bound(y, 0, 2).bound(k, 0, 4);
pool.update().fuse(r.x, r.y, f).split(x, xo, xi, 3).reorder(xi, y, xo, f, k);
pool.in().store_root().compute_at(pool, xi);
pool.accelerate({image});
"""


def test_a_fused_reduction_comes_back_to_the_sums():
    """Its own loops have no name in the schedule: looking for one ended in `StopIteration`."""
    func = parse(FUSED).output
    assert pieces(func) == [4, 3, 2, 3]
    check_each([Design(func, Options(counters="all"), Memory())])


CUT_OFF = """
ImageParam input(Int(8), 2);
ImageParam weight(Int(8), 2);
Var k, x, x1, xs, c1, cs;
RDom r(0, 4);
Func output(Int(32), 2);
output(k, x) += cast<int32_t>(input(r.x, x)) * cast<int32_t>(weight(k, r.x));
output.bound(k, 0, 2).bound(x, 0, {x});
output.update().split(x, x1, xs, 3).split(r.x, c1, cs, 2).reorder(k, xs, cs, x1, c1);
output.in().store_root().compute_at(output, xs);
output.accelerate({{input, weight}});
"""


def test_a_loop_that_comes_back_goes_through_fewer_where_the_tile_ends():
    """Inside the last x1 there is one column, not three, in each cs before the piece, too: the model knew only how far
    the tile and the piece are cut off, took that x1 for one like the others, and was cycles late."""
    funcs = [parse(CUT_OFF.format(x=x)).output for x in (16, 22)]
    designs = [Design(func, Options(port_bits=bits, counters="all")) for func in funcs for bits in (0, 64)]
    for each, run in zip(designs, check_each(designs), strict=True):
        assert run.cycles == cycles(each.accelerator).total
