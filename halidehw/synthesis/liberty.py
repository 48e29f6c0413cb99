"""Standard-cell libraries: the cells' areas, pins and functions, from a Liberty file."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, reduce
from importlib import resources
from operator import and_, or_, xor
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from halidehw.errors import SourceLine, SynthesisError


@dataclass(frozen=True)
class Register:
    """The pins of a register that takes `following` at the rising edge of `clock` and shows it on `output`."""

    output: str
    following: str
    clock: str


@dataclass(frozen=True)
class Cell:
    """A cell. `area` in the library's unit; `loads`: input pin -> its capacitance, likewise.

    `tables`: output pin -> its function of `inputs` as a truth table, whose bit i is the value where the inputs, the
    first one lowest, read as i. `register`: None in combinational cells.
    """

    name: str
    area: float
    inputs: tuple[str, ...]
    tables: dict[str, int]
    register: Register | None
    loads: dict[str, float] = field(default_factory=dict)

    @property
    def outputs(self) -> tuple[str, ...]:
        return (self.register.output,) if self.register else tuple(self.tables)


@dataclass(frozen=True)
class CellLibrary:
    """`file`: where the library was read; `voltage` in V."""

    name: str
    file: Path
    voltage: float
    cells: dict[str, Cell]

    def cell(self, name: str) -> Cell:
        """Raises SynthesisError for a cell that is not there."""
        if name not in self.cells:
            raise SynthesisError(f"{self.name} has no gate or register {name}")
        return self.cells[name]

    @property
    def register(self) -> Cell:
        """The smallest register."""
        return min((cell for cell in self.cells.values() if cell.register), key=lambda cell: cell.area)


def read_library(file: Path | str) -> CellLibrary:
    """The gates of a Liberty file, and its plain registers: rising edge, no reset, output not inverted.

    Raises SynthesisError with the line where the file is not Liberty, OSError where it cannot be read.
    """
    text = Path(file).read_text()
    try:
        library = _Group.of(_parser("liberty").parse(text).children[0])
    except UnexpectedInput as error:
        lines = text.splitlines() or [""]
        line = min(max(error.line, 1), len(lines))
        place = SourceLine(str(file), line, lines[line - 1].strip(), max(error.column, 1))
        raise SynthesisError("this is not Liberty", source=place) from None
    cells = [cell for group in library.all("cell") if (cell := _cell(group))]
    return CellLibrary(
        library.argument, Path(file), float(library.get("nom_voltage", "0")), {cell.name: cell for cell in cells}
    )


def truth_table(function: str, inputs: tuple[str, ...]) -> int:
    """A Liberty function as a truth table. Raises SynthesisError where it is none, or of other pins."""
    try:
        tree = _parser("function").parse(function)
    except UnexpectedInput:
        raise SynthesisError(f"{function!r} is no Boolean function") from None
    known = {
        name: sum((row >> place & 1) << row for row in range(2 ** len(inputs))) for place, name in enumerate(inputs)
    }
    return _table(tree, known, 2**2 ** len(inputs) - 1)


def _table(tree: Tree[Token], known: dict[str, int], ones: int) -> int:
    if tree.data == "pin":
        name = str(tree.children[0])
        if name not in known:
            raise SynthesisError(f"a function of {name}, which is no input; inputs are {', '.join(known)}")
        return known[name]
    parts = [_table(part, known, ones) for part in tree.children if isinstance(part, Tree)]
    match tree.data:
        case "zero":
            return 0
        case "one":
            return ones
        case "not":
            return ones ^ parts[0]
        case "either":
            return reduce(or_, parts)
        case "differ":
            return reduce(xor, parts)
    return reduce(and_, parts)


@dataclass(frozen=True)
class _Group:
    kind: str
    arguments: tuple[str, ...]
    attributes: dict[str, str]
    groups: tuple[_Group, ...]

    @classmethod
    def of(cls, tree: Any) -> _Group:
        kind, *rest = tree.children
        arguments = [_text(part) for part in rest if part is not None and part.data == "value"]
        simple = [part for part in rest if part is not None and part.data == "simple"]
        attributes = {str(part.children[0]): _text(part.children[1]) for part in simple}
        groups = tuple(cls.of(part) for part in rest if part is not None and part.data == "group")
        return cls(str(kind), tuple(arguments), attributes, groups)

    @property
    def argument(self) -> str:
        return self.arguments[0] if self.arguments else ""

    def all(self, *kinds: str) -> list[_Group]:
        return [group for group in self.groups if group.kind in kinds]

    def get(self, name: str, default: str = "") -> str:
        return self.attributes.get(name, default)


def _text(value: Any) -> str:
    return str(value.children[0]).strip('"')


def _cell(group: _Group) -> Cell | None:
    pins = {pin.argument: pin for pin in group.all("pin")}
    functions = {name: pin.get("function") for name, pin in pins.items() if pin.get("function")}
    inputs = tuple(name for name, pin in pins.items() if pin.get("direction") == "input")
    area = float(group.get("area", "0"))
    loads = {name: float(pins[name].get("capacitance", "0")) for name in inputs}
    if not functions or group.all("latch", "statetable") or any(pin.get("three_state") for pin in pins.values()):
        return None
    registers = group.all("ff")
    if not registers:
        tables = {name: truth_table(function, inputs) for name, function in functions.items()}
        return Cell(group.argument, area, inputs, tables, None, loads)
    register = registers[0]
    following, clock = register.get("next_state"), register.get("clocked_on")
    outputs = [name for name, function in functions.items() if function == register.argument]
    plain = len(outputs) == len(functions) == 1 and {following, clock} <= set(inputs)
    if not plain or register.get("clear") or register.get("preset"):
        return None
    return Cell(group.argument, area, inputs, {}, Register(outputs[0], following, clock), loads)


@cache
def _parser(name: str) -> Lark:
    return Lark(resources.files(__package__).joinpath(f"{name}.lark").read_text(), parser="lalr")
