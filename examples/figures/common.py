"""What the figure scripts share: the paper's settings, a sweep, and a table of claims."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halidehw.energy_model.costs.table import load_costs
from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.layer import Layer, Network, load_network
from halidehw.optimize import Options
from halidehw.optimize.sweep import Task, sweep

HERE = Path(__file__).parent
OUT = Path("build/figures")
sys.path.append(str(HERE.parent / "im2col"))
CONV3 = Layer(b=16, k=384, c=256, oy=13, ox=13, fy=3, fx=3, name="AlexNet CONV3")
REDUCE_4C = Layer(b=16, k=128, c=512, oy=14, ox=14, name="GoogLeNet 4c 3x3-reduce")


def network(name: str) -> Network:
    return load_network(f"{HERE.parent / 'networks.json'}:{name}")


def architecture(
    registers: tuple[int, ...], srams: int | tuple[int, ...], array: tuple[int, ...] = (16, 16), links: bool = True,
    double: bool = False,
) -> Architecture:  # fmt: skip
    """Register files of so many bytes in each PE under SRAMs of so many KB, costed by Table 3.

    `double`: every SRAM is there twice, and an access costs what one of both does.
    """
    table, outer = load_costs("table3"), (srams,) if isinstance(srams, int) else srams
    inside = [
        Level(f"RF {size} B", "register_file", size * 8 // 16, table.access("register_file", size))
        for size in registers
    ]
    halves = 2 if double else 1
    outside = [
        Level(f"SRAM {size} KB", "sram", halves * size * 512, table.access("sram", halves * size * 1024), halves)
        for size in outer
    ]
    dram = Level("DRAM", "dram", None, table.dram)
    name = " + ".join([*(f"{size} B" for size in registers), *(f"{size} KB" for size in outer)])
    return Architecture(
        name, table.technology, table.name, 16, array, (*inside, *outside, dram), table.hop, table.mac, links
    )


def energies(networks: list[Network], architectures: list[Architecture], options: Options) -> list[list[float]]:
    """Least energy, pJ for the whole batch, by architecture and network."""
    tasks = [Task(layer, arch, options) for arch in architectures for net in networks for layer in net.layers]
    answers = iter(sweep(tasks))
    return [
        [sum(next(answers)["energy_pj"] * layer.repeat for layer in net.layers) for net in networks]
        for _ in architectures
    ]


def batch(layer: Layer, size: int) -> Layer:
    return replace(layer, b=size)


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, what was found here, and whether they agree; `why` where they do not."""

    paper: str
    found: str
    agree: bool
    why: str = ""


def claims_table(claims: list[Claim]) -> str:
    """The claims in Markdown."""
    lines = ["| the paper | here | |", "|---|---|---|"]
    for claim in claims:
        verdict = "agree" if claim.agree else f"disagree: {claim.why}"
        lines.append(line([claim.paper, claim.found, verdict]))
    return "\n".join(lines)


@dataclass(frozen=True)
class Call:
    """`small`: take a small case instead of the paper's; `out`: the folder of the picture and the table."""

    small: bool
    out: Path


def call() -> Call:
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true", help="a small case, in seconds")
    parser.add_argument("--out", type=Path, default=OUT, help=f"a folder for the picture and the table [{OUT}]")
    given = parser.parse_args()
    return Call(given.small, given.out)


def save(figure: Any, name: str, out: Path = OUT) -> None:
    out.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(out / f"{name}.png", dpi=120)
    print(f"\nwrote {out / name}.png")


def publish(figure: Any, name: str, title: str, table: str, claims: list[Claim], out: Path = OUT) -> None:
    """Print the numbers and the claims, and write them and the picture as `name`.md and `name`.png."""
    text = f"# {title}\n\n{table}\n\n{claims_table(claims)}\n"
    print(text)
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.md").write_text(text)
    save(figure, name, out)


def rows(heads: list[str], lines: list[list[Any]]) -> str:
    """A table in Markdown, numbers to three digits after the point."""
    shown = [[f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in each] for each in lines]
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return "\n".join(map(line, (heads, rule, *shown)))


def line(cells: list[str]) -> str:
    """A line of a table; the bar of a dataflow is none of its own."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
