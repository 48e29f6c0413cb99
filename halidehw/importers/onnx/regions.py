"""Operators on floats that stand between 8-bit tensors, once the runtime has joined what it joins.

What only moves elements moves the bytes instead. Operators that compute each element alone are taken together with what
dequantises before and quantises after them: one function of bytes, which all values show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import ModelProto, helper, numpy_helper

from halidehw.importers.onnx.runtime import names_read

POINTWISE = {
    "Abs", "Add", "BatchNormalization", "Cast", "Ceil", "Celu", "Clip", "Div", "Elu", "Erf", "Exp", "FastGelu", "Floor",
    "Gelu", "HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "Log", "Max", "Mean", "Min", "Mish", "Mul", "Neg",
    "PRelu", "Pow", "QuickGelu", "Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Softplus", "Softsign",
    "Sqrt", "Sub", "Sum", "Tanh", "ThresholdedRelu",
}  # fmt: skip
"""Operators that compute each element of one element of each input."""

MOVES = {
    "Pad", "Slice", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Resize", "MaxPool",
    "Tile", "Expand", "Gather", "DepthToSpace", "SpaceToDepth",
}  # fmt: skip
"""Operators whose elements are elements of their first input, or the greatest of some of them."""

INPUTS = 2
"""Tensors at most of which one function is taken: all pairs of bytes can still be tried."""


@dataclass(frozen=True)
class Region:
    """Nodes that are one function of bytes, in order, the last of which quantises. `proto`: they as one node."""

    proto: Any
    nodes: tuple[Any, ...]


@dataclass(frozen=True)
class _Graph:
    """What is asked of a network's nodes."""

    makers: dict[str, Any]
    constants: dict[str, Any]

    def number(self, name: str) -> np.ndarray:
        return np.asarray(numpy_helper.to_array(self.constants[name]))

    def on_grid(self, node: Any) -> bool:
        """Whether a node that quantises or dequantises has one known scale, and bytes."""
        places = node.input[1:]
        if len(node.input) < len(("x", "scale", "zero point")) or not all(each in self.constants for each in places):
            return False
        scale, zero = map(self.number, places)
        return scale.size == zero.size == 1 and zero.dtype.itemsize == 1


def _graph(model: ModelProto) -> _Graph:
    makers = {name: node for node in model.graph.node for name in node.output}
    return _Graph(makers, {each.name: each for each in model.graph.initializer})


def moved(model: ModelProto) -> ModelProto:
    """The network with each move of dequantised bytes as a move of bytes, which are dequantised after it, where only
    moves stand before what quantises them again."""
    graph, nodes = _graph(model), list[Any]()
    makers = dict(graph.makers)
    alone = _ends_quantised(model)
    for node in model.graph.node:
        source = makers.get(node.input[0]) if node.op_type in MOVES and alone[node.output[0]] else None
        if source is None or source.op_type != "DequantizeLinear" or not _moves_bytes(node, graph, source):
            nodes.append(node)
            continue
        whole, name = type(node)(), f"{node.output[0]}_bytes"
        whole.CopyFrom(node)
        whole.input[0], whole.output[0] = source.input[0], name
        if node.op_type == "Pad":
            around = _padding(node, graph, source)
            assert around is not None
            model.graph.initializer.append(numpy_helper.from_array(around, f"{name}_around"))
            places = [*whole.input[:2], f"{name}_around", *whole.input[3:]]
            del whole.input[:]
            whole.input.extend(places)
        after = helper.make_node("DequantizeLinear", [name, *source.input[1:]], [node.output[0]], name=name)
        nodes += [whole, after]
        makers[node.output[0]] = after
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def _ends_quantised(model: ModelProto) -> dict[str, bool]:
    """Of each tensor, whether all that reads it quantises it, or computes or moves elements that end so."""
    readers: dict[str, list[Any]] = {}
    for node in model.graph.node:
        for name in names_read(node):
            readers.setdefault(name, []).append(node)
    found: dict[str, bool] = {each.name: False for each in model.graph.output}
    for node in reversed(model.graph.node):
        for name in node.output:
            after = readers.get(name, [])
            found.setdefault(name, bool(after) and all(
                each.op_type == "QuantizeLinear"
                or (each.op_type in MOVES | POINTWISE and found.get(each.output[0], False)) for each in after
            ))  # fmt: skip
    return found


def _moves_bytes(node: Any, graph: _Graph, source: Any) -> bool:
    """Whether all it moves are bytes: no mean of them, and nothing around them that is no byte."""
    if not graph.on_grid(source):
        return False
    modes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    if node.op_type == "Resize":
        return bool(modes.get("mode", b"nearest") == b"nearest")
    if node.op_type == "Pad":
        return len(node.input) > 1 and _padding(node, graph, source) is not None
    return len(node.output) == 1


def _padding(node: Any, graph: _Graph, source: Any) -> np.ndarray | None:
    """The byte that stands for what a pad has around; None if none does."""
    given = len(node.input) > 2 and node.input[2]
    if given and given not in graph.constants:
        return None
    around = float(graph.number(given).reshape(())) if given else 0.0
    scale, zero = (graph.number(name).reshape(()) for name in source.input[1:])
    kind = np.iinfo(zero.dtype)
    byte = round(around / float(scale)) + int(zero)
    if not kind.min <= byte <= kind.max or np.float32(byte - int(zero)) * scale != np.float32(around):
        return None
    return np.array(byte, zero.dtype)


def regions(model: ModelProto) -> list[Any | Region]:
    """The nodes of a network, those that are one function of bytes together, where what quantises them stands."""
    graph = _graph(model)
    found: list[Any | Region] = []
    for node in model.graph.node:
        region = _region(node, graph) if node.op_type == "QuantizeLinear" else None
        found.append(region or node)
    needed = {each.name for each in model.graph.output}
    kept: list[Any | Region] = []
    for each in reversed(found):
        proto = each.proto if isinstance(each, Region) else each
        if not proto.output or needed & set(proto.output):
            needed |= set(names_read(proto))
            kept.append(each)
    return kept[::-1]


def _region(last: Any, graph: _Graph) -> Region | None:
    """What stands before a node that quantises, as far as bytes; None where that is no function of bytes."""
    if not graph.on_grid(last) or graph.number(last.input[2]).dtype.kind not in "iu":
        return None
    nodes, tensors = dict[str, Any](), dict[str, None]()

    def reach(name: str) -> bool:
        maker = graph.makers.get(name)
        if name in graph.constants or not name or name in nodes:
            return True
        if maker is None or len([each for each in maker.output if each]) > 1:
            return False
        if maker.op_type == "DequantizeLinear":
            if maker.input[0] not in graph.constants:
                if not graph.on_grid(maker):
                    return False
                tensors[maker.input[0]] = None
        elif maker.op_type not in POINTWISE or not all(map(reach, maker.input)):
            return False
        nodes[name] = maker
        return True

    if not reach(last.input[0]) or not 0 < len(tensors) <= INPUTS:
        return None
    inner = [node for node in nodes.values() if node.op_type != "DequantizeLinear"]
    kinds = dict.fromkeys(node.op_type for node in inner)
    name = inner[-1].name if inner and inner[-1].name else last.name
    held = dict.fromkeys(each for node in (*nodes.values(), last) for each in node.input if each in graph.constants)
    proto = helper.make_node("+".join(kinds) or last.op_type, [*tensors, *held], list(last.output), name=name)
    return Region(proto, (*nodes.values(), last))
