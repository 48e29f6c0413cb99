"""`halidehw transfer`: schedules found for other networks, given to this one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from halidehw.commands.common import json_option, print_json
from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import load_network
from halidehw.optimize import Options, architecture
from halidehw.transfer.bank import Bank, add, load_bank, search
from halidehw.transfer.kernels import kind, shape_of
from halidehw.transfer.transfer import Choice, Transferred, entry_choice, fastest_together, transfer, whole


@click.command("transfer")
@click.option("--network", "network_file", metavar="FILE.json:NAME", help="The network that gets schedules.")
@click.option("--bank", "folder", required=True, type=click.Path(path_type=Path), help="Folder of schedules.")
@click.option("--add", "added", metavar="FILE.json:NAME", help="Search this network; what is found goes to the bank.")
@click.option("--arch", default="interstellar", show_default=True, help="Architecture, a TOML file or a shipped name.")
@click.option("--port-bits", type=click.IntRange(min=0), metavar="N", help="Of each port (0: one word).")
@click.option("--best-source", is_flag=True, help="From the one network that equation 6.1 chooses.")
@click.option("--strict", is_flag=True, help="Splits must divide their loops; else the last tile may be a part of one.")
@click.option("--compare", is_flag=True, help="Search the network as well, and say what part of the gain transfer has.")
@json_option
def transfer_command(
    network_file: str | None, folder: Path, added: str | None, arch: str, port_bits: int | None, best_source: bool,
    strict: bool, compare: bool, as_json: bool,
) -> None:  # fmt: skip
    """Give a network the schedules that were found for others, kernel by kernel, evaluated by the model."""
    if (network_file is None) == (added is None):
        raise CostError("transfer takes either a network to schedule or one to add", legal=["--network FILE.json:NAME"])
    target = architecture(arch)
    target = target if port_bits is None else replace(target, port_bits=port_bits)
    options = Options(objective="delay")
    if added:
        found = [(entry.name, entry.kind, entry.cycles) for entry in add(load_network(added), target, options, folder)]
        if as_json:
            print_json({"added": [dict(zip(("name", "class", "cycles"), each, strict=True)) for each in found]})
        else:
            click.echo("\n".join(f"{name:32} {kind:24} {cycles:12} cycles" for name, kind, cycles in found))
        return
    bank, network = load_bank(folder, target), load_network(network_file or "")
    for line in bank.skipped:
        click.echo(f"skipped: {line}", err=True)
    begun = perf_counter()
    result = transfer(network, bank, target, best_only=best_source, guarded=not strict)
    ended = perf_counter()
    report = _report(result, bank, _searched(result, target, options) if compare else None)
    report |= {"seconds": ended - begun}
    if compare:
        report |= {"share_of_seconds": (ended - begun) / (perf_counter() - ended)}
    if as_json:
        print_json(report)
    else:
        _print(result, report)


def _searched(result: Transferred, arch: Architecture, options: Options) -> tuple[tuple[Choice, ...], int]:
    """The schedules that are searched for every layer, or the default one where that is faster in the network, and what
    the search evaluated."""
    layers, name = result.network.layers, result.network.name
    entries = {shape: search(shape, name, arch, options) for shape in map(shape_of, layers)}
    pairs = zip(result.rows, layers, strict=True)
    rows = [(row[0], entry_choice(entries[shape_of(layer)], layer)) for row, layer in pairs]
    return fastest_together(rows), sum(entry.evaluated for entry in entries.values())


def _report(result: Transferred, bank: Bank, searched: tuple[tuple[Choice, ...], int] | None) -> dict[str, Any]:
    layers = [
        {"layer": each.layer.name, "class": kind(each.layer), "source": each.source, "cycles": each.cycles,
         "in_network": other.source, "default": row[0].cycles, "valid": sum(one.cycles is not None for one in row) - 1,
         "invalid": [{"source": one.source, "reason": one.reason} for one in row if one.cycles is None]}
        for each, other, row in zip(result.alone, result.together, result.rows, strict=True)
    ]  # fmt: skip
    found: dict[str, Any] = {
        "network": result.network.name, "sources": list(result.sources), "skipped": list(bank.skipped),
        "pairs": result.pairs, "invalid": len(result.invalid), "default_cycles": result.default_cycles,
        "alone_cycles": result.alone_cycles, "cycles": result.together_cycles, "layers": layers,
    }  # fmt: skip
    if searched:
        choices, evaluated = searched
        best = whole(choices)
        gain = result.default_cycles - best
        found |= {
            "searched_cycles": best, "searched_evaluations": evaluated,
            "share_of_gain": (result.default_cycles - result.together_cycles) / gain if gain else 1.0,
            "share_of_evaluations": result.pairs / evaluated,
        }  # fmt: skip
    return found


def _print(result: Transferred, report: dict[str, Any]) -> None:
    for each in report["layers"]:
        other = "" if each["in_network"] == each["source"] else f", in the network {each['in_network']}"
        gain = f"{each['default'] / each['cycles']:5.2f} times faster by {each['source']}{other}"
        click.echo(f"{each['layer']:18} {each['cycles']:12} cycles, {gain}")
    for choice in result.invalid:
        click.echo(f"  invalid: {choice.source} for {choice.layer.title}: {choice.reason}", err=True)
    click.echo(
        f"{result.network.name}: {result.pairs} evaluated, {len(result.invalid)} invalid\n"
        f"{result.default_cycles} cycles by default, {result.alone_cycles} with the fastest of each layer, "
        f"{result.together_cycles} with those that are fastest together"
    )
    if "searched_cycles" in report:
        evaluations, seconds = report["share_of_evaluations"], report["share_of_seconds"]
        click.echo(
            f"searched: {report['searched_cycles']} cycles; transfer has {report['share_of_gain']:.1%} of that gain, "
            f"with {evaluations:.2%} of the evaluations in {seconds:.0%} of the time"
        )
