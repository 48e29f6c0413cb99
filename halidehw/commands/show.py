"""`halidehw show`: a design before any Verilog."""

from __future__ import annotations

from pathlib import Path

import click

from halidehw.backend_hdl.timing import latencies
from halidehw.commands.common import compiled, file_argument, hardware_options, json_option, print_json, read
from halidehw.driver import document
from halidehw.ir.printer import loop_nest, lowered
from halidehw.microarch.options import Options
from halidehw.microarch.printer import printed
from halidehw.report.page import page
from halidehw.scheduler import lower_graph


@click.command("show")
@file_argument
@hardware_options
@json_option
@click.option("--passes", is_flag=True, help="Every level in full: the nest's statements, the network's processes.")
def show_command(file: Path, options: Options, as_json: bool, passes: bool) -> None:
    """Print the schedule, the loop nest and the micro-architecture of the design in FILE (.hh or .py)."""
    graph = lower_graph(read(file).output)
    if graph.made and not as_json:
        click.echo(lowered(graph) if passes else loop_nest(graph))
    design = compiled(file, options)
    if passes:
        click.echo(f"{lowered(design.nest)}\n{printed(design.accelerator)}", nl=False)
        return
    if as_json:
        print_json(document(design))
        return
    click.echo("schedule")
    for line in design.nest.schedule:
        click.echo(f"  {line}")
    click.echo(f"\n{loop_nest(design.nest)}\n{page(design.accelerator, design.nest.reads)}", nl=False)
    late = latencies(design.accelerator.output)
    click.echo(f"\nlatencies\n  PE {late.pe}, from a step to its sum {late.landed}, writer {late.drain + late.writer}")
