"""A micro-architecture as a drawing: ports and memories to the left, the PE array, the way out to the right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import prod
from typing import Any

from halidehw.microarch.network import Network, Stage
from halidehw.notation import counted
from halidehw.report.colours import of_ports
from halidehw.report.describe import describe

SHOWN = 6
"""PEs drawn along a dimension; the others are meant by dots."""

_STYLE = """<style>
text { font: 13px sans-serif; fill: #222; text-anchor: middle }
.small { font-size: 11px; fill: #555 }
rect { fill: #fff; stroke: #444; rx: 4px }
.memory { fill-opacity: 0.3 } .port { fill-opacity: 0.15 } .array { fill: #fafafa; stroke-dasharray: 4 3 }
path { stroke: #444; fill: none; marker-end: url(#tip) }
</style>
<defs><marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="7" markerHeight="7" orient="auto">\
<path d="M0 0 6 3 0 6z" style="fill: #444; stroke: none; marker-end: none"/></marker></defs>"""

INSIDE = "#bbbbbb"
"""The colour of a tensor that no port sees."""

_PORT, _MEMORY, _PE, _GAP, _ROW = 90, 190, 46, 22, 96


@dataclass(frozen=True)
class _Chain:
    """Where words come from, a port or a stage, and the memories that they pass."""

    source: str
    kind: str
    paint: str
    memories: list[str]


def picture(accelerator: Network) -> str:
    """An SVG. The same accelerator gives the same bytes."""
    facts, colour = describe(accelerator), of_ports(accelerator.interface.ports)
    parts, wide, high = list[str](), 0.0, 0.0
    for stage, each in zip(accelerator.stages, (*facts["stages"], facts), strict=True):
        drawn, width, height = _stage(each, _chains(accelerator, stage, colour), colour, high)
        parts, wide, high = [*parts, *drawn], max(wide, width), high + height
    size = f'viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" height="{high:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, _STYLE, *parts, "</svg>", ""])


def _stage(
    facts: dict[str, Any], chains: list[_Chain], colour: Mapping[str, str], top: float
) -> tuple[list[str], float, float]:
    """A stage below `top`, its width and height."""
    rows, columns = _grid(facts["array"])
    shown = min(rows, SHOWN), min(columns, SHOWN)
    frame = max(_ROW * (len(chains) - 1) + _PE, shown[0] * (_PE + _GAP) + 30)
    high = frame + 90
    left = _PORT + max((len(chain.memories) for chain in chains), default=0) * (_MEMORY + 50) + 60
    array = shown[1] * (_PE + _GAP) + 60
    middle = top + high / 2
    parts = [
        *_sources(chains, facts, left, middle),
        *_array(facts, (left, middle - frame / 2, array, frame), (rows, columns)),
        *_sink(facts, colour.get(facts["output"]["tensor"], INSIDE), left + array, middle),
    ]
    wide = left + array + 40 + _MEMORY + 50 + _PORT + 20 + (_MEMORY + 50) * len(facts["output"]["levels"])
    return parts, wide, high


def _grid(spaces: list[dict[str, Any]]) -> tuple[int, int]:
    """Rows and columns of PEs; an array of one dimension lies in a row."""
    sizes = [prod(space["lanes"] for space in spaces if space["dimension"] == number) for number in (0, 1)]
    return (1, prod(sizes)) if 1 in sizes else (sizes[0], sizes[1])


def _chains(accelerator: Network, stage: Stage, colour: Mapping[str, str]) -> list[_Chain]:
    """For every stage and every port that a stage reads: the memories that its words pass, up to the array."""
    inwards = {move.tap.tap.memory: move.sink.memory for move in stage.moves}
    inwards |= {fill.tap.tap.memory: fill.sink.file for fill in stage.fills}
    inwards |= {copy.tap.file: copy.sink.file for copy in stage.copies}
    chains = [
        _Chain(other.name, "stage", INSIDE, [sink.memory])
        for other in accelerator.stages for sink in other.write.inside if sink.memory in stage.store
    ]  # fmt: skip
    for load in stage.loads:
        port = load.tap.port
        chains.append(_Chain(port.name, "read port", colour[port.tensor], [load.sink.memory]))
    for chain in chains:
        while chain.memories[-1] in inwards:
            chain.memories.append(inwards[chain.memories[-1]])
    return chains


def _sources(chains: list[_Chain], facts: dict[str, Any], left: float, middle: float) -> Iterator[str]:
    memories = {memory["name"]: memory for memory in (*facts["memories"], *facts["register_files"])}
    travel = {operand["source"]: operand["travel"] for operand in facts["operands"]}
    for number, chain in enumerate(chains):
        y = middle + (number - (len(chains) - 1) / 2) * _ROW
        x = 10.0
        yield from _box(x, y, _PORT, "port", chain.source, chain.kind, paint=chain.paint)
        x += _PORT
        for name in chain.memories:
            yield _arrow(x, y, x + 50, y)
            yield from _box(x + 50, y, _MEMORY, "memory", name, _size(memories[name]), paint=chain.paint)
            x += 50 + _MEMORY
        yield _arrow(x, y, left, y)
        yield _text(x - _MEMORY / 2, y + 38, _manner(travel.get(chain.memories[-1], {})), "small")


def _size(memory: dict[str, Any]) -> str:
    halves = f"{memory['words']} words x {memory['halves']}"
    if behind := memory.get("behind"):
        halves += f", {behind['rows']} rows of {behind['words']}"
    if (before := memory.get("before")) and memory["name"] == before["memories"][0]:
        halves += f", {before['rows']} rows of {before['words']}"
    if line := memory.get("line"):
        halves = f"{memory['words']} words in {memory['extents'][line['dimension']]} rows"
    return f"{halves}, {memory['banks']} banks" if memory.get("banks", 1) > 1 else halves


def _manner(travel: dict[str, str]) -> str:
    return ", ".join(f"{manner} over {loop}" for loop, manner in travel.items())


def _array(facts: dict[str, Any], frame: tuple[float, float, float, float], grid: tuple[int, int]) -> Iterator[str]:
    left, top, width, high = frame
    rows, columns = (min(count, SHOWN) for count in grid)
    yield f'<rect class="array" x="{left:g}" y="{top:g}" width="{width:g}" height="{high:g}"/>'
    yield _text(left + width / 2, top - 8, f"{counted(facts['pes'], 'PE')}: {facts['output']['value']}")
    first = top + (high - (rows - 1) * (_PE + _GAP)) / 2
    for row in range(rows):
        for column in range(columns):
            x, y = left + 30 + _GAP / 2 + column * (_PE + _GAP), first + row * (_PE + _GAP)
            yield from _box(x, y, _PE, "pe", _label(row, rows, grid[0], column, columns, grid[1]))
            if column and _linked(facts["array"], grid, 1):
                yield _arrow(x - _GAP, y, x, y)
            if row and _linked(facts["array"], grid, 0):
                yield _arrow(x + _PE / 2, y - _PE / 2 - _GAP, x + _PE / 2, y - _PE / 2)


def _label(row: int, rows: int, all_rows: int, column: int, columns: int, all_columns: int) -> str:
    """The PE's place, or dots where it stands for all that are not drawn."""
    if (row == rows - 2 and rows < all_rows) or (column == columns - 2 and columns < all_columns):
        return "..."
    row = all_rows - 1 if row == rows - 1 else row
    column = all_columns - 1 if column == columns - 1 else column
    return f"{column}" if all_rows == 1 else f"{row},{column}"


def _linked(spaces: list[dict[str, Any]], grid: tuple[int, int], direction: int) -> bool:
    """Whether neighbours along a direction (0 down, 1 across) pass words on."""
    return any(space["systolic"] for space in spaces if grid[0] == 1 or space["dimension"] == direction)


def _sink(facts: dict[str, Any], paint: str, x: float, middle: float) -> Iterator[str]:
    output = facts["output"]
    yield _arrow(x, middle, x + 40, middle)
    sums = f"{output['accumulators']} x {output['words']} words x {output['halves']}"
    yield from _box(x + 40, middle, _MEMORY, "memory", "accumulators", sums, paint=paint)
    yield _text(x + 40 + _MEMORY / 2, middle + 38, _manner(output["travel"]), "small")
    for level in output["levels"]:
        x += _MEMORY + 50
        yield _arrow(x - 10, middle, x + 40, middle)
        yield from _box(x + 40, middle, _MEMORY, "memory", level["name"], _size(level), paint=paint)
    yield _arrow(x + 40 + _MEMORY, middle, x + 90 + _MEMORY, middle)
    way = "write port" if output["port"] else "stage"
    yield from _box(x + 90 + _MEMORY, middle, _PORT, "port", output["tensor"], way, paint=paint)


def _box(x: float, middle: float, width: float, kind: str, *lines: str, paint: str = "") -> Iterable[str]:
    """A box centred on a height, one or two lines of text in it, in the colour of a tensor."""
    style = f' style="fill: {paint}"' if paint else ""
    yield f'<rect class="{kind}"{style} x="{x:g}" y="{middle - _PE / 2:g}" width="{width:g}" height="{_PE}"/>'
    for number, line in enumerate(lines):
        y = middle + 4 + (number - (len(lines) - 1) / 2) * 17
        yield _text(x + width / 2, y, line, "small" if number else "")


def _text(x: float, y: float, line: str, kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{x:g}" y="{y:g}">{escape(line)}</text>'


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<path d="M{x:g} {y:g} {to_x:g} {to_y:g}"/>'
