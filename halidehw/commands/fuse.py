"""`halidehw fuse`: which layers of a network to compute together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from halidehw.commands.common import folder, json_option, print_json, progress
from halidehw.commands.plan_files import check_plan, write_plan
from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.architecture_file import line_of, pasted
from halidehw.mapping.layer import load_network
from halidehw.notation import counted
from halidehw.optimize import architecture
from halidehw.optimize.fusion.agree import voids
from halidehw.optimize.fusion.asked import check_asked
from halidehw.optimize.fusion.measure import Meter, Run
from halidehw.optimize.fusion.network import Node, nodes_of, reads_of
from halidehw.optimize.fusion.plan import Plan, plan
from halidehw.optimize.fusion.program import INPUT, Program, written
from halidehw.optimize.fusion.search import Search
from halidehw.optimize.fusion.targets import DELAY, GPUS, KB, OBJECTIVES, WORDS, Target
from halidehw.optimize.fusion.unmet import unmet
from halidehw.optimize.fusion.ways import NEVER, ROOMY, Group
from halidehw.optimize.hierarchy import parse_option
from halidehw.optimize.options import check_time_limit
from halidehw.optimize.solve import SHIPPED

GPU, OWN = "gpu:", "our own hardware"
UNSAID = ROOMY
"""The capacity where nothing says it."""


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
@click.option("--objective", type=click.Choice(OBJECTIVES), default=WORDS, show_default=True, help="What is least.")
@click.option("--pes", type=click.IntRange(min=1), metavar="N", help="Of a group, all its layers together.")
@click.option("--port-bits", type=click.IntRange(min=0), metavar="N", help="Of each port.  [the architecture's]")
@click.option("--time-limit", "limit", type=float, metavar="S", help="For working out designs.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FOLDER", help="Write a design for each group."
)
@json_option
def fuse_command(
    network_file: str, capacity: str | None, target: str | None, size: int | None, min_tiles: int | None,
    longest: int | None, asked: tuple[str, ...], objective: str, pes: int | None, port_bits: int | None,
    limit: float | None, output: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Find the layers of a network to compute together, and their tiles, for the fewest words from and to memory, or
    the least energy or run time.

    What lies between such layers never leaves the chip. By default for our own hardware, as schedules of pipelines.
    """
    check_time_limit(limit)
    network = load_network(network_file, "--network")
    nodes = nodes_of(network)
    for problem in voids(network, reads_of(network)):
        click.echo(f"warning: {problem}", err=True)
    machine = _target(target, capacity, size, min_tiles)
    for node in (node for node in nodes.values() if node.grouped and not machine.gpu):
        click.echo(f"warning: {node.unbuilt}: it is by itself, and the plan has words, no cycles and energy", err=True)
    if machine.gpu:
        wrong = {"-o": output, "--pes": pes, "--port-bits": port_bits, f"--objective {objective}": objective != WORDS}
        for name in (name for name, given in wrong.items() if given):
            raise CostError(
                f"{name}: a plan for {machine.name} has words, and no schedules of ours",
                legal=[f"--objective {WORDS}"] if name.startswith("--objective") else [f"without {name.split()[0]}"],
            )
    machine = replace(machine, objective=objective, pes=pes or machine.pes)
    machine = machine if port_bits is None else replace(machine, port_bits=port_bits)
    if objective == DELAY and not machine.pes:
        raise CostError("--objective delay needs the PEs that there are", legal=["--pes 64", "--target eyeriss"])
    machine.check()
    if target and not machine.gpu:
        _check_unmet(target, machine)
    groups = [_names(group, nodes) for group in asked]
    if machine.capacity == UNSAID:
        raise _unsaid(network.name, nodes, machine, groups, longest or len(nodes))
    if output:
        folder(None, None, output)  # type: ignore[arg-type]
        check_plan(output, {written(name, INPUT) for name in nodes})
    meter = Meter(machine)
    with progress("planning"):
        found = plan(nodes, machine, groups, longest or 0, meter, limit)
    programs = [meter.program(group) for group in found.groups]
    with progress("estimating"):
        runs, alone = ([meter.run(group) for group in several] for several in (found.groups, found.unfused))
    sums = _sums(found, runs, alone)
    answer = _json(network_file, machine, found, programs, runs) | sums
    if output:
        write_plan(output, answer)
    if as_json:
        print_json(answer)
        return
    for group, program, run in zip(found.groups, programs, runs, strict=True):
        click.echo(_line(group, run))
        for line in program.schedule() if program else ():
            click.echo(f"    {line}")
    for line in _conclusion(machine, sums, found):
        click.echo(line)


def _target(name: str | None, capacity: str | None, size: int | None, least: int | None) -> Target:
    """What to plan for."""
    given = None if capacity is None else parse_option("--capacity", capacity)
    if name and name.startswith(GPU):
        gpu = name.removeprefix(GPU).replace("-", "").lower()
        if gpu not in GPUS:
            raise CostError(f"--target {name}: unknown GPU", legal=[f"--target {GPU}{known}" for known in GPUS])
        processors, cache = GPUS[gpu]
        return Target(name, given or cache * KB, size or 1, least or processors, gpu=True)
    if name is None:
        return Target(OWN, given or UNSAID, size or 1, least or 1)
    arch = _architecture(name)
    shared = [level.words * arch.word_bits // 8 for level in arch.levels if level.words and not level.per_pe]
    room = given or max(shared, default=UNSAID)
    own = Target(arch.name, room, size or -(-arch.word_bits // 8), least or 1, pes=arch.pes)
    return replace(own, port_bits=arch.port_bits, costs=arch.table or own.costs)


def _check_unmet(name: str, machine: Target) -> None:
    """Warns of what an architecture says and no plan has. Raises `CostError` where the answer would be wrong for it."""
    own, arch = name not in _shipped(), _architecture(name)
    file = Path(name) if own else SHIPPED / f"{name}.toml"
    found = [*unmet(arch, 8 * machine.bytes)]
    said = [(each, line) for each in found if (line := line_of(file, each.place))]
    wrong = {objective for each, _ in said for objective in each.wrong}
    for each, line in said:
        if machine.objective in each.wrong:
            legal = [f"--objective {other}" for other in OBJECTIVES if other not in wrong]
            why = f"--objective {machine.objective}: {each.said} of {arch.name}: in a plan {each.why}"
            raise CostError(why, legal=legal, source=line if own else None)
    if said:
        click.echo(f"warning: a plan does not have all that {arch.name} says", err=True)
    for why, several in groupby(said, lambda each: each[0].why):
        fields = [(each.said + f" ({line.file}:{line.line})" * own, each.legal * own) for each, line in several]
        has = ", ".join(legal for _, works in fields for legal in pasted(file, works))
        click.echo(f"    {', '.join(field for field, _ in fields)}: {why}{has and f'; it has {has}'}", err=True)


def _unsaid(
    network: str, nodes: Mapping[str, Node], machine: Target, asked: Sequence[tuple[str, ...]], longest: int
) -> CostError:
    """That nothing says how much memory there is, and how much the layer or group needs that needs most."""
    search = Search(nodes, machine, asked, longest)
    search.check_measurable()
    check_asked(search, asked)
    search.check_roomy(asked)
    most = search.largest(asked)
    if (need := search.least(most)) == NEVER:
        return search.too_large(most)
    why = "fuse needs to know how much memory there is for tiles"
    why = why if machine.name == OWN else f"--target {machine.name}: it has no memory outside its PEs for tiles"
    return CostError(
        f"{why}; of {network} {' + '.join(most.names)} alone needs {need} bytes",
        legal=[search.room(need), *([search.room(128 * KB)] if need < 128 * KB else [])],
    )


def _architecture(name: str) -> Architecture:
    """One by its name or file. Raises `CostError` for one that is not there."""
    if name not in _shipped() and not Path(name).is_file():
        known = [*(f"--target {each}" for each in _shipped()), f"--target {GPU}gtx1660"]
        raise CostError(f"--target {name}: no such architecture, nor its file", legal=known)
    return architecture(name)


def _shipped() -> list[str]:
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def _names(group: str, known: Collection[str]) -> tuple[str, ...]:
    """The layers of a group; of a name that has commas all of it."""
    parts, found = group.split(","), list[str]()
    while parts:
        starts = [",".join(parts[:number]).strip() for number in range(1, len(parts) + 1)]
        number = next((number for number in range(len(parts), 0, -1) if starts[number - 1] in known), 1)
        found.append(starts[number - 1])
        parts = parts[number:]
    return tuple(found)


def _sums(found: Plan, runs: Sequence[Run | None], alone: Sequence[Run | None]) -> dict[str, Any]:
    """Words, cycles and energy of a plan, its groups one after the other, and of its layers by themselves; None where
    there is a layer without hardware, or one whose energy is not known."""

    def added(groups: Sequence[Group], each: Sequence[Run | None], what: Callable[[Run], float | None]) -> float | None:
        times, taken = (group.chain.last.layer.repeat for group in groups), [what(run) if run else None for run in each]
        every = [n * one for n, one in zip(times, taken, strict=True) if one is not None]
        return sum(every) if len(every) == len(taken) else None

    def of(ending: str, groups: Sequence[Group], each: Sequence[Run | None]) -> dict[str, Any]:
        return {
            f"cycles{ending}": added(groups, each, lambda run: run.cycles),
            f"energy_pj{ending}": added(groups, each, lambda run: run.energy_pj),
        }

    words = {"words": found.words, "words_unfused": found.words_unfused}
    return words | of("", found.groups, runs) | of("_unfused", found.unfused, alone)


def _line(group: Group, run: Run | None) -> str:
    tile = f"{group.filters}x{group.rows}x{group.columns}"
    kept = ", the input kept to be added" if group.chain.fetched(False) != group.chain.fetched(group.kept) else ""
    took = "" if run is None else f", {run.cycles} cycles"
    took += f", {run.energy_pj / 1e6:.2f} uJ" if run and run.energy_pj is not None else ""
    tiles = f"{counted(group.tiles, 'tile')} of {tile} (channels, rows, columns)"
    return (
        f"{' + '.join(group.chain.names)}: {group.words} words, {group.capacity} bytes{took}; {tiles}, "
        f"{group.way}{kept}"
    )


def _conclusion(target: Target, sums: dict[str, Any], found: Plan) -> list[str]:
    """What the plan has, beside its layers one by one, and whether another one could have less."""
    proof = f"another plan could save {found.gap:.1%} at most" if found.gap else "no other plan has less"
    lines = [f"objective: {target.objective}; {proof}"]
    for name, unit in (("words", "words"), ("cycles", "cycles"), ("energy_pj", "pJ")):
        fused, alone = sums[name], sums[f"{name}_unfused"]
        if fused is not None:
            less = f"{1 - fused / alone:.1%} fewer" if fused <= alone else f"{fused / alone - 1:.1%} more"
            lines.append(f"{fused:.0f} {unit} on {target.name}, {alone:.0f} layer by layer: {less}")
    return lines


def _json(
    network: str, target: Target, found: Plan, programs: Sequence[Program | None], runs: Sequence[Run | None]
) -> dict[str, Any]:
    groups = [
        {
            "layers": list(group.chain.names), "repeat": group.chain.last.layer.repeat,
            "words": group.words, "capacity": group.capacity, "way": group.way,
            "tile": {"filters": group.filters, "rows": group.rows, "columns": group.columns}, "tiles": group.tiles,
            "cycles": run and run.cycles, "energy_pj": run and run.energy_pj,
            "schedule": list(program.schedule()) if program else [], "design": program.text() if program else "",
            "file": f"{number:02}_{program.names[1]}.hh" if program else None,
        }
        for number, (group, program, run) in enumerate(zip(found.groups, programs, runs, strict=True), 1)
    ]  # fmt: skip
    return {
        "network": network, "target": target.name, "capacity": target.capacity, "bytes": target.bytes,
        "min_tiles": target.min_tiles, "pes": target.pes, "port_bits": target.port_bits,
        "objective": target.objective, "optimal": found.gap == 0, "gap": found.gap, "measured": found.measured,
        "groups": groups,
    }  # fmt: skip
