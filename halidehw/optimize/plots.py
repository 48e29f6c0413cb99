"""What the optimizer found, as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from halidehw.errors import CostError


def figure(title: str) -> Any:
    """An empty page. Raises CostError where matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise CostError("plots need matplotlib", legal=("pip install 'halidehw[plot]'",)) from None
    page = Figure(figsize=(7, 5), layout="constrained")
    page.suptitle(title)
    return page


def save(page: Any, file: Path) -> None:
    """Write a page; the ending of the file's name says the format. Raises CostError on one that is unknown."""
    try:
        page.savefig(file)
    except ValueError as problem:
        raise CostError(f"{file}: {problem}", legal=(f"--plot {file.stem}.png",)) from None


def front(title: str, file: Path, x: tuple[str, list[float]], y: tuple[str, list[float]], names: list[str]) -> None:
    """A point per choice, and a stair through those that none beats in both. `x`, `y`: an axis's name and values."""
    page = figure(title)
    axes = page.add_subplot()
    axes.scatter(x[1], y[1], s=14)
    best = nondominated(x[1], y[1])
    axes.step([x[1][at] for at in best], [y[1][at] for at in best], where="post", color="tab:red")
    for at in best:
        axes.annotate(names[at], (x[1][at], y[1][at]), fontsize=7)
    axes.set_xlabel(x[0])
    axes.set_ylabel(y[0])
    save(page, file)


def choices(title: str, file: Path, what: str, best: float, drawn: np.ndarray, flows: dict[str, float]) -> None:
    """The part of random mappings within each multiple of the least, and, if there are several dataflows, the optimum
    of each. `best`, `drawn`, `flows`: `what` is least, in one unit."""
    page = figure(title)
    random, *others = page.subplots(1, 1 + (len(flows) > 1), squeeze=False)[0]
    random.plot(np.sort(drawn) / best, np.linspace(0, 1, len(drawn)))
    random.set_xscale("log")
    random.set_xlabel(f"{what} over the optimum's")
    random.set_ylabel("part of random mappings")
    random.axvline(1.0, color="tab:red")
    names = sorted(flows, key=lambda name: flows[name], reverse=True)
    for axes in others:
        axes.barh(names, [flows[name] / best for name in names])
        axes.set_xlabel("each dataflow's optimum over the least")
        axes.tick_params(axis="y", labelsize=7)
    save(page, file)


def nondominated(x: list[float], y: list[float]) -> list[int]:
    """Indices, by rising x, of the points that none beats in both."""
    found: list[int] = []
    for at in sorted(range(len(x)), key=lambda at: (x[at], y[at])):
        if not found or y[at] < y[found[-1]]:
            found.append(at)
    return found
