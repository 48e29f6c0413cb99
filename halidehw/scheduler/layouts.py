"""The layouts of tensors outside, once all of them have their extents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from halidehw.errors import HardwareError
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest, Tensor


def with_layouts(graph: Graph, tensors: Iterable[ImageParam | Func]) -> Graph:
    """The graph whose tensors outside lie as is said of them: `tensors`, all that its algorithm has.

    Raises HardwareError for a layout that is none, or of a Func that is not written to memory.
    """
    outside = {nest.name for nest in graph.outputs} | graph.between
    said = {each.name: each for each in tensors if each.storage}
    if not said:
        return graph
    for nest in graph.stages:
        if nest.name in said and nest.name not in outside:
            raise HardwareError(
                f"{nest.name} is not written to memory, so it has no layout there; remove the line, or write it",
                legal=(f"Pipeline([{nest.name}, {graph.output.name}])",),
                source=said[nest.name].storage.source,
            )
    return replace(graph, stages=tuple(_laid(nest, said) for nest in graph.stages))


def _laid(nest: Nest, said: Mapping[str, ImageParam | Func]) -> Nest:
    def laid(tensor: Tensor) -> Tensor:
        found = said.get(tensor.name)
        if found is None:
            return tensor
        subject = found.stored_name if isinstance(found, ImageParam) else f"{found.name}.output_buffer()"
        return replace(tensor, layout=found.storage.layout(subject, tensor.extents, tensor.type))

    return replace(nest, inputs=tuple(map(laid, nest.inputs)), output=laid(nest.output))
