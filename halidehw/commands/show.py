"""`halidehw show`: a design before any Verilog."""

from __future__ import annotations

from pathlib import Path

import click

from halidehw.commands.common import file_argument, hardware_options, json_option, print_json
from halidehw.commands.design import compiled
from halidehw.driver import document
from halidehw.ir.printer import loop_nest, lowered
from halidehw.microarch.options import Options
from halidehw.microarch.printer import printed
from halidehw.report.page import page


@click.command("show")
@file_argument
@hardware_options
@json_option
@click.option("--passes", is_flag=True, help="Every level in full: the nest's statements, the network's processes.")
def show_command(file: Path, options: Options, as_json: bool, passes: bool) -> None:
    """Print the schedule, the loop nest and the micro-architecture of the design in FILE (.hh or .py)."""
    design = compiled(file, options)
    if passes:
        nests, network = lowered(design.graph), printed(design.accelerator)
        if as_json:
            print_json({"name": design.name, "nests": nests.splitlines(), "network": network.splitlines()})
        else:
            click.echo(f"{nests}\n{network}", nl=False)
        return
    if as_json:
        print_json(document(design))
        return
    click.echo("schedule")
    for nest in design.graph.stages:
        for line in nest.schedule:
            click.echo(f"  {line}")
    click.echo(f"\n{loop_nest(design.graph)}\n{page(design.accelerator, design.reads)}", nl=False)
    click.echo("\nlatencies")
    for stage in design.accelerator.stages:
        name, drained = f"{stage.name}: " if design.graph.made else "", stage.sums[-1].drained
        landed, written = stage.sums[0].landed, drained + stage.write.latency
        click.echo(f"  {name}PE {stage.compute.latency}, from a step to its sum {landed}, writer {written}")
