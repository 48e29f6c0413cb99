"""Files of architectures: what each field says, and the line of what cannot be."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from pathlib import Path

from halidehw.energy_model.costs.document import Document
from halidehw.energy_model.costs.table import CostTable, built_in, load_costs
from halidehw.errors import CostError
from halidehw.mapping.architecture import (
    DEAREST,
    KINDS,
    LARGEST,
    SLOWEST,
    WIDEST,
    Architecture,
    Level,
    WrongLevel,
    least_words,
)


def load_architecture(file: str | Path, folder: Path | None = None) -> Architecture:
    """The architecture in a TOML file, or one of `folder` by name.

    Raises CostError, with the file's line, on a missing or unknown field, a negative or unit-less energy, a level
    too small for one element of each tensor, or a kind of memory that its cost table lacks.
    """
    shipped = folder / f"{file}.toml" if folder else None
    if shipped is None or not shipped.exists():
        shipped = Path(file)
        if folder and not shipped.is_file():
            names = sorted(path.stem for path in folder.glob("*.toml"))
            raise CostError(f"no architecture file {file}", legal=[f"--arch {name}" for name in names])
    document = Document.load(shipped)
    document.known((), ("name", "costs", "dataflow", "sum_bits", "port_bits", "shared_port_bits", "array", "level"))
    document.known(("array",), ("rows", "columns", "links", "mac", "hop"))
    table = _table(document)
    sum_bits = _bits(document, "sum_bits")
    sides = ("rows",) if document.get(("array", "columns")) is None else ("rows", "columns")
    array = tuple(_side(document, side) for side in sides)
    try:
        levels = _levels(document, table, (sum_bits or min(2 * table.word_bits, WIDEST)) / table.word_bits)
        hop = document.quantity(("array", "hop"), "energy") if document.get(("array", "hop")) is not None else table.hop
        mac = document.quantity(("array", "mac"), "energy") if document.get(("array", "mac")) is not None else table.mac
        return Architecture(
            _name(document, (), "mine"),
            table.technology,
            table.name,
            table.word_bits,
            array,
            levels,
            hop,
            mac,
            document.flag(("array", "links"), True),
            None if document.get(("dataflow",)) is None else document.word(("dataflow",)),
            sum_bits,
            _bits(document, "port_bits"),
            _bits(document, "shared_port_bits"),
            replace(table, hop=hop, mac=mac, dram=levels[-1].energy),
        )
    except CostError as problem:
        if problem.source and problem.source.file == document.file:
            raise
        document.fail(_place(document, problem), problem.message, problem.proposed)


def _place(document: Document, problem: CostError) -> tuple[str | int, ...]:
    """Of what is wrong with an architecture that is none: a field of one of its levels, or the one proposed."""
    if isinstance(problem, WrongLevel):
        return ("level", *problem.place)
    return (problem.proposed[0].split(" = ")[0],) if problem.proposed else ()


def _table(document: Document) -> CostTable:
    """The cost table that an architecture names; one that is not there is a mistake at that line."""
    file = _beside(document, document.word(("costs",)))
    try:
        return load_costs(file)
    except CostError as problem:
        if problem.source and problem.source.file == str(file):
            raise
        legal = tuple(document.entry("costs", f'"{name}"') for name in built_in())
        document.fail(("costs",), problem.message, legal)


def _beside(document: Document, name: str) -> str | Path:
    """A cost table named relative to the architecture's own file, if there is one."""
    file = Path(document.file).parent / name
    return file if file.is_file() else name


def _side(document: Document, name: str) -> int:
    """PEs along a dimension of the array."""
    place = ("array", name)
    if (size := document.number(place)) > LARGEST:
        document.fail(place, f"array.{name} = {size} is more than {LARGEST}", (document.entry(name, str(LARGEST)),))
    return size


def _bits(document: Document, name: str) -> int:
    """A width, 0 where it is left out, or said to be."""
    value = document.get((name,))
    return 0 if value is None or (type(value) is int and value == 0) else document.number((name,))


def _levels(document: Document, table: CostTable, sum_width: float) -> tuple[Level, ...]:
    found = document.get(("level",))
    if not isinstance(found, list) or not found:
        document.fail(("level",), "level is missing: one table per memory, innermost first", legal=("[[level]]",))
    return tuple(_level(document, table, sum_width, ("level", at)) for at in range(len(found)))


def _level(document: Document, table: CostTable, sum_width: float, place: tuple[str | int, ...]) -> Level:
    document.known(place, ("name", "kind", "size", "energy", "double", "bandwidth"))
    kind = document.word((*place, "kind"))
    if kind not in KINDS:
        document.fail((*place, "kind"), f"{table.name} has no kind {kind!r}", tuple(f'kind = "{k}"' for k in KINDS))
    sized_level = kind != "dram"
    buffers = 2 if document.flag((*place, "double"), sized_level) else 1
    least = f"{ceil(least_words(buffers, sum_width) * table.word_bits / 8)} B"
    size = document.quantity((*place, "size"), "size", positive=True, example=least) if sized_level else 0.0
    stated = document.get((*place, "energy")) is not None
    energy = document.quantity((*place, "energy"), "energy") if stated else _cost(document, table, place, kind, size)
    if energy > DEAREST:
        why = f"level {document.word((*place, 'name'))}: {energy:g} pJ a word, more than {DEAREST:g}"
        cheap = document.entry("energy", '"200 pJ"') if stated else document.entry("size", f'"{least}"')
        document.fail((*place, "energy" if stated else "size"), why, (cheap,))
    limited = document.get((*place, "bandwidth")) is not None
    bandwidth = document.quantity((*place, "bandwidth"), "bandwidth", positive=True) if limited else None
    if bandwidth is not None and bandwidth < SLOWEST:
        name = document.word((*place, "name"))
        why = f"level {name}: {bandwidth:g} words a cycle, less than {SLOWEST:g}"
        document.fail((*place, "bandwidth"), why, ('bandwidth = "4 word/cycle"',))
    return Level(
        _name(document, place, "RF"),
        kind,
        int(size * 8 // table.word_bits) if sized_level else None,
        energy,
        buffers,
        bandwidth,
    )


def _name(document: Document, place: tuple[str | int, ...], other: str) -> str:
    """A name that schedules show, `other` is proposed where nothing is left of it."""
    name = document.word((*place, "name"))
    if "//" in name or not name.isprintable():
        why = f"the name {name!r} cannot stand in a comment of a schedule"
        document.fail((*place, "name"), why, (f'name = "{"".join(filter(str.isalnum, name)) or other}"',))
    return name


def _cost(document: Document, table: CostTable, place: tuple[str | int, ...], kind: str, size: float) -> float:
    """pJ per access by the cost table."""
    name = document.word((*place, "name"))
    try:
        return table.access(kind, size, name)
    except CostError as problem:
        document.fail((*place, "kind"), problem.message, (document.entry("energy", '"1 pJ"'), *problem.proposed))
