"""From a micro-architecture to Verilog, through Amaranth components."""

from halidehw.backend_hdl.generate import verilog, verilog_of_each

__all__ = ["verilog", "verilog_of_each"]
