"""Random quantised networks of all operators that are claimed, with forks and joins; the same seed gives the same one.

A network is written in one of three ways: between floats that are dequantised and quantised, in operators on integers,
or in floats, which the runtime's own quantiser quantises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import onnx
from onnx import helper, numpy_helper

from halidehw.importers.onnx import quantise
from halidehw.importers.onnx.runtime import fused
from tests.importers.nets import Quantised, samples

Way = Literal["between floats", "integers", "floats"]
WAYS: tuple[Way, ...] = ("between floats", "integers", "floats")

MOST = 12
"""Channels of a tensor, rows and columns, at most, before they are joined or made larger."""

EXAMPLES = 4
"""Inputs that a network of floats is quantised from."""


class Writer(Quantised):
    """A network under construction, whose scales keep what it computes within its bytes, about. `exact`: all scales are
    powers of two, so that floats make many halves. `floats`: without anything that quantises."""

    def __init__(self, shape: tuple[int, ...], rng: np.random.Generator, kind: type, *, exact: bool, floats: bool):
        self.exact, self.floats = exact, floats
        self.reach: dict[str, float] = {}
        super().__init__(shape, kind)
        self.rng = rng
        if floats:
            self.input = helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, shape)
        self.reach["image"] = 1.0 if floats else self._scale_of("image") * 74

    def _scale_of(self, name: str) -> float:
        scale = next(each for each in self.held if each.name == self.grids[name][0])
        return float(numpy_helper.to_array(scale))

    def grid(self, name: str, scale: float | None = None, zero: int | None = None) -> tuple[str, str]:
        scale = self.rng.uniform(0.01, 0.05) if scale is None else scale
        return super().grid(name, float(2.0 ** np.rint(np.log2(scale))) if self.exact else scale, zero)

    def real(self, name: str) -> str:
        return name if self.floats else super().real(name)

    def weights(self, name: str, shape: tuple[int, ...], axis: int | None = 0, zero: int = 0) -> str:
        if self.floats:
            return self.hold(f"{name}_real", self.rng.normal(size=shape).astype(np.float32))
        made = super().weights(name, shape, axis, zero)
        if self.exact:
            place = next(at for at, each in enumerate(self.held) if each.name == f"{name}_scale")
            scale = 2 ** np.rint(np.log2(numpy_helper.to_array(self.held[place])))
            self.held[place] = numpy_helper.from_array(scale.astype(np.float32), f"{name}_scale")
        return made

    def bias(self, name: str, x: str, w: str, count: int) -> str:
        if self.floats:
            return self.hold(f"{name}_real", self.rng.normal(size=count).astype(np.float32))
        return super().bias(name, x, w, count)

    def op(
        self, op: str, name: str, *inputs: str, scale: float | None = None, zero: int | None = None, relu: bool = False,
        same: str | None = None, **attributes: Any,
    ) -> str:  # fmt: skip
        """`scale`: here what the result comes to, about, in reals."""
        if same is not None:
            self.reach[name] = self.reach[same]
        else:
            self.reach[name] = 1.0 if scale is None else scale
        if not self.floats:
            given = self.reach[name] / self.rng.uniform(50, 110)
            return super().op(op, name, *inputs, scale=given, zero=zero, relu=relu, same=same, **attributes)
        made = f"{name}_f" if relu else name
        self.nodes.append(helper.make_node(op, list(inputs), [made], name=name, **attributes))
        if relu:
            self.nodes.append(helper.make_node("Relu", [made], [name]))
        return name

    def written(self, outputs: dict[str, int]) -> onnx.ModelProto:
        model = self.model(**outputs)
        if self.floats:
            for each in model.graph.output:
                each.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
        return model


@dataclass(frozen=True)
class Value:
    """A tensor of the network: channels, rows and columns."""

    name: str
    shape: tuple[int, int, int]


def _stepped(x: Value, reach: list[int], strides: list[int], pads: list[int]) -> tuple[int, int]:
    """Rows and columns of what a window gives that steps over a tensor."""
    around = pads[0] + pads[2], pads[1] + pads[3]
    high, wide = ((size + more - seen) // step + 1
                  for size, more, seen, step in zip(x.shape[1:], around, reach, strides, strict=True))  # fmt: skip
    return high, wide


class Grown:
    """A network that grows by one node after the other, each of what is there already."""

    def __init__(self, seed: int, nodes: int | None = None):
        self.rng = np.random.default_rng(seed)
        self.way = WAYS[int(self.rng.integers(len(WAYS)))]
        kind = (np.int8, np.uint8)[int(self.rng.integers(2))]
        shape = (int(self.rng.integers(1, 7)), *map(int, self.rng.integers(3, 10, 2)))
        self.q = Writer((1, *shape), self.rng, kind, exact=self._likely(0.3), floats=self.way == "floats")
        self.values, self.read = [Value("image", shape)], set[str]()
        self.made = 0
        for _ in range(nodes or int(self.rng.integers(2, 9))):
            self._grow()
        self.outputs = self._ends()

    def _likely(self, part: float) -> bool:
        return bool(self.rng.random() < part)

    def _number(self, low: int, high: int) -> int:
        """Both included."""
        return int(self.rng.integers(low, high + 1))

    def _name(self, op: str) -> str:
        self.made += 1
        return f"{op}{self.made}"

    def _value(self) -> Value:
        """One of those there are, the last ones sooner."""
        back = min(int(self.rng.geometric(0.6)), len(self.values))
        self.read.add(self.values[-back].name)
        return self.values[-back]

    def _kept(self, name: str, *shape: int) -> None:
        c, y, x = shape
        self.values.append(Value(name, (c, y, x)))

    def _grow(self) -> None:
        growing: tuple[Callable[[Value], None], ...] = (
            self._conv, self._conv, self._conv, self._conv, self._joined, self._joined, self._concat, self._pool,
            self._resize, self._pad, self._slice, self._unary, self._unary, self._by_channel, self._transpose,
            self._squares,
        )  # fmt: skip
        growing[self._number(0, len(growing) - 1)](self._value())

    def _conv(self, x: Value) -> None:
        c, high, wide = x.shape
        groups = [each for each in range(1, c + 1) if c % each == 0]
        group = (1, c, groups[self._number(0, len(groups) - 1)])[self._number(0, 2)]
        filters = group * self._number(1, max(1, min(3, MOST // group)))
        kernel, dilations, strides = (
            [self._number(1, most) for _ in range(2)] for most in (3, 1 + self._likely(0.3), 1 + self._likely(0.4))
        )
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
        pads = [self._number(0, most - 1) for most in (*reach, *reach)]
        for axis, size in enumerate((high, wide)):
            pads[axis] += max(reach[axis] - size - pads[axis] - pads[axis + 2], 0)
        name, q = self._name("conv"), self.q
        zero = self._number(-5, 5) if q.kind is np.uint8 and self._likely(0.3) else 0
        w = q.weights(f"{name}_w", (filters, c // group, *kernel), 0 if self._likely(0.8) else None, zero)
        inputs = [q.real(x.name), w]
        if self._likely(0.7) and (q.floats or not self._one_scale(w)):
            inputs.append(q.bias(f"{name}_b", x.name, w, filters))
        scale = q.reach[x.name] * (1.0 if q.floats else 0.8) * np.sqrt(c // group * kernel[0] * kernel[1])
        made = q.op("Conv", name, *inputs, scale=float(scale), relu=self._likely(0.4), group=group, pads=pads,
                    dilations=dilations, strides=strides)  # fmt: skip
        self._kept(made, filters, *_stepped(x, reach, strides, pads))

    def _one_scale(self, w: str) -> bool:
        name = f"{w.removesuffix('_real')}_scale"
        return any(each.name == name and not each.dims for each in self.q.held)

    def _joined(self, x: Value) -> None:
        """A sum, a difference or a product with another tensor of the shape, or with itself, or numbers of channels."""
        q, op = self.q, ("Add", "Mul", "Add", "Sub")[self._number(0, 3)]
        others = [each for each in self.values if each.shape == x.shape and each != x] or [x]
        other = others[self._number(0, len(others) - 1)]
        self.read.add(other.name)
        name = self._name(op.lower())
        a, b = q.reach[x.name], q.reach[other.name]
        scale = a * b if op == "Mul" else a + b
        self._kept(q.op(op, name, q.real(x.name), q.real(other.name), scale=scale, relu=self._likely(0.2)), *x.shape)

    def _concat(self, x: Value) -> None:
        others = [each for each in self.values if each.shape[1:] == x.shape[1:] and each != x]
        parts = [x, *others[-2:]]
        q, name = self.q, self._name("concat")
        self.read |= {each.name for each in parts}
        scale = max(q.reach[each.name] for each in parts)
        made = q.op("Concat", name, *(q.real(each.name) for each in parts), scale=scale, axis=1)
        self._kept(made, sum(each.shape[0] for each in parts), *x.shape[1:])

    def _pool(self, x: Value) -> None:
        c, high, wide = x.shape
        kernel = [min(self._number(1, 3), size) for size in (high, wide)]
        strides, pads = [self._number(1, 2) for _ in range(2)], [self._number(0, k - 1) for k in (*kernel, *kernel)]
        op = ("MaxPool", "AveragePool")[self._number(0, 1)]
        more = {"count_include_pad": self._number(0, 1)} if op == "AveragePool" else {}
        q, name = self.q, self._name("pool")
        same = x.name if op == "MaxPool" or self._likely(0.7) else None
        made = q.op(op, name, q.real(x.name), same=same, scale=q.reach[x.name], kernel_shape=kernel, strides=strides,
                    pads=pads, **more)  # fmt: skip
        self._kept(made, c, *_stepped(x, kernel, strides, pads))

    def _resize(self, x: Value) -> None:
        c, high, wide = x.shape
        down, across = (self._number(1, max(1, min(3, MOST // size))) for size in (high, wide))
        q, name = self.q, self._name("resize")
        factors = q.hold(f"{name}_by", np.array([1, 1, down, across], np.float32))
        made = q.op("Resize", name, q.real(x.name), "", factors, same=x.name, mode="nearest",
                    coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip
        self._kept(made, c, high * down, wide * across)

    def _pad(self, x: Value) -> None:
        q, name = self.q, self._name("pad")
        pads = [0, *(self._number(0, 2) for _ in range(3)), 0, *(self._number(0, 2) for _ in range(3))]
        held = [q.hold(f"{name}_by", np.array(pads))]
        if self._likely(0.4):
            held.append(q.hold(f"{name}_around", np.float32(self.rng.normal())))
        made = q.op("Pad", name, q.real(x.name), *held, same=x.name)
        self._kept(made, *(size + pads[at + 1] + pads[at + 5] for at, size in enumerate(x.shape)))

    def _slice(self, x: Value) -> None:
        q, name = self.q, self._name("slice")
        axis = self._number(0, 2)
        size = x.shape[axis]
        low = self._number(0, size - 1)
        high, step = self._number(low + 1, size), self._number(1, 2)
        bounds = (low, high, axis + 1, step)
        if self._likely(0.3):
            bounds = (high - 1, low - 1 - size, axis + 1, -step)
        held = [q.hold(f"{name}_{at}", np.array([each])) for at, each in enumerate(bounds)]
        made = q.op("Slice", name, q.real(x.name), *held, same=x.name)
        shape = list(x.shape)
        shape[axis] = -(-(high - low) // step)
        self._kept(made, *shape)

    def _unary(self, x: Value) -> None:
        q = self.q
        op = ("LeakyRelu", "Sigmoid", "Tanh", "Relu", "Clip", "HardSwish", "Abs", "Neg", "Elu")[self._number(0, 8)]
        name, held, more = self._name(op.lower()), list[str](), dict[str, Any]()
        if op in ("LeakyRelu", "Elu"):
            more["alpha"] = float(self.rng.uniform(0.01, 0.5))
        if op == "Clip":
            held = [q.hold(f"{name}_{at}", np.float32(each)) for at, each in enumerate((-0.3, q.reach[x.name]))]
        scale = 1.0 if op in ("Sigmoid", "Tanh") else q.reach[x.name]
        self._kept(q.op(op, name, q.real(x.name), *held, scale=scale, **more), *x.shape)

    def _by_channel(self, x: Value) -> None:
        q, channels = self.q, x.shape[0]
        op = ("PRelu", "BatchNormalization", "Mul", "Add")[self._number(0, 3)]
        name = self._name(op.lower())
        if op == "BatchNormalization":
            arrays = [self.rng.random(channels) + 0.5 for _ in range(4)]
        else:
            arrays = [self.rng.normal(size=(channels, 1, 1))]
        held = [q.hold(f"{name}_{at}", each.astype(np.float32)) for at, each in enumerate(arrays)]
        self._kept(q.op(op, name, q.real(x.name), *held, scale=q.reach[x.name] + 1), *x.shape)

    def _transpose(self, x: Value) -> None:
        orders = [(0, 1, 3, 2), (0, 3, 2, 1), (0, 2, 1, 3), (0, 2, 3, 1)]
        order = orders[self._number(0, len(orders) - 1)]
        q = self.q
        made = q.op("Transpose", self._name("turned"), q.real(x.name), same=x.name, perm=list(order))
        self._kept(made, *(x.shape[at - 1] for at in order[1:]))

    def _squares(self, x: Value) -> None:
        c, high, wide = x.shape
        q = self.q
        if high % 2 == wide % 2 == 0 and c <= MOST // 2:
            made = q.op("SpaceToDepth", self._name("squares"), q.real(x.name), same=x.name, blocksize=2)
            self._kept(made, c * 4, high // 2, wide // 2)
        elif c % 4 == 0:
            mode = ("DCR", "CRD")[self._number(0, 1)]
            made = q.op("DepthToSpace", self._name("depth"), q.real(x.name), same=x.name, blocksize=2, mode=mode)
            self._kept(made, c // 4, high * 2, wide * 2)

    def _ends(self) -> dict[str, int]:
        """What nothing reads is an output, of the last one perhaps scores of classes."""
        last = self.values[-1]
        found = {each.name: 4 for each in self.values[1:] if each.name not in self.read and each != last}
        return found | (self._classes(last) if self._likely(0.6) or last.name == "image" else {last.name: 4})

    def _classes(self, x: Value) -> dict[str, int]:
        q = self.q
        name, count = x.name, x.shape[0] * x.shape[1] * x.shape[2]
        if self._likely(0.5):
            name, count = q.op("GlobalAveragePool", "mean", q.real(name), scale=q.reach[name]), x.shape[0]
        name = q.op("Flatten", "flat", q.real(name), same=name)
        classes, scale = self._number(2, 6), q.reach[name] * float(np.sqrt(count))
        if self._likely(0.5):
            w = q.weights("classes_w", (classes, count), 0)
            name = q.op("Gemm", "classes", q.real(name), w, q.bias("classes_b", name, w, classes), scale=scale,
                        transB=1)  # fmt: skip
        else:
            w = q.weights("classes_w", (count, classes), 1)
            name = q.op("MatMul", "classes", q.real(name), w, scale=scale)
        if self._likely(0.3):
            name = q.op("Softmax", "parts", q.real(name), scale=1.0, zero=int(np.iinfo(q.kind).min), axis=1)
        return {name: 2}


def random_network(seed: int, nodes: int | None = None) -> tuple[onnx.ModelProto, Way]:
    """A network, and how it is written. `nodes`: so many besides the scores at its end."""
    grown = Grown(seed, nodes)
    model = grown.q.written(grown.outputs)
    if grown.way == "integers":
        return fused(model), grown.way
    if grown.way == "floats":
        with TemporaryDirectory() as folder:
            file = Path(folder, "floats.onnx")
            onnx.save(model, file)
            return onnx.load(quantise(file, Path(folder, "quantised.onnx"), samples(model, EXAMPLES))), grown.way
    return model, grown.way
