"""A file becomes a network: checked, fused by the runtime, and each node a layer, a view, or the host's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper

from halidehw.errors import NetworkError
from halidehw.importers.building import identifier
from halidehw.importers.onnx import integers, quantised
from halidehw.importers.onnx.check import checked, fixed
from halidehw.importers.onnx.functions import of_bytes
from halidehw.importers.onnx.node import Known, Node, Unclaimed
from halidehw.importers.onnx.regions import Region, moved, regions
from halidehw.importers.onnx.runtime import answers, fused, run, session, version
from halidehw.importers.steps import Arrays, Host, Step, TrainedNetwork
from halidehw.importers.tensors import Shape, Tensor

OPERATORS = {**quantised.OPERATORS, **integers.OPERATORS}
"""By domain and name: what makes a step of a node."""


@dataclass(frozen=True)
class Imported:
    """A network, and the model that it is of: `whole` as in the file, `parts` with every tensor as an output."""

    network: TrainedNetwork
    whole: bytes
    parts: bytes

    @property
    def oracle(self) -> str:
        return version()

    def expected(self, inputs: Mapping[str, np.ndarray]) -> Arrays:
        """What ONNX Runtime gives for the network as in the file, after all of its optimizations."""
        return run(self.whole, self.network.fed(inputs), True)

    def every(self, inputs: Mapping[str, np.ndarray]) -> Arrays:
        """What ONNX Runtime gives for every tensor of the network, node by node."""
        fed = self.network.fed(inputs)
        found = run(self.parts, fed)
        return {**fed, **{each.name: found[each.name] for step in self.network.steps for each in step.makes}}


def load_onnx(file: str | Path, shapes: Mapping[str, Shape] | None = None) -> Imported:
    """The network in a file. `shapes`: of inputs whose shape the file leaves open.

    Raises `NetworkError` for a file that is no quantised network, or not all of one.
    """
    try:
        return imported(fixed(checked(Path(file)), shapes or {}), Path(file).stem)
    except UnicodeDecodeError:
        raise NetworkError(f"{file} is damaged: a name in it is no text") from None
    except MemoryError:
        raise NetworkError(f"the tensors of {file} are larger than the memory of this machine") from None


def imported(model: Any, name: str) -> Imported:
    """The network of a model whose inputs have shapes. Raises `NetworkError` where the runtime refuses it."""
    whole = model.SerializeToString()
    plain = _made(moved(fused(model)))
    parts = _with_all_outputs(plain)
    known = _known(plain, parts)
    nodes = [_node(each, known) for each in regions(plain)]
    _name_apart(nodes)
    given = tuple(known.tensors[each.name] for each in plain.graph.input if each.name in known.tensors)
    outputs = tuple(each.name for each in plain.graph.output)
    steps = tuple(step for node in nodes for step in _steps(node))
    return Imported(TrainedNetwork(name, given, outputs, steps), whole, parts)


def _made(model: Any) -> Any:
    """With a node that makes each output that is a constant."""
    last = {each.name for each in model.graph.output}
    for held in (each for each in model.graph.initializer if each.name in last):
        made, held.name = held.name, f"{held.name}_held"
        for node in model.graph.node:
            node.input[:] = [held.name if name == made else name for name in node.input]
        model.graph.node.append(helper.make_node("Identity", [held.name], [made], name=made))
    return model


def _with_all_outputs(model: Any) -> bytes:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.output[:]
    made = dict.fromkeys(name for node in model.graph.node for name in node.output if name)
    copy.graph.output.extend(onnx.ValueInfoProto(name=name) for name in made)
    return bytes(copy.SerializeToString())


def _known(model: Any, parts: bytes) -> Known:
    """The tensors have the shapes that a run has."""
    constants = {each.name: each for each in model.graph.initializer}
    ones = {each.name: np.ones(*_kind(each)) for each in model.graph.input if each.name not in constants}
    running = session(parts, False)
    arrays = {**ones, **answers(running, ones)}
    left = [each for each in running.get_outputs() if not all(isinstance(size, int) for size in each.shape)]
    others = answers(running, {name: _drawn(array) for name, array in ones.items()}) if left else {}
    for name, array in others.items():
        if array.shape != arrays[name].shape:
            raise NetworkError(f"the shape of {name} depends on the values of the inputs: {arrays[name].shape} and "
                               f"{array.shape}")  # fmt: skip
    tensors = {name: Tensor(name, tuple(array.shape), array.dtype) for name, array in arrays.items()}
    makers = {name: each for each in model.graph.node for name in each.output}
    return Known(tensors, constants, {each.domain: each.version for each in model.opset_import}, makers)


def _drawn(like: np.ndarray) -> np.ndarray:
    """Random bytes, floats around zero, of others zeros and ones: these may be indices."""
    rng, kind = np.random.default_rng(0), like.dtype
    if kind.kind == "f":
        return rng.normal(size=like.shape).astype(kind)
    bounds = np.iinfo(kind) if kind.kind in "iu" and kind.itemsize == 1 else None
    return rng.integers(bounds.min if bounds else 0, bounds.max + 1 if bounds else 2, like.shape).astype(kind)


def _kind(value: Any) -> tuple[Shape, np.dtype]:
    kind = value.type.tensor_type
    return tuple(each.dim_value for each in kind.shape.dim), helper.tensor_dtype_to_np_dtype(kind.elem_type)


def _node(each: Any, known: Known) -> Node:
    return Node(each.proto, known, each.nodes) if isinstance(each, Region) else Node(each, known)


def _name_apart(nodes: Sequence[Node]) -> None:
    """Gives nodes that are called alike, or whose Funcs would be, names of their own: what has no name is called as
    the tensor that it makes, which may be another's name."""
    taken = set[str]()
    for node in nodes:
        own, number = node.name, 2
        while identifier(node.name) in taken:
            node.proto.name, number = f"{own}_{number}", number + 1
        taken |= {identifier(node.name), *(identifier(node.part(number)) for number in range(len(node.outputs)))}


def _steps(node: Node) -> list[Step]:
    build = of_bytes if node.inner else OPERATORS.get((node.proto.domain, node.op))
    why = quantised.HOSTED.get((node.proto.domain, node.op), "has no algorithm here")
    reason = f"{node.op} {why}"
    floats = [each for each in (*node.reads, *node.outputs) if each.dtype.kind == "f"]
    if floats:
        build, reason = None, _mixed(node) or f"{floats[0].name} is {floats[0].dtype}"
    try:
        if build:
            with np.errstate(over="ignore"):
                made: Step | list[Step] = build(node)
            return made if isinstance(made, list) else [made]
    except (Unclaimed, ValueError) as problem:
        reason = str(problem)
    return [Host(node.name, node.op, node.reads, node.outputs, reason, node.call())]


_WITH_BIAS = ("Conv", "FusedConv", "Gemm")


def _mixed(node: Node) -> str:
    """Of a sum of products of dequantised tensors, why the runtime does not take integers for it, if scales are why."""
    if node.op not in _WITH_BIAS or not node.has(2):
        return ""
    x, weight, bias = (node.scale(place) for place in range(3))
    if x is None or weight is None or bias is None or np.allclose(bias, x * weight, rtol=1e-3, atol=0):
        return ""
    return (f"its bias is in units of {np.ravel(bias)[0]:.4g} and its products of {np.ravel(x * weight)[0]:.4g}: the "
            f"bias {node.proto.input[2]} has to have the scale of its input times that of its weights")  # fmt: skip


__all__ = ["Imported", "NetworkError", "imported", "load_onnx", "session"]
