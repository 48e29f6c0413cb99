"""Layers with groups, and products of matrices, alone on an array of their own: every bit in hardware, and cycles."""

from __future__ import annotations

import numpy as np
import pytest

from halidehw.driver import simulate
from halidehw.driver.build import built
from halidehw.importers.onnx.network import imported
from halidehw.importers.scheduling import Scheduled, array_of, scheduled
from halidehw.importers.steps import Layer, TrainedNetwork
from tests.importers.nets import Quantised

SHAPES = {
    "channels, ragged lanes": (20, (20, 1, 3, 3), {"group": 20, "pads": [1] * 4}),
    "stride, one row of taps in lanes": (17, (17, 1, 5, 5), {"group": 17, "pads": [2, 1, 2, 2], "strides": [2, 3]}),
    "one tap": (5, (5, 1, 1, 1), {"group": 5}),
    "groups of channels": (9, (15, 3, 3, 3), {"group": 3, "pads": [0, 1, 1, 1]}),
    "filters of one channel each": (6, (18, 1, 3, 3), {"group": 6, "pads": [1] * 4}),
    "groups of one filter": (15, (5, 3, 2, 2), {"group": 5}),
    "groups, many channels": (42, (14, 21, 1, 1), {"group": 2}),
    "groups, stride, dilation": (8, (12, 2, 3, 2), {"group": 4, "strides": [2, 1], "dilations": [1, 2]}),
}  # fmt: skip


FEW = ("stride, one row of taps in lanes", "groups of channels")
"""Those that `make soak` tries with few multipliers too."""
LONG = (
    "channels, ragged lanes", "stride, one row of taps in lanes", "groups, many channels", "groups of one filter",
    "groups of channels", "groups, stride, dilation", "filters of one channel each",
)  # fmt: skip
"""Those that are built longest, with many by `make soak` alone."""
MORE = [*((what, 12) for what in FEW), *((what, 256) for what in LONG)]
SOAKED = [pytest.param(*each, marks=pytest.mark.soak) for each in MORE]


@pytest.mark.parametrize("what, macs", [*((what, 256) for what in SHAPES if what not in LONG), *SOAKED])
def test_every_bit_in_hardware(what: str, macs: int) -> None:
    channels, weights, more = SHAPES[what]
    q = Quantised((1, channels, 7, 9), seed=channels)
    network = imported(q.model(**{q.conv("layer", "image", weights, **more): 4}), "small").network
    check(network, (1, channels, 7, 9), macs)


@pytest.mark.soak
def test_pixels_in_one_row_are_rows() -> None:
    """A row of 3 072 channels and 128 pixels was a tile, of which there is room for some."""
    q = Quantised((1, 13, 24))
    made = q.op("MatMul", "product", q.real("image"), q.weights("weights", (24, 10), 1), scale=0.3)
    check(imported(q.model(**{made: 3}), "small").network, (1, 13, 24), 64)


def check(network: TrainedNetwork, shape: tuple[int, ...], macs: int, op: str = "") -> Scheduled:
    """In hardware, the layer of that `op`, or the only one."""
    (layer,) = (step for step in network.steps if isinstance(step, Layer) and op in ("", step.op))
    image = np.random.default_rng(macs).integers(-128, 128, shape).astype(np.int8)
    found = scheduled(layer, array_of(macs))
    assert found.estimate.pes <= macs
    given = found.layer.arrays(network.evaluate({"image": image}))
    result = simulate(built(found.design, found.options), given, once=True)
    assert result.match and result.cycles == found.estimate.cycles.total
    return found


def test_depthwise_layers_wait_for_their_ports_only() -> None:
    """MobileNetV2's `b4_depth`, whose ports pass 9 408 words each, took 236 758 cycles."""
    q = Quantised((1, 192, 28, 28))
    conv = q.conv("depth", "image", (192, 1, 3, 3), group=192, pads=[1] * 4)
    (layer,) = (step for step in imported(q.model(**{conv: 4}), "one").network.steps if isinstance(step, Layer))
    assert scheduled(layer, array_of(256)).estimate.cycles.total == 11704


def test_products_of_two_tensors_have_lanes_on_two_sides() -> None:
    """A product of BERT's heads took 1 048 635 cycles, a lane for each head."""
    q = Quantised((2, 5, 19))
    turned = q.op("Transpose", "turned", q.real("image"), same="image", perm=[0, 2, 1])
    made = q.op("MatMul", "product", q.real("image"), q.real(turned), scale=0.5)
    network = imported(q.model(**{made: 3}), "small").network
    assert check(network, (2, 5, 19), 64, "QLinearMatMul").estimate.pes > 8


def test_what_is_turned_passes_through_tiles() -> None:
    """Turning heads took a cycle an element."""
    q = Quantised((1, 21, 6, 10))
    turned = q.op("Transpose", "turned", q.real("image"), same="image", perm=[0, 2, 3, 1])
    found = check(imported(q.model(**{turned: 4}), "small").network, (1, 21, 6, 10), 64)
    assert found.estimate.cycles.total < 21 * 6 * 10 / 2
