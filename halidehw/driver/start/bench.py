"""A bench to start from: memories with random stalls around an accelerator, a run, an abort, a reset.

`bench.json` has the ports, the words of the inputs, those that the outputs must have, and how many one stage leaves
for another one. Nothing here needs halidehw;
the rules that the ports keep are in its docs/hardware.md.
"""

import json
import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

BENCH = json.loads((Path(__file__).parent / "bench.json").read_text())
LATENCY = 3  # cycles from a request to its answer, at least
READY = 0.7  # the part of the cycles in which a memory is ready, or answers
TIMEOUT = 10 * BENCH["cycles"] + 1000


class Port:
    """A port of the accelerator and the words of its tensor, as unsigned numbers."""

    def __init__(self, dut: Any, port: dict[str, Any], words: list[int]) -> None:
        self.dut, self.port, self.words = dut, port, words
        self.answers: deque[tuple[int, int]] = deque()  # (cycle from which on it may be given, its data)

    def signal(self, name: str) -> Any:
        return getattr(self.dut, f"{self.port['name']}_{name}")

    def lanes(self, request: str) -> list[tuple[int, int]]:
        """(lane, address) of the words that a request is about."""
        mask = int(self.signal(f"{request}mask").value) if self.port["lanes"] > 1 else 1
        first = int(self.signal(f"{request}addr").value)
        lanes = [lane for lane in range(self.port["lanes"]) if mask >> lane & 1]
        return [(lane, (first + lane) % (1 << self.port["address_bits"])) for lane in lanes]

    def drive(self, cycle: int) -> None:
        """What the memory does in a cycle."""
        if self.port["kind"] == "write":
            self.signal("ready").value = random.random() < READY
            return
        self.signal("req_ready").value = random.random() < READY
        due = bool(self.answers) and self.answers[0][0] <= cycle
        self.offered = due and (self.offered or random.random() < READY)  # once offered, an answer stays
        self.signal("resp_valid").value = self.offered
        self.signal("resp_data").value = self.answers[0][1] if self.offered else 0

    def observe(self, cycle: int) -> None:
        """What is accepted in a cycle, when all signals have settled."""
        bits = self.port["bits"]
        if self.port["kind"] == "write":
            if self.signal("valid").value and self.signal("ready").value:
                data = int(self.signal("data").value)
                for lane, address in self.lanes(""):
                    self.words[address] = data >> lane * bits & (1 << bits) - 1
            return
        if self.offered and self.signal("resp_ready").value:
            self.answers.popleft()
            self.offered = False
        if self.signal("req_valid").value and self.signal("req_ready").value:
            data = sum(self.words[address] << lane * bits for lane, address in self.lanes("req_"))
            self.answers.append((cycle + LATENCY, data))

    offered = False


class Bench:
    """An accelerator and its memories."""

    def __init__(self, dut: Any) -> None:
        Clock(dut.clk, 2, "ns").start()
        self.dut, self.cycle = dut, 0
        self.outputs = {name: [0] * len(words) for name, words in BENCH["outputs"].items()}
        between = {name: [0] * words for name, words in BENCH["between"].items()}
        self.memories = {**BENCH["inputs"], **self.outputs, **between}
        self.ports = [Port(dut, port, self.memories[port["tensor"]]) for port in BENCH["ports"]]

    async def cycles(self, **inputs: int) -> None:
        """A cycle with `inputs` at the accelerator's own inputs, 0 at the others."""
        await FallingEdge(self.dut.clk)
        for name in ("rst", "start", "abort"):
            getattr(self.dut, name).value = inputs.get(name, 0)
        for port in self.ports:
            port.drive(self.cycle)
        await ReadOnly()
        for port in self.ports:
            port.observe(self.cycle)
        self.cycle += 1

    async def reset(self) -> None:
        """The accelerator, and with it the other side of its ports."""
        await self.cycles(rst=1)
        for port in self.ports:
            port.answers.clear()
            port.offered = False

    async def run(self, cycles: int = TIMEOUT) -> bool:
        """A start, and so many cycles or up to the end; whether it is done."""
        for output in self.outputs.values():
            output[:] = [0] * len(output)
        await self.cycles(start=1)
        for _ in range(cycles):
            await self.cycles()
            if self.dut.done.value:
                return True
        return False

    async def whole_run(self) -> None:
        assert await self.run(), f"not done after {TIMEOUT} cycles"
        for name, output in self.outputs.items():
            wrong = [i for i, word in enumerate(BENCH["outputs"][name]) if output[i] != word]
            first = f"word {wrong[0]}: {output[wrong[0]]}" if wrong else ""
            assert not wrong, f"{len(wrong)} words of {name} are wrong, the first is {first}"


@cocotb.test()
async def runs(dut: Any) -> None:
    """Two starts, one after the other."""
    bench = Bench(dut)
    await bench.reset()
    await bench.whole_run()
    await bench.whole_run()


@cocotb.test()
async def aborted(dut: Any) -> None:
    """A run that is aborted, and another one. The memories go on; they owe nothing when the accelerator is idle."""
    bench = Bench(dut)
    await bench.reset()
    assert not await bench.run(BENCH["cycles"] // 2)
    await bench.cycles(abort=1)
    waited = 0
    while not dut.idle.value:
        await bench.cycles()
        waited += 1
        assert waited < TIMEOUT, "the abort does not end"
    assert not dut.done.value and not any(port.answers for port in bench.ports)
    await bench.whole_run()


@cocotb.test()
async def reset_in_a_run(dut: Any) -> None:
    """A run that is cut off by a reset of accelerator and memories, and another one."""
    bench = Bench(dut)
    await bench.reset()
    assert not await bench.run(BENCH["cycles"] // 2)
    await bench.reset()
    await bench.whole_run()
