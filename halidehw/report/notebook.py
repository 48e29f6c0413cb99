"""What a notebook shows of a design and of its estimate."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from halidehw.energy_model.estimate import Estimate
from halidehw.ir.graph import Graph
from halidehw.ir.printer import loop_nest
from halidehw.microarch.network import Network
from halidehw.report.colours import NO_TENSOR, colours
from halidehw.report.estimate import as_text
from halidehw.report.picture import picture

_LABEL, _WIDE, _ROW = 150, 420, 26


def design_html(graph: Graph, accelerator: Network) -> str:
    """The loop nest, and below it the architecture."""
    return f"<pre>{escape(loop_nest(graph))}</pre>\n{picture(accelerator)}"


def estimate_html(found: Estimate) -> str:
    """Cycles, energy and traffic as text, and below them the energy as bars."""
    return f"<pre>{escape(as_text(found))}</pre>\n{energy_svg(found)}"


def energy_svg(found: Estimate) -> str:
    """A bar for each level, in the colours of its tensors, with its share of the energy."""
    levels: dict[str, dict[str, float]] = {}
    for part in found.energy:
        level, tensor = ("mac", "") if part.event == "mac" else (part.level, part.tensor)
        row = levels.setdefault(level, {})
        row[tensor] = row.get(tensor, 0.0) + part.pj
    colour = colours(port.tensor for port in found.ports)
    high = _ROW * (len(levels) + 1) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LABEL + _WIDE + 80}" height="{high}" '
        'font-family="sans-serif" font-size="13">'
    ]
    for number, (level, parts) in enumerate(levels.items()):
        lines += _bar(number * _ROW + 5, level, parts, max(map(_total, levels.values())), found.energy_pj, colour)
    for number, (tensor, paint) in enumerate(colour.items()):
        lines.append(_text(_LABEL + 110 * number, high - 10, tensor, paint))
    return "\n".join([*lines, "</svg>", ""])


def _bar(
    y: float, level: str, parts: dict[str, float], most: float, whole: float, colour: dict[str, str]
) -> Iterator[str]:
    yield _text(0, y + 15, level, "#222222")
    x = float(_LABEL)
    for tensor, pj in parts.items():
        width = _WIDE * pj / most if most else 0.0
        paint = colour.get(tensor, NO_TENSOR)
        yield f'<rect x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="{_ROW - 6}" fill="{paint}"/>'
        x += width
    yield _text(x + 6, y + 15, f"{_total(parts) / whole:.1%}" if whole else "", "#222222")


def _total(parts: dict[str, float]) -> float:
    return sum(parts.values())


def _text(x: float, y: float, line: str, paint: str) -> str:
    return f'<text x="{x:.1f}" y="{y:g}" fill="{paint}">{escape(line)}</text>'
