"""`halidehw fuse`: which layers of a network to compute together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from halidehw.commands.common import folder, json_option, print_json, progress
from halidehw.energy_model.costs.document import UNITS
from halidehw.energy_model.cycles import cycles
from halidehw.errors import CostError
from halidehw.frontend.text import parse
from halidehw.mapping.layer import load_network
from halidehw.microarch.derive import derive
from halidehw.optimize import architecture
from halidehw.optimize.fusion.network import nodes_of
from halidehw.optimize.fusion.program import Program, lanes
from halidehw.optimize.fusion.search import Plan, plan
from halidehw.optimize.fusion.targets import GPUS, KB, Group, Target
from halidehw.scheduler import lower_graph

GPU = "gpu:"


@click.command("fuse")
@click.option("--network", "network_file", required=True, metavar="FILE.json:NAME", help="A network.")
@click.option("--capacity", metavar="SIZE", help="Memory for tiles: 128KB; by default the target's.")
@click.option("--target", metavar="NAME", help=f"A GPU ({', '.join(GPU + name for name in GPUS)}), or an architecture.")
@click.option("--bytes", "size", type=click.IntRange(min=1), metavar="N", help="Of a word.  [1, or the architecture's]")
@click.option("--min-tiles", type=click.IntRange(min=1), metavar="N", help="Of a group.  [1, or the GPU's processors]")
@click.option("--longest", type=click.IntRange(min=1), metavar="N", help="Layers of a group at most: 2 for pairs.")
@click.option(
    "--group", "asked", multiple=True, metavar="LAYERS", help="Layers to compute together: a,b,c; repeatable."
)
@click.option("--pes", type=click.IntRange(min=1), metavar="N", help="Of a group's schedule, all stages together.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FOLDER", help="Write a design for each group."
)
@json_option
def fuse_command(
    network_file: str, capacity: str | None, target: str | None, size: int | None, min_tiles: int | None,
    longest: int | None, asked: tuple[str, ...], pes: int | None, output: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Find the layers of a network to compute together, and their tiles, for the fewest words from and to memory.

    What lies between such layers never leaves the chip. By default for our own hardware, as schedules of pipelines.
    """
    machine, array = _target(target, capacity, size, min_tiles)
    if machine.gpu and (output or pes):
        raise CostError(f"{'-o' if output else '--pes'}: a plan for {machine.name} has no schedules of ours")
    nodes = nodes_of(load_network(network_file))
    if output:
        folder(None, None, output)  # type: ignore[arg-type]
    with progress("planning"):
        found = plan(nodes, machine, [tuple(names.split(",")) for names in asked], longest or 0)
    programs = [_program(group, machine, pes or array) for group in found.groups]
    with progress("estimating"):
        taken = _cycles(programs)
    if output:
        output.mkdir(parents=True, exist_ok=True)
        for number, program in enumerate(programs, 1):
            if program:
                (output / f"{number:02}_{program.names[1]}.hh").write_text(program.text())
    if as_json:
        print_json(_json(network_file, machine, found, programs, taken))
        return
    for group, program, run in zip(found.groups, programs, taken, strict=True):
        click.echo(_line(group, run))
        for line in program.schedule() if program else ():
            click.echo(f"    {line}")
    saved = 1 - found.words / found.words_unfused
    click.echo(f"{found.words} words on {machine.name}, {found.words_unfused} layer by layer: {saved:.1%} fewer")


def _target(name: str | None, capacity: str | None, size: int | None, least: int | None) -> tuple[Target, int]:
    """What to plan for, and its PEs."""
    given = _bytes(capacity) if capacity else None
    if name and name.startswith(GPU):
        gpu = name.removeprefix(GPU).replace("-", "").lower()
        if gpu not in GPUS:
            raise CostError(f"--target {name}: unknown GPU", legal=[f"--target {GPU}{known}" for known in GPUS])
        processors, cache = GPUS[gpu]
        return Target(name, given or cache * KB, size or 1, least or processors, gpu=True), 0
    if name is None:
        if given is None:
            raise CostError("fuse needs the memory that there is", legal=["--capacity 128KB", f"--target {GPU}gtx1660"])
        return Target("our own hardware", given, size or 1, least or 1), 1
    arch = architecture(name)
    shared = [level.words * arch.word_bits // 8 for level in arch.levels if level.words and not level.per_pe]
    if given is None and not shared:
        raise CostError(f"--target {name}: it has no memory outside its PEs", legal=["--capacity 128KB"])
    return Target(arch.name, given or max(shared), size or -(-arch.word_bits // 8), least or 1), arch.pes


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+)\s*(\w+)", text)
    if not match or match[2] not in UNITS["size"] or int(match[1]) < 1:
        raise CostError(
            f"--capacity {text}: not a size; its units are {', '.join(UNITS['size'])}", legal=["--capacity 128KB"]
        )
    return int(int(match[1]) * UNITS["size"][match[2]])


def _program(group: Group, target: Target, pes: int) -> Program | None:
    """The design of a group; a GPU's has none, and neither has a layer with groups of channels."""
    if target.gpu or group.chain.last.grouped:
        return None
    return Program(group, 8 * target.bytes, lanes(group, pes))


def _cycles(programs: Sequence[Program | None]) -> list[int | None]:
    """Of each design with an ideal memory; those that differ in names only are estimated once."""
    known: dict[object, int] = {}
    for program in programs:
        if program and program.alike not in known:
            known[program.alike] = cycles(derive(lower_graph(parse(program.text()).output))).total
    return [known[program.alike] if program else None for program in programs]


def _line(group: Group, taken: int | None) -> str:
    tile = f"{group.filters}x{group.rows}x{group.columns}"
    kept = ", the input kept to be added" if group.chain.fetched(False) != group.chain.fetched(group.kept) else ""
    took = "" if taken is None else f", {taken} cycles"
    return (
        f"{' + '.join(group.chain.names)}: {group.words} words, {group.capacity} bytes{took}; {group.tiles} tiles of "
        f"{tile} (channels, rows, columns), {group.way}{kept}"
    )


def _json(
    network: str, target: Target, found: Plan, programs: Sequence[Program | None], taken: Sequence[int | None]
) -> dict[str, Any]:
    groups = [
        {
            "layers": list(group.chain.names), "words": group.words, "capacity": group.capacity, "way": group.way,
            "tile": {"filters": group.filters, "rows": group.rows, "columns": group.columns}, "tiles": group.tiles,
            "cycles": run,
            "schedule": list(program.schedule()) if program else [], "design": program.text() if program else "",
        }
        for group, program, run in zip(found.groups, programs, taken, strict=True)
    ]  # fmt: skip
    return {
        "network": network, "target": target.name, "capacity": target.capacity, "bytes": target.bytes,
        "min_tiles": target.min_tiles, "groups": groups, "words": found.words, "words_unfused": found.words_unfused,
    }  # fmt: skip
