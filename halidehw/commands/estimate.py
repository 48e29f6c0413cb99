"""`halidehw estimate`: where a design's cycles and energy go."""

from __future__ import annotations

from pathlib import Path

import click

from halidehw.backend_hdl.registers import elaborated
from halidehw.buses.axi import AXI
from halidehw.commands.common import (
    bus_options,
    file_argument,
    hardware_options,
    json_option,
    picture,
    print_json,
    progress,
)
from halidehw.commands.design import read, say
from halidehw.commands.simulate import RATE, finite
from halidehw.energy_model.costs.table import load_costs
from halidehw.energy_model.estimate import DEFAULT_COSTS, estimate_hardware
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.report.estimate import as_json as report_json
from halidehw.report.estimate import as_text as report_text
from halidehw.report.plots import plot
from halidehw.scheduler import lower_graph
from halidehw.simulate import Memory

NEW = click.Path(path_type=Path, dir_okay=False)


@click.command("estimate")
@file_argument
@click.option("--costs", default=DEFAULT_COSTS, metavar="TABLE", help="A TOML or YAML file, or a built-in name.")
@click.option("--latency", type=int, metavar="CYCLES",
              help="Of the memory, from a request to its answer.  [1, behind a bus 50]")
@click.option("--words-per-cycle", type=float, callback=finite, metavar="RATE", help=RATE)
@click.option("--plot", "drawing", type=NEW, callback=picture, metavar="FILE", help="Draw it (.png, .svg, .pdf).")
@hardware_options
@bus_options
@json_option
def estimate_command(
    file: Path, costs: str, latency: int | None, words_per_cycle: float | None, drawing: Path | None,
    options: Options, bus: AXI | None, as_json: bool,
) -> None:  # fmt: skip
    """Print cycles, energy and traffic of the design in FILE (.hh or .py), without simulating it."""
    usual, table = bus.latency if bus else 1, load_costs(costs)
    memory = Memory(usual if latency is None else latency, words_per_cycle)
    with progress(f"reading {file}"):
        graph = lower_graph(read(file))
    say(graph.notes)
    accelerator = derive(graph, options)
    with progress(f"estimating {graph.output.name}"):
        found = estimate_hardware(graph, accelerator, table, memory, elaborated, bus)
    if drawing:
        plot(found, drawing)
    if as_json:
        print_json(report_json(found))
    else:
        click.echo(report_text(found), nl=False)
