"""Every workload on the simulated hardware: several tiles, ragged at both ends, at the extremes of its types."""

from __future__ import annotations

import pytest

from halidehw import Int, UInt
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.hardware.workloads import convolution, gates, pointwise, pooling, product, rectified, requantised

WORKLOADS = {
    "convolution": convolution,
    "strided": lambda: convolution(stride=2),
    "dilated": lambda: convolution(dilation=2),
    "padded": lambda: convolution(padding="zero"),
    "strided_padded_at_the_edge": lambda: convolution(padding="edge", stride=2),
    "grouped": lambda: convolution(groups=2),
    "depthwise": lambda: convolution(depthwise=True, padding="zero"),
    "int16": lambda: convolution(Int(16), Int(16)),
    "product": product,
    "batched_product": lambda: product(batch=3),
    "product_of_int4_and_uint8": lambda: product(Int(4), UInt(8), Int(24)),
    "product_of_int32": lambda: product(Int(32), Int(32)),
    "product_of_odd_widths": lambda: product(Int(5), UInt(11), Int(19)),
    "gates": gates,
    "largest_of_a_window": lambda: pooling(average=False),
    "average_of_a_window": lambda: pooling(average=True),
    "pointwise": pointwise,
    "requantised": requantised,
    "rectified": rectified,
}


GROUPS = 4
"""Workloads that share a build are every fourth."""


@pytest.mark.parametrize("group", [0, *(pytest.param(group, marks=pytest.mark.soak) for group in range(1, GROUPS))])
def test_workloads(group: int):
    """All inputs at their least value, at their greatest, and at random under stalls, twice in a row."""
    check_each([design for name in list(WORKLOADS)[group::GROUPS] for design in runs(name)])


def runs(name: str) -> list[Design]:
    func = WORKLOADS[name]()
    options = Options(port_bits=32 if len(name) % 2 else 0)
    stalls = Memory(latency=7, stall_probability=0.3, stall_seed=1)
    return [
        Design(func, options, fill="least"),
        Design(func, options, fill="greatest"),
        Design(func, options, stalls, starts=2),
    ]
