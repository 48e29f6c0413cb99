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

    def __init__(self, port: dict[str, Any], words: list[int]) -> None:
        self.name, self.writes, self.words = port["name"], port["kind"] == "write", words
        self.count, self.bits, self.wrap = port["lanes"], port["bits"], 1 << port["address_bits"]
        self.answers: deque[tuple[int, int]] = deque()  # (cycle from which on it may be given, its data)

    def accept(self, cycle: int, first: int, mask: int, data: int) -> None:
        """A request for the words from the first one on that the mask has: they are stored, or an answer is owed."""
        lanes = [(lane * self.bits, (first + lane) % self.wrap) for lane in range(self.count) if mask >> lane & 1]
        if self.writes:
            for shift, address in lanes:
                self.words[address] = data >> shift & (1 << self.bits) - 1
        else:
            self.answers.append((cycle + LATENCY, sum(self.words[address] << shift for shift, address in lanes)))


class Outside:
    """The signals of a port, or of the one that all share: `asks` begins the names of a request's, `answers` those of
    an answer's."""

    def __init__(self, dut: Any, ports: list[Port], asks: str, answers: str, shared: bool) -> None:
        self.dut, self.ports, self.asks, self.answers, self.shared = dut, ports, asks, answers, shared
        self.reads = not all(port.writes for port in ports)
        self.masked = shared or ports[0].count > 1
        self.offered: Port | None = None  # whose answer is

    def signal(self, name: str) -> Any:
        return getattr(self.dut, name)

    def drive(self, cycle: int) -> None:
        """What the memory does in a cycle."""
        self.signal(f"{self.asks}ready").value = random.random() < READY
        if not self.reads:
            return
        due = [port for port in self.ports if port.answers and port.answers[0][0] <= cycle]
        if due and not self.offered and random.random() < READY:  # once offered, an answer stays
            self.offered = due[cycle % len(due)]
        self.signal(f"{self.answers}resp_valid").value = self.offered is not None
        self.signal(f"{self.answers}resp_data").value = self.offered.answers[0][1] if self.offered else 0
        if self.shared:
            self.signal("memory_resp_port").value = self.ports.index(self.offered) if self.offered else 0

    def observe(self, cycle: int) -> None:
        """What is accepted in a cycle, when all signals have settled."""
        if self.offered:
            taken = int(self.signal(f"{self.answers}resp_ready").value)
            if taken >> (self.ports.index(self.offered) if self.shared else 0) & 1:
                self.offered.answers.popleft()
                self.offered = None
        if self.signal(f"{self.asks}valid").value and self.signal(f"{self.asks}ready").value:
            port = self.ports[int(self.signal("memory_port").value) if self.shared else 0]
            first, mask = int(self.signal(f"{self.asks}addr").value), 1
            if self.masked:
                mask = int(self.signal(f"{self.asks}mask").value)
            if self.shared:
                assert bool(self.signal("memory_write").value) == port.writes, f"a wrong kind of request of {port.name}"
            port.accept(cycle, first, mask, int(self.signal(f"{self.asks}data").value) if port.writes else 0)

    def reset(self) -> None:
        self.offered = None
        for port in self.ports:
            port.answers.clear()


def outsides(dut: Any, ports: list[Port]) -> list[Outside]:
    """One for each port, or one for all."""
    if BENCH["shared"]:
        return [Outside(dut, ports, "memory_", "memory_", True)]
    asks = (f"{port.name}_" if port.writes else f"{port.name}_req_" for port in ports)
    return [Outside(dut, [port], ask, f"{port.name}_", False) for port, ask in zip(ports, asks, strict=True)]


class Bench:
    """An accelerator and its memories."""

    def __init__(self, dut: Any) -> None:
        Clock(dut.clk, 2, "ns").start()
        self.dut, self.cycle = dut, 0
        self.outputs = {name: [0] * len(words) for name, words in BENCH["outputs"].items()}
        between = {name: [0] * words for name, words in BENCH["between"].items()}
        self.memories = {**BENCH["inputs"], **self.outputs, **between}
        self.ports = [Port(port, self.memories[port["tensor"]]) for port in BENCH["ports"]]
        self.outsides = outsides(dut, self.ports)

    async def cycles(self, **inputs: int) -> None:
        """A cycle with `inputs` at the accelerator's own inputs, 0 at the others."""
        await FallingEdge(self.dut.clk)
        for name in ("rst", "start", "abort"):
            getattr(self.dut, name).value = inputs.get(name, 0)
        for outside in self.outsides:
            outside.drive(self.cycle)
        await ReadOnly()
        for outside in self.outsides:
            outside.observe(self.cycle)
        self.cycle += 1

    async def reset(self) -> None:
        """The accelerator, and with it the other side of its ports."""
        await self.cycles(rst=1)
        for outside in self.outsides:
            outside.reset()

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
