"""The cocotb test of every bench: wait until the bench has halted, then read the values asked for.

Runs inside the simulator, on its own: it must not import the package.
"""

import json
import os
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


@cocotb.test()
async def drive(dut):
    """Write `{signal: value}` of the signals in $HALIDEHW_READ to result.json once `halted` has risen."""
    if os.environ["HALIDEHW_SIMULATOR"] != "verilator":  # whose main makes the clock
        Clock(dut.clk, 2, "ns").start()
    if dut.halted.value != 1:
        await RisingEdge(dut.halted)
    values = {name: int(getattr(dut, name).value) for name in os.environ["HALIDEHW_READ"].split(",")}
    Path("result.json").write_text(json.dumps(values))
