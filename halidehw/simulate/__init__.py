"""Cycle-accurate simulation of generated accelerators."""

from halidehw.simulate.memory import Memory
from halidehw.simulate.scenario import Scenario, Stop
from halidehw.simulate.verilog import (
    Companion,
    Experiment,
    Run,
    Watch,
    simulate_scenarios,
    simulate_together,
    simulate_verilog,
)
from halidehw.simulate.waves import Waves

__all__ = [
    "Companion",
    "Experiment",
    "Memory",
    "Run",
    "Scenario",
    "Stop",
    "Watch",
    "Waves",
    "simulate_scenarios",
    "simulate_together",
    "simulate_verilog",
]  # fmt: skip
