"""The Verilog of accelerators."""

from __future__ import annotations

from typing import Any

from halidehw.backend_hdl.contract import groups
from halidehw.backend_hdl.engines import Engines, EnginesTop
from halidehw.backend_hdl.library import Library, Part
from halidehw.backend_hdl.rtl.hierarchy import Hierarchy
from halidehw.backend_hdl.shared import SharedTop
from halidehw.backend_hdl.top import Top
from halidehw.microarch.network import Network


def hierarchy(accelerator: Network | Engines) -> Hierarchy:
    """The modules of an accelerator, each distinct component once."""
    library = Library(accelerator.prefix)
    library.add(top_of(accelerator), accelerator, accelerator.interface.module)
    return library.hierarchy


def top_of(accelerator: Network | Engines) -> type[Part[Any]]:
    """The component that an accelerator is."""
    if not isinstance(accelerator, Network):
        return EnginesTop
    return SharedTop if accelerator.interface.shared else Top


def verilog(accelerator: Network, *, loops: bool = False) -> str:
    """One file: the top module first, every distinct component once; the schedule stands in its head.

    `loops`: instances of one component that stand side by side are one body in a loop over arrays (SystemVerilog).

    The same accelerator gives the same bytes.
    """
    design = hierarchy(accelerator)
    text = (design.looped if loops else design).verilog(groups(accelerator.interface))
    return _header(accelerator) + "\n" + text


def _header(accelerator: Network) -> str:
    lines = [f"// {accelerator.interface.module}: {accelerator.pes} PEs", "//", "// Schedule:"]
    return "\n".join([*lines, *(f"//   {line}" for line in accelerator.schedule)]) + "\n"
