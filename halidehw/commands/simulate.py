"""`halidehw simulate`: a design's Verilog, run and compared with its algorithm."""

from __future__ import annotations

import json
import shlex
from itertools import count
from math import isfinite
from pathlib import Path
from typing import Any

import click
import numpy as np

from halidehw.buses.axi import AXI
from halidehw.commands.common import (
    bus_options,
    counter_options,
    file_argument,
    hardware_options,
    in_folder,
    json_option,
    print_json,
)
from halidehw.commands.design import compiled
from halidehw.commands.refused import Refused
from halidehw.commands.running import compared, run_options, shown, verdict, waves_options
from halidehw.driver import Result, simulate
from halidehw.driver.arrays import Unfit, fitted
from halidehw.driver.draw import random_inputs
from halidehw.expr.types import points
from halidehw.ir.nest import Tensor
from halidehw.microarch.options import Options
from halidehw.notation import counted
from halidehw.simulate import Memory, Waves

MISMATCH = 1
"""Exit code where the hardware's words are not the algorithm's."""

NEW = click.Path(path_type=Path, dir_okay=False)
SEED = "Of the random stalls, and of the random values of every input not given.  [0]"
RATE = "Words each memory port moves in a cycle, on average.  [all its lanes]"


def finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """A rate that is a number."""
    if value is not None and not isfinite(value):
        raise click.BadParameter(f"{value} is no number of words")
    return value


@click.command("simulate")
@file_argument
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help=SEED)
@click.option("--input", "given", multiple=True, metavar="NAME=FILE.npy", help="The array of an input.")
@click.option("--latency", type=int, metavar="CYCLES",
              help="Of the memory, from request to answer.  [1, behind a bus 50]")
@click.option("--words-per-cycle", type=float, callback=finite, metavar="WORDS", help=RATE)
@click.option("--stalls", default=0.0, metavar="P", help="Probability of a random stall in a cycle.  [0]")
@click.option("--output", type=NEW, callback=in_folder, metavar="FILE.npy",
              help="The hardware's output; several values of a point as records, each of several in FILE_its-name.npy."
              )  # fmt: skip
@waves_options
@run_options
@hardware_options
@counter_options
@bus_options
@json_option
def simulate_command(
    file: Path, seed: int, given: tuple[str, ...], latency: int | None, words_per_cycle: float | None, stalls: float,
    waves: Waves | None, output: Path | None, once: bool, timeout_cycles: int | None, options: Options, bus: AXI | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Run the Verilog of the design in FILE (.hh or .py), compare it bit for bit, and report its counters.

    Then start it again, with random stalls after an abort, with each memory held back after a reset, and on a memory
    as slow as the hardware expects.

    Exit code 1 where the hardware differs from the algorithm.
    """
    usual = bus.latency if bus else 1
    memory = Memory(usual if latency is None else latency, words_per_cycle, stalls, seed)
    arrays = _arrays(given)
    design = compiled(file, options)
    names = [tensor.name for tensor in design.graph.inputs]
    for name in arrays:
        if name not in names:
            free = [known for known in names if known not in arrays]
            works = "".join(f"\n    --input {known}={arrays[name][0]}" for known in free)
            problem = f"{design.name} has no input {name}; its inputs are {', '.join(names) or 'none'}"
            raise Refused(problem + (works and f"\n  what would work:{works}"))
    for tensor in design.graph.inputs:
        if tensor.name in arrays:
            _check_fits(tensor, *arrays[tensor.name])
    unset = {image.name for image in design.design.inputs if image.buffer is None}
    inputs = {name: array for name, array in random_inputs(design.graph, seed).items() if name in unset}
    inputs |= {name: array for name, (_, array) in arrays.items()}
    with shown() as observer:
        result = simulate(
            design, inputs, memory=memory, bus=bus, waves=waves, timeout_cycles=timeout_cycles, once=once,
            observer=observer,
        )  # fmt: skip
    if output:
        _save(result, output)
    report = summary(result)
    if as_json:
        print_json({"name": design.name, **report})
    else:
        click.echo(verdict(design.name, result))
        _show(report, waves)
    if not result.match:
        raise SystemExit(MISMATCH)


def summary(result: Result) -> dict[str, Any]:
    """A result without its arrays, as JSON types."""
    return {
        **compared(result),
        "cycles": result.cycles,
        "macs": result.macs,
        "pes": result.pes,
        "utilization": result.utilization,
        "counters": result.counters,
    }


def _arrays(given: tuple[str, ...]) -> dict[str, tuple[str, np.ndarray]]:
    """Name -> file and array."""
    found: dict[str, tuple[str, np.ndarray]] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{text!r} is not NAME=FILE.npy", param_hint="--input")
        if name in found:
            raise click.BadParameter(f"{name} is given twice", param_hint="--input")
        found[name] = path, _array(name, path)
    return found


def _array(name: str, path: str) -> np.ndarray:
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        problem = f"{path} holds no NumPy array of numbers, as np.save writes it"
        raise Refused(f"--input {name}={path}: {problem}") from error


def _check_fits(tensor: Tensor, path: str, array: np.ndarray) -> None:
    """Raises `Refused`, with commands that write a new file that fits, where one can be made of this one."""
    try:
        fitted(tensor, array)
    except Unfit as error:
        works = "".join(f"\n    {line}" for way in error.ways for line in _remade(tensor, path, way))
        works = works and f"\n  what would work:{works}"
        raise Refused(f"--input {tensor.name}={path}: {error.message}{works}") from error


def _remade(tensor: Tensor, path: str, way: str) -> tuple[str, str]:
    """A command that makes a new file of one that does not fit, and the option that reads it."""
    file = Path(path)
    names = (file.with_name(f"{file.stem}_{tensor.type}{number or ''}.npy") for number in count())
    new = str(next(name for name in names if not name.exists()))
    program = f"import numpy as np; array = np.load({json.dumps(path)}); np.save({json.dumps(new)}, {way})"
    return f"python -c {shlex.quote(program)}", f"--input {shlex.quote(f'{tensor.name}={new}')}"


def _save(result: Result, path: Path) -> None:
    """An array of the output; of several one each, with its name behind that of the file."""
    for each in result.written:
        file = path if len(result.written) == 1 else path.with_stem(f"{path.stem}_{each.name}")
        with file.open("wb") as stream:
            np.save(stream, points(each.type, each.outputs))


def _show(report: dict[str, Any], waves: Waves | None) -> None:
    click.echo(f"  {report['macs']} iterations on {counted(report['pes'], 'PE')} in {report['cycles']} cycles")
    click.echo(f"  utilization {report['utilization']:.4f}")
    for counter, value in report["counters"].items():
        click.echo(f"  {counter:16} {value}")
    if waves:
        click.echo(f"  waveforms in {waves.path}: open with surfer {waves.path} or gtkwave {waves.path}")
