"""A network as text: every store on a line, every process with its walk, what it taps and what it sinks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halidehw.expr.expr import Expr, Variable, transform
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Accumulated, Load, LoopValue
from halidehw.microarch.banking import Dim
from halidehw.microarch.interface import Port
from halidehw.microarch.network import Network, Space
from halidehw.microarch.operands import operand_name
from halidehw.microarch.processes import Compute, Operand, Process, Transfer
from halidehw.microarch.stores import Memory, RegisterFile, Store, Sums
from halidehw.microarch.taps import (
    FileSink,
    FileTap,
    IndexValue,
    Lanes,
    Mask,
    MemorySink,
    MemoryTap,
    PortSink,
    PortTap,
    Sink,
    SumsSink,
    SumsTap,
    Tap,
)
from halidehw.microarch.walk import Walk
from halidehw.notation import counted


def printed(network: Network) -> str:
    """The whole network, ending in newline."""
    lines = [f"network {network.name}: {counted(network.pes, 'PE')}"]
    for stage in network.stages:
        lines += [f"  shared port {shared} bits"] if (shared := network.interface.shared) and not stage.label else []
        lines += [f"  stage {stage.name}: {counted(stage.pes, 'PE')}"] if stage.label else []
        lines += [f"  lanes {_space(space)}" for space in stage.spaces]
        lines += [f"  port {_port(port)}" for port in network.interface.ports] if stage is network.output else []
        lines += [f"  store {_store(store)}" for store in stage.stores]
        for process in stage.processes:
            lines += [f"  {line}" for line in _process(process)]
    return "\n".join([*lines, ""])


def _space(space: Space) -> str:
    marks = [name for name, holds in (("systolic", space.systolic), ("reduction", space.reduction)) if holds]
    return ", ".join([f"{space.name} in [0, {space.extent}) on dimension {space.dimension}", *marks])


def _port(port: Port) -> str:
    sign = "int" if port.signed else "uint"
    return f"{port.name}: {port.kind}s {port.lanes} x {sign}{port.bits} of {port.tensor}, {port.words} words"


def _store(store: Store) -> str:
    head = f"{store.name}: {store.type} of {store.tensor}, {store.halves} x {store.words} words"
    match store:
        case Memory(dims=dims, lanes=lanes, vector=vector, follows=follows, copies=copies, ring=ring):
            parts = [head, f"[{', '.join(map(_dim, dims))}]", f"reads {lanes}", f"writes {vector}"]
            parts += [f"follows {follows}"] if follows else []
            parts += ["one port" + f" for words of {store.word}" * (store.word > 1)] if store.one_port else []
            parts += [f"in {store.home}"] if store.home else []
            parts += [f"from word {store.first}"] if store.first else []
            parts += [f"copies for {' '.join(copies)}"] if copies else []
            parts += [f"{store.behind.rows} rows of {store.behind.columns} steps behind"] if store.behind else []
            parts += [_columns(store)] if store.before else []
            parts += [f"ring of {ring.window} rows by {ring.step} along {ring.dimension}"] if ring else []
            return ", ".join(parts)
        case RegisterFile(reads=reads, kept=kept):
            late = f", a part is free {kept} cycles after its last step" if kept else ""
            return f"{head}, in every PE, {reads} reads{late}"
        case Sums(held=held, combine=combine, init=init, inside=inside):
            place = "in the lanes" if inside else "outside the lanes"
            beside = " x ".join(f"{name} {count}" for name, count in held) or "one lane"
            ports = f", {store.ports} with one port" if store.ports else ""
            return f"{head}, {combine} from {init}, {place}, side by side {beside}{ports}"


def _columns(memory: Memory) -> str:
    before, beside = memory.before, " and ".join(map(str, memory.beside))
    assert before
    rows = f"of {before.rows} rows of {before.columns} steps before it"
    kept = rows if memory.rows else f"as {before.memories[0]} has"
    return f"words of rows {beside} ago side by side, {kept}"


def _dim(dim: Dim) -> str:
    return f"{dim.extent}" + (f" in {dim.factor} banks" if dim.factor > 1 else "") + (" turning" * dim.rotating)


def _process(process: Process) -> Iterator[str]:
    yield f"process {process.name}: {_walk(process.walk)}"
    if isinstance(process, Transfer):
        yield f"  taps {_tap(process.tap)}"
        yield f"  sinks {_sink(process.sink)}"
        yield from _limits(process.lane_limits)
    elif isinstance(process, Compute):
        for window, _ in process.windows.values():
            taps = " ".join(f"{lane}-{ago}" for lane, ago in window.taps)
            ahead = f"{window.warm} ahead" + (f" and {window.rows} rows" if window.rows else "")
            yield f"  window {window.name} over {_walk(window.walk)}, {ahead}: lane-steps ago {taps}"
            yield from (f"    {window.lanes + i} is {value}" for i, value in enumerate(window.values))
        yield from (f"  taps {_operand(operand)}" for operand in process.operands)
        yield f"  computes {_expression(process.value)}"
        yield from (f"  only where {_mask(mask)}" for mask in process.masks)
        yield f"  sinks {_sink(process.sink)}"
        yield from [f"  waits {process.cadence} cycles at a time"] if process.cadence > 1 else []
    else:
        yield f"  taps {_tap(process.tap)}"
        yield from (f"  taps {_operand(operand)}" for operand in process.operands)
        yield from [f"  computes {_expression(process.epilogue)}"] if process.epilogue is not None else []
        yield from (f"  sinks {_sink(sink)}" for sink in process.sinks)
        yield from _limits(process.lane_limits)


def _expression(expr: Expr) -> str:
    """An expression with the names of its operands."""

    def named(node: Expr) -> Expr:
        match node:
            case Load() | LoopValue():
                return Variable(node.type, operand_name(node))
            case Accumulated(type=kind):
                return Variable(kind, "sum")
        return node

    return str(transform(expr, named))


def _limits(limits: Iterable[tuple[Affine, int]]) -> Iterator[str]:
    for form, weight in limits:
        yield f"  only lanes with {form} >= {weight} * lane" if weight else f"  only where {form} >= 0"


def _walk(walk: Walk) -> str:
    axes = " ".join(f"{axis.name}:{axis.extent}" for axis in walk.axes) or "one step"
    limits = "".join(f", {limit.form} >= 0" for limit in walk.limits)
    return axes + limits


def _operand(operand: Operand) -> str:
    across = f" across {' '.join(operand.spaces)}" if operand.spaces else ""
    return f"{operand.name}: {operand.type}{across} from {_tap(operand.source)}"


def _tap(tap: Tap | IndexValue) -> str:
    match tap:
        case PortTap(port=port, address=address, positions=positions, boundary=boundary, revisit=revisit):
            outside = [f"inside for {form} in [0, {extent})"
                       for form, extent in zip(positions, tap.extents, strict=True) if form is not None]  # fmt: skip
            outside += [f"else {boundary.kind} {boundary.value}"] if boundary else []
            outside += [f"again but for {' '.join(revisit.first)} at 0, {revisit.distance} tiles on"] if revisit else []
            return ", ".join([f"port {port.name} at {address}", *outside])
        case Lanes(tap=read, lanes=lanes, window=window):
            turns = f" turned by {', '.join(map(str, read.rotations))}" if read.rotations else ""
            fresh = f", fresh at the start of {' '.join(read.starts)}" if read.starts else ""
            source = window.name if window else read.memory
            return f"{source} at {read.address}{turns}, lanes {lanes}, tile at depth {read.tile}{fresh}{_pieces(read)}"
        case FileTap(file, address, tile, data):
            return f"{file} at {'data' if data else address}, tile at depth {tile}"
        case IndexValue(form, offsets):
            return f"the value {form} + {offsets}"
        case SumsTap(sums, address, tile, selects, masks, piece):
            chosen = "".join(f", {name} {form}" for name, form in selects if form.terms)
            chosen += "".join(f", {_mask(mask)}" for mask in masks)
            return f"{sums} at {address}, tile at depth {tile}{chosen}{_piece(piece)}"


def _pieces(read: MemoryTap) -> str:
    if read.pieces is None:
        return ""
    first = f" while {' '.join(read.pieces.again)} are at their start" if read.pieces.again else ""
    return f", a piece at depth {read.pieces.depth}{first}, another as {' '.join(read.pieces.moved)} step"


def _sink(sink: Sink | PortSink) -> str:
    match sink:
        case PortSink(port, address):
            return f"port {port.name} at {address}"
        case MemorySink(memory, digits, address, tile, piece):
            banks = ", ".join(map(str, digits))
            return f"{memory} at {address}, bank ({banks}), tile at depth {tile}{_piece(piece)}"
        case FileSink(file, address, tile, bus, selects):
            ways = f", bus {' '.join(bus) or 'of one lane'}" + (f", in turn {' '.join(selects)}" if selects else "")
            return f"{file} at {address}, tile at depth {tile}{ways}"
        case SumsSink(sums, address, tile, reductions, finished):
            first = f"at the start of {' '.join(reductions)}" if reductions else "always"
            last = f" at the end of {' '.join(finished.last)}" if finished else ""
            leaves = _piece(finished.depth if finished else None) + last
            return f"{sums} at {address}, tile at depth {tile}, first visit {first}{leaves}"


def _piece(depth: int | None) -> str:
    return f", piece at depth {depth}" if depth is not None else ""


def _mask(mask: Mask) -> str:
    lanes = " - ".join([str(mask.form), *(f"{weight} * {name}" for name, weight in mask.weights)])
    return f"{lanes} >= 0"
