"""The Verilog of accelerators."""

from __future__ import annotations

from collections.abc import Sequence

from halidehw.backend_hdl.library import Library, written
from halidehw.backend_hdl.top import Top
from halidehw.microarch.accelerator import Accelerator


def verilog(accelerator: Accelerator) -> str:
    """One file: the top module first, every distinct component once; the schedule stands in its head.

    The same accelerator gives the same bytes.
    """
    return verilog_of_each([accelerator])[0]


def verilog_of_each(accelerators: Sequence[Accelerator]) -> list[str]:
    """What `verilog` gives for each, in less time, with the statements of a module in another order."""
    return written([(_header(accelerator), _library(accelerator)) for accelerator in accelerators])


def _header(accelerator: Accelerator) -> str:
    lines = [f"// {accelerator.interface.module}: {accelerator.pes} PEs", "//", "// Schedule:"]
    return "\n".join([*lines, *(f"//   {line}" for line in accelerator.schedule)]) + "\n"


def _library(accelerator: Accelerator) -> Library:
    library = Library()
    library.add(Top, accelerator)
    return library
