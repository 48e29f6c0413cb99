"""The optimizer's energy of every layer beside that of the hardware it generates.

    python benchmarks/generated_energy.py examples/networks.json [--arch eyeriss tpu] [--shown 3] [--replicate]

Two ratios for each layer: the hardware's own counts at the prices of the architecture's levels over the prediction,
which shows how far the counts differ, and its energy with every memory at the price of its own size (`hardware_pj`)
over the prediction. Prints least, median and most of both by architecture, and the layers farthest from the median.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from optimizer_layers import distinct_layers
from report import table

from halidehw.energy_model.traffic import MOVES
from halidehw.optimize import architecture, optimize
from halidehw.optimize.priced import priced
from halidehw.optimize.result import Result

HEADS = ("architecture", "layers", "counts: least", "median", "most", "memories: least", "median", "most")
OUTLIERS = ("architecture", "layer", "counts", "memories", "largest differences of counts, uJ")


def parts(best: Result) -> dict[str, float]:
    """pJ of the hardware's counts at the levels' prices, by tensor and, for what moves in the array, "hops"."""
    found: dict[str, float] = {}
    for count, pj in priced(best.arch, best.schedule, *best.hardware):
        kind = "hops" if count.event in MOVES else count.tensor or "mac"
        found[kind] = found.get(kind, 0.0) + pj
    return found


def differences(best: Result) -> dict[str, float]:
    """How much more the hardware's counts cost than the predicted ones, pJ, by `parts`."""
    predicted = {"mac": best.parts["mac"]["mac"], "hops": sum(best.parts["array"].values())}
    for tensor in ("input", "weight", "output"):
        predicted[tensor] = sum(best.parts[level.name][tensor] for level in best.arch.levels)
    found = parts(best)
    return {name: found.get(name, 0.0) - pj for name, pj in predicted.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("networks", help="a JSON file")
    arguments.add_argument("--arch", nargs="*", default=["eyeriss", "interstellar", "tpu"])
    arguments.add_argument("--shown", type=int, default=3)
    arguments.add_argument("--replicate", action="store_true")
    given = arguments.parse_args()
    start, rows, outliers = time.process_time(), [], []
    for name in given.arch:
        layers = distinct_layers(given.networks)
        found = [optimize(layer, architecture(name), replicate=given.replicate) for layer in layers]
        more = [differences(best) for best in found]
        counts = np.array([1 + sum(more.values()) / best.energy_pj for best, more in zip(found, more, strict=True)])
        memories = np.array([(best.hardware_pj or 0.0) / best.energy_pj for best in found])
        spread = [f"{value:.3f}" for each in (counts, memories) for value in np.quantile(each, (0, 0.5, 1))]
        rows.append((name, len(found), *spread))
        far = {
            int(at)
            for each in (counts, memories)
            for at in np.argsort(-abs(np.log(each / np.median(each))))[: given.shown]
        }
        for at in sorted(far):
            most = sorted(more[at].items(), key=lambda part: -abs(part[1]))[:2]
            why = ", ".join(f"{part} {pj / 1e6:+.1f}" for part, pj in most)
            outliers.append((name, list(layers.values())[at], f"{counts[at]:.3f}", f"{memories[at]:.3f}", why))
    print(table(HEADS, rows))
    print()
    print(table(OUTLIERS, outliers))
    print(f"\nin {time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
