"""Chains of layers that no network would have: windows and strides of any size, dilations, padding and none, results of
one row. What is planned of them is what their hardware has."""

from __future__ import annotations

import random

import pytest

from halidehw.errors import CostError
from halidehw.frontend.text import parse
from halidehw.mapping.layer import Layer, Network
from halidehw.mapping.wiring import Wiring
from halidehw.microarch.stores import Memory
from halidehw.optimize.fusion.chain import Chain
from halidehw.optimize.fusion.measure import Meter
from halidehw.optimize.fusion.network import nodes_of
from halidehw.optimize.fusion.plan import plan
from halidehw.optimize.fusion.targets import Target
from halidehw.optimize.fusion.ways import ROWS
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.optimize.test_fusion import planned, ways

TAPS = [(1, 1), (3, 3), (3, 3), (1, 3), (5, 5), (2, 2), (3, 1)]


def size(extent, taps, stride, pad):
    """Of a result; `pad`: zeros on both sides, or None: as many as a result of every stride needs."""
    return -(-extent // stride) if pad is None else (extent + 2 * pad - taps) // stride + 1


def drawn(rng):
    """Up to four layers one after the other, some with a residual, and the sizes of a tile."""
    channels, height, width = rng.choice([1, 2, 3, 5]), rng.randint(1, 9), rng.randint(1, 9)
    layers, wiring = [], []
    for number in range(rng.randint(1, 4)):
        depthwise = channels > 1 and rng.random() < 0.3
        filters = channels if depthwise else rng.choice([1, 2, 4, channels])
        (fy, fx), stride, dilation = rng.choice(TAPS), rng.choice([1, 1, 1, 2, 3]), rng.choice([1, 1, 1, 2, 3])
        spans = [(height, (fy - 1) * dilation + 1), (width, (fx - 1) * dilation + 1)]
        pad = rng.choice([None, None, None, 0, 1]) if number else None
        if pad is not None and any(extent + 2 * pad < span for extent, span in spans):
            pad = None
        height, width = (size(*each, stride if number else 1, pad) for each in spans)
        layers.append(Layer(name=f"l{number}", k=filters, c=channels, oy=height, ox=width, fx=fx, fy=fy, stride=stride,
                            dilation=dilation, groups=channels if depthwise else 1))  # fmt: skip
        like = [each.name for each in layers[:-1] if (each.k, each.oy, each.ox) == (filters, height, width)]
        adds = (rng.choice(like),) if like and rng.random() < 0.4 else ()
        wiring.append(Wiring(adds=adds, pad=pad))
        channels = filters
    nodes = tuple(nodes_of(Network("net", tuple(layers), tuple(wiring))).values())
    last = layers[-1]
    return Chain(nodes[rng.randrange(len(nodes)) :]), [
        rng.choice([each, -(-each // 2), -(-each // 3), 1]) for each in (last.k, last.oy, last.ox)
    ]


@pytest.mark.parametrize("seed", range(24))
def test_planned_words_and_memory_of_odd_chains_are_those_of_the_hardware(seed):
    """In every way to go through their tiles; and no bound of cycles or energy is above theirs."""
    rng = random.Random(seed)
    each, sizes = next(found for found in iter(lambda: drawn(rng), None) if ways(*found))
    assert list(planned(each, sizes, seed))


def row(name, out, pad=None, k=2, c=2, source=None, **more):
    return Layer(name=name, k=k, c=c, oy=out[0], ox=out[1], **more), Wiring(pad=pad)


ODD = {
    "a stride that leaves out the last column, which padding of the next layer needs": (
        [row("p", (8, 8)), row("a", (3, 3), 0, fx=3, fy=3, stride=2), row("b", (3, 3), fx=3, fy=3)], 1, 218),
    "zeros around a layer of one tap": (
        [row("p", (2, 4), c=6, k=1), row("a", (2, 4), 1, c=1, k=1), row("b", (2, 4), c=1, fx=3, fy=3)], 1, None),
    "dilated taps of a single column": ([row("d", (4, 2), c=5, fx=3, fy=3, dilation=2)], 0, 146),
    "dilated taps that a stride is no part of": ([row("d", (3, 4), c=1, fx=3, fy=3, stride=2, dilation=3)], 0, None),
    "rows of which a stride passes some over": ([row("d", (5, 4), c=1, k=1, fx=2, fy=2, stride=3)], 0, None),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_words_at_the_ports_of_odd_chains_in_hardware(name):
    """The least words of any tile, counted in simulation."""
    rows, first, words = ODD[name]
    layers, wiring = zip(*rows, strict=True)
    each, target = Chain(tuple(nodes_of(Network("net", layers, wiring)).values())[first:]), Target("own", 8192)
    group = target.best(each)[0].group
    design = Design(parse(Meter(target).program(group).text()).output)
    (run,) = check_each([design])
    moved = sum(count for counter, count in run.counters.items() if counter.endswith("_words") and "." not in counter)
    assert moved == group.words == (words or group.words)


def test_a_result_of_one_row_is_no_way_of_its_own():
    """Row by row, all rows of what lies between would be made at once, as in tiles."""
    rows = [row("a", (1, 1), c=5, k=1), row("b", (1, 1), c=1, k=8, fx=5, fy=5)]
    layers, wiring = zip(*rows, strict=True)
    each = Chain(tuple(nodes_of(Network("net", layers, wiring)).values()))
    assert ROWS not in {way.name for way in ways(each, [8, 1, 1])}


def test_memory_of_a_plan_is_that_of_its_hardware_and_stays_within_what_there_is():
    """Between stages of short tiles lies a part more than two, so that neither waits for the other."""
    rows = [row("a", (6, 6), c=3, k=4, fx=3, fy=3), row("b", (6, 6), c=4, fx=2, fy=2)]
    layers, wiring = zip(*rows, strict=True)
    nodes = nodes_of(Network("net", layers, wiring))
    for capacity, taken, words in ((359, 276, 374), (360, 360, 320)):
        target = Target("own", capacity)
        (group,) = plan(nodes, target).groups
        stores = [store for stage in Meter(target).run(group).network.stages for store in stage.stores]
        assert sum(store.size * store.type.bits // 8 for store in stores if isinstance(store, Memory)) == taken
        assert (group.capacity, group.words) == (taken, words)


def test_the_memory_that_is_proposed_is_the_least_that_is_enough():
    rows = [row("d", (4, 2), c=5, fx=3, fy=3, dilation=2)]
    nodes = nodes_of(Network("net", *map(tuple, zip(*rows, strict=True))))
    with pytest.raises(CostError, match="d: the smallest tiles need 180 bytes, there are 179") as caught:
        plan(nodes, Target("own", 179))
    assert caught.value.legal == ("--capacity 180B",)
    assert plan(nodes, Target("own", 180)).groups[0].capacity == 180
