"""Cost tables: energy and area of each kind of memory, of a multiply-accumulate and of a hop."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from pathlib import Path

import numpy as np

from halidehw.energy_model.costs.document import Document, Place, read_as, table_of
from halidehw.errors import CostError, SourceLine

BUILT_IN = Path(__file__).parent / "data"

Curve = tuple[tuple[float, float], ...]
"""(bytes, pJ) in rising order."""

SIZES = {"64 B": "0.12 pJ", "128 B": "0.24 pJ"}
"""What a table of sizes can look like."""


@dataclass(frozen=True)
class AreaTable:
    """Areas in um2: of a bit of a register file and of an SRAM, of a multiply-accumulate, and of what else a PE has."""

    register_file: float
    sram: float
    mac: float
    pe: float

    def bits(self, kind: str, bits: float) -> float:
        """um2 of a memory of that many bits; `kind`: "register_file" or "sram"."""
        each: float = getattr(self, kind)
        return each * bits


@dataclass(frozen=True)
class CellTable:
    """pJ of what happens in standard cells: `each` by the kind of event (EVENTS), `curves` of those that depend on a
    memory's size (SIZED). Memories of more than `macro` bytes are macros, with the energies of `sram`."""

    macro: float
    each: dict[str, float]
    curves: dict[str, Curve]

    def cost(self, event: str, size: float) -> float:
        """pJ of one event, in a memory of `size` bytes where that matters."""
        return _power_law(self.curves[event], size) if event in self.curves else self.each[event]


EVENTS = (
    "register", "mac", "mac_held", "add", "chain", "write", "offer", "sweep", "hop", "wave", "lane", "crossbar",
    "step", "fill", "load", "store",
)  # fmt: skip
SIZED = ("read", "accumulate")


@dataclass(frozen=True)
class CostTable:
    """Energies in pJ per access of a word of `word_bits` bits, in a technology; areas where the table has any.

    With `cells`, everything on chip but its SRAM is charged by what its cells do (`cells.py`), clocking included.
    Between two sizes of `register_file` and `sram` (empty: the table lacks that level), and beyond the first and last,
    the energy follows a power law: a straight line of log(pJ) over log(bytes) through the two nearest sizes. `file`:
    where it is from.
    """

    name: str
    technology: str
    word_bits: int
    mac: float
    hop: float
    dram: float
    register_file: Curve = ()
    sram: Curve = ()
    area: AreaTable | None = None
    file: SourceLine | None = None
    cells: CellTable | None = None

    def access(self, kind: str, size: float, who: str = "") -> float:
        """pJ per access of a memory of `size` bytes; `kind` is a field of this table, `who` the memory's name.

        Raises CostError for a level that the table lacks.
        """
        return self.dram if kind == "dram" else _power_law(self._curve(kind, who), size)

    def accesses(self, kind: str, sizes: np.ndarray, who: str = "") -> np.ndarray:
        """pJ per access of memories of `sizes` bytes, float64 of that shape: what `access` says of each, but for
        rounding, so for rankings. Raises CostError as it does."""
        return np.full(sizes.shape, self.dram) if kind == "dram" else _power_laws(self._curve(kind, who), sizes)

    def _curve(self, kind: str, who: str) -> Curve:
        curve: Curve = getattr(self, kind)
        if not curve:
            raise CostError(
                f"the cost table {self.name!r} has no {kind}{f', which {who} is' if who else ''}",
                legal=table_of(self.file.file if self.file else "", (kind,), SIZES),
                source=self.file,
            )
        return curve


def built_in() -> dict[str, Path]:
    """The files of the tables that have names."""
    return {path.stem: path for path in sorted(BUILT_IN.glob("*.toml"))}


def load_costs(file: str | Path) -> CostTable:
    """The cost table in a TOML or YAML file, or a built-in one by name (`table3`).

    Raises CostError, with the file's line, on a missing or unknown field, a negative cost, or a wrong or missing unit.
    """
    tables = built_in()
    if str(file) not in tables and (not Path(file).exists() or Path(file).is_dir()):
        legal = [f'costs="{name}"' for name in tables]
        shown = str(file) or "''"
        raise CostError(f"cannot read {shown}: it is no file, nor the name of a built-in table", legal=legal)
    return read_as(_table, tables.get(str(file), file))


def _table(document: Document) -> CostTable:
    """What a file says."""
    document.known((), ("name", "technology", "word", "mac", "hop", "dram", "register_file", "sram", "area", "cells"))
    return CostTable(
        document.word(("name",)),
        document.word(("technology",)),
        _width(document),
        document.quantity(("mac",), "energy"),
        document.quantity(("hop",), "energy"),
        document.quantity(("dram",), "energy"),
        _curve(document, ("register_file",)),
        _curve(document, ("sram",)),
        _area(document),
        document.source(()),
        _cells(document),
    )


def _width(document: Document) -> int:
    width = document.quantity(("word",), "width", positive=True)
    if not width.is_integer():
        document.fail(
            ("word",), f"word = {width:g} bit is no whole number of bits", (document.entry("word", '"16 bit"'),)
        )
    return int(width)


def _curve(document: Document, place: Place) -> Curve:
    table, kind = document.get(place), ".".join(map(str, place))
    if table is None:
        return ()
    if not isinstance(table, dict) or len(table) < 2:
        document.fail(place, f"{kind} has fewer than two sizes", table_of(document.file, place, SIZES))
    points = [
        (
            document.measure((*place, size), size, "size", positive=True),
            document.measure((*place, size), energy, "energy", positive=True),
        )
        for size, energy in table.items()
    ]
    sizes = [size for size, _ in points]
    for (name, _), size in zip(table.items(), sizes, strict=True):
        if sizes.count(size) > 1:
            document.fail((*place, name), f"{kind} has {name} twice")
    return tuple(sorted(points))


def _cells(document: Document) -> CellTable | None:
    if document.get(("cells",)) is None:
        return None
    document.known(("cells",), ("macro", *EVENTS, *SIZED))
    macro = document.quantity(("cells", "macro"), "size", positive=True)
    each = {event: document.quantity(("cells", event), "energy") for event in EVENTS}
    curves = {event: _curve(document, ("cells", event)) for event in SIZED}
    for event, curve in curves.items():
        if not curve:
            legal = table_of(document.file, ("cells", event), SIZES)
            document.fail(("cells",), f"cells has no {event}, a table of sizes", legal)
    return CellTable(macro, each, curves)


def _area(document: Document) -> AreaTable | None:
    if document.get(("area",)) is None:
        return None
    document.known(("area",), ("register_file", "sram", "mac", "pe"))
    return AreaTable(
        document.quantity(("area", "register_file"), "density"),
        document.quantity(("area", "sram"), "density"),
        document.quantity(("area", "mac"), "area"),
        document.quantity(("area", "pe"), "area"),
    )


def _power_law(points: Curve, size: float) -> float:
    exact = dict(points).get(size)
    if exact is not None:
        return exact
    above = next((at for at, (known, _) in enumerate(points) if known > size), len(points) - 1)
    (size0, energy0), (size1, energy1) = points[max(above, 1) - 1], points[max(above, 1)]
    slope = log(energy1 / energy0) / log(size1 / size0)
    return energy0 * exp(slope * log(size / size0))


def _power_laws(points: Curve, sizes: np.ndarray) -> np.ndarray:
    """As `_power_law` of each size, in the logarithms of all at once, whose last bits may differ."""
    known, pj = np.log(np.array(points).T)
    size = np.log(sizes)
    above = np.clip(np.searchsorted(known, size, side="right"), 1, len(points) - 1)
    slope = np.diff(pj) / np.diff(known)
    return np.asarray(np.exp(pj[above - 1] + slope[above - 1] * (size - known[above - 1])))
