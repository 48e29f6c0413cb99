"""Macros as cells without power: their ports, and arcs that begin and end paths at their registers."""

from __future__ import annotations

from collections.abc import Iterable

from halidehw.synthesis.netlist import Instance
from halidehw.synthesis.structure import macro_name

_WIDTHS = {
    "clk": None, "write_enable": "one", "write_address": "ADDRESS", "write_data": "WIDTH", "read_enable": "one",
    "read_address": "ADDRESS", "read_data": "WIDTH",
}  # fmt: skip
_ARC = """      timing() {{
        related_pin : "clk";
        timing_type : {kind};
{tables}      }}
"""


def macro_library(macros: Iterable[Instance]) -> str:
    """A Liberty library of the macros: each size a cell whose ports are registered, with no delay, power or area.

    So paths end at a macro's ports and begin there; its own access time is not in the critical path.
    """
    sizes = {macro_name(macro): macro.parameters for macro in macros}
    widths = sorted({bits for sizes_of in sizes.values() for bits in (sizes_of["ADDRESS"], sizes_of["WIDTH"])})
    cells = "".join(_cell(name, parameters) for name, parameters in sizes.items())
    return f"""library(macros) {{
  delay_model : table_lookup;
  time_unit : "1ns";
  voltage_unit : "1V";
  current_unit : "1uA";
  leakage_power_unit : "1nW";
  capacitive_load_unit (1,pf);
{"".join(_bus(bits) for bits in widths)}{cells}}}
"""


def _bus(bits: int) -> str:
    return f"""  type(bus{bits}) {{
    base_type : array;
    data_type : bit;
    bit_width : {bits};
    bit_from : {bits - 1};
    bit_to : 0;
  }}
"""


def _cell(name: str, parameters: dict[str, int]) -> str:
    pins = "".join(_pin(pin, parameters[kind] if kind and kind != "one" else kind) for pin, kind in _WIDTHS.items())
    return f"  cell({name}) {{\n    area : 0;\n{pins}  }}\n"


def _pin(name: str, width: int | str | None) -> str:
    head = f"pin({name})" if not isinstance(width, int) else f"bus({name})"
    kind = f"      bus_type : bus{width};\n" if isinstance(width, int) else ""
    direction = "output" if name == "read_data" else "input"
    if width is None:
        arcs = "      clock : true;\n"
    elif direction == "output":
        tables = ("cell_rise", "cell_fall", "rise_transition", "fall_transition")
        arcs = _ARC.format(kind="rising_edge", tables=_zeros(tables))
    else:
        arcs = "".join(
            _ARC.format(kind=check, tables=_zeros(("rise_constraint", "fall_constraint")))
            for check in ("setup_rising", "hold_rising")
        )
    return f"    {head} {{\n{kind}      direction : {direction};\n      capacitance : 0;\n{arcs}    }}\n"


def _zeros(tables: tuple[str, ...]) -> str:
    return "".join(f'        {table}(scalar) {{ values ("0"); }}\n' for table in tables)
