"""`halidehw network --bus`: all layers of a trained network on one machine, from the first to the last in RTL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from halidehw.buses.axi import AXI
from halidehw.commands.common import print_json, progress
from halidehw.host.runtime import Runtime, simulated
from halidehw.host.trained import NetworkMachine, NetworkRun, machine_of, run
from halidehw.importers.steps import Arrays, Host, Layer
from halidehw.simulate import Memory

if TYPE_CHECKING:
    from halidehw.importers.onnx.network import Imported

ROOM = 1 << 26
"""Bytes of the board's memory."""

LONG = 50_000
"""Cycles from which on the simulator is built to run fast."""


def on_machine(found: Imported, feeds: Sequence[Arrays], macs: int, bus: AXI, memory: Memory, as_json: bool) -> bool:
    """Runs a network for each of the inputs, prints what came of it; whether every bit is right.

    Raises HardwareError for a network without layers, or with too few multipliers for it; SimulationError where a run
    fails.
    """
    network = found.network
    with progress("unifying layers"):
        made = machine_of(network, macs, bus.bits, "network")
    with progress("building the board"):
        long = sum(layer.macs for layer in network.layers) > LONG * made.machine.hardware.pes
        board = simulated(made.machine, bus, memory, ROOM, "run" if long else "build")
        runtime = Runtime(made.machine, bus, memory, board=board)
    runs, right = list[NetworkRun](), list[bool]()
    for number, feed in enumerate(feeds):
        with progress(f"input {number + 1} of {len(feeds)}"):
            runs.append(run(made, runtime, feed))
            outputs = found.expected(feed)
        right.append(not runs[-1].wrong and all(np.array_equal(runs[-1].values[n], a) for n, a in outputs.items()))
    document = _document(made, runs, right, macs)
    if as_json:
        print_json(document)
    else:
        _table(document)
    return all(right)


def _document(made: NetworkMachine, runs: Sequence[NetworkRun], right: Sequence[bool], macs: int) -> dict[str, Any]:
    network, first = made.network, runs[0]
    engines = {name or "engine": {"pes": engine.network.pes, "descriptor_words": len(engine.descriptors[0].words)}
               for name, engine in made.machine.engines.items()}  # fmt: skip
    layers = []
    for step in network.steps:
        layer = step if isinstance(step, Layer) else None
        layers.append({
            "name": step.name, "op": step.op, "placement": "host" if isinstance(step, Host) else "machine",
            "reason": step.reason if isinstance(step, Host) else "", "cycles": first.cycles.get(step.name, 0),
            "engine": made.engine_of(step.name) or "engine" if layer else "",
            "ideal": -(-layer.macs // macs) if layer else 0, "macs": layer.macs if layer else 0,
        })  # fmt: skip
    return {
        "name": network.name, "match": all(right), "wrong": sorted({name for each in runs for name in each.wrong}),
        "cycles": first.total, "ideal": sum(each["ideal"] for each in layers), "engines": engines,
        "sent": first.sent, "received": first.received, "inputs": len(runs),
        "outputs": [{name: each.values[name].tolist() for name in network.outputs} for each in runs],
        "layers": layers,
    }  # fmt: skip


def _table(document: dict[str, Any]) -> None:
    for each in document["layers"]:
        click.echo(f"{each['name'][:24]:24} {each['op'][:24]:24} {each['engine'] or each['placement']:8} "
                   f"{each['cycles']:>9} cycles {each['ideal']:>8} ideal  {each['reason']}".rstrip())  # fmt: skip
    engines = ", ".join(f"{name} of {each['pes']} PEs" for name, each in document["engines"].items())
    click.echo(f"{document['name']}: {document['cycles']} cycles on {engines}; {document['ideal']} ideal")
    click.echo(f"  {document['sent']} bytes from the host, {document['received']} back")
    verdict = "every bit" if document["match"] else f"DIFFERS: {', '.join(document['wrong']) or 'an output'}"
    click.echo(f"  {document['inputs']} inputs through the hardware, outputs beside ONNX Runtime: {verdict}")
