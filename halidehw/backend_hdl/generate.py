"""The Verilog of accelerators."""

from __future__ import annotations

from halidehw.backend_hdl.library import Library
from halidehw.backend_hdl.rtl.hierarchy import Hierarchy
from halidehw.backend_hdl.top import Top
from halidehw.microarch.accelerator import Accelerator


def hierarchy(accelerator: Accelerator) -> Hierarchy:
    """The modules of an accelerator, each distinct component once."""
    library = Library(accelerator.name)
    library.add(Top, accelerator, accelerator.interface.module)
    return library.hierarchy


def verilog(accelerator: Accelerator) -> str:
    """One file: the top module first, every distinct component once; the schedule stands in its head.

    The same accelerator gives the same bytes.
    """
    return _header(accelerator) + "\n" + hierarchy(accelerator).verilog()


def _header(accelerator: Accelerator) -> str:
    lines = [f"// {accelerator.interface.module}: {accelerator.pes} PEs", "//", "// Schedule:"]
    return "\n".join([*lines, *(f"//   {line}" for line in accelerator.schedule)]) + "\n"
