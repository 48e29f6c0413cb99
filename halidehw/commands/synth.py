"""`halidehw synth`: a design at gate level, and the model's energy beside it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from halidehw.commands.common import file_argument, hardware_options, json_option, print_json, progress
from halidehw.commands.design import compiled
from halidehw.energy_model.costs.table import load_costs
from halidehw.errors import CostError
from halidehw.microarch.options import Options
from halidehw.synthesis.calibrate import compare
from halidehw.synthesis.measure import measure
from halidehw.synthesis.report import as_json as report_json
from halidehw.synthesis.report import as_text as report_text
from halidehw.synthesis.tools import find_tools

PERIOD = click.FloatRange(min=0, min_open=True)
COSTS = "osu018"


@click.command("synth")
@file_argument
@click.option("--costs", default=COSTS, metavar="TABLE", help=f"A cost table with cells: a file or a name.  [{COSTS}]")
@click.option("--clock", "period_ns", type=PERIOD, default=10.0, metavar="NS", help="The clock's period.  [10]")
@click.option("--seed", default=0, metavar="N", help="Of the random values of every input not set.  [0]")
@click.option("--modules", type=click.IntRange(min=0), default=20, metavar="N", help="Rows of the table.  [20]")
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path), metavar="DIR", help="Keep the tools' files.")
@hardware_options
@json_option
def synth_command(
    file: Path, costs: str, period_ns: float, seed: int, modules: int, folder: Path | None, options: Options,
    as_json: bool,
) -> None:  # fmt: skip
    """Synthesise the design in FILE to cells, run the netlist, and print area, critical path and energy by module.

    Needs Debian's yosys, opensta and qflow-tech-osu018.
    """
    tools, table = find_tools(), load_costs(costs)
    if table.cells is None:
        raise CostError(f"the cost table {costs} has no cells", legal=(f"--costs {COSTS}",))
    design = compiled(file, options)
    with TemporaryDirectory(prefix="halidehw-") as temporary, progress(f"synthesising and running {design.name}"):
        kept = folder or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        found = measure(design, tools, kept, seed=seed, period_ns=period_ns)
    parts = compare(design, found, table)
    if as_json:
        print_json(report_json(found, parts, table.name))
    else:
        click.echo(report_text(found, parts, table.name, modules, period_ns), nl=False)
