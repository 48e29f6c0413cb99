"""Schedules as values: rewritten for other extents, kept on disk, applied to other algorithms of their class."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

import halidehw as hl
from halidehw import Schedule
from halidehw.errors import ScheduleError
from halidehw.frontend.pipeline import tensors_of
from halidehw.scheduler import lower_graph
from tests.fuzz.check import check_interpreter
from tests.fuzz.designs import Design

FILE = Path(__file__).parents[1] / "examples" / "transfer" / "gemm.py"
gemm = SimpleNamespace(**runpy.run_path(str(FILE)))


def line(extent: int, names: str = "f x a", taps: int = 3, step: int = 1):
    func, var, image = names.split()
    x, r = hl.Var(var), hl.RDom([(0, taps)], "q" if var == "i" else "r")
    f, a = hl.Func(func), hl.ImageParam(hl.Int(8), 1, image)
    f[x] += hl.i32(a[step * x + r.x]) * 3
    return f.bound(x, 0, extent), a


def tiled(extent: int = 32, factor: int = 8):
    f, a = line(extent)
    f.update().split("x", "xo", "xi", factor).reorder("xi", "r.x", "xo").unroll("xi", 4)
    a.in_().compute_at(f, "xo")
    return f


def test_a_split_holds_where_it_divides():
    found = Schedule.of(tiled())
    assert list(map(str, found.condition)) == ["x == 32", "r.x == 3"]
    general = found.parametric()
    assert list(map(str, general.condition)) == ["x % 8 == 0"]
    wide, _ = line(128, "g i b", taps=5, step=2)
    check_interpreter(Design(general.apply(wide)))
    assert [loop.extent for loop in lower_graph(wide).output.loops] == [16, 5, 8]
    assert [str(each) for _, each in wide.schedule][-1] == "b.in_().compute_at(g, xo)"
    odd, _ = line(30)
    assert general.misfits(odd) == ("x % 8 == 0 does not hold where x = 30",)
    check_interpreter(Design(found.parametric(guarded=True).apply(odd)))


def test_the_outer_loop_may_be_what_stays():
    general = Schedule.of(tiled()).parametric(scaled=["xi"])
    assert "split(x, xo, xi, 8) with factor = x/4" in str(general)
    f, _ = line(64)
    assert [loop.extent for loop in lower_graph(general.apply(f)).output.loops] == [4, 3, 16]
    rest, _ = line(30)
    assert general.misfits(rest) == ("x % 4 == 0 does not hold where x = 30",)
    check_interpreter(Design(Schedule.of(tiled()).parametric(scaled=["xi"], guarded=True).apply(rest)))


def test_splits_of_splits_fuses_and_tiles():
    x, y = hl.vars("x y")
    f, a = hl.Func("f"), hl.ImageParam(hl.Int(8), 2, "a")
    f[x, y] = a[x, y] + hl.i8(1)
    f.set_bounds([(0, 48), (0, 16)])
    f.tile(x, y, "xo", "yo", "xi", "yi", 8, 4).fuse("xo", "yo", "t").split("t", "to", "ti", 3)
    f.split("xi", "xm", "xi", 4).dataflow("yi | xi")
    general = Schedule.of(f).parametric()
    assert list(map(str, general.condition)) == ["x % 8 == 0", "y % 4 == 0", "(x*y) % 96 == 0"]
    assert Schedule.parse(general.text()) == general


def test_the_products_of_the_thesis():
    """The schedules found for 512 and for 1024, each on the other's size."""
    at_512, at_1024 = Schedule.of(gemm.for_512()), Schedule.of(gemm.for_1024())
    assert at_512.misfits(gemm.product(1024, 16)[0])[0] == "d.n == 512 does not hold where d.n = 1024"
    small = lower_graph(gemm.on(1024, at_512.parametric())).output
    assert extents(small) == {"nooo": 8, "mooo": 8, "noo": 8, "moo": 8, "no": 1, "mo": 1, "ni": 16, "mi": 16,
                              "ko": 16, "ki": 1}  # fmt: skip
    assert {loop.extent for loop in lower_graph(gemm.for_512()).output.loops if loop.name in ("nooo", "mooo")} == {4}
    graph = lower_graph(gemm.on(512, at_1024.parametric()))
    assert extents(graph.output) == {"no": 16, "mo": 2, "ni": 32, "mi": 256}
    inside = {"d.nooo": 1, "d.noo": 1, "d.no": 16, "d.ni": 2, "d.mooo": 1, "d.moo": 8, "d.mo": 4, "d.mi": 8}
    found = extents(graph.stage["d"])
    assert {name: found[name] for name in inside} == inside
    assert [buffer.extents for buffer in graph.output.buffers] == [(32, 256)]


def extents(nest):
    return {loop.name: loop.extent for loop in nest.loops}


@pytest.mark.soak
@pytest.mark.parametrize(("made", "size"), [("for_512", 1024), ("for_1024", 512)])
def test_the_products_are_right_in_hardware(made: str, size: int):
    func = gemm.on(size, Schedule.of(getattr(gemm, made)(depth=4)).parametric(), 4)
    compiled = hl.compile(func, port_bits=64)
    assert hl.simulate(compiled, Design(func).inputs, once=True).match


def test_what_does_not_fit_is_refused_and_changes_nothing():
    general = Schedule.of(tiled()).parametric()
    other = hl.Func("other")
    x, b = hl.Var("x"), hl.ImageParam(hl.Int(8), 1, "b")
    other[x] = b[x] + b[x + 1]
    other.bound(x, 0, 32)
    with pytest.raises(ScheduleError, match="other is of another class"):
        general.apply(other)
    with pytest.raises(ScheduleError, match=r"f has a schedule already: f\.update"):
        general.apply(tiled())
    with pytest.raises(ScheduleError, match="the extent of x is not known"):
        general.apply(unbounded())
    odd, _ = line(30)
    with pytest.raises(ScheduleError, match="x % 8 == 0 does not hold where x = 30") as refused:
        general.apply(odd)
    assert refused.value.legal == ("schedule.parametric(guarded=True).apply(f)",)
    plain, _ = line(32)
    before = state(plain)
    text = general.text().replace('"var": "xo"', '"var": "nowhere"')
    with pytest.raises(ScheduleError, match=r"does not fit f: .*nowhere is not a loop of f"):
        Schedule.parse(text).apply(plain)
    assert state(plain) == before


def unbounded():
    f, a, x, r = hl.Func("f"), hl.ImageParam(hl.Int(8), 1, "a"), hl.Var("x"), hl.RDom([(0, 3)], "r")
    f[x] += hl.i32(a[x + r.x]) * 3
    return f


def state(func):
    return [(tensor.name, [str(each) for each in getattr(tensor, "schedule", ())], tensor.wrappers)
            for tensor in tensors_of(func)]  # fmt: skip


def test_a_condition_that_no_extents_meet_is_refused():
    f, _ = line(32)
    f.update().split("x", "xo", "xi", 8).split("xi", "xm", "xi", 3)
    with pytest.raises(ScheduleError, match="no extents meet"):
        Schedule.of(f).parametric()
    assert Schedule.of(f).parametric(guarded=True).condition == ()
    text = Schedule.of(tiled()).parametric().text().replace('"x % 8 == 0"', '"x % 8 == 0", "x < 8"')
    with pytest.raises(ScheduleError, match="no extents meet x % 8 == 0 and x < 8"):
        Schedule.parse(text)


def test_files(tmp_path: Path):
    general = Schedule.of(tiled()).parametric()
    general.save(tmp_path / "tiled.json")
    assert Schedule.load(tmp_path / "tiled.json") == general
    good = json.loads(general.text())
    for wrong, said in [
        ("{", "is no JSON"),
        (json.dumps(good | {"version": 0}), "of version 0, not 1; save it again"),
        (json.dumps({key: good[key] for key in good if key != "lines"}), "is no whole schedule: KeyError"),
        (json.dumps(good | {"condition": ["x ? 8"]}), "'x ? 8' is no condition on extents"),
        (json.dumps(good | {"lines": [{"func": "f", "stage": 1, "directive": "Shuffle"}]}), "'Shuffle' is not a"),
    ]:
        (tmp_path / "wrong.json").write_text(wrong)
        with pytest.raises(ScheduleError, match=said.replace("?", r"\?")):
            Schedule.load(tmp_path / "wrong.json")
    with pytest.raises(ScheduleError, match="cannot read the schedule"):
        Schedule.load(tmp_path / "none.json")
    with pytest.raises(ScheduleError, match="'open\\(1\\)' is no size"):
        Schedule.parse(json.dumps(good | {"lines": [good["lines"][0] | {"sizes": {"factor": "open(1)"}}]}))


def test_what_has_no_schedule_and_what_is_no_inner_loop():
    with pytest.raises(ScheduleError, match="f has no schedule"):
        Schedule.of(line(8)[0])
    with pytest.raises(ScheduleError, match="xo is the inner loop of no split"):
        Schedule.of(tiled()).parametric(scaled=["xo"])
