"""Networks from ONNX files: every tensor of every layer has ONNX Runtime's bits, and so has the hardware."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper, numpy_helper

from halidehw.buses.axi import AXI
from halidehw.cli import main
from halidehw.errors import NetworkError
from halidehw.expr.types import type_of_dtype
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.host.trained import machine_of
from halidehw.importers.building import identifier
from halidehw.importers.lines import line_through
from halidehw.importers.onnx import load_onnx, quantise
from halidehw.importers.onnx.network import Imported, imported
from halidehw.importers.scheduling import in_lanes
from halidehw.importers.steps import Host, View
from halidehw.microarch.options import Options
from halidehw.reference.reference import reference
from halidehw.transfer.kernels import kind, shape_of
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.importers.nets import Quantised, every_kind, samples

ALIKE = {"grouped", "dilated", "cut", "gated"}
"""Layers whose hardware has nothing that others' has not."""


def check(model: onnx.ModelProto, count: int = 3) -> Imported:
    """Every tensor by its own layer, and the outputs, as the runtime has them after all of its optimizations."""
    found = imported(model, "small")
    for feeds in samples(model, count):
        ours, each, whole = found.network.evaluate(feeds), found.every(feeds), found.expected(feeds)
        for name, array in {**each, **whole}.items():
            np.testing.assert_array_equal(ours[name], array, err_msg=name)
    return found


@pytest.mark.parametrize(("kind", "seed"), [(np.int8, 0), (np.uint8, 1)])
def test_a_network_with_layers_of_every_kind(kind: type, seed: int):
    network = check(every_kind(kind, seed)).network
    assert [step.op for step in network.steps] == [
        "QLinearConv", "QLinearConv", "QLinearConv", "QLinearConv", "Slice", "QLinearAdd", "QLinearMul",
        "PRelu", "QLinearLeakyRelu", "QLinearConcat", "MaxPool", "QLinearGlobalAveragePool", "Flatten", "QGemm",
    ]  # fmt: skip
    assert not network.hosted
    assert [step.name for step in network.steps if isinstance(step, View)] == ["flat"]
    macs = {layer.name: layer.macs for layer in network.layers}
    assert (macs["padded"], macs["depthwise"], macs["fc"]) == (4 * 42 * 27, 4 * 9 * 9, 60)


@pytest.mark.soak
def test_its_layers_in_hardware_and_as_texts():
    """The hardware of each, on random inputs and constants; the text of each is the same algorithm."""
    found = imported(every_kind(np.int8), "small")
    feeds = samples(every_kind(np.int8), 1)[0]
    values = found.network.evaluate(feeds)
    for layer in found.network.layers:
        again = reference(parse(write(design_of(layer.func))).output, layer.arrays(values))
        assert isinstance(again, np.ndarray)
        np.testing.assert_array_equal(layer.output.taken(again), values[layer.output.name])
    check_each([Design(layer.func) for layer in found.network.layers if layer.name not in ALIKE])


@pytest.mark.parametrize("same", [False, True])
def test_halves_that_only_floats_see(same: bool):
    """Where scales are simple fractions of each other, many results are halves, or are made halves by a float."""
    q = Quantised((1, 2, 16, 16))
    a = q.op("MaxPool", "a", q.real("image"), same="image", kernel_shape=[1, 1])
    q.grids["image"] = q.grids["a"] = q.grid("input", 0.5, 3)
    q.nodes.clear()
    a = q.op("MaxPool", "a", q.real("image"), same="image", kernel_shape=[2, 1], pads=[0, 0, 1, 0])
    b = q.op("Add", "b", q.real("image"), q.real(a), scale=0.5 if same else 1.0, zero=-1)
    c = q.op("Mul", "c", q.real(b), q.real(a), scale=10.0, zero=5)
    check(q.model(**{c: 4}))


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_all_values_of_one_and_all_pairs_of_two_bytes(kind: type):
    """By the layers' own evaluation: an input of every value, beside itself turned."""
    q = Quantised((1, 1, 256, 1), kind, 5)
    turned = q.op("Transpose", "turned", q.real("image"), same="image", perm=[0, 1, 3, 2])
    names = {op: q.op(op, op.lower(), q.real("image"), q.real(turned), scale=scale)
             for op, scale in (("Add", 0.051), ("Mul", 0.23), ("Sub", 0.047))}  # fmt: skip
    one = {"LeakyRelu": 0.03, "Sigmoid": 1 / 256, "Tanh": 1 / 128, "HardSwish": 0.04, "Relu": 0.02}
    names |= {op: q.op(op, op.lower(), q.real("image"), scale=scale) for op, scale in one.items()}
    found = imported(q.model(**dict.fromkeys(names.values(), 4)), "every")
    assert not found.network.hosted
    info = np.iinfo(kind)
    every = {"image": np.arange(info.min, info.max + 1).astype(kind).reshape(1, 1, 256, 1)}
    ours, right = found.network.evaluate(every), found.expected(every)
    for name, array in right.items():
        assert array.size == (65536 if name in ("add", "mul", "sub") else 256)
        np.testing.assert_array_equal(ours[name], array, err_msg=name)


def test_other_geometries():
    """One and three spatial dimensions, a batch, depth multipliers, automatic padding, and matrices of rows."""
    q = Quantised((2, 3, 9))
    a = q.conv("line", "image", (6, 1, 3), group=3, auto_pad="SAME_LOWER", strides=[2])
    b = q.op("MaxPool", "most", q.real(a), same=a, kernel_shape=[2], ceil_mode=1, strides=[2])
    c = q.op("Transpose", "turned", q.real(b), same=b, perm=[0, 2, 1])
    d = q.op("MatMul", "rows", q.real(c), q.weights("w", (6, 5), 1), scale=0.2)
    e = q.op("MatMul", "both", q.real(d), q.real(q.op("Transpose", "t", q.real(d), same=d, perm=[0, 2, 1])), scale=0.9)
    check(q.model(**{d: 3, e: 3}))
    q = Quantised((1, 2, 3, 4, 5), np.uint8)
    a = q.conv("space", "image", (3, 2, 2, 1, 2), pads=[1, 0, 0, 0, 0, 1])
    b = q.op("Resize", "larger", q.real(a), "", q.hold("factors", np.array([1, 1, 1, 2, 3], np.float32)), same=a,
             mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip
    check(q.model(**{b: 5}))


def test_nodes_have_names_of_their_own():
    """A node without a name is called as what it makes, here as the pool before it, which it quantises again."""
    q = Quantised((1, 2, 4, 4))
    a = q.op("MaxPool", "most", q.real("image"), scale=0.07, kernel_shape=[2, 2])
    b = q.op("Sub", "mo-st", q.real(a), q.real(a), scale=0.05)
    assert [step.name for step in check(q.model(**{a: 4, b: 4})).network.steps] == ["most", "most_2", "mo-st"]
    q = Quantised((1, 2, 4, 4))
    a = q.op("Abs", "a/b", q.real("image"), scale=0.05)
    b = q.op("Abs", "a_b", q.real(a), scale=0.05)
    assert [step.name for step in check(q.model(**{b: 4})).network.steps] == ["a/b", "a_b_2"]


def test_a_layer_called_as_a_loop_or_an_input_is_on_the_machine():
    """One called y was the host's: no hardware could be built for it."""
    q = Quantised((1, 3, 5, 5))
    made = machine_of(check(q.model(**{q.conv("y", "image", (4, 3, 2, 2)): 4}), 1).network, 16, AXI())
    assert not made.network.hosted and not made.apart
    for name in ("y", "v4", "k_o", "before_bias", "bias", "input2", "other"):
        assert identifier(name) == f"layer_{name}"


def test_an_output_that_is_a_constant():
    """It ended in a KeyError."""
    q = Quantised((1, 3, 5, 5))
    q.conv("first", "image", (4, 3, 2, 2))
    model = q.model(first=4)
    model.graph.node.append(helper.make_node("Identity", ["first_w"], ["kept"]))
    model.graph.output.append(helper.make_tensor_value_info("kept", TensorProto.INT8, (4, 3, 2, 2)))
    network = check(model).network
    assert [(step.name, step.reason) for step in network.hosted] == [("kept", "its input 0 is a constant")]


def test_what_is_at_its_end_for_all_bytes():
    """The line through it had a bound of one side only, and an offset of 62 bits from the other, beside lines of other
    channels with more bits after the point. Those of channels that are too far apart have no type."""
    for far, hosted in (("Add", 0), ("Mul", 1)):
        q = Quantised((1, 4, 4))
        held = q.hold("more", np.array([[1e13], [0.123], [-1e13], [-0.271]], np.float32))
        a = q.op(far, "high", q.real("image"), held, scale=0.033, zero=3)
        assert len(check(q.model(**{a: 3})).network.hosted) == hosted


FLOATS = {
    "Relu": ({}, 0.01), "Tanh": ({}, 1 / 128), "HardSwish": ({}, 0.02), "Elu": ({}, 0.03), "Clip": ({}, 0.01),
    "Pad": ({}, 0.02), "Transpose": ({"perm": [0, 3, 2, 1]}, 0.02), "Reshape": ({}, 0.03), "MaxPool":
    ({"kernel_shape": [2, 1]}, 0.02), "PRelu": ({}, 0.02), "BatchNormalization": ({}, 0.04), "Sub": ({}, 0.047),
}  # fmt: skip
"""Operators that ONNX Runtime leaves between floats: their attributes, and the scale of what they give."""


def test_operators_between_floats_are_functions_of_bytes():
    """Each alone after one convolution; only tables that requantise stand beside them."""
    q = Quantised((1, 3, 6, 5))
    a, found = q.conv("first", "image", (4, 3, 2, 2)), {}
    more = {
        "Clip": [np.float32(-0.3), np.float32(0.9)], "Pad": [np.array([0, 0, 1, 0, 0, 0, 0, 2])],
        "Reshape": [np.array([1, 2, 2, 5, 4])], "PRelu": [q.rng.normal(size=(4, 1, 1)).astype(np.float32)],
        "BatchNormalization": [q.rng.random(4).astype(np.float32) + 0.5 for _ in range(4)],
    }  # fmt: skip
    for op, (attributes, scale) in FLOATS.items():
        held = [q.hold(f"{op}_{number}", array) for number, array in enumerate(more.get(op, []))]
        second = [q.real(found["Tanh"])] if op == "Sub" else []
        found[op] = q.op(op, op.lower(), q.real(a), *second, *held, scale=scale, **attributes)
    ranks = {name: 4 for name in found.values()} | {"reshape": 5}
    network = check(q.model(**ranks)).network
    assert not network.hosted
    assert {step.op for step in network.layers} == {*FLOATS, "QLinearConv", "QuantizeLinear", "HardSigmoid+Mul"} - {
        "HardSwish"}  # fmt: skip
    assert {layer.name: len(layer.constants) for layer in network.layers if layer.op in ("PRelu", "Sub", "Tanh")} == {
        "prelu": 4, "sub": 0, "tanh": 0}  # fmt: skip


@pytest.mark.parametrize("kind", [pytest.param(np.int8, marks=pytest.mark.soak), np.uint8])
def test_average_pools(kind: type):
    """A window that is the whole image is a sum of integers in the runtime; in others no order of floats decides a
    half, of thirds and sevenths, or the floats are computed: of halves, and of windows that are smaller at the border,
    by how many elements they have."""
    for size, window, more in (((4, 4), (4, 4), {}), ((3, 7), (3, 7), {}), ((5, 4), (3, 3), {}), ((9, 7), (7, 3), {}),
                               ((3, 4), (3, 3), {"pads": [1, 0, 1, 1], "count_include_pad": 1}),
                               ((8, 6), (2, 2), {"strides": [2, 2]}), ((4, 4), (4, 3), {}),
                               ((5, 4), (2, 3), {"pads": [1, 0, 0, 1], "strides": [2, 1], "ceil_mode": 1}),
                               ):  # fmt: skip
        q = Quantised((2, 20, *size), kind, sum(size))
        mean = q.op("AveragePool", "mean", q.real("image"), same="image", kernel_shape=window, **more)
        assert not check(q.model(**{mean: 4})).network.hosted, window


def test_more_moves_of_bytes():
    """Parts, repeats, squares of pixels, rows of indices, and steps backwards past both ends."""
    q = Quantised((1, 8, 4, 6))
    held = {name: [q.hold(f"{name}{at}", np.array(each)) for at, each in enumerate(arrays)] for name, arrays in {
        "Tile": [[1, 2, 1, 3]], "Expand": [[2, 1, 8, 4, 6]], "Gather": [[6, 4, 2]], "Slice":
        [[-1, 10], [-99, 0], [1, 3], [-1, -2]], "Split": [[3, 1, 4]],
    }.items()}  # fmt: skip
    kept = {"same": "image"}
    names = [q.op(op, op.lower(), q.real("image"), *held.get(op, []), **kept, **more) for op, more in (
        ("Tile", {}), ("Expand", {}), ("Gather", {"axis": 1}), ("Slice", {}), ("SpaceToDepth", {"blocksize": 2}),
        ("DepthToSpace", {"blocksize": 2}))]  # fmt: skip
    names.append(q.op("DepthToSpace", "crd", q.real("image"), blocksize=2, mode="CRD", **kept))
    parts = [f"part{at}" for at in range(3)]
    floats = [f"{part}_f" for part in parts]
    q.nodes.append(helper.make_node("Split", [q.real("image"), *held["Split"]], floats, axis=1))
    for part, each in zip(parts, floats, strict=True):
        q.nodes.append(helper.make_node("QuantizeLinear", [each, *q.grids["image"]], [part]))
    network = check(q.model(**dict.fromkeys(names, 4) | {"expand": 5} | dict.fromkeys(parts, 4))).network
    assert not network.hosted and len(network.layers) == 10
    assert ".unroll(z, 2)" in in_lanes(next(each for each in network.layers if each.name == "crd"), Options(128))


def test_lanes_are_as_many_as_loops_can_be_taken_apart_for():
    """Of 12 channels that are 2 x 2 x 3, not 8; refused, that stopped the network."""
    q = Quantised((1, 3, 4, 6))
    a = q.op("SpaceToDepth", "squares", q.real("image"), same="image", blocksize=2)
    assert ".unroll(z, 6)" in in_lanes(check(q.model(**{a: 4})).network.layers[0], Options(64))


@pytest.mark.soak
def test_averages_of_floats_and_moves_in_hardware():
    """Halves with each neighbour and scale for themselves, windows of four sizes, squares of pixels, and backwards."""
    q = Quantised((1, 4, 5, 4))
    a = q.op("AveragePool", "halves", q.real("image"), same="image", kernel_shape=[1, 2], strides=[2, 1])
    b = q.op("AveragePool", "sizes", q.real("image"), scale=0.021, kernel_shape=[2, 2], pads=[1, 0, 0, 1])
    c = q.op("DepthToSpace", "squares", q.real("image"), same="image", blocksize=2)
    back = [q.hold(f"back{at}", np.array([each])) for at, each in enumerate((-1, -99, 3, -1))]
    d = q.op("Slice", "back", q.real("image"), *back, same="image")
    found = check(q.model(**dict.fromkeys((a, b, c, d), 4))).network
    assert sorted(len(layer.constants) for layer in found.layers) == [0, 0, 0, 1]
    check_each([Design(layer.func) for layer in found.layers])


def test_what_crosses_to_the_host_and_why():
    q = Quantised((1, 3, 7, 7))
    a = q.conv("first", "image", (4, 3, 3, 3))
    b = q.op("AveragePool", "mean", q.real(a), same=a, kernel_shape=[5, 4])
    c = q.op("Softmax", "last", q.real(b), scale=1 / 256, zero=-128, axis=1)
    network = check(q.model(**{c: 4})).network
    assert [(step.name, step.reason) for step in network.hosted] == [
        ("mean", "QLinearAveragePool adds floats one after the other, and of 5101 sums 255 are so near a half that "
                 "what each rounds decides"),
        ("last", "QLinearSoftmax divides by a sum of floats"),
    ]
    assert [tensor.name for tensor in network.crossing] == ["image", "first"]


def test_a_line_is_the_one_of_fewest_bits():
    a, b = (each.ravel() for each in np.meshgrid(np.arange(-128, 128), np.arange(-128, 128)))
    right = np.clip(np.floor(0.3017 * a - 0.5513 * b + 0.71), -128, 127).astype(np.int8)
    line = line_through([a, b], [0.3017, -0.5513], right)
    assert line is not None and line.kind == type_of_dtype(np.dtype(np.int8))
    found = (line.factors[0] * a + line.factors[1] * b + line.offset) >> line.shift
    np.testing.assert_array_equal(np.clip(found, -128, 127), right)
    assert line_through([a, b], [0.3017, -0.5513], np.rint(a / 2).astype(np.int8)) is None
    for steep in (1e30, np.inf, np.nan):
        assert line_through([a, b], [0.3, steep], right) is None


def test_a_network_of_floats_is_quantised_from_examples(tmp_path: Path):
    rng = np.random.default_rng(1)
    held = [numpy_helper.from_array(rng.normal(size=shape).astype(np.float32), name)
            for name, shape in (("w", (4, 1, 3, 3)), ("v", (64, 3)))]  # fmt: skip
    steps = [helper.make_node("Conv", ["x", "w"], ["a"], name="conv"), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Flatten", ["b"], ["c"]),
             helper.make_node("Gemm", ["c", "v"], ["y"], name="fc")]  # fmt: skip
    graph = helper.make_graph(steps, "floats", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 6, 6))],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 3))], held)  # fmt: skip
    file = tmp_path / "floats.onnx"
    for opset in (8, 17):
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9), file)
        with pytest.raises(NetworkError, match="it has to be quantised, with examples of x"):
            load_onnx(file)
    with pytest.raises(NetworkError, match="examples of its inputs, and none is given"):
        quantise(file, tmp_path / "no.onnx", [])
    examples = [{"x": rng.random((1, 1, 6, 6)).astype(np.float32)} for _ in range(4)]
    with pytest.raises(NetworkError, match=r"cannot write the network .*/none/no.onnx: No such file"):
        quantise(file, tmp_path / "none" / "no.onnx", examples)
    found = load_onnx(quantise(file, tmp_path / "quantised.onnx", examples))
    assert [step.op for step in found.network.layers] == ["QLinearConv", "Flatten", "QGemm"]
    assert all(isinstance(step, Host) for step in (found.network.steps[0], found.network.steps[-1]))
    for each in examples:
        whole = found.expected(each)
        np.testing.assert_array_equal(found.network.evaluate(each)["y"], whole["y"])
    assert not list(tmp_path.glob("no*"))




def test_its_sums_are_kernels_for_schedules_of_other_networks(tmp_path: Path):
    onnx.save(every_kind(np.int8), tmp_path / "small.onnx")
    network = load_onnx(tmp_path / "small.onnx").network.kernels
    found = {layer.name: (kind(layer), layer.extents, shape_of(layer).stride) for layer in network.layers}
    assert found == {
        "padded": ("convolution", (1, 1, 4, 3, 7, 6, 3, 3, 1, 1), 1),
        "depthwise": ("depthwise convolution", (1, 4, 1, 1, 3, 3, 3, 3, 1, 1), 2),
        "grouped": ("grouped pointwise", (1, 2, 3, 2, 3, 3, 1, 1, 1, 1), 1),
        "dilated": ("convolution", (1, 1, 6, 4, 3, 3, 2, 3, 1, 1), 2),
        "fc": ("product", (1, 1, 5, 12, 1, 1, 1, 1, 1, 1), 1),
    }
    given = ["transfer", "--network", str(tmp_path / "small.onnx"), "--bank", str(tmp_path)]
    ended = CliRunner().invoke(main, given)
    assert ended.exit_code == 2
    classes = "convolution, depthwise convolution, grouped pointwise, product"
    assert f"no layer of small ({classes}) has a class in the bank" in ended.stderr


def test_a_network_without_sums_has_no_kernels():
    q = Quantised((1, 3, 7, 6))
    pooled = q.op("MaxPool", "pooled", q.real("image"), same="image", kernel_shape=[2, 2])
    with pytest.raises(NetworkError, match="small has no convolution and no matrix product by constants, but MaxPool"):
        _ = imported(q.model(**{pooled: 4}), "small").network.kernels
