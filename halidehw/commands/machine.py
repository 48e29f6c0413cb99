"""`halidehw machine`: one piece of hardware for several designs, as files."""

from __future__ import annotations

from pathlib import Path

import click

from halidehw.buses.axi import AXI
from halidehw.commands.common import bus_options, folder, json_option, print_json, progress
from halidehw.driver.files import found_in
from halidehw.frontend.load import load_all
from halidehw.machines.files import write
from halidehw.machines.machine import machine
from halidehw.microarch.options import LATENCY


@click.command("machine")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("-o", "--output", "target", type=click.Path(path_type=Path), callback=folder, required=True,
              metavar="DIR")  # fmt: skip
@click.option("--name", default="", metavar="NAME", help="What the names of all modules begin with.")
@click.option("--counters", type=click.IntRange(min=0), default=0, metavar="BITS",
              help="Of the numbers that differ, at least: room for other designs.")  # fmt: skip
@click.option("--words", type=click.IntRange(min=0), default=0, metavar="N",
              help="Of a part in each bank of each memory, at least.")  # fmt: skip
@click.option("--engines", "apart", is_flag=True,
              help="Each of FILES is an engine of its own, called as the file is, side by side with the others.")
@click.option("--port-bits", type=click.IntRange(min=0), default=0, metavar="N", help="Width of each memory port.")
@click.option("--hide-latency", type=click.IntRange(min=1), default=LATENCY, metavar="CYCLES")
@bus_options
@json_option
def machine_command(
    files: tuple[Path, ...], target: Path, name: str, counters: int, words: int, apart: bool, port_bits: int,
    hide_latency: int, bus: AXI | None, as_json: bool,
) -> None:  # fmt: skip
    """Write the Verilog of one machine for the designs in FILES, and what each of them is told, into DIR.

    A file is a design, or a Python program whose list `designs` has several. With --engines those of a file share one
    array, and files have one each.
    """
    found = [found_in(file, load_all) for file in files]
    engines = dict(zip((file.stem for file in files), found, strict=True))
    if apart and len(engines) < len(files):
        raise click.UsageError("two of FILES have one name, by which engines are called")
    with progress("unifying"):
        made = machine(engines if apart else [design for each in found for design in each], name=name,
                       counters=counters, words=words, port_bits=port_bits, hide_latency=hide_latency)  # fmt: skip
    with progress("writing"):
        paths = write(made, target, bus=bus)
    if as_json:
        lines, fetched = made.verilog().count("\n"), len(made.descriptors[0].words)
        print_json({"module": made.hardware.interface.module, "pes": made.hardware.pes, "lines": lines,
                    "programs": [each.design.name for each in made.descriptors], "descriptor_words": fetched,
                    "files": [*map(str, paths)]})  # fmt: skip
        return
    for path in paths:
        click.echo(path)
