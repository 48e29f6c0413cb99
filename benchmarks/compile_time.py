"""How long algorithm + schedule to Verilog takes, part by part.

    python benchmarks/compile_time.py [FILE ...]

Prints for each design, in seconds: the first run in whole, then the best of five, in parts and in whole. The target
for examples/conv.hh is under 3 s.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from halidehw.backend_hdl import verilog
from halidehw.frontend.load import load
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower

EXAMPLES = Path(__file__).parents[1] / "examples"
RUNS = 5

T = TypeVar("T")


def timed(step: Callable[[], T]) -> tuple[float, T]:
    start = perf_counter()
    value = step()
    return perf_counter() - start, value


def measure(path: Path) -> list[float]:
    """Seconds of each part."""
    reading, design = timed(lambda: load(path))
    lowering, nest = timed(lambda: lower(design.output))
    deriving, accelerator = timed(lambda: derive(nest))
    writing, _ = timed(lambda: verilog(accelerator))
    return [reading, lowering, deriving, writing]


def main(paths: list[Path]) -> None:
    print(f"{'design':24} {'first':>7} {'read':>7} {'lower':>7} {'derive':>7} {'verilog':>7} {'total':>7}")
    for path in paths:
        runs = [measure(path) for _ in range(RUNS)]
        best = min(runs, key=sum)
        print(f"{path.name:24} " + " ".join(f"{seconds:7.3f}" for seconds in (sum(runs[0]), *best, sum(best))))


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted(EXAMPLES.glob("*.hh")))
