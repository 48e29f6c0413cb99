"""Programs written for Halide, each a file: the same values after the import, and hardware where the page says so."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halidehw
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "examples" / "halide").glob("*.py"))
PAGE = (ROOT / "docs" / "halide.md").read_text()
ROWS = dict(re.findall(r"^\| \[(\w+)\]\(\.\./examples/halide/\1\.py\) \|[^|]*\| (.*) \|$", PAGE, re.MULTILINE))
"""What the page says of each program."""

NAMES: dict[Path, dict[str, Any]] = {}

def program(path: Path, library: object) -> tuple[Any, list[int]]:
    """The Func of a program and its sizes. The file's arrays stay alive: a Buffer of real Halide does not hold them."""
    names = NAMES.setdefault(path, runpy.run_path(str(path)))
    func, sizes = names["program"](library)
    return func, sizes


def design(path: Path) -> halidehw.Func:
    func, sizes = program(path, halidehw)
    return func.set_estimates([(0, size) for size in sizes])


def test_the_page_has_every_program():
    assert set(ROWS) == {path.stem for path in FILES}
    assert set(ROWS.values()) == {"runs"}


def test_the_example_of_the_page(capsys):
    code, printed = re.findall(r"```(?:python|text)\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_same_values(path: Path):
    halide = pytest.importorskip("halide")
    (func, sizes), (other, _) = program(path, halide), program(path, halidehw)
    expected, found = np.asarray(func.realize(sizes)), np.asarray(other.realize(sizes))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.soak)])
def test_hardware(step):
    """Of every third program; of all in `make soak`."""
    check_each([Design(design(path)) for path in FILES[::step]])
