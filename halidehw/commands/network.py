"""`halidehw network`: a trained network on an array, layer by layer, beside the runtime that it was made for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from halidehw.buses.axi import AXI
from halidehw.commands.common import bus_options, json_option, print_json, progress
from halidehw.commands.network_inputs import given
from halidehw.commands.network_machine import Asked, on_machine
from halidehw.commands.network_tensors import dump, first_difference
from halidehw.driver import Result, simulate
from halidehw.driver.build import built
from halidehw.errors import HardwareError, NetworkError, ScheduleError
from halidehw.importers.loading import load_trained
from halidehw.importers.scheduling import Scheduled, array_of, scheduled
from halidehw.importers.steps import Arrays, Host, Layer, Step, TrainedNetwork, View, on_host
from halidehw.importers.tensors import Shape
from halidehw.mapping.architecture import Architecture
from halidehw.simulate import Memory

DIFFERS = 1
"""Exit code where a bit of an output, or of a layer in hardware, differs."""

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@dataclass(frozen=True)
class Row:
    """A step of the network, the schedule of its hardware, and what that gave."""

    step: Step
    planned: Scheduled | None
    result: Result | None
    macs: int

    @property
    def ideal(self) -> int:
        """Cycles with every multiplier at work in each."""
        return -(-self.step.macs // self.macs) if isinstance(self.step, Layer) else 0

    @property
    def cycles(self) -> int:
        """What the hardware took, or, without one, by the model."""
        if self.result:
            return self.result.cycles
        return self.planned.estimate.cycles.total if self.planned else 0

    @property
    def right(self) -> bool:
        return self.result is None or self.result.match

    @property
    def reason(self) -> str:
        match self.step:
            case Host(reason=reason):
                return reason
            case View():
                return "the same words"
        refused = self.planned.refused if self.planned else ""
        return f"the optimizer's schedule is refused: {refused}" if refused else ""

    def as_json(self) -> dict[str, Any]:
        step, found = self.step, self.planned.estimate if self.planned else None
        tensors = [*step.reads, *step.makes]
        held = sum(array.nbytes for array in step.constants.values()) if isinstance(step, Layer) else 0
        return {
            "name": step.name, "op": step.op, "placement": "host" if isinstance(step, Host) else "machine",
            "reason": self.reason, "cycles": self.cycles, "ideal": self.ideal,
            "macs": step.macs if isinstance(step, Layer) else 0, "pes": found.pes if found else 0,
            "utilization": self.ideal / self.cycles if self.cycles else 0.0,
            "energy_pj": found.energy_pj if found else 0.0,
            "bytes": sum(tensor.bytes for tensor in tensors) + held,
            "simulated": None if self.result is None else self.result.match,
        }  # fmt: skip


@click.command("network")
@click.argument("file", type=FILE)
@click.option("--shape", "shapes", multiple=True, metavar="NAME=N,N", help="Of an input that the file leaves open.")
@click.option("--macs", type=click.IntRange(min=1), default=256, help="Multipliers of the array.  [256]")
@click.option("--arch", type=FILE, help="An architecture: its memories and ports, for an array of --macs.")
@click.option("--input", "files", multiple=True, metavar="[NAME=]FILE", help="Of an input, .npy or .png; repeatable.")
@click.option("--samples", type=click.IntRange(min=1), default=1, metavar="N", help="Random inputs instead.  [1]")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Of the random inputs.  [0]")
@click.option("--no-simulate", is_flag=True, help="Only the model, and the layers' own algorithms.")
@click.option("--thorough", is_flag=True, help="Of each layer alone the best of all schedules, which takes long.")
@click.option("--no-host", is_flag=True, help="Refuse a network with operators that have no algorithm here.")
@click.option("--dump-layers", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Write every tensor of the first input.")  # fmt: skip
@click.option("--latency", type=click.IntRange(min=1), help="Of the memory behind --bus, in cycles.  [30]")
@bus_options
@json_option
def network_command(
    file: Path, shapes: tuple[str, ...], macs: int, arch: Path | None, files: tuple[str, ...], samples: int, seed: int,
    no_simulate: bool, thorough: bool, no_host: bool, dump_layers: Path | None, latency: int | None, bus: AXI | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Run the quantised network in FILE (.onnx, .tflite), compare every bit with its runtime, and estimate each layer.

    Without --no-simulate each layer's hardware is simulated too, on the first input. With --bus all layers are on one
    machine, which is simulated from the first to the last with every input.
    """
    if latency and not bus:
        raise click.UsageError(f"--latency is that of the memory behind a bus: --bus axi4 --latency {latency}")
    if thorough and bus:
        raise click.UsageError("--thorough is for layers alone: with --bus one array is searched for all of them")
    with progress(f"reading {file}"):
        found = load_trained(file, _stated(shapes))
    network = found.network
    if no_host:
        _check_hosted(network)
    feeds = given(network, files, samples, seed)
    if bus:
        if not on_machine(found, feeds, Asked(macs, bus, Memory(latency or 30), not no_simulate, dump_layers), as_json):
            raise SystemExit(DIFFERS)
        return
    with progress(f"evaluating {network.name}"):
        values = [network.evaluate(each) for each in feeds]
        right = [found.expected(each) for each in feeds]
    wrong = first_difference(network, values[0], found.every(feeds[0])) if _differ(values, right) else ""
    if dump_layers:
        dump(dump_layers, values[0])
    target = array_of(macs, arch)
    rows: list[Row] = []
    for step in network.steps:
        with progress(f"{step.name}: {len(rows) + 1} of {len(network.steps)}"):
            placed, planned = _planned(step, target, no_host, thorough)
            result = _simulated(planned, values[0]) if planned and not no_simulate else None
            rows.append(Row(placed, planned, result, macs))
    network = replace(network, steps=tuple(row.step for row in rows))
    match = not wrong and all(row.right for row in rows)
    if as_json:
        print_json(_document(network, rows, match, wrong, values) | {"oracle": found.oracle})
    else:
        _table(network, rows, match, wrong, len(feeds), found.oracle)
    if not match:
        raise SystemExit(DIFFERS)


def _stated(texts: Sequence[str]) -> dict[str, Shape]:
    """Of inputs by name."""
    pairs = [_shape(text) for text in texts]
    for number, (name, sizes) in enumerate(pairs):
        if any(other == name and more != sizes for other, more in pairs[:number]):
            raise NetworkError(f"--shape says two shapes of the input {name}")
    return dict(pairs)


def _shape(text: str) -> tuple[str, Shape]:
    name, _, sizes = text.rpartition("=")
    if not name or not all(size.strip().isdigit() for size in sizes.split(",")):
        raise NetworkError(f"--shape {text}: it is a name and sizes", legal=("--shape image=1,3,32,32",))
    return name, tuple(map(int, sizes.split(",")))


def _check_hosted(network: TrainedNetwork) -> None:
    if hosted := network.hosted:
        listed = "; ".join(f"{step.name}: {step.reason}" for step in hosted)
        raise NetworkError(f"{len(hosted)} of {len(network.steps)} steps run on the host: {listed}")


def _differ(values: list[Arrays], right: list[Arrays]) -> bool:
    pairs = zip(values, right, strict=True)
    return not all(np.array_equal(ours[name], array) for ours, outputs in pairs for name, array in outputs.items())


def _planned(step: Step, target: Architecture, no_host: bool, thorough: bool) -> tuple[Step, Scheduled | None]:
    """A step with its schedule; what no hardware can be built for is the host's, or, with `no_host`, refused."""
    if not isinstance(step, Layer):
        return step, None
    try:
        return step, scheduled(step, target, thorough=thorough)
    except (HardwareError, ScheduleError) as problem:
        if no_host:
            raise NetworkError(f"no hardware can be built for {step.name}: {problem.message}") from None
        return on_host(step, f"no hardware can be built for it: {problem.message}"), None


def _simulated(planned: Scheduled, values: Arrays) -> Result:
    design = planned.design
    return simulate(built(design, planned.options), planned.layer.arrays(values), once=True)


def _document(
    network: TrainedNetwork, rows: list[Row], match: bool, wrong: str, values: list[Arrays]
) -> dict[str, Any]:
    return {
        "name": network.name, "match": match, "difference": wrong, **_totals(rows),
        "crossing": [{"name": tensor.name, "bytes": tensor.bytes} for tensor in network.crossing],
        "outputs": [{name: each[name].tolist() for name in network.outputs} for each in values],
        "layers": [row.as_json() for row in rows],
    }  # fmt: skip


def _totals(rows: list[Row]) -> dict[str, Any]:
    every = [row.as_json() for row in rows]
    largest = max(rows, key=lambda row: row.cycles - row.ideal)
    return {
        "cycles": sum(row.cycles for row in rows),
        "ideal": -(-sum(each["macs"] for each in every) // rows[0].macs),
        "energy_pj": sum(each["energy_pj"] for each in every),
        "largest_loss": {"name": largest.step.name, "cycles": largest.cycles - largest.ideal},
    }


def _table(
    network: TrainedNetwork, rows: list[Row], match: bool, wrong: str, samples: int, oracle: str
) -> None:
    for each in (row.as_json() for row in rows):
        busy = f"{each['utilization']:6.1%}" if each["macs"] else " " * 6
        tried = {None: "", True: "  simulated: right", False: "  simulated: DIFFERS"}[each["simulated"]]
        click.echo(
            f"{each['name'][:24]:24} {each['op'][:24]:24} {each['placement']:8} {each['cycles']:>9} cycles "
            f"{each['ideal']:>8} ideal {busy} {each['energy_pj'] / 1e6:9.2f} uJ{tried}  {each['reason']}".rstrip()
        )
    total = _totals(rows)
    click.echo(
        f"{network.name}: {total['cycles']} cycles of layers one by one, {total['ideal']} ideal, "
        f"{total['energy_pj'] / 1e6:.2f} uJ; most is lost in {total['largest_loss']['name']}"
    )
    crossing = sum(tensor.bytes for tensor in network.crossing)
    click.echo(f"  {crossing} bytes of {len(network.crossing)} tensors pass between layers and host")
    verdict = "every bit" if match else wrong or "a layer's hardware DIFFERS"
    click.echo(f"  {samples} input{'s' * (samples > 1)}, outputs beside {oracle}: {verdict}")
