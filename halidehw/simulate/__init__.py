"""Cycle-accurate simulation of generated accelerators."""

from halidehw.simulate.memory import Memory
from halidehw.simulate.verilog import Run, simulate_verilog

__all__ = ["Memory", "Run", "simulate_verilog"]
