"""The arrays of Interstellar's Table 1, Figure 6 and Table 4, on their RTL."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import halidehw as hl
from halidehw.report.describe import describe

FOLDER = Path(__file__).parents[1] / "examples" / "dataflows"
RUN = runpy.run_path(str(FOLDER / "run.py"))

EXPECTED = {
    "broadcast_columns": ((4, 4), 0.8),
    "channels": ((4, 4), 0.75),
    "line": ((4,), 0.9),
    "os4": ((4,), 0.97),
    "os8": ((8,), 0.96),
    "output_stationary": ((4, 4), 0.8),
    "reduction_tree": ((8,), 0.85),
    "replicated_columns": ((4, 6), 0.6),
    "replicated_rows": ((12, 4), 0.45),
    "row_stationary": ((3, 4), 0.8),
    "systolic_trees": ((8, 4), 0.7),
    "weight_stationary": ((3, 3), 0.8),
    "ws16": ((4, 4), 0.85),
}
"""Design -> its array, and the least part of its PEs' cycles at work; a small layer is long loaded and stored."""

TABLE_4 = {"os4": (32, 32), "os8": (64, 64), "ws16": (64, 32)}
"""Design -> bytes of registers a PE, KB of shared memory."""


def test_every_design_is_tested():
    assert [path.stem for path in RUN["designs"]()] == sorted(EXPECTED)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (at % 2)) for at, name in enumerate(EXPECTED)]
)
def test_hardware_is_right_and_busy(name):
    found = RUN["summary"](FOLDER / f"{name}.py")
    array, least = EXPECTED[name]
    assert found.result.match
    assert found.array == array
    assert found.result.utilization >= least
    if name in TABLE_4:
        registers, memory = TABLE_4[name]
        assert registers / 2 <= found.registers <= registers
        assert memory * 1024 / 2 <= found.memory <= memory * 1024


TRAVELS = {
    "broadcast_columns": ({"x": "shifted", "k": "broadcast"}, {"x": "forwarded", "k": "own lane"}),
    "systolic_trees": ({"c": "own lane", "k": "forwarded"}, {"c": "stationary", "k": "stationary"}),
}
"""Design -> how image and weights get to the lanes of each loop."""


@pytest.mark.parametrize("name", TRAVELS)
def test_systolic_and_broadcast_in_one_array(name):
    facts = describe(hl.compile(hl.load(FOLDER / f"{name}.py")).accelerator)
    assert tuple(operand["travel"] for operand in facts["operands"]) == TRAVELS[name]
    assert len({space["systolic"] for space in facts["array"]}) == 2


def test_a_tree_is_a_node_of_a_systolic_array():
    """Outside, output channels a cycle apart; inside each, a tree over the input channels."""
    outer, inner = describe(hl.compile(hl.load(FOLDER / "systolic_trees.py")).accelerator)["array"]
    assert (outer["loop"], outer["systolic"], outer["reduction"]) == ("k", True, None)
    assert (inner["loop"], inner["systolic"], inner["reduction"]) == ("c", False, "tree")
