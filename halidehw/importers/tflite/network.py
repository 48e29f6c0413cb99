"""A TFLite file becomes a network: each operator a layer, a view, or the host's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halidehw.errors import NetworkError
from halidehw.importers.steps import Arrays, Host, Layer, Step, TrainedNetwork, View
from halidehw.importers.tensors import Tensor
from halidehw.importers.tflite import litert
from halidehw.importers.tflite.node import Node, Unclaimed, tensor_of
from halidehw.importers.tflite.operators import OPERATORS
from halidehw.importers.tflite.schema import Damaged, Graph, Operator, damaged, read


@dataclass(frozen=True)
class Imported:
    """A network, and the file that it is of; `inputs` and `tensors`, which its operators make, by number."""

    network: TrainedNetwork
    model: bytes
    inputs: Mapping[int, Tensor]
    tensors: Mapping[int, Tensor]

    @property
    def oracle(self) -> str:
        return litert.version()

    def expected(self, inputs: Mapping[str, np.ndarray]) -> Arrays:
        """The outputs by LiteRT's reference kernels. Raises NetworkError without the package ai-edge-litert."""
        found = self.every(inputs)
        return {name: found[name] for name in self.network.outputs}

    def every(self, inputs: Mapping[str, np.ndarray]) -> Arrays:
        """Every tensor, those of the file by its runtime."""
        fed = self.network.fed(inputs)
        arrays = [fed[each.name] for each in self.network.inputs]
        found = {**fed, **litert.every(self.model, self.inputs, arrays, self.tensors)}
        for step in self.network.steps:
            if isinstance(step, View) and step.output.name not in found:
                (found[step.output.name],) = step.run(found)
        return found


def load_tflite(file: str | Path) -> Imported:
    """The network in a file. Images have their channels second, as layers have them; `Tensor.laid` gives the file's.

    Raises `NetworkError` for a file that is none, or is no quantised network.
    """
    data, graph = read(Path(file))
    made = {number for each in graph.operators for number in each.makes}
    floats = [each for each in (graph.tensors[at] for at in graph.inputs) if each.dtype.kind == "f"]
    if floats and not any(graph.tensors[at].scale.size for at in made):
        raise NetworkError(
            f"{file} computes with floats; it has to be quantised, with examples of {floats[0].name}",
            legal=("converter.representative_dataset = examples",),
        )
    try:
        steps = [step for each in graph.operators for step in _steps(each, graph, data)]
    except Damaged:
        raise damaged(Path(file)) from None
    names = tuple(tensor_of(graph.tensors[at]).name for at in graph.outputs)
    given = {at: tensor_of(graph.tensors[at]) for at in graph.inputs}
    network = TrainedNetwork(Path(file).stem, tuple(given.values()), names, tuple(steps))
    return Imported(network, data, given, {at: tensor_of(graph.tensors[at]) for at in sorted(made)})


def _steps(operator: Operator, graph: Graph, data: bytes) -> list[Step]:
    node = Node(operator, graph)
    build = OPERATORS.get(operator.op)
    reason = f"{operator.op} {HOSTED.get(operator.op, 'has no algorithm here')}"
    try:
        if build:
            found: list[Layer | View] = build(node)
            return list(found)
    except (Unclaimed, ValueError) as problem:
        reason = str(problem)
    makes = {at: tensor_of(graph.tensors[at]) for at in operator.makes}
    call = litert.Alone(data, operator.number, node.reads, makes)
    return [Host(operator.name, operator.op, tuple(node.reads.values()), tuple(makes.values()), reason, call)]


HOSTED = {"SOFTMAX": "divides by a sum of exponentials"}
"""Of operators that have no algorithm: why."""
