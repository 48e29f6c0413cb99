"""What the generated hardware takes beside what it could: the cycles of every layer's answer over two lower bounds.

    python benchmarks/run_cycles.py examples/networks.json [--arch eyeriss:128 tpu:2048] [--objective delay] [--every 1]

An architecture is named with the bits of each of its ports. *Steady*: over the cycles that the search minimised.
*Bound*: over the least that any hardware with these PEs and ports takes, for layers whose bound is at least twenty
times rows and columns. *Waits*: what the array waited for beside its steps, in parts of the steady cycles, mean of all
layers: `fill` and `drain`, and by the buffer and where its words were late. Prints the slowest layers too.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np
from optimizer_layers import distinct_layers
from report import table

from halidehw.energy_model.cycles import Cycles, cycles
from halidehw.optimize import architecture, optimize
from halidehw.optimize.result import Result

HEADS = ("architecture", "objective", "layers", "steady: median", "most", "bound: layers", "median", "most", "waits")
SLOW = ("layer", "architecture", "cycles", "steady", "bound", "waits")
WORTH, SHOWN, LATE = 20, 5, 0.005


def kind(name: str) -> str:
    """A buffer's name without its tensor's."""
    return name.replace("input", "operand").replace("weight", "operand")


def waits(run: Cycles, steady: int) -> Counter[str]:
    """Parts of the steady cycles, by cause."""
    found = Counter({"fill": run.fill / steady, "drain": run.drain / steady})
    for culprit in run.culprits:
        found[f"{kind(culprit.buffer)} from {kind(culprit.level)}"] += culprit.cycles / steady
    return found


def listed(found: Counter[str], layers: int = 1) -> str:
    each = {name: part / layers for name, part in found.most_common(4)}
    return ", ".join(f"{name} {part:.2f}" for name, part in each.items() if part > LATE) or "none"


def worth(best: Result) -> bool:
    return best.bound >= WORTH * sum(best.arch.array)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("networks", help="a JSON file")
    arguments.add_argument("--arch", nargs="*", default=["eyeriss:128", "interstellar:128", "tpu:2048"])
    arguments.add_argument("--objective", default="delay")
    arguments.add_argument("--every", type=int, default=1, help="one layer of so many")
    given = arguments.parse_args()
    start, rows, slow = time.process_time(), [], []
    for name, bits in (each.split(":") for each in given.arch):
        layers = list(distinct_layers(given.networks).items())[:: given.every]
        arch = architecture(name)
        found = [optimize(layer, arch, objective=given.objective, port_bits=int(bits)) for layer, _ in layers]
        runs = [cycles(best.hardware[1]) for best in found]
        over = np.array([run.total / best.cycles for best, run in zip(found, runs, strict=True)])
        bound = np.array([run.total / best.bound for best, run in zip(found, runs, strict=True) if worth(best)])
        causes = [waits(run, best.cycles) for best, run in zip(found, runs, strict=True)]
        shares = [f"{value:.3f}" for each in (over, bound) for value in (np.median(each), each.max())]
        mean = listed(sum(causes, Counter()), len(layers))
        rows.append((f"{name}, {bits} bits", given.objective, len(found), *shares[:2], len(bound), *shares[2:], mean))
        for at in np.argsort(-over)[:SHOWN]:
            best, run = found[at], runs[at]
            slow.append((layers[at][1], name, run.total, best.cycles, best.bound, listed(causes[at])))
    print(table(HEADS, rows), table(SLOW, slow), sep="\n\n")
    print(f"\nin {time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
