"""The Verilog of an accelerator."""

from __future__ import annotations

from halidehw.backend_hdl.library import Library
from halidehw.backend_hdl.top import Top
from halidehw.microarch.accelerator import Accelerator


def verilog(accelerator: Accelerator) -> str:
    """One file: the top module first, every distinct component once; the schedule stands in its head.

    The same accelerator gives the same bytes.
    """
    library = Library()
    library.add(Top, accelerator)
    lines = [f"// {accelerator.interface.module}: {accelerator.pes} PEs", "//", "// Schedule:"]
    lines += [f"//   {line}" for line in accelerator.schedule]
    return library.verilog("\n".join(lines) + "\n")
