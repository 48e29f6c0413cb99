"""A plain cocotb bench beside a design's Verilog, to start from."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import resources

import numpy as np

from halidehw.driver.arrays import inputs_of, laid
from halidehw.driver.build import Compiled
from halidehw.driver.draw import random_inputs
from halidehw.driver.run import Values, answers
from halidehw.energy_model.counters import predicted
from halidehw.expr.types import words_of
from halidehw.frontend.params import Buffer
from halidehw.ir.nest import Nest
from halidehw.simulate import Memory

_TEXTS = ("bench.py", "run_bench.py")


def bench_files(compiled: Compiled, seed: int = 0) -> dict[str, str]:
    """File name -> text of a bench: memories, a run, an abort and a reset, and the words that go in and come out.

    Inputs that are not set are random, by `seed`.
    """
    graph = compiled.graph
    unset = {image.name for image in compiled.design.inputs if image.buffer is None}
    made = {name: array for name, array in random_inputs(graph, seed).items() if name in unset}
    buffers: dict[str, Buffer] = inputs_of(compiled.design, graph, made)
    right, memory = answers(compiled.design, compiled.graph, buffers), laid(graph, buffers)

    def words(values: list[int], bits: int) -> list[int]:
        return [value & (1 << bits) - 1 for value in values]

    facts = {
        "verilog": f"{compiled.name}.v",
        "module": compiled.interface.module,
        "ports": [asdict(port) for port in compiled.interface.ports],
        "shared": bool(compiled.interface.shared),
        "cycles": predicted(compiled.graph, compiled.accelerator, Memory())["cycles"],
        "inputs": {each.name: words(memory[each.name].tolist(), each.type.bits) for each in graph.inputs},
        "outputs": {nest.name: words(_left(nest, right[nest.name]).tolist(), nest.output.type.bits)
                    for nest in graph.outputs},
        "between": {name: graph.stage[name].output.span for name in sorted(graph.between)},
    }  # fmt: skip
    folder = resources.files("halidehw.driver").joinpath("start")
    return {name: folder.joinpath(name).read_text() for name in _TEXTS} | {"bench.json": json.dumps(facts) + "\n"}


def _left(nest: Nest, right: Values) -> np.ndarray:
    """What a run leaves in the memory of an output that held zeros."""
    return nest.output.laid(words_of(nest.output.type, right))
