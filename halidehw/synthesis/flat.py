"""A netlist without its hierarchy, in an order in which it can be evaluated, and its simulation."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from halidehw.errors import SynthesisError
from halidehw.synthesis.liberty import Cell, CellLibrary
from halidehw.synthesis.netlist import MACRO, Bit, Instance, Netlist

ZERO, ONE = 0, 1
"""The numbers of the nets that are constant."""


@dataclass(frozen=True)
class Gate:
    """One output of a cell. Bit i of `table` is its value where `inputs`, the first one lowest, read as i."""

    table: int
    output: int
    inputs: tuple[int, ...]


@dataclass(frozen=True)
class Flat:
    """`nets`: how many there are; `number`: (path of a module, its net) -> flat net. `gates`: each after what drives
    it. `registers`: (output, next value). `macros` with their paths, and what their pins are connected to."""

    nets: int
    number: dict[tuple[str, int], int]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    gates: tuple[Gate, ...]
    registers: tuple[tuple[int, int], ...]
    macros: tuple[tuple[str, Instance, dict[str, tuple[int, ...]]], ...]

    def text(self) -> str:
        """The file that `gates.cpp` reads."""
        lines = [f"nets {self.nets}", _line("inputs", *self.inputs), _line("outputs", *self.outputs)]
        lines += [_line("gate", gate.table, gate.output, *gate.inputs) for gate in self.gates]
        lines += [_line("register", *register) for register in self.registers]
        for _, macro, pins in self.macros:
            sizes = [macro.parameters[name] for name in ("WIDTH", "DEPTH", "ADDRESS")]
            order = ("write_enable", "read_enable", "write_address", "write_data", "read_address", "read_data")
            lines.append(_line("macro", *sizes, *(net for pin in order for net in pins[pin])))
        return "\n".join(lines) + "\n"


def flatten(netlist: Netlist, library: CellLibrary) -> Flat:
    """The cells of a netlist as gates and registers on flat nets.

    Registers take their next value at every rising edge of the one clock. Raises SynthesisError for a cell that the
    library has no function of, one with more than four inputs, and a combinational loop.
    """
    nets = _Nets(netlist)
    gates: list[Gate] = []
    registers: list[tuple[int, int]] = []
    macros = []
    for path, _, instance in netlist.leaves():
        pins = {pin: tuple(nets.at(path, bit) for bit in bits) for pin, bits in instance.pins.items()}
        if instance.kind == MACRO:
            macros.append((f"{path}{instance.name}", instance, pins))
            continue
        cell = library.cell(instance.kind)
        single = {pin: bits[0] for pin, bits in pins.items()}
        if cell.register:
            registers.append((single[cell.register.output], single[cell.register.following]))
        else:
            gates += _gates(cell, single)
    inputs, outputs = (
        tuple(nets.at("", bit) for port in netlist.modules[netlist.top].ports for bit in port.bits
              if port.direction == side and port.name != "clk")
        for side in ("input", "output")
    )  # fmt: skip
    return Flat(nets.many, nets.numbers(), inputs, outputs, _ordered(gates), tuple(registers), tuple(macros))


def _gates(cell: Cell, pins: dict[str, int]) -> list[Gate]:
    if len(cell.inputs) > 4:
        raise SynthesisError(f"{cell.name} has {len(cell.inputs)} inputs; the simulation takes four")
    inputs = tuple(pins[pin] for pin in cell.inputs)
    return [Gate(table, pins[output], inputs) for output, table in cell.tables.items() if output in pins]


def _ordered(gates: list[Gate]) -> tuple[Gate, ...]:
    drivers = {gate.output: gate for gate in gates}
    try:
        order = TopologicalSorter({net: gate.inputs for net, gate in drivers.items()}).static_order()
        return tuple(drivers[net] for net in order if net in drivers)
    except CycleError:
        raise SynthesisError("the netlist has a combinational loop") from None


class _Nets:
    """Flat numbers: nets that a port joins are one."""

    def __init__(self, netlist: Netlist):
        self._netlist = netlist
        self._parent: dict[tuple[str, Bit], tuple[str, Bit]] = {}
        self._join(netlist.top, "")
        roots = dict.fromkeys(self._root(key) for key in (("", "0"), ("", "1"), *self._parent))
        order = {root: number for number, root in enumerate(roots)}
        self.many = len(order)
        self._number = {key: order[self._root(key)] for key in list(self._parent)}

    def at(self, path: str, bit: Bit) -> int:
        return self._number[path, bit] if isinstance(bit, int) else ONE if bit == "1" else ZERO

    def numbers(self) -> dict[tuple[str, int], int]:
        return {(path, bit): number for (path, bit), number in self._number.items() if isinstance(bit, int)}

    def _join(self, name: str, path: str) -> None:
        module = self._netlist.modules[name]
        for net in module.nets:
            self._root((path, net))
        for instance in module.instances:
            if (inner := self._netlist.modules.get(instance.kind)) is None:
                continue
            below = f"{path}{instance.name}/"
            self._join(inner.name, below)
            for port in inner.ports:
                for outside, inside in zip(instance.pins.get(port.name, ()), port.bits, strict=False):
                    self._union(self._key(path, outside), self._key(below, inside))

    @staticmethod
    def _key(path: str, bit: Bit) -> tuple[str, Bit]:
        return (path, bit) if isinstance(bit, int) else ("", "1" if bit == "1" else "0")

    def _root(self, key: tuple[str, Bit]) -> tuple[str, Bit]:
        parent = self._parent.setdefault(key, key)
        while parent != key:
            self._parent[key] = self._parent[parent]
            key, parent = parent, self._parent[parent]
        return key

    def _union(self, one: tuple[str, Bit], other: tuple[str, Bit]) -> None:
        self._parent[self._root(one)] = self._root(other)


def _line(*words: object) -> str:
    return " ".join(map(str, words))
