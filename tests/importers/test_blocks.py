"""Blocks of a network: which layers are one, that each gives what its layers give, and one machine that runs all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from onnx import helper

from halidehw.buses.axi import AXI
from halidehw.host.runtime import Runtime
from halidehw.host.trained import machine_of, predicted, run
from halidehw.importers.blocks import Block, blocks_of
from halidehw.importers.onnx.network import Imported, imported
from halidehw.importers.scheduling import together
from halidehw.importers.steps import TrainedNetwork
from halidehw.importers.tiling import Array, Order, Work, array_of, can_join, tiles_of
from halidehw.importers.together import form_of
from halidehw.importers.together import together as joint
from halidehw.simulate import Memory
from tests.importers.nets import Quantised


@pytest.fixture(scope="module")
def found() -> Imported:
    """A convolution, a depthwise and a pointwise one whose result is added to a shortcut, the mean of
    each channel, and a dense layer."""
    q = Quantised((1, 3, 6, 8))
    a = q.conv("first", "image", (8, 3, 3, 3), pads=[1, 1, 1, 1], strides=[2, 2], relu=True)
    b = q.conv("depth", a, (8, 1, 3, 3), group=8, pads=[1, 1, 1, 1])
    c = q.conv("point", b, (4, 8, 1, 1))
    d = q.conv("short", a, (4, 8, 1, 1))
    e = q.op("Add", "sum", q.real(c), q.real(d), scale=0.1, zero=3)
    f = q.op("AveragePool", "mean", q.real(e), same=e, kernel_shape=[3, 4])
    g = q.op("Flatten", "flat", q.real(f), same=f)
    w = q.weights("last_w", (3, 4), 0)
    h = q.op("Gemm", "last", q.real(g), w, q.bias("last_b", g, w, 3), scale=0.2, transB=1)
    return imported(q.model(**{h: 2}), "small")


def blocks(network: TrainedNetwork) -> list[Block]:
    return [step for step in blocks_of(network.folded) if isinstance(step, Block)]


def inputs(network: TrainedNetwork) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {each.name: rng.integers(-128, 128, each.shape, np.int8) for each in network.inputs}


def test_which_layers_are_one(found: Imported):
    """The sum belongs to the later of the convolutions that it reads; what is read elsewhere too stays a tensor. A mean
    is the stage before a dense layer, where there is such a stage."""
    network = found.network.folded
    assert [each.name for each in blocks_of(network)] == ["first", "depth+point", "short+sum", "mean+last"]
    shorter = replace(network, outputs=("depth", "short"))
    assert [each.name for each in blocks_of(shorter)] == ["first", "depth", "short", "point+sum", "mean+last"]
    ends = replace(network, steps=network.steps[-2:])
    assert [each.name for each in blocks_of(ends)] == ["mean", "last"]


def test_each_block_gives_what_its_layers_give(found: Imported):
    network = found.network
    values = network.evaluate(inputs(network))
    made = together(blocks(network), 96, AXI(), Memory(10))
    assert len(made) == 4
    for block, placed in made.items():
        assert np.array_equal(placed.layer.run(values)[0], values[block.output.name]), block.name


def test_rows_of_images_whose_channels_lie_together_are_no_row_of_pixels():
    """A product along the columns of an image gave what was none of its sums, as part of a block; one along those of
    three dimensions, or of one channel, is."""
    for shape, is_block in (((1, 2, 2, 7), False), ((1, 1, 2, 7), True), ((2, 2, 7), True)):
        q = Quantised(shape)
        a = q.op("MatMul", "rows", q.real("image"), q.weights("w", (7, 5), 1), scale=0.2)
        network = imported(q.model(**{a: len(shape)}), "rows").network
        assert bool(blocks(network)) is is_block
        values = network.evaluate(inputs(network))
        for block, placed in together(blocks(network), 16, AXI(), Memory(10)).items() if is_block else ():
            assert np.array_equal(placed.layer.run(values)[0], values[block.output.name]), shape


def test_columns_in_parts_are_the_same_layer(found: Imported):
    """As many parts as columns where the array's do not divide them, joined or not."""
    own = blocks(found.network)
    values, form, wide = found.network.evaluate(inputs(found.network)), form_of(own), Array(9, 4, parts=3)
    for block in own:
        for joined in {False, can_join(block)}:
            layer = joint(block, form, joined, wide.parts_of(block)).layer
            assert np.array_equal(layer.run(values)[0], values[block.output.name]), (block.name, joined)
    assert [wide.parts_of(block) for block in own] == [4, 4, 4, 1]


def test_the_array_and_the_tiles_are_searched(found: Imported):
    """The channels of a stage before are side by side with its taps; few channels are joined with the taps of a row;
    few filters leave lanes to other columns."""
    own = blocks(found.network)
    array = array_of(own, 96, 16)
    assert array.pes <= 96 and array.groups == 8 and array.across == 4 and array.parts == 2
    assert tiles_of(own[0], Array(9, 8), 16)[0].joined and tiles_of(own[0], array, 16)[0].joined
    assert array_of([own[0]], 72, 16) == Array(9, 8)


def test_the_order_of_loops_is_searched(found: Imported):
    """Weights of some filters stay while all rows pass, if there is room for them; with as many lanes as a word of the
    port has, sums may be held while weights of other channels come in."""

    def wide(channels: int) -> list[Block]:
        q = Quantised((1, channels, 4, 4))
        q.conv("wide", "image", (16, channels, 3, 3), pads=[1, 1, 1, 1])
        return blocks(imported(q.model(wide=4), "wide").network)

    assert array_of(blocks(found.network), 96, 16).order == "kept"
    assert [array_of(wide(16), macs, 8).order for macs in (64, 128)] == ["held", "streamed"]
    orders: tuple[Order, ...] = ("streamed", "held", "kept")
    assert [Work(wide(1024)[0], Array(16, 8, order=order), False, 8).fits(1) for order in orders] == [True, True, False]


@pytest.mark.soak
def test_one_machine_runs_all_blocks(found: Imported):
    """Every tensor in RTL, and the cycles that the model says."""
    bus, memory = AXI(64), Memory(10)
    made = machine_of(found.network, 96, bus, memory)
    assert len(made.machine.engines) == 1 and made.machine.hardware.pes <= 96
    values = found.network.evaluate(inputs(found.network))
    ran = run(made, Runtime(made.machine, bus, memory), inputs(found.network))
    assert not ran.wrong and all(np.array_equal(ran.values[name], values[name]) for name in ran.values)
    said = predicted(made, bus, memory)
    assert sum(said.cycles.values()) == pytest.approx(sum(ran.cycles.values()), rel=0.03)
    assert said.total == pytest.approx(ran.total, rel=0.03)


def test_sums_are_held_on_a_machine():
    """Channels and rows that end ragged in lanes and tiles, in RTL."""
    q = Quantised((1, 16, 4, 4))
    a = q.conv("wide", "image", (10, 16, 3, 3), pads=[1, 1, 1, 1])
    q.conv("wider", a, (16, 10, 3, 3), pads=[1, 1, 1, 1], strides=[2, 2])
    network, bus, memory = imported(q.model(wider=4), "wide").network, AXI(64), Memory(10)
    assert array_of(blocks(network), 64, 8).order == "held"
    made = machine_of(network, 64, bus, memory)
    values, ran = network.evaluate(inputs(network)), run(made, Runtime(made.machine, bus, memory), inputs(network))
    assert not made.apart and not ran.wrong
    assert all(np.array_equal(ran.values[name], values[name]) for name in ran.values)
    assert predicted(made, bus, memory).total == pytest.approx(ran.total, rel=0.01)


def test_energy_where_a_word_of_a_port_has_nine_bits():
    """Weights less their zero points, of which a port has eight side by side; it ended as one of 72 bits."""
    q = Quantised((3, 8, 1, 3), np.uint8)
    w = q.hold("w", np.array([0, 255] * 28, np.uint8).reshape(7, 8, 1, 1))
    given = [w, q.hold("w_scale", np.float32(0.01)), q.hold("w_zero", np.array(100, np.uint8))]
    q.nodes.append(helper.make_node("DequantizeLinear", given, ["w_real"]))
    a = q.op("MaxPool", "most", q.real("image"), same="image", kernel_shape=[1, 1], strides=[1, 2])
    a = q.op("Conv", "made", q.real(a), "w_real", scale=0.2)
    machine = machine_of(imported(q.model(**{a: 4}), "nine").network, 64, AXI(), Memory(10))
    assert (8, 9) in [(port.lanes, port.bits) for port in machine.machine.hardware.interface.ports]
    assert machine.energy_pj("most") > 0
