"""ONNX Runtime: what fuses a network, what runs a node on the host, and what every layer is compared with.

With int8 allowed, its optimizer makes of dequantise, operator, quantise one integer operator on every machine, not
only on those whose processor it holds to be fast at it. What it then computes is what is imported.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

from halidehw.errors import NetworkError

INT8 = "session.qdqisint8allowed"
EXACT = "session.x64quantprecision"
"""Where a processor's products of unsigned by signed bytes saturate, both become unsigned. What is then refused is a
network that has signed by signed bytes too."""


def version() -> str:
    """Of what every bit is compared with, and on which processor: without VNNI some sums may saturate."""
    try:
        flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
    except (OSError, StopIteration):
        flags = ""
    known = [flag for flag in ("avx2", "fma", "avx512_vnni", "avx_vnni", "asimddp", "i8mm") if flag in flags.split()]
    return f"ONNX Runtime {onnxruntime.__version__} on {' '.join(known) or 'an unknown processor'}"


def operators() -> frozenset[tuple[str, str]]:
    """All that it has, by domain and name."""
    return frozenset((each.domain, each.name) for each in get_all_operator_schema())


def session(model: bytes, fused: bool, save: Path | None = None) -> Any:
    """A network that can run. `fused`: after all of the runtime's own optimizations. `save`: where it writes what its
    optimizations made that do not depend on the machine. Raises `NetworkError` where it refuses the network."""
    for exact in (False,) if save else (True, False):
        with suppress(Exception):
            return _running(model, fused, save, exact)
    try:
        return _running(_named(model), fused, save, False)
    except Exception as problem:
        raise NetworkError(f"ONNX Runtime refuses the network: {_one_line(problem)}") from None


def _running(model: bytes, fused: bool, save: Path | None, exact: bool) -> Any:
    options, levels = onnxruntime.SessionOptions(), onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if fused else levels.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.add_session_config_entry(INT8, "1")
    if save or (exact and not fused):
        options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED
    if save:
        options.optimized_model_filepath = str(save)
    if exact:
        options.add_session_config_entry(EXACT, "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _named(model: bytes) -> bytes:
    """With a name for each node, for what is said of it: what it makes, where it has none."""
    found = onnx.load_model_from_string(model)
    taken = {node.name for node in found.graph.node}
    for node in found.graph.node:
        own, number = next(iter(node.output), node.op_type), 2
        while not node.name:
            node.name, own, number = own * (own not in taken), f"{own}_{number}", number + 1
        taken.add(node.name)
    return bytes(found.SerializeToString())


def _one_line(problem: Exception) -> str:
    text = " ".join(str(problem).split())
    return text.split("[ONNXRuntimeError] : ")[-1]


def fused(model: Any) -> Any:
    """The network after the runtime's optimizations, as a model of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "fused.onnx")
        session(model.SerializeToString(), True, file)
        return onnx.load(os.fspath(file))


def run(model: bytes, feeds: Mapping[str, np.ndarray], is_fused: bool = False) -> dict[str, np.ndarray]:
    """The outputs of a network by name. Raises `NetworkError` where it cannot be run."""
    return answers(session(model, is_fused), feeds)


def answers(running: Any, feeds: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name. Raises `NetworkError` where it cannot be run."""
    try:
        found = running.run(None, dict(feeds))
    except Exception as problem:
        raise NetworkError(f"ONNX Runtime cannot run the network: {_one_line(problem)}") from None
    return dict(zip((each.name for each in running.get_outputs()), found, strict=True))


@dataclass(frozen=True)
class Alone:
    """One node as a network of its own: `names` are its inputs that are given, the others are constants of it."""

    model: bytes
    names: tuple[str, ...]

    @cached_property
    def session(self) -> Any:
        return session(self.model, False)

    def __call__(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        return list(answers(self.session, dict(zip(self.names, arrays, strict=True))).values())


def names_read(node: Any) -> list[str]:
    """The tensors that a node reads, also inside the graphs that it has as attributes."""
    found = [name for name in node.input if name]
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            made = {each.name for each in (*graph.input, *graph.initializer)}
            for inner in graph.node:
                found += [name for name in names_read(inner) if name not in made]
                made |= set(inner.output)
            found += [each.name for each in graph.output if each.name not in made]
    return found


def alone(
    nodes: Sequence[Any], given: Mapping[str, np.dtype], constants: Mapping[str, Any], opsets: Mapping[str, int]
) -> Alone:
    """Some nodes alone, which give what the last one makes: `given` has the types of what is not among the constants,
    of any shape."""
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(kind), None)
        for name, kind in given.items()
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in nodes[-1].output if name]
    read = dict.fromkeys(name for node in nodes for name in names_read(node))
    held = [constants[name] for name in read if name in constants]
    graph = helper.make_graph(list(nodes), "alone", inputs, outputs, held)
    known = [helper.make_opsetid(domain, number) for domain, number in opsets.items()]
    return Alone(helper.make_model(graph, opset_imports=known, ir_version=10).SerializeToString(), tuple(given))
