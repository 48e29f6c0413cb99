"""Runs of the fuzz resume as long as what makes hardware stays as it is."""

from pathlib import Path

from tests.fuzz import journal
from tests.fuzz.journal import STATE, digest, resumed
from tests.fuzz.run import PASSED


def test_a_run_goes_on_where_the_last_one_stopped(tmp_path: Path):
    first = resumed("both", tmp_path)
    assert (first.next, first.tally.total()) == (1, 0)
    first.next = 17
    first.tally[PASSED] += 12
    first.save()
    again = resumed("both", tmp_path)
    assert (again.next, again.tally[PASSED]) == (17, 12)
    assert resumed("interpreted", tmp_path).next == 1


def test_another_state_begins_anew(tmp_path: Path, monkeypatch):
    first = resumed("both", tmp_path)
    first.next = 17
    first.save()
    monkeypatch.setattr(journal, "digest", lambda: "another")
    assert resumed("both", tmp_path).next == 1


def test_the_state_is_all_that_makes_hardware(tmp_path: Path):
    files = [tmp_path / folder / "part.py" for folder in STATE]
    seen = {digest(tmp_path)}
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a = 1")
        seen.add(digest(tmp_path))
        path.write_text("a = 2")
        seen.add(digest(tmp_path))
    assert len(seen) == 2 * len(files) + 1
    assert all((journal.ROOT / folder).is_dir() for folder in STATE)
