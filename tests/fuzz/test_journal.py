"""Runs of the fuzz resume as long as what makes hardware stays as it is."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from halidehw.errors import SimulationError
from halidehw.microarch.interface import Interface, Port
from halidehw.simulate import Experiment, Memory, Run, Scenario
from tests.fuzz import journal
from tests.fuzz import remembered as remembering
from tests.fuzz.journal import DESIGNS, MACHINES, digest, resumed
from tests.fuzz.remembered import remembered
from tests.fuzz.run import PASSED


def test_a_run_goes_on_where_the_last_one_stopped(tmp_path: Path):
    first = resumed("both", folder=tmp_path)
    assert (first.next, first.tally.total()) == (1, 0)
    first.next = 17
    first.tally[PASSED] += 12
    first.save()
    again = resumed("both", folder=tmp_path)
    assert (again.next, again.tally[PASSED]) == (17, 12)
    assert resumed("interpreted", folder=tmp_path).next == 1


def test_another_state_begins_anew(tmp_path: Path, monkeypatch):
    first = resumed("both", folder=tmp_path)
    first.next = 17
    first.save()
    monkeypatch.setattr(journal, "digest", lambda state: "another")
    assert resumed("both", folder=tmp_path).next == 1


def test_the_state_is_all_that_makes_hardware(tmp_path: Path):
    """Of machines it is more: what makes and predicts their lists, and how they are drawn."""
    for state, other in ((MACHINES, 5), (DESIGNS, 0)):
        root = tmp_path / str(other)
        files = [root / folder / "part.py" for folder in state.folders]
        seen = {digest(state, root)}
        for path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            for text in ("a = 1", "a = 2"):
                path.write_text(text)
                seen.add(digest(state, root))
        assert len(seen) == 2 * len(files) + 1 and len(files) == len(DESIGNS.folders) + other
        assert all((journal.ROOT / folder).is_dir() for folder in state.folders)
        before = digest(state, root)
        (root / "tests/fuzz/machines.py").write_text("a = 1")
        assert (digest(state, root) == before) == (state == DESIGNS)


def test_only_what_is_new_is_simulated(tmp_path: Path, monkeypatch):
    """Other Verilog, other words and another memory are; the same design, written and drawn anew, is not."""
    asked: list[Experiment] = []

    def simulate(experiments):
        asked.extend(experiments)
        return [SimulationError("stuck") if "wrong" in each.verilog else (Run({}, {}, 7),) for each in experiments]

    monkeypatch.setattr(remembering, "simulate_together", simulate)
    interface = Interface("a", (Port("x", "x", "read", 1, 8, True, 3, 2),), ())
    first, same = (Experiment("module a", interface, (Scenario({"x": np.arange(3)}),)) for _ in range(2))
    words = replace(first, scenarios=(Scenario({"x": np.arange(1, 4)}),))
    late = replace(first, scenarios=(Scenario({"x": np.arange(3)}, Memory(latency=9)),))
    text, wrong = replace(first, verilog="module b"), replace(first, verilog="module wrong")
    for each, new in [(first, 1), (same, 0), (words, 1), (late, 1), (text, 1), (wrong, 1), (wrong, 1)]:
        before = len(asked)
        (found,) = remembered([each], tmp_path)
        assert len(asked) - before == new
        assert isinstance(found, SimulationError) if each is wrong else found[0].cycles == 7
