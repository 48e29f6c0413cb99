"""ResNet-50 on 16x16 multipliers: one machine for its 54 layers, by the model, beside what others publish.

    python -m benchmarks.peers [--latency 30] [--port-bits 128]

Ours: each layer of `examples/networks.json`, full size, one image, int8 with sums of 32 bits that are written as such;
native ports of so many bits each, a memory of that latency, weights of the next layer loaded while one runs. SCALE-Sim:
its compute cycles on R x C, by formula, with outputs and with weights kept, nothing of memory.

Sources of what is printed of others:
- Gemmini, 16x16: 153 709 356 cycles, called 40 %: github.com/ucb-bar/gemmini/pull/69; later 51 %: pull/90. Its program
  classifies four images at once (it prints four predictions: issues/119), and four times these MACs over 256 are 41 %.
- OpenGeMM, 8x8x8: 81.89 to 99.34 % over its layers: arxiv.org/abs/2411.09543.
- SCALE-Sim's formulas: arxiv.org/abs/1811.02883, as its simulator counts.
"""

from __future__ import annotations

import argparse
from math import ceil
from typing import Any

import halidehw as hl
from benchmarks.machines import layer, layers

ARRAY = 16
GEMMINI, IMAGES = 153_709_356, 4


def scale_sim(sizes: dict[str, Any], rows: int, columns: int) -> tuple[int, int]:
    """Cycles with outputs and with weights kept."""
    pixels, taps, filters = sizes["ox"] * sizes["oy"], sizes["c"] * sizes["fx"] * sizes["fy"], sizes["k"]
    across = ceil(filters / columns)
    return (ceil(pixels / rows) * across * (taps + rows + columns - 2) - 1,
            ceil(taps / rows) * across * (pixels + 2 * rows + columns - 2) - 1)  # fmt: skip


def macs(sizes: dict[str, Any]) -> int:
    return int(sizes["ox"] * sizes["oy"] * sizes["c"] * sizes["fx"] * sizes["fy"] * sizes["k"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=int, default=30)
    parser.add_argument("--port-bits", type=int, default=128)
    told = parser.parse_args()
    found = layers("resnet50", 1)
    funcs = [layer(sizes, f"l{at}", ARRAY) for at, sizes in enumerate(found.values())]
    machine = hl.machine(funcs, port_bits=told.port_bits, name="resnet50")
    memory = hl.Memory(told.latency)
    cycles = [each.total for each in machine.estimate(funcs, memory=memory, listed=True)]
    kept = [scale_sim(sizes, ARRAY, ARRAY) for sizes in found.values()]
    work = sum(map(macs, found.values())) / ARRAY**2
    rows = (
        ("ours, one machine, memory included", sum(cycles)),
        ("SCALE-Sim, outputs kept, no memory", sum(outputs for outputs, _ in kept)),
        ("SCALE-Sim, weights kept, no memory", sum(weights for _, weights in kept)),
        ("Gemmini, an image of four, memory included", GEMMINI // IMAGES),
    )
    print("| | cycles an image | of 256 MACs a cycle |\n|---|---:|---:|")
    for name, spent in rows:
        print(f"| {name} | {spent} | {work / spent:.1%} |")
    worst = sorted(zip(cycles, found.items(), strict=True), key=lambda each: macs(each[1][1]) / each[0])[:5]
    for spent, (name, sizes) in worst:
        print(f"{name}: {spent} cycles, {macs(sizes) / ARRAY**2 / spent:.1%}")


if __name__ == "__main__":
    main()
