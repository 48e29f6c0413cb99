"""Networks from files, layer by layer: every tensor of so many random inputs beside what the network's runtime gives.

    PYTHONPATH=. python benchmarks/network_bits.py FILE... [--inputs 20]

Exits with 1 if any bit differs. Seconds are of the processor.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from report import table

from halidehw.commands.network_inputs import given
from halidehw.commands.network_tensors import first_difference
from halidehw.importers.loading import load_trained

HEADS = ("network", "runtime", "inputs", "steps", "host", "tensors", "elements", "wrong", "first", "seconds")


def row(file: Path, inputs: int) -> list[object]:
    found = load_trained(file)
    network, start = found.network, time.process_time()
    wrong = elements = tensors = 0
    first = ""
    for feed in given(network, (), inputs, 0):
        ours, right = network.evaluate(feed), found.every(feed)
        right |= found.expected(feed)
        tensors = len(right)
        elements += sum(array.size for array in right.values())
        differing = sum(int(np.sum(ours[name] != array)) for name, array in right.items())
        first = first or (first_difference(network, ours, right) if differing else "")
        wrong += differing
    return [file.name, found.oracle, inputs, len(network.steps), len(network.hosted), tensors, elements, wrong, first,
            round(time.process_time() - start)]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--inputs", type=int, default=20)
    asked = parser.parse_args()
    rows = [row(file, asked.inputs) for file in asked.files]
    print(table(HEADS, rows))
    if any(each[HEADS.index("wrong")] for each in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
