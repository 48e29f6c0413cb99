"""The least traffic: how many different words of a tensor a nest reads."""

from __future__ import annotations

from math import prod

from halidehw.ir.elements import touched
from halidehw.ir.nest import Nest


def compulsory(nest: Nest, tensor: str) -> int:
    """The words of a tensor's own that some iteration reads, each once; of the output: all it has."""
    if tensor == nest.output.name:
        return nest.output.words
    if tensor in nest.tables:
        return prod(nest.tables[tensor])
    return touched(nest, [access for access in nest.reads if access.tensor == tensor])
