"""The layer's counts against those of the schedule's nest, for random mappings, level by level.

Where the two differ, docs/optimizer.md says why; here each difference is a bound, and all else is equal.
"""

import random
from dataclasses import replace

import numpy as np
import pytest

from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.traffic import traffic
from halidehw.frontend.text import parse
from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.counts import INPUT, OUTPUT, WEIGHT, WINDOWS, array_steps, exact, window_words
from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Mapping, tiling
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options as Ports
from halidehw.optimize import Options, architecture, optimize_with
from halidehw.optimize.files import ALL
from halidehw.optimize.pieces import WHOLE
from halidehw.optimize.schedule import schedule_text
from halidehw.optimize.steady import steady
from halidehw.scheduler import lower


def memories(register_files, srams):
    """An architecture with so many levels; nothing here depends on their sizes."""
    levels = [Level(f"RF{at}", "register_file", 10**6, 0.1) for at in range(register_files)]
    levels += [Level(f"SRAM{at}", "sram", 10**9, 5.0) for at in range(srams)]
    return Architecture("a", "n", "n", 16, (4, 4), (*levels, Level("DRAM", "dram", None, 200.0)), 0.035, 0.075)


HIERARCHIES = [memories(1, 1), memories(2, 1), memories(1, 2), memories(1, 0)]


def random_layer(rng):
    groups = rng.choice([1, 1, 1, 2, 4])
    return Layer(
        b=rng.choice([1, 1, 2, 3]), k=groups * rng.choice([1, 2, 5, 8]), c=groups * rng.choice([1, 2, 3, 8]),
        oy=rng.choice([1, 2, 5, 6]), ox=rng.choice([1, 3, 4, 9]), fy=rng.choice([1, 1, 2, 3]),
        fx=rng.choice([1, 1, 3, 5]), stride=rng.choice([1, 1, 1, 2, 3]), groups=groups,
        dilation=rng.choice([1, 1, 1, 2, 4]), stride_x=rng.choice([None, None, 1, 2]),
        dilation_y=rng.choice([None, None, 3]), oz=rng.choice([1, 1, 1, 1, 3]), fz=rng.choice([1, 1, 1, 2]),
        stride_z=rng.choice([None, 2]), dilation_z=rng.choice([None, 2]),
    )  # fmt: skip


def random_mapping(layer, arch, rng, ragged, alone=False):
    """Any order, up to two loops on a dimension, several PEs or one alone; every lane has something to do."""
    active = [dim for dim, extent in enumerate(layer.extents) if extent > 1]
    rng.shuffle(active)
    axes = [[] if alone else active[at : at + rng.randint(0, 2)] for at in (0, 2)]
    trips, lanes = np.ones((len(arch.levels), len(DIMS)), int), dict.fromkeys(range(len(DIMS)), 1)
    room = {dim: size for axis, size in zip(axes, arch.array, strict=True) for dim in axis}
    for dim, extent in enumerate(layer.extents):
        for level in range(len(arch.levels)):
            if level == arch.pe_levels and dim in room:
                axis = next(axis for axis in axes if dim in axis)
                used = int(np.prod([lanes[other] for other in axis]))
                lanes[dim] = choice(extent, room[dim] // used, rng, ragged)
                extent = -(-extent // lanes[dim])
            last = level == len(arch.levels) - 1
            trips[level, dim] = extent if last else choice(extent, extent, rng, ragged)
            extent = -(-extent // trips[level, dim])
    temporal = [
        tuple((DIMS[dim], int(trips[level, dim])) for dim in rng.sample(active, len(active)) if trips[level, dim] > 1)
        for level in range(len(arch.levels))
    ]
    spatial = tuple(tuple((DIMS[dim], lanes[dim]) for dim in axis if lanes[dim] > 1) for axis in axes)
    found = Mapping(tuple(temporal), spatial)
    return found if alone or any(spatial) else random_mapping(layer, arch, rng, ragged)


def choice(extent, most, rng, ragged):
    """Trips of a loop: any, or those that divide it; no more than it takes to cover it."""
    counts = [n for n in range(1, min(extent, most) + 1) if extent % n == 0 or ragged]
    return rng.choice([n for n in counts if -(-extent // -(-extent // n)) == n])


def nest_counts(text, port_bits=0):
    nest = lower(parse(text).output)
    return {count.name: count.words for count in traffic(derive(nest, Ports(port_bits)), nest)}


def steps(best):
    """Of the array."""
    nest = tiling(best.layer, best.mapping)
    return int(array_steps(best.layer, nest.tiles[best.arch.pe_levels - 1], nest.lanes).prod())


def hops(text, event, tensor):
    """Words that move from PE to PE, times the PEs they pass."""
    nest = lower(parse(text).output)
    found = traffic(derive(nest), nest)
    return sum(count.words * count.distance for count in found if (count.event, count.tensor) == (event, tensor))


def buffers(text, arch, name):
    """The levels that hold an operand, outermost first, by the buffer's name."""
    depth, found = 0, {}
    for line in text.splitlines():
        if line.startswith(f"{name}.in()") and "//" in line:
            depth += 1
            level = line.split("// ")[1]
            found[f"{name}{'_in' * depth}"] = next(at for at, each in enumerate(arch.levels) if each.name == level)
    return found


def different(nest, arch, read):
    """Of input words `read` by the lanes, each its own tile, those that differ."""
    parts = (nest.tiles[arch.pe_levels - 1], nest.array_tiles[arch.pe_levels - 1])
    apart, together = (np.prod([window_words(nest.layer, out, tap, part)[0] for out, tap in WINDOWS]) for part in parts)
    return read * min(apart, together) // apart


@pytest.mark.parametrize("seed", range(64))
def test_the_counts_of_layer_and_nest_are_equal_level_by_level(seed):
    rng = random.Random(seed)
    layer, arch, ragged, alone = random_layer(rng), HIERARCHIES[seed % 4], seed % 8 >= 4, seed % 16 >= 12
    nest = tiling(layer, mapping := random_mapping(layer, arch, rng, ragged, alone))
    counts, text = exact(nest, arch.pe_levels), schedule_text(layer, arch, mapping)
    words = nest_counts(text)
    assert words["macs"] == layer.macs
    assert words["steps"] == array_steps(layer, nest.tiles[arch.pe_levels - 1], nest.lanes).prod()
    assert words["output_words"] == counts.writes[-1, OUTPUT, 0]
    assert words.get("output_partial_words", 0) == counts.reads[-1, OUTPUT, 0]
    idle = words["pe_slots"] > layer.macs
    for tensor, name in ((INPUT, "input"), (WEIGHT, "weight")):
        levels = buffers(text, arch, name)
        for buffer, level in levels.items():
            filled, read = counts.writes[level, tensor, 0], counts.reads[level, tensor, 0]
            inside_pe = arch.levels[level].per_pe
            assert words[f"{buffer}_written"] == filled or (inside_pe and idle and words[f"{buffer}_written"] > filled)
            if level == arch.pe_levels and tensor == INPUT:
                assert different(nest, arch, read) <= words[f"{buffer}_read"]
                assert words[f"{buffer}_read"] <= read or idle
            else:
                filling = idle and 0 < level <= arch.pe_levels
                assert words[f"{buffer}_read"] == read or (filling and words[f"{buffer}_read"] > read)
        for level in {*range(len(arch.levels) - 1)}.difference(levels.values()):
            assert counts.reads[level, tensor, 0] == counts.writes[level, tensor, 0] == 0
        if arch.pe_levels in levels.values() or tensor == WEIGHT:
            assert words[f"{name}_words"] == counts.reads[-1, tensor, 0]
    assert hops(text, "sum", "output") == counts.hops[OUTPUT, 0]
    assert hops(text, "hop", "weight") >= counts.hops[WEIGHT, 0]
    for name, level in {**buffers(text, arch, "output"), "sums": 0}.items():
        if level or name == "sums":
            written, read = counts.writes[level, OUTPUT, 0], counts.reads[level, OUTPUT, 0]
            added, every = words[f"{name}_written"], words[f"{name}_read"] + words[f"{name}_drained"]
            assert added == written or (idle and 0 < level < arch.pe_levels and added > written)
            assert every == read or (idle and level < arch.pe_levels and every < added)


@pytest.mark.parametrize("seed", range(12))
def test_wide_ports_move_the_same_words(seed):
    """Dimensions and lanes are laid out for them."""
    rng = random.Random(seed)
    layer, arch = random_layer(rng), HIERARCHIES[seed % 4]
    mapping = random_mapping(layer, arch, rng, ragged=seed % 2 == 1)
    wide = replace(arch, port_bits=rng.choice([32, 64, 128, 256]))
    narrow_words, words = nest_counts(schedule_text(layer, arch, mapping)), nest_counts(
        schedule_text(layer, wide, mapping), wide.port_bits
    )  # fmt: skip
    same = ("macs", "steps", "input_words", "weight_words", "output_words", "output_partial_words")
    assert {name: words.get(name) for name in same} == {name: narrow_words.get(name) for name in same}


@pytest.mark.parametrize(("word_bits", "sum_bits"), [(16, 32), (8, 16), (12, 24), (16, 48)])
def test_words_and_sums_are_as_wide_in_the_design_as_in_the_architecture(word_bits, sum_bits):
    layer, arch = Layer(k=5, c=3, ox=4, fx=3), replace(memories(1, 1), word_bits=word_bits, sum_bits=sum_bits)
    text = schedule_text(layer, arch, random_mapping(layer, arch, random.Random(0), ragged=False))
    nest = lower(parse(text).output)
    assert {tensor.type.bits for tensor in nest.inputs} == {word_bits}
    assert nest.output.type.bits == sum_bits
    found = {count.name: count.bits for count in traffic(derive(nest), nest)}
    assert (found["input_words"], found["output_words"], found["sums_written"]) == (word_bits, sum_bits, sum_bits)


@pytest.mark.parametrize(
    "name", ["eyeriss", *(pytest.param(name, marks=pytest.mark.soak) for name in ("interstellar", "tpu", "large"))]
)
def test_every_optimum_is_hardware_whose_ports_move_the_prediction(name):
    rng, arch = random.Random(name), architecture(name)
    for _ in range(6):
        options = Options(rng.choice([None, "any"]), ragged=rng.random() < 0.5, replicate=rng.random() < 0.5)
        layer = random_layer(rng)
        best = optimize_with(layer, arch, options)
        counts, words = exact(tiling(layer, best.mapping), arch.pe_levels), nest_counts(best.schedule)
        assert words["steps"] == steps(best) <= best.cycles
        assert words["input_words"] == counts.reads[-1, INPUT, 0]
        assert words["weight_words"] == counts.reads[-1, WEIGHT, 0]
        assert words["output_words"] == counts.writes[-1, OUTPUT, 0]
        assert best.run_cycles == cycles(derive(lower(parse(best.schedule).output))).total > best.cycles


def test_what_the_hardwares_own_words_cost_is_said():
    """Beside what was counted: the weights of 64 lanes come in one after the other, past those of all others."""
    alone = replace(optimize_with(Layer(k=16, c=16), architecture("eyeriss"), Options()), files=ALL, cut=WHOLE)
    assert alone.words_pj == pytest.approx(alone.energy_pj)
    best = optimize_with(layer := Layer(k=64, c=64, b=16), arch := architecture("eyeriss"), Options("C | K"))
    passed = sum(hops(best.schedule, "hop", tensor) for tensor in ("input", "weight"))
    counted = exact(tiling(layer, best.mapping), arch.pe_levels).hops[:OUTPUT].sum()
    assert best.words_pj - best.energy_pj == pytest.approx((passed - counted) * arch.hop) and passed > counted


def test_the_optimum_of_a_part_of_the_space_is_taken_where_its_hardware_takes_less():
    """Words that pass many others on their way to their own lanes are not counted: without `replicate` none do."""
    layer, arch = Layer(b=16, k=320, c=160, oy=14, ox=14, fy=3, fx=3), architecture("tpu")
    every, part = (steady(layer, arch, Options(replicate=more)) for more in (True, False))
    found = optimize_with(layer, arch, Options(replicate=True))
    assert every.energy_pj < part.energy_pj and part.hardware_pj < every.hardware_pj
    assert found.optimal and found.mapping.spatial == part.mapping.spatial and "one more beside" not in found.space
    assert found.hardware_pj <= part.hardware_pj
    assert found.space.endswith("takes less energy than that of the optimum of all that was asked for")


@pytest.mark.parametrize("name", ["eyeriss", pytest.param("large", marks=pytest.mark.soak)])
def test_more_options_never_make_the_hardware_take_more(name):
    """ResNet-50's expand4 took 1.04 times as much with ragged tiles on eyeriss."""
    layer, arch = Layer(b=16, k=512, c=128, oy=28, ox=28), architecture(name)
    took = [[optimize_with(layer, arch, Options("any", replicate=replicate, ragged=ragged)).hardware_pj
             for ragged in (False, True)] for replicate in (False, True)]  # fmt: skip
    assert took[1][1] <= min(took[1][0], took[0][1]) and max(took[1][0], took[0][1]) <= took[0][0]
