"""Networks from TFLite files: every tensor has the bits of LiteRT's arithmetic, worked out here in Python's integers,
and, where LiteRT is installed, of its reference kernels."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from halidehw.cli import main
from halidehw.errors import NetworkError
from halidehw.importers.steps import Host, View
from halidehw.importers.tflite import load_tflite
from halidehw.importers.tflite.network import Imported
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.importers.flat import Flat, convolved, cut, scaled, scaled_once

SAME, VALID, RELU6 = 0, 1, 3


def small() -> tuple[Flat, bytes]:
    """An image of 6 x 5 pixels through an operator of each kind."""
    f = Flat()
    image = f.tensor("image", (1, 6, 5, 3), 0.031, -7)
    made = f.tensor("first", (1, 3, 3, 4), 0.11, 5)
    first = f.node(3, [image, f.weights("w", (4, 3, 3, 3), 4), f.bias("b", 4)], made, s1=("Int32", 2), s2=("Int32", 2))
    made = f.tensor("deep", (1, 3, 3, 4), 0.17, -9)
    deep = f.node(4, [first, f.weights("depth_w", (1, 3, 3, 4), 4), f.bias("depth_b", 4)], made, s1=("Int32", 1),
                  s2=("Int32", 1), s3=("Int32", 1))  # fmt: skip
    added = f.node(0, [first, deep], f.tensor("added", (1, 3, 3, 4), 0.2, 3))
    mean = f.node(1, [added], f.tensor("mean", (1, 1, 1, 4), 0.2, 3), s0=("Int8", VALID), s1=("Int32", 3),
                  s2=("Int32", 3), s3=("Int32", 3), s4=("Int32", 3))  # fmt: skip
    most = f.node(17, [added], f.tensor("most", (1, 2, 2, 4), 0.2, 3), s0=("Int8", VALID), s1=("Int32", 1),
                  s2=("Int32", 1), s3=("Int32", 2), s4=("Int32", 2))  # fmt: skip
    shape = f.tensor("shape", (2,), 1, 0, np.array([1, 16], np.int32), np.int32)
    flat = f.node(22, [most, shape], f.tensor("flat", (1, 16), 0.2, 3))
    dense = f.node(9, [flat, f.weights("v", (5, 16), 1), f.bias("c", 5)], f.tensor("dense", (1, 5), 0.3, -2))
    last = f.node(25, [dense], f.tensor("last", (1, 5), 1 / 256, -128), s0=("Float32", 1))
    return f, f.file([image], [mean, last])


def expected(f: Flat, image: np.ndarray) -> dict[str, np.ndarray]:
    """By name, as the file has them."""
    place = {name: at for at, (name, *_) in enumerate(f.tensors)}
    scale = {name: f.grids[at][0].astype(float) for name, at in place.items()}
    zero = {name: f.grids[at][1] for name, at in place.items()}
    data = {name: f.tensors[at][3] for name, at in place.items()}

    def real(x: str, w: str, y: str) -> np.ndarray:
        return np.asarray(scale[x] * scale[w] / scale[y])

    first = convolved(image[0], data["w"], data["b"], real("image", "w", "first"), (zero["image"], zero["first"]), 2,
                      (0, 1), (3, 3, 4), False)  # fmt: skip
    deep = convolved(first, data["depth_w"], data["depth_b"], real("first", "depth_w", "deep"),
                     (zero["first"], zero["deep"]), 1, (1, 1), (3, 3, 4), True)  # fmt: skip
    twice = 2 * max(float(scale["first"][0]), float(scale["deep"][0]))

    def term(value: int, name: str) -> int:
        return scaled((int(value) - zero[name]) << 20, float(scale[name][0]) / twice)

    total = [term(a, "first") + term(b, "deep") for a, b in zip(first.ravel(), deep.ravel(), strict=True)]
    whole = twice / (2**20 * float(scale["added"][0]))
    added = np.array([cut(scaled(each, whole), zero["added"]) for each in total], np.int8).reshape(3, 3, 4)
    sums = added.astype(int).sum((0, 1))
    mean = np.array([(abs(each) + 4) // 9 * (1 if each > 0 else -1) for each in sums])
    most = np.max([added[y : y + 2, x : x + 2] for y in (0, 1) for x in (0, 1)], axis=0)
    flat = most.reshape(16).astype(int) - zero["flat"]
    factor = float(np.float32(scale["flat"][0]) * np.float32(scale["v"][0])) / float(scale["dense"][0])
    dense = [cut(scaled_once(int(flat @ row.astype(int) + c), factor), zero["dense"])
             for row, c in zip(data["v"], data["c"], strict=True)]  # fmt: skip
    return {"first": first, "deep": deep, "added": added, "mean": mean, "most": most, "dense": np.array(dense)}


def test_every_tensor_has_the_bits_of_litert(tmp_path: Path):
    f, data = small()
    (tmp_path / "small.tflite").write_bytes(data)
    found = load_tflite(tmp_path / "small.tflite")
    network = found.network
    (last,) = network.hosted
    assert (last.name, last.reason) == ("softmax_7", "SOFTMAX divides by a sum of exponentials")
    assert [step.name for step in network.steps if isinstance(step, View)] == ["reshape_5"]
    rng = np.random.default_rng(0)
    for _ in range(4):
        image = rng.integers(-128, 128, (1, 6, 5, 3)).astype(np.int8)
        values = {"image": image.transpose(0, 3, 1, 2)}
        for step in network.steps:
            if not isinstance(step, Host):
                values[step.makes[0].name] = step.run(values)[0]
        tensors = {each.name: each for step in network.steps for each in step.makes}
        for name, array in expected(f, image).items():
            np.testing.assert_array_equal(tensors[name].laid(values[name]).ravel(), array.ravel(), err_msg=name)
        if find_spec("ai_edge_litert"):
            right = found.every({"image": values["image"]})
            assert all(np.array_equal(array, right[name]) for name, array in values.items())


@pytest.mark.parametrize(("scale", "unit"), [(0.004, 0.31), (0.5, 8.0)])
def test_matrix_products_are_rounded_once(tmp_path: Path, scale: float, unit: float):
    """Two roundings gave another byte in one of five hundred; the second of these has halves, of either sign."""
    f, rng = Flat(), np.random.default_rng(1)
    x = f.tensor("x", (40, 16), 1.0, 3)
    w = f.tensor("v", (60, 16), np.full(60, scale), 0, rng.integers(-127, 128, (60, 16)).astype(np.int8))
    c = f.bias("c", 60)
    f.grids[c] = np.full(60, scale, np.float32), 0
    (tmp_path / "dense.tflite").write_bytes(f.file([x], [f.node(9, [x, w, c], f.tensor("y", (40, 60), unit, -2))]))
    found = load_tflite(tmp_path / "dense.tflite")
    rows = rng.integers(-128, 128, (40, 16)).astype(np.int8)
    (ours,) = found.network.layers[0].run({"x": rows})
    weights, biases = (each.astype(int) for _, _, _, each in (f.tensors[w], f.tensors[c]) if each is not None)
    factor = float(np.float32(scale)) / float(np.float32(unit))
    sums = (rows.astype(int) - 3) @ weights.T + biases
    right = [cut(scaled_once(int(total), factor), -2) for total in sums.ravel()]
    np.testing.assert_array_equal(ours.ravel(), right)
    assert right != [cut(scaled(int(total), factor), -2) for total in sums.ravel()]
    if find_spec("ai_edge_litert"):
        np.testing.assert_array_equal(ours, found.expected({"x": rows})["y"])


def bordered(tmp_path: Path) -> Imported:
    """A mean of windows of 2 x 3 elements, of which fewer lie inside at the border."""
    f = Flat()
    x = f.tensor("x", (1, 3, 4, 2), 0.2, 3)
    f.node(1, [x], f.tensor("y", (1, 3, 4, 2), 0.2, 3), s0=("Int8", SAME), s1=("Int32", 1), s2=("Int32", 1),
           s3=("Int32", 3), s4=("Int32", 2))  # fmt: skip
    (tmp_path / "border.tflite").write_bytes(f.file([x], [1]))
    return load_tflite(tmp_path / "border.tflite")


def test_means_of_smaller_windows_at_the_border(tmp_path: Path):
    found, rng = bordered(tmp_path), np.random.default_rng(0)
    for _ in range(20):
        x = rng.integers(-128, 128, (1, 2, 3, 4)).astype(np.int8)
        right = np.zeros(x.shape, int)
        for channel, row, column in np.ndindex(2, 3, 4):
            seen = x[0, channel, row : row + 2, max(column - 1, 0) : column + 2].astype(int)
            total = int(seen.sum())
            right[0, channel, row, column] = (abs(total) + seen.size // 2) // seen.size * (1 if total > 0 else -1)
        np.testing.assert_array_equal(found.network.evaluate({"x": x})["y"], right)
        if find_spec("ai_edge_litert"):
            np.testing.assert_array_equal(found.expected({"x": x})["y"], right)


def test_the_roundings_of_sums_and_means_in_hardware(tmp_path: Path):
    (tmp_path / "small.tflite").write_bytes(small()[1])
    layers = {layer.op: layer for layer in load_tflite(tmp_path / "small.tflite").network.layers}
    designs = [Design(layers[op].func) for op in ("ADD", "AVERAGE_POOL_2D", "FULLY_CONNECTED")]
    check_each([*designs, Design(bordered(tmp_path).network.layers[0].func)])


def test_its_runtime_is_asked_for_where_it_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "ai_edge_litert", None)
    (tmp_path / "small.tflite").write_bytes(small()[1])
    result = CliRunner().invoke(main, ["network", str(tmp_path / "small.tflite"), "--no-simulate", "--json"])
    assert result.exit_code == 2 and "takes the package ai_edge_litert" in result.output
    assert "pip install 'halidehw[tflite]'" in result.output


def refused(file: Path, data: bytes, message: str) -> None:
    file.write_bytes(data)
    with pytest.raises(NetworkError) as caught:
        load_tflite(file)
    assert caught.value.message.startswith(message) and "\n" not in caught.value.message


def test_files_that_are_none(tmp_path: Path):
    file, (_, data) = tmp_path / "net.tflite", small()
    refused(file, b"", f"{file} is empty")
    refused(file, b"\0" * 64, f"{file} is no TFLite file: bytes 4 to 7 are b'\\x00\\x00\\x00\\x00', not b'TFL3'")
    refused(file, data[:200], f"{file} is not all of a TFLite file, or is damaged")
    with pytest.raises(NetworkError, match=r"cannot read the network .*: No such file or directory"):
        load_tflite(tmp_path / "none.tflite")
    result = CliRunner().invoke(main, ["network", str(file), "--shape", "image=1,3,6,5"])
    assert result.exit_code == 2 and "states the shapes of its inputs: --shape is for ONNX files" in result.output


def changed(change: Callable[[Flat], None]) -> bytes:
    f = Flat()
    image = f.tensor("image", (1, 4, 4, 2), 0.05, 1)
    f.node(3, [image, f.weights("w", (3, 1, 1, 2), 3), f.bias("b", 3)], f.tensor("made", (1, 4, 4, 3), 0.1, 2),
           s1=("Int32", 1), s2=("Int32", 1))  # fmt: skip
    change(f)
    return f.file([0], [3])


@pytest.mark.parametrize(("at", "grid", "message"), [
    (0, (np.float32([0.05]), 300), "conv_2d_0: the zero point of image is 300, outside -128 to 127"),
    (3, (np.float32([0.1, 0.2]), 0), "conv_2d_0: made has 2 scales, where one serves the whole tensor"),
    (3, (np.float32([-0.5]), 0), "conv_2d_0: the scale of made is -0.5, not positive"),
])  # fmt: skip
def test_grids_that_are_none(tmp_path: Path, at: int, grid: tuple[np.ndarray, int], message: str):
    def change(f: Flat) -> None:
        f.grids[at] = grid

    refused(tmp_path / "net.tflite", changed(change), message)


def test_files_that_say_what_is_not_so(tmp_path: Path):
    """Inputs that an operator has not, numbers of no tensor, sizes that others do not give, steps of nothing."""
    def sized(shape: tuple[int, ...]) -> Callable[[Flat], None]:
        return lambda f: f.tensors.__setitem__(3, ("made", shape, np.dtype(np.int8), None))

    def read(*numbers: int) -> Callable[[Flat], None]:
        return lambda f: f.operators[0][1].__setitem__(slice(None), numbers)

    def still(f: Flat) -> None:
        f.operators[0][3][1] = ("Int32", -1)

    file = tmp_path / "net.tflite"
    for change in (sized((1, 9, 4, 3)), sized((1, 4, 4, 7)), sized((2, 4, 4, 3)), read(0), read(0, 99, 2),
                   read(0, -1, 2), still):  # fmt: skip
        refused(file, changed(change), f"{file} is not all of a TFLite file, or is damaged")


def test_what_is_the_hosts_and_why(tmp_path: Path):
    """An activation that cuts off bytes, an operator without an algorithm, floats."""
    def clipped(f: Flat) -> None:
        f.operators[0][3][3] = ("Int8", RELU6)

    (tmp_path / "a.tflite").write_bytes(changed(clipped))
    (step,) = load_tflite(tmp_path / "a.tflite").network.hosted
    assert step.reason == "its RELU6 cuts off bytes: it leaves 2 to 62 of -128 to 127"

    def floats(f: Flat) -> None:
        for at in (0, 3):
            f.tensors[at] = (*f.tensors[at][:2], np.dtype(np.float32), None)
            f.grids[at] = np.zeros(0, np.float32), 0

    file = tmp_path / "b.tflite"
    refused(file, changed(floats), f"{file} computes with floats; it has to be quantised, with examples of image")
