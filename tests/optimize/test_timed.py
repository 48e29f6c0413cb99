"""Where time matters, wide spaces are searched after narrow ones, and only if these are not close to the least run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import halidehw.optimize.timed as timed
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer
from halidehw.optimize import Options, architecture, optimize
from halidehw.optimize.pareto import hardware_front
from halidehw.optimize.result import Result


def delay(layer: Layer, arch: str, bits: int, ragged: bool) -> Result:
    target = architecture(arch)
    return optimize(layer, target, "any", objective="delay", replicate=True, ragged=ragged, shared_port_bits=bits)


@pytest.fixture
def searched(monkeypatch) -> list[bool]:
    """Of each search of a steady state whether its tiles were ragged."""
    found, with_files = list[bool](), timed.with_files

    def search(layer, arch, options, *others):
        found.append(options.ragged)
        return with_files(layer, arch, options, *others)

    monkeypatch.setattr(timed, "with_files", search)
    return found


def test_ragged_tiles_are_not_searched_where_others_are_close(searched):
    """ResNet-50's reduce15 on `tpu` took seven seconds, six of them for ragged tiles, of which none was chosen."""
    layer = Layer(b=16, k=512, c=2048, oy=7, ox=7)
    best = delay(layer, "tpu", 2048, ragged=True)
    assert best.gap < 0.01 and searched and not any(searched)
    assert "fewest lanes for any number of steps" in best.space
    assert best.run_cycles == delay(layer, "tpu", 2048, ragged=False).run_cycles


@pytest.mark.parametrize("ragged", (False, True))
def test_ragged_tiles_are_searched_where_others_cannot_be_close(searched, ragged: bool):
    """Lanes that divide are 59 times three at most; ragged ones use it, asked for or not, and without
    register files come so close that none are looked at with them."""
    layer = Layer(b=1, k=31, c=29, oy=59, ox=59, fy=3, fx=3)
    best = delay(layer, "eyeriss", 128, ragged)
    assert searched == [False] and not best.files
    assert best.run_cycles < layer.macs / (59 * 3)


@pytest.mark.soak
def test_ragged_tiles_are_never_worse_for_delay():
    """About a third layer of MLP-M: nothing is close to the least run, as few sizes divide."""
    layer = Layer(b=127, k=251, c=499)
    plain, best = (delay(layer, "tpu", 2048, ragged) for ragged in (False, True))
    assert best.run_cycles <= plain.run_cycles and plain.gap > 0.01


@pytest.mark.parametrize("layer, bits, goal", [
    *((Layer(ox=1, oy=2, c=2, k=19, fx=1, fy=2), None, goal) for goal in ("delay", "edp", "front")),
    *(pytest.param(Layer(b=3, ox=1, oy=1, c=6, k=9, groups=3), 64, goal, marks=[pytest.mark.soak] * (goal != "delay"))
      for goal in ("delay", "edp", "front")),
])  # fmt: skip
def test_what_is_half_full_is_bounded_as_what_is_not(layer: Layer, bits: int | None, goal: str):
    """Halves of a memory are sooner half full than the memory: 103 cycles were less than the least of what fills half
    of it, 152."""
    options = Options("C | K", "delay", half_full=True, port_bits=bits)
    arch = architecture("eyeriss")
    found = hardware_front(layer, arch, options) if goal == "front" else [
        optimize(layer, arch, "C | K", goal, half_full=True, port_bits=bits)
    ]  # fmt: skip
    assert all(0 <= each.gap < 1 for each in found)


@pytest.fixture
def tiny(tmp_path) -> Callable[..., Architecture]:
    """PEs with files of so many bytes, under a memory of so many, double buffers or not."""

    def make(rows: int, columns: int, files: int, shared: int, double: tuple[str, str]) -> Architecture:
        file = tmp_path / "tiny.toml"
        file.write_text(f"""
            name = "tiny"
            costs = "table3"
            sum_bits = 32
            array = {{ rows = {rows}, columns = {columns} }}
            level = [
                {{ name = "RF", kind = "register_file", size = "{files} B", double = {double[0]} }},
                {{ name = "SRAM", kind = "sram", size = "{shared} B", double = {double[1]} }},
                {{ name = "DRAM", kind = "dram" }},
            ]
        """)
        return architecture(file)

    return make


@pytest.mark.soak
@pytest.mark.parametrize("bits", [0, 64])
def test_nothing_of_the_front_is_better_where_files_are_waited_for(tiny, bits: int):
    """With 8 PEs of 16 B what was best in the steady state ran for 10 597 cycles, and what takes less energy and more
    steady cycles for 7 968."""
    layer = Layer(k=5, c=16, oy=11, ox=6, fy=2, fx=3, stride=3, dilation=3)
    arch = tiny(1, 8, 16, 128, ("true", "true"))
    front = hardware_front(layer, arch, Options("any", "energy", ragged=True, port_bits=bits))
    soonest, thrifty = (optimize(layer, arch, "any", aim, ragged=True, port_bits=bits) for aim in ("delay", "edp"))
    assert soonest.run_cycles == min(each.run_cycles for each in front)
    assert thrifty.run_cycles * thrifty.pj == min(each.run_cycles * each.pj for each in front)


@pytest.mark.parametrize("layer, machine, more", [
    (Layer(k=64, c=16, oy=2, fy=3, fx=3), (16, 1, 64, 64, ("false", "true")), {"shared_port_bits": 64}),
    pytest.param(
        Layer(b=3, k=5, c=16, oy=2, ox=7, stride=2), (8, 4, 16, 64, ("true", "false")), {"port_bits": 64},
        marks=pytest.mark.soak,
    ),
])  # fmt: skip
def test_nothing_of_the_front_runs_shorter_by_pieces_or_below_the_way_of_words(tiny, layer, machine, more):
    """What came in by pieces ran for 6 297 cycles, not 7 769; of 168 steps at least, others than those of 280 ran for
    896, not 1 035: both were found for `edp` alone."""
    front = hardware_front(layer, tiny(*machine), Options("any", "energy", **more))
    assert optimize(layer, tiny(*machine), "any", "delay", **more).run_cycles == min(each.run_cycles for each in front)


@pytest.mark.parametrize("layer, machine, more, most", [
    (Layer(b=2, k=10, c=2, oy=2, ox=6, fy=3, fx=3, stride=3, dilation=2), (16, 16, 16, 64, ("true", "true")),
     {"shared_port_bits": 64}, 1461),
    (Layer(c=5, oy=7, ox=2, fy=2, fx=3, b=3), (1, 5, 40, 64, ("true", "true")), {"port_bits": 64}, 449),
])  # fmt: skip
def test_a_half_comes_round_again_as_soon_as_in_hardware(tiny, layer, machine, more, most: int):
    """Tiles of a step or two were estimated to take five cycles each, and rehearsed to take four, where they take less
    than three: none of them was looked at."""
    assert optimize(layer, tiny(*machine), "any", "delay", replicate=True, **more).run_cycles <= most


def test_the_product_is_no_more_than_that_of_what_runs_shortest(tiny):
    """On one PE of many what had the least product ran for 703 cycles, and what runs shortest, whose last tile is
    small, for 361."""
    layer, arch = Layer(b=7, oy=7, ox=7, stride=3, dilation=2), tiny(2, 8, 16, 64, ("true", "true"))
    soonest, thrifty = (optimize(layer, arch, "any", aim) for aim in ("delay", "edp"))
    assert thrifty.run_cycles * thrifty.pj <= soonest.run_cycles * soonest.pj
    assert 0 <= thrifty.gap < 1


def test_what_was_built_ends_no_search_of_lanes_that_do_not_divide(tiny):
    """It ran for 488 cycles, not 371: all that might have run shorter with lanes that divide had been built."""
    layer, arch = Layer(k=11, c=11, groups=11, oy=5, ox=5, fy=3, fx=3), tiny(4, 4, 32, 2048, ("false", "true"))
    plain = optimize(layer, arch, "X | Y", "delay", shared_port_bits=64)
    more = optimize(layer, arch, "X | Y", "delay", shared_port_bits=64, replicate=True)
    assert plain.space.endswith("or took as it was built") and plain.gap < 0.01
    assert more.run_cycles <= 371 < plain.run_cycles


@pytest.mark.soak
@pytest.mark.parametrize("most", [
    417,
    pytest.param(416, marks=pytest.mark.xfail(strict=True, reason="of nests about as near, one for 416 is not built")),
])  # fmt: skip
def test_parts_of_a_space_are_looked_at_as_long_as_all_where_the_best_is_far_from_the_least(tiny, most):
    """It ran for 429 cycles, what `edp` had found for 418: of the space without lanes side by side five were built.
    Then for 416, and since bounds say more of each nest, for 417."""
    layer, arch = Layer(k=7, c=5, oy=7, ox=11), tiny(4, 4, 32, 2048, ("false", "true"))
    delay, edp = (optimize(layer, arch, "any", goal, shared_port_bits=64, replicate=True) for goal in ("delay", "edp"))
    assert delay.run_cycles <= min(most, edp.run_cycles)
