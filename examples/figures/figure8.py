"""Figures 8 and 9: every dataflow with its best blocking: energy, and utilization without and with replication.

python examples/figures/figure8.py [--small]
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from common import CONV3, REDUCE_4C, Claim, architecture, batch, call, publish, rows

from halidehw.mapping.layer import DIMS, Layer
from halidehw.optimize import Options
from halidehw.optimize.sweep import Task, sweep

SETTINGS = {
    "RF 512 B, links": architecture((512,), 128),
    "RF 512 B, broadcast": architecture((512,), 128, links=False),
    "RF 64 B, links": architecture((64,), 128),
}
LAYERS = [(layer, size) for layer in (CONV3, REDUCE_4C) for size in (16, 1)]
FULL = Options(convention="paper", full_array=True, replicate=True)
"""The array is used as far as the loops go, with a second one where a dimension has room."""

USES = {
    "one loop a dimension": Options(convention="paper", full_array=True),
    "replicated": FULL,
    "replicated, any lanes, least energy x delay": replace(FULL, objective="edp", ragged=True),
}

Case = tuple[str, Layer, int]


def dataflows(layer: Layer) -> list[str]:
    loops = [dim for dim, extent in zip(DIMS, layer.extents, strict=True) if extent > 1]
    return [f"{u} | {v}" for u, v in combinations(loops, 2)]


def main() -> None:
    given = call()
    cases = [(name, layer, size) for name in SETTINGS for layer, size in LAYERS]
    cases = cases[3:4] if given.small else cases
    energy = energies(cases)
    busy = utilizations(dataflows(CONV3) if not given.small else ["K | C", "Y | FY"])
    lines = [[f"{name}, {layer.name}, batch {size}", *spread(energy[name, layer, size])] for name, layer, size in cases]
    table = rows(["setting and layer", "best, uJ", "median", "worst", "dataflows"], lines)
    second = rows(["CONV3, batch 16", *USES], [[flow, *shares] for flow, shares in busy.items()])
    title = "Figures 8 and 9: energy of every dataflow over the best one's, and how much of the array is at work"
    publish(draw(energy, busy), "figure8", title, f"{table}\n\n{second}", claims(energy, busy), given.out)


def energies(cases: list[Case]) -> dict[Case, dict[str, float]]:
    """Least pJ of each dataflow."""
    keys = [(case, flow) for case in cases for flow in dataflows(batch(case[1], case[2]))]
    tasks = [
        Task(batch(layer, size), SETTINGS[name], replace(FULL, dataflow=flow)) for (name, layer, size), flow in keys
    ]
    found: dict[Case, dict[str, float]] = {case: {} for case in cases}
    for (case, flow), answer in zip(keys, sweep(tasks), strict=True):
        found[case][flow] = answer["energy_pj"]
    return found


def utilizations(flows: list[str]) -> dict[str, list[float]]:
    """Of CONV3's best mapping, per dataflow, in each of USES."""
    arch = SETTINGS["RF 512 B, links"]
    answers = iter(sweep([Task(CONV3, arch, replace(use, dataflow=flow)) for flow in flows for use in USES.values()]))
    return {flow: [next(answers)["steady_utilization"] for _ in USES] for flow in flows}


def spread(group: dict[str, float]) -> list[float | int]:
    """The least of some energies in uJ, the median and the greatest over it, and how many there are."""
    best, over = min(group.values()), sorted(group.values())
    return [best / 1e6, over[len(over) // 2] / best, over[-1] / best, len(over)]


def claims(energy: dict[Case, dict[str, float]], busy: dict[str, list[float]]) -> list[Claim]:
    medians = {case: float(spread(group)[1]) for case, group in energy.items()}
    linked = [median for (name, _, _), median in medians.items() if SETTINGS[name].links]
    plain, both = zip(*((shares[0], shares[1]) for shares in busy.values()), strict=True)
    channels, rows_of_filters = busy["K | C"][-1], busy["Y | FY"][-1]
    return [
        Claim(
            "with good blocking the energies of all dataflows lie close together",
            f"median within {max(linked):.2f}x of the best with links, {max(medians.values()):.2f}x with broadcast",
            max(linked) < 1.25,
            "some pairs of loops share too few words",
        ),
        Claim(
            "replication fills arrays that one loop a dimension leaves idle",
            f"at least {min(plain):.0%} of the array without, {min(both):.0%} with it",
            min(both) > min(plain),
            "a loop that divides what is left is not always there",
        ),
        Claim(
            "CONV3 with replication: C | K about 20 % above FY | Y",
            f"{channels:.0%} against {rows_of_filters:.0%}",
            1.1 <= channels / rows_of_filters <= 1.35,
            "other loops may share a dimension here",
        ),
    ]


def draw(energy: dict[Case, dict[str, float]], busy: dict[str, list[float]]) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.5))
    left, right = figure.subplots(1, 2)
    _, layer, size = next(iter(energy))
    for (name, own, batches), points in energy.items():
        if (own, batches) == (layer, size):
            left.plot(list(points), [pj / 1e9 for pj in points.values()], marker="o", label=name)
    left.set(ylabel="energy, mJ", title=f"{layer.name}, batch {size}")
    left.set_ylim(bottom=0)
    left.legend()
    for at, label in enumerate(USES):
        positions = [n + 0.27 * at for n in range(len(busy))]
        right.bar(positions, [shares[at] for shares in busy.values()], width=0.27, label=label)
    right.set_xticks(range(len(busy)), list(busy))
    right.set(ylabel="share of the array", title="AlexNet CONV3, batch 16")
    right.legend(fontsize=7)
    for axes in (left, right):
        axes.tick_params(axis="x", rotation=70)
    return figure


if __name__ == "__main__":
    main()
