"""A tile that loops come back to is read while it comes in for the first time."""

from dataclasses import replace

import pytest

import halidehw as hl
from halidehw.energy_model.counters import predicted
from halidehw.energy_model.cycles import cycles
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
Var k, x, y, k1, ks, x1, xs, c1, c0;
RDom r(0, {c});
Func output(Int(32), 3);
output(k, x, y) += cast<int32_t>(input(r.x, x, y)) * cast<int32_t>(weight(k, r.x));
output.bound(k, 0, {k}).bound(x, 0, {x}).bound(y, 0, 3);
output.update().split(k, k1, ks, 4).split(x, x1, xs, 2).split(r.x, c1, c0, 4);
output.update().reorder(ks, xs, {order});
output.update().dataflow("ks | xs", 4, 2).systolic({{ks, xs}});
{buffers}
output.accelerate({{input, weight}});
"""


def design(buffers, order="c0, c1, k1, x1, y", k=12, c=8, x=6):
    return parse(TEXT.format(buffers=buffers, order=order, k=k, c=c, x=x)).output


WHOLE = "weight.in().compute_root();"
BY_FILTERS = "weight.in().store_root().compute_at(output, k1);"
BY_CHANNELS = "weight.in().store_root().compute_at(output, c1);"

CASES = [
    dict(buffers=BY_FILTERS),
    dict(buffers=BY_CHANNELS),
    dict(buffers=BY_CHANNELS, k=10, c=7, x=5),  # the last filters, channels and columns are fewer
    dict(buffers="weight.in().store_at(output, y).compute_at(output, k1);"),  # they come in again with each row
    dict(buffers="weight.in().store_root().compute_at(output, c1);", order="c0, x1, c1, k1, y"),  # c1 outside x1
    dict(buffers="weight.in().store_root().compute_at(output, c1);", order="c0, c1, x1, k1, y"),  # c1 inside x1
    dict(buffers="input.in().store_at(output, y).compute_at(output, x1);", order="c0, c1, x1, k1, y"),
    dict(buffers="input.in().store_at(output, y).compute_at(output, x1);\ninput.in().single_buffer();",
         order="c0, c1, x1, k1, y"),
    dict(buffers=f"{BY_FILTERS}\nweight.in().in().compute_at(output, x1);", order="c0, c1, x1, k1, y"),  # two memories
    dict(buffers=f"{BY_FILTERS}\nweight.in().in().compute_at(output, ks);"),  # and register files
    dict(buffers="weight.in().compute_root();\nweight.in().in().store_root().compute_at(output, k1);"),
    dict(buffers="weight.in().compute_root();\nweight.in().in().store_at(output, y).compute_at(output, k1);"),
    dict(buffers="input.in().compute_at(output, y);\ninput.in().in().store_at(output, y).compute_at(output, x1);",
         order="c0, c1, x1, k1, y", x=5),
    dict(buffers="weight.in().store_root().compute_at(output, c1);\n"  # both by pieces
         "weight.in().in().store_at(output, c1).compute_at(output, k1);", order="c0, k1, x1, c1, y"),
    dict(buffers=f"{BY_CHANNELS}\ninput.in().store_at(output, y).compute_at(output, x1);", order="c0, c1, x1, k1, y"),
    dict(buffers=f"{BY_FILTERS}\noutput.in().compute_at(output, c1);", order="c0, k1, x1, c1, y"),  # sums come back
]  # fmt: skip


def pieces(func, **options):
    """Of each memory that has several."""
    made = hl.compile(func, **options).accelerator
    return {each.name: each.pieces for stage in made.stages for each in stage.memories if each.pieces > 1}


def test_a_piece_is_what_is_read_inside_the_loop_where_the_tile_is_filled():
    assert pieces(design(WHOLE)) == {}
    assert pieces(design(BY_FILTERS)) == {"weight_in": 3}
    assert pieces(design(BY_CHANNELS)) == {"weight_in": 6}
    assert pieces(design(BY_CHANNELS, k=10, c=7)) == {"weight_in": 6}


def test_the_first_step_waits_for_the_first_piece_alone():
    """A tile is 12 x 8 words, a piece by filters 4 x 8, by channels 4 x 4; four words come in a cycle."""
    fills = [cycles(hl.compile(design(buffers), port_bits=32).accelerator).fill
             for buffers in (WHOLE, BY_FILTERS, BY_CHANNELS)]  # fmt: skip
    assert fills[0] - fills[1] == (96 - 32) // 4 and fills[1] - fills[2] == (32 - 16) // 4


def test_the_words_are_those_of_whole_tiles():
    found = []
    for buffers in (WHOLE, BY_FILTERS, BY_CHANNELS):
        made = hl.compile(design(buffers), port_bits=32)
        counts = predicted(made.graph, made.accelerator, Memory())
        found.append({name: count for name, count in counts.items() if name.endswith(("_words", "_read", "_written"))})
    assert found[0] == found[1] == found[2] and found[0]["weight_words"] == 96


@pytest.mark.parametrize("sizes", CASES)
def test_every_memory_of_these_has_pieces(sizes):
    assert pieces(design(**sizes))


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_their_words_are_right_and_their_cycles_the_models(every):
    """Through ports of their own and one for all, of a word and of several; with stalls, a second start, an abort.
    All of them with both (`every`), or every third one with one."""
    designs = []
    for number, sizes in enumerate(CASES if every else CASES[::3]):
        shared = Options(shared_port_bits=(32, 128)[number // 2 % 2], counters="all")
        both = Options(port_bits=(0, 32)[number // 2 % 2], counters="all"), shared
        for options in both if every else (both[number % 2],):
            free = Design(design(**sizes), options, Memory())
            designs += [replace(free, fill="extremes", starts=2)] if number % 3 == 0 else []
            designs += [free, replace(free, memory=Memory(5, stall_probability=0.3), starts=2, abort=30 + number)]
    check_each(designs)


def test_what_nothing_comes_back_to_is_kept_nowhere():
    """With a note, as before: it comes in once, tile by tile."""
    func = design("weight.in().store_at(output, k1).compute_at(output, c1);")
    assert pieces(func) == {}
    notes = [str(note) for note in hl.compile(func).notes]
    assert any("its tiles have nothing in common to keep" in note for note in notes)


APART = """
ImageParam input(Int(8), 1);
Var x;
RDom r(0, 2, 0, 4);
Func output(Int(32), 1);
output(x) += cast<int32_t>(input(r.x * 2 + r.y * 3)) * x;
output.bound(x, 0, 5);
output.update().reorder(r.x, r.y, x);
{buffer};
output.accelerate({{input}});
"""


def test_pieces_whose_words_are_further_apart_than_the_tiles_are_refused():
    """Words 0 and 2, 3 and 5, and so on: of a tile that has all between 0 and 11."""
    whole = "input.in().compute_root()"
    refused(
        lambda: hl.compile(parse(APART.format(buffer="input.in().store_root().compute_at(output, r.y)")).output),
        "input.in(): its tiles cannot come in by the pieces that are read inside r.y: along dimension 0 the words of a "
        "piece are 2 apart, those of a tile 1",
        whole,
    )
    hl.compile(parse(APART.format(buffer=whole)).output)


ASKED = """
ImageParam input(Int(8), 2);
ImageParam weight(Int(8), 2);
Var k, x, c1, cs;
RDom r(0, 4);
Func output(Int(32), 2);
output(k, x) += cast<int32_t>(input(r.x, x)) * cast<int32_t>(weight(k, r.x));
output.bound(k, 0, 3).bound(x, 0, 3);
output.update().split(r.x, c1, cs, 2).reorder(x, cs, k, c1);
input.in().compute_root();
input.in().in().store_root().compute_at(output, {loop});
output.accelerate({{input, weight}});
"""


def test_what_the_writer_of_pieces_reads_is_asked_for_where_its_tile_begins():
    """Before the weights, of which a word is wanted with the loops around the pieces; the model had it after them, and
    was a cycle late."""
    funcs = [parse(ASKED.format(loop=loop)).output for loop in ("x", "cs")]
    check_each([Design(func, Options(shared_port_bits=32, counters="all"), Memory(late))
                for func in funcs for late in (1, 3)])  # fmt: skip


ROWS = """
ImageParam input(Int(8), 2);
ImageParam weight(Int(8), 2);
Var k, x, x1, xs, c1, cs;
RDom r(0, {c});
Func output(Int(32), 2);
output(k, x) += cast<int32_t>(input(r.x, x)) * cast<int32_t>(weight(r.x, k));
output.bound(k, 0, 3).bound(x, 0, {x});
output.update().split(x, x1, xs, 2).split(r.x, c1, cs, 5).reorder(xs, cs, c1, x1, k);
output.update().dataflow("xs | cs", 2, 5).systolic({{xs, cs}});
{buffer};
output.accelerate({{input, weight}});
"""
BY_COLUMNS, BOTH_WAYS = (f"input.in().store_root().compute_at(output, {loop})" for loop in ("x1", "c1"))


@pytest.mark.parametrize(("buffer", "c", "held"), [(BY_COLUMNS, 10, (20, 4)), (BOTH_WAYS, 10, (5, 8, 2)),
                                                   (BOTH_WAYS, 13, (5, 8, 3))])  # fmt: skip
def test_pieces_that_would_begin_inside_a_row_of_banks_lie_apart(buffer, c, held):
    """Two columns of ten channels each would be one row of words, of which a port takes eight; the lanes, five channels
    of both, need sixteen banks. A piece has rows of its own, of which some words stay empty."""
    func = parse(ROWS.format(buffer=buffer, c=c, x=8)).output
    (stage,) = hl.compile(func, port_bits=64).accelerator.stages
    assert tuple(dim.extent for dim in stage.memories[0].dims) == held and stage.memories[0].vector == 8


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_the_words_of_pieces_that_lie_apart_are_right(every):
    """On ragged sizes, through ports of their own and one for all, or (not `every`) one of both, with stalls, a second
    start, an abort."""
    designs = []
    both = Options(port_bits=64, counters="all"), Options(shared_port_bits=32, counters="all")
    cases = (BY_COLUMNS, 10, 8), (BOTH_WAYS, 10, 7), (BOTH_WAYS, 13, 8), (BOTH_WAYS, 7, 5)
    for number, (buffer, c, x) in enumerate(cases):
        func = parse(ROWS.format(buffer=buffer, c=c, x=x)).output
        for options in both if every else (both[number % 2],):
            free = Design(func, options, Memory(), fill="extremes")
            designs += [free, replace(free, memory=Memory(4, stall_probability=0.3), starts=2, abort=20 + c)]
    check_each(designs)


def test_pieces_that_begin_inside_a_row_of_banks_and_have_words_in_common_are_refused():
    """Ten lanes go through seven channels: in a row of all columns the last three are words of the next column."""
    whole = "input.in().compute_root()"
    refused(
        lambda: hl.compile(parse(ROWS.format(buffer=BY_COLUMNS, c=7, x=8)).output, port_bits=64),
        "input.in(): its tiles cannot come in by the pieces that are read inside x1: along dimension 0 they begin 14 "
        "words apart, in rows of 16 banks",
        whole,
    )
    hl.compile(parse(ROWS.format(buffer=whole, c=7, x=8)).output, port_bits=64)


def test_a_memory_with_a_place_of_its_own_on_the_chip_has_no_pieces():
    refused(
        lambda: hl.compile(design(f"{BY_FILTERS}\nweight.in().single_port();")),
        "weight.in(): its tiles cannot come in by the pieces that are read inside k1: it has a place of its own on the "
        "chip, which is its writer's or its reader's",
        "weight.in().compute_root()",
    )


def test_a_machine_has_whole_tiles():
    refused(
        lambda: hl.machine([design(BY_FILTERS)]),
        "weight.in(): its tiles come in by the pieces read inside k1; on a machine as a whole",
        "weight.in().compute_root()",
    )
    hl.machine([design(WHOLE)])


def test_the_model_of_a_bus_has_whole_tiles():
    made = hl.compile(design(BY_FILTERS)).accelerator
    with pytest.raises(CostError, match="weight_in behind a bus: its tiles come in by pieces"):
        cycles(made, bus=hl.AXI())
    assert cycles(made).total < cycles(hl.compile(design(WHOLE)).accelerator, bus=hl.AXI()).total


def test_the_loop_nest_says_so(capsys):
    design(BY_FILTERS).print_loop_nest()
    assert "fill weight_in from weight at (0, 0) once, by the pieces that are read inside k1" in capsys.readouterr().out
