"""`halidehw run`: a list of programs on a simulated board, as a host runs it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from halidehw.commands.common import folder, json_option, print_json, progress
from halidehw.commands.simulate import MISMATCH
from halidehw.host.listing import listing
from halidehw.host.runtime import Report, Runtime, StepReport, simulated


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--reuse", is_flag=True, help="What later steps read makes room when it is not needed any more.")
@click.option("--latency", type=click.IntRange(min=1), metavar="CYCLES", help="Of the memory behind the bus.")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Of inputs that are not given.  [0]")
@click.option("--board", type=click.Path(path_type=Path), callback=folder, metavar="DIR",
              help="Keep the simulated board there, as a library for programs in C.")  # fmt: skip
@json_option
def run_command(
    file: Path, reuse: bool, latency: int | None, seed: int, board: Path | None, as_json: bool
) -> None:
    """Run the steps that FILE (.toml) lists on the machine that it describes, behind AXI4, and compare each with its
    algorithm.

    Exit code 1 where the hardware differs from the algorithm.
    """
    with progress("unifying"):
        told = listing(file, seed)
    memory = replace(told.memory, latency=latency) if latency else told.memory
    with progress("building"):
        made = simulated(told.machine, told.bus, memory, told.room)
    if board:
        made.keep(board)
    with progress("running"):
        found = Runtime(told.machine, told.bus, memory, board=made).run(told.steps, reuse=reuse)
    for number, path in told.saved.items():
        for written in found.steps[number].written[-1:]:
            np.save(path, np.asarray(written.outputs))
    if as_json:
        print_json(document(found))
    else:
        _show(found)
    if not found.match:
        raise click.exceptions.Exit(MISMATCH)


def document(report: Report) -> dict[str, Any]:
    """What was run, as JSON types."""
    steps = [{"name": step.name, "cycles": step.cycles, "macs": step.macs, "compared": _compared(step),
              "match": step.match, "addresses": dict(at)}
             for step, at in zip(report.steps, report.addresses, strict=True)]  # fmt: skip
    return {"match": report.match, "cycles": report.cycles, "sent": report.sent, "received": report.received,
            "memory": report.memory, "counters": dict(report.counters), "steps": steps}  # fmt: skip


def _show(report: Report) -> None:
    for number, step in enumerate(report.steps):
        words = _compared(step)
        said = f"{words} words right" if step.match else "WRONG"
        click.echo(f"{number} {step.name}: {step.cycles} cycles, {said if words else 'not read back'}")
    click.echo(f"{report.cycles} cycles in all; {report.sent} bytes sent, {report.received} received; "
               f"{report.memory} bytes of memory")  # fmt: skip


def _compared(step: StepReport) -> int:
    return sum(each.words for each in step.written)
