"""In the simulator: accelerators behind AXI4 masters before memories that are not ours, which pause at random."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiRam

CASES: list[dict[str, Any]] = json.loads(Path("cases.json").read_text())
SIZE = 1 << 16


@cocotb.test()
async def runs(dut: Any) -> None:
    """Each design twice, at other addresses the second time, with every channel held back at random."""
    Clock(dut.clk, 2, "ns").start()
    for case in CASES:
        await run(getattr(dut, case["name"]), dut, case)


async def run(accelerator: Any, dut: Any, case: dict[str, Any]) -> None:
    ram = AxiRam(AxiBus.from_prefix(accelerator, "m_axi_gmem"), dut.clk, dut.rst_n, reset_active_level=False, size=SIZE)
    draw = random.Random(1)
    sides = ram.read_if.ar_channel, ram.read_if.r_channel, ram.write_if.aw_channel, ram.write_if.w_channel
    for channel in (*sides, ram.write_if.b_channel):
        channel.set_pause_generator(draw.random() < 0.3 for _ in itertools.count())
    accelerator.start.value = accelerator.abort.value = dut.rst_n.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst_n.value = 1
    for shift in (0, 4096 - 3 * 8):
        at = {}
        for number, (tensor, text) in enumerate(case["tensors"].items()):
            at[tensor] = shift + 0x2000 * number + 8 * number
            getattr(accelerator, f"{tensor}_base").value = at[tensor]
            ram.write(at[tensor], bytes.fromhex(text))
        await RisingEdge(dut.clk)
        accelerator.start.value = 1
        await RisingEdge(dut.clk)
        accelerator.start.value = 0
        await RisingEdge(dut.clk)
        await with_timeout(RisingEdge(accelerator.done), 100, "us")
        right = bytes.fromhex(case["right"])
        assert ram.read(at[case["output"]], len(right)) == right
        beyond = ram.read(at[case["output"]] + len(right), 64)
        assert beyond == bytes(64), "words beyond the output are written"
        assert not accelerator.errors.value
