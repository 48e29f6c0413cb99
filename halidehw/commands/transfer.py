"""`halidehw transfer`: schedules found for other networks, given to this one."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import click

from halidehw.commands.common import json_option, print_json
from halidehw.errors import CostError
from halidehw.importers.kernels import load_kernels
from halidehw.machines.whole import Shared, shared
from halidehw.optimize import Options, architecture
from halidehw.optimize.steady import ported
from halidehw.transfer.bank import Bank, add, load_bank
from halidehw.transfer.kernels import kind
from halidehw.transfer.transfer import Choice, Transferred, searched, transfer, whole

NETWORK = "FILE.json:NAME|FILE.onnx|FILE.tflite"


@click.command("transfer")
@click.option("--network", "network_file", metavar=NETWORK, help="The network that gets schedules.")
@click.option("--bank", "folder", required=True, type=click.Path(path_type=Path), help="Folder of schedules.")
@click.option("--add", "added", metavar=NETWORK, help="Search this network; what is found goes to the bank.")
@click.option("--arch", default="interstellar", show_default=True, help="Architecture, a TOML file or a shipped name.")
@click.option("--port-bits", type=click.IntRange(min=0), metavar="N", help="Of each port (0: one word).")
@click.option("--best-source", is_flag=True, help="From the one network that equation 6.1 chooses.")
@click.option("--strict", is_flag=True, help="Splits must divide their loops; else the last tile may be a part of one.")
@click.option("--compare", is_flag=True, help="Search the network as well, and say what part of the gain transfer has.")
@click.option("--machine", "one", is_flag=True, help="The network on one piece of hardware as well.")
@json_option
def transfer_command(
    network_file: str | None, folder: Path, added: str | None, arch: str, port_bits: int | None, best_source: bool,
    strict: bool, compare: bool, one: bool, as_json: bool,
) -> None:  # fmt: skip
    """Give a network the schedules that were found for others, kernel by kernel, evaluated by the model."""
    if (network_file is None) == (added is None):
        raise CostError("transfer takes either a network to schedule or one to add", legal=[f"--network {NETWORK}"])
    target, options = ported(architecture(arch), Options(port_bits=port_bits)), Options(objective="delay")
    if added:
        entries = add(load_kernels(added, "--add"), target, options, folder)
        found = [(entry.name, entry.kind, entry.cycles) for entry in entries]
        if as_json:
            print_json({"added": [dict(zip(("name", "class", "cycles"), each, strict=True)) for each in found]})
        else:
            click.echo("\n".join(f"{name:32} {kind:24} {cycles:12} cycles" for name, kind, cycles in found))
        return
    bank, network = load_bank(folder, target), load_kernels(network_file or "", "--network")
    for line in bank.skipped:
        click.echo(f"skipped: {line}", err=True)
    begun = perf_counter()
    result = transfer(network, bank, target, best_only=best_source, guarded=not strict)
    ended = perf_counter()
    report = _report(result, bank, searched(result, target, options) if compare else None)
    report |= {"seconds": ended - begun}
    if compare:
        report |= {"share_of_seconds": (ended - begun) / (perf_counter() - ended)}
    if one:
        report |= {"machine": _machine(shared(network, bank, target))}
    if as_json:
        print_json(report)
    else:
        _print(result, report)


def _report(result: Transferred, bank: Bank, best: tuple[tuple[Choice, ...], int] | None) -> dict[str, Any]:
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
    if best:
        choices, evaluated = best
        found |= {
            "searched_cycles": whole(choices), "searched_evaluations": evaluated,
            "share_of_gain": result.share(choices), "share_of_evaluations": result.pairs / evaluated,
        }  # fmt: skip
    return found


def _machine(found: Shared) -> dict[str, Any]:
    return {
        "cycles": found.cycles, "sources": list(found.sources), "kernels": [len(part.funcs) for part in found.parts],
        "apart": [{"layer": each.layer.name, "reason": each.reason} for each in found.apart],
        "layers": [{"layer": each.layer.name, "source": each.source, "cycles": each.cycles} for each in found.choices],
    }  # fmt: skip


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
    if "machine" in report:
        found, sources = report["machine"], ", ".join(report["machine"]["sources"])
        click.echo(f"on one machine: {found['cycles']} cycles, {found['kernels'][0]} kernels by {sources}")
        for each in found["apart"]:
            click.echo(f"  beside it, by default: {each['layer']}: {each['reason']}")
