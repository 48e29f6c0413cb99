"""An estimate as pictures: energy, roofline, timeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from halidehw.energy_model.estimate import Estimate
from halidehw.energy_model.timeline import Span
from halidehw.errors import CostError


def plot(found: Estimate, spans: list[Span], file: Path) -> None:
    """Write a page of three pictures; the ending of the file's name says the format (.png, .svg, .pdf).

    Raises CostError where matplotlib is missing or cannot write that format.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise CostError("plots need matplotlib", legal=("pip install 'halidehw[plot]'",)) from None
    figure = Figure(figsize=(11, 9), layout="constrained")
    figure.suptitle(f"{found.name}: {found.cycles.total} cycles, {found.energy_pj:.4g} pJ by {found.costs}")
    grid = figure.add_gridspec(2, 2)
    energy_bars(figure.add_subplot(grid[0, 0]), found)
    roofline(figure.add_subplot(grid[0, 1]), found)
    lanes(figure.add_subplot(grid[1, :]), spans)
    try:
        figure.savefig(file)
    except ValueError as problem:
        raise CostError(f"{file}: {problem}", legal=(f"--plot {file.stem}.png",)) from None


def energy_bars(axes: Any, found: Estimate) -> None:
    """One bar a level, stacked by tensor."""
    names = {part: ("mac", "mac") if part.count == "macs" else (part.level, part.tensor) for part in found.energy}
    levels = list(dict.fromkeys(level for level, _ in names.values()))
    base = dict.fromkeys(levels, 0.0)
    for tensor in dict.fromkeys(tensor for _, tensor in names.values()):
        heights = [sum(p.pj for p, name in names.items() if name == (level, tensor)) for level in levels]
        axes.bar(levels, heights, bottom=[base[level] for level in levels], label=tensor or "loop values")
        base = {level: base[level] + height for level, height in zip(levels, heights, strict=True)}
    axes.set(title="energy by level and tensor", ylabel="pJ")
    axes.tick_params(axis="x", rotation=30)
    axes.legend()


def roofline(axes: Any, found: Estimate) -> None:
    """MACs a cycle over MACs a word: what PEs and ports allow, and what is achieved."""
    bandwidth = found.roof / found.intensity if found.roof < found.pes else sum(p.bandwidth for p in found.ports)
    knee = found.pes / bandwidth
    far = 4 * max(knee, found.intensity)
    axes.plot([knee / 64, knee, far], [found.pes / 64, found.pes, found.pes], label="roof")
    achieved = found.macs / found.cycles.total
    axes.plot([found.intensity], [achieved], "o", label=f"achieved: {achieved:.3g} of {found.pes}")
    axes.set(title="roofline", xlabel="MACs per word at the ports", ylabel="MACs per cycle", xscale="log", yscale="log")
    axes.legend()


def lanes(axes: Any, spans: list[Span]) -> None:
    """A row for each process: what feeds the array, the array, the writer."""
    names = list(dict.fromkeys(span.process for span in spans))
    names.sort(key=lambda name: ("array", "writer").index(name) if name in ("array", "writer") else -1)
    until = max((span.last for span in spans), default=0)
    for row, name in enumerate(reversed(names)):
        bars = [(span.first, span.last - span.first + 1) for span in spans if span.process == name]
        narrow = min(width for _, width in bars) < until / 200
        edge = {"edgecolor": f"C{row}" if narrow else "white", "linewidth": 0.6 if narrow else 0.3}
        axes.broken_barh(bars, (row + 0.1, 0.8), facecolor=f"C{row}", **edge)
    axes.set_yticks([row + 0.5 for row in range(len(names))], list(reversed(names)))
    axes.set(title="who works when, tile by tile, at the start", xlabel="cycle")
