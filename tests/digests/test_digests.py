"""The hardware of some sixty designs stays what it is while the house is rebuilt: digests of its Verilog.

A change that means to change hardware lists the designs in its message and runs `pytest tests/digests --update-golden`.
`designs` has random designs as texts, each with its options in its first line; `draw.py` made them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import halidehw as hl
from tests.digests.canonical import canonical, digest

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
FILES = [*sorted(EXAMPLES.glob("*.hh")), EXAMPLES / "line_buffer.py", *sorted((EXAMPLES / "dataflows").glob("*.py")),
         *sorted((HERE / "designs").glob("*.hh"))]  # fmt: skip


def compiled(file: Path) -> hl.Compiled:
    bits = re.match(r"// port_bits=(\d+)\n", file.read_text())
    return hl.compile(hl.load(file), port_bits=int(bits[1]) if bits else 0)


def test_the_hardware_is_what_it_was(golden: Callable[[str, str], None]) -> None:
    found = {file.stem: compiled(file) for file in FILES if file.name != "run.py"}
    assert len(found) >= 60
    golden("digests.txt", "".join(f"{name} {digest(c.verilog, c.interface)}\n" for name, c in sorted(found.items())))


def test_internal_names_and_comments_do_not_matter_but_ports_and_structure_do() -> None:
    design = compiled(EXAMPLES / "gemm.hh")
    text = canonical(design.verilog, design.interface)
    renamed = re.sub(r"\brunning\b", "busy", "// a comment\n" + design.verilog)
    assert canonical(renamed, design.interface) == text
    assert canonical(design.verilog.replace(" + ", " - ", 1), design.interface) != text
    assert canonical(design.verilog.replace("product_ready", "product_go"), design.interface) != text
