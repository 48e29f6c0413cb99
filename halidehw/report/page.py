"""A micro-architecture as a page of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halidehw.ir.nest import Access
from halidehw.microarch.network import Network, Stage
from halidehw.notation import counted
from halidehw.report.accesses import places, repeated
from halidehw.report.describe import NO_READS, Facts, Reads, describe


def page(accelerator: Network, reads: Reads = NO_READS) -> str:
    """What `describe` says, for people, stage by stage; ends in newline."""
    facts = describe(accelerator, reads)
    parts = [] if not facts["stages"] else [[f"{facts['module']}: {counted(accelerator.pes, 'PE')} in {_named(facts)}"]]
    for stage, found in zip(accelerator.stages, (*facts["stages"], facts), strict=True):
        title = f"stage {stage.name}" if facts["stages"] else facts["module"]
        parts += _stage(title, stage, found, reads.get(stage.name, ()))
    parts += [
        _section(_outside(facts), [_port_row(port) for port in facts["ports"]]),
        _section("counters", [[counter["name"], counter["meaning"]] for counter in facts["counters"]]),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _outside(facts: Facts) -> str:
    shared = facts.get("shared_port_bits")
    return f"ports, which share one of {shared} bits" if shared else "ports"


def _named(facts: Facts) -> str:
    return "stages " + ", ".join(stage["name"] for stage in (*facts["stages"], facts))


def _stage(title: str, stage: Stage, facts: Facts, reads: Sequence[Access]) -> list[list[str]]:
    spaces = [space["loop"] for space in facts["array"]]
    shape = " x ".join(str(space["lanes"]) for space in facts["array"]) or "1"
    return [
        [f"{title}: {counted(facts['pes'], 'PE')} ({shape}), skew {facts['skew']} cycles"],
        _section("array", [_space_row(space) for space in facts["array"]]),
        _section("operands", [*([["", *spaces]] if spaces else []), *_operand_rows(stage, facts, reads)]),
        _section("output", [_output_row(facts["output"])]),
        _section("operators", [_operator_row(operator) for operator in facts["operators"]]),
        _section("partial sums", [_level_row(level) for level in facts["output"]["levels"]]),
        _section("memories", [_memory_row(memory) for memory in facts["memories"]]),
        _section("windows", [_window_row(window) for window in facts["windows"]]),
        _section("register files", [_file_row(file) for file in facts["register_files"]]),
        _section("transfers", [_transfer_row(transfer) for transfer in facts["transfers"]]),
        _section("array loops", [[f"{loop['name']} {loop['extent']}" for loop in facts["counter_loops"]]]),
    ]


def _space_row(space: Facts) -> list[str]:
    manner = "systolic" if space["systolic"] else "in step"
    joined = f", reduced by a {space['reduction']}" if space["reduction"] else ""
    return [f"dimension {space['dimension']}", f"{space['lanes']} lanes of {space['loop']}", manner + joined]


def _operand_rows(stage: Stage, facts: Facts, reads: Sequence[Access]) -> Iterator[list[str]]:
    """One for all reads that come from a memory in the same way."""
    several, rows = repeated(reads), dict[tuple[str, ...], list[Access]]()
    for operand, read in zip(facts["operands"], stage.compute.operands, strict=True):
        row = (f"{operand['type']} {operand['source']}", *operand["travel"].values())
        rows.setdefault(row, []).extend([several[read.name]] if read.name in several else [])
    for row, accesses in rows.items():
        yield [*row, *([f"at {places(accesses)}"] if accesses else [])]


def _output_row(output: Facts) -> list[str]:
    sums = f"{output['accumulators']} accumulators of {output['words']} {output['sum_type']}"
    joined = f"{output['combine']} from {output['init']}" if output["combine"] else "no reduction"
    final = [f"then {output['final']}"] if output["final"] else []
    travel = [f"{loop}: {manner}" for loop, manner in output["travel"].items()]
    row = [f"{output['type']} {output['tensor']}", output["value"], joined, sums, _halves(output["halves"])]
    return row + final + travel


def _operator_row(operator: Facts) -> list[str]:
    place = f"in {operator['copies']} {operator['place']}{'s' if operator['copies'] > 1 else ''}"
    return [
        f"{operator['number']} {operator['type']} {operator['operator']}",
        place,
        f"latency {operator['latency']}",
        operator["how"],
    ]


def _level_row(level: Facts) -> list[str]:
    words, lanes = f"{level['words']} words", level["banks"]
    place = f"in {lanes} output lanes" if level["in_lanes"] else f"{lanes} {'bank' if lanes == 1 else 'banks'}"
    return [level["name"], words, _halves(level["halves"]), place]


def _memory_row(memory: Facts) -> list[str]:
    shape = " x ".join(map(str, memory["extents"]))
    factors, banks = " x ".join(map(str, memory["factors"])), "bank" if memory["banks"] == 1 else "banks"
    return [
        memory["name"],
        memory["type"],
        f"{shape} = {memory['words']} words",
        *([_behind(memory["behind"])] if memory["behind"] else []),
        *([_before(memory["name"], memory["before"])] if memory["before"] else []),
        _line(memory["line"]) if memory["line"] else _halves(memory["halves"]),
        f"{memory['banks']} {banks} ({factors}{', rotating' if memory['rotating'] else ''}) of {memory['depth']} words",
        f"{memory['write_lanes']} in, {memory['fetched']} of {memory['lanes']} lanes fetched a cycle",
        f"latency {memory['latency']}",
        *(f"a copy for each lane of {loop}" for loop in memory["copies"]),
    ]


def _window_row(window: Facts) -> list[str]:
    return [
        window["name"],
        f"{window['fetched']} of {window['words']} words fetched a step",
        *([f"{window['computed']} values computed of them"] if window["computed"] else []),
        f"{window['registers']} registers shifted along {window['loop']}",
        f"{window['ahead']} steps ahead",
    ]


def _file_row(file: Facts) -> list[str]:
    place = f"in each of {counted(file['copies'], 'PE')}"
    reads = [f"{file['reads']} times, for as many reads a cycle"] if file["reads"] > 1 else []
    return [file["name"], file["type"], f"{file['words']} words", _halves(file["halves"]), place, *reads]


def _line(line: Facts) -> str:
    return f"window of {line['window']} along dimension {line['dimension']}, by {line['step']}"


def _behind(behind: Facts) -> str:
    rows = f"{counted(behind['rows'], 'row')} of {behind['words']} words behind it"
    return rows + ", which others keep too: queues of columns would hold more" * behind["again"]


def _before(name: str, before: Facts) -> str:
    """Of several readers, the rows that are kept once, and which words of a column this one takes."""
    first, *others = before["memories"]
    rows = f"{counted(before['rows'], 'row')} of {before['words']} words"
    where = f"{rows} before it, for {' and '.join(others)} too" if name == first else f"from the rows before {first}"
    return f"{counted(len(before['taken']), 'word')} of a column, {where}"


def _halves(halves: int) -> str:
    return {1: "single", 2: "double"}.get(halves, f"{halves} parts")


def _transfer_row(transfer: Facts) -> list[str]:
    loops = ", ".join(f"{loop['name']} {loop['extent']}" for loop in transfer["loops"])
    path, width = f"{transfer['from']} -> {transfer['to']}", f"{transfer['words_per_cycle']} a cycle"
    edge = [f"outside: {transfer['boundary']}"] if transfer["boundary"] else []
    return [transfer["name"], path, width, f"over {loops}" if loops else "once", *edge]


def _port_row(port: Facts) -> list[str]:
    return [port["name"], port["kind"], f"{port['lanes']} x {port['bits']} bits", f"{port['words']} words"]


def _section(title: str, rows: list[list[str]]) -> list[str]:
    """A title over rows in columns; nothing where there are no rows."""
    if not any(rows):
        return []
    columns = max(map(len, rows))
    widths = [max(len(row[i]) if i < len(row) else 0 for row in rows) for i in range(columns)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)) for row in rows]
    return [title, *(f"  {line}".rstrip() for line in lines)]
