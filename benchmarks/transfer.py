"""Schedules of three networks given to five others: gain, evaluations and time beside the full search, and one machine.

    python -m benchmarks.transfer --bank build/bank

The bank is made first, where the folder has none. A line of a table for each network as it is done, then the averages.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from time import process_time

from halidehw.machines import shared
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import load_network
from halidehw.optimize import Options, architecture
from halidehw.transfer import Bank, add, load_bank, searched, transfer
from halidehw.transfer.transfer import whole

EXAMPLES = Path(__file__).parents[1] / "examples"
TABLE, OURS = EXAMPLES / "networks.json", EXAMPLES / "transfer" / "networks.json"
SOURCES = [f"{TABLE}:{name}" for name in ("alexnet", "vgg16", "mobilenet_v1")]
TARGETS = [
    *(f"{OURS}:{name}" for name in ("resnet18", "mobilenet_v2", "wrn_40_2", "wrn_40_2_g4")),
    f"{TABLE}:resnet50",
]
OPTIONS = Options(objective="delay")


@dataclass(frozen=True)
class Row:
    """A network: cycles in all ways, pairs that were evaluated, invalid ones, seconds of processor of both ways."""

    name: str
    default: int
    alone: int
    together: int
    searched: int
    machine: int
    apart: int
    share: float
    pairs: int
    invalid: int
    evaluated: int
    seconds: float
    search_seconds: float

    def __str__(self) -> str:
        numbers = (self.default, self.alone, self.together, self.searched, self.machine)
        thousands = " | ".join(f"{each / 1000:.0f}" for each in numbers)
        part, time = self.pairs / self.evaluated, self.seconds / self.search_seconds
        return (f"| {self.name} | {thousands} | {self.apart} | {self.share:.1%} | {self.pairs}, {part:.2%} "
                f"| {self.invalid} | {self.seconds:.0f} s, {time:.0%} |")  # fmt: skip


HEAD = """| | default | fastest of each | together | searched | one machine | apart | share | pairs | invalid | time |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""


def row(reference: str, bank: Bank, arch: Architecture) -> Row:
    network, begun = load_network(reference), process_time()
    found, between = transfer(network, bank, arch), process_time()
    best, evaluated = searched(found, arch, OPTIONS)
    ended, one = process_time(), shared(network, bank, arch)
    return Row(
        network.name, found.default_cycles, found.alone_cycles, found.together_cycles, whole(best), one.cycles,
        len(one.apart), found.share(best), found.pairs, len(found.invalid), evaluated, between - begun, ended - between,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Schedules of some networks given to others.")
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--network", nargs="+", default=TARGETS, metavar="FILE.json:NAME")
    parser.add_argument("--arch", default="interstellar")
    parser.add_argument("--port-bits", type=int, default=64)
    parser.add_argument("--journal", type=Path, help="a line of JSON for each network; those it has are not done again")
    args = parser.parse_args()
    arch = replace(architecture(args.arch), port_bits=args.port_bits)
    if not list(args.bank.glob("*.json")):
        for source in SOURCES:
            list(add(load_network(source), arch, OPTIONS, args.bank))
    bank, done = load_bank(args.bank, arch), dict[str, Row]()
    if args.journal and args.journal.exists():
        done = {each["name"]: Row(**each) for each in map(json.loads, args.journal.read_text().splitlines())}
    rows = []
    print(HEAD)
    for reference in args.network:
        name = load_network(reference).name
        rows.append(done.get(name) or row(reference, bank, arch))
        print(rows[-1], flush=True)
        if args.journal and name not in done:
            with args.journal.open("a") as file:
                file.write(json.dumps(vars(rows[-1])) + "\n")
    shares, parts = mean(each.share for each in rows), mean(each.pairs / each.evaluated for each in rows)
    times = mean(each.seconds / each.search_seconds for each in rows)
    print(f"on average {shares:.1%} of the gain with {parts:.2%} of the evaluations in {times:.0%} of the time")


if __name__ == "__main__":
    main()
