"""A schedule for each layer of a network, found by the optimizer, and what its hardware takes by the model; and one for
each block of several layers on an array that all share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isqrt, prod
from pathlib import Path
from typing import Any

from halidehw.buses.axi import AXI
from halidehw.energy_model.costs.table import CostTable, load_costs
from halidehw.energy_model.cycles import repeated_cycles
from halidehw.energy_model.estimate import DEFAULT_COSTS, Estimate, estimate_hardware
from halidehw.errors import HalideHWError
from halidehw.expr.expr import Var
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.func import Func
from halidehw.frontend.pipeline import tensors_of
from halidehw.frontend.text import parse, write
from halidehw.importers.blocks import Block
from halidehw.importers.processes import side_by_side
from halidehw.importers.recipes import Convolution
from halidehw.importers.steps import Layer, LoopNest
from halidehw.importers.tiling import PARTS, Array, Tiles, tiles_of
from halidehw.importers.tiling import array_of as array_for
from halidehw.importers.together import Form, form_of
from halidehw.importers.together import together as joint
from halidehw.mapping.architecture import Architecture, load_architecture
from halidehw.mapping.mapping import Mapping
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.optimize.options import Options as Search
from halidehw.optimize.schedule import schedule_lines
from halidehw.optimize.sweep import Task, solve_warm
from halidehw.scheduler import lower_graph
from halidehw.simulate.memory import Memory

OF_ITS_OWN = Path(__file__).with_name("array.toml")
"""The architecture that is taken if none is asked for."""


@dataclass(frozen=True)
class Scheduled:
    """A layer with a schedule. `text`: algorithm and schedule; `estimate`: of its hardware with an ideal memory;
    `refused`: why the optimizer's schedule is not taken, if it is not."""

    layer: Layer
    text: str
    options: Options
    estimate: Estimate
    refused: str = ""

    @property
    def design(self) -> Design:
        return parse(self.text)


def array_of(macs: int, file: Path | str | None = None) -> Architecture:
    """The architecture with an array of so many multipliers, as square as may be."""
    rows = next(rows for rows in range(isqrt(macs), 0, -1) if macs % rows == 0)
    return replace(load_architecture(file or OF_ITS_OWN), array=(rows, macs // rows))


def scheduled(
    layer: Layer, arch: Architecture, costs: CostTable | None = None, *, first: bool = False
) -> Scheduled:  # fmt: skip
    """The layer with the schedule, of those that the optimizer finds and that of a block, whose hardware takes least.
    A layer that is no sum has as many lanes as its output's port has words. `first`: with the first schedule that can
    be built, which takes a fraction of the time. Raises what the compiler raises where that cannot be built."""
    table, options = costs or load_costs(DEFAULT_COSTS), Options(arch.port_bits)
    found: list[Scheduled] = []
    refused = ""
    shape = layer.shape
    for search in _SEARCHES[shape.sizes.groups > 1] if shape else ():
        assert shape is not None
        if first and found:
            break
        try:
            found.append(_estimated(layer, _optimized(layer, shape, arch, search), options, table))
        except HalideHWError as problem:
            refused = problem.message
    recipe = layer.recipe
    if not (first and found) and isinstance(recipe, Convolution) and recipe.groups == recipe.x.shape[0] == 1:
        try:
            (own,) = together([Block(layer)], prod(arch.array), AXI(arch.port_bits), Memory()).values()
            found.append(_estimated(own.layer, own.text, options, table))
        except HalideHWError as problem:
            refused = refused or problem.message
    if found:
        return min(found, key=lambda each: each.estimate.cycles.total)
    return replace(_estimated(layer, in_lanes(layer, options), options, table), refused=refused)


@dataclass(frozen=True)
class Placed:
    """A block as a layer, and its text with a schedule for the array of all blocks."""

    layer: Layer
    text: str


def together(blocks: Sequence[Block], macs: int, bus: AXI, memory: Memory) -> dict[Block, Placed]:
    """Blocks on one array of at most `macs` multipliers, each with the tiles that take the fewest cycles behind a bus
    by the model, of two runs in a list.

    Raises HardwareError for too few multipliers.
    """
    form, array = form_of(blocks), array_for(blocks, macs, bus.bytes)
    tiles = {block: tiles_of(block, array, bus.bytes) for block in blocks}
    alike = {block.sizes: block for block in blocks}
    tried = [(sizes, each) for sizes, block in alike.items() for each in tiles[block]]
    texts = [_placed(alike[sizes], form, array, each).text for sizes, each in tried]
    taken = dict(zip(tried, side_by_side(partial(_cycles, bus=bus, memory=memory), texts), strict=True))
    best = {sizes: min(tiles[block], key=lambda each: taken[sizes, each]) for sizes, block in alike.items()}
    return {block: _placed(block, form, array, best[block.sizes]) for block in blocks}


def _cycles(text: str, bus: AXI, memory: Memory) -> float:
    """Infinitely many for what no hardware can be built for."""
    try:
        return repeated_cycles(derive(lower_graph(parse(text).output), Options(bus.bits)), memory, bus)
    except HalideHWError:
        return inf


def _placed(block: Block, form: Form, array: Array, tiles: Tiles) -> Placed:
    """The order of loops is that of `halidehw.importers.tiling`."""
    apart = array.parts > 1
    made = joint(block, form, tiles.joined, array.parts_of(block) if apart else 0)
    names = ["k_o", "k_i", "c_o", "c_i", "y_o", "y_i"] + ["h_o", "h_i"] * apart
    split = f".split(h, h_o, h_i, {array.parts})" if apart else ""
    inner, outer, lanes = (" h_i,", " h_o,", ".unroll(h_i)") if apart else ("", "", "")
    pixels, ahead, filters = f"x,{outer} y_i,", max(_AHEAD // array.filters, 2), f"k_o, k_i, {array.filters}"
    match array.order:
        case "streamed":
            order, at = f"c_o, {pixels} k_o, y_o", "k_o"
        case "held":
            order, at = f"{pixels} c_o, k_o, y_o", "c_o"
        case "kept":
            order, at, ahead = f"c_o, {pixels} k_o, y_o, k_p", "k_p", PARTS
            filters = f"k_t, k_i, {array.filters}).split(k_t, k_p, k_o, {tiles.kept}"
            names += ["k_t", "k_p"]
    lines = [
        f"{made.sums}.update().split(k, {filters}).split(r.x, c_o, c_i, {array.channels})"
        f".split(y, y_o, y_i, {tiles.rows}){split}.reorder(c_i, k_i,{inner} r.y, r.z, {order})"
        f".unroll(c_i).unroll(k_i){lanes};",
        f"weight.in().compute_at({made.sums}, {at}).ring_buffer({ahead});",
    ]
    if made.before:
        names += ["g_o", "g_m", "g_t", "g_i", "q_o", "q_i", "p_o", "p_i"]
        lines += [
            f"{made.before}.update().split(g, g_t, g_i, {array.groups}).split(g_t, g_o, g_m, {tiles.groups})"
            f".split(q.x, q_o, q_i, {array.across}).split(q.y, p_o, p_i, {array.down})"
            f".reorder(g_i, q_i, p_i, q_o, p_o, g_m, x,{' h,' * apart} y, g_o)"
            ".unroll(g_i).unroll(q_i).unroll(p_i);",
            f"{made.before.removesuffix('_sum')}.compute_at({made.sums}, y_o);",
            f"input.in().compute_at({made.before}, g_o).ring_buffer({_TILES});",
            *(f"{name}.in().compute_root();" for name in made.layer.constants if name.startswith("before_")),
        ]
    else:
        lines.append(f"input.in().compute_at({made.sums}, y_o);")
    declared = f"Var {', '.join(names)};"
    return Placed(made.layer, "\n".join([write(design_of(made.layer.func)), declared, *lines, ""]))


_AHEAD = 64
"""Filters whose weights there is room for, so that they come in before their turn."""

_TILES = 8
"""Small tiles of the input that there is room for, so that a memory that answers late keeps up."""

_SEARCHES = {
    False: (Search("any", "delay", replicate=True), Search("any", "delay"), Search("any", "edp", replicate=True)),
    True: (Search("G | X", "delay"), Search("G | FX", "delay"), Search("G | X", "edp")),
}
"""By whether the layer has groups, whose channels lie together: which schedules are tried. The fastest may leave
partial sums outside, which a layer that rounds its sums cannot; that of least delay times energy hardly ever does."""


def _estimated(layer: Layer, text: str, options: Options, table: CostTable) -> Scheduled:
    graph = lower_graph(parse(text).output)
    found = estimate_hardware(graph, derive(graph, options), table, None)
    return Scheduled(layer, text, options, found)


def _optimized(layer: Layer, shape: LoopNest, arch: Architecture, search: Search) -> str:
    """With the splits, order, lanes and memories that the optimizer chooses."""
    answer = solve_warm(Task(shape.sizes, arch, search))
    levels = tuple(replace(level, buffers=1 + (level.name in answer["double"])) for level in arch.levels)
    lines = schedule_lines(replace(arch, levels=levels), _mapping(answer["mapping"]), dict(shape.loops), shape.subject)
    declared = [f"Var {', '.join(lines.loops)};"] if lines.loops else []
    return "\n".join([write(design_of(layer.func)), *declared, *lines.lines, ""])


def _mapping(found: dict[str, Any]) -> Mapping:
    temporal = tuple(tuple((dim, trips) for dim, trips in level["loops"]) for level in found["levels"])
    return Mapping(temporal, tuple(tuple((dim, lanes) for dim, lanes in axis) for axis in found["spatial"]))


def in_lanes(layer: Layer, options: Options) -> str:
    """The layer with lanes along the fastest dimension of the output, as many as a port's word has, or fewer where its
    loops cannot be taken apart for these."""
    plain = write(design_of(layer.func))
    func = parse(plain).output
    fastest = Var(func.args[0])
    most = min(options.lanes(func.type.bits), func.bounds[fastest.name][1])
    for lanes in range(most, 1, -1):
        try:
            text = _unrolled(plain, fastest, lanes)
            lower_graph(parse(text).output)
        except HalideHWError:
            continue
        return text
    return plain


def _unrolled(text: str, loop: Var, lanes: int) -> str:
    func = parse(text).output
    sums = [each for each in tensors_of(func) if isinstance(each, Func) and len(each.stages) > 1]
    (sums[0].update() if sums else func).unroll(loop, lanes)
    return write(design_of(func))
