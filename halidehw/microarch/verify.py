"""What holds for every network; checked on every one that is derived.

Stores: each has one writer and one reader; the parts that the writer completes are the tiles that the reader takes,
so up to their tile both walk the same axes; no address leaves a part, and no word is taken before it is there.
Processes: walks are closed downwards and begin inside their limits; forms are over the walk. Ports: each is that of
one process, and has a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from operator import mul

import numpy as np

from halidehw.ir.affine import Affine
from halidehw.ir.verify import InvariantError
from halidehw.microarch.banking import apart
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.processes import Compute, Operand, Process, Transfer, Write, taps_of
from halidehw.microarch.registers import late_reads
from halidehw.microarch.stores import RAM_LATENCY, Memory, RegisterFile, Store, Sums
from halidehw.microarch.taps import (
    FileSink,
    FileTap,
    IndexValue,
    Lanes,
    MemorySink,
    PortTap,
    Sink,
    SumsSink,
    SumsTap,
    Tap,
)
from halidehw.microarch.walk import Walk


@dataclass(frozen=True)
class _Use:
    """How a process writes or reads a store: over `walk`, by `forms`, of which the first is the address; a part passes
    for each iteration of the outer `tile` axes."""

    process: str
    store: str
    walk: Walk
    tile: int
    forms: tuple[Affine, ...]
    via: Tap | Sink


def verify(network: Network) -> Network:
    """The network itself. Raises `InvariantError` naming the thing and the rule it breaks."""
    _distinct("stores", [store.name for store in network.stores])
    _distinct("processes", [process.name for process in network.processes])
    for process in network.processes:
        _walk(process)
    for store in network.stores:
        _parts(store)
    for stage in network.stages:
        _sinks(network, stage)
    writes, reads = list(_writes(network)), list(_reads(network))
    for use in (*writes, *reads):
        _check(use.store in network.store, use.process, f"uses {use.store}, which is no store")
        _used(network.store[use.store], use)
    for store in network.stores:
        writers = [use for use in writes if use.store == store.name]
        readers = [use for use in reads if use.store == store.name]
        _check(len(writers) == 1, store.name, f"has {len(writers)} writers, not one")
        _check(len({use.process for use in readers}) == 1, store.name, "is not read by one process")
        for use in readers:
            _passed(store, writers[0], use)
    for stage in network.stages:
        for operand in (*stage.compute.operands, *stage.write.operands):
            _operand(stage, operand)
        _times(stage)
    _ports(network)
    return network


def _check(holds: bool, thing: str, rule: str, *shown: object) -> None:
    """`shown`: what takes the places of `{}` in `rule`; forms are slow to print."""
    if not holds:
        raise InvariantError(f"network: {thing} {rule.format(*shown)}")


def _distinct(kind: str, names: list[str]) -> None:
    for name in names:
        _check(names.count(name) == 1, name, f"is the name of several {kind}")


def _walk(process: Process) -> None:
    axes = process.walk.extents
    _check(len(axes) == len(process.walk.axes), process.name, "has two axes of one name")
    for name, extent in axes.items():
        _check(extent >= 1, process.name, f"has axis {name} of extent {extent}")
    for limit in process.walk.limits:
        _check(limit.form.names <= axes.keys(), process.name, "has a limit over what is not an axis: {}", limit.form)
        _check(all(c < 0 for _, c in limit.form.terms), process.name, "is not closed downwards: {}", limit.form)
        _check(limit.form.constant >= 0, process.name, "has a limit that fails at the origin: {}", limit.form)


def _parts(store: Store) -> None:
    _check(store.halves >= 1, store.name, f"has {store.halves} parts")
    _check(store.words >= 1, store.name, "has parts of no words")
    match store:
        case Memory(dims=dims, lanes=lanes, follows=follows, ring=ring, behind=behind, before=before):
            _check(all(rows is None or rows.rows > 0 for rows in (behind, before)), store.name, "keeps rows, but none")
            _check(apart(np.array(lanes), [dim.factor for dim in dims]), store.name, "has lanes that meet in a bank")
            _check(len(follows) in (0, len(lanes)), store.name, "follows other lanes than it has")
            odd = {d for d, dim in enumerate(dims) if dim.rotating and dim.factor & (dim.factor - 1)}
            rows = {ring.dimension} if ring and dims[ring.dimension].factor == dims[ring.dimension].extent else set()
            _check(odd <= rows, store.name, "turns by no power of two")
            _check(ring is None or store.halves == 1, store.name, "is a ring with several parts")
        case RegisterFile(reads=reads):
            _check(reads >= 1, store.name, "is read at no place")
        case Sums(held=held):
            _check(all(count >= 1 for _, count in held), store.name, "holds no lane of an axis")


def _writes(network: Network) -> Iterator[_Use]:
    for process in network.processes:
        for each in process.sinks if isinstance(process, Write) else (process.sink,):
            match each:
                case MemorySink(store, digits, address, tile, _) as sink:
                    yield _Use(process.name, store, process.walk, tile, (address, *digits), sink)
                case FileSink(store, address, tile) | SumsSink(store, address, tile) as sink:
                    yield _Use(process.name, store, process.walk, tile, (address,), sink)


def _reads(network: Network) -> Iterator[_Use]:
    for process in network.processes:
        match process:
            case Transfer():
                yield from _tapped(process.name, process.walk, [process.tap])
            case Compute():
                yield from _tapped(process.name, process.walk, _sources(process.operands))
            case Write():
                yield from _tapped(process.name, process.walk, [process.tap, *_sources(process.operands)])


def _sources(operands: Iterable[Operand]) -> list[Lanes | FileTap]:
    return [operand.source for operand in operands if not isinstance(operand.source, IndexValue)]


def _tapped(process: str, walk: Walk, taps: Iterable[Tap]) -> Iterator[_Use]:
    for each in taps:
        match each:
            case Lanes(tap=tap, window=window):
                forms = (tap.address, *tap.rotations, *tap.left)
                yield _Use(process, tap.memory, window.walk if window else walk, tap.tile, forms, each)
            case FileTap(store, address, tile):
                yield _Use(process, store, walk, tile, (address,), each)
            case SumsTap(store, address, tile, selects, masks):
                forms = (address, *(form for _, form in selects), *(mask.form for mask in masks))
                yield _Use(process, store, walk, tile, forms, each)


def _sinks(network: Network, stage: Stage) -> None:
    """Where the words of a stage go."""
    write = stage.write
    _check(bool(write.sinks), write.name, "has nowhere to write")
    for sink in write.inside:
        memory = network.store.get(sink.memory)
        _check(isinstance(memory, Memory), write.name, f"sinks into {sink.memory}, which is no memory")
        assert isinstance(memory, Memory)
        fits = memory.vector == write.lanes
        _check(fits, memory.name, f"does not take the {write.lanes} words that {write.name} writes")
        _check(memory.tensor == stage.name, memory.name, f"is of another tensor than {write.name} writes")
        _beside(memory, write)


def _beside(memory: Memory, write: Write) -> None:
    """The words that come to a memory side by side."""
    before, beside = memory.before, memory.beside
    there = range((before.rows if before else 0) + 1)
    _check(set(beside) <= set(there), memory.name, f"has words side by side of rows {beside} ago, which are not kept")
    if before is not None:
        targets = {sink.memory for sink in write.inside}
        over = memory.name in before.memories and targets.issuperset(before.memories)
        over = over and before.columns == write.walk.axes[-1].extent and memory.behind is None
        _check(over, memory.name, f"has other rows before it than {write.name} keeps")


def _used(store: Store, use: _Use) -> None:
    """One side of a store by itself."""
    axes = use.walk.extents
    _check(0 <= use.tile <= len(axes), use.process, f"has a tile of {store.name} deeper than its walk")
    for form in use.forms:
        _check(form.names <= axes.keys(), use.process, "addresses {} by what is not an axis: {}", store.name, form)
    room = store.depth if isinstance(store, Memory) else store.words
    low, high = use.forms[0].range_over(axes)
    high = high if high < room else use.walk.greatest(use.forms[0])
    _check(0 <= low <= high < room, use.process, f"addresses {store.name} from {low} to {high} of {room} words")
    if isinstance(use.via, Lanes) and isinstance(store, Memory):
        lanes = len(use.via.window.taps) if use.via.window else len(store.lanes)
        window, column = use.via.window, use.via.tap.column
        most, columns = (window.rows, window.walk.axes[-1].extent) if window else (0, 0)
        kept = store.behind is None or (store.behind.rows <= most and store.behind.columns == columns)
        same = kept and (store.behind is None) == (column is None) and (not window or window.lanes == store.given)
        _check(same, use.process, f"goes over other rows than {store.name} keeps")
        late = bool(store.behind or store.before) and use.walk.shortest <= RAM_LATENCY
        _check(not late, store.name, "has rows that are read again before they are written")
        _check(all(0 <= lane < lanes for lane in use.via.lanes), use.process, f"takes lanes {store.name} has not")


def _passed(store: Store, writer: _Use, reader: _Use) -> None:
    """Both sides of a store together."""
    tile, deep = reader.tile, writer.tile
    if isinstance(store, Memory) and store.ring:
        assert isinstance(reader.via, Lanes)
        tile, deep = reader.via.tap.anew, writer.tile - 1
    _check(tile == deep, store.name, f"is written by tiles at depth {deep}, read by tiles at depth {tile}")
    _pieces(store, writer, reader)
    _finished(store, writer, reader)
    alike = writer.walk.axes[:tile] == reader.walk.axes[:tile]
    _check(alike, store.name, f"passes tiles that {writer.process} and {reader.process} count by other axes")
    if isinstance(store, Memory) and store.ring and isinstance(reader.via, Lanes) and not reader.via.tap.left:
        rows = writer.walk.axes[deep].extent
        slide = reader.walk.axes[tile : reader.tile]
        weights = accumulate((axis.extent for axis in slide[:0:-1]), mul, initial=1)
        steps = Affine.of([(axis.name, weight) for axis, weight in zip(reversed(slide), weights, strict=False)])
        asked = store.ring.window + reader.walk.greatest(steps) * store.ring.step
        _check(asked <= rows, reader.process, f"asks {store.name} for {asked} rows, of which {rows} come")


def _pieces(store: Store, writer: _Use, reader: _Use) -> None:
    """Both sides of a store whose parts come in pieces."""
    read = reader.via.tap.pieces if isinstance(reader.via, Lanes) else None
    piece = writer.via.piece if isinstance(writer.via, MemorySink) else None
    several = isinstance(store, Memory) and store.pieces > 1
    _check(several == (read is not None) == (piece is not None), store.name, "has pieces on one side alone")
    if read is None or piece is None or not isinstance(store, Memory):
        return
    between = reader.walk.axes[reader.tile : read.depth]
    moved = [axis for axis in between if axis.name in read.moved]
    rest = {axis.name for axis in between} - {*read.moved}
    _check(list(writer.walk.axes[writer.tile : piece]) == moved, store.name, "is written by other pieces than are read")
    _check(set(read.again) == rest, reader.process, f"comes to pieces of {store.name} again as other axes step")
    count = prod(axis.extent for axis in moved)
    _check(store.pieces == count, store.name, f"has {store.pieces} pieces by its own count, {count} by its reader's")
    _check(not store.ring and not store.one_port, store.name, "has pieces, where its reader has no part of its own")


def _finished(store: Store, writer: _Use, reader: _Use) -> None:
    """Both sides of sums that leave by pieces."""
    done = writer.via.finished if isinstance(writer.via, SumsSink) else None
    piece = reader.via.piece if isinstance(reader.via, SumsTap) else None
    _check((done is None) == (piece is None), store.name, "leaves by pieces on one side alone")
    if done is None or piece is None or not isinstance(store, Sums):
        return
    between = [axis for axis in writer.walk.axes[writer.tile : done.depth] if axis.name not in done.last]
    _check(list(reader.walk.axes[reader.tile : piece]) == between, store.name, "leaves by other pieces than it comes")
    _check(bool(done.last) and bool(between), store.name, "leaves by pieces of which a tile has one")
    moved = {axis.name for axis in between}
    both = [limit for limit in writer.walk.limits if limit.form.names & {*done.last} and limit.form.names & moved]
    _check(not both, store.name, "has pieces of which each is complete at another place")
    _check(not store.ports and not store.scattered, store.name, "has pieces, where its writer may be at any of them")


def _times(stage: Stage) -> None:
    """Nothing is taken before it is there, and every answer has a place."""
    for reader, least in ((stage.compute, 1), (stage.write, stage.sums[-1].drained + 1)):
        there = {name: lanes.arrival(stage.memory(name)) for name, lanes in taps_of(reader.operands).items()}
        for name, late in {"its words": least, **there}.items():
            _check(reader.arrival >= late, reader.name, "takes {} {} cycles early", name, late - reader.arrival)
    _check(stage.compute.product >= stage.compute.latency >= 1, stage.compute.name, "multiplies in no time")
    _check(stage.write.latency >= stage.write.arrival, stage.write.name, "stores words that it has not taken yet")
    ahead = {fill.sink.file: stage.memory(fill.tap.tap.memory).latency for fill in stage.fills}
    for file in stage.files:
        late = late_reads(stage.compute, file.name) - ahead.get(file.name, RegisterFile.latency) - file.kept
        _check(late <= 0, file.name, f"is filled anew {late} cycles before its last read")
    for load in stage.loads:
        _check(load.tap.outstanding >= 1, load.name, "waits for no answer")


def _operand(stage: Stage, operand: Operand) -> None:
    extents = {space.name: space.extent for space in stage.spaces}
    positions = prod(extents.get(space, 1) for space in operand.spaces)
    match operand.source:
        case Lanes(lanes=lanes) if stage.compute.operands.count(operand):
            _check(len(lanes) == positions, operand.name, f"has {len(lanes)} words for {positions} lanes")
        case IndexValue(offsets=offsets) if stage.compute.operands.count(operand):
            _check(len(offsets) == positions, operand.name, f"has {len(offsets)} values for {positions} lanes")


def _ports(network: Network) -> None:
    writers = [stage.write for stage in network.stages]
    written = [(write, sink.port) for write in writers if (sink := write.outside)]
    used = [*(load.tap.port for load in network.loads), *(port for _, port in written)]
    _distinct("ports", [port.name for port in used])
    known = set(network.interface.ports)
    _check(set(used) == known, network.name, "has ports that no process uses, or none for one that does")
    for load in network.loads:
        _check(isinstance(load.tap, PortTap) and load.tap.port.kind == "read", load.name, "loads through a write port")
    for write, port in written:
        _check(port.kind == "write", write.name, "writes through a read port")
    for write in writers:
        back = write.partial is None or write.partial in network.store
        _check(back, write.name, f"gets partial sums from {write.partial}, which is no store")
    _distinct("counters", [counter.name for counter in network.interface.counters])
