"""Power of every cell under a measured activity, and the critical path, from OpenSTA."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from halidehw.errors import SynthesisError
from halidehw.synthesis.activity import Activity
from halidehw.synthesis.liberty import CellLibrary
from halidehw.synthesis.macros import macro_library
from halidehw.synthesis.netlist import MACRO, Netlist
from halidehw.synthesis.structure import structure
from halidehw.synthesis.tools import Tools, run

TOP, DESIGN = "boundary", "accelerator"
TOLERANCE = 0.005
"""Of the switching power: OpenSTA keeps few digits of small numbers, and knows rise from fall."""

_SCRIPT = """read_liberty cells.lib
{macros}read_verilog cells.v
link_design {top}
create_clock -name clk -period {period} [get_ports clk]
set_input_delay 0 -clock clk [all_inputs]
set_output_delay 0 -clock clk [all_outputs]
set_power_activity -input -activity 0 -duty 0
set activities [open activity.txt]
while {{[gets $activities line] >= 0}} {{
  lassign $line pin activity duty
  sta::set_power_pin_activity [get_pins $pin] $activity $duty
}}
report_checks -digits 4
puts "instances"
report_power -instances [get_cells -hierarchical *] -digits 9
"""


@dataclass(frozen=True)
class Power:
    """In W. `internal` and `switching` are dynamic."""

    internal: float
    switching: float
    leakage: float

    @property
    def dynamic(self) -> float:
        return self.internal + self.switching


@dataclass(frozen=True)
class Analysis:
    """`critical_ns`: the longest path between registers; `power` of each cell by its path and name."""

    critical_ns: float
    power: dict[str, Power]


def analyse(
    netlist: Netlist, activity: Activity, library: CellLibrary, tools: Tools, folder: Path, period_ns: float
) -> Analysis:
    """Power at a clock period under an activity, each pin's own.

    OpenSTA propagates activities from the inputs and overwrites given ones on its way, but stops at registers that
    have been given theirs. So each input passes a register first, outside the design. The switching that it reports
    must be what the activity and the loads of the nets make. Raises SynthesisError where it is not, or a tool fails.
    """
    macros = [instance for _, _, instance in netlist.leaves() if instance.kind == MACRO]
    (folder / "macros.lib").write_text(macro_library(macros))
    (folder / "cells.v").write_text(structure(netlist) + _boundary(netlist, library))
    (folder / "activity.txt").write_text("".join(activities(netlist, activity, library)))
    read = "read_liberty macros.lib\n" if macros else ""
    (folder / "cells.lib").write_text(halved(library.file.read_text()))
    script = _SCRIPT.format(macros=read, top=TOP, period=period_ns)
    (folder / "power.tcl").write_text(script)
    report = run([tools.sta, "-no_splash", "-exit", "power.tcl"], folder)
    (folder / "power.txt").write_text(report)
    found = read_report(report, period_ns)
    cells = {f"{path}{cell.name}" for path, _, cell in netlist.leaves() if cell.kind != MACRO}
    if missing := cells - found.power.keys():
        raise SynthesisError(f"OpenSTA reports no power of {len(missing)} cells, {min(missing)} among them")
    check_switching(found, switching(netlist, activity, library) * 1e-3 / period_ns)
    return replace(found, power={name: found.power[name] for name in cells})


def check_switching(found: Analysis, expected: float) -> None:
    """Raises SynthesisError where the switching power is not about the one expected, in W."""
    reported = sum(power.switching for power in found.power.values())
    if abs(reported - expected) > TOLERANCE * expected:
        raise SynthesisError(f"OpenSTA reports {reported:.4g} W of switching, the activity makes {expected:.4g} W")


def switching(netlist: Netlist, activity: Activity, library: CellLibrary) -> float:
    """pJ a cycle that charging the nets takes: half of C V^2 for every change of a net that a cell drives."""
    load: dict[int, float] = defaultdict(float)
    driven = set()
    for path, _, instance in netlist.leaves():
        if instance.kind == MACRO:
            continue
        cell = library.cell(instance.kind)
        for pin, (bit, *_) in instance.pins.items():
            if isinstance(bit, int):
                net = activity.number[path, bit]
                load[net] += cell.loads.get(pin, 0.0)
                driven |= {net} if pin in cell.outputs else set()
    changes = sum(load[net] * int(activity.toggles[net]) for net in driven)
    return 0.5 * changes * library.voltage**2 / activity.cycles


def halved(library: str) -> str:
    """A Liberty text for OpenSTA 2.0, with half the internal energy of outputs and clocks.

    Liberty's rise and fall energies are of one transition each. That version charges their sum for every transition
    (later ones their mean), except for inputs that no output is related to.
    """
    parts, end = [], 0
    for start in (found.start() for found in re.finditer(r"\binternal_power\s*\(", library)):
        close = _closing(library, library.index("{", start))
        pin = library[library.rfind("pin(", 0, start) : start]
        block = library[start:close]
        if "related_pin" in block or re.search(r"clock\s*:\s*true", pin):
            block = re.sub(r"values\s*\([^)]*\)", _half, block)
        parts += [library[end:start], block]
        end = close
    return "".join([*parts, library[end:]])


def _half(values: re.Match[str]) -> str:
    return re.sub(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?", lambda number: f"{float(number[0]) / 2:.9g}", values[0])


def _closing(text: str, brace: int) -> int:
    """Behind the brace that closes the one at `brace`."""
    depth = 0
    for found in re.finditer(r"[{}]", text[brace:]):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return brace + found.end()
    raise SynthesisError("a brace in the cell library is never closed")


def read_report(report: str, period_ns: float) -> Analysis:
    """What OpenSTA printed: `report_checks`, a line `instances`, `report_power -instances`."""
    checks, found, powers = report.partition("\ninstances\n")
    slack = re.search(r"(-?[\d.]+)\s+slack", checks)
    if not found or not slack:
        raise SynthesisError(f"OpenSTA's report is not as expected:\n{report[:400]}")
    number = r"([-+.\de]+)"
    rows = re.findall(rf"^\s*{number}\s+{number}\s+{number}\s+{number}\s+{DESIGN}/(\S+)$", powers, re.M)
    power = {name: Power(float(internal), float(switching), float(leak)) for internal, switching, leak, _, name in rows}
    return Analysis(period_ns - float(slack[1]), power)


def activities(netlist: Netlist, activity: Activity, library: CellLibrary) -> list[str]:
    """`pin activity duty` of every pin of every cell but the clock's, the registers before the inputs included: one
    without would be found from the input that it follows, and what follows it too."""
    lines = []
    register = library.register.register
    assert register
    for port in netlist.modules[netlist.top].ports:
        for place, bit in enumerate(port.bits if port.direction == "input" and port.name != "clk" else ()):
            if isinstance(bit, int):
                numbers = f"{activity.rate('', bit):.7g} {activity.duty('', bit):.7g}"
                lines += [f"{port.name}_{place}/{pin} {numbers}\n" for pin in (register.following, register.output)]
    for path, _, cell in netlist.leaves():
        if cell.kind == MACRO:
            continue
        register = library.cells[cell.kind].register
        for pin, bits in cell.pins.items():
            if (register and pin == register.clock) or not isinstance(bits[0], int):
                continue
            rate, duty = activity.rate(path, bits[0]), activity.duty(path, bits[0])
            lines.append(f"{DESIGN}/{path}{cell.name}/{pin} {rate:.7g} {duty:.7g}\n")
    return lines


def _boundary(netlist: Netlist, library: CellLibrary) -> str:
    """The top: a register before each input of the design."""
    ports = netlist.modules[netlist.top].ports
    cell = library.register
    assert cell.register
    lines = [f"module {TOP} ({', '.join(port.name for port in ports)});"]
    pins = []
    for port in ports:
        lines.append(f"  {port.direction} [{len(port.bits) - 1}:0] {port.name};")
        entering = port.direction == "input" and port.name != "clk"
        pins.append(f".{port.name}({port.name}{'_late' if entering else ''})")
        if entering:
            lines.append(f"  wire [{len(port.bits) - 1}:0] {port.name}_late;")
            lines += [
                f"  {cell.name} {port.name}_{bit} (.{cell.register.clock}(clk), "
                f".{cell.register.following}({port.name}[{bit}]), .{cell.register.output}({port.name}_late[{bit}]));"
                for bit in range(len(port.bits))
            ]
    lines.append(f"  {netlist.top} {DESIGN} ({', '.join(pins)});")
    return "\n".join([*lines, "endmodule", ""])
