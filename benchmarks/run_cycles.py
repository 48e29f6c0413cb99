"""What the generated hardware takes beside what no hardware could beat, for every layer of a file of networks.

    python benchmarks/run_cycles.py examples/networks.json [--arch tpu:2048 ...] [--ragged] [--every 1] [--out FILE]

With `--objective delay`, any dataflow of two loops on each dimension. An architecture is named with the bits of the one
port that its tensors share. *Bound*: the multiply-accumulates over the PEs, or the elements of all tensors once through
the port, whichever is more; layers are told apart by which it is, and left out where it is less than twenty times rows
and columns. *Gap*: how much faster another mapping of the space could be. *Memory*: bytes of all memories of the
hardware. Prints the slowest layers too, and writes every layer's answer to `--out`, a line of JSON each.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from optimizer_layers import distinct_layers
from report import table

from halidehw.microarch.network import Network
from halidehw.microarch.stores import Memory, RegisterFile
from halidehw.optimize import architecture, optimize
from halidehw.optimize.result import Result

HEADS = (
    "architecture", "bound by", "layers", "median", "most", "over 1.15", "gap: median", "most", "KB: median", "most",
    "s: median", "most",
)  # fmt: skip
SLOW = ("layer", "architecture", "cycles", "bound", "ratio", "gap", "lanes")
HERE = Path(__file__).parent / "arch"
MACHINES = ["eyeriss:128", "interstellar:128", f"{HERE}/square16.toml:128", f"{HERE}/square32.toml:256", "tpu:2048"]
WORTH, SHOWN, FAR = 20, 8, 1.15


def bytes_of(network: Network) -> float:
    """Of all memories."""
    bits = 0
    for stage in network.stages:
        lanes = {space.name: space.extent for space in stage.spaces}
        for store in stage.stores:
            match store:
                case Memory():
                    bits += store.size * store.type.bits
                case RegisterFile():
                    copies = np.prod([lanes[name] for name in store.spaces], dtype=int)
                    bits += int(copies) * store.halves * store.words * store.type.bits
                case _:
                    bits += store.lanes * store.halves * store.words * store.type.bits
    return bits / 8


def rows(name: str, found: list[tuple[str, Result, float]]) -> list[tuple[object, ...]]:
    """One for the layers bound by the PEs, one for those bound by the port, one for all."""
    worth = [each for each in found if each[1].bound >= WORTH * sum(each[1].arch.array)]
    by_macs = [each for each in worth if each[1].bound == -(-each[1].layer.macs // each[1].arch.pes)]
    by_port = [each for each in worth if each not in by_macs]
    result = []
    for what, some in (("PEs", by_macs), ("port", by_port), ("either", worth)):
        if some:
            ratio = np.array([each.run_cycles / each.bound for _, each, _ in some])
            kept = np.array([bytes_of(each.hardware[1]) / 1024 for _, each, _ in some])
            gap, took = np.array([each.gap for _, each, _ in some]), np.array([seconds for *_, seconds in some])
            columns = [f"{f(values):.3f}" for values in (gap,) for f in (np.median, np.max)]
            columns += [f"{f(kept):.0f}" for f in (np.median, np.max)] + [f"{f(took):.2f}" for f in (np.median, np.max)]
            far = int((ratio > FAR).sum())
            result.append((name, what, len(some), f"{np.median(ratio):.3f}", f"{ratio.max():.3f}", far, *columns))
    return result


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("networks", help="a JSON file")
    arguments.add_argument("--arch", nargs="*", default=MACHINES)
    arguments.add_argument("--ragged", action="store_true")
    arguments.add_argument("--every", type=int, default=1, help="one layer of so many")
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    start, every, slow = time.process_time(), [], []
    for arch, bits in (each.rsplit(":", 1) for each in given.arch):
        target, found = architecture(arch), list[tuple[str, Result, float]]()
        options = {"replicate": True, "ragged": given.ragged, "shared_port_bits": int(bits)}
        for layer, name in list(distinct_layers(given.networks).items())[:: given.every]:
            begun = time.process_time()
            best = optimize(layer, target, "any", objective="delay", **options)
            found.append((name, best, time.process_time() - begun))
            if given.out:
                with given.out.open("a") as file:
                    file.write(json.dumps({"layer": name, "arch": target.name, **best.as_json()}) + "\n")
        every += rows(f"{target.name}, {bits} bits", found)
        for name, best, _ in sorted(found, key=lambda each: -each[1].run_cycles / each[1].bound)[:SHOWN]:
            ratio, gap = f"{best.run_cycles / best.bound:.3f}", f"{best.gap:.3f}"
            slow.append((name, target.name, best.run_cycles, best.bound, ratio, gap, str(best.mapping.spatial)))
        print(table(HEADS, every), flush=True)
    print(table(SLOW, slow), sep="\n\n")
    print(f"\nin {time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
