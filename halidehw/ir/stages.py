"""Executes a graph stage by stage, each on the whole of what those before it made."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from halidehw.expr.types import points
from halidehw.ir.graph import Graph
from halidehw.ir.interpreter import Execution, execute, execute_stage


def execute_graph(graph: Graph, inputs: Mapping[str, np.ndarray]) -> dict[str, Execution]:
    """Run the stages in their order; what each gives by its name, the output's last.

    `inputs`: tensor name -> array (axes: the tensor's last dimension first). Raises what `execute` raises, and
    `InvariantError` where a stage reads an element that its producer does not make.
    """
    arrays, made = dict(inputs), dict[str, np.ndarray]()
    found: dict[str, Execution] = {}
    for nest in graph.stages[:-1]:
        found[nest.name] = stage = execute_stage(nest, arrays, made)
        arrays[nest.name], made[nest.name] = points(nest.output.type, stage.output), stage.complete
    last = graph.output
    found[last.name] = execute_stage(last, arrays, made) if made else execute(last, arrays)
    return found


Values = np.ndarray | tuple[np.ndarray, ...]
"""Of a Func of several values an array of each."""


def interpret_graph(graph: Graph, inputs: Mapping[str, np.ndarray]) -> tuple[Values, ...]:
    """The outputs, in the order of their stages."""
    found = execute_graph(graph, inputs)
    return tuple(found[nest.name].output for nest in graph.outputs)
