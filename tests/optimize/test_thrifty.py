"""Which tensors have register files, and how tiles come in, where the energy of the hardware decides."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from math import inf
from random import Random

import pytest
from click.testing import CliRunner

from halidehw.cli import main
from halidehw.errors import HalideHWError
from halidehw.frontend.text import parse
from halidehw.mapping.architecture import Level
from halidehw.mapping.counts import INPUT, OUTPUT
from halidehw.mapping.layer import DIMS, TENSORS, Layer, parse_layer
from halidehw.microarch.options import Options as Ports
from halidehw.optimize import Options, architecture, cheapest, optimize, thrifty
from halidehw.optimize.files import ALL, NONE, Files, outside
from halidehw.optimize.nearby import Nearby, streaming
from halidehw.optimize.pareto import hardware_front
from halidehw.optimize.pieces import WHOLE, Cut, pieces, place
from halidehw.optimize.result import Result
from halidehw.optimize.steady import ported, space_of, steady
from halidehw.optimize.thrifty import HOPELESS, Score, _spared, _wasteful, thriftiest
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.optimize.test_rtl import ARCH

TWO = replace(ARCH, levels=(Level("RF0", "register_file", 12, 0.03, 2), *ARCH.levels))
SUBSETS = [Files(some) for many in range(4) for some in combinations(sorted(ALL), many)]
LAYERS = "ox=5 oy=4 c=6 k=8 fx=3 fy=2", "k=12 c=18 b=3", "ox=6 oy=6 c=4 k=4 groups=4 fx=3 fy=3 stride=2"


@pytest.mark.parametrize(
    ("text", "arch", "ports"),
    [
        (LAYERS[0], ARCH, {}),
        *(pytest.param(text, TWO, {"port_bits": 64}, marks=pytest.mark.soak) for text in LAYERS),
        *(pytest.param(text, ARCH, {"shared_port_bits": 64}, marks=pytest.mark.soak) for text in LAYERS),
    ],
)
def test_hardware_without_some_register_files_runs_as_it_is_estimated(text, arch, ports):
    best = steady(parse_layer(text), arch, Options("C | K", **ports))
    every = [replace(best, files=each) for each in SUBSETS]
    runs = check_each([Design(parse(each.schedule).output, Ports(counters="all", **ports)) for each in every])
    for each, run in zip(every, runs, strict=True):
        assert run.cycles == replace(each, arch=replace(arch, **ports)).run_cycles
        inside = {line.split(".in()")[0] for line in each.schedule.splitlines() if "// RF" in line}
        assert {"input", "weight"} & inside == {TENSORS[tensor] for tensor in each.files - {OUTPUT}}


@pytest.mark.parametrize(
    ("name", "layer", "share"),
    [
        ("tpu", Layer(b=16, k=512, c=512, oy=7, ox=7, fy=3, fx=3), 0.85),
        ("tpu", Layer(b=16, k=32, c=16, oy=28, ox=28, fy=5, fx=5), 0.94),
        ("interstellar", Layer(b=16, k=384, c=64, oy=14, ox=14), 0.95),
    ],
    ids=["3x3", "5x5", "1x1"],
)
def test_hardware_takes_less_without_some_files(name, layer, share):
    """What lanes share, or a step leaves in place, was written to a file and read from it for each step."""
    best = optimize(layer, architecture(name), "any")
    built = replace(best, files=ALL, cut=WHOLE, sums_cut=0)
    assert best.files < ALL and best.pj < share * built.pj and best.pj <= steady(layer, best.arch, Options("any")).pj
    assert "hardware, without register files of " in best.space and best.space.endswith("all that was asked for")
    assert best.as_json()["files"] == [TENSORS[tensor] for tensor in sorted(best.files)]


def test_no_file_is_left_out_where_all_levels_are_asked_for_or_only_counts_decide():
    layer, arch = Layer(b=16, k=384, c=64, oy=14, ox=14), architecture("interstellar")
    assert optimize(layer, arch, "any").files < ALL
    for more in ({"all_levels": True}, {"convention": "paper"}, {"time_limit": 60.0}, {"half_full": True}):
        best = optimize(layer, arch, "any", **more)
        assert best.files == ALL and best.cut == WHOLE and "without register files" not in best.space


@pytest.mark.soak
def test_a_front_leaves_out_files_unless_all_levels_are_asked_for():
    layer, arch = Layer(b=4, k=24, c=16, oy=7, ox=7), architecture("eyeriss")
    free, all_ = (hardware_front(layer, arch, Options("any", all_levels=each)) for each in (False, True))
    assert any(each.files not in (ALL, NONE) for each in free)
    assert all(each.files in (ALL, NONE) for each in all_)


def test_where_no_memory_is_shared_or_nothing_has_a_price_files_stay():
    files = replace(ARCH, levels=(replace(ARCH.levels[0], words=4096), ARCH.levels[-1]))
    for arch in (files, ARCH):
        best = steady(Layer(k=8, c=8, b=4), arch, Options("any"))
        assert thriftiest(best) is best


def test_where_a_level_states_a_bandwidth_files_stay():
    """Its cycles are those of what is counted: without files more words pass it, and the answer ran no longer."""
    arch = architecture("tpu")
    levels = (replace(each, bandwidth=8.0 if each.kind == "sram" else None) for each in arch.levels)
    best = steady(Layer(b=16, k=32, c=16, oy=28, ox=28, fy=5, fx=5), arch, Options("any"))
    slow = replace(best, arch=replace(arch, levels=tuple(levels)))
    assert thriftiest(best).files < ALL and thriftiest(slow) is slow


def test_what_is_said_of_an_answer_names_one_origin():
    layer, arch = Layer(b=1, k=4, c=4, groups=4, oy=14, ox=14, fy=3, fx=3), architecture("tpu")
    best = optimize(layer, arch, objective="edp")
    assert best.space.count("has a lower product than all others that were found") == 1
    assert best.files < ALL and ", without register files of " in best.space


def test_the_score_decides_which_hardware_is_taken():
    best = steady(Layer(b=16, k=32, c=16, oy=28, ox=28, fy=5, fx=5), architecture("tpu"), Options("any"))
    less = thriftiest(best)
    assert less.pj < best.pj and less.files < ALL
    assert thriftiest(best, Score(lambda each: len(each.files))).files == NONE
    assert thriftiest(best, Score(lambda each: 0.0)) is best


def test_an_operand_that_takes_far_more_without_its_file_is_not_built_so(monkeypatch):
    """By the counts of the mapping whose loops in the PEs lie outside: each word would come in for each step."""
    best = steady(Layer(b=16, k=256, c=256, oy=14, ox=14, fy=3, fx=3), architecture("eyeriss"), Options("any"))
    far = {tensor for tensor in (0, 1) if replace(best, files=ALL - {tensor}).pj > (1 + 2 * HOPELESS) * best.pj}
    tried, less = list[Files](), thrifty._less

    def record(found, other, score):
        tried.append(other.files)
        return less(found, other, score)

    monkeypatch.setattr(thrifty, "_less", record)
    thriftiest(best)
    assert far and tried and not any(far - files for files in tried)


def test_loops_in_the_pes_go_to_the_shared_memory():
    arch = architecture("interstellar")
    best = steady(Layer(b=16, k=384, c=64, oy=14, ox=14), arch, Options("any"))
    moved = outside(arch, best.mapping)
    pe = arch.pe_levels
    assert not any(moved.temporal[:pe]) and any(best.mapping.temporal[:pe])
    assert moved.temporal[pe + 1 :] == best.mapping.temporal[pe + 1 :] and moved.spatial == best.mapping.spatial
    for dim in DIMS:
        trips = [1, 1]
        for at, each in enumerate((best.mapping, moved)):
            for own, many in (loop for level in each.temporal for loop in level):
                trips[at] *= many if own == dim else 1
        assert trips[0] == trips[1]


def test_what_is_reached_without_register_files_has_no_loop_in_the_pes():
    layer, arch = Layer(b=4, k=128, c=24, oy=7, ox=7, fy=5, fx=5), architecture("tpu")
    best, space = steady(layer, arch, Options("any")), space_of(layer, arch, Options("any"))
    found = streaming(best, space, Options("any"))
    assert found and all(each.files == NONE and each.mapping.temporal[0] == () for each in found)
    assert all(space.has(each.mapping) and "without register files" in each.space for each in found)
    assert Nearby(space).reached(best.mapping)[0][0].temporal[0] != ()
    assert optimize(layer, arch, "any").pj < 0.97 * 44_472_202


@pytest.mark.parametrize(
    ("name", "layer", "options"),
    [
        ("tpu", Layer(b=1, k=4, c=4, groups=4, oy=14, ox=14, fy=3, fx=3), {}),
        pytest.param("tpu", Layer(b=16, k=96, c=96, groups=96, oy=56, ox=56, fy=3, fx=3), {"shared_port_bits": 2048},
                     marks=pytest.mark.soak),
        pytest.param("tpu", Layer(b=16, k=2048, c=1024, oy=7, ox=7), {}, marks=pytest.mark.soak),
    ],
)
def test_the_product_is_no_more_than_that_of_the_answer_for_energy(name, layer, options):
    """It was up to 2.6 times as much: what takes the least energy ran shorter, too."""
    found = [optimize(layer, architecture(name), objective=each, **options) for each in ("energy", "edp")]
    energy, product = (each.pj * each.run_cycles for each in found)
    assert product <= energy * (1 + 1e-9)


@pytest.mark.parametrize(
    ("name", "text", "bits"),
    [
        ("tpu", "k=128 c=128 ox=14 oy=14 fx=3 fy=3", 128),
        ("interstellar", "k=64 c=64 b=16", 64),
        pytest.param("interstellar", "k=384 c=256 ox=13 oy=13 fx=3 fy=3", 64, marks=pytest.mark.soak),
    ],
)
def test_behind_a_shared_port_the_energy_is_no_more_than_that_of_hardware_found_without_one(name, text, bits):
    """It was 8.7, 0.5 and 1.3 % more: there was room for pieces that come in while sums leave, which costs energy."""
    layer, arch = parse_layer(text), architecture(name)
    shared, own = optimize(layer, arch, shared_port_bits=bits), optimize(layer, arch, port_bits=bits)
    behind = replace(own, arch=shared.arch, made=None)
    assert shared.pj <= behind.pj * (1 + 1e-9)


def test_the_product_is_that_of_the_best_of_all_that_was_looked_at_for_energy():
    """It was 3.3 times as much: what takes a five-thousandth more energy than the least runs in a quarter of the
    cycles."""
    layer, arch = Layer(k=96, c=96, groups=96, oy=7, ox=14, fy=3, fx=3), architecture("tpu")
    found = optimize(layer, arch, objective="edp", shared_port_bits=128)
    behind = replace(optimize(layer, arch), arch=found.arch, made=None)
    assert found.pj * found.run_cycles <= behind.pj * behind.run_cycles
    assert found.space.endswith("has a lower product than all others that were found")


def test_the_optimum_by_the_prices_of_whole_levels_may_take_less_by_pieces():
    """Its hardware took more as a whole, so it was not looked at by pieces; by these it takes 2 % less."""
    layer, arch = Layer(b=16, k=1000, c=1024), architecture("benchmarks/arch/square32.toml")
    assert optimize(layer, arch, "any").pj < 0.985 * 227_990_000


def test_files_are_tried_again_where_pieces_made_a_memory_smaller():
    """Its answer took 1 % more than the one for `edp`, the same mapping: as a whole the input was worth a file."""
    layer, arch = Layer(b=16, k=288, c=144, oy=14, ox=14, fy=3, fx=3), architecture("benchmarks/arch/square16.toml")
    found = optimize(layer, arch)
    assert found.cut != WHOLE and found.pj <= replace(found, files=ALL, made=None).pj
    assert thriftiest(found).pj == found.pj


def test_delay_leaves_out_files_where_the_run_is_no_longer():
    layer, arch = Layer(b=16, k=512, c=512, oy=28, ox=28, fy=3, fx=3), architecture("benchmarks/arch/square32.toml")
    best = optimize(layer, arch, "any", objective="delay", replicate=True)
    built = replace(best, files=ALL)
    assert best.files < ALL and best.run_cycles <= built.run_cycles and best.pj < built.pj


def test_the_text_says_of_which_tensors_there_are_no_register_files():
    found = CliRunner().invoke(main, ["optimize", "--layer", "ox=13 oy=11 k=24 c=10 fx=3 fy=3", "--arch", "eyeriss"])
    assert "as generated, with each memory as large as it need be, without register files of " in found.output


@pytest.mark.parametrize("name", ["eyeriss", "interstellar"])
@pytest.mark.parametrize("text", [LAYERS[0], "k=12 c=18 b=3", "ox=14 oy=14 c=24 k=24 groups=24 fx=3 fy=3"])
def test_what_is_not_looked_at_takes_more_than_the_answer(monkeypatch, text, name):
    layer, left, answer = parse_layer(text), [], optimize(parse_layer(text), name, "any", replicate=True)
    own, least = cheapest.thriftiest, thrifty._least_by_pieces

    def every(found, **given):
        taken = own(found)
        left.append((thrifty.least_pj(found), taken.pj))
        if found.files == NONE:
            left.append((least(found), taken.pj))
        return taken

    monkeypatch.setattr(cheapest, "thriftiest", every)
    monkeypatch.setattr(cheapest, "least_pj", lambda found: 0.0)
    whole = optimize(layer, name, "any", replicate=True)
    assert whole.pj == answer.pj and whole.schedule == answer.schedule
    assert left and all(bound <= pj * (1 + 1e-12) for bound, pj in left)


def _drawn(count: int) -> Iterator[Result]:
    """The optima of drawn layers on architectures of several kinds, with ports of their own or one that all share."""
    rng = Random(29)
    for _ in range(count):
        k, c, o, f = (rng.choice(sizes) for sizes in ((8, 32, 48), (3, 16, 64), (7, 14, 28), (1, 3, 5)))
        layer, bits = Layer(b=rng.choice((1, 4)), k=k, c=c, oy=o, ox=o, fy=f, fx=f), rng.choice((0, 128))
        arch = architecture(rng.choice(("eyeriss", "interstellar", "tpu")))
        options = Options("any", replicate=True, shared_port_bits=bits or None)
        yield steady(layer, ported(arch, options), options)


def test_sums_without_their_files_take_no_less_than_is_said():
    """In many cases they take just that."""
    close = 0
    for best in _drawn(30):
        with suppress(HalideHWError):
            spared = best.pj - replace(best, files=ALL - {OUTPUT}).pj
            assert spared <= _spared(best) + 1e-9 * best.pj
            close += abs(spared - _spared(best)) < 1e-6 * best.pj
    assert close >= 5


def test_pieces_of_a_tile_that_is_kept_take_no_less_energy():
    """Their memory has the whole tile, and they only shorten the run, but where it has more room than the tile."""
    tried = 0
    for best in _drawn(30):
        layer, arch, mapping = best.layer, best.arch, best.mapping
        every, few = (pieces(layer, arch, mapping, roomy=False, loss=inf, keeps=keeps) for keeps in (True, False))
        for tensor, cut in enumerate(every):
            cuts = cut, few[tensor]
            kept, other = (each.loops > 0 and place(arch, mapping, tensor, each.loops)[2] for each in cuts)
            assert not other
            if kept and not _wasteful(best, tensor):
                both = (cut, Cut()) if tensor == INPUT else (Cut(), cut)
                with suppress(HalideHWError):
                    assert replace(best, cut=both).pj >= best.pj * (1 - 1e-9)
                    tried += 1
    assert tried >= 3
