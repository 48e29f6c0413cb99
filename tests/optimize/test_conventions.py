"""The two ways to count: the worked value, hand counts, invariants, speed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.counts import exact, paper
from halidehw.mapping.evaluate import batch, evaluate
from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Mapping, Tiling, tiling
from halidehw.optimize import optimize

CONV3 = Layer(b=16, k=384, c=256, oy=13, ox=13, fy=3, fx=3)
REFERENCE = Architecture(
    "reference", "28 nm", "stated", 16, (16, 16),
    (Level("RF", "register_file", 256, 0.96), Level("SRAM", "sram", 65536, 20.0), Level("DRAM", "dram", None, 200.0)),
    hop=0.035, mac=0.075, sum_bits=16,
)  # fmt: skip
WORKED = Mapping(
    (
        (("FX", 3), ("FY", 3), ("Y", 13), ("K", 6)),
        (("X", 13), ("B", 2)),
        (("C", 16), ("K", 4), ("B", 8)),
    ),
    ((("K", 16),), (("C", 16),)),
)

TOO_TALL = (("FX", 3), ("FY", 3), ("Y", 13), ("K", 24))


def test_worked_value_of_the_paper_to_the_last_digit():
    found = evaluate(CONV3, REFERENCE, WORKED, "paper")
    parts = {name: round(found.part(name), 4) for name in ("RF", "array", "SRAM", "DRAM")}
    assert parts == {"RF": 9946550108.16, "array": 11615600.64, "SRAM": 859054080.0, "DRAM": 2360524800.0}
    assert found.energy_pj == 13177744588.8


def test_both_conventions_as_the_documentation_has_them():
    """The table of docs/model.md, number by number, and the counts that explain its differences."""
    page = (Path(__file__).parents[2] / "docs" / "model.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.count("|") == 4 and line[-3].isdigit()]
    table = {name: [float(value.replace(" ", "")) for value in values] for name, *values in rows}
    found = [evaluate(CONV3, REFERENCE, WORKED, convention) for convention in ("paper", "exact")]
    tensors = {"input": "input", "weights": "weight", "output": "output"}
    parts = {f"register files, {name}": [each.parts["RF"][key] for each in found] for name, key in tensors.items()}
    parts |= {"array": [each.part("array") for each in found], "multiply-accumulates": [e.part("mac") for e in found]}
    parts |= {level: [each.part(level) for each in found] for level in ("SRAM", "DRAM")}
    assert table == {**parts, "total": [each.energy_pj for each in found]}
    nest = tiling(CONV3, WORKED)
    theirs, ours = paper(nest, 1), exact(nest, 1)
    assert theirs.reads[0, 0, 0] == 921_600 * 9 * 384
    assert (ours.reads[0, 0, 0], ours.writes[0, 0, 0]) == (CONV3.macs, 153_354_240)
    assert theirs.reads[0, 2, 0] == CONV3.words[2] * (2 * 9 * 256 - 1)
    assert ours.writes[0, 2, 0] == CONV3.macs // 16
    assert (theirs.reads[1, 0, 0], ours.reads[1, 0, 0]) == (4 * 921_600, 9_584_640)
    for number in ("921 600", "2 392 326 144", "153 354 240", "7 077 888"):
        assert number in page


def test_the_papers_inputs_are_divided_by_what_a_stride_skips():
    """AlexNet conv1, C | K, 512 B: the published tool has 7 886 uJ for this mapping, 34 543 if it did not divide. It
    divides in whole numbers, so that DRAM's count of 1 and the SRAM's of 6 come to nothing; here they are quotients.
    """
    layer = Layer(b=16, k=96, c=3, oy=55, ox=55, fy=11, fx=11, stride=4)
    inside, outside = (("X", 11), ("Y", 11), ("K", 6)), (("X", 5), ("Y", 5), ("B", 16))
    mapping = Mapping(((("FX", 11), ("FY", 11)), inside, outside), ((("C", 3),), (("K", 16),)))
    found = evaluate(layer, REFERENCE, mapping, "paper")
    lost = layer.words[0] * (1 * 200.0 + 6 * 20.0) / 16
    inputs = sum(part.get("input", 0) for part in found.parts.values())
    assert round((found.energy_pj - lost) / 1e6) == 7886
    assert round((found.energy_pj + 15 * inputs) / 1e6) == 34543


def test_both_levels_of_register_files_lie_in_every_pe():
    """AlexNet CONV3 with 16 B and 128 B in each PE: the published tool has 435.7 uJ for the second level."""
    levels = (
        Level("RF1", "register_file", 8, 0.03), Level("RF2", "register_file", 64, 0.24),
        Level("SRAM", "sram", 131072, 30.375), Level("DRAM", "dram", None, 200.0),
    )  # fmt: skip
    best = optimize(CONV3, replace(REFERENCE, levels=levels), "C | K", convention="paper")
    assert sum(best.parts["RF2"].values()) == pytest.approx(435_654_328.32)


def test_exact_counts_of_a_nest_small_enough_to_count_by_hand():
    layer = Layer(k=2, c=2, ox=4, fx=3)
    levels = (Level("RF", "register_file", 64, 1.0), Level("DRAM", "dram", None, 1000.0))
    arch = Architecture("tiny", "none", "none", 16, (2,), levels, hop=0.0, mac=0.0)
    mapping = Mapping(((("X", 2), ("FX", 3)), (("C", 2), ("X", 2))), ((("K", 2),),))
    found = evaluate(layer, arch, mapping)
    assert found.parts["DRAM"] == {"input": 16_000.0, "weight": 24_000.0, "output": 16_000.0}
    macs, inputs, weights = 48, 2 * 16, 24
    outputs = 2 * (48 + 48)
    assert found.parts["RF"] == {"input": macs + inputs, "weight": macs + weights, "output": outputs}


@pytest.mark.parametrize("bits", [16, 24, 32])
def test_partial_sums_of_every_level_start_anew_and_are_added_to_those_outside(bits):
    layer, per_sum = Layer(k=6, c=8), bits / 16
    levels = (Level("RF", "register_file", 9, 1.0), Level("SRAM", "sram", 64, 1.0), Level("DRAM", "dram", None, 1.0))
    arch = Architecture("tiny", "none", "none", 16, (1,), levels, hop=0.0, mac=0.0, sum_bits=bits)
    found = evaluate(layer, arch, Mapping(((("C", 2),), (("K", 3), ("C", 2)), (("K", 2), ("C", 2))), ()))
    tiles, accumulations, first = 6 * 2 * 2, 6 * 8, 6
    assert found.parts["RF"]["output"] == 2 * accumulations * per_sum
    assert found.parts["SRAM"]["output"] == 2 * tiles * per_sum
    assert found.parts["DRAM"]["output"] == (2 * (6 * 2) - first) * per_sum


def test_partial_sums_pass_a_level_by_that_none_of_its_loops_moves():
    layer = Layer(k=3, c=8)
    levels = (Level("RF", "register_file", 9, 1.0), Level("SRAM", "sram", 64, 1.0), Level("DRAM", "dram", None, 1.0))
    arch = Architecture("tiny", "none", "none", 16, (1,), levels, hop=0.0, mac=0.0, sum_bits=16)
    found = evaluate(layer, arch, Mapping(((), (("C", 4),), (("K", 3), ("C", 2))), ()))
    assert found.parts["SRAM"]["output"] == 0
    assert found.parts["RF"]["output"] == 2 * 3 * 8 and found.parts["DRAM"]["output"] == 2 * 3 * 2 - 3


def test_wide_sums_take_more_of_a_memory():
    levels = (Level("RF", "register_file", 8, 1.0), Level("DRAM", "dram", None, 1.0))
    arch = Architecture("tiny", "none", "none", 16, (1,), levels, hop=0.0, mac=0.0)
    mapping = Mapping(((("K", 3),), (("C", 2),)), ())
    with pytest.raises(CostError, match="needs 10 words in RF, which has 8"):
        evaluate(Layer(k=3, c=2), arch, mapping)
    assert evaluate(Layer(k=3, c=2), replace(arch, sum_bits=16), mapping).cycles == 6
    assert evaluate(Layer(k=3, c=2), arch, mapping, "paper").cycles == 6


def test_irrelevant_loops_innermost_do_not_refill_even_through_a_level_without_other_loops():
    layer = Layer(k=4, c=4)
    levels = (Level("RF", "register_file", 8, 0.0), Level("SRAM", "sram", 64, 1.0), Level("DRAM", "dram", None, 0.0))
    arch = Architecture("tiny", "none", "none", 16, (1,), levels, hop=0.0, mac=0.0)
    through = evaluate(layer, arch, Mapping(((), (("K", 2),), (("K", 2), ("C", 4))), ()))
    broken = evaluate(layer, arch, Mapping(((), (("K", 2),), (("C", 4), ("K", 2))), ()))
    assert through.parts["SRAM"]["input"] == 4 + 4
    assert broken.parts["SRAM"]["input"] == 8 + 8


def test_ragged_tiles_are_clipped():
    layer = Layer(k=5, c=3)
    levels = (Level("RF", "register_file", 8, 0.0), Level("DRAM", "dram", None, 1.0))
    arch = Architecture("tiny", "none", "none", 16, (1,), levels, hop=0.0, mac=0.0)
    found = evaluate(layer, arch, Mapping(((("K", 2),), (("C", 3), ("K", 3))), ()))
    assert found.parts["DRAM"] == {"input": 9.0, "weight": 15.0, "output": 10.0}


@pytest.mark.parametrize("convention", ["paper", "exact"])
def test_a_hundred_thousand_tile_choices_at_once_cost_what_one_does(convention):
    nest = tiling(CONV3, WORKED)
    many = Tiling(CONV3, nest.tiles.repeat(100_000, 2), nest.lanes.repeat(100_000, 1), nest.orders, nest.axes)
    energies, _ = batch(many, REFERENCE, convention)
    assert energies == pytest.approx(evaluate(CONV3, REFERENCE, WORKED, convention).energy_pj)


def random_mapping(layer, arch, rng):
    """Any mapping, its capacities not checked."""
    trips = [{} for _ in arch.levels]
    spatial = []
    rest = dict(zip(DIMS, layer.extents, strict=True))
    for size in arch.array:
        dim = rng.choice([name for name in rest if all(name != loops[0][0] for loops in spatial)])
        lanes = rng.choice([n for n in range(1, size + 1) if rest[dim] % n == 0])
        rest[dim] //= int(lanes)
        spatial.append(((str(dim), int(lanes)),))
    for dim, extent in rest.items():
        for level in range(len(trips) - 1):
            trips[level][dim] = int(rng.choice([n for n in range(1, extent + 1) if extent % n == 0]))
            extent //= trips[level][dim]
        trips[-1][dim] = extent
    order = [list(rng.permutation(list(rest))) for _ in trips]
    return Mapping(
        tuple(tuple((str(d), trips[at][d]) for d in order[at] if trips[at][d] > 1) for at in range(len(trips))),
        tuple(spatial),
    )


def test_traffic_is_never_below_the_compulsory_minimum():
    rng = np.random.default_rng(1)
    layer = Layer(b=2, k=8, c=4, oy=4, ox=6, fy=3, fx=3)
    levels = (Level("RF", "register_file", 9**9, 1.0), Level("SRAM", "sram", 9**9, 1.0), Level("D", "dram", None, 1.0))
    arch = Architecture("wide", "none", "none", 16, (4, 4), levels, hop=1.0, mac=1.0)
    for _ in range(200):
        found = evaluate(layer, arch, random_mapping(layer, arch, rng))
        for level in ("SRAM", "D"):
            for tensor, words in zip(("input", "weight", "output"), layer.words, strict=True):
                passed = level == "SRAM" and not found.parts[level][tensor]
                assert passed or found.parts[level][tensor] >= words
        assert min(found.parts["array"].values()) >= 0


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (Mapping(((("W", 2),), (), ()), ()), "unknown loop 'W'"),
        (Mapping(((("K", 2), ("K", 2)), (), ()), ()), "loop K is twice in one level"),
        (Mapping(((("K", 0),), (), ()), ()), "trips and lanes are 1 or more"),
        (Mapping(((), (), ()), ()), "the loops of B cover 1 of 16"),
        (Mapping((*WORKED.temporal, ()), WORKED.spatial), "mapping has 4 levels"),
        (Mapping(WORKED.temporal, ((("K", 32),), (("C", 16),))), "32 lanes on an array dimension of 16"),
        (Mapping(WORKED.temporal, (*WORKED.spatial, ())), "3 array dimensions"),
        (Mapping((TOO_TALL, *WORKED.temporal[1:]), WORKED.spatial), "needs 573 words in RF, which has 256"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(mapping, message):
    with pytest.raises(CostError, match=message):
        evaluate(CONV3, REFERENCE, mapping)


def test_unknown_convention():
    with pytest.raises(CostError, match="unknown convention 'guess'"):
        evaluate(CONV3, REFERENCE, WORKED, "guess")
