"""What the compiler, the model and the search take in two versions of the package, measured in turn.

    python benchmarks/before_after.py OLD NEW

OLD and NEW are checkouts; both run under this Python. Processor time, the least of several: other work on the machine
makes it longer by little. Where a piece has an answer, they are compared.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROUNDS = 3

TIMED = """
from time import process_time
def least(step, times):
    found = []
    for _ in range(times):
        start = process_time(); value = step(); found.append(process_time() - start)
    return min(found), value
def show(step, times, answer=lambda value: ""):
    seconds, value = least(step, times)
    print(seconds, answer(value))
"""

CONV3 = TIMED + """
from benchmarks.estimate import conv3, load_costs
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.estimate import estimate_hardware
from halidehw.backend_hdl import verilog
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower
func = conv3(); nest = lower(func); accelerator = derive(nest); table = load_costs("table3")
"""

SEARCH = """
from halidehw.cli import main
main(["optimize", "--layer", "ox=13 oy=13 c=256 k=384 fx=3 fy=3 b=16", "--arch", "eyeriss", "--json"])
"""


@dataclass(frozen=True)
class Piece:
    """`code` prints seconds and an answer, or (`whole`) is timed with the interpreter's start."""

    name: str
    code: str
    whole: bool = False


PIECES = (
    Piece("`import halidehw`, over a bare interpreter", "import halidehw", whole=True),
    Piece("lowering, AlexNet CONV3 on 16x16 PEs", CONV3 + "show(lambda: lower(func), 5)"),
    Piece("derivation", CONV3 + "show(lambda: derive(nest), 5)"),
    Piece("cycles", CONV3 + "show(lambda: cycles(accelerator), 20, lambda found: found.total)"),
    Piece("counts, cycles and energy",
          CONV3 + "show(lambda: estimate_hardware(nest, accelerator, table, None), 10, lambda e: e.energy_pj)"),
    Piece("Verilog", CONV3 + "show(lambda: verilog(accelerator), 2)"),
    Piece("the best schedule of CONV3 on Eyeriss, in whole", SEARCH, whole=True),
)  # fmt: skip


def seconds(root: Path, code: str, whole: bool) -> tuple[float, str]:
    """Processor seconds of a piece in a checkout, and its answer. Nothing that was found before is kept."""
    with TemporaryDirectory() as empty:
        paths = {"PYTHONPATH": str(root), "XDG_CACHE_HOME": empty, "HOME": empty, "HALIDEHW_CACHE": empty}
        before = os.times()
        done = subprocess.run([sys.executable, "-c", code], cwd=root, env=os.environ | paths, check=True,
                              capture_output=True, text=True)  # fmt: skip
        after = os.times()
    if whole:
        used = after.children_user + after.children_system - before.children_user - before.children_system
        return used, ""
    found, _, answer = done.stdout.strip().splitlines()[-1].partition(" ")
    return float(found), answer


def main(old: Path, new: Path) -> None:
    bare = min(seconds(new, "pass", True)[0] for _ in range(ROUNDS))
    print("| | before | after |\n|---|---:|---:|")
    for piece in PIECES:
        runs = [[seconds(root, piece.code, piece.whole) for root in (old, new)] for _ in range(ROUNDS)]
        least = [min(run[place][0] for run in runs) - bare * piece.whole for place in (0, 1)]
        answers = [runs[0][place][1] for place in (0, 1)]
        same = "" if answers[0] == answers[1] else f" (answers: {answers[0]}, {answers[1]})"
        print(f"| {piece.name}{same} | " + " | ".join(f"{1e3 * each:.1f} ms" for each in least) + " |", flush=True)


if __name__ == "__main__":
    main(*(Path(name).resolve() for name in sys.argv[1:3]))
