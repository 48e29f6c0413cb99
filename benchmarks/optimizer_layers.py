"""Processor time of every layer of a file of networks, on every shipped architecture, in every kind of space.

    python benchmarks/optimizer_layers.py examples/networks.json [--arch eyeriss] [--only 'vgg16 conv1_2']

Prints one row per architecture, convention and space (the architecture's dataflow or any, with or without replication,
tiles that divide or not): layers searched, seconds together, and the slowest layer; then the ten slowest of all.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from itertools import product
from pathlib import Path

from report import table

from halidehw.mapping.layer import Layer, load_network
from halidehw.optimize import Options, architecture
from halidehw.optimize.solve import SHIPPED, optimize_with

HEADS = ("architecture", "counted", "space", "layers", "proven", "seconds", "slowest", "its seconds")
SLOWEST = ("layer", "architecture", "counted", "space", "seconds")
SHOWN = 10


def distinct_layers(file: str) -> dict[Layer, str]:
    """Each shape once, with the first network and layer that has it."""
    found: dict[Layer, str] = {}
    for name in json.loads(Path(file).read_text())["networks"]:
        for layer in load_network(f"{file}:{name}").layers:
            plain = replace(layer, name="layer", repeat=1)
            found.setdefault(plain, f"{name} {layer.name}")
    return found


def spaces(convention: str) -> dict[str, Options]:
    """Every kind of space, by what is given on the command line."""
    found = {}
    for any_flow, replicate, ragged in product((False, True), repeat=3):
        given = ("--dataflow any",) * any_flow + ("--replicate",) * replicate + ("--ragged",) * ragged
        flow = "any" if any_flow else None
        found[" ".join(given) or "-"] = Options(flow, convention=convention, replicate=replicate, ragged=ragged)
    return found


def measure(layers: dict[Layer, str], arch: str, options: Options) -> tuple[dict[str, float], int]:
    """Seconds by layer, and how many answers are proven."""
    times, proven = {}, 0
    for layer, name in layers.items():
        start = time.process_time()
        proven += optimize_with(layer, architecture(arch), options).optimal
        times[name] = time.process_time() - start
    return times, proven


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("networks", help="a JSON file")
    arguments.add_argument("--convention", nargs="*", default=["exact"])
    arguments.add_argument("--arch", nargs="*", default=sorted(file.stem for file in SHIPPED.glob("*.toml")))
    arguments.add_argument("--only", nargs="*", help="layers by name, network and layer")
    given = arguments.parse_args()
    layers, every = distinct_layers(given.networks), []
    layers = {layer: name for layer, name in layers.items() if name in (given.only or layers.values())}
    print(table(HEADS, []))
    for convention, arch in product(given.convention, given.arch):
        for space, options in spaces(convention).items():
            times, proven = measure(layers, arch, options)
            slowest = max(times, key=times.__getitem__)
            last = (f"{sum(times.values()):.1f}", slowest, f"{times[slowest]:.2f}")
            print(f"| {' | '.join(map(str, (arch, convention, space, len(layers), proven, *last)))} |", flush=True)
            every += [(name, arch, convention, space, one) for name, one in times.items()]
    worst = sorted(every, key=lambda each: -each[-1])[:SHOWN]
    print(f"\n{table(SLOWEST, [(*each[:-1], f'{each[-1]:.2f}') for each in worst])}")


if __name__ == "__main__":
    main()
