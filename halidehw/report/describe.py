"""A micro-architecture as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from halidehw.expr.expr import Expr, Variable, nodes, transform
from halidehw.expr.nodes import Binary
from halidehw.expr.tree import program
from halidehw.ir.nest import Access, Accumulated, Load, LoopValue
from halidehw.microarch.interface import Port
from halidehw.microarch.network import Network, Space, Stage
from halidehw.microarch.operands import operand_name
from halidehw.microarch.operators import Operator, operators
from halidehw.microarch.processes import Operand
from halidehw.microarch.stores import Memory, RegisterFile, Ring, Sums
from halidehw.microarch.taps import FileTap, Lanes, MemoryTap, PortSink, Window
from halidehw.microarch.walk import Walk
from halidehw.report.accesses import index, named, repeated

Facts = dict[str, Any]

Reads = Mapping[str, Sequence[Access]]
NO_READS: Reads = {}

LONGEST = 60
"""The nodes of an expression that is shown as it is written."""


def describe(accelerator: Network, reads: Reads = NO_READS) -> Facts:
    """Everything the hardware is made of, as JSON types: of the output's stage, with the `stages` that it is made from.
    `reads`: those of the nests, by stage; of the tensors that are read more than once, each read is then named with its
    index.

    `array`: its spatial loops, output loops before reductions. `operands`: for each spatial loop how the words get
    to the lanes: own lane, shifted (taken over from the neighbour's lane), forwarded (one register a hop), broadcast,
    stationary (kept in the PE), and for the output stationary, chain or tree.
    """
    *others, output = (_stage(accelerator, stage, reads.get(stage.name, ())) for stage in accelerator.stages)
    return {
        "module": accelerator.interface.module,
        **output,
        "stages": others,
        "ports": [_port(port) for port in accelerator.interface.ports],
        **({"shared_port_bits": accelerator.interface.shared} if accelerator.interface.shared else {}),
        "counters": [
            {"name": counter.name, "bits": counter.bits, "meaning": counter.meaning}
            for counter in accelerator.interface.counters
        ],
    }


def _stage(accelerator: Network, stage: Stage, reads: Sequence[Access]) -> Facts:
    several = repeated(reads)
    return {
        "name": stage.name,
        "pes": stage.pes,
        "skew": stage.skew,
        "array": [_space(space) for space in stage.spaces],
        "operands": [_operand(stage, operand, several) for operand in stage.compute.operands],
        "output": _output(stage, several),
        "operators": list(_operators(stage)),
        "memories": [_memory(stage, memory) for memory in stage.memories],
        "windows": [_window(stage, window) for window, _ in stage.compute.windows.values()],
        "register_files": [_file(stage, file) for file in stage.files],
        "transfers": [*_received(accelerator, stage), *_transfers(stage)],
        "counter_loops": _loops(stage, stage.compute.walk),
    }


def _received(accelerator: Network, stage: Stage) -> Iterable[Facts]:
    """What other stages write into the memories of this one."""
    for other in accelerator.stages:
        for sink in other.write.inside:
            if sink.memory in stage.store:
                write = other.write
                yield _transfer(other, write.name, f"stage {other.name}", sink.memory, write.lanes, write.walk)


def _loop(stage: Stage, axis: str) -> str:
    """The loop whose lanes or steps an axis of that name is made of."""
    return next((space.loop for space in stage.spaces if space.name == axis), axis)


def source_of(stage: Stage, operand: Operand) -> Memory | RegisterFile | None:
    """The memory an operand is read from; None for the value of a loop."""
    match operand.source:
        case Lanes(tap=MemoryTap(memory=name)):
            return stage.memory(name)
        case FileTap(file=name):
            return stage.file(name)
    return None


def travel(stage: Stage, operand: Operand, space: Space) -> str:
    """How an operand gets to the lanes of a spatial axis."""
    if space.name not in operand.spaces:
        return "forwarded" if space.systolic else "broadcast"
    if isinstance(operand.source, FileTap):
        return "stationary"
    return "shifted" if _shifts(stage, operand, space) else "own lane"


def _shifts(stage: Stage, operand: Operand, space: Space) -> bool:
    """Whether lanes along `space` take over the words of their neighbours."""
    if not isinstance(operand.source, Lanes):
        return False
    follows, lanes = _follows(stage, operand.source), operand.source.lanes
    spaces = [each for each in stage.spaces if each.name in operand.spaces]
    step = prod(each.extent for each in spaces[spaces.index(space) + 1 :])
    for place, (lane, neighbour) in enumerate(zip(lanes, lanes[step:], strict=False)):
        last = place // step % space.extent == space.extent - 1
        if follows and not last and lane != neighbour and (follows[lane] == neighbour or follows[neighbour] == lane):
            return True
    return False


def _follows(stage: Stage, source: Lanes) -> tuple[int | None, ...]:
    """Of each of the lanes the one whose word it takes over; None where a word is fetched."""
    if source.window:
        taps = source.window.taps
        return tuple(taps.index((lane, ago - 1)) if (lane, ago - 1) in taps else None for lane, ago in taps)
    return stage.memory(source.tap.memory).follows


def joining(space: Space) -> str:
    """What becomes of the output along a spatial axis."""
    if not space.reduction:
        return "stationary"
    return "chain" if space.systolic else "tree"


def _space(space: Space) -> Facts:
    return {
        "loop": space.loop,
        "dimension": space.dimension,
        "lanes": space.extent,
        "systolic": space.systolic,
        "reduction": joining(space) if space.reduction else None,
    }


def _operand(stage: Stage, operand: Operand, several: Mapping[str, Access]) -> Facts:
    source = source_of(stage, operand)
    return {
        "tensor": source.tensor if source else None,
        "type": str(operand.type),
        "source": source.name if source else operand.name,
        "index": index(several[operand.name]) if operand.name in several else None,
        "travel": {space.loop: travel(stage, operand, space) for space in stage.spaces},
    }


def _output(stage: Stage, several: Mapping[str, Access]) -> Facts:
    compute, write = stage.compute, stage.write
    sums = stage.sums[0]
    return {
        "tensor": stage.sums[0].tensor,
        "port": write.outside is not None,
        "type": str(write.type),
        "value": _expression(stage, compute.value, several),
        "combine": sums.combine and str(sums.combine),
        "init": sums.init,
        "final": None if write.epilogue is None else _expression(stage, write.epilogue, several),
        "sum_type": str(sums.type),
        "accumulators": sums.lanes,
        "words": sums.words,
        "halves": sums.halves,
        "levels": [_level(sums) for sums in stage.sums[1:]],
        "words_per_cycle": write.lanes,
        "travel": {space.loop: joining(space) for space in stage.spaces},
    }


def _operators(stage: Stage) -> Iterable[Facts]:
    """Of each PE, of the final stage of each word that is written in a cycle, and of windows."""
    write = stage.write
    final = () if write.epilogue is None else (write.epilogue,)
    places: list[tuple[str, tuple[Expr, ...], int]] = [
        ("PE", (stage.compute.value,), stage.pes),
        ("final stage", final, write.lanes),
        *((window.name, window.values, 1) for window, _ in stage.compute.windows.values()),
    ]
    for place, exprs, copies in places:
        kinds = Counter[Operator]()
        for each, number in sum(map(operators, exprs), Counter[Operator]()).items():
            kinds[replace(each, cells=0)] += number
        for each, number in kinds.items():
            yield {
                "place": place,
                "copies": copies,
                "operator": each.op,
                "type": str(each.type),
                "number": number,
                "latency": each.latency,
                "how": each.how,
            }


def _level(sums: Sums) -> Facts:
    """A level of partial sums outside the accumulators; `words` of all lanes, of which so many a cycle come in."""
    return {
        "name": sums.name,
        "in_lanes": sums.inside,
        "words": sums.words * sums.lanes,
        "halves": sums.halves,
        "banks": sums.lanes,
    }


def _expression(stage: Stage, expr: Expr, several: Mapping[str, Access]) -> str:
    """As it is written; of one that is longer than a line or two, only of what it is made."""
    operands = {operand.name: operand for operand in (*stage.compute.operands, *stage.write.operands)}
    size = program(expr).run(lambda _, parts: 1 + sum(parts))
    if size > LONGEST:
        loads = (node for node in nodes(expr) if isinstance(node, Load))
        sources = (source_of(stage, operands[operand_name(load)]) for load in loads)
        tensors = dict.fromkeys(source.tensor for source in sources if source)
        return f"{sum(operators(expr).values())} operators on {', '.join(tensors)}"

    def renamed(node: Expr) -> Expr:
        match node:
            case Load(type=kind):
                name = operand_name(node)
                source = source_of(stage, operands[name])
                return Variable(kind, named(several, name, source.tensor if source else name))
            case LoopValue(type=kind):
                return Variable(kind, operand_name(node))
            case Accumulated(type=kind):
                return Variable(kind, "sum")
        return node

    shown = str(transform(expr, renamed))
    return shown[1:-1] if isinstance(expr, Binary) and shown.startswith("(") else shown


def _memory(stage: Stage, memory: Memory) -> Facts:
    return {
        "name": memory.name,
        "tensor": memory.tensor,
        "type": str(memory.type),
        "extents": [dim.extent for dim in memory.dims],
        "words": memory.words,
        "copies": [_loop(stage, space) for space in memory.copies],
        "halves": memory.halves,
        "line": _line(memory.ring),
        "behind": _behind(memory),
        "before": _before(memory),
        "banks": memory.banks,
        "factors": [dim.factor for dim in memory.dims],
        "rotating": memory.rotating,
        "depth": memory.depth,
        "bits": memory.size * memory.type.bits,
        "lanes": len(memory.lanes),
        "fetched": memory.fetched,
        "write_lanes": memory.vector,
        "latency": memory.latency,
        "declared": not memory.implicit,
        **({"one_port": True} if memory.one_port else {}),
        **({"word": memory.word} if memory.word > 1 else {}),
        **({"lies_in": memory.home} if memory.home else {}),
    }


def _window(stage: Stage, window: Window) -> Facts:
    """`words` that the array gets in a step, of which so many are fetched; it begins `ahead` steps early."""
    axis = window.walk.axes[-1].name
    return {
        "name": window.name,
        "memory": window.memory,
        "loop": _loop(stage, axis),
        "words": len(window.taps),
        "fetched": window.lanes,
        "computed": len(window.values),
        "registers": window.shifted,
        "ahead": window.warm,
    }


def _line(ring: Ring | None) -> Facts | None:
    """Of a line buffer, whose rows are its extent in that dimension."""
    return {"dimension": ring.dimension, "window": ring.window, "step": ring.step} if ring else None


def _behind(memory: Memory) -> Facts | None:
    """The rows behind the queue of a line buffer, each of so many words."""
    behind = memory.behind
    return {"rows": behind.rows, "words": behind.columns * len(memory.lanes), "again": behind.again} if behind else None


def _before(memory: Memory) -> Facts | None:
    """Of several readers of one window, the rows that are kept once, before the queue of `first`, and of how many rows
    ago the words are that lie side by side in this one."""
    before = memory.before
    if before is None:
        return None
    words = before.columns * len(memory.lanes)
    return {"rows": before.rows, "words": words, "memories": list(before.memories), "taken": list(memory.beside)}


def _file(stage: Stage, file: RegisterFile) -> Facts:
    return {
        "name": file.name,
        "tensor": file.tensor,
        "type": str(file.type),
        "words": file.words,
        "halves": file.halves,
        "copies": stage.pes,
        "reads": file.reads,
        "loops": [_loop(stage, space) for space in file.spaces],
        "latency": file.latency,
        "declared": not file.implicit,
    }


def _transfers(stage: Stage) -> Iterable[Facts]:
    """From the ports inwards to the array, and out again."""
    for load in stage.loads:
        edge, port = load.tap.boundary.kind if load.tap.boundary else None, load.tap.port
        yield _transfer(stage, load.name, f"port {port.name}", load.sink.memory, port.lanes, load.walk, edge)
    for move in stage.moves:
        yield _transfer(stage, move.name, move.tap.tap.memory, move.sink.memory, len(move.tap.lanes), move.walk)
    for fill in stage.fills:
        yield _transfer(stage, fill.name, fill.tap.tap.memory, fill.sink.file, len(fill.tap.lanes), fill.walk)
    for copy in stage.copies:
        yield _transfer(stage, copy.name, copy.tap.file, copy.sink.file, stage.pes, copy.walk)
    source = "accumulators"
    for fold, into in zip(stage.folds, stage.sums[1:], strict=True):
        yield _transfer(stage, fold.name, source, into.name, into.lanes, fold.walk)
        source = into.name
    write = stage.write
    for sink in write.sinks:
        target = f"port {sink.port.name}" if isinstance(sink, PortSink) else sink.memory
        yield _transfer(stage, write.name, source, target, write.lanes, write.walk)


def _transfer(
    stage: Stage, name: str, source: str, target: str, lanes: int, walk: Walk, boundary: str | None = None
) -> Facts:
    return {
        "name": name,
        "from": source,
        "to": target,
        "words_per_cycle": lanes,
        "boundary": boundary,
        "loops": _loops(stage, walk),
    }


def _loops(stage: Stage, walk: Walk) -> list[Facts]:
    return [{"name": _loop(stage, axis.name), "extent": axis.extent} for axis in walk.axes]


def _port(port: Port) -> Facts:
    return {
        "name": port.name,
        "kind": port.kind,
        "tensor": port.tensor,
        "lanes": port.lanes,
        "bits": port.bits,
        "signed": port.signed,
        "words": port.words,
        "address_bits": port.address_bits,
    }
