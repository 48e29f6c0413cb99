"""What the command line says of arrays in files that do not fit."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.test_cli import design, refusal, stdout  # noqa: F401


def test_an_array_of_the_wrong_shape(design, tmp_path):  # noqa: F811
    np.save(tmp_path / "a.npy", np.ones((4, 5), np.int8))
    text = refusal("simulate", design, "--input", f"a={tmp_path / 'a.npy'}")
    assert "the array given for a has shape (4, 5); it takes int8 of shape (4, 4)" in text
    assert "for the indices (0 .. 3, 0 .. 3)" in text
    assert "click" not in text
    assert_another_file_is_made(text, design, tmp_path)


def assert_another_file_is_made(text: str, file: Path, folder: Path) -> None:
    """Runs what is proposed: a command, and an option. The file that was given stays as it is."""
    before = (folder / "a.npy").read_bytes()
    command, option = map(shlex.split, text.partition("what would work:\n")[2].splitlines())
    assert command[:2] == ["python", "-c"]
    subprocess.run([sys.executable, *command[1:]], check=True)
    assert (folder / "a.npy").read_bytes() == before
    assert option[0] == "--input"
    array = np.load(option[1].removeprefix("a="))
    assert (array.shape, bool(array.any())) == ((4, 4), True)
    assert "bit for bit" in stdout("simulate", file, *option, "--once")


def test_an_array_of_the_wrong_type(design, tmp_path):  # noqa: F811
    np.save(tmp_path / "a.npy", np.ones((4, 4)))
    (tmp_path / "a_int8.npy").write_text("mine")
    text = refusal("simulate", design, "--input", f"a={tmp_path / 'a.npy'}")
    assert "the array given for a is float64" in text
    assert_another_file_is_made(text, design, tmp_path)
    assert (tmp_path / "a_int8.npy").read_text() == "mine"


def test_an_array_of_which_nothing_can_be_made(design, tmp_path):  # noqa: F811
    np.save(tmp_path / "a.npy", np.zeros(3, np.int8))
    text = refusal("simulate", design, "--input", f"a={tmp_path / 'a.npy'}")
    assert text.endswith("has shape (3,); it takes int8 of shape (4, 4), for the indices (0 .. 3, 0 .. 3)\n")


def test_an_input_that_the_design_has_not(design, tmp_path):  # noqa: F811
    np.save(tmp_path / "w.npy", np.zeros(3))
    text = refusal("simulate", design, "--input", f"w={tmp_path / 'w.npy'}")
    assert "f has no input w; its inputs are a, b" in text
    file = tmp_path / "w.npy"
    assert text.endswith(f"what would work:\n    --input a={file}\n    --input b={file}\n")


def test_an_input_file_that_is_not_there(design, tmp_path):  # noqa: F811
    file = tmp_path / "none.npy"
    assert f"halidehw: {file}: No such file or directory" in refusal("simulate", design, "--input", f"a={file}")


def test_an_input_file_that_is_no_array(design, tmp_path):  # noqa: F811
    (tmp_path / "a.npy").write_text("text")
    assert "holds no NumPy array" in refusal("simulate", design, "--input", f"a={tmp_path / 'a.npy'}")


def test_an_input_without_a_file(design):  # noqa: F811
    assert "'a' is not NAME=FILE.npy" in refusal("simulate", design, "--input", "a")


def test_an_input_that_is_given_twice(design, tmp_path):  # noqa: F811
    np.save(tmp_path / "a.npy", np.zeros(4, np.int8))
    given = ("--input", f"a={tmp_path / 'a.npy'}")
    assert "a is given twice" in refusal("simulate", design, *given, *given)
