"""`halidehw compile`: the hardware of a design as files."""

from __future__ import annotations

from pathlib import Path

import click

from halidehw.buses.axi import AXI
from halidehw.commands.common import (
    bus_options,
    counter_options,
    file_argument,
    folder,
    hardware_options,
    json_option,
    print_json,
    progress,
)
from halidehw.commands.design import compiled
from halidehw.driver import write
from halidehw.microarch.options import Options


@click.command("compile")
@file_argument
@click.option("-o", "--output", "target", type=click.Path(path_type=Path), callback=folder, required=True,
              metavar="DIR")  # fmt: skip
@click.option("--bench", is_flag=True, help="A plain cocotb bench too: bench.py, run by run_bench.py.")
@click.option("--loops", is_flag=True, help="PEs, lanes and banks as loops over arrays in place of instances.")
@hardware_options
@counter_options
@bus_options
@json_option
def compile_command(
    file: Path, target: Path, bench: bool, loops: bool, options: Options, bus: AXI | None, as_json: bool
) -> None:
    """Write the Verilog and the description of the design in FILE (.hh or .py) into DIR."""
    if bus and (bench or loops):
        raise click.UsageError("--bus axi4 goes with neither --bench nor --loops")
    design = compiled(file, options, loops=loops)
    with progress("writing"):
        paths = write(design, target, bench=bench, bus=bus)
    if as_json:
        pes, lines = design.accelerator.pes, (target / f"{design.name}.v").read_text().count("\n")
        module = design.interface.module
        print_json({"name": design.name, "module": module, "pes": pes, "lines": lines, "files": [*map(str, paths)]})
        return
    for path in paths:
        click.echo(path)
