"""Processor time of every layer of a file of networks, on every shipped architecture, counted both ways.

    python benchmarks/optimizer_layers.py examples/networks.json [--replicate] [--ragged] [--dataflow any]

Prints one row per architecture and convention: layers searched, seconds together, and the slowest layer.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import product
from pathlib import Path

from report import table

from halidehw.energy_model.layer import Layer, load_network
from halidehw.scheduler.optimize import Options, architecture
from halidehw.scheduler.optimize.solve import SHIPPED, optimize_with

HEADS = ("architecture", "counted", "layers", "proven", "seconds", "slowest", "its seconds")


def distinct_layers(file: str) -> dict[Layer, str]:
    """Each shape once, with the first network and layer that has it."""
    found: dict[Layer, str] = {}
    for name in json.loads(Path(file).read_text())["networks"]:
        for layer in load_network(f"{file}:{name}").layers:
            plain = Layer(
                layer.b, layer.k, layer.c, layer.oy, layer.ox, layer.fy, layer.fx, layer.stride, layer.groups
            )
            found.setdefault(plain, f"{name} {layer.name}")
    return found


def measure(layers: dict[Layer, str], arch: str, options: Options) -> tuple[object, ...]:
    """One row of the table."""
    times, proven = {}, 0
    for layer, name in layers.items():
        start = time.process_time()
        proven += optimize_with(layer, architecture(arch), options).optimal
        times[name] = time.process_time() - start
    slowest = max(times, key=times.__getitem__)
    seconds = f"{sum(times.values()):.1f}"
    return (arch, options.convention, len(layers), proven, seconds, slowest, f"{times[slowest]:.2f}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("networks", help="a JSON file")
    arguments.add_argument("--replicate", action="store_true")
    arguments.add_argument("--ragged", action="store_true")
    arguments.add_argument("--dataflow")
    arguments.add_argument("--arch", nargs="*", default=sorted(file.stem for file in SHIPPED.glob("*.toml")))
    given = arguments.parse_args()
    layers = distinct_layers(given.networks)
    rows = [
        measure(
            layers,
            arch,
            Options(given.dataflow, convention=convention, replicate=given.replicate, ragged=given.ragged),
        )
        for arch, convention in product(given.arch, ("exact", "paper"))
    ]
    print(table(HEADS, rows))


if __name__ == "__main__":
    main()
