"""The least traffic: how many different words of a tensor a nest reads."""

from __future__ import annotations

from math import prod

from halidehw.expr.tree import nodes
from halidehw.ir.elements import touched
from halidehw.ir.exterior import within
from halidehw.ir.nest import Lookup, Nest


def compulsory(nest: Nest, tensor: str) -> int:
    """The words of a tensor's own that some iteration reads, each once; of the output: all it has."""
    if tensor == nest.output.name:
        return nest.output.words
    if tensor in nest.tables:
        lookups = (each for each in nodes(nest.value) if isinstance(each, Lookup))
        return _held(nest, next(each for each in lookups if each.tensor == tensor))
    return touched(nest, [access for access in nest.reads if access.tensor == tensor])


def _held(nest: Nest, table: Lookup) -> int:
    """The words of a tensor's own in the box of it that is held."""
    tensor, sizes = nest.tensor[table.tensor], []
    for low, size, first, extent in zip(table.mins, table.extents, tensor.mins, tensor.extents, strict=True):
        last = low + size - 1
        if tensor.boundary and tensor.boundary.value is None:
            low, last = within(tensor.boundary.kind, (first, extent), (low, last))
        elif tensor.boundary:
            low, last = max(low, first), min(last, first + extent - 1)
        sizes.append(max(0, last - low + 1))
    return prod(sizes)
