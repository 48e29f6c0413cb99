"""The arrays of a run: checked, and placed at the indices they stand for."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from halidehw.errors import TypeMismatch
from halidehw.frontend.design import Design
from halidehw.frontend.params import Buffer, converted
from halidehw.ir.graph import Graph, graph_of
from halidehw.ir.nest import Nest, Tensor


class Unfit(TypeMismatch):
    """An array that is not what an input takes; `ways`: what is, in terms of `array`, the one given."""

    def __init__(self, message: str, name: str, ways: tuple[str, ...]):
        super().__init__(message, legal=tuple(f'{{"{name}": {way}}}' for way in ways))
        self.ways = ways


def inputs_of(
    design: Design, lowered: Nest | Graph, given: Mapping[str, np.ndarray | Buffer]
) -> dict[str, Buffer]:
    """A Buffer for each input: the array given, or else the one its ImageParam is set to.

    An array is indexed with dimension 0 last. Raises `TypeMismatch` for one that is missing, unknown, or whose shape
    or values are not the tensor's.
    """
    tensors = graph_of(lowered).inputs
    names = [tensor.name for tensor in tensors]
    if not isinstance(given, Mapping):
        raise TypeMismatch(
            f"inputs are given by name, not as {type(given).__name__}",
            legal=tuple(f'{{"{tensor.name}": {_example(tensor)}}}' for tensor in tensors),
        )
    for name in given:
        if name not in names:
            raise TypeMismatch(
                f"{design.name} has no input {name}; its inputs are {', '.join(names) or 'none'}",
                legal=tuple(f'{{"{tensor.name}": {_example(tensor)}}}' for tensor in tensors),
            )
    values = {image.name: image.buffer for image in design.inputs if image.buffer is not None} | dict(given)
    for tensor in tensors:
        if tensor.name not in values:
            raise TypeMismatch(
                f"the input {tensor.name} has no values; it takes {_needed(tensor)}",
                legal=(f'{{"{tensor.name}": {_example(tensor)}}}',),
            )
    return {tensor.name: fitted(tensor, values[tensor.name]) for tensor in tensors}


def laid(graph: Graph, buffers: Mapping[str, Buffer]) -> dict[str, np.ndarray]:
    """What the memory of each input holds, in the order of addresses."""
    tensors = {tensor.name: tensor for tensor in graph.inputs}
    return {name: tensors[name].laid(buffer.array.reshape(-1)) for name, buffer in buffers.items()}


def fitted(tensor: Tensor, values: np.ndarray | Buffer) -> Buffer:
    """`values` as a Buffer over the tensor's indices. Raises `Unfit` if shape, type or a value differs."""
    name = tensor.name
    given = f"the {'array' if tensor.extents else 'number'} given for {name}"
    try:
        array = values.array if isinstance(values, Buffer) else np.asarray(values)
    except ValueError as error:
        raise Unfit(f"what is given for {name} is no array: {error}", name, (_example(tensor),)) from None
    if array.shape != tensor.extents[::-1]:
        raise Unfit(f"{given} has shape {array.shape}; it takes {_needed(tensor)}", name, _ways(tensor, array))
    if isinstance(values, Buffer) and any(values.mins) and values.mins != tensor.mins:
        raise TypeMismatch(
            f"the buffer given for {name} begins at {values.mins}; it takes {_needed(tensor)}",
            legal=(f"buffer.set_min({list(tensor.mins)})",),
        )
    if array.dtype.kind not in "iub":
        raise Unfit(f"{given} is {array.dtype}; it takes {_needed(tensor)}", name, _ways(tensor, array))
    outside = array[(array < tensor.type.min) | (array > tensor.type.max)] if array.dtype.kind != "b" else array[:0]
    if outside.size:
        holds = f"{given} {'holds' if tensor.extents else 'is'} {outside.flat[0]}"
        span = f"{tensor.type} is {tensor.type.min} .. {tensor.type.max}"
        raise Unfit(f"{holds}; {span}", name, _ways(tensor, array))
    buffer = Buffer(array.astype(tensor.type.dtype), tensor.name)
    buffer.type = tensor.type
    buffer.set_min(tensor.mins)
    return buffer


def _needed(tensor: Tensor) -> str:
    spans = ", ".join(
        f"{low} .. {low + extent - 1}" for low, extent in zip(tensor.mins, tensor.extents, strict=True)
    )
    return f"{tensor.type} of shape {tensor.extents[::-1]}, for the indices ({spans})"


def _ways(tensor: Tensor, array: np.ndarray) -> tuple[str, ...]:
    """What fits, made of `array`: turned, in another shape, or cut and filled up; nothing if its dimensions differ."""
    needed = tensor.extents[::-1]
    if array.shape == needed:
        shaped = "array"
    elif array.shape == tensor.extents:
        shaped = "array.transpose()"
    elif array.size == math.prod(needed):
        shaped = f"array.reshape({needed})"
    elif array.ndim == len(needed):
        missing = [(0, max(need - has, 0)) for need, has in zip(needed, array.shape, strict=True)]
        cut = ", ".join(f":{need}" if need < has else ":" for need, has in zip(needed, array.shape, strict=True))
        shaped = f"np.pad(array, {missing})" if any(map(any, missing)) else "array"
        shaped += f"[{cut}]" if cut.strip(":, ") else ""
    else:
        return ()
    found = converted(array, tensor.type, shaped)
    return (found,) if found else ()


def _example(tensor: Tensor) -> str:
    if not tensor.extents:
        return "0"
    return f"np.zeros({tensor.extents[::-1]}, np.{tensor.type.dtype})"
