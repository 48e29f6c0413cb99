"""Random quantised networks beside ONNX Runtime, every bit of every tensor: by the layers' algorithms, and, with
`--rtl`, all layers on one machine behind AXI.

    PYTHONPATH=. python benchmarks/random_networks.py [--seed 0] [--number 200] [--rtl] [--inputs 3]

Each network is that of a seed. In RTL multipliers, bits of the bus and latency are drawn too. Exits with 1 if any bit
differs, or anything ends in an error; seconds are of the processor, those of the simulator included.
"""

from __future__ import annotations

import argparse
import traceback
from collections import Counter
from os import times

import numpy as np
import onnxruntime
from report import table

from halidehw.buses.axi import AXI
from halidehw.commands.network_inputs import given
from halidehw.commands.network_machine import Asked, board_of
from halidehw.commands.network_tensors import first_difference
from halidehw.errors import HalideHWError
from halidehw.host.trained import machine_of, predicted, run
from halidehw.importers.onnx.network import Imported, imported
from halidehw.importers.steps import Arrays
from halidehw.simulate import Memory
from tests.importers.random_nets import random_network

HEADS = ("networks", "steps", "host", "elements", "wrong", "refused", "machines", "cycles", "predicted",
         "furthest", "seconds")  # fmt: skip

FLOATS = "is float32"
"""How a reason ends that names a tensor of floats."""

ERRORS = 3
"""How grave a remark of the runtime has to be to be shown."""


def differs(found: Imported, ours: Arrays, feeds: Arrays) -> str:
    """The first tensor of those there are with a wrong bit, beside what the runtime gives."""
    right = found.every(feeds)
    for name, array in {**right, **found.expected(feeds)}.items():
        if name in ours and not np.array_equal(ours[name], array):
            return first_difference(found.network, ours, right)
    return ""


def in_hardware(found: Imported, seed: int, feeds: list[Arrays]) -> tuple[str, int, int]:
    """What differs, and the cycles of a run, measured and by the model."""
    rng = np.random.default_rng(seed)
    macs, bits, latency = (int(rng.choice(each)) for each in ((48, 64, 100), (32, 64, 128), (1, 30, 77)))
    asked = Asked(macs, AXI(bits), Memory(latency), True, None)
    made = machine_of(found.network, macs, asked.bus, asked.memory)
    board, cycles = board_of(made, asked), 0
    for feed in feeds:
        through = run(made, board, feed)
        cycles = through.total
        if wrong := differs(found, through.values, feed) or ", ".join(through.wrong):
            return f"{macs} multipliers, {bits} bits, latency {latency}: {wrong}", cycles, 0
    return "", cycles, predicted(made, asked.bus, asked.memory).total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="of the first network, the others follow")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--inputs", type=int, default=3)
    parser.add_argument("--rtl", action="store_true")
    asked = parser.parse_args()
    onnxruntime.set_default_logger_severity(ERRORS)
    count, hosted, furthest, start = Counter[str](), Counter[str](), 0.0, sum(times()[:4])
    for seed in range(asked.seed, asked.seed + asked.number):
        problem, kind = "", "wrong"
        try:
            model, way = random_network(seed)
            found = imported(model, f"random{seed}")
            feeds = given(found.network, (), asked.inputs, seed)
            count["steps"] += len(found.network.steps)
            count["elements"] += sum(array.size for array in found.every(feeds[0]).values()) * len(feeds)
            reasons = (step.reason for step in found.network.hosted)
            hosted.update(f"{way}: {'of floats' if each.endswith(FLOATS) else each}" for each in reasons)
            problem = next(filter(None, (differs(found, found.network.evaluate(feed), feed) for feed in feeds)), "")
            if asked.rtl and not problem and found.network.layers:
                problem, cycles, model_s = in_hardware(found, seed, feeds)
                furthest = max(furthest, abs(model_s / cycles - 1)) if cycles and not problem else furthest
                count.update(machines=1, cycles=cycles, predicted=model_s)
                spent = sum(times()[:4]) - start
                print(f"seed {seed}: {cycles} cycles, predicted {model_s}; after {spent:.0f} s", flush=True)
        except HalideHWError as refusal:
            problem, kind = refusal.message, "refused"
        except Exception:
            problem, kind = traceback.format_exc(), "wrong"
        if problem:
            count[kind] += 1
            print(f"seed {seed}, {kind}: {problem}", flush=True)
    spent = sum(times()[:4]) - start
    row = [asked.number, count["steps"], sum(hosted.values()), count["elements"], count["wrong"], count["refused"],
           count["machines"], count["cycles"], count["predicted"], f"{furthest:.2%}", round(spent)]  # fmt: skip
    print(table(HEADS, [row]))
    for why, many in hosted.most_common():
        print(f"- host, {many} x {why}")
    if count["wrong"] or count["refused"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
