"""A design at gate level: synthesised, run, and its energy, area and critical path by module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halidehw.backend_hdl.library import identifier
from halidehw.backend_hdl.registers import elaborated
from halidehw.driver import Compiled
from halidehw.driver.arrays import inputs_of, laid
from halidehw.driver.draw import uniform_inputs
from halidehw.energy_model.cells import PARTS, component_of
from halidehw.energy_model.costs.table import CostTable
from halidehw.energy_model.energy import place
from halidehw.errors import SynthesisError
from halidehw.frontend.params import Buffer
from halidehw.microarch.network import Network
from halidehw.simulate import simulate_verilog
from halidehw.synthesis.activity import Access, Activity, simulate_gates
from halidehw.synthesis.flat import flatten
from halidehw.synthesis.liberty import CellLibrary, read_library
from halidehw.synthesis.netlist import MACRO, Netlist
from halidehw.synthesis.power import Analysis, analyse
from halidehw.synthesis.synthesise import synthesise
from halidehw.synthesis.tools import Tools


@dataclass(frozen=True)
class Unit:
    """The cells of one module instance, without those of the modules in it. `area` in the library's unit; `pj`: dynamic
    energy of the run; `leakage` in W."""

    path: tuple[str, ...]
    cells: int
    registers: int
    area: float
    pj: float
    leakage: float


@dataclass(frozen=True)
class Measured:
    """One run at gate level.

    `critical_ns`: the longest path between registers, those of macros included. `clock_pj`: a cycle, for charging the
    registers' clock pins, which is in no unit. `accesses`: of each macro, by its path, and its word's bits.
    """

    name: str
    cycles: int
    critical_ns: float
    clock_pj: float
    units: tuple[Unit, ...]
    accesses: dict[str, tuple[Access, int]]

    def components(self, compiled: Compiled) -> dict[str, float]:
        """pJ of each component (keys of PARTS) of cells."""
        held = {each.path: component_of(each) for each in elaborated(compiled.accelerator)}
        totals = dict.fromkeys(PARTS, 0.0)
        for unit in self.units:
            totals[held[unit.path]] += unit.pj
        return totals

    def macros(self, acc: Network, costs: CostTable) -> float:
        """pJ of the macros' accesses by a cost table."""
        total = 0.0
        for path, (access, bits) in self.accesses.items():
            size = _macro_size(path, acc)
            total += (access.reads + access.writes) * costs.access("sram", size, path) * bits / costs.word_bits
        return total


def measure(compiled: Compiled, tools: Tools, folder: Path, *, seed: int = 0, period_ns: float = 10.0) -> Measured:
    """Synthesise a design, run it, and take its power. Inputs that are not set are random, uniform over their type.

    The netlist's outputs must be the Verilog's, bit for bit. Files of every step go into `folder`. Raises
    SynthesisError where a tool fails or the netlist computes something else.
    """
    library = read_library(tools.library)
    netlist = synthesise(compiled.verilog, compiled.interface.module, tools, folder)
    inputs = laid(compiled.graph, _inputs(compiled, seed))
    flat = flatten(netlist, library)
    run, activity = simulate_gates(netlist, flat, compiled.interface, inputs)
    expected = simulate_verilog(compiled.verilog, compiled.interface, inputs)
    _check_equal(expected.outputs, run.outputs)
    if expected.cycles != run.cycles:
        raise SynthesisError(f"the netlist takes {run.cycles} cycles, the Verilog {expected.cycles}")
    analysis = analyse(netlist, activity, library, tools, folder, period_ns)
    bits = {path: macro.parameters["WIDTH"] for path, macro, _ in flat.macros}
    return Measured(
        name=compiled.name,
        cycles=activity.cycles,
        critical_ns=analysis.critical_ns,
        clock_pj=_clock_pj(netlist, library),
        units=_units(netlist, library, analysis, activity, period_ns),
        accesses={path: (access, bits[path]) for path, access in activity.accesses.items()},
    )


def _inputs(compiled: Compiled, seed: int) -> dict[str, Buffer]:
    unset = {image.name for image in compiled.design.inputs if image.buffer is None}
    values = {name: array for name, array in uniform_inputs(compiled.graph, seed).items() if name in unset}
    return inputs_of(compiled.design, compiled.graph, values)


def _check_equal(expected: Mapping[str, np.ndarray], found: Mapping[str, np.ndarray]) -> None:
    for name, words in expected.items():
        if (different := np.flatnonzero(words != found[name])).size:
            at = int(different[0])
            raise SynthesisError(
                f"the netlist writes {found[name][at]} to word {at} of {name}, the Verilog {words[at]}"
            )


def _units(
    netlist: Netlist, library: CellLibrary, analysis: Analysis, activity: Activity, period_ns: float
) -> tuple[Unit, ...]:
    joules = period_ns * 1e-9 * activity.cycles
    totals: dict[str, list[float]] = {}
    for path, _, cell in netlist.leaves():
        if cell.kind == MACRO:
            continue
        power, kind = analysis.power[f"{path}{cell.name}"], library.cell(cell.kind)
        own = (1, kind.register is not None, kind.area, power.dynamic * joules * 1e12, power.leakage)
        totals[path] = [total + value for total, value in zip(totals.get(path, [0.0] * 5), own, strict=True)]
    return tuple(
        Unit(tuple(path.split("/")[:-1]), int(cells), int(registers), area, pj, leakage)
        for path, (cells, registers, area, pj, leakage) in totals.items()
    )


def _clock_pj(netlist: Netlist, library: CellLibrary) -> float:
    cells = (library.cell(cell.kind) for _, _, cell in netlist.leaves() if cell.kind != MACRO)
    loads = sum(cell.loads[cell.register.clock] for cell in cells if cell.register)
    return loads * library.voltage**2


def _macro_size(path: str, acc: Network) -> float:
    """Bytes of the memory that a macro is a part of."""
    levels = {identifier(memory.name): memory.name for memory in acc.memories}
    return place(acc, levels.get(path.split("/")[0], "accumulator"))[1]
