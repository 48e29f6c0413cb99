"""What is written about a compiled design."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from halidehw.backend_hdl.timing import latencies
from halidehw.driver.bench import bench_files
from halidehw.driver.build import Compiled
from halidehw.ir.printer import buffers_json, loop_nest, loops_json
from halidehw.report.describe import describe
from halidehw.report.page import page
from halidehw.report.picture import picture


def document(compiled: Compiled) -> dict[str, Any]:
    """The design as plain data: schedule, loops (outer to inner), buffers, micro-architecture, latencies."""
    return {
        "name": compiled.name,
        "schedule": list(compiled.nest.schedule),
        "notes": [note.message for note in compiled.notes],
        "loops": loops_json(compiled.nest),
        "buffers": buffers_json(compiled.nest),
        "microarchitecture": describe(compiled.accelerator, compiled.nest.reads),
        "latencies": asdict(latencies(compiled.accelerator.output)),
    }


def files(compiled: Compiled) -> dict[str, str]:
    """File name -> text of everything that `write` writes."""
    return {
        f"{compiled.name}.v": compiled.verilog,
        "loop_nest.txt": loop_nest(compiled.nest),
        "microarchitecture.txt": page(compiled.accelerator, compiled.nest.reads),
        "microarchitecture.svg": picture(compiled.accelerator),
        "design.json": json.dumps(document(compiled), indent=2) + "\n",
    }


def write(compiled: Compiled, directory: Path | str, *, bench: bool = False) -> list[Path]:
    """Write a design's files into a folder, which is made if it is not there; all of them or none. `bench`: with a
    plain cocotb bench to start from.

    Raises OSError if the folder cannot be written.
    """
    target = Path(directory)
    texts = files(compiled) | (bench_files(compiled) if bench else {})
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
