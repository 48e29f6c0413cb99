"""From a micro-architecture to Verilog, through Amaranth components."""

from halidehw.backend_hdl.generate import verilog

__all__ = ["verilog"]
