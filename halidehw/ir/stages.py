"""Executes a graph stage by stage, each on the whole of what those before it made."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

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
        assert isinstance(stage.output, np.ndarray)
        arrays[nest.name], made[nest.name] = stage.output, stage.complete
    last = graph.output
    found[last.name] = execute_stage(last, arrays, made) if made else execute(last, arrays)
    return found


def interpret_graph(graph: Graph, inputs: Mapping[str, np.ndarray]) -> np.ndarray | tuple[np.ndarray, ...]:
    """The output of the last stage."""
    return execute_graph(graph, inputs)[graph.output.name].output
