"""Which layers to compute together: the counts are those of formulas and of hardware, and the search is exact."""

from __future__ import annotations

import csv
import json
import random
import runpy
from dataclasses import replace
from itertools import pairwise, product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import halidehw as hl
from halidehw.commands.fuse import fuse_command
from halidehw.energy_model.traffic import traffic
from halidehw.frontend.text import parse
from halidehw.ir.bounds import held
from halidehw.mapping.layer import Layer, Network, load_network
from halidehw.mapping.wiring import Wiring
from halidehw.microarch.derive import derive
from halidehw.optimize.fusion.bounds import least_cycles, least_energy
from halidehw.optimize.fusion.chain import Chain, lanes, row_tilings, tilings
from halidehw.optimize.fusion.measure import Meter
from halidehw.optimize.fusion.network import nodes_of
from halidehw.optimize.fusion.plan import plan
from halidehw.optimize.fusion.program import Program
from halidehw.optimize.fusion.search import Search
from halidehw.optimize.fusion.targets import GPUS, KB, Target
from halidehw.optimize.fusion.ways import FILTERS_INSIDE, NEVER, ROWS, own_ways
from halidehw.scheduler import lower_graph
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

ROOT = Path(__file__).parents[2]
FUSED = runpy.run_path(str(ROOT / "examples" / "fused" / "modules.py"))["fused"]
NETWORKS = ROOT / "examples" / "networks.json"
KINDS = {"pw": (1, False), "dw": (3, True), "dm": (3, True), "conv": (3, False)}


def layer(name, kind, channels, filters, size, stride=1, width=None):
    taps, depthwise = KINDS[kind]
    groups = channels if depthwise else 1
    return Layer(name=name, k=filters, c=channels, oy=size, ox=width or size, fx=taps, fy=taps, stride=stride,
                 groups=groups)  # fmt: skip


def chain(kinds, channels, height, width, adds=(), first=0):
    """Layers one after the other, from `first` on. `kinds`: of each layer and its stride; `adds`: layer -> layers."""
    layers = []
    for number, ((kind, stride), pair) in enumerate(zip(kinds, pairwise(channels), strict=True)):
        height, width = -(-height // stride), -(-width // stride)
        layers.append(layer(f"{kind}{number}", kind, *pair, height, stride, width))
    wiring = [Wiring(adds=dict(adds).get(number, ())) for number in range(len(layers))]
    return Chain(tuple(nodes_of(Network("net", tuple(layers), tuple(wiring))).values())[first:])


def test_every_pair_of_the_table_is_reproduced_to_the_element():
    """Words of each layer by itself, words fused, and tiles; `infeasible` where no tile fits."""
    known = {}
    for row in csv.DictReader((ROOT / "benchmarks" / "fusion_pairs.csv").open()):
        n = {key: int(value) for key, value in row.items() if value.isdigit()}
        processors, cache = GPUS[row["gpu_SMs"].lower()]
        target = Target("gpu", cache * KB, 4 if row["precision"] == "FP32" else 1, processors, gpu=True)
        kinds = [(kind, n["S_dw"] if kind == "dw" else 1) for kind in (row["fcm"][:2], row["fcm"][2:])]
        pair = chain(kinds, [n["C_in"], n["C_mid"], n["C_out"]], n["H_in"], n["H_in"])
        parts = (Chain(pair.nodes[:1]), Chain(pair.nodes[1:]), pair)
        found = [known.setdefault((target, part.shape), target.best(part)[0]) for part in parts]
        words = [str(each.group.words) if each else "infeasible" for each in found]
        assert words == [row["lbl1"], row["lbl2"], row["fused"]]
        if found[2]:
            tile = (found[2].group.filters, found[2].group.rows, found[2].group.columns)
            assert tile == (n["tileF"], n["tile_oh"], n["tile_ow"])


def ways(each, sizes):
    """All ways of our own hardware to compute a chain with tiles of these sizes."""
    tried = [[number] for number in sizes]
    found = own_ways(tilings(each, tried), row_tilings(each, tried))
    return [way for way in found if way.held.min() < NEVER // 2]


def groups(each, sizes):
    return [way.group((0, 0, 0), 1) for way in ways(each, sizes)]


def drawn(rng):
    """A chain with residuals, and tiles for it."""
    kinds, channels, adds = [("pw", 1)], [3, 4], {}
    height, width = rng.randint(5, 10), rng.randint(5, 10)
    for _ in range(rng.randint(1, 5)):
        kind = rng.choice(["pw", "dw", "pw", "dw", "conv"])
        kinds.append((kind, 1 if kind == "pw" else rng.choice([1, 1, 1, 2])))
        channels.append(channels[-1] if kind == "dw" else rng.choice([4, 6, 4]))
    sizes = [prod(stride for _, stride in kinds[: at + 1]) for at in range(len(kinds))]
    for at in range(1, len(kinds)):
        like = [n for n in range(at) if (channels[n + 1], sizes[n]) == (channels[at + 1], sizes[at])]
        if like and rng.random() < 0.4:
            source = rng.choice(like)
            adds[at] = (f"{kinds[source][0]}{source}",)
    found = chain(kinds, channels, height, width, adds, first=1)
    last = found.last.layer
    return found, [rng.choice([size, -(-size // 2), -(-size // 3), 1]) for size in (last.k, last.oy, last.ox)]


@pytest.mark.parametrize("seed", range(6))
def test_planned_words_and_memory_are_those_of_the_hardware(seed):
    """Of random chains, in every way to go through their tiles; and no bound of cycles or energy is above theirs."""
    each, sizes = drawn(random.Random(seed))
    for run, cycles, energy in planned(each, sizes, seed):
        assert 0.2 * run.cycles < cycles
        assert 0.5 * run.energy_pj < energy


def planned(each, sizes, seed):
    """Each way to go through tiles of a chain: its run, and the cycles and energy it takes at least. Its words and
    memory are those planned, and no bound is above what it takes."""
    target = Target("own", 0, pes=[0, 9, 40][seed % 3], port_bits=[0, 32][seed % 2])
    meter = Meter(target)
    for way in ways(each, sizes):
        group = way.group((0, 0, 0), 1)
        run, name = meter.run(group), (each.names, each.added, sizes, group)
        room = sum(prod(held(nest, buffer)) * (1 if buffer.slide else buffer.halves)
                   for nest in run.graph.stages for buffer in nest.buffers)  # fmt: skip
        assert (words_of(run.network, run.graph), room) == (group.words, group.capacity), name
        pes, words = target.pes or 1, max(1, target.port_bits // 8)
        cycles, energy = least_cycles(way, pes, words).item(), least_energy(way, pes, 8, target.costs).item()
        assert cycles <= run.cycles and energy <= run.energy_pj * (1 + 1e-9), name
        yield run, cycles, energy


def scaled(layer, by):
    """A part of its channels, rows and columns."""
    sizes = {name: -(-getattr(layer, name) // by) for name in ("k", "ox", "oy")}
    inputs = layer.c if layer.c < by else -(-layer.c // by)
    return replace(layer, **sizes, c=inputs, b=1, groups=inputs if layer.groups > 1 else 1)


def moved(func):
    """Words at the ports."""
    graph = lower_graph(func)
    return words_of(derive(graph), graph)


def words_of(network, graph):
    return sum(count.words for count in traffic(network, graph) if count.level == "memory")


def test_fused_layers_run_in_hardware():
    """Each kind of the table's modules scaled down, with halos computed again or kept, and planned groups, one of them
    a block of MobileNetV2 whose residual waits on chip: bit by bit, with stalls, a second start and an abort, and the
    words that are planned at the ports."""
    network = load_network(f"{NETWORKS}:mobilenet_v2")
    small = nodes_of(replace(network, layers=tuple(scaled(each, 8) for each in network.layers)))
    block = Chain(tuple(small[name] for name in ("expand5", "dw5", "project5")))
    wide = chain([("pw", 1), ("conv", 1)], [3, 4, 5], 5, 4)
    best = Target("own", 2 * KB).best(block)[0].group
    planned = [best, next(each for each in groups(wide, (2, 4, 3)) if each.way == FILTERS_INSIDE)]
    assert (best.words, best.way, block.added) == (536, ROWS, ((3, 0),))
    programs = [parse(Program(each, 8, (2, 2, 1)).text()).output for each in planned]
    assert [moved(func) for func in programs] == [each.words for each in planned]
    modules = [
        FUSED(size=7, tile=(4, 4, 5)),
        FUSED("pwdw", (3, 6, 6), size=8, stride=2, tile=(4, 2, 3)),
        FUSED("pwdw", (3, 4, 4), size=5, tile=(4, 2, 3), keep=True),
        FUSED("pwpw", (3, 4, 6), size=5, tile=(4, 4, 3)),
    ]
    stalls = Memory(latency=5, stall_probability=0.2)
    harsh = [Design(func, memory=stalls, starts=2, abort=30) for func in programs + modules[:1]]
    check_each([*harsh, *(Design(func) for func in modules[1:])])


@pytest.mark.parametrize(
    ("module", "words", "formula", "kept"),
    [
        (("dwpw", (32, 32, 64), 112, 1, (64, 8, 16)), 1_352_736, 1_579_328, 1_249_568),
        (("pwdw", (32, 192, 192), 28, 1, (64, 8, 16)), 256_320, 311_424, 239_040),
        (("pwpw", (32, 16, 96), 112, 1, (96, 4, 112)), 1_607_680, 1_662_976, 1_607_680),
    ],
)
def test_modules_at_full_size_move_no_more_than_the_formulas(module, words, formula, kept):
    """In the tiles of the table, weights that stay are read once; with rows kept, so is the halo."""
    assert (moved(FUSED(*module)), moved(FUSED(*module, keep=True))) == (words, kept)
    assert kept <= words <= formula


def test_longer_chains_beat_the_best_pairs_on_mobilenet_v2():
    nodes = nodes_of(load_network(f"{NETWORKS}:mobilenet_v2"))
    gpu = Target("gpu", 96 * KB, 1, 22, gpu=True)
    found, pairs = plan(nodes, gpu), plan(nodes, gpu, longest=2)
    assert (found.words, pairs.words, found.words_unfused) == (17_249_668, 20_664_446, 27_563_838)
    assert max(len(group.chain.nodes) for group in found.groups) == 6


def partitions(nodes, search):
    """All ways to make chains of a network's layers, by the layer that each goes on with."""
    options = [(None, *(each.name for each in search.below[name])) for name in nodes]
    for chosen in product(*options):
        after = dict(zip(nodes, chosen, strict=True))
        chains = []
        for name in nodes.keys() - set(after.values()):
            names = [name]
            while after[names[-1]]:
                names.append(after[names[-1]])
            chains.append(Chain(tuple(nodes[each] for each in names)))
        yield chains


def measured(choice):
    """The words of the best tiles whose hardware fits."""
    while not choice.closed:
        choice.measure()
    return choice.value


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.soak] * (seed in (0, 2, 6))) for seed in range(8)]
)
def test_no_other_plan_has_fewer_words(seed):
    """Of random networks with branches and residuals, among all plans that can be computed."""
    rng = random.Random(seed)
    layers, wiring = [layer("l0", "pw", 4, 4, 6)], [Wiring()]
    for number in range(1, 8):
        source = f"l{rng.randrange(max(0, number - 3), number)}"
        adds = tuple({f"l{rng.randrange(number)}"}) if rng.random() < 0.4 else ()
        layers.append(layer(f"l{number}", rng.choice(["pw", "dw"]), 4, 4, 6))
        wiring.append(Wiring(reads=(source,), adds=adds))
    nodes = nodes_of(Network("net", tuple(layers), tuple(wiring)))
    target = Target("gpu", 300, 1, 2, gpu=True) if seed % 2 else Target("own", 300)
    search, least = Search(nodes, target, (), len(nodes)), NEVER
    for chains in partitions(nodes, search):
        found = [measured(search.choice(each)) for each in chains]
        right = all(target.allows(each) and not search.late(each) for each in chains)
        if right and max(found) < NEVER and not search.circle(chains):
            least = min(least, sum(found))
    assert plan(nodes, target).words == least < NEVER


def test_no_other_plan_takes_less_energy_or_time():
    """Of three layers, among all tilings of all their chains, every one measured."""
    layers = [layer("a", "pw", 3, 4, 2), layer("b", "dw", 4, 4, 2), layer("c", "pw", 4, 2, 2)]
    nodes = nodes_of(Network("net", tuple(layers)))
    own = Target("own", 120, pes=4)
    meter, cost = Meter(own), {}
    for chain_ in (Chain(tuple(nodes.values())[a:b]) for a in range(3) for b in range(a + 1, 4)):
        found = [way.group(tuple(place), 1) for way in own.ways(chain_) for place in np.argwhere(way.held <= 120)]
        runs = [run for group in found if (run := meter.run(group)).capacity <= own.capacity]
        cost[chain_.names] = [min((get(run) for run in runs), default=NEVER) for get in (energy_of, cycles_of)]
    cuts = [["abc"], ["ab", "c"], ["a", "bc"], ["a", "b", "c"]]
    for objective, at, get in (("energy", 0, energy_of), ("delay", 1, cycles_of)):
        least = min(sum(cost[tuple(names)][at] for names in cut) for cut in cuts)
        target = replace(own, objective=objective)
        found = plan(nodes, target, meter=Meter(target, dict(meter.known)))
        assert (found.gap, sum(get(meter.run(group)) for group in found.groups)) == (0, pytest.approx(least))
        hurried = plan(nodes, target, limit=0.0)
        value = sum(get(meter.run(group)) for group in hurried.groups)
        assert least <= value and least >= value * (1 - hurried.gap - 1e-9) and hurried.measured < 20
        assert objective == "delay" or least < sum(cost[(name,)][at] for name in "abc")


def energy_of(run):
    return run.energy_pj


def cycles_of(run):
    return run.cycles


def test_more_pes_make_the_slowest_layers_wider():
    """But what a depthwise layer reads is made in full steps: of 5 channels in a tile 8 side by side were refused."""
    block = chain([("pw", 1), ("dw", 1), ("pw", 1)], [4, 16, 16, 8], 6, 6)
    assert lanes(Chain(block.nodes[:2]), 5, 64) == (4, 8)
    assert [lanes(block, 8, pes) for pes in (1, 8, 25)] == [(1, 1, 1), (2, 4, 2), (4, 8, 8)]


def written(tmp_path, *rows, **more):
    file = tmp_path / "net.json"
    sizes = [{"name": name, "k": 4, "c": 4, "ox": 6, "oy": 6, **row} for name, row in rows]
    file.write_text(json.dumps({"networks": {"net": {"layers": sizes, **more}}}))
    return f"{file}:net"


def run(*arguments):
    return CliRunner().invoke(fuse_command, arguments, catch_exceptions=False)


SMALL = {"ox": 2, "oy": 2}


def test_the_command_prints_groups_words_and_schedules(tmp_path):
    network = written(tmp_path, ("a", {}), ("b", {"groups": 4, "fx": 3, "fy": 3}), ("x", {"add": ["a"]}))
    found = json.loads(run("--network", network, "--capacity", "1KB", "--pes", "6", "--json").output)
    assert [group["layers"] for group in found["groups"]] == [["a", "b", "x"]]
    assert found["words"] < found["words_unfused"] and found["capacity"] == 1024
    design = parse(found["groups"][0]["design"])
    taken = hl.estimate(design)
    assert design.name == "x_" and found["groups"][0]["cycles"] == found["cycles"] == taken.cycles.total
    assert found["energy_pj"] == pytest.approx(taken.energy_pj) and found["energy_pj"] < found["energy_pj_unfused"]
    text = run("--network", network, "--capacity", "1KB", "-o", str(tmp_path / "plan")).output
    assert "    a.store_root().compute_at(x__sum, y);" in text.splitlines()
    assert f"{found['words']} words on our own hardware" in text
    assert [file.name for file in sorted((tmp_path / "plan").iterdir())] == ["01_a.hh", "plan.json"]
    gpu = json.loads(run("--network", network, "--target", "gpu:orin", "--bytes", "4", "--json").output)
    assert (gpu["capacity"], gpu["min_tiles"], gpu["groups"][0]["design"]) == (192 * KB, 16, "")
    assert json.loads(run("--network", network, "--target", "eyeriss", "--json").stdout)["bytes"] == 2
    network = written(tmp_path, ("a", SMALL), ("b", SMALL))
    fast = json.loads(run("--network", network, "--capacity", "1KB", "--pes", "12", "--port-bits", "32", "--objective",
                          "delay", "--json").output)  # fmt: skip
    designs = [hl.estimate(parse(group["design"]), port_bits=32).cycles.total for group in fast["groups"]]
    assert (sum(designs), fast["optimal"], fast["gap"]) == (fast["cycles"], True, 0)
    assert fast["cycles"] <= fast["cycles_unfused"]


def test_a_depthwise_layer_of_single_points_has_a_design(tmp_path):
    """Its sum was over no dimension, which nothing can be."""
    network = written(tmp_path, ("a", SMALL), ("b", {"groups": 4, **SMALL}))
    found = json.loads(run("--network", network, "--capacity", "1KB", "--json").output)
    (group,) = found["groups"]
    assert group["layers"] == ["a", "b"] and moved(parse(group["design"]).output) == found["words"]
