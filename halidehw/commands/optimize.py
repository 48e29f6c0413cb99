"""`halidehw optimize`: the best schedule of a layer or a network on an architecture."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from halidehw.commands.common import json_option, print_json
from halidehw.energy_model.layer import Layer, load_network, parse_layer
from halidehw.errors import CostError
from halidehw.scheduler.optimize import Options, architecture
from halidehw.scheduler.optimize.sweep import Task, solve, sweep

SUMS = ("energy_pj", "cycles", "evaluated", "seconds")


@click.command("optimize")
@click.option("--layer", "layer_text", metavar="SIZES", help='For example "ox=13 oy=13 c=256 k=384 fx=3 fy=3 b=16".')
@click.option("--network", "network_file", metavar="FILE.json:NAME", help="All layers of a network.")
@click.option("--arch", default="interstellar", show_default=True, help="Architecture, a TOML file or a shipped name.")
@click.option("--dataflow", help='For example "C | K"; "any" tries all; by default the architecture\'s own.')
@click.option("--objective", default="energy", show_default=True, help="energy, delay or edp (their product).")
@click.option("--convention", default="exact", show_default=True, help="How accesses are counted: exact or paper.")
@click.option("--time-limit", type=float, help="Seconds for a layer; the answer then says how far it may be off.")
@click.option("--replicate", is_flag=True, help="Unroll a second loop on each dimension of the array, where it helps.")
@click.option("--ragged", is_flag=True, help="Also tiles that do not divide the layer.")
@click.option("--half-full", is_flag=True, help="Fill at least half of every on-chip level.")
@click.option("--full-array", is_flag=True, help="Unroll as far as the array goes.")
@click.option("--workers", type=int, help="Processes for a network; by default one per core.")
@click.option("--cluster", metavar="ADDRESS", help="Dask scheduler to use instead of local processes.")
@click.option("--journal", type=click.Path(path_type=Path), help="File of answers to resume from and add to.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write the schedule (of one layer) to this .hh file."
)
@json_option
def optimize_command(
    layer_text: str | None,
    network_file: str | None,
    arch: str,
    workers: int | None,
    cluster: str | None,
    journal: Path | None,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the schedule of least energy, delay or energy-delay product, and prove it."""
    if (layer_text is None) == (network_file is None):
        raise CostError("optimize takes either a layer or a network", legal=['--layer "k=64 c=64 b=16"'])
    chosen = replace(Options(), **options)
    target = architecture(arch)
    if layer_text is not None:
        _one_layer(parse_layer(layer_text), Task(parse_layer(layer_text), target, chosen), output, as_json)
        return
    assert network_file is not None
    network = load_network(network_file)
    tasks = [Task(layer, target, chosen) for layer in network.layers]
    answers = sweep(tasks, workers=workers, cluster=cluster, journal=journal, progress=_progress)
    for answer in answers:
        _check(answer)
    repeats = [layer.repeat for layer in network.layers]
    total = {key: sum(answer[key] * n for answer, n in zip(answers, repeats, strict=True)) for key in SUMS}
    total["optimal"] = all(answer["optimal"] for answer in answers)
    if as_json:
        print_json({"network": network.name, **total, "layers": answers})
        return
    for answer in answers:
        click.echo(_line(answer))
    click.echo(
        _line({**answers[0], "layer": "total", **total, "utilization": _utilization(network.layers, target, total)})
    )


def _one_layer(layer: Layer, task: Task, output: Path | None, as_json: bool) -> None:
    answer = solve(task)
    _check(answer)
    if output is not None:
        output.write_text(answer["schedule"])
    if as_json:
        print_json(answer)
        return
    click.echo(_line(answer))
    for name, part in answer["parts"].items():
        click.echo(f"  {name:8}" + "".join(f"  {tensor} {pj / 1e6:.3f} uJ" for tensor, pj in part.items()))
    click.echo(f"  costs: {answer['costs']}; counted the {answer['convention']} way\n\n{answer['schedule']}", nl=False)


def _check(answer: dict[str, Any]) -> None:
    if "infeasible" in answer:
        raise CostError(answer["infeasible"])


def _line(answer: dict[str, Any]) -> str:
    proof = "proven optimal" if answer["optimal"] else f"within {answer.get('gap', 1.0):.2%} of the optimum"
    return (
        f"{answer['layer']:16} {answer['energy_pj'] / 1e6:14.3f} uJ {answer['cycles']:14} cycles "
        f"{answer['utilization']:6.1%} busy  {proof}, {answer['seconds']:.2f} s"
    )


def _utilization(layers: tuple[Layer, ...], target: Any, total: dict[str, Any]) -> float:
    return sum(layer.macs * layer.repeat for layer in layers) / (total["cycles"] * target.pes)


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done} of {total} layers", err=True, nl=done == total)
