"""Figures 8 and 9: every dataflow with its best blocking: energy, and utilization without and with replication.

python examples/figures/figure8.py
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from common import CONV3, REDUCE_4C, Claim, architecture, batch, print_claims, save

from halidehw.energy_model.layer import DIMS, Layer
from halidehw.scheduler.optimize import Options
from halidehw.scheduler.optimize.sweep import Task, sweep

SETTINGS = {
    "RF 512 B, links": architecture((512,), 128),
    "RF 512 B, broadcast": architecture((512,), 128, links=False),
    "RF 64 B, links": architecture((64,), 128),
}
LAYERS = [(layer, size) for layer in (CONV3, REDUCE_4C) for size in (16, 1)]


def dataflows(layer: Layer) -> list[str]:
    loops = [dim for dim, extent in zip(DIMS, layer.extents, strict=True) if extent > 1]
    return [f"{u} | {v}" for u, v in combinations(loops, 2)]


def cases() -> Iterator[tuple[str, Layer, int, str]]:
    for setting in SETTINGS:
        for layer, size in LAYERS:
            for flow in dataflows(batch(layer, size)):
                yield setting, layer, size, flow


def main() -> None:
    keys = list(cases())
    tasks = [
        Task(batch(layer, size), SETTINGS[setting], Options(dataflow=flow, convention="paper"))
        for setting, layer, size, flow in keys
    ]
    energy = {key: answer["energy_pj"] for key, answer in zip(keys, sweep(tasks), strict=True)}
    print("paper's convention; least energy of each dataflow, one loop per dimension, over that of the best one")
    found = []
    for setting in SETTINGS:
        for layer, size in LAYERS:
            group = {flow: pj for (s, one, n, flow), pj in energy.items() if (s, one, n) == (setting, layer, size)}
            best = min(group.values())
            spread = sorted(pj / best for pj in group.values())
            print(f"{setting:22}{layer.name:26}batch {size:2}: best {best / 1e6:10.1f} uJ; ", end="")
            print(f"median {spread[len(spread) // 2]:.2f}, worst {spread[-1]:.2f} of {len(group)} dataflows")
            found.append(spread[len(spread) // 2])
    with_links = found[: len(LAYERS)] + found[2 * len(LAYERS) :]
    busy = utilizations()
    print_claims(
        [
            Claim(
                "with good blocking the energies of all dataflows lie close together",
                f"median within {max(with_links):.2f}x of the best with links, {max(found):.2f}x with broadcast",
                max(with_links) < 1.25,
                "some pairs of loops share too few words",
            ),
            Claim(
                "CONV3 with replication: C | K about 20 % above FY | Y",
                f"{busy['K | C'][1]:.0%} against {busy['Y | FY'][1]:.0%}",
                1.1 <= busy["K | C"][1] / busy["Y | FY"][1] <= 1.35,
                "here the second loop may take a whole dimension, so every dataflow fills the array",
            ),
        ]
    )
    draw(energy, busy)


def utilizations() -> dict[str, tuple[float, float]]:
    """Of CONV3, per dataflow: without and with replication, of the fastest mapping (the one of least energy)."""
    flows = dataflows(CONV3)
    tasks = [
        Task(CONV3, SETTINGS["RF 512 B, links"], Options(flow, "delay", "paper", replicate=replicate, ragged=True))
        for flow in flows
        for replicate in (False, True)
    ]
    answers = [answer["utilization"] for answer in sweep(tasks)]
    return dict(zip(flows, zip(answers[::2], answers[1::2], strict=True), strict=True))


def draw(energy: dict[tuple[str, Layer, int, str], float], busy: dict[str, tuple[float, float]]) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 4.5))
    for setting in SETTINGS:
        points = {flow: pj for (s, one, n, flow), pj in energy.items() if (s, one, n) == (setting, CONV3, 16)}
        left.plot(list(points), [pj / 1e9 for pj in points.values()], marker="o", label=setting)
    left.set_ylabel("energy, mJ")
    left.set_ylim(bottom=0)
    left.set_title("AlexNet CONV3, batch 16")
    left.legend()
    for at, label in enumerate(("one loop per dimension", "with replication")):
        positions = [n + 0.4 * at for n in range(len(busy))]
        right.bar(positions, [pair[at] for pair in busy.values()], width=0.4, label=label)
    right.set_xticks(range(len(busy)), list(busy))
    right.set_ylabel("utilization")
    right.legend()
    for axes in (left, right):
        axes.tick_params(axis="x", rotation=70)
    save(figure, "figure8_9")


if __name__ == "__main__":
    main()
