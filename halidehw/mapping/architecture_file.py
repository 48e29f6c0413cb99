"""Files of architectures: what each field says, and the line of what cannot be."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil
from pathlib import Path

from halidehw.energy_model.costs.document import Document, read_as
from halidehw.energy_model.costs.parse import Place
from halidehw.energy_model.costs.table import CostTable, built_in, load_costs
from halidehw.errors import CostError, SourceLine
from halidehw.mapping.architecture import (
    DEAREST,
    KINDS,
    LARGEST,
    SLOWEST,
    WIDEST,
    Architecture,
    Level,
    WrongLevel,
    fitting,
    least_words,
)

OUTERMOST = KINDS[-1]
"""The kind of the memory outside the chip."""

UNSAID = {"size": "it holds all that there is", "double": "it is no buffer, of one half or of two"}
"""What is not said of that, and why."""


def load_architecture(file: str | Path, folder: Path | None = None) -> Architecture:
    """The architecture in a TOML file, or one of `folder` by name.

    Raises CostError, with the file's line, on a missing or unknown field, a negative or unit-less energy, a level
    too small for one element of each tensor or for the tiles of one inside it, a dram with a size or two halves, or a
    kind of memory that its cost table lacks.
    """
    shipped = folder / f"{file}.toml" if folder else None
    if shipped is None or not shipped.exists():
        shipped = Path(file)
        if folder and not shipped.is_file():
            names = sorted(path.stem for path in folder.glob("*.toml"))
            raise CostError(f"no architecture file {file}", legal=[f'architecture("{name}")' for name in names])
    return read_as(_architecture, shipped)


def line_of(file: str | Path, place: Place) -> SourceLine | None:
    """The line of a field of an architecture's file, None where it does not say it."""
    document = Document.load(file)
    return None if document.get(place) is None else document.source(place)


def pasted(file: str | Path, fields: Iterable[str]) -> tuple[str, ...]:
    """Fields of a TOML file as this one would have them."""
    return tuple(map(Document.load(file).said, fields))


def _architecture(document: Document) -> Architecture:
    """What a file says."""
    document.known((), ("name", "costs", "dataflow", "sum_bits", "port_bits", "shared_port_bits", "array", "level"))
    grid = document.entry("array", document.said("{rows = 16}"))
    document.known(("array",), ("rows", "columns", "links", "mac", "hop"), grid)
    table = _table(document)
    sum_bits = _bits(document, "sum_bits", min(2 * table.word_bits, WIDEST))
    sides = ("rows",) if document.get(("array", "columns")) is None else ("rows", "columns")
    array = tuple(_side(document, side) for side in sides)
    try:
        levels = _levels(document, table, (sum_bits or min(2 * table.word_bits, WIDEST)) / table.word_bits)
        stated = tuple(name for name in ("mac", "hop") if document.get(("array", name)) is not None)
        own = {name: document.quantity(("array", name), "energy") for name in stated}
        table = replace(table, mac=own.get("mac", table.mac), hop=own.get("hop", table.hop))
        arch = Architecture(
            _name(document, (), "mine"),
            table.technology,
            table.name,
            table.word_bits,
            array,
            levels,
            table.hop,
            table.mac,
            document.flag(("array", "links"), True),
            None if document.get(("dataflow",)) is None else document.word(("dataflow",), "any"),
            sum_bits,
            _bits(document, "port_bits"),
            _bits(document, "shared_port_bits"),
            replace(table, dram=levels[-1].energy),
            stated,
        )
    except CostError as problem:
        if problem.source and problem.source.file == document.file:
            raise
        place = _place(problem)
        document.fail(place, problem.message, tuple(_pasted(document, place, each) for each in problem.proposed))
    _check_outermost(document, arch)
    _check_room(document, arch)
    return arch


def _place(problem: CostError) -> Place:
    """Of what is wrong with an architecture that is none: a field of one of its levels, or the one proposed."""
    if isinstance(problem, WrongLevel):
        return ("level", *problem.place)
    return (problem.proposed[0].split(" = ")[0],) if problem.proposed else ()


def _pasted(document: Document, place: Place, legal: str) -> str:
    """A field, and maybe the size that it needs, as they can stand in this file in place of the one at `place`: the
    whole level where it has a size already, or must have none, and no size smaller than those inside it."""
    said = dict(re.findall(r'(kind|size) = "(.*)"', legal)) if place[0] == "level" and place[-1] != "name" else {}
    if not said or "[[" in legal:
        return document.said(legal)
    before = {key: value for key, value in document.get(place[:-1]).items() if key != place[-1]}
    after = {**document.get(place[:-1]), **said}
    if "size" in said:
        after["size"] = _enough(document, place, str(after["kind"]), str(before.get("size") or said["size"]))
    bare = {key: value for key, value in after.items() if after["kind"] != OUTERMOST or key not in UNSAID}
    if ("size" in before and "size" in said) or bare != after:
        return document.item(place[:-1], bare)
    return document.said("\n    ".join(f'{key} = "{after[key]}"' for key in said))


def _enough(document: Document, place: Place, kind: str, least: str) -> str:
    """The largest size of the levels of a kind that lie inside the one at `place`, or `least` where that is more."""
    inside = [("level", at) for at in range(int(place[1])) if document.get(("level", at, "kind")) == kind != OUTERMOST]
    sizes = [least, *(str(document.get((*each, "size"))) for each in inside)]
    return max(sizes, key=lambda size: document.measure((*place[:2], "size"), size, "size"))


def _check_outermost(document: Document, arch: Architecture) -> None:
    """Raises CostError for what is said of the memory outside the chip and has no meaning there."""
    at = len(arch.levels) - 1
    table = document.get(("level", at))
    bare = {key: value for key, value in table.items() if key not in UNSAID}
    for key, why in UNSAID.items():
        if key in table:
            message = f"level {arch.levels[at].name}: a {OUTERMOST} has no {key}: {why}"
            document.fail(("level", at, key), message, (document.item(("level", at), bare),))


def _check_room(document: Document, arch: Architecture) -> None:
    """Raises CostError for a level that is smaller than one of its kind inside it and has less room for a tile, so
    that one of them would never be of use. At the first of the two whose size may be that of the other one."""
    if not (pair := _crowded(arch.levels)):
        return
    inner, outer = pair
    sizes = {at: str(document.get(("level", at, "size"))) for at in pair}
    names = {at: arch.levels[at].name for at in pair}
    why = (
        f"level {names[outer]} has {sizes[outer]}, less than the {sizes[inner]} of {names[inner]}, which is inside it: "
        "levels go from the PEs outwards"
    )
    ranked = sorted(arch.levels[:-1], key=lambda level: (KINDS.index(level.kind), level.words))
    tables = [f'[[level]] name = "{level.name}"' for level in (*ranked, arch.levels[-1])]
    sorted_ = document.said(f"the tables in this order: {', '.join(tables)}")
    order = [] if _crowded(ranked) else [sorted_]
    for at, other in ((outer, inner), (inner, outer)):
        if _fits(arch, at, other):
            document.fail(("level", at, "size"), why, (document.entry("size", f'"{sizes[other]}"'), *order))
    document.fail(("level", outer, "size"), why, tuple(order))


def _crowded(levels: Sequence[Level]) -> tuple[int, int] | None:
    """A level, and one outside it of its kind that is smaller and has less room for a tile."""
    for inner, outer in combinations(range(len(levels) - 1), 2):
        one, other = levels[inner], levels[outer]
        less = (other.words or 0) < (one.words or 0)
        if one.kind == other.kind and less and (other.words or 0) // other.buffers < (one.words or 0) // one.buffers:
            return inner, outer
    return None


def _fits(arch: Architecture, at: int, other: int) -> bool:
    """Whether the levels are in order if one is as large as another one."""
    levels = list(arch.levels)
    levels[at] = replace(levels[at], words=levels[other].words)
    try:
        return not _crowded(replace(arch, levels=tuple(levels)).levels)
    except CostError:
        return False


def _table(document: Document) -> CostTable:
    """The cost table that an architecture names; one that is not there is a mistake at that line."""
    file = _beside(document, document.word(("costs",), [*built_in()][-1]))
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


def _bits(document: Document, name: str, example: int = 0) -> int:
    """A width, 0 where it is left out, or said to be; `example`: one that works."""
    value = document.get((name,))
    if value is not None and (type(value) is not int or value < 0):
        why = f"{name} must be a whole number, 0 for what it is by default, is {value!r}"
        document.fail((name,), why, (document.entry(name, str(example)),))
    return value or 0


def _levels(document: Document, table: CostTable, sum_width: float) -> tuple[Level, ...]:
    found = document.get(("level",))
    if not isinstance(found, list) or not found:
        least = f"{ceil(least_words(2, sum_width) * table.word_bits / 8)} B"
        rows = ({"name": "RF", "kind": KINDS[0], "size": least}, {"name": "DRAM", "kind": OUTERMOST})
        why = "level is missing: one table per memory, innermost first"
        document.fail(("level",), why, (document.items("level", rows),))
    return tuple(_level(document, table, sum_width, ("level", at)) for at in range(len(found)))


def _level(document: Document, table: CostTable, sum_width: float, place: Place) -> Level:
    example = document.item(place, {"name": "DRAM", "kind": OUTERMOST})
    document.known(place, ("name", "kind", "size", "energy", "double", "bandwidth"), example)
    kind = _kind(document, table, place)
    sized_level = kind != OUTERMOST
    buffers = 2 if document.flag((*place, "double"), sized_level) else 1
    least = _enough(document, place, kind, f"{ceil(least_words(buffers, sum_width) * table.word_bits / 8)} B")
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
        document.fail((*place, "bandwidth"), why, (document.entry("bandwidth", '"4 word/cycle"'),))
    return Level(
        _name(document, place, "RF"),
        kind,
        int(size * 8 // table.word_bits) if sized_level else None,
        energy,
        buffers,
        bandwidth,
        stated,
    )


def _kind(document: Document, table: CostTable, place: Place) -> str:
    """A kind of memory; of those that there are, the ones are proposed that are in order with the other levels'."""
    said = [document.get((*place[:1], at, "kind")) for at in range(len(document.get(place[:1])))]
    fits = fitting(said, int(place[1])) or KINDS
    kind = document.word((*place, "kind"), *fits)
    if kind not in KINDS:
        legal = tuple(_pasted(document, (*place, "kind"), f'kind = "{each}"') for each in fits)
        document.fail((*place, "kind"), f"{table.name} has no kind {kind!r}", legal)
    return kind


def _name(document: Document, place: Place, other: str) -> str:
    """A name that schedules show. What is left of a wrong one is proposed, or `other`, as no other level has it."""
    siblings = range(len(document.get(place[:1]))) if place else ()
    taken = [document.get((*place[:1], at, "name")) for at in siblings if at != place[1]]
    name = document.word((*place, "name"), _free(other, taken))
    if "//" in name or not name.isprintable():
        why = f"the name {name!r} cannot stand in a comment of a schedule"
        plain = _free("".join(filter(str.isalnum, name)) or other, taken)
        document.fail((*place, "name"), why, (document.entry("name", f'"{plain}"'),))
    return name


def _free(name: str, taken: Collection[object]) -> str:
    """A name, with a number where it is taken."""
    return next(each for each in (name, *(f"{name}{at}" for at in range(2, len(taken) + 3))) if each not in taken)


def _cost(document: Document, table: CostTable, place: Place, kind: str, size: float) -> float:
    """pJ per access by the cost table."""
    name = document.word((*place, "name"))
    try:
        return table.access(kind, size, name)
    except CostError as problem:
        document.fail((*place, "kind"), problem.message, (document.entry("energy", '"1 pJ"'), *problem.proposed))
