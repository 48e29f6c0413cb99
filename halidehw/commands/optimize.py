"""`halidehw optimize`: the best schedule of a layer or a network on an architecture."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

import click
import numpy as np

from halidehw.commands.common import in_folder, json_option, picture, print_json
from halidehw.commands.resources import Resources, search_resources
from halidehw.energy_model.costs.document import UNITS
from halidehw.energy_model.costs.table import CostTable, built_in, load_costs
from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import TENSORS, Network, load_network, parse_layer
from halidehw.optimize import Options, architecture
from halidehw.optimize.budget import Budget
from halidehw.optimize.compared import SAID, compared
from halidehw.optimize.dataflow import write_dataflow
from halidehw.optimize.files import files_of, without
from halidehw.optimize.hierarchy import EXAMPLE, OPTION, parse_arrays, parse_hierarchy, parse_option, parse_ratio
from halidehw.optimize.objective import objective
from halidehw.optimize.options import check, flows
from halidehw.optimize.pareto import hardware_front
from halidehw.optimize.plots import choices, front, nondominated
from halidehw.optimize.sample import drawn_costs
from halidehw.optimize.steady import ported, steady
from halidehw.optimize.sweep import Task, solve, solve_warm, sweep

SUMS = ("energy_pj", "cycles", "counted_pj", "steady_cycles", "bound", "evaluated", "seconds")
AREAS = {"--max-area": "2mm2", "--pe-area": "1500um2", "--byte-area": "2um2"}
"""What each of these can be."""

DRAWS = 20_000
DRAWN = {"energy": "energy", "delay": "steady cycles", "edp": "energy times steady cycles"}
"""What a picture of one layer is of."""

NEW = click.Path(path_type=Path, dir_okay=False)


@click.command("optimize")
@click.option("--layer", "layer_text", metavar="SIZES", help='For example "ox=13 oy=13 c=256 k=384 fx=3 fy=3 b=16".')
@click.option("--network", "network_file", metavar="FILE.json:NAME", help="All layers of a network.")
@click.option("--arch", default="interstellar", show_default=True, help="Architecture, a TOML file or a shipped name.")
@click.option("--dataflow", help='For example "C | K"; "any" tries all; by default the architecture\'s own.')
@click.option("--objective", default="energy", show_default=True, help="energy, delay or edp (their product).")
@click.option("--convention", default="exact", show_default=True, help="How accesses are counted: exact or paper.")
@click.option("--time-limit", type=float, help="Seconds for a layer; the answer then says how far it may be off.")
@click.option("--replicate", is_flag=True, help="Unroll a second loop on each dimension of the array, where it helps.")
@click.option("--ragged", is_flag=True, help="Also tiles that do not divide the layer.")
@click.option("--half-full", is_flag=True, help="Fill at least half of every on-chip level.")
@click.option("--full-array", is_flag=True, help="Unroll as far as the array goes.")
@click.option("--utilization", type=float, metavar="SHARE", help="Unroll at least so far: 0.75 of --full-array.")
@click.option("--port-bits", type=click.IntRange(min=0), metavar="N", help="Of each port (0: one word).")
@click.option("--shared-port-bits", type=click.IntRange(min=0), metavar="N", help="Of one port that all tensors share.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes; by default one per core.")
@click.option("--cluster", metavar="ADDRESS", help="Dask scheduler to use instead of local processes.")
@click.option("--journal", type=NEW, callback=in_folder, help="File of answers to resume from and add to.")
@click.option("--afresh", is_flag=True, help="Search again what is kept of earlier calls.")
@click.option("-o", "--output", type=NEW, callback=in_folder, help="Write the schedule (of one layer) to a .hh file.")
@click.option("--schedule-only", is_flag=True, help="Print nothing but the schedule (of one layer).")
@click.option("--pareto", "as_front", is_flag=True, help="All choices (of one layer) unbeaten in energy and cycles.")
@click.option("--plot", type=NEW, callback=picture, help="Draw what was found (.png, .svg, .pdf).")
@click.option("--memories", multiple=True, metavar="LEVELS", help=f'Sizes to choose from: "{EXAMPLE}"; repeatable.')
@click.option("--arrays", metavar="SHAPES", help="Array shapes to choose from: 8x8,16x16; else as in --arch.")
@click.option("--costs", help="Cost table of what is chosen from.  [that of --arch]")
@click.option("--max-pes", type=click.IntRange(min=1), help="The budget's PEs.")
@click.option("--max-memory", metavar="SIZE", help="The budget's memory on chip, all register files included: 64KB.")
@click.option("--max-area", metavar="AREA", help="The budget's area: 2mm2, with --pe-area and --byte-area.")
@click.option("--pe-area", metavar="AREA", help="Of a PE without its memories.  [0um2]")
@click.option("--byte-area", metavar="AREA", help="Of a byte of memory.  [0um2]")
@click.option("--ratio", metavar="LEAST:MOST", help="Keep sizes of adjacent levels in this ratio, and report the loss.")
@json_option
def optimize_command(
    layer_text: str | None, network_file: str | None, arch: str, workers: int | None, cluster: str | None,
    journal: Path | None, afresh: bool, output: Path | None, schedule_only: bool, as_front: bool, plot: Path | None,
    memories: tuple[str, ...], arrays: str | None, costs: str | None, max_pes: int | None, max_memory: str | None,
    max_area: str | None, pe_area: str | None, byte_area: str | None, ratio: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Find the schedule of least energy, delay or energy-delay product, and prove it.

    With --memories or --arrays, find the memory sizes and the array as well, shared by all layers.
    """
    if (layer_text is None) == (network_file is None):
        raise CostError("optimize takes either a layer or a network", legal=['--layer "k=64 c=64 b=16"'])
    chosen = replace(Options(), **options)
    target = architecture(arch)
    shapes = [target.array] if arrays is None else parse_arrays(arrays)
    check(replace(target, array=max([target.array, *shapes], key=len)), chosen)
    if network_file is None:
        network = Network("layer", (parse_layer(layer_text or ""),))
    else:
        network = load_network(network_file, "--network")
    run = partial(sweep, workers=workers, cluster=cluster, journal=journal, warm=not afresh, progress=_progress)
    budget = _budget(max_pes, max_memory, max_area, pe_area, byte_area)
    outputs = {"-o": output, "--schedule-only": schedule_only, "--pareto": as_front}
    elsewhere = any(each is not None for each in (workers, cluster, journal))
    if cluster:
        _unused({"--workers": workers}, "a cluster has workers of its own", f"--cluster {quote(cluster)}")
    if memories or arrays is not None:
        _unused(outputs, "with --memories or --arrays the answer is a ranking", "--plot architectures.png")
        levels = [parse_hierarchy(each) for each in memories]
        between = None if ratio is None else parse_ratio(ratio)
        resources = Resources(target, _costs(costs, target), levels, shapes, budget, between)
        search_resources(network, resources, chosen, run, plot, as_json)
    elif costs is not None or ratio is not None or budget != Budget():
        raise CostError("a budget, a ratio or a cost table needs sizes to choose from", legal=[OPTION])
    elif layer_text is None:
        _unused(outputs | {"--plot": plot}, "a network has several layers, and this is for one", '--layer "k=64 c=64"')
        _network(network, target.pes, run([Task(layer, target, chosen) for layer in network.layers]), as_json)
    elif as_front:
        _unused({"-o": output, "--schedule-only": schedule_only}, "a front has several schedules", "--pareto --json")
        aim = {"--objective": chosen.objective != Options.objective}
        _unused(aim, "a front has the best in energy, in delay and in their product", "--pareto")
        if elsewhere:
            why = "--pareto is a chain of searches, so --workers, --cluster and --journal do not help"
            raise CostError(why, legal=["--pareto"])
        _front(Task(network.layers[0], target, chosen), plot, as_json)
    else:
        if as_json:
            _unused({"--schedule-only": schedule_only}, "--json has the schedule already", "--json")
        task = Task(network.layers[0], target, chosen)
        alone = solve if afresh else solve_warm
        answer = run([task])[0] if elsewhere else alone(task)
        _one_layer(task, answer, output, schedule_only, plot, as_json)


def _unused(options: dict[str, Any], why: str, legal: str) -> None:
    """Raises CostError for an option that is given where it would change nothing."""
    for name, value in options.items():
        if value:
            raise CostError(f"{name}: {why}", legal=[legal])


def _budget(
    pes: int | None, memory: str | None, area: str | None, pe_area: str | None, byte_area: str | None
) -> Budget:
    size = None if memory is None else parse_option("--max-memory", memory)
    given = {"--max-area": area, "--pe-area": pe_area, "--byte-area": byte_area}
    most, *each = (None if text is None else _area(option, text) for option, text in given.items())
    if most is not None and not any(each):
        raise CostError("--max-area: nothing has an area", legal=["--pe-area 1500um2", "--byte-area 2um2"])
    if any(each) and most is None:
        raise CostError("--pe-area and --byte-area limit nothing without a budget", legal=["--max-area 2mm2"])
    return Budget(pes, size, most, *(area or 0.0 for area in each))


def _area(option: str, text: str) -> float:
    """In um2."""
    for unit, factor in UNITS["area"].items():
        number = text.removesuffix(unit).strip()
        if text.endswith(unit) and number.replace(".", "", 1).isdigit():
            return float(number) * factor
    why = f"{option}: {text!r} is not an area; it takes {', '.join(UNITS['area'])}"
    raise CostError(why, legal=[f"{option} {AREAS[option]}"])


def _costs(name: str | None, target: Architecture) -> CostTable:
    """The cost table that is asked for, else the architecture's. Raises CostError for one of words of another width."""
    if name is None:
        assert target.table
        return target.table
    table = load_costs(name)
    if table.word_bits != target.word_bits:
        works = [each for each in built_in() if load_costs(each).word_bits == target.word_bits]
        widths = f"its words have {table.word_bits} bits, those of {target.name} {target.word_bits}"
        raise CostError(f"--costs {name}: {widths}", legal=[f"--costs {each}" for each in works] or ["no --costs"])
    return table


def _network(network: Network, pes: int, answers: list[dict[str, Any]], as_json: bool) -> None:
    for answer in answers:
        _check(answer)
    repeats = [layer.repeat for layer in network.layers]
    total = {key: sum(answer[key] * n for answer, n in zip(answers, repeats, strict=True)) for key in SUMS}
    if all(answer["hardware_pj"] is not None for answer in answers):
        total["hardware_pj"] = sum(answer["hardware_pj"] * n for answer, n in zip(answers, repeats, strict=True))
    total["optimal"] = all(answer["optimal"] for answer in answers)
    score = objective(answers[0]["objective"]).score
    run = compared(answers)[1]
    scores = [score(answer["counted_pj"], answer[run]) * n for answer, n in zip(answers, repeats, strict=True)]
    total["gap"] = sum(answer["gap"] * each for answer, each in zip(answers, scores, strict=True)) / sum(scores)
    macs = sum(layer.macs * layer.repeat for layer in network.layers)
    busy = {"utilization": "cycles", "steady_utilization": "steady_cycles"}
    total |= {name: macs / (total[key] * pes) for name, key in busy.items()}
    _warn_of_mixed(answers)
    if as_json:
        layers = [answer | {"repeat": layer.repeat} for answer, layer in zip(answers, network.layers, strict=True)]
        print_json({"network": network.name, **total, "layers": layers})
        return
    for answer in answers:
        click.echo(_line(answer))
        _warn(answer)
    same = ("objective", "convention", "costs", "about")
    total |= {"layer": "total", "kept": False, **{key: answers[0][key] for key in same}}
    click.echo(_line(total))
    _generated(total)


def _warn_of_mixed(answers: list[dict[str, Any]]) -> None:
    """Whose energy is counted in a sum that has the hardware's of others."""
    unpriced = dict.fromkeys(answer["layer"] for answer in answers if answer["hardware_pj"] is None)
    if compared(answers) == ("counted_pj", "cycles") and len(unpriced) < len(answers):
        why = f"the hardware of {', '.join(unpriced)} has no price by {answers[0]['costs']}"
        click.echo(f"warning: {why}: the total has what is counted of it", err=True)


def _front(task: Task, plot: Path | None, as_json: bool) -> None:
    """Energy against cycles."""
    every = [each.as_json() for each in hardware_front(task.layer, task.arch, task.options)]
    energy, run = compared(every)
    unbeaten = nondominated([each[energy] for each in every], [each[run] for each in every])
    found = [every[at] for at in unbeaten]
    if plot:
        cycles, microjoules = [float(each[run]) for each in found], [each[energy] / 1e6 for each in found]
        names, title = [str(each[run]) for each in found], f"{task.layer.name} on {task.arch.name}"
        front(title, plot, (SAID[run], cycles), (SAID[energy], microjoules), names)
    if as_json:
        print_json({"front": found})
        return
    for each in found:
        click.echo(_line(each))
        _generated(each)
        _warn(each)


def _one_layer(
    task: Task, answer: dict[str, Any], output: Path | None, schedule_only: bool, plot: Path | None, as_json: bool
) -> None:
    _check(answer)
    if output is not None:
        output.write_text(answer["schedule"])
    if plot:
        _plot(task, plot)
    if as_json:
        print_json(answer)
        return
    _warn(answer)
    if schedule_only:
        click.echo(answer["schedule"], nl=False)
        return
    click.echo(_line(answer))
    _generated(answer)
    for name, part in answer["parts"].items():
        click.echo(f"    {name:8}" + "".join(f"  {tensor} {pj / 1e6:.3f} uJ" for tensor, pj in part.items()))
    click.echo(f"  of: {answer['space']}")
    costs = f"{answer['costs']}{_stated(answer)}"
    click.echo(f"  costs: {costs}; counted the {answer['convention']} way\n\n{answer['schedule']}", nl=False)


def _stated(answer: dict[str, Any]) -> str:
    """The prices that the architecture has itself."""
    own = ", ".join(f"{name} {pj:g} pJ" for name, pj in answer["stated"].items())
    return f", and of {answer['architecture']} {own}, which `halidehw estimate` does not know" if own else ""


def _plot(task: Task, file: Path) -> None:
    """What the objective is of random mappings and of the best, as counted, in the steady state."""
    layer, arch, options = task.layer, ported(task.arch, task.options), task.options
    score, every = objective(options.objective).score, flows(layer, arch, options)
    drawn = score(*drawn_costs(layer, arch, every, DRAWS, np.random.default_rng(0), options.convention))
    alone = {write_dataflow(axes) for axes in flows(layer, arch, replace(options, replicate=False))}
    asked = {"": options} | {name: replace(options, dataflow=name) for name in sorted(alone)}
    found = {name: steady(layer, arch, each) for name, each in asked.items()}
    least = {name: float(score(np.array(each.energy_pj), np.array(each.cycles))) for name, each in found.items()}
    title, best = f"{layer.name} on {arch.name}, {DRAWS} random mappings", least.pop("")
    choices(title, file, DRAWN[options.objective], best, drawn, least)


def _check(answer: dict[str, Any]) -> None:
    if "infeasible" in answer:
        raise CostError(answer["infeasible"], legal=answer.get("legal", ()))


def _line(answer: dict[str, Any]) -> str:
    proof = "proven optimal" if answer["optimal"] else f"within {answer['gap']:.2%} of the optimum"
    return (
        f"{answer['layer']:16} {answer['energy_pj'] / 1e6:14.3f} uJ {answer['cycles']:14} cycles "
        f"{answer['utilization']:6.1%} busy  {proof} in {answer['about']}, {answer['seconds']:.2f} s"
        f"{' when asked first' * answer['kept']}"
    )


def _warn(answer: dict[str, Any]) -> None:
    """What is wrong with an answer that is right."""
    if answer["warning"]:
        click.echo(f"warning: {answer['layer']}: {answer['warning']}", err=True)


def _generated(answer: dict[str, Any]) -> None:
    """What the hardware takes."""
    priced = answer.get("hardware_pj") is not None
    energy = f"{answer['hardware_pj'] / 1e6:.3f} uJ" if priced else f"no energy by {answer['costs']}"
    bound = f"at least {answer['bound']} with these PEs and ports"
    built = f"each memory as large as it need be{without(files_of(answer.get('files', TENSORS)))}"
    click.echo(f"  as generated, with {built}: {energy}, {answer['cycles']} cycles, {bound}")
    counted, steady_busy = answer["counted_pj"] / 1e6, answer["steady_utilization"]
    what = f"{counted:.3f} uJ at the prices of the levels, {answer['steady_cycles']} cycles, {steady_busy:.1%} busy"
    click.echo(f"  steady state: {what}")
    if (words := answer.get("words_pj")) and (answer["objective"], answer["convention"]) == ("energy", "exact"):
        more = words / answer["counted_pj"]
        click.echo(f"  its own words at the prices of the levels: {words / 1e6:.3f} uJ, {more:.4f} of what was counted")


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done} of {total} searches", err=True, nl=done == total)
