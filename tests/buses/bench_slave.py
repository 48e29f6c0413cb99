"""In the simulator: an independent AXI4-Lite master before registers, and a model of an accelerator behind them."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

REGISTERS: dict[str, int] = json.loads(os.environ["REGISTERS"])
ARGUMENTS = ("a_base", "n", "y_base")


class Bench:
    """The registers, a master at their bus, and an accelerator whose runs take `cycles` each."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut, self.random = dut, random.Random(seed)
        Clock(dut.clk, 2, "ns").start()
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi_control"), dut.clk, dut.rst)
        self.cycles, self.runs, self.fails = 20, list[tuple[int, ...]](), 0

    async def begin(self) -> None:
        dut = self.dut
        dut.rst.value, dut.idle.value, dut.done.value, dut.error.value = 1, 1, 0, 0
        dut.errors.value, dut.cycles.value, dut.a_words.value = 5, 0x1234_5678_9ABC, 77
        for _ in range(2):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        cocotb.start_soon(self.accelerator())

    async def accelerator(self) -> None:
        """Takes a start in a cycle with idle; is idle again after its cycles, with done, or an abort, without. What it
        is told is the same in all cycles of a run."""
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if not dut.start.value:
                continue
            told = self.told()
            dut.idle.value, dut.done.value, dut.error.value, cut = 0, 0, 0, False
            for _ in range(self.cycles):
                await RisingEdge(dut.clk)
                if dut.rst.value:
                    dut.idle.value = 1
                    return
                assert self.told() == told and not dut.start.value
                cut = cut or bool(dut.abort.value)
            self.runs.append(told)
            dut.idle.value, dut.done.value, dut.error.value = 1, not cut, self.fails

    def told(self) -> tuple[int, ...]:
        return tuple(int(getattr(self.dut, name).value) for name in ARGUMENTS)

    def pause(self) -> None:
        """All channels wait at random, each by itself."""
        for channel in (*vars(self.master.write_if).values(), *vars(self.master.read_if).values()):
            if hasattr(channel, "set_pause_generator"):
                channel.set_pause_generator(iter(lambda: self.random.random() < 0.5, None))

    async def read(self, name: str) -> int:
        return await with_timeout(self.master.read_dword(REGISTERS[name]), 2000, "ns")

    async def write(self, name: str, value: int) -> None:
        await with_timeout(self.master.write_dword(REGISTERS[name], value), 2000, "ns")

    async def status(self) -> tuple[bool, ...]:
        """start, done, idle, ready, auto_restart."""
        found = await self.read("ap_ctrl")
        return tuple(bool(found >> at & 1) for at in (0, 1, 2, 3, 7))

    async def over(self) -> None:
        for _ in range(100):
            if (await self.status())[1]:
                return
        raise AssertionError("no end")


@cocotb.test()
async def words_and_bytes(dut: Any) -> None:
    """Arguments take any bytes of a word, in any order of addresses and data; nothing else in the map moves."""
    bench = Bench(dut, 1)
    await bench.begin()
    size = 1 << len(dut.s_axi_control_ARADDR)
    arguments = [at + byte for name, at in REGISTERS.items() if name.removesuffix("_high") in ARGUMENTS
                 for byte in range(4)]  # fmt: skip
    for paused in (False, True):
        if paused:
            bench.pause()
        before = bytearray((await bench.master.read(0, size)).data)
        for _ in range(60):
            first = bench.random.randrange(0x10, REGISTERS["status"])
            data = bench.random.randbytes(bench.random.randint(1, 9))
            await with_timeout(bench.master.write(first, data), 4000, "ns")
            for at, byte in enumerate(data, start=first):
                if at in arguments:
                    before[at] = byte
        assert bytes(before) == (await bench.master.read(0, size)).data
        reads = [bench.master.init_read(REGISTERS[name], 4) for name in ("cycles_high", "a_words", "errors", "cycles")]
        writes = [bench.master.init_write(REGISTERS["n"], bytes([i, 0, 0, 0])) for i in range(4)]
        for event in (*reads, *writes):
            await with_timeout(event.wait(), 4000, "ns")
        found = [int.from_bytes(event.data.data, "little") for event in reads]
        assert found == [0x1234, 77, 5, 0x5678_9ABC] and await bench.read("n") == 3
    assert not bench.runs


@cocotb.test()
async def runs(dut: Any) -> None:
    """Start, end, interrupts, a start in between, arguments for the next run, an abort, a restart, an error."""
    bench = Bench(dut, 2)
    await bench.begin()
    await bench.write("y_base", 0x40)
    await bench.write("a_base_high", 7)
    assert await bench.status() == (False, False, True, False, False)
    await bench.write("ap_ctrl", 1)
    assert await bench.status() == (True, False, False, False, False)
    await bench.write("n", 9)
    await bench.write("ap_ctrl", 1)
    assert await bench.read("status") == 1
    while not dut.idle.value:
        await RisingEdge(dut.clk)
    assert await bench.status() == (False, True, True, True, False)
    assert await bench.status() == (False, False, True, False, False)
    assert bench.runs == [(7 << 32, 0, 0x40)] and not dut.interrupt.value and await bench.read("isr") == 0

    bench.pause()
    await bench.write("ier", 1)
    await bench.write("ap_ctrl", 1)
    await bench.over()
    assert await bench.read("isr") == 1 and not dut.interrupt.value and bench.runs[1:] == [(7 << 32, 9, 0x40)]
    await bench.write("gie", 1)
    assert dut.interrupt.value
    await bench.write("isr", 1)
    assert await bench.read("isr") == 0 and not dut.interrupt.value and await bench.read("status") == 0

    for name, skewed in (("a_base", 2), ("y_base", 8)):
        before = await bench.read(name)
        await bench.write(name, skewed)
        await bench.write("ap_ctrl", 0x81)
        await bench.over()
        assert await bench.read("status") == 2 and len(bench.runs) == 2 and dut.interrupt.value
        await bench.write("isr", 1)
        await bench.write(name, before)
        await bench.write("ap_ctrl", 0)

    bench.cycles = 400
    await bench.write("ap_ctrl", 0x81)
    await bench.write("abort", 1)
    await bench.over()
    assert await bench.read("status") == 4 and len(bench.runs) == 3

    bench.cycles = 3
    await bench.write("ap_ctrl", 0x81)
    while len(bench.runs) < 6:
        await RisingEdge(dut.clk)
    bench.fails = 1
    while dut.idle.value != 1 or dut.error.value != 1:
        await RisingEdge(dut.clk)
    await bench.over()
    stopped = len(bench.runs)
    assert await bench.read("status") == 8 and (await bench.status())[0] is False and len(bench.runs) == stopped

    bench.fails, bench.cycles = 0, 400
    await bench.write("ap_ctrl", 1)
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    assert not dut.start.value and not dut.interrupt.value
