"""The sums of a trained network, convolutions and dense layers, on one machine: every bit beside ONNX Runtime's.

    python -m benchmarks.machine_network resnet.onnx --array 8
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

import halidehw as hl
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.text import parse, write
from halidehw.importers.onnx import load_onnx
from halidehw.importers.steps import Layer


@dataclass(frozen=True)
class Scheduled:
    layer: Layer
    design: Design


def scheduled(layer: Layer, array: int) -> Scheduled:
    """A layer with channels C | K on a square array, rows of outputs one after the other."""
    assert layer.shape is not None
    loops, subject = dict(layer.shape.loops), layer.shape.subject
    inner = [loops[dim] for dim in ("X", "FX", "FY") if dim in loops]
    outer = [loops[dim] for dim in ("Y",) if dim in loops]
    order = ", ".join(("ci", "ki", *inner, "co", *outer, "ko"))
    lines = [
        write(design_of(layer.func)),
        "Var ko, ki, co, ci;",
        f"{subject}.update().split({loops['K']}, ko, ki, {array}).split({loops['C']}, co, ci, {array})"
        f".reorder({order}).unroll(ci).unroll(ki);",
    ]
    return Scheduled(layer, parse("\n".join([*lines, ""])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--op", nargs="+", default=["QLinearConv"])
    parser.add_argument("--array", type=int, default=8)
    parser.add_argument("--port-bits", type=int, default=128)
    parser.add_argument("--no-simulate", action="store_true")
    parser.add_argument("--counters", type=int, default=0)
    arguments = parser.parse_args()
    found = load_onnx(arguments.file)
    chosen = [scheduled(layer, arguments.array) for layer in found.network.layers if layer.op in arguments.op]
    machine = hl.machine([each.design for each in chosen], port_bits=arguments.port_bits, counters=arguments.counters)
    words = len(machine.descriptors[0].words)
    print(f"{len(chosen)} layers, {len(machine.verilog()) / 1000:.0f} kB of Verilog, descriptor of {words} words")
    predicted = machine.estimate([each.design for each in chosen], listed=True)
    for each, run in zip(chosen, predicted, strict=True):
        print(each.layer.name, run.total, run.run.busy, run.run.stalls)
    print("sum", sum(run.total for run in predicted))
    if arguments.no_simulate:
        return
    rng = np.random.default_rng(0)
    image: dict[str, Any] = {
        each.name: rng.integers(-128, 128, each.shape).astype(each.dtype) for each in found.network.inputs
    }
    values = found.network.evaluate(image)
    runs = [(each.design, each.layer.arrays(values)) for each in chosen]
    for each, result, run in zip(chosen, machine.simulate(runs, listed=True), predicted, strict=True):
        print(each.layer.name, result.match, result.cycles, result.cycles == run.run.total)


if __name__ == "__main__":
    main()
