"""The words that pass between stages, as narrow as their values: a stage whose type is wider than what it makes hands
on the low bits, of which its readers make words of its type again.

What lies between the values follows from what the stage computes (`expr.interval`); so memories, queues and windows
between stages, and the operators behind them, have no bits that say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from halidehw.expr.interval import intervals, narrowest
from halidehw.expr.nodes import Cast, Expr
from halidehw.expr.tree import fold, rebuild
from halidehw.expr.types import Struct, Type
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Load, Lookup, Nest, Tensor
from halidehw.microarch.division import range_of


def narrowed(graph: Graph) -> Graph:
    """The graph, which computes the same, with the narrowest type for each tensor that no port sees."""
    kinds, stages = dict[str, Type](), list[Nest]()
    for nest in graph.stages:
        read = _reading(nest, kinds)
        if nest.name in graph.made and nest not in graph.outputs and (kind := _kind(read)) != nest.output.type:
            kinds[nest.name], read = kind, _making(read, kind)
        stages.append(read)
    return replace(graph, stages=tuple(stages))


def _kind(nest: Nest) -> Type:
    """The narrowest type of what a stage stores, if that is what it has computed rather than summed up."""
    kind, final = nest.output.type, nest.value if nest.epilogue is None else nest.epilogue
    if isinstance(kind, Struct) or (nest.epilogue is None and (nest.combine is not None or nest.scattered)):
        return kind
    return narrowest(kind, intervals(final, lambda leaf: range_of(nest, leaf))[id(final)])


def _making(nest: Nest, kind: Type) -> Nest:
    output = replace(nest.output, type=kind)
    if nest.epilogue is None:
        return replace(nest, output=output, type=kind, value=Cast(kind, nest.value))
    return replace(nest, output=output, epilogue=Cast(kind, nest.epilogue))


def _reading(nest: Nest, kinds: Mapping[str, Type]) -> Nest:
    """A stage that reads tensors of these types, and makes of their words what it took them for."""
    if not kinds.keys() & {tensor.name for tensor in nest.inputs}:
        return nest

    def widened(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        new = rebuild(node, parts)
        match node:
            case Load(read=read):
                name = nest.reads[read].tensor
            case Lookup(tensor=name):
                pass
            case _:
                return new
        return Cast(node.type, replace(new, type=kinds[name])) if name in kinds else new

    def typed(tensor: Tensor) -> Tensor:
        return replace(tensor, type=kinds.get(tensor.name, tensor.type))

    return replace(
        nest, inputs=tuple(map(typed, nest.inputs)), value=fold(nest.value, widened),
        epilogue=None if nest.epilogue is None else fold(nest.epilogue, widened),
    )  # fmt: skip
