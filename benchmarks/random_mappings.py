"""The optimum of every layer beside the best of many random legal mappings, and beside the paper's choice.

    python benchmarks/random_mappings.py examples/networks.json [--draws 100000] [--arch eyeriss] [--replicate]

Energies are exact counts, the optimum over all dataflows, with `--replicate` those of two loops on a dimension. The
paper's choice is the optimum of its own convention with C | K and every level at least half full, costed by the exact
counts; it does not exist for every layer. Ends with exit code 1 if anything costs less than the optimum.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np
from optimizer_layers import distinct_layers
from report import table

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.layer import Layer
from halidehw.optimize import Options, architecture, optimize
from halidehw.optimize.options import flows
from halidehw.optimize.sample import drawn_costs
from halidehw.optimize.solve import SHIPPED
from halidehw.optimize.steady import steady

HEADS = ("architecture", "layers", "draws each", "best drawn / optimum", "median", "paper's / optimum", "worse")
SEED = 20


def ratios(layer: Layer, arch: Architecture, draws: int, replicate: bool) -> Iterator[float]:
    """The best random mapping's energy over the optimum, and (NaN where there is none) the paper's choice's."""
    options = Options("any", replicate=replicate)
    best = steady(layer, arch, options).energy_pj
    energies, _ = drawn_costs(layer, arch, flows(layer, arch, options), draws, np.random.default_rng(SEED))
    yield energies.min() / best
    try:
        chosen = optimize(layer, arch, "C | K", convention="paper", half_full=True).mapping
        yield evaluate(layer, arch, chosen).energy_pj / best
    except CostError:
        yield float("nan")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("networks", help="a JSON file")
    arguments.add_argument("--draws", type=int, default=100_000)
    arguments.add_argument("--arch", nargs="*", default=sorted(file.stem for file in SHIPPED.glob("*.toml")))
    arguments.add_argument("--replicate", action="store_true")
    given = arguments.parse_args()
    start, rows, violated = time.process_time(), [], 0
    for name in given.arch:
        layers = distinct_layers(given.networks)
        arch = architecture(name)
        found = [tuple(ratios(layer, arch, given.draws, given.replicate)) for layer in layers]
        drawn, paper = np.array(found).T
        worse = int((drawn < 1 - 1e-9).sum() + (paper < 1 - 1e-9).sum())
        violated += worse
        row = (f"{drawn.min():.4f}", f"{np.median(drawn):.3f}", f"{np.nanmin(paper):.4f}")
        rows.append((name, len(layers), given.draws, *row, worse))
    print(table(HEADS, rows))
    print(f"\nin {time.process_time() - start:.0f} s of processor time")
    sys.exit(violated > 0)


if __name__ == "__main__":
    main()
