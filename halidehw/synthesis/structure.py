"""A netlist as structural Verilog for the timing analyser."""

from __future__ import annotations

from halidehw.synthesis.netlist import MACRO, Bit, Instance, Module, Netlist


def structure(netlist: Netlist) -> str:
    """Verilog of instances only; net number b of a module is its wire `nb`, macros are cells named by their size."""
    return "\n".join(map(_module, netlist.modules.values()))


def macro_name(macro: Instance) -> str:
    return f"macro_{macro.parameters['WIDTH']}x{macro.parameters['DEPTH']}"


def _net(bit: Bit) -> str:
    return f"n{bit}" if isinstance(bit, int) else f"1'b{bit}".replace("x", "0")


def _module(module: Module) -> str:
    lines = [f"module {module.name} ({', '.join(port.name for port in module.ports)});"]
    lines += [f"  {port.direction} [{len(port.bits) - 1}:0] {port.name};" for port in module.ports]
    lines += [f"  wire n{number};" for number in module.nets]
    for port in module.ports:
        for place, bit in enumerate(port.bits):
            ends = (_net(bit), f"{port.name}[{place}]")
            left, right = ends if port.direction == "input" else ends[::-1]
            lines.append(f"  assign {left} = {right};")
    lines += map(_instance, module.instances)
    return "\n".join([*lines, "endmodule", ""])


def _instance(instance: Instance) -> str:
    kind = macro_name(instance) if instance.kind == MACRO else instance.kind
    pins = ", ".join(f".{pin}({{{', '.join(map(_net, reversed(bits)))}}})" for pin, bits in instance.pins.items())
    return f"  {kind} {instance.name} ({pins});"
