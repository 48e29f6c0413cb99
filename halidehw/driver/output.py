"""What is written about a compiled design."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from halidehw.buses.axi import AXI
from halidehw.buses.controlled import Behind, behind
from halidehw.buses.files import bus_files
from halidehw.driver.bench import bench_files
from halidehw.driver.build import Compiled
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest
from halidehw.ir.printer import buffers_json, loop_nest, loops_json
from halidehw.microarch.network import Stage
from halidehw.report.describe import describe
from halidehw.report.page import page
from halidehw.report.picture import picture


def document(compiled: Compiled) -> dict[str, Any]:
    """The design as plain data: schedule, loops (outer to inner) and buffers, those of the `stages` that the output is
    made from too; micro-architecture, latencies."""
    return {
        "name": compiled.name,
        "notes": [note.message for note in compiled.notes],
        "stages": [{"name": nest.name, **_loops(nest)} for nest in compiled.graph.stages[:-1]],
        "layouts": _layouts(compiled.graph),
        **_loops(compiled.nest),
        "microarchitecture": describe(compiled.accelerator, compiled.reads),
        "latencies": _latencies(compiled.accelerator.output),
    }


def _layouts(graph: Graph) -> dict[str, Any]:
    """Of the tensors in memory that are not dense, the parts of their indices, the fastest first: element i of a
    dimension, counted from its first, is at word (i // step % extent) * stride, summed over all parts."""
    outside = (*graph.inputs, *(nest.output for nest in graph.outputs))
    return {each.name: [asdict(part) for part in each.layout.parts] for each in outside if each.layout}


def _latencies(stage: Stage) -> dict[str, int]:
    """In cycles: `pe`, from a PE's operands to its product; `landed`, from a step of the array until its sum is in the
    level next to it; `drain`, from the last level to the writer; `writer`, from a step of that to its word."""
    return {"pe": stage.compute.latency, "landed": stage.sums[0].landed, "drain": stage.sums[-1].drained,
            "writer": stage.write.latency}  # fmt: skip


def _loops(nest: Nest) -> dict[str, Any]:
    return {"schedule": list(nest.schedule), "loops": loops_json(nest), "buffers": buffers_json(nest)}


def files(compiled: Compiled, bus: AXI | None = None) -> dict[str, str]:
    """File name -> text of everything that `write` writes."""
    name = f"{compiled.name}.v"
    return {
        **({name: compiled.verilog} if bus is None else behind_files(behind(compiled.accelerator, bus), name)),
        "loop_nest.txt": loop_nest(compiled.graph),
        "microarchitecture.txt": page(compiled.accelerator, compiled.reads),
        "microarchitecture.svg": picture(compiled.accelerator),
        "design.json": json.dumps(document(compiled), indent=2) + "\n",
    }


def behind_files(found: Behind, verilog: str) -> dict[str, str]:
    """File name -> text of what an accelerator behind its buses has in common with others. `verilog`: a name."""
    return {verilog: found.verilog, **bus_files(found.registers, found.attached.module, verilog)}


def write(
    compiled: Compiled, directory: Path | str, *, bench: bool = False, bus: AXI | None = None
) -> list[Path]:
    """Write a design's files into a folder, which is made if it is not there; all of them or none. `bench`: with a
    plain cocotb bench to start from. `bus`: behind AXI4, with drivers.

    Raises OSError if the folder cannot be written, HardwareError for a bus that is narrower than a port.
    """
    return written(files(compiled, bus) | (bench_files(compiled) if bench else {}), directory)


def written(texts: Mapping[str, str], directory: Path | str) -> list[Path]:
    """Files by name in a folder, which is made if it is not there; all of them or none."""
    target = Path(directory)
    target.parent.mkdir(parents=True, exist_ok=True)
    private = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for name, content in texts.items():
            (private / name).write_text(content, encoding="utf-8")
        target.mkdir(exist_ok=True)
        for name in texts:
            os.replace(private / name, target / name)
    finally:
        shutil.rmtree(private, ignore_errors=True)
    return [target / name for name in texts]
