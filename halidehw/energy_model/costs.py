"""Cost tables: energy per access of each kind of memory, of a multiply-accumulate and of a hop."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from halidehw.energy_model.document import Document

BUILT_IN = Path(__file__).parent / "data"


@dataclass(frozen=True)
class CostTable:
    """Energies in pJ per access of a word of `word_bits` bits.

    `register_file`, `sram`: (bytes, pJ) in rising order. Between two sizes, and beyond the first and last, the
    energy follows a power law: a straight line of log(pJ) over log(bytes) through the two nearest sizes.
    """

    name: str
    technology: str
    word_bits: int
    mac: float
    hop: float
    dram: float
    register_file: tuple[tuple[float, float], ...]
    sram: tuple[tuple[float, float], ...]

    def access(self, kind: str, size: float) -> float:
        """pJ per access of a memory of `size` bytes; `kind` is a field of this table."""
        return self.dram if kind == "dram" else _power_law(getattr(self, kind), size)


def load_costs(file: str | Path) -> CostTable:
    """The cost table in a TOML file, or a built-in one by name (`table3`).

    Raises CostError, with the file's line, on a missing field, a negative cost, or a wrong or missing unit.
    """
    built_in = BUILT_IN / f"{file}.toml"
    document = Document.load(built_in if built_in.exists() else file)
    document.known((), ("name", "technology", "word", "mac", "hop", "dram", "register_file", "sram"))
    return CostTable(
        document.word(("name",)),
        document.word(("technology",)),
        int(document.quantity(("word",), "width", positive=True)),
        document.quantity(("mac",), "energy"),
        document.quantity(("hop",), "energy"),
        document.quantity(("dram",), "energy"),
        _points(document, "register_file"),
        _points(document, "sram"),
    )


def _points(document: Document, kind: str) -> tuple[tuple[float, float], ...]:
    table = document.get((kind,))
    if not isinstance(table, dict) or len(table) < 2:
        legal = (f"[{kind}]", '"64 B" = "0.12 pJ"')
        document.fail((kind,), f"{kind} is missing or has fewer than two sizes", legal)
    points = [
        (
            document.measure((kind, size), size, "size", positive=True),
            document.measure((kind, size), energy, "energy", positive=True),
        )
        for size, energy in table.items()
    ]
    return tuple(sorted(points))


def _power_law(points: tuple[tuple[float, float], ...], size: float) -> float:
    exact = dict(points).get(size)
    if exact is not None:
        return exact
    above = next((at for at, (known, _) in enumerate(points) if known > size), len(points) - 1)
    (size0, energy0), (size1, energy1) = points[max(above, 1) - 1], points[max(above, 1)]
    slope = log(energy1 / energy0) / log(size1 / size0)
    return energy0 * exp(slope * log(size / size0))
