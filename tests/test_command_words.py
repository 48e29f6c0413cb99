"""At the command line what would work is said in its own words."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pytest

from halidehw.notation import as_options
from tests.test_cli import design, refusal, run, stdout  # noqa: F401
from tests.test_cli_inputs import assert_another_file_is_made


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("--latency", 0), "--latency 50"),
        (("--words-per-cycle", 0), "no --words-per-cycle: all lanes in every cycle"),
        (("--words-per-cycle", 0), "--words-per-cycle 1"),
        (("--stalls", 1.5), "--stalls 0.3"),
        (("--waves", "run.txt"), "--waves run.vcd"),
        (("--waves", "/proc/run.vcd"), f"--waves {gettempdir()}/run.vcd"),
        (("--waves", "run.vcd", "--waves-from", 9, "--waves-to", 9), "--waves run.vcd --waves-from 0 --waves-to 1000"),
    ],
)
def test_options_are_advised(design, tmp_path, monkeypatch, arguments, advice):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    lines = refusal("simulate", design, *arguments).splitlines()
    assert f"    {advice}" in lines
    assert not any(word in line for line in lines for word in ("Memory(", "Waves(", "waves=", "_"))
    if advice.startswith("--"):
        assert stdout("simulate", design, "--once", *shlex.split(advice))


def test_a_time_out_is_lengthened_by_an_option(design):  # noqa: F811
    lines = refusal("simulate", design, "--timeout-cycles", 50).splitlines()
    assert lines[0].startswith("halidehw: f_accelerator is not done after 50 cycles: a ")
    assert lines[-1] == "    --timeout-cycles 500"
    assert stdout("simulate", design, "--timeout-cycles", 500)


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (np.ones((4, 5), np.int8), "has shape (4, 5)"),
        (np.ones((4, 4), np.float32), "is float32"),
        (np.full((4, 4), 200), "holds 200"),
    ],
)
def test_an_array_that_does_not_fit_is_made_to(design, tmp_path, array, problem):  # noqa: F811
    path = tmp_path / "a.npy"
    np.save(path, array)
    text = refusal("simulate", design, "--input", f"a={path}")
    assert text.startswith(f"halidehw: --input a={path}: the array given for a {problem}")
    assert_another_file_is_made(text, design, tmp_path)


def test_what_a_file_prints_is_not_among_what_a_command_prints(tmp_path):
    """It stood before the JSON."""
    path = tmp_path / "loud.py"
    path.write_text(
        "import halidehw as hl\nx, a, f = hl.Var('x'), hl.ImageParam(hl.Int(8), 1, 'a'), hl.Func('f')\n"
        "f[x] = a[x] + 1\nf.bound(x, 0, 8).accelerate([a]).print_loop_nest()\n"
    )
    for command in (("show", path), ("estimate", path), ("compile", path, "-o", tmp_path / "out")):
        result = run(*command, "--json")
        assert json.loads(result.stdout)["name"] == "f"
        assert result.stderr.startswith("produce f:\n")


def test_waves_options_without_waves(design):  # noqa: F811
    assert "say which part of --waves is written" in refusal("simulate", design, "--waves-to", 9)


def test_a_window_of_waves(design, tmp_path):  # noqa: F811
    path = tmp_path / "run.vcd"
    report = json.loads(stdout("simulate", design, "--waves", path, "--waves-from", 3, "--waves-to", 5, "--json"))
    assert report["match"]
    assert path.read_text().count("\n#") == 4


def test_large_waves_are_foretold(design, tmp_path):  # noqa: F811
    path = tmp_path / "run.vcd"
    result = run("simulate", design, "--once", "--words-per-cycle", 0.01, "--waves", path)
    assert result.exit_code == 0
    assert result.stderr.startswith("halidehw: the waveforms of 1")
    assert " cycles will take about " in result.stderr


def test_an_interrupt_ends_in_a_word(design, monkeypatch):  # noqa: F811
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("halidehw.commands.simulate.simulate", interrupted)
    result = run("simulate", design)
    assert (result.exit_code, result.stderr) == (130, "halidehw: interrupted\n")


def test_a_cache_that_is_no_folder(design, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("HALIDEHW_CACHE", str(design))
    lines = refusal("simulate", design).splitlines()
    problem = f"simulators are kept in {design} (HALIDEHW_CACHE), which is no folder to write to: Not a directory"
    assert lines[0] == f"halidehw: {problem}"
    assert lines[2].startswith("    export HALIDEHW_CACHE=")


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("Memory(latency=50)", "--latency 50"),
        ("Memory(stall_probability=0)", "--stalls 0"),
        ("port_bits=128", "--port-bits 128"),
        ("hide_latency=1", "--hide-latency 1"),
        ("timeout_cycles=5000", "--timeout-cycles 5000"),
        ('scope="array.pe_0"', "--waves-scope array.pe_0"),
        ('prefix="layer_1"', "--prefix layer_1"),
        ("waves='run.txt': the ending", "--waves run.txt: the ending"),
        ('objective="delay"', "--objective delay"),
        ('convention="paper"', "--convention paper"),
        ("half_full=False", "no --half-full"),
        ('estimate(f, "table3")', "--costs table3"),
        ("f.update().split(x, xo, xi, 8)", "f.update().split(x, xo, xi, 8)"),
    ],
)
def test_words(python: str, words: str):
    assert as_options(python) == words


def test_advice_outside_a_command_is_python(tmp_path: Path):
    import halidehw as hl

    with pytest.raises(hl.HalideHWError) as caught:
        hl.Memory(latency=0)
    assert caught.value.legal == ("hl.Memory(latency=1)", "hl.Memory(latency=50)")
