"""A sample of full-size layers in RTL: each answer's hardware simulated, with all of its counters beside the model's.

    python benchmarks/run_sample.py examples/networks.json [--draws 100] [--seed 14] [--seconds 3600]

The layers and machines of `run_cycles.py`, `--objective delay` or energy as it is drawn, a fifth an architecture,
each run of under two thousand million PE-cycles. Every word of the output is compared, cycles and counters are the
model's to the last one. Ends with exit code 1 where anything differs. `--seconds`: stop drawing after so many.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from optimizer_layers import distinct_layers
from report import table
from run_cycles import MACHINES

import halidehw as hl
from halidehw.driver import simulate
from halidehw.driver.draw import random_inputs
from halidehw.energy_model.counters import predicted
from halidehw.frontend.text import parse
from halidehw.mapping.layer import Layer
from halidehw.optimize import architecture, optimize
from halidehw.optimize.result import Result

MOST = 2_000_000_000
"""PE-cycles of a run."""

HEADS = ("layer", "architecture", "objective", "cycles", "PEs", "counters", "seconds")


def drawn(layers: list[Layer], machine: str, chance: random.Random) -> tuple[Result, str]:
    """A layer's answer whose run is short enough."""
    name, bits = machine.rsplit(":", 1)
    while True:
        layer, goal = chance.choice(layers), chance.choice(["delay", "energy"])
        arch = architecture(name)
        if layer.macs < MOST:
            found = optimize(layer, arch, "any", objective=goal, replicate=True, shared_port_bits=int(bits))
            if found.unshared_cycles * found.hardware[1].pes < MOST:
                return found, goal


def differing(best: Result) -> tuple[int, int]:
    """Counters of a run, and how many of them differ from the model's, wrong words and cycles among them."""
    compiled = hl.compile(
        parse(best.schedule).output, port_bits=best.arch.port_bits or best.arch.shared_port_bits, counters="all"
    )
    run = simulate(compiled, random_inputs(compiled.graph, 0), memory=hl.Memory(), once=True)
    model = predicted(compiled.graph, compiled.accelerator, hl.Memory())
    wrong = sum(model[name] != value for name, value in run.counters.items())
    return len(run.counters), wrong + (not run.match) + (run.cycles != best.unshared_cycles)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("networks", help="a JSON file")
    arguments.add_argument("--arch", nargs="*", default=MACHINES)
    arguments.add_argument("--draws", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=14)
    arguments.add_argument("--seconds", type=float, default=float("inf"))
    given = arguments.parse_args()
    layers, chance = list(distinct_layers(given.networks)), random.Random(given.seed)
    names = {layer: name for layer, name in distinct_layers(given.networks).items()}
    start, wrong, right = time.monotonic(), 0, 0
    print(table(HEADS, []))
    for number in range(given.draws):
        if time.monotonic() - start > given.seconds:
            break
        best, goal = drawn(layers, given.arch[number % len(given.arch)], chance)
        begun = time.monotonic()
        counters, differ = differing(best)
        wrong, right = wrong + (differ > 0), right + (differ == 0)
        row = (names[best.layer], best.arch.name, goal, best.unshared_cycles, best.hardware[1].pes,
               f"{counters - differ} of {counters}", f"{time.monotonic() - begun:.0f}")  # fmt: skip
        print(f"| {' | '.join(map(str, row))} |", flush=True)
    print(f"\n{right} right, {wrong} wrong, of {given.draws}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
