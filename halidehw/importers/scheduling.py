"""A schedule for each layer of a network, found by the optimizer, and what its hardware takes by the model; and one for
each block of several layers on an array that all share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import inf, isqrt, prod
from pathlib import Path
from typing import Any

from halidehw.buses.axi import AXI
from halidehw.energy_model.costs.table import CostTable, load_costs
from halidehw.energy_model.cycles import repeated_cycles
from halidehw.energy_model.estimate import DEFAULT_COSTS, Estimate, estimate_hardware
from halidehw.errors import HalideHWError, HardwareError
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.text import parse, write
from halidehw.importers.apart import Apart
from halidehw.importers.blocks import Block
from halidehw.importers.lanes import in_lanes, on_two_sides, through_tiles
from halidehw.importers.processes import side_by_side
from halidehw.importers.recipes import Convolution
from halidehw.importers.steps import Layer, LoopNest
from halidehw.importers.tensors import Tensor
from halidehw.importers.tiling import PARTS, Array, Tiles, tiles_of
from halidehw.importers.tiling import array_of as array_for
from halidehw.importers.together import Form, form_of
from halidehw.importers.together import together as joint
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.architecture_file import load_architecture
from halidehw.mapping.mapping import Mapping
from halidehw.microarch.chip import on_chip
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.optimize.files import ALL, files_of
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


Made = Callable[[], tuple[Layer, str]]
"""A layer and its text, when it is asked for."""


def scheduled(
    layer: Layer, arch: Architecture, costs: CostTable | None = None, *, thorough: bool = False
) -> Scheduled:  # fmt: skip
    """The layer with the first schedule, of those of known form and those that the optimizer finds, that can be built
    and takes at most `NEAR` times what array and ports take at least; where none does, or if it is to be `thorough`,
    which takes many times as long, with that of all whose hardware takes least. A layer that is no sum has as many
    lanes as its output's port has words. Raises what the compiler raises where that cannot be built."""
    table, options, pes = costs or load_costs(DEFAULT_COSTS), Options(arch.port_bits), prod(arch.array)
    found, refused = list[Scheduled](), ""
    enough = 0 if thorough else NEAR * _least(layer, pes, options)
    for made in _schedules(layer, arch, pes, options):
        try:
            found.append(_estimated(*made(), options, table, arch))
        except HalideHWError as problem:
            refused = refused or problem.message
            continue
        if found[-1].estimate.cycles.total <= enough:
            return found[-1]
    if found:
        return min(found, key=lambda each: each.estimate.cycles.total)
    return replace(_estimated(layer, in_lanes(layer, options), options, table), refused=refused)


def _least(layer: Layer, pes: int, options: Options) -> float:
    """Cycles in which the array can have made all products, and each port have passed its tensor once."""
    tensors = [(prod(each.shape), each.dtype) for each in (*layer.reads, layer.output)]
    tensors += [(each.size, each.dtype) for each in layer.constants.values()]
    return max(layer.macs / pes, *(size / options.lanes(8 * dtype.itemsize) for size, dtype in tensors))


def _schedules(layer: Layer, arch: Architecture, pes: int, options: Options) -> Iterator[Made]:
    """What makes a layer's schedules: those of known form, and those that the optimizer finds."""
    yield from _forms(layer, pes, options)
    shape = layer.shape
    for search, own in product(_SEARCHES[shape.sizes.groups > 1] if shape else (), (True, False)):
        assert shape is not None
        yield partial(_optimized, layer, shape, arch, search, own)
    if not shape:
        yield lambda: (layer, in_lanes(layer, options))


def _forms(layer: Layer, macs: int, options: Options) -> list[Made]:
    """What makes a layer's schedules of known form, the best first, about: that of a block, or that of groups."""
    recipe, words = layer.recipe, options.lanes(8 * layer.output.dtype.itemsize)
    if not layer.shape:
        texts = on_two_sides(layer, macs, words) + through_tiles(layer, words)
        return [partial(_joined, layer, text) for text in texts]
    if layer.shape.sizes.groups > 1:
        plain = write(design_of(layer.func))
        return [partial(_joined, layer, plain, text) for text in Apart(layer.shape, macs, words).texts()]
    if not isinstance(recipe, Convolution) or recipe.groups != 1 or recipe.x.shape[0] != 1:
        return []
    block, port = Block(replace(layer, recipe=_in_rows(recipe))), max(options.port_bits // 8, 1)
    try:
        array = array_for([block], macs, port)
    except HalideHWError:
        return []
    return [partial(_block, block, array, tiles) for tiles in tiles_of(block, array, port)]


def _in_rows(recipe: Convolution) -> Convolution:
    """Pixels in one row, of which an output sees one each, as rows of one pixel: a tile may have some of them."""
    window, (images, _, rows, _) = recipe.window, recipe.x.shape
    if (images, rows, *window.kernel, *window.strides) != (1,) * (2 + 2 * len(window.kernel)) or window.padded:
        return recipe

    def turned(tensor: Tensor) -> Tensor:
        return replace(tensor, shape=(*tensor.shape[:2], *reversed(tensor.shape[2:])))

    return replace(recipe, x=turned(recipe.x), output=turned(recipe.output))


def _joined(layer: Layer, *texts: str) -> tuple[Layer, str]:
    return layer, "\n".join(texts)


def _block(block: Block, array: Array, tiles: Tiles) -> tuple[Layer, str]:
    placed = _placed(block, form_of([block]), array, tiles)
    return placed.layer, placed.text


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


NEAR = 1.25
"""How much longer than array or ports take at least a schedule may be for no other one to be looked for."""

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


def _estimated(
    layer: Layer, text: str, options: Options, table: CostTable, arch: Architecture | None = None
) -> Scheduled:
    """Raises HardwareError where it has more on the chip than the architecture."""
    graph = lower_graph(parse(text).output)
    network = derive(graph, options)
    if arch and (bytes_ := on_chip(network)) > _capacity(arch):
        raise HardwareError(f"{layer.name}: it has {bytes_} bytes on the chip, of {_capacity(arch)}")
    return Scheduled(layer, text, options, estimate_hardware(graph, network, table, None))


def _capacity(arch: Architecture) -> float:
    """Bytes of all memories on the chip, those in the PEs among them."""
    words = [inf if level.words is None else level.words * (prod(arch.array) if level.per_pe else 1)
             for level in arch.levels[:-1]]  # fmt: skip
    return sum(words) * arch.word_bits // 8


def _optimized(
    layer: Layer, shape: LoopNest, arch: Architecture, search: Search, own: bool
) -> tuple[Layer, str]:
    """With the splits, order, lanes and memories that the optimizer chooses; register files of its `own` choice, or for
    all tensors."""
    answer = solve_warm(Task(shape.sizes, arch, search))
    levels = tuple(replace(level, buffers=1 + (level.name in answer["double"])) for level in arch.levels)
    lines = schedule_lines(
        replace(arch, levels=levels), _mapping(answer["mapping"]), dict(shape.loops), shape.subject,
        files=files_of(answer["files"]) if own else ALL,
    )  # fmt: skip
    declared = [f"Var {', '.join(lines.loops)};"] if lines.loops else []
    return layer, "\n".join([write(design_of(layer.func)), *declared, *lines.lines, ""])


def _mapping(found: dict[str, Any]) -> Mapping:
    temporal = tuple(tuple((dim, trips) for dim, trips in level["loops"]) for level in found["levels"])
    return Mapping(temporal, tuple(tuple((dim, lanes) for dim, lanes in axis) for axis in found["spatial"]))
