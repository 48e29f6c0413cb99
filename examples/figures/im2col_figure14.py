"""Figure 14 of the paper on implicit im2col: products, and several filter positions at once, on 128x128 PEs.

python examples/figures/im2col_figure14.py [--small]
"""

from __future__ import annotations

from dataclasses import replace

from common import Claim, call, publish, rows
from layer import expected
from model import gemm, positions, run, unhidden

HIDDEN = {256: 1406, 512: 8574, 1024: 65918, 4096: 4194686}
UNHIDDEN = {256: 1790, 512: 10494, 1024: 73982, 4096: 4325630}
BOUND = {256: 524, 512: 2097, 1024: 8389, 4096: 134218}
SEVERAL = {1: 1180030, 2: 655742, 3: 393598, 4: 393598, 5: 262526, 6: 262526, 7: 262526, 8: 262526, 9: 131454}
"""Cycles, recomputed from the paper's description: of products with weights hidden and not, of the memory, and of a
layer by positions at once."""


def main() -> None:
    given = call()
    sizes = (256, 512) if given.small else tuple(HIDDEN)
    tiles = (1, 3, 9) if given.small else tuple(SEVERAL)
    products = {size: product(size) for size in sizes}
    layer = {t: run(positions(128, t)).cycles for t in tiles}
    strides = {step: run(replace(positions(128, 1), stride=step)) for step in (1, 2, 4)}
    per = {step: found.cycles / found.layer.m for step, found in strides.items()}
    heads = ["M = N = K", "hidden", "not hidden", "latency of that", "memory"]
    table = "\n\n".join((
        rows(heads, [[size, *found] for size, found in products.items()]),
        rows(["positions", "cycles", "speed-up"], [[t, found, layer[1] / found] for t, found in layer.items()]),
        rows(["stride", "cycles an output"], [[step, found] for step, found in per.items()]),
    ))  # fmt: skip
    title = "Figure 14: 128x128 PEs, products and filter positions side by side"
    publish(draw(layer), "im2col_figure14", title, table, claims(products, layer, per), given.out)


def product(size: int) -> tuple[int, int, int, int]:
    """Cycles with weights hidden; not, without and of latency alone; of the memory outside."""
    each = gemm(size, size, size, 128)
    found, waiting = run(each), run(each, hidden=False).cycles
    latency = waiting - unhidden(each)
    return found.cycles, waiting - latency, latency, round(found.outside)


def claims(
    products: dict[int, tuple[int, int, int, int]], layer: dict[int, int], per: dict[int, float]
) -> list[Claim]:
    same = all(
        (hidden, bare, bound) == (HIDDEN[size], UNHIDDEN[size], BOUND[size])
        for size, (hidden, bare, _, bound) in products.items()
    )
    trips = {late / (gemm(size, size, size, 128).passes - 1) for size, (*_, late, _) in products.items()}
    lost = [bare / hidden for hidden, bare, *_ in products.values()]
    apart = max(per.values()) / min(per.values()) - 1
    return [
        Claim(
            "products take S + (P - 1) max(M, S) + M + 2S - 2 cycles with hidden weights, P (M + S) + 2S - 2 without",
            f"exactly, and {', '.join(f'{each:g}' for each in sorted(trips))} cycles of latency a pass that waits",
            same and len(trips) == 1, "another number of cycles",
        ),
        Claim(
            "the larger a product, the less its weights matter",
            "; ".join(f"{size}: {bare / hidden - 1:.1%}" for size, (hidden, bare, *_) in products.items()),
            lost == sorted(lost, reverse=True),
            "it grows",
        ),
        Claim(
            "several positions at once: a staircase of ceil(9 / t) passes, with diminishing return",
            "; ".join(f"{t}: {layer[1] / found:.2f}" for t, found in layer.items()),
            layer == {t: SEVERAL[t] for t in layer}
            and all(found == expected(positions(128, t)) for t, found in layer.items()),
            "another number of cycles",
        ),
        Claim("stride costs nothing", f"cycles an output within {apart:.2%}", apart < 0.01, "passes are short"),
    ]  # fmt: skip


def draw(layer: dict[int, int]) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    axes.step(list(layer), [layer[1] / found for found in layer.values()], where="mid", marker="o")
    axes.set(xlabel="filter positions at once", ylabel="speed-up", title="8 channels, 3x3, batch 8")
    return figure


if __name__ == "__main__":
    main()
