"""`halidehw network --bus`: all layers of a trained network on one machine, from the first to the last in RTL."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from halidehw.buses.axi import AXI
from halidehw.commands.common import print_json, progress
from halidehw.commands.network_tensors import dump, first_difference
from halidehw.host.runtime import Runtime, simulated
from halidehw.host.trained import NetworkMachine, NetworkRun, Predicted, machine_of, predicted, run
from halidehw.importers.loading import Loaded
from halidehw.importers.steps import Arrays, Host, Layer, View
from halidehw.microarch.chip import on_chip
from halidehw.notation import counted
from halidehw.simulate import Memory

ROOM = 1 << 26
"""Bytes of the board's memory."""

LONG = 100_000
"""Cycles from which on the simulator is built to run fast."""


@dataclass(frozen=True)
class Asked:
    """What is asked of a machine: multipliers at most, what it stands behind, whether it is simulated, and the folder
    for every tensor of the first input, if there is one."""

    macs: int
    bus: AXI
    memory: Memory
    simulated: bool
    tensors: Path | None


def on_machine(found: Loaded, feeds: Sequence[Arrays], asked: Asked, as_json: bool) -> bool:
    """Runs a network for each of the inputs, prints what came of it; whether every bit is right. Without a simulation
    the layers' algorithms are run, and the model says the cycles, which it does while the simulator is compiled.

    Raises HardwareError for a network without layers, or with too few multipliers for it; SimulationError where a run
    fails.
    """
    with progress("unifying layers"):
        made = machine_of(found.network, asked.macs, asked.bus, asked.memory)
    with progress("building the board" if asked.simulated else "predicting"), ThreadPoolExecutor(1) as beside:
        building = beside.submit(board_of, made, asked) if asked.simulated else None
        said = predicted(made, asked.bus, asked.memory)
        runtime = building.result() if building else None
    runs, wrong = list[NetworkRun](), ""
    for number, feed in enumerate(feeds):
        with progress(f"input {number + 1} of {len(feeds)}"):
            values = made.network.evaluate(feed) if runtime is None else {}
            runs.append(run(made, runtime, feed) if runtime else NetworkRun(values, said.cycles, said.total))
            outputs = found.expected(feed)
        if runs[-1].wrong or not all(np.array_equal(runs[-1].values[n], a) for n, a in outputs.items()):
            wrong = wrong or f"input {number}: {first_difference(found.network, runs[-1].values, found.every(feed))}"
    if asked.tensors:
        dump(asked.tensors, runs[0].values)
    document = _document(made, runs, said, asked.macs)
    document |= {"match": not wrong, "difference": wrong, "oracle": found.oracle}
    if as_json:
        print_json(document)
    else:
        _table(document)
    return not wrong


def board_of(made: NetworkMachine, asked: Asked) -> Runtime:
    """A simulated board with the machine, behind what was asked for."""
    long = sum(layer.macs for layer in made.network.layers) > LONG * made.machine.hardware.pes
    board = simulated(made.machine, asked.bus, asked.memory, ROOM, "run" if long else "build")
    return Runtime(made.machine, asked.bus, asked.memory, board=board)


def _document(made: NetworkMachine, runs: Sequence[NetworkRun], said: Predicted, macs: int) -> dict[str, Any]:
    network, first = made.network, runs[0]
    engines = {name or "engine": {"pes": engine.network.pes, "descriptor_words": len(engine.descriptors[0].words),
                                  "on_chip": on_chip(engine.network)}
               for name, engine in made.machine.engines.items()}  # fmt: skip
    layers, losses = list[dict[str, Any]](), dict[str, int]()
    for step in network.steps:
        layer = step if isinstance(step, Layer) else None
        ideal, taken = -(-layer.macs // macs) if layer else 0, first.cycles.get(step.name, 0)
        losses[step.name] = taken - ideal
        layers.append({
            "name": step.name, "op": step.op, "placement": "host" if isinstance(step, Host) else "machine",
            "reason": step.reason if isinstance(step, Host) else "the same words" if isinstance(step, View) else "",
            "cycles": taken, "ideal": ideal, "predicted": said.cycles.get(step.name, 0),
            "engine": made.engine_of(step.name) or "engine" if layer else "",
            "macs": layer.macs if layer else 0, "utilization": ideal / taken if taken else 0.0,
            "energy_pj": made.energy_pj(step.name) if layer else 0.0,
        })  # fmt: skip
    largest = max(losses, key=lambda name: losses[name])
    return {
        "name": network.name, "wrong": sorted({name for each in runs for name in each.wrong}),
        "cycles": first.total,
        "ideal": sum(each["ideal"] for each in layers), "predicted": said.total,
        "energy_pj": sum(each["energy_pj"] for each in layers), "engines": engines,
        "on_chip": sum(each["on_chip"] for each in engines.values()),
        "apart": made.apart,
        "largest_loss": {"name": largest, "cycles": losses[largest]},
        "crossing": [{"name": tensor.name, "bytes": tensor.bytes} for tensor in network.crossing],
        "sent": first.sent, "received": first.received, "inputs": len(runs),
        "outputs": [{name: each.values[name].tolist() for name in network.outputs} for each in runs],
        "layers": layers,
    }  # fmt: skip


def _table(document: dict[str, Any]) -> None:
    for each in document["layers"]:
        busy = f"{each['utilization']:6.1%}" if each["macs"] else " " * 6
        click.echo(f"{each['name'][:24]:24} {each['op'][:24]:24} {each['engine'] or each['placement']:8} "
                   f"{each['cycles']:>9} cycles {each['predicted']:>9} predicted {each['ideal']:>8} ideal {busy}  "
                   f"{each['reason']}".rstrip())  # fmt: skip
    engines = ", ".join(f"{name} of {counted(each['pes'], 'PE')}" for name, each in document["engines"].items())
    engines += f" with {document['on_chip'] / 1024:.0f} KB on the chip"
    click.echo(f"{document['name']}: {document['cycles']} cycles on {engines}; {document['predicted']} "
               f"predicted, {document['ideal']} ideal, "
               f"{document['energy_pj'] / 1e6:.2f} uJ; most is lost in {document['largest_loss']['name']}")  # fmt: skip
    click.echo(f"  {document['sent']} bytes from the host, {document['received']} back")
    if document["apart"]:
        click.echo(f"  layers are on engines of their kind, as one array cannot run all blocks: {document['apart']}")
    verdict = "every bit" if document["match"] else document["difference"]
    through = "through the hardware" if document["sent"] else "by the model"
    click.echo(f"  {counted(document['inputs'], 'input')} {through}, outputs beside {document['oracle']}: {verdict}")
