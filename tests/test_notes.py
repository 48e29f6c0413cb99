"""A line that states what already holds is legal, does no harm, and is said once, as a note."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from halidehw import Func, ImageParam, Int, RDom, RVar, Var, compile, i32, simulate
from halidehw.cli import main
from halidehw.errors import ScheduleError
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.ir.printer import loop_nest
from halidehw.scheduler import lower

x, y, xo, xi, yo, yi = map(Var, ("x", "y", "xo", "xi", "yo", "yi"))
r = RVar("r.x")

Change = Callable[[Func, ImageParam], object]


def product(change: Change, columns: int = 5) -> Func:
    """A product of depth 3 with 4 rows, under some directives."""
    a, b, f, c = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f"), RDom([(0, 3)], "r")
    f[x, y] += i32(a[c, y]) * i32(b[x, c])
    f.bound(x, 0, columns).bound(y, 0, 4)
    change(f, a)
    return f.accelerate([a, b])


SAID: dict[str, tuple[Change, str]] = {
    "the present order": (
        lambda f, a: f.update().reorder(r, x, y),
        "reorder(r.x, x, y): the loops, outer to inner, are y, x, r.x already",
    ),
    "a factor of one": (lambda f, a: f.update().split(x, xo, xi, 1), "split(x, xo, xi, 1): xi has 1 iteration"),
    "a split longer than its loop": (
        lambda f, a: f.update().split(x, xo, xi, 8),
        "split(x, xo, xi, 8): x has 5 iterations, all of them in xi",
    ),
    "a tile longer than its loop": (
        lambda f, a: f.update().tile(x, y, xo, yo, xi, yi, 16, 2),
        "split(x, xo, xi, 16): x has 5 iterations, all of them in xi",
    ),
    "more lanes than iterations": (
        lambda f, a: f.update().unroll(x, 8),
        "unroll(x, 8): x has 5 iterations, and as many lanes",
    ),
    "one lane": (
        lambda f, a: f.update().split(x, xo, xi, 5).unroll(xo),
        "unroll(xo): xo stays in time, an iteration after the other",
    ),
    "an array of one row": (
        lambda f, a: f.update().dataflow("r | x", rows=1, cols=2),
        'dataflow("r | x", rows=1, cols=2): r.x stays in time: there is 1 PE',
    ),
    "parallel": (
        lambda f, a: f.update().parallel(y),
        "parallel(y): y stays in time, since processing elements are what runs in parallel: unroll(y, 4)",
    ),
    "a bound again": (lambda f, a: f.bound(x, 0, 5), "bound(x, 0, 5): stated before"),
    "a place again": (
        lambda f, a: a.in_().compute_at(f, y).compute_at(f, y),
        "a.in_().compute_at(f, y): stated before",
    ),
    "one half again": (
        lambda f, a: a.in_().compute_at(f, y).single_buffer().single_buffer(),
        "a.in_().single_buffer(): stated before",
    ),
    "one half of a copy": (
        lambda f, a: a.in_().compute_root().single_buffer(),
        "a.in_().single_buffer(): a.in_() is filled once, so it has one half",
    ),
    "a copy again": (lambda f, a: a.in_().compute_root().compute_root(), "a.in_().compute_root(): stated before"),
    "the overlap of a copy": (
        lambda f, a: a.in_().store_root().compute_root(),
        "a.in_().store_root(): a.in_() is copied once, so there is no overlap to keep",
    ),
    "kept where it is filled": (
        lambda f, a: a.in_().store_at(f, y).compute_at(f, y),
        "a.in_().store_at(f, y): it is filled there anew, so there is nothing to keep",
    ),
    "the accumulators": (
        lambda f, a: f.in_().compute_at(f, x),
        "f.in_().compute_at(f, x): this is where the accumulators are without this line",
    ),
    "the output": (lambda f, a: f.compute_root(), "f.compute_root(): the output is computed as a whole anyway"),
    "overflow again": (lambda f, a: f.check_overflow().check_overflow(), "check_overflow(): stated before"),
}


@pytest.mark.parametrize("case", SAID)
def test_what_holds_already_is_a_note(case: str):
    change, message = SAID[case]
    nest = lower(product(change))
    assert [note.message for note in nest.notes] == [message]
    assert nest.notes[0].source is not None and nest.notes[0].source.file == __file__


def test_as_many_lanes_as_iterations_are_no_note():
    assert not lower(product(lambda f, a: f.update().unroll(x, 5))).notes


def test_a_schedule_runs_at_every_size():
    """One schedule, for images larger and smaller than its tiles: the same lines, and the right words."""

    def change(f: Func, a: ImageParam) -> None:
        f.update().tile(x, y, xo, yo, xi, yi, 4, 4).vectorize(xi, 4).systolic("xi_lanes").unroll(yi, 2)
        a.in_().compute_at(f, xo)

    random = np.random.default_rng(3)
    for columns in (1, 3, 4, 9):
        inputs = {"a": random.integers(-128, 128, (4, 3)), "b": random.integers(-128, 128, (3, columns))}
        result = simulate(product(change, columns), inputs)
        assert result.match and np.array_equal(result.outputs, inputs["a"] @ inputs["b"])


def test_vectorize_is_a_split_and_an_unroll():
    split = lambda f, a: f.update().split(x, x, "x_lanes", 2).unroll("x_lanes")  # noqa: E731
    design = product(lambda f, a: f.update().vectorize(x, 2))
    assert lower(design).schedule == lower(product(split)).schedule
    assert lower(product(lambda f, a: f.update().vectorize(x))).loop["x"].lanes == 5
    assert not any(loop.systolic for loop in lower(design).loops)


def test_parallel_with_a_size_is_a_split():
    nest = lower(product(lambda f, a: f.update().parallel(x, 2)))
    assert "f.update().split(x, x, x_task, 2)" in nest.schedule
    assert nest.notes[0].message.startswith("parallel(x, 2): x stays in time")


def test_parallel_of_no_loop():
    with pytest.raises(ScheduleError, match=r"parallel\(xo\): xo is not a loop of f.update\(\)") as caught:
        product(lambda f, a: f.update().parallel(xo))
    assert caught.value.legal == ("parallel(y)", "parallel(x)", "parallel(r.x)")
    with pytest.raises(ScheduleError, match=r"vectorize\(xo, 2\): xo is not a loop of f.update\(\)") as caught:
        product(lambda f, a: f.update().unroll(y).vectorize(xo, 2))
    assert caught.value.legal == ("vectorize(x, 2)", "vectorize(r.x, 2)")


def test_notes_of_a_text_are_in_its_notation():
    text = write(design_of(product(lambda f, a: a.in_().compute_at(f, y))))
    more = "a.in().compute_at(f, y);\nf.update().vectorize(x, 8).parallel(y);"
    text = text.replace("f.accelerate", f"{more}\nf.accelerate")
    design = parse(text, "f.hh")
    said = [note.message for note in lower(design.output).notes]
    assert said == [
        "parallel(y): y stays in time, since processing elements are what runs in parallel: unroll(y, 4)",
        "a.in().compute_at(f, y): stated before",
        "vectorize(x, 8): x has 5 iterations, all of them in x_lanes",
    ]
    assert loop_nest(lower(parse(write(design)).output)) == loop_nest(lower(design.output))


def test_notes_are_data_of_the_compiled_design():
    assert [str(note) for note in compile(product(lambda f, a: None)).notes] == []
    assert compile(product(lambda f, a: f.update().reorder(x))).notes[0].message.startswith("reorder(x)")


@pytest.mark.parametrize("command", ["show", "compile", "estimate"])
def test_a_command_says_a_note_once(command: str, tmp_path: Path):
    path = tmp_path / "f.hh"
    path.write_text(write(design_of(product(lambda f, a: f.update().reorder(r, x, y)))))
    output = ("-o", str(tmp_path / "out")) if command == "compile" else ()
    result = CliRunner().invoke(main, [command, str(path), *output])
    assert result.exit_code == 0
    assert result.stderr.count("note: reorder(r.x, x, y)") == 1 and f"at {path}:" in result.stderr
    if command == "show":
        result = CliRunner().invoke(main, [command, str(path), "--json"])
        assert json.loads(result.stdout)["notes"][0].startswith("reorder(r.x, x, y)")
        assert result.stderr.count("note: ") == 1


def test_print_loop_nest_begins_with_the_notes(capsys):
    product(lambda f, a: f.update().reorder(x)).print_loop_nest()
    assert capsys.readouterr().out.startswith("# reorder(x): the loops")
