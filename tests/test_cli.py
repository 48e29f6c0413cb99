"""The command line: its output, and what it says of bad input."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import halidehw.commands
from halidehw.cli import main

EXAMPLES = Path(__file__).parents[1] / "examples"

HEAD = """ImageParam a(Int(8), 2);
ImageParam b(Int(8), 2);
Var x, y, xo, xi, q;
RDom r(0, 4);
Func f(Int(32), 2);
f(x, y) += cast<int32_t>(a(r, y)) * cast<int32_t>(b(x, r));
"""
BOUNDS = "f.bound(x, 0, 8).bound(y, 0, 4);\n"
TAIL = "f.accelerate({a, b});\n"
DESIGN = HEAD + BOUNDS + "f.update().unroll(x, 4);\n" + TAIL


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def stdout(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def refusal(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    return result.stderr


@pytest.fixture
def design(tmp_path: Path) -> Path:
    path = tmp_path / "f.hh"
    path.write_text(DESIGN)
    return path


def test_compile(design, tmp_path):
    lines = stdout("compile", design, "-o", tmp_path / "out").splitlines()
    assert [Path(line).name for line in lines] == [
        "f.v", "loop_nest.txt", "microarchitecture.txt", "microarchitecture.svg", "design.json",
    ]  # fmt: skip
    assert all(Path(line).is_file() for line in lines)


def test_compile_with_a_prefix_and_loops(design, tmp_path):
    stdout("compile", design, "-o", tmp_path / "out", "--prefix", "layer1", "--loops")
    text = (tmp_path / "out" / "f.v").read_text()
    assert "module layer1_accelerator (" in text
    assert "for (i0 = 0; i0 < 4; i0 = i0 + 1)" in text


def test_compile_json(design, tmp_path):
    report = json.loads(stdout("compile", design, "-o", tmp_path / "out", "--json"))
    assert {"name", "module", "pes", "lines", "files"} == report.keys()
    assert (report["name"], report["module"], report["pes"]) == ("f", "f_accelerator", 4)


def test_show(design):
    text = stdout("show", design)
    assert "schedule\n  f.update().unroll(x, 4)\n" in text
    assert "for x in [0, 8) (4 lanes on dimension 0):" in text
    assert "f_accelerator: 4 PEs" in text


def test_show_passes_prints_every_level(design):
    text = stdout("show", design, "--passes")
    assert "produce f:" in text and "network f: 4 PEs" in text
    assert "process writer:" in text and "sinks port f" in text
    found = json.loads(stdout("show", design, "--passes", "--json"))
    assert "\n".join([*found["nests"], "", *found["network"]]).split() == text.split()


def test_show_json():
    report = json.loads(stdout("show", EXAMPLES / "conv.hh", "--json"))
    whole = {"name", "schedule", "notes", "stages", "loops", "buffers", "microarchitecture", "layouts", "latencies"}
    assert whole == report.keys()
    assert not report["stages"]
    loops = [(loop["name"], loop["min"], loop["extent"], loop["kind"]) for loop in report["loops"]]
    assert loops == [
        ("k", 0, 64, "temporal"), ("yo", 0, 2, "temporal"), ("xo", 0, 2, "temporal"), ("yi", 0, 8, "temporal"),
        ("xi", 0, 8, "spatial"), ("r.z", 0, 3, "temporal"), ("r.y", -2, 5, "temporal"), ("r.x", -2, 5, "temporal"),
    ]  # fmt: skip
    spatial = report["loops"][4]
    assert (spatial["lanes"], spatial["systolic"], spatial["dimension"]) == (4, True, 0)
    assert report["buffers"][0] == {
        "name": "input_in", "tensor": "input", "at": "xo", "extents": [12, 12, 3], "words": 432, "per_pe": False,
        "double": True, "slide": None, "capacity": None,
    }  # fmt: skip


def test_simulate(design):
    text = stdout("simulate", design)
    assert text.startswith("""f: bit for bit as the algorithm
  32 words compared: 32 distinct, 0 the least or greatest int32
  on 8 further starts: 32 words compared, as well
  under random stalls, after an abort: 32 words compared, as well
  with each memory held back, after a reset: 32 words compared, as well
  on a slower memory: 32 words compared, as well
  128 iterations on 4 PEs in """)


def test_once_is_the_run_alone(design):
    assert "second start" not in stdout("simulate", design, "--once")
    report = json.loads(stdout("check", design, "--once", "--json"))
    assert report["agree"] and report["further"] == []


def test_what_was_compared_as_json(design):
    for command in ("simulate", "check"):
        report = json.loads(stdout(command, design, "--json"))
        assert report["compared"] == {"words": 32, "distinct": 32, "saturated": 0}
        assert [(run["run"], run["words"], run["mismatches"]) for run in report["further"]] == [
            ("on 8 further starts", 32, 0), ("under random stalls, after an abort", 32, 0),
            ("with each memory held back, after a reset", 32, 0), ("on a slower memory", 32, 0),
        ]  # fmt: skip


def test_simulate_json_and_files(design, tmp_path):
    rng = np.random.default_rng(5)
    a, b = rng.integers(-128, 127, (4, 4)).astype(np.int8), rng.integers(-128, 127, (4, 8)).astype(np.int8)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    given = ["--input", f"a={tmp_path / 'a.npy'}", "--input", f"b={tmp_path / 'b.npy'}"]
    files = ["--output", tmp_path / "f.npy", "--waves", tmp_path / "f.vcd"]
    report = json.loads(stdout("simulate", design, *given, *files, "--json"))
    assert {"match", "cycles", "macs", "pes", "utilization", "counters"} <= report.keys()
    assert report["match"] is True and report["macs"] == 128
    assert report["counters"]["f_words"] == 32
    assert np.array_equal(np.load(tmp_path / "f.npy"), a.astype(np.int32) @ b)
    assert (tmp_path / "f.vcd").read_text().startswith("$")


def test_simulate_on_a_slow_memory(design):
    fast = json.loads(stdout("simulate", design, "--json"))
    slow = json.loads(
        stdout("simulate", design, "--json", "--latency", 20, "--words-per-cycle", 0.5, "--stalls", 0.2, "--seed", 3)
    )
    assert slow["match"] and slow["cycles"] > fast["cycles"]


def test_simulate_behind_a_bus_takes_what_estimate_says(design):
    asked = "--bus", "axi4", "--bus-bits", 64, "--latency", 20
    found = json.loads(stdout("simulate", design, "--json", *asked))
    told = json.loads(stdout("estimate", design, "--json", *asked))
    assert found["match"] and found["cycles"] == told["cycles"]["total"]
    usual = json.loads(stdout("simulate", design, "--json", "--bus", "axi4", "--once"))
    assert usual["cycles"] > found["cycles"], "a bus is as slow as it expects memory to be"


def test_wide_ports(design):
    ports = json.loads(stdout("show", design, "--port-bits", 32, "--json"))["microarchitecture"]["ports"]
    assert max(port["lanes"] for port in ports) == 4


def test_a_mismatch_exits_1(design, monkeypatch):
    monkeypatch.setattr("halidehw.driver.run.reference", lambda *_: np.zeros((4, 8), np.int32))
    result = run("simulate", design)
    assert result.exit_code == 1
    assert "words DIFFER" in result.stdout


def test_demo(tmp_path):
    pytest.importorskip("matplotlib")
    text = stdout("demo", "-o", tmp_path, "--size", 16)
    assert "4 filters of 5x5x3 over 16x16 pixels: bit for bit as NumPy and the reference" in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["after.png", "before.png"]


def test_the_digits_of_the_demo_name_the_packages_that_are_missing(monkeypatch):
    monkeypatch.setattr("halidehw.demo.digits.PACKAGES", ("json", "nothing_of_that_name"))
    assert "halidehw: digits need nothing_of_that_name: python -m pip install" in refusal("demo", "--digits", 1)


def test_demo_json(tmp_path):
    pytest.importorskip("matplotlib")
    report = json.loads(stdout("demo", "-o", tmp_path, "--size", 16, "--json"))
    assert report["match"] is True
    assert 1 <= report["ratio"] < 1.05


BAD = {
    "unknown loop": (BOUNDS + "f.update().split(q, xo, xi, 2);", "q is not a loop of f", "split(y, xo, xi, 2)"),
    "loop twice": (BOUNDS + "f.update().reorder(x, y, x);", "x is named twice", "reorder(y, x)"),
    "split by 0": (BOUNDS + "f.update().split(x, xo, xi, 0);", "the factor 0 is not", "split(x, xo, xi, 8)"),
    "systolic, not unrolled": (BOUNDS + "f.update().systolic({x});", "x is not unrolled", "unroll(x, 4).systolic({x})"),
    "compute_at outside": (BOUNDS + "a.in().compute_at(f, xo);", "xo of f is not a loop", "a.in().compute_at(f, y)"),
    "input left out": (BOUNDS + "f.accelerate({a});", "it leaves out b", "f.accelerate({a, b})"),
    "syntax": (BOUNDS + "f.update().split(x, xo xi, 4);", "expected ')', ',' or an operator, but found 'xi'", "^"),
    "never declared": (BOUNDS + "g.unroll(x);", "g was never declared", "g.unroll(x);"),
    "no bounds": ("f.bound(x, 0, 8);", "the extent of y of f is not known", "f.bound(y, 0, 16)"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_text(case, tmp_path):
    lines, message, shown = BAD[case]
    path = tmp_path / "bad.hh"
    path.write_text(HEAD + lines)
    text = refusal("compile", path, "-o", tmp_path / "out")
    assert text.startswith("halidehw: ")
    assert message in text and shown in text
    assert f"{path}:{6 if case == 'no bounds' else 8}" in text
    assert not (tmp_path / "out").exists()


def test_an_index_outside_an_input(tmp_path):
    path = tmp_path / "bad.hh"
    path.write_text(HEAD + BOUNDS + "a.dim(0).set_bounds(0, 3);\n" + TAIL)
    text = refusal("compile", path, "-o", tmp_path / "out")
    assert "a is read at dimension 0 in [0, 3] but has [0, 2]" in text
    assert "a.dim(0).set_bounds(0, 4)" in text
    assert f"{path}:6" in text
    assert "click" not in text
    assert not (tmp_path / "out").exists()


def test_unroll_of_a_loop_whose_extent_is_not_known(tmp_path):
    path = tmp_path / "bad.hh"
    path.write_text(HEAD + "f.update().unroll(x);\n" + BOUNDS + TAIL)
    text = refusal("show", path)
    assert "unroll(x)" in text and "unroll(x, 4)" in text


def test_a_bad_python_design_shows_its_own_line(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("import halidehw as hl\nx = hl.Var('x')\nf = hl.Func('f')\nf[x] = 1\nf.split(x, x, x, 0)\n")
    text = refusal("show", path)
    assert f"{path}:5\n    f.split(x, x, x, 0)" in text


def test_a_python_file_that_stops(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("import halidehw as hl\n\noutput = undefined_name\n")
    text = refusal("show", path)
    assert text == (
        f"halidehw: {path} stops with NameError: name 'undefined_name' is not defined\n"
        f"  at {path}:3\n    output = undefined_name\n"
    )


def test_a_python_file_that_leaves(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("raise SystemExit(3)\n")
    assert f"{path} stops with SystemExit: 3" in refusal("show", path)


def test_a_python_file_with_a_syntax_error(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("x = (\n")
    assert "stops with SyntaxError" in refusal("show", path)


def test_a_file_that_is_not_there(tmp_path):
    assert f"File '{tmp_path / 'none.hh'}' does not exist" in refusal("show", tmp_path / "none.hh")


def test_a_folder_instead_of_a_file(tmp_path):
    assert f"File '{tmp_path}' is a directory" in refusal("show", tmp_path)


def test_a_file_of_another_kind(tmp_path):
    (tmp_path / "f.txt").write_text(DESIGN)
    assert "is neither a .hh text nor a Python file" in refusal("show", tmp_path / "f.txt")


def test_an_output_folder_that_is_a_file(design, tmp_path):
    (tmp_path / "taken").write_text("mine")
    for path in (tmp_path / "taken", tmp_path / "taken" / "below"):
        text = refusal("compile", design, "-o", path)
        assert f"halidehw: -o {path}: {tmp_path / 'taken'} is a file, not a folder\n" in text
        assert "what would work:\n    -o build" in text
    assert (tmp_path / "taken").read_text() == "mine"


def test_an_output_folder_that_cannot_be_written(design, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    (tmp_path / "closed").mkdir()
    making = os.mkdir

    def make(path, *mode, **more):
        if "closed" in str(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        making(path, *mode, **more)

    monkeypatch.setattr(os, "mkdir", make)
    text = refusal("compile", design, "-o", Path("closed", "out"))
    assert text == (
        f"halidehw: -o closed/out: nothing may be written in {tmp_path / 'closed'}\n  what would work:\n    -o build1\n"
    )
    stdout("compile", design, "-o", "build1")


@pytest.mark.parametrize(
    ("flag", "value", "message"),
    [
        ("--latency", 0, "a memory latency of 0 cycles"),
        ("--words-per-cycle", 0, "a memory that moves 0.0 words a cycle: it must be a number of at least 0.001"),
        ("--stalls", 1.5, "a stall probability of 1.5"),
        ("--waves", "run.txt", "the ending of the name says the format"),
        ("--words-per-cycle", "nan", "nan is no number of words"),
        ("--waves", "nowhere/run.vcd", "the waveforms cannot be written to nowhere/run.vcd: No such file"),
        ("--output", "nowhere/f.npy", "there is no folder nowhere"),
        ("--seed", -1, "-1 is not in the range x>=0"),
        ("--port-bits", -1, "-1 is not in the range x>=0"),
        ("--hide-latency", 0, "0 is not in the range x>=1"),
        ("--seed", "x", "'x' is not a valid integer"),
        ("--nonsense", 1, "No such option"),
    ],
)
def test_bad_flags(design, flag, value, message):
    assert message in refusal("simulate", design, flag, value)


def test_a_command_that_is_not_there():
    assert "No such command 'simulat'" in refusal("simulat")


@pytest.mark.parametrize("module", ["halidehw", "halidehw.cli"])
def test_the_module_is_the_command(module):
    """`halidehw.cli` printed nothing."""
    done = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, CliRunner().invoke(main, ["--version"], prog_name="halidehw").output)


def test_all_commands_are_loaded_by_their_names():
    """They are written in two places, as each is loaded when it is called."""
    texts = [file.read_text() for file in Path(halidehw.commands.__path__[0]).glob("*.py")]
    written = {name for text in texts for name in re.findall(r'@click\.command\("(\w+)"\)', text)}
    found = {name: main.get_command(None, name) for name in main.list_commands(None)}
    assert written == set(found) and all(each and each.name == name for name, each in found.items())
    assert main.get_command(None, "nonsense") is None
