"""Cycle-accurate simulation of generated accelerators."""

from halidehw.simulate.memory import Memory
from halidehw.simulate.scenario import Scenario
from halidehw.simulate.verilog import Companion, Experiment, Run, simulate_together, simulate_verilog

__all__ = ["Companion", "Experiment", "Memory", "Run", "Scenario", "simulate_together", "simulate_verilog"]
