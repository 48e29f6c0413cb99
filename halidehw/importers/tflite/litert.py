"""LiteRT: what every bit of a TFLite network is compared with, by its reference kernels, and what runs on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halidehw.errors import NetworkError
from halidehw.importers.tensors import Tensor


def _needed() -> tuple[Any, Any]:
    """Its interpreter, and the tables of its files. Raises NetworkError without the package."""
    try:
        from ai_edge_litert import interpreter, schema_py_generated
    except ModuleNotFoundError as missing:
        raise NetworkError(
            f"to run a TFLite network beside its own runtime takes the package {missing.name}",
            legal=("pip install 'halidehw[tflite]'",),
        ) from None
    return interpreter, schema_py_generated


def version() -> str:
    from importlib.metadata import version as of

    return f"LiteRT {of('ai-edge-litert')}, reference kernels"


def _running(model: bytes) -> Any:
    found, _ = _needed()
    try:
        running = found.Interpreter(
            model_content=model, experimental_op_resolver_type=found.OpResolverType.BUILTIN_REF,
            experimental_preserve_all_tensors=True,
        )  # fmt: skip
        running.allocate_tensors()
    except (ValueError, RuntimeError) as problem:
        raise NetworkError(f"LiteRT refuses the network: {' '.join(str(problem).split())}") from None
    return running


def every(
    model: bytes, given: Mapping[int, Tensor], arrays: Sequence[np.ndarray], asked: Mapping[int, Tensor]
) -> dict[str, np.ndarray]:
    """Tensors by name, of those `asked` for by number; `given`: those that the arrays are. Raises NetworkError for what
    LiteRT cannot run."""
    running = _running(model)
    try:
        for (number, tensor), array in zip(given.items(), arrays, strict=True):
            running.set_tensor(number, tensor.laid(array))
        running.invoke()
        return {each.name: each.taken(running.get_tensor(number)) for number, each in asked.items()}
    except (ValueError, RuntimeError) as problem:
        raise NetworkError(f"LiteRT cannot run the network: {' '.join(str(problem).split())}") from None


@dataclass(frozen=True)
class Alone:
    """One operator of a network on the host: of the arrays of `reads`."""

    model: bytes
    operator: int
    reads: Mapping[int, Tensor]
    makes: Mapping[int, Tensor]

    def __call__(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        return list(every(self._cut(), self.reads, arrays, self.makes).values())

    def _cut(self) -> bytes:
        """The network with that operator only."""
        from flatbuffers import Builder

        _, schema = _needed()
        model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(self.model, 0))
        graph = model.subgraphs[0]
        graph.operators = [graph.operators[self.operator]]
        graph.inputs = list(self.reads)
        graph.outputs = graph.operators[0].outputs
        model.signatureDefs = model.metadata = None
        builder = Builder(len(self.model))
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())
