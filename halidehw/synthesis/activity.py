"""What a netlist does in a run: simulated on the package's own bench, its switching counted net by net."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import numpy as np

from halidehw.microarch.interface import Interface
from halidehw.simulate import Companion, Run, simulate_verilog
from halidehw.synthesis.flat import Flat
from halidehw.synthesis.netlist import Netlist, Port

ACTIVITY = "activity.txt"


@dataclass(frozen=True)
class Access:
    """Cycles in which a macro is read and written."""

    reads: int
    writes: int


@dataclass(frozen=True)
class Activity:
    """A run of `cycles` cycles, from start to done. `toggles`, `high`: flat net -> changes of value from cycle to
    cycle, and cycles at one; `accesses`: of each macro, by its path."""

    cycles: int
    number: dict[tuple[str, int], int]
    toggles: np.ndarray
    high: np.ndarray
    accesses: dict[str, Access]

    def rate(self, path: str, net: int) -> float:
        """Toggles a cycle of a module's net."""
        return self.toggles[self.number[path, net]] / self.cycles

    def duty(self, path: str, net: int) -> float:
        """The part of the time that a module's net is one."""
        return self.high[self.number[path, net]] / self.cycles


def simulate_gates(
    netlist: Netlist, flat: Flat, interface: Interface, inputs: dict[str, np.ndarray]
) -> tuple[Run, Activity]:
    """Run a netlist of `interface` on words in address order, without delays: each net settles once a cycle, so
    glitches are not seen. Raises what `simulate_verilog` raises."""
    beside = Companion(
        {"gates.cpp": resources.files(__package__).joinpath("gates.cpp").read_text()},
        {"netlist.txt": flat.text()},
        (ACTIVITY,),
    )
    run = simulate_verilog(shell(netlist), interface, inputs, beside=beside, optimize="run")
    return run, read_activity(run.files[ACTIVITY], flat)


def read_activity(text: str, flat: Flat) -> Activity:
    """The file that `gates.cpp` writes."""
    rows: dict[str, list[list[int]]] = {"cycles": [], "net": [], "macro": []}
    for line in text.splitlines():
        kind, *numbers = line.split()
        rows[kind].append([int(number) for number in numbers])
    toggles, high = np.array(rows["net"], np.int64).T
    accesses = {path: Access(*row) for (path, _, _), row in zip(flat.macros, rows["macro"], strict=True)}
    return Activity(rows["cycles"][0][0], flat.number, toggles, high, accesses)


def shell(netlist: Netlist) -> str:
    """A module with the ports of a netlist's top, whose contents are the calls of `gates.cpp`.

    The netlist is settled again whenever an input changes, and after each clock edge, which `edges` makes seen.
    """
    ports = netlist.modules[netlist.top].ports
    sides = {side: [p for p in ports if p.direction == side and p.name != "clk"] for side in ("input", "output")}
    together = {side: ", ".join(port.name for port in reversed(found)) for side, found in sides.items()}
    bits = {side: sum(len(port.bits) for port in found) for side, found in sides.items()}
    declared = ",\n".join(f"    {port.direction} logic {_range(port)}{port.name}" for port in ports)
    return f"""module {netlist.top} (
{declared}
);
  import "DPI-C" function void halidehw_gates_open();
  import "DPI-C" function void halidehw_gates_settle(
      input bit edges, input bit [{bits["input"] - 1}:0] in, output bit [{bits["output"] - 1}:0] out);
  import "DPI-C" function void halidehw_gates_clock(input bit counting);
  import "DPI-C" function void halidehw_gates_close();
  bit edges = 0, running = 0;
  initial halidehw_gates_open();
  always_comb halidehw_gates_settle(edges, {{{together["input"]}}}, {{{together["output"]}}});
  always @(posedge clk) begin
    halidehw_gates_clock(running & ~done);
    edges <= ~edges;
    if (start) running <= 1;
    else if (done) running <= 0;
  end
  final halidehw_gates_close();
endmodule
"""


def _range(port: Port) -> str:
    return f"[{len(port.bits) - 1}:0] " if len(port.bits) > 1 else ""
