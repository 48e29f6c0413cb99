"""Small quantised networks, written as quantisers write them: dequantise, operator, quantise."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper


class Quantised:
    """A network under construction. Tensors are named by what quantises them; `kind`: of all activations."""

    def __init__(self, shape: tuple[int, ...], kind: type = np.int8, seed: int = 0):
        self.rng, self.kind = np.random.default_rng(seed), kind
        self.nodes: list[onnx.NodeProto] = []
        self.held: list[onnx.TensorProto] = []
        self.input = helper.make_tensor_value_info("image", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)
        self.grids: dict[str, tuple[str, str]] = {"image": self.grid("image")}

    def hold(self, name: str, array: np.ndarray) -> str:
        self.held.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def grid(self, name: str, scale: float | None = None, zero: int | None = None) -> tuple[str, str]:
        """The names of a scale and a zero point."""
        info = np.iinfo(self.kind)
        zero = int(self.rng.integers(info.min + 60, info.max - 60)) if zero is None else zero
        chosen = np.float32(self.rng.uniform(0.01, 0.05) if scale is None else scale)
        return self.hold(f"{name}_scale", chosen), self.hold(f"{name}_zero", np.array(zero, self.kind))

    def real(self, name: str) -> str:
        """A tensor as floats."""
        self.nodes.append(helper.make_node("DequantizeLinear", [name, *self.grids[name]], [f"{name}_real"]))
        if self.nodes[-1] in self.nodes[:-1]:
            self.nodes.pop()
        return f"{name}_real"

    def weights(self, name: str, shape: tuple[int, ...], axis: int | None = 0, zero: int = 0) -> str:
        """Weights as floats, with a scale for each channel, or (None) one."""
        count = 1 if axis is None else shape[axis]
        scales = self.rng.uniform(0.002, 0.02, count).astype(np.float32)
        zeros = np.full(count, zero, np.int8)
        if axis is None:
            scales, zeros = scales.reshape(()), zeros.reshape(())
        held = self.hold(name, self.rng.integers(-127, 128, shape).astype(np.int8))
        given = [held, self.hold(f"{name}_scale", scales), self.hold(f"{name}_zero", zeros)]
        self.nodes.append(helper.make_node("DequantizeLinear", given, [f"{name}_real"], axis=axis or 0))
        return f"{name}_real"

    def bias(self, name: str, x: str, w: str, count: int) -> str:
        """A bias in units of the products."""
        scales = {each.name: numpy_helper.to_array(each) for each in self.held}
        unit = scales[self.grids[x][0]] * scales[f"{w.removesuffix('_real')}_scale"]
        held = self.hold(name, self.rng.integers(-4000, 4000, count).astype(np.int32))
        zeros = np.zeros(unit.shape, np.int32)
        given = [held, self.hold(f"{name}_scale", unit), self.hold(f"{name}_zero", zeros)]
        self.nodes.append(helper.make_node("DequantizeLinear", given, [f"{name}_real"], axis=0))
        return f"{name}_real"

    def op(
        self, op: str, name: str, *inputs: str, scale: float | None = None, zero: int | None = None, relu: bool = False,
        same: str | None = None, **attributes: Any,
    ) -> str:  # fmt: skip
        """An operator of tensors as floats, quantised again; `same`: as that tensor is."""
        self.nodes.append(helper.make_node(op, list(inputs), [f"{name}_f"], name=name, **attributes))
        last = f"{name}_f"
        if relu:
            self.nodes.append(helper.make_node("Relu", [last], [f"{name}_relu"]))
            last, zero = f"{name}_relu", int(np.iinfo(self.kind).min)
        self.grids[name] = self.grids[same] if same else self.grid(name, scale, zero)
        self.nodes.append(helper.make_node("QuantizeLinear", [last, *self.grids[name]], [name]))
        return name

    def conv(self, name: str, x: str, shape: tuple[int, ...], scale: float = 0.2, zero: int = 0, **more: Any) -> str:
        """A convolution with weights and a bias of its own."""
        w = self.weights(f"{name}_w", shape, 0, zero)
        b = self.bias(f"{name}_b", x, w, shape[0])
        return self.op("Conv", name, self.real(x), w, b, scale=scale, **more)

    def model(self, **outputs: int) -> onnx.ModelProto:
        """The whole; `outputs`: how many dimensions each one has."""
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(self.kind))
        makes = [helper.make_tensor_value_info(name, kind, [None] * rank) for name, rank in outputs.items()]
        graph = helper.make_graph(self.nodes, "small", [self.input], makes, self.held)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


def every_kind(kind: type = np.int8, seed: int = 0) -> onnx.ModelProto:
    """A network with a layer of each kind, all sizes small and none like another."""
    q = Quantised((1, 3, 7, 6), kind, seed)
    a = q.conv("padded", "image", (4, 3, 3, 3), pads=[1, 1, 1, 1], relu=True)
    b = q.conv("depthwise", a, (4, 1, 3, 3), group=4, pads=[0, 0, 1, 1], strides=[2, 2])
    c = q.conv("grouped", b, (6, 2, 1, 1), group=2, zero=3 if kind is np.uint8 else 0)
    d = q.conv("dilated", a, (6, 4, 2, 3), dilations=[2, 1], pads=[0, 1, 0, 0], strides=[2, 2])
    e = q.op("Slice", "cut", q.real(d), *(q.hold(f"at{n}", np.array(v)) for n, v in
             enumerate(([0, 0, 0], [6, 3, 3], [1, 2, 3]))), same=d)  # fmt: skip
    f = q.op("Add", "residual", q.real(c), q.real(e), scale=0.15)
    g = q.op("Mul", "gated", q.real(f), q.real(c), scale=0.4)
    slopes = q.hold("slopes", q.rng.normal(size=(6, 1, 1)).astype(np.float32))
    p = q.op("PRelu", "bent", q.real(g), slopes, scale=0.4)
    h = q.op("LeakyRelu", "leaky", q.real(p), scale=0.3, alpha=0.1)
    i = q.op("Concat", "joined", q.real(h), q.real(c), same=h, axis=1)
    j = q.op("MaxPool", "pooled", q.real(i), same=i, kernel_shape=[2, 2], pads=[0, 0, 1, 1])
    k = q.op("GlobalAveragePool", "mean", q.real(j), scale=0.1)
    m = q.op("Flatten", "flat", q.real(k), same=k)
    w = q.weights("fc_w", (5, 12), 0)
    n = q.op("Gemm", "fc", q.real(m), w, q.bias("fc_b", m, w, 5), scale=0.2, transB=1)
    return q.model(**{n: 2, j: 4})


def samples(model: onnx.ModelProto, count: int) -> list[dict[str, np.ndarray]]:
    """Random inputs."""
    rng = np.random.default_rng(7)
    held = {each.name for each in model.graph.initializer}
    found = []
    for _ in range(count):
        feeds = {}
        for each in model.graph.input:
            if each.name in held:
                continue
            kind = helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type)
            shape = [dim.dim_value for dim in each.type.tensor_type.shape.dim]
            whole = kind.kind in "iu"
            drawn = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max + 1, shape) if whole else rng.random(shape)
            feeds[each.name] = drawn.astype(kind)
        found.append(feeds)
    return found
