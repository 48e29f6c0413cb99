"""Verilog to a netlist of cells."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from halidehw.synthesis.netlist import MACRO, Netlist, read_netlist
from halidehw.synthesis.tools import Tools, run

CELL_BITS = 1024
"""Memories of more bits are macros: up to 128 B, twice the largest register file of Table 4, are cells."""

_SCRIPT = """
read_verilog -DCELL_BITS={cell_bits} design.v
hierarchy -check -top {top}
proc
opt
memory -nomap
opt
memory_map
opt -full
techmap
opt
check -assert
dfflibmap -liberty {library}
opt
abc -liberty {library} -constr drive.sdc -script +{mapping}
opt_clean
write_json netlist.json
"""

_MAPPING = (
    "strash", "&get -n", "&fraig -x -C 100", "&put", "scorr", "dc2", "dretime", "strash", "&get -n", "&dch -f", "&nf",
    "&put", "buffer", "upsize", "dnsize", "stime -p",
)  # fmt: skip
"""What ABC is told: what Yosys tells it, but that it gives up to prove two nets equal after 100 conflicts instead of a
million. The high bits of a product have many nets that are nearly equal, and each such proof takes minutes."""

_DRIVE = "set_driving_cell BUFX2\nset_load 0.02 [all_outputs]\n"


def synthesise(verilog: str, top: str, tools: Tools, folder: Path, cell_bits: int = CELL_BITS) -> Netlist:
    """The netlist of a design, its modules kept apart; memories of more than `cell_bits` bits are macros.

    Writes what it does into `folder`. Raises SynthesisError where Yosys fails.
    """
    (folder / "design.v").write_text(with_macros(verilog))
    (folder / "drive.sdc").write_text(_DRIVE)
    (folder / "synthesise.ys").write_text(_script(top, tools, cell_bits))
    run([tools.yosys, "-q", "-l", "synthesise.log", "synthesise.ys"], folder)
    return read_netlist((folder / "netlist.json").read_text())


def _script(top: str, tools: Tools, cell_bits: int) -> str:
    mapping = ";".join(_MAPPING).replace(" ", ",")
    return _SCRIPT.format(cell_bits=cell_bits, top=top, library=tools.library, mapping=mapping)


_MEMORY = re.compile(r"^module (\w+_(?:ram|one_port)) (#.*?\n\);\n)(.*?)^endmodule\n", re.M | re.S)


def with_macros(verilog: str) -> str:
    """A design whose memories are macros where they are large (`memory.v`), and else what they were."""
    template, heads = resources.files(__package__).joinpath("memory.v").read_text(), list[str]()

    def replaced(module: re.Match[str]) -> str:
        name, head, body = module.groups()
        heads.append(head := head.replace("output reg ", "output wire"))
        either = template.replace("@WORDS@\n", body.replace("read_data <=", "late <="))
        return f"module {name} {head}{either}endmodule\n"

    text = _MEMORY.sub(replaced, verilog)
    return text + "".join(f"\n(* blackbox *)\nmodule {MACRO} {head}endmodule\n" for head in heads[:1])
