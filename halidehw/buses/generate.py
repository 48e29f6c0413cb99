"""The Verilog of accelerators behind buses."""

from __future__ import annotations

from halidehw.backend_hdl.engines import Engines
from halidehw.backend_hdl.library import Library
from halidehw.backend_hdl.rtl import build
from halidehw.backend_hdl.rtl.hierarchy import Hierarchy
from halidehw.backend_hdl.rtl.ir import Instance, Module, Port, Ref, Signal
from halidehw.backend_hdl.rtl.read import CLOCK, RESET
from halidehw.buses.axi import AXI, check
from halidehw.buses.masters import Masters, MastersSpec
from halidehw.microarch.network import Network

AP_CLOCK, AP_RESET = "ap_clk", "ap_rst_n"


def verilog(network: Network | Engines, bus: AXI, *, loops: bool = False) -> str:
    """One file: an accelerator behind one AXI4 master, the top module `NAME_axi` first. Its clock is `ap_clk`, its
    reset `ap_rst_n`, synchronous and active low. `loops`: see `backend_hdl.verilog`.

    Raises HardwareError for a port that moves more than the bus does in a cycle.
    """
    check(network.interface, bus)
    library = Library(network.prefix)
    spec = MastersSpec(network, bus)
    library.add(Masters, spec)
    design = library.hierarchy
    return shell(design.looped if loops else design, spec.attached.module).verilog()


def shell(design: Hierarchy, name: str) -> Hierarchy:
    """A design in a top module of that name, with the names that a clock and a reset have where blocks are joined."""
    inner = design.top
    kept = [port for port in inner.ports if port.name not in (CLOCK, RESET)]
    ports = (Port(AP_CLOCK, False), Port(AP_RESET, False), *kept)
    signals = {AP_CLOCK: Signal(AP_CLOCK, 1), AP_RESET: Signal(AP_RESET, 1)}
    signals |= {port.name: inner.signals[port.name] for port in kept}
    inputs = {CLOCK: Ref(AP_CLOCK, 1), RESET: build.unary("~", Ref(AP_RESET, 1))}
    inputs |= {port.name: Ref(port.name, signals[port.name].width) for port in kept if not port.output}
    outputs = {port.name: port.name for port in kept if port.output}
    use = Instance("masters", inner.name, inputs, outputs)
    comment = "The design, with a clock and an active-low reset of the names that Vitis gives them."
    top = Module(name, comment, ports, signals, {}, (), {}, (use,), AP_RESET)
    return Hierarchy(design.prefix, (top, *design.modules))
