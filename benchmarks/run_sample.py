"""A sample of full-size layers in RTL: each answer's hardware simulated, with all of its counters beside the model's.

    python benchmarks/run_sample.py examples/networks.json [--draws 100] [--seed 14] [--journal FILE] [--seconds 3600]
        [--pes N]

The layers and machines of `run_cycles.py`, `--objective delay` or energy as it is drawn, a fifth an architecture,
each run of under two thousand million PE-cycles. Every word of the output is compared, cycles and counters are the
model's to the last one. All are drawn first; then the fewest PEs of each architecture are run in turn. With
`--journal` draws, runs and what came out are kept, one line of JSON each, and the same command goes on from there:
draws and outcomes of the same program; a run, which is what was simulated, for every draw that has its Verilog, and
another program's model is asked anew. `--seconds`: start no run after so many; `--pes`: run no hardware of more, which
takes long to build. Prints the table of all that were run, and ends with exit code 1 where anything differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path

from optimizer_layers import distinct_layers
from report import table
from run_cycles import MACHINES

import halidehw as hl
from halidehw.driver import simulate
from halidehw.driver.draw import random_inputs
from halidehw.energy_model.counters import predicted
from halidehw.frontend.text import parse
from halidehw.mapping.layer import Layer
from halidehw.optimize import architecture, optimize
from halidehw.optimize.kept import program

MOST = 2_000_000_000
"""PE-cycles of a run."""

HEADS = ("layer", "architecture", "objective", "cycles", "PEs", "counters", "seconds")
SUMS = ("architecture", "drawn", "run", "equal", "PE-cycles")


@dataclass(frozen=True)
class Draw:
    """An answer of a program: its hardware's PEs, cycles and the bits of the port that all tensors share."""

    program: str
    layer: str
    arch: str
    objective: str
    cycles: int
    pes: int
    port_bits: int
    schedule: str


@dataclass(frozen=True)
class Run:
    """What was simulated: a digest of its Verilog, its cycles and counters, whether every word of the output was right,
    and seconds, of the build too."""

    verilog: str
    cycles: int
    counters: dict[str, int]
    match: bool
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """Of a draw of a program: how many things were counted, how many of them are the model's, seconds of the run."""

    of: str
    schedule: str
    port_bits: int
    counted: int
    equal: int
    seconds: float


Row = tuple[Draw, Outcome]


def drawn(layers: dict[Layer, str], machine: str, chance: random.Random) -> Draw:
    """A layer's answer whose run is short enough."""
    name, bits = machine.rsplit(":", 1)
    while True:
        layer, goal = chance.choice(list(layers)), chance.choice(["delay", "energy"])
        arch = architecture(name)
        if layer.macs < MOST:
            found = optimize(layer, arch, "any", objective=goal, replicate=True, shared_port_bits=int(bits))
            pes, cycles = found.hardware[1].pes, found.run_cycles
            if cycles * pes < MOST:
                return Draw(program(), layers[layer], arch.name, goal, cycles, pes, int(bits), found.schedule)


def simulated(compiled: hl.Compiled, digest: str) -> Run:
    """A run with all counters."""
    begun = time.monotonic()
    run = simulate(compiled, random_inputs(compiled.graph, 0), memory=hl.Memory(), once=True)
    return Run(digest, run.cycles, dict(run.counters), bool(run.match), time.monotonic() - begun)


def beside(each: Draw, compiled: hl.Compiled, run: Run) -> Outcome:
    """A run beside the model: the output's words and the cycles count as one each."""
    model = predicted(compiled.graph, compiled.accelerator, hl.Memory())
    equal = sum(model[name] == value for name, value in run.counters.items()) + run.match + (run.cycles == each.cycles)
    return Outcome(program(), each.schedule, each.port_bits, len(run.counters) + 2, equal, run.seconds)


def in_turn(draws: list[Draw]) -> list[Draw]:
    """The fewest PEs of each architecture first: hardware takes longer to build than to run."""
    sizes = sorted(draws, key=lambda each: (each.pes, each.cycles))
    each_arch = [[each for each in sizes if each.arch == arch] for arch in dict.fromkeys(each.arch for each in sizes)]
    return [each for row in zip_longest(*each_arch) for each in row if each]


Kept = tuple[list[Draw], dict[str, Run], dict[tuple[str, int], Outcome]]


def read(journal: Path | None) -> Kept:
    """What was kept: draws of this program, runs by the digest of their Verilog, outcomes of this program."""
    rows = [json.loads(line) for line in journal.read_text().splitlines()] if journal and journal.exists() else []
    draws = [Draw(**row) for row in rows if row.get("program") == program()]
    outcomes = [Outcome(**row) for row in rows if row.get("of") == program()]
    runs = {row["verilog"]: Run(**row) for row in rows if "verilog" in row}
    return draws, runs, {(each.schedule, each.port_bits): each for each in outcomes}


def keep(journal: Path | None, row: Draw | Run | Outcome) -> None:
    if journal:
        with journal.open("a") as file:
            file.write(json.dumps(asdict(row)) + "\n")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("networks", help="a JSON file")
    arguments.add_argument("--arch", nargs="*", default=MACHINES)
    arguments.add_argument("--draws", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=14)
    arguments.add_argument("--journal", type=Path)
    arguments.add_argument("--seconds", type=float, default=float("inf"))
    arguments.add_argument("--pes", type=int)
    given = arguments.parse_args()
    start, (draws, runs, outcomes), rows = time.monotonic(), read(given.journal), list[Row]()
    layers = distinct_layers(given.networks)
    for number in range(len(draws), given.draws):
        chance = random.Random(f"{given.seed} {number}")
        draws.append(drawn(layers, given.arch[number % len(given.arch)], chance))
        keep(given.journal, draws[-1])
    for each in in_turn([draw for draw in draws if given.pes is None or draw.pes <= given.pes]):
        asked = each.schedule, each.port_bits
        if asked not in outcomes and time.monotonic() - start > given.seconds:
            continue
        if asked not in outcomes:
            outcomes[asked] = outcome(each, runs, given.journal)
            keep(given.journal, outcomes[asked])
        rows.append((each, outcomes[asked]))
    sys.exit(not shown(draws, rows))


def outcome(each: Draw, runs: dict[str, Run], journal: Path | None) -> Outcome:
    """What comes out of a draw, whose Verilog is simulated if it was not."""
    compiled = hl.compile(parse(each.schedule).output, shared_port_bits=each.port_bits, counters="all")
    digest = hashlib.sha256(compiled.verilog.encode()).hexdigest()
    if digest not in runs:
        runs[digest] = simulated(compiled, digest)
        keep(journal, runs[digest])
    return beside(each, compiled, runs[digest])


def shown(draws: list[Draw], rows: list[Row]) -> bool:
    """Prints the tables; whether everything that was run is equal."""
    lines = [(each.layer, each.arch, each.objective, each.cycles, each.pes, f"{came.equal} of {came.counted}",
              f"{came.seconds:.0f}") for each, came in rows]  # fmt: skip
    sums = []
    for arch in dict.fromkeys(each.arch for each in draws):
        mine = [(each, came.counted == came.equal) for each, came in rows if each.arch == arch]
        work = sum(each.cycles * each.pes for each, _ in mine)
        sums.append((arch, sum(each.arch == arch for each in draws), len(mine), sum(same for _, same in mine), work))
    print(table(HEADS, lines), table(SUMS, sums), sep="\n\n")
    return all(came.equal == came.counted for _, came in rows)


if __name__ == "__main__":
    main()
