"""An estimate as pictures: energy, roofline, timeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from halidehw.energy_model.estimate import Estimate
from halidehw.energy_model.timeline import Span, timeline
from halidehw.errors import CostError
from halidehw.report.colours import NO_TENSOR, colours

TIMELINE_CYCLES = 4000
"""As far as the timeline is drawn."""


def plot(found: Estimate, file: Path | str | None = None) -> Any:
    """A page of three pictures of an estimate: energy by level and tensor, roofline, timeline; a matplotlib figure.

    `file`: where to write it; the ending of its name says the format (.png, .svg, .pdf). Raises CostError where
    matplotlib is missing or cannot write that format.
    """
    spans = timeline(found.accelerator, found.memory, until=TIMELINE_CYCLES)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise CostError("plots need matplotlib", legal=("pip install 'halidehw[plot]'",)) from None
    figure = Figure(figsize=(11, 9), layout="constrained")
    figure.suptitle(f"{found.name}: {found.cycles.total} cycles, {found.energy_pj:.4g} pJ by {found.costs}")
    grid = figure.add_gridspec(2, 2)
    energy_bars(figure.add_subplot(grid[0, 0]), found)
    roofline(figure.add_subplot(grid[0, 1]), found)
    lanes(figure.add_subplot(grid[1, :]), found, spans)
    if file is not None:
        _save(figure, Path(file))
    return figure


def _save(figure: Any, file: Path) -> None:
    try:
        figure.savefig(file)
    except ValueError as problem:
        raise CostError(f"{file}: {problem}", legal=(f"{file.stem}.png",)) from None


def energy_bars(axes: Any, found: Estimate) -> None:
    """One bar a level, stacked by tensor."""
    names = {part: ("mac", "mac") if part.event == "mac" else (part.level, part.tensor) for part in found.energy}
    levels = list(dict.fromkeys(level for level, _ in names.values()))
    base, colour = dict.fromkeys(levels, 0.0), colours(port.tensor for port in found.ports)
    for tensor in dict.fromkeys(tensor for _, tensor in names.values()):
        heights = [sum(p.pj for p, name in names.items() if name == (level, tensor)) for level in levels]
        bottom = [base[level] for level in levels]
        axes.bar(levels, heights, bottom=bottom, label=tensor or "loop values", color=colour.get(tensor, NO_TENSOR))
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


def lanes(axes: Any, found: Estimate, spans: list[Span]) -> None:
    """A row for each process, in the order in which they begin: what feeds the array, the array, the writer."""
    names = list(dict.fromkeys(span.process for span in sorted(spans, key=lambda span: span.first)))
    colour, whose = colours(port.tensor for port in found.ports), {span.process: span.tensor for span in spans}
    until = max((span.last for span in spans), default=0)
    for row, name in enumerate(reversed(names)):
        bars = [(span.first, span.last - span.first + 1) for span in spans if span.process == name]
        narrow = min(width for _, width in bars) < until / 200
        paint = colour.get(whose[name], NO_TENSOR)
        edge = {"edgecolor": paint if narrow else "white", "linewidth": 0.6 if narrow else 0.3}
        axes.broken_barh(bars, (row + 0.1, 0.8), facecolor=paint, **edge)
    axes.set_yticks([row + 0.5 for row in range(len(names))], list(reversed(names)))
    axes.set(title="who works when, tile by tile, at the start", xlabel="cycle")
