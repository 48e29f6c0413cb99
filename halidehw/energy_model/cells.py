"""Energy of what is made of standard cells: register files, datapath, array, control; clocked registers included.

A netlist's energy is what its registers take in every cycle, whatever they hold, and what switches with each event.
Events whose data are those of the step before switch nothing, so operands and addresses are counted when they change.
Docs: docs/synthesis.md, "The model".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from halidehw.energy_model.costs.table import CostTable
from halidehw.energy_model.energy import Energy, energies
from halidehw.energy_model.points import iterations
from halidehw.energy_model.traffic import Count
from halidehw.errors import CostError
from halidehw.ir.affine import Affine
from halidehw.microarch.held import Elaborated, Held
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.operators import cells
from halidehw.microarch.processes import Copy, Fill, Move, Operand
from halidehw.microarch.taps import FileTap, IndexValue, Lanes
from halidehw.microarch.travel import plain
from halidehw.microarch.walk import Walk

WORD = 16
"""Bits of the words that events are counted in; a word of b bits counts as b / 16."""

PRODUCT = WORD * (WORD + 1) // 2
"""Partial products of a word that is a product of words, in which datapaths are counted (`microarch/operators.py`)."""

PARTS = {
    "multiply": "datapath", "add": "datapath", "file": "register files", "accumulator": "register files",
    "links": "links", "buffer": "control", "control": "control",
}  # fmt: skip
"""Component -> the part of a report that it belongs to."""

MEMORIES = "memories"
"""The part that macros are."""


@dataclass(frozen=True)
class Event:
    """`amount` events of the kind `cost`: "sram", an access of a macro, or a field of a cost table's cells.

    `component`: a key of PARTS; a macro's is the name of its memory. `size`: bytes of the memory, where that matters.
    """

    component: str
    cost: str
    amount: float
    size: float = 0.0

    @property
    def part(self) -> str:
        return PARTS.get(self.component, MEMORIES)


def component_of(held: Held) -> str:
    """The component (a key of PARTS) that registers or a memory belong to."""
    match held.role, held.memory > 0:
        case "datapath", memory:
            return "file" if memory else "multiply"
        case "sums", memory:
            return "accumulator" if memory else "add"
        case "links" | "buffer" as role, _:
            return role
    return "control"


def events(
    accelerator: Network, counts: Mapping[str, Count], held: tuple[Held, ...], cycles: int, macro_bytes: float
) -> tuple[Event, ...]:
    """What happens in a run of `cycles` cycles. `held`: the design's registers; memories of more than `macro_bytes`
    bytes are macros and not among it."""
    stage = accelerator.output
    return (
        *_clocked(held, cycles, macro_bytes),
        *_datapath(stage, counts),
        *_files(stage, counts),
        *_accumulators(stage, counts, macro_bytes),
        *_links(stage, counts, held),
        *_buffers(stage, counts, macro_bytes),
        *_control(stage, counts),
        *_macros(stage, counts, cycles, macro_bytes),
    )


def cell_energies(
    accelerator: Network, counts: Iterable[Count], cycles: int, costs: CostTable, elaborated: Elaborated | None
) -> tuple[Energy, ...]:
    """The energy of a run by a table with cells: of every event on chip, and of the words at the ports.

    Raises CostError where the table has no SRAM and the design has, and for partial sums in several levels, or
    several stages.
    """
    assert costs.cells and elaborated, "registers are charged, and nothing says how many there are"
    stage = accelerator.output
    if len(accelerator.stages) > 1:
        raise CostError(
            f"{accelerator.name} has {len(accelerator.stages)} stages: the cost table {costs.name!r} charges what "
            "happens in cells, and knows designs of one stage only",
            legal=('estimate(f, "table3")',),
        )
    if stage.folds:
        raise CostError(
            f"{stage.sums[1].name}: the cost table {costs.name!r} charges what happens in cells, and knows partial "
            "sums in one level only",
            legal=('estimate(f, "table3")',),
        )
    named = {count.name: count for count in counts}
    held = elaborated(accelerator)
    found = []
    for event in events(accelerator, named, held, cycles, costs.cells.macro):
        macro = event.cost == "sram"
        each = costs.access("sram", event.size, event.component) if macro else costs.cells.cost(event.cost, event.size)
        level = event.component if macro else event.part
        found.append(Energy(level, "", event.cost, "work", each, each * event.amount))
    outside = (count for count in named.values() if count.level == "memory")
    return (*energies(accelerator, outside, costs), *found)


def _clocked(held: tuple[Held, ...], cycles: int, macro_bytes: float) -> Iterator[Event]:
    bits = dict.fromkeys(PARTS, 0)
    for each in held:
        if each.memory <= 8 * macro_bytes:
            bits[component_of(each)] += each.registers + each.memory
    for component, total in bits.items():
        yield Event(component, "register", total * cycles)


def _datapath(stage: Stage, counts: Mapping[str, Count]) -> Iterator[Event]:
    walk, steps = stage.compute.walk, counts["steps"].words
    moved = [_movement(operand) for operand in stage.compute.operands]
    several, one = 1, 0
    for depth, times in enumerate(carries(walk)):
        news = [changed(walk, forms, tile, depth) for forms, tile in moved].count(True)
        several, one = several + times * (news > 1), one + times * (news == 1)
    size = stage.pes * cells(stage.compute.value) / PRODUCT
    yield Event("multiply", "mac", several * size)
    yield Event("multiply", "mac_held", one * size)
    width = stage.sums[0].type.bits / WORD
    chained = sum(count.words for count in counts.values() if count.event == "sum")
    yield Event("multiply", "chain", chained * width)
    lanes = prod(space.extent for space in stage.spaces if not space.reduction)
    yield Event("add", "add", steps * lanes * width)


def _files(stage: Stage, counts: Mapping[str, Count]) -> Iterator[Event]:
    walk = stage.compute.walk
    taps = (operand.source for operand in stage.compute.operands)
    files = [tap for tap in taps if isinstance(tap, FileTap)]
    readers = {tap.file: ((tap.address,), tap.tile) for tap in files}
    looked_up = {tap.file for tap in files if tap.data}
    readers |= {copy.tap.file: ((copy.tap.address,), copy.tap.tile) for copy in stage.copies}
    walks = {copy.tap.file: copy.walk for copy in stage.copies}
    offered = {fill.sink.file: iterations(fill.walk) * stage.pes for fill in stage.fills}
    for file in stage.files:
        size, width = file.halves * file.words * file.type.bits / 8, file.type.bits / WORD
        forms, tile = readers[file.name]
        news = iterations(walk) if file.name in looked_up else changes(walks.get(file.name, walk), forms, tile)
        written = counts[f"{plain(file.name)}_written"].words
        yield Event("file", "read", news * stage.pes * file.reads * width, size)
        yield Event("file", "write", written * file.reads * width)
        yield Event("file", "offer", offered.get(file.name, written) * file.reads * size)


def _accumulators(stage: Stage, counts: Mapping[str, Count], macro_bytes: float) -> Iterator[Event]:
    sums = stage.sums[0]
    size = sums.halves * sums.words * sums.type.bits / 8
    if size > macro_bytes:
        return
    lanes = prod(space.extent for space in stage.spaces if not space.reduction)
    yield Event("accumulator", "accumulate", counts["steps"].words * lanes * sums.type.bits / WORD, size)
    swept = changes(stage.compute.walk, (stage.compute.sink.address,), stage.compute.sink.tile)
    yield Event("accumulator", "sweep", swept * lanes * size)


def _links(stage: Stage, counts: Mapping[str, Count], held: tuple[Held, ...]) -> Iterator[Event]:
    hops = sum(
        count.words * count.bits / WORD
        for count in counts.values()
        if count.event in ("hop", "broadcast")
    )
    skewed = sum(_skewed(stage, operand) * operand.type.bits / WORD for operand in stage.compute.operands)
    yield Event("links", "hop", hops + skewed)
    bits = sum(each.registers for each in held if component_of(each) == "links")
    yield Event("links", "wave", bits * counts["steps"].words)


def _skewed(stage: Stage, operand: Operand) -> int:
    """Words that registers take over from registers where an operand's lanes are skewed."""
    if not isinstance(operand.source, Lanes):
        return 0
    own = [space for space in stage.spaces if space.name in operand.spaces]
    lanes, late = prod(space.extent for space in own), [space for space in own if space.systolic]
    return changes(stage.compute.walk, *_movement(operand)) * lanes * sum(space.extent - 1 for space in late) // 2


def _buffers(stage: Stage, counts: Mapping[str, Count], macro_bytes: float) -> Iterator[Event]:
    for window, _ in stage.compute.windows.values():
        if window.values:
            yield Event("buffer", "mac", iterations(window.walk) * sum(map(cells, window.values)) / PRODUCT)
    for memory in stage.memories:
        name, width = plain(memory.name), memory.type.bits / WORD
        read, bank = counts[f"{name}_read"].words, memory.bank * memory.type.bits / 8
        if bank <= macro_bytes:
            written = counts[f"{name}_written"].words
            yield Event("buffer", "read", read * width, bank)
            yield Event("buffer", "write", written * width)
            yield Event("buffer", "offer", written * bank)
        shifted = counts[f"{name}_shifted"].words if f"{name}_shifted" in counts else 0
        if memory.rotating or shifted:
            yield Event("buffer", "lane", (read + shifted) * width)
        if memory.rotating:
            yield Event("buffer", "crossbar", read * len(memory.lanes) * width)


def _control(stage: Stage, counts: Mapping[str, Count]) -> Iterator[Event]:
    yield Event("control", "step", counts["steps"].words)
    transfers: tuple[Fill | Copy | Move, ...] = (*stage.fills, *stage.copies, *stage.moves)
    yield Event("control", "fill", sum(iterations(transfer.walk) for transfer in transfers))
    yield Event("control", "load", sum(iterations(load.walk) for load in stage.loads))
    write = stage.write
    yield Event("control", "store", iterations(write.walk))
    if write.epilogue is not None:
        yield Event("control", "mac", iterations(write.walk) * write.lanes * cells(write.epilogue) / PRODUCT)


def _macros(stage: Stage, counts: Mapping[str, Count], cycles: int, macro_bytes: float) -> Iterator[Event]:
    """Accesses of memories too large for cells. Sums are in two of them each, both written; one is read in every step,
    the other one, from which they are drained, in every cycle."""
    for memory in stage.memories:
        bank = memory.bank * memory.type.bits / 8
        if bank > macro_bytes:
            words = counts[f"{plain(memory.name)}_read"].words + counts[f"{plain(memory.name)}_written"].words
            yield Event(memory.name, "sram", words * memory.type.bits / WORD, memory.size * memory.type.bits / 8)
    sums = stage.sums[0]
    size = sums.halves * sums.words * sums.type.bits / 8
    if size > macro_bytes:
        lanes = prod(space.extent for space in stage.spaces if not space.reduction)
        accesses = (3 * counts["steps"].words + cycles) * lanes
        yield Event("accumulators", "sram", accesses * sums.type.bits / WORD, size)


def _movement(operand: Operand) -> tuple[tuple[Affine, ...], int]:
    """The forms that say which word an operand takes, and the depth at which its tile changes."""
    match operand.source:
        case Lanes(tap=tap):
            return (tap.address, *tap.rotations), tap.tile
        case FileTap(address=address, tile=tile):
            return (address,), tile
        case IndexValue(form=form):
            return (form,), 0


def carries(walk: Walk) -> tuple[int, ...]:
    """How many steps of a walk advance each of its axes and start all axes inside it anew."""
    totals = [1, *(iterations(walk, depth + 1) for depth in range(len(walk.axes)))]
    return tuple(inner - outer for outer, inner in pairwise(totals))


def changed(walk: Walk, forms: tuple[Affine, ...], tile: int, depth: int) -> bool:
    """Whether a step that advances axis `depth` gives some form another value, or begins a tile."""
    if depth < tile:
        return True
    axis, inside = walk.axes[depth], walk.axes[depth + 1 :]
    return any(form[axis.name] != sum(form[each.name] * (each.extent - 1) for each in inside) for form in forms)


def changes(walk: Walk, forms: tuple[Affine, ...], tile: int) -> int:
    """Steps of a walk that give some form another value than the step before (the first one does); where a limit cuts
    an inner axis short, its full extent is taken."""
    return 1 + sum(times for depth, times in enumerate(carries(walk)) if changed(walk, forms, tile, depth))
