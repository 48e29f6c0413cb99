"""The arrays of a run: checked, and placed at the indices they stand for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from halidehw.errors import TypeMismatch
from halidehw.frontend.design import Design
from halidehw.frontend.params import Buffer
from halidehw.ir.nest import Nest, Tensor


def inputs_of(design: Design, nest: Nest, given: Mapping[str, np.ndarray | Buffer]) -> dict[str, Buffer]:
    """A Buffer for each input: the array given, or else the one its ImageParam is set to.

    An array is indexed with dimension 0 last. Raises `TypeMismatch` for one that is missing, unknown, or whose shape
    or values are not the tensor's.
    """
    names = [tensor.name for tensor in nest.inputs]
    if not isinstance(given, Mapping):
        raise TypeMismatch(
            f"inputs are given by name, not as {type(given).__name__}",
            legal=tuple(f'{{"{tensor.name}": {_example(tensor)}}}' for tensor in nest.inputs),
        )
    for name in given:
        if name not in names:
            raise TypeMismatch(
                f"{design.name} has no input {name}; its inputs are {', '.join(names) or 'none'}",
                legal=tuple(f'{{"{tensor.name}": {_example(tensor)}}}' for tensor in nest.inputs),
            )
    values = {image.name: image.buffer for image in design.inputs if image.buffer is not None} | dict(given)
    for tensor in nest.inputs:
        if tensor.name not in values:
            raise TypeMismatch(
                f"the input {tensor.name} has no values; it takes {_needed(tensor)}",
                legal=(f'{{"{tensor.name}": {_example(tensor)}}}',),
            )
    return {tensor.name: fitted(tensor, values[tensor.name]) for tensor in nest.inputs}


def fitted(tensor: Tensor, values: np.ndarray | Buffer) -> Buffer:
    """`values` as a Buffer over the tensor's indices. Raises `TypeMismatch` if shape, type or a value differs."""
    try:
        array = values.array if isinstance(values, Buffer) else np.asarray(values)
    except ValueError as error:
        raise TypeMismatch(f"what is given for {tensor.name} is no array: {error}", legal=(_example(tensor),)) from None
    shape = tensor.extents[::-1]
    if array.shape != shape:
        turned = (f"{tensor.name}.transpose()",) if array.shape == tensor.extents else ()
        raise TypeMismatch(
            f"the array given for {tensor.name} has shape {array.shape}; it takes {_needed(tensor)}",
            legal=(*turned, _example(tensor)),
        )
    if isinstance(values, Buffer) and any(values.mins) and values.mins != tensor.mins:
        raise TypeMismatch(
            f"the buffer given for {tensor.name} begins at {values.mins}; it takes {_needed(tensor)}",
            legal=(f"{tensor.name}.set_min({list(tensor.mins)})",),
        )
    if array.dtype.kind not in "iub":
        raise TypeMismatch(
            f"the array given for {tensor.name} is {array.dtype}; it takes {_needed(tensor)}",
            legal=(f"{tensor.name}.astype(np.{tensor.type.dtype})",),
        )
    outside = array[(array < tensor.type.min) | (array > tensor.type.max)] if array.dtype.kind != "b" else array[:0]
    if outside.size:
        raise TypeMismatch(
            f"the array given for {tensor.name} holds {outside.flat[0]}; "
            f"{tensor.type} is {tensor.type.min} .. {tensor.type.max}",
            legal=(f"{tensor.name}.clip({tensor.type.min}, {tensor.type.max})",),
        )
    buffer = Buffer(array.astype(tensor.type.dtype), tensor.name)
    buffer.type = tensor.type
    buffer.set_min(tensor.mins)
    return buffer


def _needed(tensor: Tensor) -> str:
    spans = ", ".join(
        f"{low} .. {low + extent - 1}" for low, extent in zip(tensor.mins, tensor.extents, strict=True)
    )
    return f"{tensor.type} of shape {tensor.extents[::-1]}, for the indices ({spans})"


def _example(tensor: Tensor) -> str:
    return f"np.zeros({tensor.extents[::-1]}, np.{tensor.type.dtype})"
