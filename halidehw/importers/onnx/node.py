"""A node of a network with what is known of it: its attributes, its constants and its tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from halidehw.expr.types import Type, type_of_dtype
from halidehw.importers.onnx.runtime import Alone, alone, names_read
from halidehw.importers.tensors import Tensor


class Unclaimed(Exception):
    """A node, or a case of one, that is no algorithm here, and why."""


@dataclass(frozen=True)
class Known:
    """What is known of a whole network: `tensors` by name, `constants` by name, the versions of its operators, and
    the node that makes each tensor."""

    tensors: Mapping[str, Tensor]
    constants: Mapping[str, TensorProto]
    opsets: Mapping[str, int]
    makers: Mapping[str, Any]


@dataclass(frozen=True)
class Node:
    """A node of the network. Inputs are asked for by place. `inner`: the nodes that it stands for, if these are
    several."""

    proto: Any
    known: Known
    inner: tuple[Any, ...] = ()

    @property
    def op(self) -> str:
        return str(self.proto.op_type)

    @property
    def name(self) -> str:
        """Its own name, or what it makes."""
        return str(self.proto.name or self.proto.output[0])

    def part(self, number: int) -> str:
        """The name of the step that makes one of several outputs."""
        return f"{self.name}_part_{number}"

    @property
    def output(self) -> Tensor:
        return self.known.tensors[self.proto.output[0]]

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        return tuple(self.known.tensors[name] for name in self.proto.output if name)

    @property
    def reads(self) -> tuple[Tensor, ...]:
        """The tensors that are no constants, each once."""
        names = dict.fromkeys(name for name in names_read(self.proto) if name not in self.known.constants)
        return tuple(self.known.tensors[name] for name in names)

    def attribute(self, name: str, default: Any = None) -> Any:
        found = next((each for each in self.proto.attribute if each.name == name), None)
        value = default if found is None else helper.get_attribute_value(found)
        return value.decode() if isinstance(value, bytes) else value

    def has(self, place: int) -> bool:
        return place < len(self.proto.input) and self.proto.input[place] != ""

    def is_constant(self, place: int) -> bool:
        return self.has(place) and self.proto.input[place] in self.known.constants

    def tensor(self, place: int) -> Tensor:
        """Raises `Unclaimed` for a constant."""
        if self.is_constant(place):
            raise Unclaimed(f"its input {place} is a constant")
        return self.known.tensors[self.proto.input[place]]

    def constant(self, place: int) -> np.ndarray:
        """Raises `Unclaimed` for what is known only when it runs."""
        if not self.is_constant(place):
            raise Unclaimed(f"its input {place}, {self.proto.input[place]}, is known only when it runs")
        return np.asarray(numpy_helper.to_array(self.known.constants[self.proto.input[place]]))

    def operand(self, place: int) -> Tensor | np.ndarray:
        return self.constant(place) if self.is_constant(place) else self.tensor(place)

    def integers(self, place: int) -> tuple[int, ...] | None:
        """A list of a constant; None for an input that is left out."""
        return tuple(map(int, self.constant(place).ravel())) if self.has(place) else None

    def scalar(self, place: int) -> Any:
        """A constant of one element."""
        found = self.constant(place)
        if found.size != 1:
            raise Unclaimed(f"its input {place} has {found.size} elements, where one serves the whole tensor")
        return found.reshape(())[()]

    def kind(self, place: int) -> Type:
        """The type of an integer input."""
        return integer(self.operand(place).dtype)

    def scale(self, place: int) -> np.ndarray | None:
        """Of an input that a node dequantises by a constant."""
        maker = self.known.makers.get(self.proto.input[place]) if self.has(place) else None
        held = self.known.constants.get(maker.input[1]) if maker and maker.op_type == "DequantizeLinear" else None
        return None if held is None else np.asarray(numpy_helper.to_array(held))

    def call(self) -> Alone:
        """The node on the host: of the arrays of `reads`."""
        return self.asked({tensor.name: tensor.dtype for tensor in self.reads})

    def asked(self, given: Mapping[str, np.dtype]) -> Alone:
        """The node on the host, of inputs of any shape."""
        return alone(self.inner or (self.proto,), given, self.known.constants, self.known.opsets)


def integer(dtype: np.dtype) -> Type:
    """Raises `Unclaimed` for what is no integer."""
    if dtype.kind not in "iub":
        raise Unclaimed(f"it computes with {dtype}")
    return type_of_dtype(dtype)


Builder = Callable[[Node], Any]
"""Makes a step of a node, or several. Raises `Unclaimed`."""
