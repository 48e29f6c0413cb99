"""Files that are no quantised network, and what is given to one that is none of its inputs: one line each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, external_data_helper, helper, numpy_helper

from halidehw.errors import NetworkError
from halidehw.importers.onnx import check, load_onnx
from halidehw.importers.onnx.network import imported
from tests.importers.nets import Quantised


def small() -> onnx.ModelProto:
    q = Quantised((1, 2, 4, 4))
    return q.model(**{q.conv("first", "image", (3, 2, 3, 3)): 4})


def refused(file: Path, message: str, *legal: str, **options: object) -> None:
    with pytest.raises(NetworkError) as caught:
        load_onnx(file, **options)
    assert (caught.value.message, caught.value.legal) == (message, legal)


def saved(tmp_path: Path, change: Callable[[onnx.ModelProto], object]) -> Path:
    model, file = small(), tmp_path / "net.onnx"
    change(model)
    onnx.save(model, file)
    return file


def test_files_that_are_none(tmp_path: Path):
    refused(tmp_path / "none.onnx", f"cannot read the network {tmp_path}/none.onnx: No such file or directory")
    file = tmp_path / "empty.onnx"
    file.write_bytes(b"")
    refused(file, f"{file} is empty")
    file.write_bytes(small().SerializeToString()[:400])
    refused(file, f"{file} is no ONNX file, or not all of one")
    file.write_bytes(b"\x08\x09")
    refused(file, f"{file} is no ONNX file, or has no nodes")
    for name in (b"Conv", b"image"):
        file.write_bytes(small().SerializeToString().replace(name, b"\xff" + name[1:]))
        refused(file, f"{file} is damaged: a name in it is no text")
    with file.open("wb") as sparse:
        sparse.truncate((2 << 30) + 1)
    refused(file, f"{file} has 2147483649 bytes, more than 2147483648, which an ONNX file may have")


def test_an_opset_without_quantised_operators(tmp_path: Path):
    file = saved(tmp_path, lambda model: setattr(model.opset_import[0], "version", 9))
    refused(file, f"{file} has opset 9, older than quantised operators, 10",
            "onnx.version_converter.convert_version(model, 13)")  # fmt: skip
    file = saved(tmp_path, lambda model: setattr(model.opset_import[0], "version", 999))
    newest = onnx.defs.onnx_opset_version()
    refused(file, f"{file} has opset 999, and {newest} is the newest that is known",
            f"onnx.version_converter.convert_version(model, {newest})")  # fmt: skip


def test_operators_that_the_runtime_does_not_have(tmp_path: Path):
    """It said so without the name of the node."""
    def more(model: onnx.ModelProto) -> None:
        model.graph.node.append(helper.make_node("Nothing", ["first"], ["last"], name="odd", domain="nobody"))
        model.opset_import.append(helper.make_opsetid("nobody", 1))

    file = saved(tmp_path, more)
    refused(file, "ONNX Runtime has no such operators, so the host has none either: nobody.Nothing odd",
            f'onnx.utils.extract_model("{file}", "part.onnx", inputs, [\'first\'])')  # fmt: skip


def test_a_shape_that_is_left_open(tmp_path: Path):
    def opened(model: onnx.ModelProto) -> None:
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"

    file = saved(tmp_path, opened)
    refused(file, "the shape of the input image is left open: (batch, 2, 4, 4)", "--shape image=1,2,4,4")
    refused(file, "the network has no input photo; it has image", shapes={"photo": (1, 2, 4, 4)})
    refused(file, "the input image has 4 dimensions, the shape given has 2", shapes={"image": (2, 4)})
    refused(file, "the input image is given the shape (0, 2, 4, 4), which has no elements", "--shape image=1,2,4,4",
            shapes={"image": (0, 2, 4, 4)})  # fmt: skip
    refused(file, "the input image of shape (1, 2, 4, 9223372036854775808) has more elements than memory can hold",
            shapes={"image": (1, 2, 4, 1 << 63)})  # fmt: skip
    assert load_onnx(file, {"image": (2, 2, 4, 4)}).network.inputs[0].shape == (2, 2, 4, 4)


def test_scales_and_zero_points(tmp_path: Path):
    def changed(name: str, array: np.ndarray) -> Callable[[onnx.ModelProto], None]:
        def change(model: onnx.ModelProto) -> None:
            held = next(each for each in model.graph.initializer if each.name == name)
            held.CopyFrom(numpy_helper.from_array(array, name))

        return change

    file = saved(tmp_path, changed("image_scale", np.float32(-0.5)))
    refused(file, "DequantizeLinear image_real: its scale is -0.5, not positive")
    file = saved(tmp_path, changed("first_w_scale", np.full(2, 0.1, np.float32)))
    refused(file, "DequantizeLinear first_w_real: 2 scales and 3 zero points; it has one of each, or one of each for "
            "every channel")  # fmt: skip


def test_scales_that_are_missing_and_zero_points_of_another_type(tmp_path: Path):
    def nameless(model: onnx.ModelProto) -> None:
        model.graph.node[0].input[1] = ""

    def nowhere(model: onnx.ModelProto) -> None:
        model.graph.initializer.remove(next(each for each in model.graph.initializer if each.name == "first_scale"))

    def other(model: onnx.ModelProto) -> None:
        held = next(each for each in model.graph.initializer if each.name == "first_w_zero")
        held.CopyFrom(numpy_helper.from_array(np.zeros(3, np.uint8), held.name))

    def wide(model: onnx.ModelProto) -> None:
        held = next(each for each in model.graph.initializer if each.name == "first_zero")
        held.CopyFrom(numpy_helper.from_array(np.array(1000), held.name))

    scale = 'model.graph.initializer.append(numpy_helper.from_array(np.float32(0.1), "scale"))'
    refused(saved(tmp_path, nameless), "DequantizeLinear first_w_real has no scale", scale)
    refused(saved(tmp_path, nowhere),
            "QuantizeLinear first has no scale: nothing in the network is called first_scale", scale)  # fmt: skip
    refused(saved(tmp_path, other), "DequantizeLinear first_w_real: its zero point first_w_zero is uint8, and what it "
            "reads, first_w, is int8", 'numpy_helper.from_array(zero.astype(np.int8), "first_w_zero")')  # fmt: skip
    refused(saved(tmp_path, wide), "QuantizeLinear first: its zero point first_zero is int64, no type of quantised "
            "values", 'numpy_helper.from_array(zero.astype(np.int8), "first_zero")')  # fmt: skip


def test_a_bias_in_other_units_than_its_products_is_the_hosts_and_says_so():
    model = small()
    held = next(each for each in model.graph.initializer if each.name == "first_b_scale")
    held.CopyFrom(numpy_helper.from_array(np.full(3, 0.5, np.float32), held.name))
    (step,) = (each for each in imported(model, "small").network.hosted if each.op == "Conv")
    assert step.reason.startswith("its bias is in units of 0.5 and its products of 5.692e-05: ")
    assert step.reason.endswith("the bias first_b_real has to have the scale of its input times that of its weights")


def test_weights_outside(tmp_path: Path):
    def moved(place: str) -> Callable[[onnx.ModelProto], None]:
        def change(model: onnx.ModelProto) -> None:
            held = next(each for each in model.graph.initializer if each.name == "first_w")
            external_data_helper.set_external_data(held, place, length=54)
            held.ClearField("raw_data")
            held.data_location = onnx.TensorProto.EXTERNAL

        return change

    file = tmp_path / "net.onnx"
    for place, message in (
        ("", f"the weights of first_w are outside {file}, which does not say in what file"),
        ("weights.bin", f"the weights of first_w are in weights.bin, which is missing beside {file}"),
        ("../weights.bin", f"the weights of first_w are in ../weights.bin, outside the folder of {file}"),
    ):
        model = small()
        moved(place)(model)
        file.write_bytes(model.SerializeToString())
        refused(file, message)
    model = small()
    moved("weights.bin")(model)
    file.write_bytes(model.SerializeToString())
    (tmp_path / "weights.bin").write_bytes(np.arange(54, dtype=np.int8).tobytes())
    weights = load_onnx(file).network.layers[0].constants["weight"]
    assert weights.transpose(2, 3, 0, 1).ravel().tolist() == list(range(54))


def test_inputs_that_do_not_fit():
    network = imported(small(), "small").network
    for given, message, legal in (
        ({}, "the network's input image is not given",
         'network.evaluate({"image": np.zeros((1, 2, 4, 4), np.int8)})'),
        ({"image": np.zeros((1, 2, 4, 4), np.float32)}, "the network's input image is int8 of shape (1, 2, 4, 4), "
         "the array given is float32 of shape (1, 2, 4, 4)", "array.astype(np.int8)"),
        ({"image": np.zeros((1, 4, 4, 2), np.int8)}, "the network's input image is int8 of shape (1, 2, 4, 4), "
         "the array given is int8 of shape (1, 4, 4, 2)", "array.transpose(0, 3, 1, 2)"),
        ({"image": np.zeros((2, 4, 4), np.int8)}, "the network's input image is int8 of shape (1, 2, 4, 4), "
         "the array given is int8 of shape (2, 4, 4)", "array.reshape((1, 2, 4, 4))"),
    ):  # fmt: skip
        with pytest.raises(NetworkError) as caught:
            network.evaluate(given)
        assert (caught.value.message, caught.value.legal) == (message, (legal,))


def test_what_the_runtime_refuses():
    model = small()
    model.graph.node.append(helper.make_node("Nothing", ["first"], ["last"], domain="nobody"))
    with pytest.raises(NetworkError, match=r"ONNX Runtime refuses the network: .*nobody"):
        imported(model, "small")


def test_what_the_runtime_refuses_says_which_node_though_it_has_no_name():
    """It was `node ()`."""
    model = small()
    model.graph.node.append(helper.make_node("Add", ["image", "first_f"], ["odd"]))
    with pytest.raises(NetworkError, match=r"ONNX Runtime refuses the network: .*different types.* node \(odd\)"):
        imported(model, "small")


def test_what_is_no_tensor_or_no_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Inputs of other kinds, sparse weights, places in a file that are none, and tensors beyond all memory."""
    def typed(model: onnx.ModelProto) -> None:
        model.graph.input[0].type.tensor_type.elem_type = 99

    def sparse(model: onnx.ModelProto) -> None:
        (held,) = (each for each in model.graph.initializer if each.name == "first_w")
        weights = numpy_helper.to_array(held)
        places = numpy_helper.from_array(np.arange(weights.size), "places")
        whole = helper.make_sparse_tensor(numpy_helper.from_array(weights.ravel(), "first_w"), places, weights.shape)
        model.graph.initializer.remove(held)
        model.graph.sparse_initializer.append(whole)

    def placed(model: onnx.ModelProto) -> None:
        (held,) = (each for each in model.graph.initializer if each.name == "first_w")
        held.data_location = TensorProto.EXTERNAL
        held.external_data.extend(onnx.StringStringEntryProto(key=key, value=value) for key, value in
                                  (("location", "net.onnx"), ("offset", "-5")))  # fmt: skip

    def vast(model: onnx.ModelProto) -> None:
        for each in model.graph.input[0].type.tensor_type.shape.dim[2:]:
            each.dim_value = 1 << 25

    file = tmp_path / "net.onnx"
    refused(saved(tmp_path, typed), "the network's input image is no tensor of a type that is known")
    refused(saved(tmp_path, sparse), f"the weights first_w of {file} are sparse; those that are taken are not",
            "numpy_helper.from_array(whole, name)  # in graph.initializer")  # fmt: skip
    model = small()
    placed(model)
    file.write_bytes(model.SerializeToString())
    with pytest.raises(NetworkError, match=r"the weights of first_w in net.onnx cannot be read: .* non-negative"):
        load_onnx(file)
    refused(saved(tmp_path, vast), "the input image of shape (1, 2, 33554432, 33554432) has more elements than memory "
            "can hold")  # fmt: skip
    monkeypatch.setattr(check, "LARGEST_TENSOR", 1 << 60)
    refused(saved(tmp_path, vast), f"the tensors of {file} are larger than the memory of this machine")


def test_shapes_that_values_decide(tmp_path: Path):
    def change(model: onnx.ModelProto) -> None:
        nodes = [("Relu", "first_f"), ("NonZero", "Relu_")]
        model.graph.node.extend(helper.make_node(op, [read], [f"{op}_"]) for op, read in nodes)
        model.graph.output.append(helper.make_tensor_value_info("NonZero_", TensorProto.INT64, ["a", "b"]))

    with pytest.raises(NetworkError, match="the shape of NonZero_ depends on the values of the inputs"):
        load_onnx(saved(tmp_path, change))


def test_a_branch_is_the_hosts_and_reads_what_its_graphs_read():
    """A tensor that only a graph inside a node reads is made."""
    q = Quantised((1, 2, 4, 4))
    q.conv("first", "image", (3, 2, 3, 3))
    model = q.model(first=4)
    branches = [helper.make_graph([helper.make_node(op, ["first_f"], [op])], op, [],
                                  [helper.make_tensor_value_info(op, TensorProto.FLOAT, (1, 3, 2, 2))])
                for op in ("Neg", "Abs")]  # fmt: skip
    model.graph.node.append(helper.make_node("If", ["which"], ["chosen"], then_branch=branches[0],
                                             else_branch=branches[1]))  # fmt: skip
    model.graph.input.append(helper.make_tensor_value_info("which", TensorProto.BOOL, (1,)))
    model.graph.output.append(helper.make_tensor_value_info("chosen", TensorProto.FLOAT, (1, 3, 2, 2)))
    found = imported(model, "small")
    for which in (False, True):
        feeds = {"image": np.ones((1, 2, 4, 4), np.int8), "which": np.array([which])}
        ours = found.network.evaluate(feeds)
        for name, array in found.expected(feeds).items():
            np.testing.assert_array_equal(ours[name], array)
