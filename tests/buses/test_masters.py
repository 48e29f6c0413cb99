"""Accelerators behind one AXI4 master: every word right, whatever the memory does, and every rule of the bus kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from amaranth.sim import Simulator
from cocotb_tools.runner import get_results, get_runner

import halidehw as hl
from halidehw import Func, ImageParam, Int, UInt, Var, cast, i32, simulate
from halidehw.backend_hdl.library import Library
from halidehw.buses.arbiter import ArbiterSpec, ReadArbiter, WriteArbiter
from halidehw.buses.axi import AXI
from halidehw.buses.generate import verilog
from halidehw.buses.masters import MastersSpec
from halidehw.driver.build import design_and_graph
from halidehw.driver.draw import random_inputs
from halidehw.energy_model.cycles import cycles
from halidehw.errors import HalideHWError
from halidehw.expr.types import words_of
from halidehw.microarch.options import Options
from halidehw.simulate import Experiment, Memory, Scenario, simulate_scenarios, simulate_together
from halidehw.simulate.behind import Placement
from halidehw.simulate.scenario import Refused
from halidehw.simulate.words import packed
from tests.fuzz.check import expected
from tests.fuzz.designs import Design
from tests.fuzz.machines import Kind, Layer, func
from tests.hardware.test_machines import engines
from tests.hardware.test_partial_sums import lanes
from tests.hardware.test_wide_stores import XK
from tests.hardware.test_wide_stores import design as wide_stores

x, y = Var("x"), Var("y")
REFUSED: tuple[Refused, ...] = ("reads", "writes", "none")
"""What is answered with an error, run after run."""


@dataclass(frozen=True)
class Case:
    """A design behind a bus; its tensors lie `skew` words beyond what is aligned."""

    design: Design
    bus: AXI
    skew: int = 0

    @property
    def words(self) -> dict[str, np.ndarray]:
        return {name: np.ascontiguousarray(array).reshape(-1) for name, array in self.design.arrays.items()}

    def timed(self, latencies: Iterable[int]) -> Experiment:
        """A run on each of several memories."""
        scenarios = (Scenario(self.words, Memory(latency), name=str(latency)) for latency in latencies)
        return self._of(tuple(scenarios))

    def _of(self, scenarios: tuple[Scenario, ...]) -> Experiment:
        network = self.design.accelerator
        placement = Placement(MastersSpec(network, self.bus).attached, self.skew)
        scenarios = tuple(replace(each, timeout_cycles=50_000) for each in scenarios)
        return Experiment(verilog(network, self.bus), network.interface, scenarios, placement=placement)

    @property
    def experiment(self) -> Experiment:
        words = self.words
        stalls = Memory(7, stall_probability=0.3)
        scenarios = (
            Scenario(words, starts=2),
            Scenario(words, Memory(40, Fraction(1, 3)), onward=True),
            Scenario(words, stalls, abort_at=Fraction(1, 2), starts=3, cuts=3, hold=50, onward=True, name="abort"),
            Scenario(words, stalls, reset_at=Fraction(1, 3), starts=2, cuts=2, name="reset"),
            *(Scenario(words, refuse=way, onward=True, name=way) for way in REFUSED),
        )
        return self._of(scenarios)


def stencil() -> Func:
    """Words of four bits at every alignment, lanes beyond both ends of a row, an output of twelve bits."""
    image, f = ImageParam(UInt(4), 2, "image"), Func("f")
    f[x, y] = cast(Int(12), image[x, y]) * 5 - cast(Int(12), image[x + 1, y + 1]) * image[x + 2, y]
    f.set_bounds([(0, 19), (0, 7)]).vectorize(x, 2)
    image.in_().compute_at(f, y)
    return f


def wide() -> Func:
    """Words of 64 bits, in bursts that end at pages."""
    a, f = ImageParam(Int(64), 1, "a"), Func("f")
    f[x] = a[x] * cast(Int(64), 3)
    f.set_bounds([(0, 611)]).vectorize(x, 8)
    return f


def stages() -> Func:
    """Two stages; words of 32 bits that come one by one."""
    image, g, f = ImageParam(Int(16), 2, "image"), Func("g"), Func("f")
    g[x, y] = image[x, y] * 3
    f[x, y] = i32(g[y, x]) - 7
    f.set_bounds([(0, 9), (0, 6)])
    g.compute_root()
    return f


def returned(width: int = 7, height: int = 5, channels: int = 4, filters: int = 2) -> Func:
    """Partial sums that come back, beside an input in tiles and one in single words."""
    k, co, ci, r = Var("k"), Var("co"), Var("ci"), hl.RDom([(0, 3), (0, 2), (0, channels)])
    a, w, f = ImageParam(Int(8), 3, "a"), ImageParam(Int(8), 4, "w"), Func("f")
    f[x, y, k] += i32(a[x + r.x, y + r.y, r.z]) * w[r.x, r.y, r.z, k]
    f.set_bounds([(0, width), (0, height), (0, filters)])
    f.update().split(r.z, co, ci, 2).reorder(r.x, ci, x, y, r.y, k, co)
    f.in_().compute_at(f, y)
    a.in_().compute_at(f, co)
    return f


CASES = [
    Case(Design(lanes(False), Options(port_bits=64)), AXI(64, burst=4, latency=8), skew=1),
    Case(Design(stencil(), Options(port_bits=16)), AXI(32, burst=3, latency=8), skew=3),
    Case(Design(wide(), Options(port_bits=512)), AXI(512, burst=256), skew=5),
    Case(Design(stages()), AXI(128), skew=1),
    Case(Design(wide_stores(order=XK, x=12, xs=6), Options(port_bits=256)), AXI(256), skew=2),
    Case(Design(returned(2, 2, 6, 1)), AXI(128)),
]
"""Of the last one all sums lie in one beat, which is written and read again."""


def test_behind_a_bus_every_word_is_right_and_errors_are_told():
    """A run with errors is as long as another one, says which ports met them, and the next run is right again."""
    for case, runs in zip(CASES, simulate_together([each.experiment for each in CASES]), strict=True):
        if isinstance(runs, Exception):
            raise runs
        *others, reads, writes, last = runs
        ports = case.design.accelerator.interface.ports
        right = expected(case.design)
        for run in (*others, last):
            for nest in case.design.graph.outputs:
                assert np.array_equal(run.outputs[nest.output.name], words_of(nest.output.type, right[nest.name]))
        assert reads.errors == tuple(port.name for port in ports if port.kind == "read")
        assert writes.errors == tuple(port.name for port in ports if port.kind == "write")
        assert reads.cycles == writes.cycles == last.cycles
        assert last.errors == ()


def test_lists_of_programs_behind_a_bus():
    """Tensors, descriptors and status words of two engines that run side by side share it; each program finds its own,
    in the cycles that are predicted, but for what is on its way when it ends."""
    machine, runs = engines()
    bus = AXI(64, burst=8, latency=20)
    results = machine.simulate(runs, bus=bus)
    assert [result.match for result in results] == [True] * len(runs)
    predicted = machine.estimate([func for func, _ in runs], bus=bus)
    for result, found in zip(results, predicted, strict=True):
        assert result.cycles == pytest.approx(found.run.total, rel=0.01, abs=8)
    for name, of in (("conv", (0, 2, 4)), ("wide", (1, 3))):
        whole = sum(predicted[place].total for place in of)
        assert results[0].counters[f"{name}_cycles"] == pytest.approx(whole, rel=0.01, abs=8)


def test_loads_that_begin_early_behind_a_bus_take_the_predicted_cycles():
    """Each program's, and those of the list, on two memories, the second one without a reset before it."""
    kind = Kind(hl.Int(8), (2, 2), "c", ("x", "r", "s", "c", "y", "k"), ("y", "y"), True, "shift", True)
    layers = Layer(4, 3, 3, 3, 3, 1, 1, 3), Layer(3, 4, 2, 5, 1, 1, 0, 1), Layer(5, 2, 4, 2, 2, 2, 0, 1)
    made = [func(kind, each, f"layer{i}") for i, each in enumerate(layers)]
    machine, bus, funcs = hl.machine(made), AXI(64), [made[i] for i in (1, 0, 2, 2, 1, 0, 0)]
    runs = [(each, random_inputs(design_and_graph(each)[1], seed)) for seed, each in enumerate(funcs)]
    memories = Memory(30), Memory(100)
    lists = [machine.prepared(runs, memory=memory, bus=bus, listed=True) for memory in memories]
    scenarios = tuple(replace(each.experiment.scenarios[0], onward=n > 0) for n, each in enumerate(lists))
    ran = simulate_scenarios(replace(lists[0].experiment, scenarios=scenarios))
    for number, memory in enumerate(memories):
        results = [result(ran[number]) for result, _ in lists[number].read]
        predicted = machine.estimate(funcs, memory=memory, bus=bus, listed=True)
        assert [result.match for result in results] == [True] * len(runs)
        assert [result.cycles for result in results] == [each.run.total for each in predicted]
        assert results[0].counters["cycles"] == sum(each.total for each in predicted)


@pytest.mark.parametrize(("kind", "side"), [(ReadArbiter, "r"), (WriteArbiter, "b")])
def test_slverr_and_decerr_are_errors_and_no_other_response_is(kind: type[ReadArbiter | WriteArbiter], side: str):
    """Of the master whose identifier they have, until the next start."""
    part, told = kind(Library(), ArbiterSpec(2, 8, 1)), list[int]()
    simulator = Simulator(part)
    simulator.add_clock(1e-6)

    async def bench(ctx: Any) -> None:
        for response in range(4):
            for master in range(2):
                ctx.set(part.fresh, 1)
                await ctx.tick()
                ctx.set(part.fresh, 0)
                for name, value in (("valid", 1), ("id", master), ("resp", response)):
                    ctx.set(part[f"{side}_{name}"], value)
                await ctx.tick()
                ctx.set(part[f"{side}_valid"], 0)
                await ctx.tick()
                told.append(ctx.get(part.errors))

    simulator.add_testbench(bench)
    simulator.run()
    assert told == [0, 0, 0, 0, 1, 2, 1, 2]


@pytest.mark.parametrize(("make", "message", "works"), [
    (lambda: AXI(48), "an AXI bus of 48 bits", "AXI(bits=128)"),
    (lambda: AXI(burst=300), "bursts of 300 beats", "AXI(burst=16)"),
    (lambda: simulate(stages(), {"image": np.zeros((9, 6), int)}, bus="ahb"), "no bus is 'ahb'", 'bus="axi4"'),
    (lambda: AXI(burst=1.5), "burst=1.5 of an AXI bus: it is a whole number", "AXI(burst=16)"),
    (lambda: AXI(latency=0), "a latency of 0 cycles", "AXI(latency=50)"),
    (lambda: verilog(CASES[2].design.accelerator, AXI(128)),
     "the port a moves 8 words of 64 bits in a cycle, and the bus is narrower: 128 bits", "bus=AXI(bits=512)"),
    (lambda: hl.estimate(wide(), bus=AXI(128), port_bits=256), "and the bus is narrower: 128 bits", "AXI(bits=256)"),
    (lambda: hl.estimate(stages(), bus=AXI(), memory=Memory(9, 2)),
     "a memory of 2 words a cycle behind a bus: the model has one of a beat a cycle", "Memory(latency=9)"),
])  # fmt: skip
def test_what_no_bus_can_be_is_refused(make, message, works):
    with pytest.raises(HalideHWError) as refused:
        make()
    assert message in str(refused.value)
    assert works in str(refused.value)


@pytest.mark.skipif(not shutil.which("iverilog"), reason="iverilog is not installed: sudo apt-get install iverilog")
def test_a_memory_that_is_not_ours_agrees(tmp_path):
    """Two designs in one simulation, before AXI memories of cocotbext-axi: `bench_masters.py`."""
    pytest.importorskip("cocotbext.axi")
    told, texts, instances = [], [], []
    for number, case in enumerate((CASES[0], CASES[1])):
        prefix = f"case{number}"
        network = replace(case.design, options=replace(case.design.options, prefix=prefix)).accelerator
        texts.append(verilog(network, case.bus))
        told.append({"name": prefix, **_tensors(case)})
        instances.append(f"  {prefix}_axi {prefix} (.ap_clk(clk), .ap_rst_n(rst_n));\n")
    top = f"module both (input wire clk, input wire rst_n);\n{''.join(instances)}endmodule\n"
    (tmp_path / "both.v").write_text("\n".join([top, *texts]))
    (tmp_path / "cases.json").write_text(json.dumps(told))
    runner = get_runner("icarus")
    runner.build(sources=[tmp_path / "both.v"], hdl_toplevel="both", build_dir=tmp_path, timescale=("1ns", "1ns"))
    results = runner.test(hdl_toplevel="both", test_module="tests.buses.bench_masters", build_dir=tmp_path,
                          test_dir=tmp_path, extra_env={"COCOTB_LOG_LEVEL": "WARNING"})  # fmt: skip
    assert get_results(results) == (1, 0)


def _tensors(case: Case) -> dict[str, object]:
    """The bytes of a case's tensors, and of its output after a run."""
    ports = {port.tensor: port for port in case.design.accelerator.interface.ports}
    (nest,) = case.design.graph.outputs
    arrays = {**case.design.arrays, nest.name: expected(case.design)[nest.name]}
    held = {name: packed(ports[name], array.reshape(-1).tolist(), ports[name].unit).hex()
            for name, array in arrays.items()}  # fmt: skip
    right = held[nest.name]
    return {"tensors": held | {nest.name: "00" * (len(right) // 2)}, "output": nest.name, "right": right}


def windows() -> Func:
    """A line buffer; words of eight bits come one by one, and four at once."""
    image, f = ImageParam(UInt(8), 2, "image"), Func("f")
    f[x, y] = i32(image[x, y]) + image[x + 2, y + 1] * 3
    image.in_().store_root().compute_at(f, y)
    return f.set_bounds([(0, 22), (0, 9)])


def product() -> Func:
    """Both operands in tiles, one of them in a ring, results in rows of which the last is shorter."""
    k, ko, ki, r = Var("k"), Var("ko"), Var("ki"), hl.RDom([(0, 40)], "r")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(16), 2, "b"), Func("f")
    f[x, k] += i32(a[r, x]) * b[r, k]
    f.set_bounds([(0, 5), (0, 10)]).update().split(k, ko, ki, 4).reorder(ki, r, x, ko).unroll(ki)
    a.in_().compute_root()
    b.in_().compute_at(f, ko).ring_buffer(3)
    return f


def held() -> Func:
    """Weights that stay in the PEs, and beside them an image, word by word."""
    kind = Kind(Int(8), (4, 4), "c", ("x", "r", "s", "c", "y", "k"), ("", ""), False, "shift", False)
    return func(kind, Layer(w=5, h=3, c=7, k=6, r=2, s=1, p=0, shift=3), "held")


def ahead() -> Func:
    """Registers that are filled while the array waits for weights: tiles of the image are left early."""
    kind = Kind(Int(8), (1, 3), "r", ("k", "r", "c", "x", "y", "s"), ("y", ""), True, "", True)
    return func(kind, Layer(w=8, h=4, c=5, k=2, r=3, s=1, p=1, shift=0), "ahead")


def test_the_model_knows_the_bus():
    """Every cycle of a run, though ports share the bus, bursts wait for further beats, words that lie in two beats for
    the second one, partial sums for responses, and so do the last words."""
    made = ((windows, 16), (product, 128), (partial(lanes, False), 128), (returned, 16), (held, 64))
    check_cycles([Design(make(), Options(port_bits=bits)) for make, bits in made], AXI(128, latency=30), (1, 30, 200))


def test_the_model_knows_what_runs_ahead_of_the_array():
    """Regression: tiles that were left while the array waited were filled again too late, a few cycles in thousands."""
    check_cycles([Design(ahead(), Options())], AXI(128, burst=1, latency=4), (1, 12))


def check_cycles(designs: list[Design], bus: AXI, latencies: tuple[int, ...]) -> None:
    tried = [Case(design, bus).timed(latencies) for design in designs]
    for design, runs in zip(designs, simulate_together(tried), strict=True):
        assert not isinstance(runs, Exception)
        found = [cycles(design.accelerator, Memory(latency), bus).total for latency in latencies]
        assert [run.cycles for run in runs] == found, design
