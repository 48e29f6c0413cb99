"""A few mistakes in the package's source, and tests that find them; hundreds of them: `make soak`."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.mutants.python import EXPLAINED, SURVIVES, Caller, answer
from tests.mutants.source import changes

FOUND = {
    r"microarch/walk\.py.*Add is Sub": "tests/microarch/test_walk.py",
    r"microarch/division\.py.*Add is Sub": "tests/microarch/test_division.py",
}
"""A change -> the tests that find it."""


@pytest.mark.soak
@pytest.mark.parametrize("like", FOUND)
def test_tests_find(like):
    change = next(each for each in changes() if re.search(like, str(each)))
    assert answer(change, {f"{change.file}:{change.function}": [Caller(FOUND[like], 1, 1)]}).startswith("FAILED")


def test_the_package_itself_passes():
    change = next(each for each in changes() if each.file.endswith("energy_model/timeline.py"))
    tests = [Caller("tests/microarch/test_walk.py", 1, 1)]
    assert answer(change, {f"{change.file}:{change.function}": tests}) == SURVIVES


def test_what_is_explained_exists():
    known = tomllib.loads(EXPLAINED.read_text())["source"]
    assert set(known) <= {str(change) for change in changes()}


def test_names_are_of_one_change_each():
    assert len({str(change) for change in changes()}) == len(changes())
