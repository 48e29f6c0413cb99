"""From a micro-architecture to Verilog, through Amaranth components."""

from halidehw.backend_hdl.generate import hierarchy, verilog

__all__ = ["hierarchy", "verilog"]
