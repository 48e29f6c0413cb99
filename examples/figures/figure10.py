"""Figure 10: the energies of all blockings of AlexNet CONV3 with C | K on 16x16 PEs of 512 B under 128 KB.

A blocking: sizes of the tiles of every loop in a PE and in the SRAM, each a divisor of the next, that fit and fill at
least half of each memory (the paper's pruning), and one of the three loop orders per level that can be best (one for
each tensor that stays). All of them are counted in the paper's convention.

python examples/figures/figure10.py [--small]
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from common import CONV3, Claim, architecture, call, publish, rows

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import footprint, paper_relevant
from halidehw.mapping.evaluate import batch
from halidehw.mapping.layer import DIMS, TENSORS, Layer
from halidehw.mapping.mapping import Tiling

C, K = DIMS.index("C"), DIMS.index("K")
WITHIN = (1.05, 1.25, 1.5, 2.0, 3.0)


def chains(extent: int) -> list[tuple[int, int]]:
    """Tile sizes in a PE and in the SRAM."""
    divisors = [size for size in range(1, extent + 1) if extent % size == 0]
    return [(inner, outer) for outer in divisors for inner in divisors if outer % inner == 0]


def blockings(layer: Layer, arch: Architecture) -> np.ndarray:
    """int64 (levels, 8, n): the tiles of a PE that fit and fill at least half of each memory."""
    lanes = np.ones(len(DIMS), np.int64)
    lanes[[K, C]] = arch.array
    per_pe = np.array(layer.extents) // lanes
    tiles = np.ones((3, len(DIMS), 1), np.int64)
    for dim, extent in enumerate(per_pe.tolist()):
        sizes = np.array(chains(extent)).T
        tiles = np.repeat(tiles, sizes.shape[1], axis=2)
        tiles[:2, dim] = np.tile(sizes, tiles.shape[2] // sizes.shape[1])
        for level, memory in enumerate(arch.levels[:2]):
            held = tiles[level] * (1 if memory.per_pe else lanes[:, None])
            assert memory.words is not None
            tiles = tiles[:, :, footprint(layer, held) <= memory.words]
    full = np.ones(tiles.shape[2], bool)
    for level, memory in enumerate(arch.levels[:2]):
        assert memory.words is not None
        held = tiles[level] * (1 if memory.per_pe else lanes[:, None])
        full &= 2 * footprint(layer, held) >= memory.words
    tiles = tiles[:, :, full]
    tiles[2] = per_pe[:, None]
    return tiles


def orders() -> list[tuple[int, ...]]:
    """For each tensor the loops that do not move it innermost."""
    return [tuple(sorted(range(len(DIMS)), key=lambda d: paper_relevant(t)[d])) for t in range(len(TENSORS))]


def energies(layer: Layer, arch: Architecture) -> np.ndarray:
    """float64 (orders, n): pJ of every blocking in every pair of orders of the SRAM's and the outermost loops."""
    tiles = blockings(layer, arch)
    lanes = np.ones((len(DIMS), tiles.shape[2]), np.int64)
    lanes[[K, C]] = np.array(arch.array)[:, None]
    same = tuple(range(len(DIMS)))
    return np.array([
        batch(Tiling(layer, tiles, lanes, (same, inner, outer), ((K,), (C,))), arch, "paper")[0]
        for inner, outer in product(orders(), repeat=2)
    ])  # fmt: skip


def main() -> None:
    given = call()
    layer, arch = CONV3, architecture((512,), 128)
    if given.small:
        layer, arch = replace(CONV3, b=1, k=96, name="a quarter of CONV3, batch 1"), architecture((512,), 32)
    found = energies(layer, arch)
    every, best_order = np.sort(found.reshape(-1)), np.sort(found.min(axis=0))
    least = every[0]
    shares = [[float((of <= times * least).mean()) for of in (every, best_order)] for times in WITHIN]
    table = rows(["within", f"of all {len(every)}", f"of {len(best_order)} in their best order"],
                 [[f"{times}x", *share] for times, share in zip(WITHIN, shares, strict=True)])  # fmt: skip
    near, near_best = shares[WITHIN.index(1.25)]
    claims = [
        Claim(
            "about 30 % of the schemes lie within 1.25x of the best",
            f"{near:.0%} of all, {near_best:.0%} with each blocking's best loop orders",
            0.2 <= near_best <= 0.4,
            "the paper does not say which loop orders it counts, and the share depends on that",
        ),
    ]
    title = f"Figure 10: {layer.name}, C | K, {arch.name}: best {least / 1e6:.1f} uJ"
    publish(draw(every / least, best_order / least), "figure10", title, table, claims, given.out)


def draw(every: np.ndarray, best_order: np.ndarray) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    bins = np.linspace(1, min(8.0, float(every[-1])), 57)
    for values, label in ((every, "all loop orders"), (best_order, "best loop orders")):
        axes.hist(values, bins, weights=np.full(len(values), 100 / len(values)), alpha=0.6, label=label)
    axes.axvline(1.25, color="black", linewidth=0.8, linestyle="--")
    axes.set(xlabel="energy over that of the best blocking", ylabel="% of blockings", title="CONV3, C | K: blockings")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
