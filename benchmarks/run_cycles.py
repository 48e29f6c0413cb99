"""What the generated hardware takes beside what no hardware could beat, for every layer of a file of networks.

    python benchmarks/run_cycles.py examples/networks.json [--arch tpu:2048 ...] [--objective delay] [--ragged]
        [--every 1] [--journal FILE] [--seconds 3600]

Any dataflow of two loops on each dimension. An architecture is named with the bits of the one port that its tensors
share, or 0: the ports that it states, of a word for each tensor where it states none. *Bound*: the multiply-accumulates
over the PEs, or the elements of all tensors once through the port, whichever is more; layers are told apart by which it
is, and left out where it is less than twenty times rows and columns. *Gap*: how much better another mapping of the
space could be. *Memory*: bytes of all memories of the hardware. *Equal*: answers whose cycles and energy are those of
`hl.estimate` of the printed schedule, to the last digit. Prints the slowest layers too. With `--journal` every answer
is kept, a line of JSON each, and the same program goes on from there; `--seconds`: search no layer after so many. Ends
with exit code 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
from optimizer_layers import distinct_layers
from report import table

import halidehw as hl
from halidehw.frontend.text import parse
from halidehw.mapping.layer import Layer
from halidehw.microarch.network import Network
from halidehw.microarch.stores import Memory, RegisterFile
from halidehw.optimize import architecture, optimize
from halidehw.optimize.kept import program

HEADS = (
    "architecture", "bound by", "layers", "median", "most", "over 1.15", "gap: median", "most", "KB: median", "most",
    "s: median", "most", "equal",
)  # fmt: skip
SLOW = ("layer", "architecture", "cycles", "bound", "ratio", "gap", "lanes")
HERE = Path(__file__).parent / "arch"
MACHINES = ["eyeriss:128", "interstellar:128", f"{HERE}/square16.toml:128", f"{HERE}/square32.toml:256", "tpu:2048"]
WORTH, SHOWN, FAR = 20, 8, 1.15


def bytes_of(network: Network) -> float:
    """Of all memories."""
    bits = 0
    for stage in network.stages:
        lanes = {space.name: space.extent for space in stage.spaces}
        for store in stage.stores:
            match store:
                case Memory():
                    bits += store.size * store.type.bits
                case RegisterFile():
                    copies = np.prod([lanes[name] for name in store.spaces], dtype=int)
                    bits += int(copies) * store.halves * store.words * store.type.bits
                case _:
                    bits += store.lanes * store.halves * store.words * store.type.bits
    return bits / 8


@dataclass(frozen=True)
class Answer:
    """A program's, to a layer on an architecture with a shared port of `bits`: `seconds` of the search, `kept` bytes,
    whether the PEs bind it and not the port, and whether it is `equal` to the estimate of its schedule."""

    program: str
    layer: str
    arch: str
    bits: int
    objective: str
    ragged: bool
    cycles: int
    steady: int
    bound: int
    by_macs: bool
    around: int
    gap: float
    kept: float
    lanes: str
    seconds: float
    equal: bool

    @property
    def asked(self) -> tuple[object, ...]:
        """What was asked of which program."""
        return self.program, self.layer, self.arch, self.bits, self.objective, self.ragged


def answer(layer: Layer, name: str, arch: str, bits: int, objective: str, ragged: bool) -> Answer:
    """Searched, and its schedule estimated as a user would. The energy is compared by the architecture's own table,
    which `--json` names."""
    target, begun = architecture(arch), time.process_time()
    port = {"shared_port_bits": bits} if bits else {}
    best = optimize(layer, target, "any", objective=objective, replicate=True, ragged=ragged, **port)
    seconds = time.process_time() - begun
    assert best.arch.table
    ports = {name: bits for name in ("port_bits", "shared_port_bits") if (bits := getattr(best.arch, name))}
    alone = hl.estimate(parse(best.schedule).output, best.arch.table, **ports)
    equal = alone.cycles.total == best.run_cycles and alone.energy_pj == best.hardware_pj
    return Answer(
        program(), name, target.name, bits, objective, ragged, best.run_cycles, best.cycles, best.bound,
        best.bound == -(-layer.macs // best.arch.pes), sum(best.arch.array), best.gap, bytes_of(best.hardware[1]),
        str(best.mapping.spatial), seconds, equal,
    )  # fmt: skip


def rows(found: list[Answer]) -> list[tuple[object, ...]]:
    """One for the layers bound by the PEs, one for those bound by the port, one for all."""
    worth = [each for each in found if each.bound >= WORTH * each.around]
    result = []
    for what, some in (
        ("PEs", [each for each in worth if each.by_macs]),
        ("port", [each for each in worth if not each.by_macs]),
        ("either", worth),
    ):
        if some:
            ratio = np.array([each.cycles / each.bound for each in some])
            gap, took = np.array([each.gap for each in some]), np.array([each.seconds for each in some])
            kept = np.array([each.kept / 1024 for each in some])
            columns = [f"{f(gap):.4f}" for f in (np.median, np.max)]
            columns += [f"{f(kept):.0f}" for f in (np.median, np.max)] + [f"{f(took):.2f}" for f in (np.median, np.max)]
            far, equal = int((ratio > FAR).sum()), sum(each.equal for each in some)
            port = f"{some[0].bits} bits" if some[0].bits else "own ports"
            name, columns = f"{some[0].arch}, {port}", [*columns, str(equal)]
            result.append(
                (name, what, len(some), f"{np.median(ratio):.4f}", f"{ratio.max():.4f}", far, *columns, equal)
            )
    return result


def read(journal: Path | None) -> dict[tuple[object, ...], Answer]:
    """What was kept, by what was asked."""
    lines = journal.read_text().splitlines() if journal and journal.exists() else []
    return {each.asked: each for each in (Answer(**json.loads(line)) for line in lines)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("networks", help="a JSON file")
    arguments.add_argument("--arch", nargs="*", default=MACHINES)
    arguments.add_argument("--objective", default="delay")
    arguments.add_argument("--ragged", action="store_true")
    arguments.add_argument("--every", type=int, default=1, help="one layer of so many")
    arguments.add_argument("--journal", type=Path)
    arguments.add_argument("--seconds", type=float, default=float("inf"))
    given = arguments.parse_args()
    start, kept, found = time.monotonic(), read(given.journal), list[Answer]()
    layers = list(distinct_layers(given.networks).items())[:: given.every]
    for (layer, name), (arch, bits) in product(layers, [each.rsplit(":", 1) for each in given.arch]):
        asked = program(), name, architecture(arch).name, int(bits), given.objective, given.ragged
        if asked not in kept and time.monotonic() - start < given.seconds:
            kept[asked] = answer(layer, name, arch, int(bits), given.objective, given.ragged)
            if given.journal:
                with given.journal.open("a") as file:
                    file.write(json.dumps(asdict(kept[asked])) + "\n")
        found += [kept[asked]] if asked in kept else []
    each_arch = [[each for each in found if each.arch == arch] for arch in dict.fromkeys(each.arch for each in found)]
    print(table(HEADS, [row for own in each_arch for row in rows(own)]))
    slow = [each for own in each_arch for each in sorted(own, key=lambda each: -each.cycles / each.bound)[:SHOWN]]
    shown = [(each.layer, each.arch, each.cycles, each.bound, f"{each.cycles / each.bound:.3f}", f"{each.gap:.4f}",
              each.lanes) for each in slow]  # fmt: skip
    print(table(SLOW, shown), sep="\n\n")
    print(f"\n{sum(each.equal for each in found)} of {len(found)} equal, of {len(layers) * len(given.arch)} in all")
    sys.exit(not all(each.equal for each in found))


if __name__ == "__main__":
    main()
