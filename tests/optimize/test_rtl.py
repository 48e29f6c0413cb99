"""The optimum, generated and simulated: its result is right, and its counters are the prediction."""

import pytest

from halidehw.driver import compile, simulate
from halidehw.driver.arrays import random_inputs
from halidehw.energy_model.architecture import Architecture, Level
from halidehw.energy_model.counts import INPUT, OUTPUT, WEIGHT, exact
from halidehw.energy_model.layer import parse_layer
from halidehw.energy_model.mapping import tiling
from halidehw.frontend.text import parse
from halidehw.scheduler.optimize import optimize

ARCH = Architecture(
    "small", "none", "none", 16, (2, 2),
    (
        Level("RF", "register_file", 48, 0.12, 2),
        Level("SRAM", "sram", 400, 6.0, 2),
        Level("DRAM", "dram", None, 200.0),
    ),
    hop=0.035, mac=0.075,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "dataflow"),
    [
        ("ox=4 oy=4 c=4 k=8 fx=3 fy=3 b=2", "C | K"),
        ("k=16 c=16 b=8", "C | K"),
        ("ox=8 oy=8 c=4 k=4 groups=4 fx=3 fy=3", "X | Y"),
    ],
    ids=["conv", "gemm", "depthwise"],
)
def test_the_hardwares_counters_are_the_prediction(text, dataflow):
    layer = parse_layer(text)
    best = optimize(layer, ARCH, dataflow)
    counts = exact(tiling(layer, best.mapping), ARCH.pe_levels)
    hardware = compile(parse(best.schedule))
    run = simulate(hardware, random_inputs(hardware.nest, seed=5))
    assert (run.outputs == run.expected).all()
    assert run.counters["steps"] == best.cycles
    assert run.counters["input_words"] == counts.reads[-1, INPUT, 0]
    assert run.counters["weight_words"] == counts.reads[-1, WEIGHT, 0]
    assert run.counters["output_words"] == counts.writes[-1, OUTPUT, 0]
