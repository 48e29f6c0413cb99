"""`halidehw estimate` and `halidehw check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from halidehw.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_estimate_prints_a_page():
    result = run("estimate", EXAMPLES / "conv.hh")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("output: 1228800 iterations on 4 PEs in 307")
    assert "energy by Interstellar, Table 3 (28 nm)" in result.stdout


def test_estimate_as_json():
    report = json.loads(run("estimate", EXAMPLES / "gemm.hh", "--json", "--words-per-cycle", 0.5).stdout)
    assert report["macs"] == 32**3
    assert report["cycles"]["total"] == sum(report["gap"].values()) + report["ideal_cycles"]
    assert report["counts"]["product_words"] == 1024


def test_estimate_draws(tmp_path):
    pytest.importorskip("matplotlib")
    assert run("estimate", EXAMPLES / "gemm.hh", "--plot", tmp_path / "page.png").exit_code == 0
    assert (tmp_path / "page.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--words-per-cycle", 0), "at least 0.001"),
        (("--words-per-cycle", "nan"), "is no number of words"),
        (("--latency", 0), "a memory latency of 0 cycles"),
        (
            ("--costs", "none.toml"),
            "no file, nor the name of a built-in table\n  what would work:\n    --costs osu018\n    --costs table3",
        ),
    ],
)
def test_bad_input(arguments: tuple, message: str):
    result = run("estimate", EXAMPLES / "gemm.hh", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_check_puts_model_and_hardware_side_by_side():
    result = run("check", EXAMPLES / "gemm.hh", "--json", "--latency", 5)
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["match"] and report["agree"]
    assert {"cycles", "macs", "a_in_read", "sums_written", "stalls_sums"} <= set(report["counts"])
    assert all(count["model"] == count["hardware"] for count in report["counts"].values())
