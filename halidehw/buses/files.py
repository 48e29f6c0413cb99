"""What is written beside an accelerator's Verilog: its registers for tools and programs, drivers, a core, constraints.

All of it is made from the one description of the registers (`buses.registers`).
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from halidehw.buses.registers import BITS, Access, Register, RegisterMap, Value

CLOCK = "ap_clk"
MHZ = 110
"""What the constraints ask for, of an ECP5 of speed grade 6."""

_RDL: dict[Access, str] = {
    "start": "sw = rw; onwrite = woset; hw = rw; hwclr;",
    "flag": "sw = r; onread = rclr; hw = w; hwset;",
    "read": "sw = r; hw = w;",
    "write": "sw = rw; hw = r;",
    "toggle": "sw = rw; onwrite = wot; hw = w; hwset;",
    "pulse": "sw = w; hw = r; singlepulse;",
}
"""What SystemRDL calls it."""

_WORDS: dict[Access, str] = {
    "start": "read, set by 1", "flag": "read, which clears it", "read": "read", "write": "read and written",
    "toggle": "read, turned over by 1", "pulse": "1 written acts once",
}  # fmt: skip


def bus_files(registers: RegisterMap, top: str, verilog: str) -> dict[str, str]:
    """File name -> text. `top`: the module that has the bus; `verilog`: the name of its file."""
    name = registers.name
    return {
        f"{name}.rdl": rdl(registers),
        f"{name}_regs.h": header(registers),
        f"{name}.h": _filled("driver.h", name=name, NAME=name.upper()),
        f"{name}.c": _filled("driver.c", name=name, NAME=name.upper()),
        f"{name}.py": python(registers),
        f"{name}.core": _filled("fusesoc.core", name=name, top=top, verilog=verilog),
        f"{name}.lpf": _filled("ecp5.lpf", name=name, clock=CLOCK, mhz=MHZ),
    }


def rdl(registers: RegisterMap) -> str:
    """SystemRDL 2.0."""
    lines = [f"addrmap {registers.name} {{", "  default regwidth = 32;", "  default accesswidth = 32;"]
    for register in registers.registers:
        lines.append("  reg {")
        for each in register.fields:
            place = f"{each.name}[{each.at + each.bits - 1}:{each.at}]"
            reset = "" if each.access == "read" else " = 0"
            lines.append(f'    field {{ desc = "{each.meaning}"; {_RDL[each.access]} }} {place}{reset};')
        lines.append(f"  }} {register.name} @ {register.offset:#x};")
    return "\n".join([*lines, "};", ""])


def header(registers: RegisterMap) -> str:
    """A C header: NAME_ADDR_register, NAME_MASK_register_field, NAME_ARG_argument, and a table of the arguments."""
    prefix = registers.name.upper()
    lines = [f"/* The registers of {registers.name}: byte addresses, masks, arguments. */",
             f"#ifndef {prefix}_REGS_H", f"#define {prefix}_REGS_H", ""]  # fmt: skip
    for register in registers.registers:
        lines.append(f"#define {prefix}_ADDR_{register.name} {register.offset:#04x}u")
        for each in register.fields:
            mask = ((1 << each.bits) - 1) << each.at
            if len(register.fields) > 1 or each.bits == 1:
                lines.append(f"#define {prefix}_MASK_{register.name}_{each.name} {mask:#x}u /* {each.meaning} */")
    lines += ["", "/* Arguments: */", "enum {"]
    lines += [f"    {prefix}_ARG_{each.name}, /* {each.meaning} */" for each in registers.arguments]
    rows = ", ".join(f"{{{each.offset:#x}, {each.bits}, {each.align}}}" for each in registers.arguments)
    lines += [f"    {prefix}_ARGS", "};", "", "/* Offset, bits, alignment of each. */"]
    return "\n".join([*lines, f"#define {prefix}_ARGUMENTS {{{rows}}}", "", "#endif", ""])


def python(registers: RegisterMap) -> str:
    """The driver for Python, which stands by itself."""
    driver = resources.files("halidehw.buses").joinpath("device.py").read_text()
    rows = [f"    {json.dumps(name)}: {json.dumps(row)}," for name, row in described(registers).items()]
    size = 1 << registers.address_bits
    return "\n".join([driver, "", f"SIZE = {size}", "", "REGISTERS: dict[str, dict[str, Any]] = {", *rows, "}", ""])


def described(registers: RegisterMap) -> dict[str, dict[str, Any]]:
    """What `device.Device` has to know, by the name of a register or number, as plain data."""
    found: dict[str, dict[str, Any]] = {each.name: _number(each) for each in registers.arguments}
    for register in registers.control:
        fields = {each.name: each.at for each in register.fields}
        found[register.name] = {"offset": register.offset, "bits": BITS, "fields": fields}
    return found | {each.name: _number(each) for each in registers.numbers}


def _number(value: Value) -> dict[str, Any]:
    found = {"offset": value.offset, "bits": value.bits}
    return found | ({"align": value.align} if value.access == "write" else {})


def table(registers: RegisterMap) -> str:
    """The registers as a table of Markdown."""
    rows = ["| address | register | bits | | |", "|---|---|---|---|---|"]
    for register in registers.registers:
        for each in register.fields:
            rows.append(f"| {register.offset:#04x} | {_called(register, each.name)} | {_span(each.at, each.bits)} "
                        f"| {_WORDS[each.access]} | {each.meaning} |")  # fmt: skip
    return "\n".join(rows)


def _called(register: Register, field: str) -> str:
    return f"`{register.name}`" if field == "value" else f"`{register.name}` `{field}`"


def _span(at: int, bits: int) -> str:
    return f"{at}" if bits == 1 else f"{at + bits - 1}:{at}"


def _filled(file: str, **values: object) -> str:
    text = resources.files("halidehw.buses").joinpath("start", file).read_text()
    for key, value in values.items():
        text = text.replace("{{" + key + "}}", str(value))
    return text
