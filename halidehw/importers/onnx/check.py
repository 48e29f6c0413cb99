"""What is wrong with a file, before anything is made of it: one line that names the node or the tensor."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, external_data_helper, helper, numpy_helper

from halidehw.errors import NetworkError
from halidehw.importers.onnx.runtime import operators
from halidehw.importers.tensors import Shape

OLDEST = 10
"""The first opset with quantised operators."""

LARGEST = 2 << 30
"""Bytes of a file: more than a protocol buffer may hold."""

LARGEST_TENSOR = 1 << 40
"""Elements of an input at most."""

QUANTISED = {"QuantizeLinear", "DequantizeLinear", "QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger"}


def checked(file: Path) -> Any:
    """The model in a file. Raises `NetworkError` for what is no quantised network that can be run."""
    model = _read(file)
    _check_quantised(file, model)
    opset = next((each.version for each in model.opset_import if each.domain in ("", "ai.onnx")), 0)
    if opset < OLDEST:
        raise NetworkError(
            f"{file} has opset {opset}, older than quantised operators, {OLDEST}",
            legal=(f"onnx.version_converter.convert_version(model, {OLDEST + 3})",),
        )
    newest = onnx.defs.onnx_opset_version()
    if opset > newest:
        raise NetworkError(f"{file} has opset {opset}, and {newest} is the newest that is known",
                           legal=(f"onnx.version_converter.convert_version(model, {newest})",))  # fmt: skip
    _check_scales(model)
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as problem:
        raise NetworkError(f"{file} is no valid network: {' '.join(str(problem).split())}") from None
    _check_operators(file, model)
    _check_zero_points(model)
    _check_types(model)
    return model


def _read(file: Path) -> Any:
    try:
        size = file.stat().st_size
        if size == 0 or size > LARGEST:
            what = "is empty" if size == 0 else f"has {size} bytes, more than {LARGEST}, which an ONNX file may have"
            raise NetworkError(f"{file} {what}")
        model = onnx.load_model(file, load_external_data=False)
    except OSError as problem:
        raise NetworkError(f"cannot read the network {file}: {problem.strerror}") from None
    except DecodeError:
        raise NetworkError(f"{file} is no ONNX file, or not all of one") from None
    if not model.graph.node:
        raise NetworkError(f"{file} is no ONNX file, or has no nodes")
    _load_outside(file, model)
    return model


def _load_outside(file: Path, model: Any) -> None:
    """Weights in files of their own, which lie in the folder of the network."""
    folder = file.parent.resolve()
    for sparse in model.graph.sparse_initializer:
        raise NetworkError(f"the weights {sparse.values.name} of {file} are sparse; those that are taken are not",
                           legal=("numpy_helper.from_array(whole, name)  # in graph.initializer",))  # fmt: skip
    for tensor in model.graph.initializer:
        if not external_data_helper.uses_external_data(tensor):
            continue
        place = next((each.value for each in tensor.external_data if each.key == "location"), "")
        if not place:
            raise NetworkError(f"the weights of {tensor.name} are outside {file}, which does not say in what file")
        found = (folder / place).resolve()
        if not found.is_relative_to(folder):
            raise NetworkError(f"the weights of {tensor.name} are in {place}, outside the folder of {file}")
        if not found.is_file():
            raise NetworkError(f"the weights of {tensor.name} are in {place}, which is missing beside {file}")
        try:
            external_data_helper.load_external_data_for_tensor(tensor, str(folder))
        except Exception as problem:
            raise NetworkError(f"the weights of {tensor.name} in {place} cannot be read: {problem}") from None
        tensor.data_location = TensorProto.DEFAULT


def _check_quantised(file: Path, model: Any) -> None:
    if not any(node.op_type in QUANTISED or node.op_type.startswith("Q") for node in model.graph.node):
        held = {each.name for each in model.graph.initializer}
        floats = [each.name for each in model.graph.input
                  if each.type.tensor_type.elem_type == TensorProto.FLOAT and each.name not in held]  # fmt: skip
        if floats:
            raise NetworkError(
                f"{file} computes with floats; it has to be quantised, with examples of {floats[0]}",
                legal=(f'quantise("{file.name}", "quantised.onnx", examples)',),
            )


def _called(node: Any) -> str:
    return f"{node.op_type} {node.name or node.output[0]}"


def _quantising(model: Any) -> list[Any]:
    return [node for node in model.graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")]


def _check_scales(model: Any) -> None:
    """A node that quantises has a scale, which something makes."""
    there = {each.name for each in (*model.graph.initializer, *model.graph.input)}
    there |= {name for node in model.graph.node for name in node.output}
    for node in _quantising(model):
        scale = node.input[1] if len(node.input) > 1 else ""
        if scale not in there or not scale:
            raise NetworkError(
                f"{_called(node)} has no scale" + f": nothing in the network is called {scale}" * bool(scale),
                legal=('model.graph.initializer.append(numpy_helper.from_array(np.float32(0.1), "scale"))',),
            )


def _check_operators(file: Path, model: Any) -> None:
    """The runtime has all operators: the others run neither on a machine nor on the host."""
    known = operators() | {(each.domain, each.name) for each in model.functions}
    known |= {("ai.onnx", name) for domain, name in known if not domain}
    others = [node for node in model.graph.node if (node.domain, node.op_type) not in known]
    if others:
        listed = "; ".join(f"{'.'.join(filter(None, (node.domain, _called(node))))}" for node in others)
        before = [name for name in others[0].input if name]
        raise NetworkError(f"ONNX Runtime has no such operators, so the host has none either: {listed}",
                           legal=(f'onnx.utils.extract_model("{file}", "part.onnx", inputs, {before})',))  # fmt: skip


def _check_types(model: Any) -> None:
    """Inputs are tensors; what dequantises has a zero point of the type of what it reads, what quantises one of 16 bits
    at most."""
    known = set(helper.get_all_tensor_dtypes())
    for each in model.graph.input:
        if each.type.tensor_type.elem_type not in known:
            raise NetworkError(f"the network's input {each.name} is no tensor of a type that is known")
    kinds = {each.name: each.data_type for each in model.graph.initializer}
    kinds |= {each.name: each.type.tensor_type.elem_type for each in model.graph.input}
    for node in _quantising(model):
        zero = kinds.get(node.input[2]) if len(node.input) > len(("x", "scale")) else None
        if node.op_type == "QuantizeLinear":
            if zero in (TensorProto.INT32, TensorProto.INT64, TensorProto.UINT32, TensorProto.UINT64):
                raise NetworkError(
                    f"{_called(node)}: its zero point {node.input[2]} is {helper.tensor_dtype_to_np_dtype(zero)}, no "
                    "type of quantised values",
                    legal=(f'numpy_helper.from_array(zero.astype(np.int8), "{node.input[2]}")',),
                )
            stated = [each.i for each in node.attribute if each.name == "output_dtype" and each.i]
            kinds[node.output[0]] = zero or (stated or [TensorProto.UINT8])[0]
        elif zero and kinds.get(node.input[0], zero) != zero:
            own, read = (helper.tensor_dtype_to_np_dtype(each) for each in (zero, kinds[node.input[0]]))
            what = f"its zero point {node.input[2]} is {own}, and what it reads, {node.input[0]}, is {read}"
            raise NetworkError(
                f"{_called(node)}: {what}",
                legal=(f'numpy_helper.from_array(zero.astype(np.{read}), "{node.input[2]}")',) * (read.kind in "iu"),
            )


def _check_zero_points(model: Any) -> None:
    """A node that quantises has one scale, or one for each of its zero points, all of them positive."""
    held = {each.name: each for each in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear") or node.input[1] not in held:
            continue
        scale = numpy_helper.to_array(held[node.input[1]])
        if not (np.isfinite(scale) & (scale > 0)).all():
            name = node.name or node.output[0]
            raise NetworkError(f"{node.op_type} {name}: its scale is {scale.ravel()[np.argmin(scale)]}, not positive")
        if len(node.input) > 2 and node.input[2] in held:
            zeros = list(held[node.input[2]].dims)
            if int(np.prod(zeros)) != scale.size:
                name = node.name or node.output[0]
                raise NetworkError(
                    f"{node.op_type} {name}: {scale.size} scales and {int(np.prod(zeros))} zero points; it has one of "
                    "each, or one of each for every channel"
                )


def fixed(model: Any, shapes: Mapping[str, Shape]) -> Any:
    """The model with the shape of every input. Raises `NetworkError` for one that is left open, or not there."""
    held = {each.name for each in model.graph.initializer}
    inputs = {each.name: each for each in model.graph.input if each.name not in held}
    for name in shapes:
        if name not in inputs:
            raise NetworkError(f"the network has no input {name}; it has {', '.join(inputs)}")
    for name, each in inputs.items():
        dims = each.type.tensor_type.shape.dim
        sizes = shapes.get(name, tuple(dim.dim_value for dim in dims))
        if name in shapes and len(shapes[name]) != len(dims):
            raise NetworkError(f"the input {name} has {len(dims)} dimensions, the shape given has {len(sizes)}")
        if name in shapes and not all(size > 0 for size in sizes):
            proposed = ",".join(str(max(size, 1)) for size in sizes)
            raise NetworkError(f"the input {name} is given the shape ({', '.join(map(str, sizes))}), which has no "
                               "elements", legal=(f"--shape {name}={proposed}",))  # fmt: skip
        if not all(size > 0 for size in sizes):
            written = ", ".join(str(dim.dim_value or dim.dim_param or "?") for dim in dims)
            proposed = ",".join(str(size if size > 0 else 1) for size in sizes)
            raise NetworkError(
                f"the shape of the input {name} is left open: ({written})", legal=(f"--shape {name}={proposed}",)
            )
        if prod(sizes) > LARGEST_TENSOR:
            said = ", ".join(map(str, sizes))
            raise NetworkError(f"the input {name} of shape ({said}) has more elements than memory can hold")
        kind = each.type.tensor_type.elem_type
        each.CopyFrom(helper.make_tensor_value_info(name, kind, sizes))
    if shapes:
        del model.graph.value_info[:]
        for output in model.graph.output:
            output.type.tensor_type.ClearField("shape")
    return model
