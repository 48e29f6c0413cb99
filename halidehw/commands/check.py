"""`halidehw check`: the model beside the simulated hardware's own counters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from halidehw.commands.common import file_argument, hardware_options, json_option, print_json
from halidehw.commands.design import compiled
from halidehw.commands.running import compared, run_options, shown, verdict
from halidehw.commands.simulate import RATE, finite
from halidehw.driver import simulate
from halidehw.driver.draw import random_inputs
from halidehw.energy_model.counters import predicted
from halidehw.microarch.options import Options
from halidehw.simulate import Memory

SEED = "Of the random values of every input not set.  [0]"
DIFFERS = 1
"""Exit code where a count or a word differs."""


@click.command("check")
@file_argument
@click.option("--latency", default=1, metavar="CYCLES", help="Of the memory, from a request to its answer.  [1]")
@click.option("--words-per-cycle", type=float, callback=finite, metavar="RATE", help=RATE)
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help=SEED)
@run_options
@hardware_options
@json_option
def check_command(
    file: Path, latency: int, words_per_cycle: float | None, seed: int, once: bool, timeout_cycles: int | None,
    options: Options, as_json: bool,
) -> None:  # fmt: skip
    """Simulate the design in FILE with all its counters, and put them beside the model's counts.

    Then start it again, with random stalls after an abort, with each memory held back after a reset, and on a memory
    as slow as the hardware expects.

    Exit code 1 where any of them, or any word of the output, differs.
    """
    memory = Memory(latency, words_per_cycle)
    design = compiled(file, replace(options, counters="all"))
    unset = {image.name for image in design.design.inputs if image.buffer is None}
    inputs = {name: array for name, array in random_inputs(design.graph, seed).items() if name in unset}
    with shown() as observer:
        result = simulate(design, inputs, memory=memory, timeout_cycles=timeout_cycles, once=once, observer=observer)
    model = predicted(design.graph, design.accelerator, memory)
    rows = {name: (model[name], value) for name, value in result.counters.items()}
    agree = result.match and all(a == b for a, b in rows.values())
    if as_json:
        counts = {name: {"model": a, "hardware": b} for name, (a, b) in rows.items()}
        print_json({"name": design.name, **compared(result), "agree": agree, "counts": counts})
    else:
        click.echo(verdict(design.name, result))
        click.echo(f"  {'':36} {'model':>14} {'hardware':>14}")
        for name, (a, b) in rows.items():
            click.echo(f"  {name:36} {a:>14} {b:>14}{'' if a == b else '  DIFFERS'}")
    if not agree:
        raise SystemExit(DIFFERS)
