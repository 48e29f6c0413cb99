"""One port that all tensors share: whose request goes first.

In a cycle the port takes one request. Words that are written go first; of reads that which is needed first, if the
steps of all processes were taken one after the other, as the nest has them. So a request is never late because of one
that is needed later, and the port is idle only when nobody asks.

Each read port says with a request in which iteration of the array's outer loops its tile is needed: its `order`, a
number that rises in the order of the nest. Of equal ones the port that comes first in `asked_in_order` goes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import lcm, prod
from types import MappingProxyType

from halidehw.ir.affine import Affine
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.processes import Load, Operand, Transfer, is_load, taps_of
from halidehw.microarch.taps import FileTap, Lanes, MemoryTap, PortTap, Sink, Tap
from halidehw.microarch.walk import Axis

Source = tuple[int, Transfer[Tap, Sink]]
"""The depth of a reader's walk at which a tile ends of what it reads, or a piece, and the transfer that brings it."""


@dataclass(frozen=True)
class Asked:
    """A load, and how many of the array's outer axes (`depth`) tell when its tile is needed. `late`: where that is when
    the array is through with all that is inside them, the writer's axes there that tell it, too."""

    load: Load
    depth: int
    late: tuple[Axis, ...] | None = None


def asked_in_order(stage: Stage) -> tuple[Asked, ...]:
    """The loads of a stage, in the order in which their first tiles are needed.

    A tile is needed where the outer loops begin that it has in common with the array: at a place in them first those
    of fewer loops. Of equally many, what is behind other memories comes before what is read directly, and what a
    transfer brings for a whole tile of its own comes with that.
    """
    until = min(tap.tile for tap in (*(fold.tap for fold in stage.folds), stage.write.tap))
    array, writer = (tuple(_sources(stage, each)) for each in (stage.compute.operands, stage.write.operands))
    found = list[Asked]()
    for depth in range(len(stage.compute.walk.axes) + 1):
        found += [Asked(load, depth) for load in _opened(stage, array, depth)]
        found += [Asked(load, depth) for load in _opened(stage, writer, depth) if depth < until]
    axes = stage.write.walk.axes
    late = ((load, depth) for depth in range(until, len(axes) + 1) for load in _opened(stage, writer, depth))
    return (*found, *(Asked(load, until, axes[until:depth]) for load, depth in late))


def ports_in_order(network: Network) -> tuple[str, ...]:
    """The read ports, of which the first goes first where `order` is equal."""
    loads = [each.load for stage in network.stages for each in asked_in_order(stage)]
    return tuple(dict.fromkeys(load.tap.port.name for load in loads))


def _sources(stage: Stage, operands: tuple[Operand, ...]) -> Iterator[Source]:
    """What operands read that a transfer brings: windows, other shared memories, register files."""
    lanes = sorted(taps_of(operands).values(), key=lambda each: each.window is None)
    files = dict.fromkeys(each.source for each in operands if isinstance(each.source, FileTap))
    taps: tuple[MemoryTap | FileTap, ...] = (*(each.tap for each in lanes), *files)
    for tap in taps:
        yield from _source(stage, tap)


def _source(stage: Stage, tap: MemoryTap | FileTap) -> Iterator[Source]:
    writer = stage.writer.get(tap.memory if isinstance(tap, MemoryTap) else tap.file)
    if isinstance(writer, Transfer):
        yield tap.taken if isinstance(tap, MemoryTap) else tap.tile, writer


def _behind(stage: Stage, transfer: Transfer[Tap, Sink]) -> tuple[Source, ...]:
    """What a transfer reads that another one brings."""
    tap = transfer.tap.tap if isinstance(transfer.tap, Lanes) else transfer.tap
    return tuple(_source(stage, tap)) if isinstance(tap, (MemoryTap, FileTap)) else ()


def _opened(stage: Stage, sources: tuple[Source, ...], depth: int) -> Iterator[Load]:
    """The loads of which a tile is needed where a reader of `sources` begins an iteration of its outer `depth` axes,
    and not of more of them already."""
    for tile, transfer in sources:
        if tile > depth and not is_load(transfer):
            yield from _opened(stage, _behind(stage, transfer), depth)
    for tile, transfer in sources:
        if tile == depth and is_load(transfer):
            yield transfer
        elif tile == depth:
            for further in range(depth, len(transfer.walk.axes) + 1):
                yield from _opened(stage, _behind(stage, transfer), further)


@dataclass(frozen=True)
class Sliding:
    """A line buffer that is filled through a port: its tile ends inside the array's outer `tile` axes, of which those
    from `anew` on slide it, each by `step` rows of a window of so many."""

    anew: int
    tile: int
    step: int
    window: int


def line_buffers(stage: Stage) -> dict[str, Sliding]:
    """Of the line buffers that the array reads, by itself or through a transfer for each of whose tiles they slide, by
    the loads that fill them."""
    found = dict[str, Sliding]()
    taps = {lanes.tap.memory: lanes.tap for lanes in taps_of(stage.compute.operands).values()}
    taps |= {tap.memory: tap for tap in _through(stage, stage.compute.operands)}
    for memory in stage.memories:
        load, tap = stage.writer.get(memory.name), taps.get(memory.name)
        if memory.ring and tap and isinstance(load, Transfer) and is_load(load):
            found[load.name] = Sliding(tap.anew, tap.tile, memory.ring.step, memory.ring.window)
    return found


def _through(stage: Stage, operands: tuple[Operand, ...]) -> Iterator[MemoryTap]:
    """What transfers to the array read, or to what they read, for each of their tiles."""
    sources = list(_sources(stage, operands))
    while sources:
        depth, transfer = sources.pop()
        if isinstance(transfer.tap, Lanes) and transfer.tap.tap.tile <= depth:
            yield transfer.tap.tap
        sources += [(min(depth, tile), behind) for tile, behind in _behind(stage, transfer)]


def crosses(stage: Stage) -> bool:
    """Whether one line buffer begins anew, or is filled, inside the loops that slide another one: then no numbers suit
    the rows of both."""
    found = line_buffers(stage).values()
    return any(one.anew < at < one.tile for one in found for other in found for at in (other.anew, other.tile))


@dataclass(frozen=True)
class Numbers:
    """How iterations of the array's outer loops are numbered: the number of one is the sum of its axes' `strides`, and
    of what windows are `ahead`, by the depth at which they begin anew. `inside`: by depth, how many numbers there are
    in an iteration of that many axes."""

    strides: dict[str, int]
    ahead: dict[int, int]
    inside: dict[int, int]

    def begun(self, depth: int) -> int:
        """What is added to numbers inside so many axes for the windows that begin anew outside these."""
        return sum(more for anew, more in self.ahead.items() if anew < depth)

    def rows(self, axes: tuple[Axis, ...], line: Sliding) -> tuple[int, int]:
        """How far apart the numbers of a window's rows are, and that of the first one, inside its `anew` axes."""
        stride = self.strides[axes[line.tile - 1].name] // line.step
        return stride, self.begun(line.anew) + self.ahead[line.anew] - (line.window - 1) * stride


def numbered(
    axes: tuple[Axis, ...], depth: int, lines: Iterable[Sliding], turns: Mapping[int, int] = MappingProxyType({})
) -> Numbers:
    """Those of the outer `depth` of some axes, so that each row of a line buffer has a number, too; and each of the
    writer's `turns`, by the depth in whose iterations it has so many: the first one has the array's last number there.

    A row is needed with the tile that has it first: it is the `window`-th one of the rows of that, or of the very first
    tile any. So an iteration of the axis that slides the window counts as many as its `step`, what is read in one has
    the number of the last row of its tile, and a row its own.
    """
    size = turns.get(depth, 1)
    found = Numbers({}, {}, {depth: size})
    for at in reversed(range(depth)):
        own = [each for each in lines if each.tile == at + 1]
        size *= lcm(*(each.step for each in own))
        found.strides[axes[at].name] = size
        for each in own:
            found.ahead[each.anew] = max(found.ahead.get(each.anew, 0), (each.window - 1) * (size // each.step))
        size = found.inside[at] = size * axes[at].extent + found.ahead.get(at, 0) + turns.get(at, 1) - 1
    return found


def _turns(found: Iterable[Asked]) -> tuple[Axis, ...]:
    """The writer's axes that tell apart when tiles of its loads are needed, but for the load with the most such axes:
    that is the last in the order of the ports, so its tiles come after those of the others that have the same number.
    """
    rising = [each.late for each in found if each.late is not None]
    return rising[-2] if len(rising) > 1 else ()


def ordered(stage: Stage) -> Stage:
    """A stage whose loads say in which order their words are needed."""
    found, lines, axes = asked_in_order(stage), line_buffers(stage), stage.compute.walk.axes
    turns = _turns(found)
    many = {each.depth: prod(axis.extent for axis in turns) for each in found if each.late is not None}
    numbers = numbered(axes, max((each.depth for each in found), default=0), lines.values(), many)
    late = {axis.name: prod(each.extent for each in turns[place:]) for place, axis in enumerate(turns, 1)}
    orders = dict[str, Load]()
    for each in found:
        walk, line = each.load.walk, lines.get(each.load.name)
        depth = line.anew if line else each.depth
        stride, begun = numbers.rows(axes, line) if line else (0, numbers.begun(depth))
        terms = [(axis.name, numbers.strides[axis.name]) for axis in axes[:depth] if axis.name in walk.extents]
        terms += [(walk.axes[depth].name, stride)] if line else []
        if each.late is not None:
            terms += [(axis.name, late[axis.name]) for axis in each.late[: len(turns)] if axis.name in walk.extents]
            begun += numbers.inside[each.depth] - many[each.depth]
        form = Affine.of(terms) + begun
        port = replace(each.load.tap.port, order=(numbers.inside[0] - 1).bit_length())
        tap: PortTap = replace(each.load.tap, port=port, order=form)
        orders[each.load.name] = replace(each.load, tap=tap)
    return replace(stage, transfers=tuple(orders.get(each.name, each) for each in stage.transfers))
