"""Tiles of the optimizer's that come in by pieces."""

from dataclasses import replace

import numpy as np
import pytest

from halidehw.energy_model.cycles import total_cycles
from halidehw.energy_model.traffic import traffic
from halidehw.frontend.text import parse
from halidehw.mapping.counts import INPUT, TAPS, WEIGHT
from halidehw.mapping.layer import DIMS, RELEVANT, parse_layer
from halidehw.mapping.mapping import Mapping
from halidehw.microarch.derive import derive
from halidehw.optimize import Options, architecture, optimize
from halidehw.optimize.files import NONE
from halidehw.optimize.layout import held_words, operands, rates
from halidehw.optimize.orders import ORDERS, stays
from halidehw.optimize.pieces import (
    LOSS,
    WHOLE,
    Cut,
    ahead,
    divides,
    first_piece,
    held,
    inside,
    pieces,
    place,
    reached,
    slowest,
)
from halidehw.optimize.rehearse import Loads, Port, Tiles, rehearse
from halidehw.optimize.schedule import schedule_text
from halidehw.optimize.steady import ported, space_of
from halidehw.optimize.streams import Choice, Streams
from halidehw.scheduler import lower

LAYER = parse_layer("b=16 k=256 c=256 ox=14 oy=14 fx=3 fy=3")
ARCH = replace(architecture("tpu"), shared_port_bits=2048)
LANES = (("B", 8), ("C", 32)), (("K", 128), ("Y", 2))
TILE = ("X", 14), ("Y", 7), ("FX", 3), ("FY", 3), ("C", 8), ("K", 2)


def mapping(tile=TILE, outside=(("B", 2),)):
    return Mapping(((), tile, outside), LANES)


def test_what_comes_back_is_kept_and_what_does_not_has_room_for_what_is_used_while_sums_leave():
    """Weights stay for all images; channels of the input come back with the second half of the filters."""
    cut = pieces(LAYER, ARCH, mapping())
    assert [each.loops for each in cut] == [2, 3]
    assert place(ARCH, mapping(), WEIGHT, 3)[0] is None and place(ARCH, mapping(), WEIGHT, 3)[2]
    text = schedule_text(LAYER, ARCH, mapping(), NONE, cut)
    assert "weight.in().store_root().compute_at(output, fy);" in text.replace("r.y", "fy").replace("fy1", "fy")
    assert "input.in().store_at(output, b2).compute_at(output, c1);" in text
    once = mapping((("X", 14), ("Y", 7), ("FX", 3), ("FY", 3), ("C", 8)), (("K", 2), ("B", 2)))
    weight = pieces(LAYER, ARCH, once)[WEIGHT]
    text = schedule_text(LAYER, ARCH, once, NONE, (Cut(), weight))
    assert weight.room > 2 and f".ring_buffer({weight.room})" in text


def test_pieces_of_the_input_have_no_words_in_common_or_slide():
    """Columns of a filter of three taps have some: rows come in once, where no loop comes back to them."""
    tile = ("FX", 3), ("FY", 3), ("C", 8), ("K", 2), ("X", 14), ("Y", 7)
    cut = pieces(LAYER, ARCH, mapping(tile))[INPUT]
    assert (cut.loops, cut.slides) == (1, True) and cut.room > 2
    assert pieces(LAYER, ARCH, mapping(tile), rows=False)[INPUT].loops == 0
    assert pieces(LAYER, ARCH, mapping((*tile[:3], *tile[4:], tile[3])))[INPUT].loops == 0
    assert pieces(LAYER, ARCH, mapping(tile, (("K", 2), ("B", 2))))[INPUT].loops == 0
    alone = parse_layer("b=16 k=256 c=256 ox=14 oy=14")
    columns = mapping((("C", 8), ("K", 2), ("X", 14), ("Y", 7)))
    assert pieces(alone, ARCH, columns)[INPUT].loops > 0 and not pieces(alone, ARCH, columns)[INPUT].slides


def test_rows_are_kept_where_their_window_begins_anew():
    """Once for each image: as many words as of whole tiles, and far fewer kept."""
    found = mapping((("FX", 3), ("FY", 3), ("C", 8), ("K", 2), ("X", 14), ("Y", 7)))
    cut = pieces(LAYER, ARCH, found)
    said = f"input.in().store_at(output, b2).compute_at(output, y1).ring_buffer({cut[INPUT].room});"
    assert said in schedule_text(LAYER, ARCH, found, NONE, cut)
    nests = [lower(parse(schedule_text(LAYER, ARCH, found, NONE, each)).output) for each in (cut, WHOLE)]
    made = [derive(nest, ARCH.ports) for nest in nests]
    words = [
        [count.words for count in traffic(network, nest) if count.name in ("input_words", "weight_words")]
        for network, nest in zip(made, nests, strict=True)
    ]
    assert words[0] == words[1] and total_cycles(made[0]) < total_cycles(made[1])
    stores = [next(each for each in network.memories if each.tensor == "input") for network in made]
    assert stores[0].ring and stores[0].size < stores[1].size / 2


@pytest.mark.parametrize("text", [
    "b=16 k=128 c=128 ox=28 oy=28 fx=3 fy=3 stride=2",
    pytest.param("b=16 k=64 c=64 ox=224 oy=224 fx=3 fy=3", marks=pytest.mark.soak),
])  # fmt: skip
def test_layers_whose_ports_wait_for_no_whole_image(text):
    """Their gaps were 0.032 and 0.010."""
    best = optimize(parse_layer(text), ARCH, "any", objective="delay", replicate=True)
    assert best.cut[INPUT].slides and best.gap < 0.009


@pytest.mark.parametrize(
    "text", ["b=16 k=256 c=256 ox=14 oy=14 fx=3 fy=3", "b=16 k=96 c=64 ox=7 oy=7", "b=64 k=96 c=48"]
)
@pytest.mark.parametrize("loss", (0.0, LOSS))
def test_the_rehearsal_has_the_pieces_of_the_schedule(text, loss):
    """Of loops that come back the rehearsal does not know those outside a tile: there it may have more pieces; of taps
    not whether they are all outside: there it may have fewer of the input."""
    layer, options = parse_layer(text), Options("any", "delay", replicate=True)
    streams, same = Streams(space_of(layer, ported(ARCH, options), options)), 0
    rng = np.random.default_rng(14)
    for way in rng.choice(streams.space.unrolled.lanes.shape[1], 12):
        lanes = streams.space.unrolled.lanes[:, way]
        for point in rng.choice(streams.around(lanes, np.ones(len(streams.points), bool)), 4):
            inner = int(rng.integers(len(ORDERS)))
            found = streams.mapping(Choice(0.0, 0.0, int(way), int(point), inner, 0))
            tile, cut = streams.tiles[:, [point]], pieces(layer, ARCH, found, loss=loss)
            trips, loops = -(-tile // lanes[:, None]), inside(ARCH, found)
            for tensor in (WEIGHT, INPUT) if layer.fx == 1 else (WEIGHT,):
                kept, port = np.zeros(1, bool), ARCH.port_words[tensor]
                share = slowest(np.maximum(streams.loaded[0, tensor, [point]], 1), loss)
                mask = reached(layer, ORDERS[inner], tile, trips, tensor, port, kept, share)[0][:, 0]
                own = {dim for _, dim, _ in loops[: cut[tensor].loops] if RELEVANT[tensor][dim]}
                theirs = {dim for _, dim, trips in loops if mask[dim] and RELEVANT[tensor][dim]}
                assert own <= theirs or not (tile % lanes[:, None] == 0).all()
                same += own == theirs
    assert same > 30


def test_windows_slide_in_the_rehearsal_as_in_the_schedule():
    """Of tiles that lanes divide and that have all taps, in all orders, where rows come in once and nothing outside
    comes back to them. Of pieces by taps, of outputs that a tile has one of, the rehearsal knows nothing."""
    options = Options("any", "delay", replicate=True)
    streams, slid = Streams(space_of(LAYER, ported(ARCH, options), options)), 0
    rng, windows = np.random.default_rng(14), ~divides(LAYER, INPUT)
    for way in rng.choice(streams.space.unrolled.lanes.shape[1], 80):
        lanes = streams.space.unrolled.lanes[:, way]
        for point in rng.choice(streams.around(lanes, np.ones(len(streams.points), bool)), 6):
            inner, outside = int(rng.choice(streams.orders)), int(rng.integers(3))
            tile, port = streams.tiles[:, [point]], ARCH.port_words[INPUT]
            trips, outer = -(-tile // lanes[:, None]), streams.space.grid.counts[:, streams.points[[point]]]
            kept = stays(ORDERS[outside], INPUT, outer) > 1
            share = slowest(np.maximum(streams.loaded[outside, INPUT, [point]], 1), 0.0)
            mask = reached(LAYER, ORDERS[inner], tile, trips, INPUT, port, kept, share)[0][:, 0] & (trips[:, 0] > 1)
            found = streams.mapping(Choice(0.0, 0.0, int(way), int(point), inner, outside))
            cut = pieces(LAYER, ARCH, found)[INPUT]
            own = [dim for _, dim, _ in inside(ARCH, found)[: cut.loops] if windows[dim]]
            if (tile % lanes[:, None] == 0).all() and (tile[list(TAPS), 0] == [1, 3, 3]).all():
                assert np.flatnonzero(mask & windows).tolist() == ([] if {*own} & {*TAPS} else sorted(own))
                slid += cut.slides
    assert slid > 10


def test_the_latest_piece_is_the_one_that_is_waited_for():
    """Eight pieces in 80 cycles, used in turn in 40 steps: the last one, at 80, is wanted at 35. In 160 steps each is
    there when it is wanted, but the first one."""
    order, trips = (DIMS.index("X"), DIMS.index("C")), np.ones((len(DIMS), 2), np.int64)
    trips[DIMS.index("C")], trips[DIMS.index("X")] = 8, 5
    late, left = first_piece(LAYER, order, trips, WEIGHT, np.array([80.0, 80.0]), np.array([40.0, 160.0]))
    assert late.tolist() == [45.0, 10.0] and left.tolist() == [5.0, 20.0]


def test_the_printed_layout_is_the_one_whose_words_are_counted():
    """Of dimensions that a tile has in part it was the longest, whatever lies before it."""
    layer = parse_layer("b=16 k=256 c=256 ox=28 oy=28")
    tile = np.ones((len(DIMS), 1), np.int64)
    tile[[DIMS.index(dim) for dim in "BYC"]] = [[16], [14], [8]]
    moved, _ = operands(layer, ARCH, (tile, tile), (True, True))
    assert moved[:2] == ("B", "C") and rates(layer, tile, INPUT, 128).tolist() == [128]


def test_of_the_last_word_of_a_port_a_piece_may_leave_some():
    """14 rows of 16 images are 224 words, which 128 do not divide: they take two cycles, not seven of 32 words."""
    layer = parse_layer("b=16 k=256 c=256 ox=28 oy=28")
    tile = np.ones((len(DIMS), 1), np.int64)
    tile[[DIMS.index(dim) for dim in "BY"]] = [[16], [14]]
    assert rates(layer, tile, INPUT, 128).tolist() == [112]


def test_what_is_held_inside_the_loops_of_a_tile():
    loops = inside(ARCH, mapping())
    assert [DIMS[dim] for _, dim, _ in loops] == ["K", "C", "FY", "FX", "Y", "X"]
    sizes = dict(zip(DIMS, held(LAYER, mapping(), loops[:2])[:, 0].tolist(), strict=True))
    assert (sizes["K"], sizes["C"], sizes["B"], sizes["Y"], sizes["FX"]) == (128, 32, 8, 14, 3)


@pytest.mark.parametrize(
    ("text", "arch", "bits"),
    [
        ("b=16 k=256 c=256 ox=14 oy=14 fx=3 fy=3", "tpu", 2048),
        pytest.param("b=16 k=384 c=256 ox=13 oy=13 fx=3 fy=3", "tpu", 2048, marks=pytest.mark.soak),
    ],
)
def test_layers_whose_first_tile_was_all_there_is(text, arch, bits):
    """They took 1.23 and 1.17 of the bound."""
    best = optimize(parse_layer(text), architecture(arch), "any", objective="delay", replicate=True,
                    shared_port_bits=bits)  # fmt: skip
    assert best.run_cycles < 1.15 * best.bound and best.cut != WHOLE
    assert replace(best, cut=WHOLE).run_cycles > best.run_cycles


def test_the_room_for_tiles_of_both_operands_is_there():
    """Each took all that was left of their memory."""
    layer = parse_layer("b=16 k=64 c=16 ox=28 oy=28")
    tile = ("X", 28), ("K", 2), ("C", 2)
    found = Mapping(((), tile, (("C", 2), ("Y", 28), ("K", 8))), ((("B", 16),), (("K", 4), ("C", 4))))
    tiles, rooms = held_words(layer, held(layer, found, ()))[:, 0] * [1, 1, ARCH.sum_width], list[int]()
    for share in (1.0, 1.3, 1.7, 2.5, 9.0):
        words = int(2 * tiles.sum() * share)
        levels = (ARCH.levels[0], replace(ARCH.levels[1], words=words, buffers=2), ARCH.levels[2])
        arch = replace(ARCH, levels=levels, shared_port_bits=128)
        rooms = [ahead(layer, arch, found, tensor, 0) for tensor in (INPUT, WEIGHT)]
        taken = [(room - 2) * own for room, own in zip(rooms, tiles[:2], strict=True)]
        assert max(taken) <= (words - 2 * tiles.sum()) / 2
    assert min(rooms) > 3


@pytest.mark.parametrize("shared", [False, True])
def test_in_how_many_parts_a_tile_is_rehearsed_changes_little(shared):
    """Sums that come back while the port has hardly time left were counted once for each part."""
    found = []
    for parts in (1, 2, 6):
        cycles = np.full((4, 1), 240.0 / parts)
        none, left = np.zeros((4, 1)), np.full((4, 1), 100.0 / parts)
        loads = Loads(cycles, cycles / 4, left, cycles / 2, 2 * left, none)
        one = [np.array([value]) for value in (200.0, parts, 300.0 / parts)]
        sums = [np.array([value]) for value in (60.0, 1.0, False, 60.0, 0.0, 30.0, 2000.0, 1.0, 1.0)]
        found.append(rehearse(Tiles(*one, (Port(loads, np.zeros(1), np.zeros(1, bool)),), *sums), shared)[0])
    assert min(found) > 200 * 300 and max(found) < 1.05 * min(found)
    assert max(found) < 200 * 300 * (1.2 if shared else 1.05)


def test_a_line_buffer_has_room_for_the_first_window_of_the_next_tile():
    """Three columns of a filter's, the one that comes meanwhile, and one for the time in which sums leave. With room
    for three, each tile began when the last window of the one before was through: in 24 425 cycles, not 23 102."""
    layer = parse_layer("b=16 k=288 c=144 ox=14 oy=14 fx=3 fy=3")
    inner = (("K", 18), ("FX", 3), ("FY", 3), ("C", 4), ("X", 7))
    found = Mapping(((), inner, (("X", 2), ("Y", 2))), ((("B", 16), ("K", 16)), (("C", 36), ("Y", 7))))
    cut = pieces(layer, ARCH, found)[0]
    assert cut.slides and cut.room == 5


@pytest.mark.parametrize(
    ("text", "arch", "bits"),
    [pytest.param("b=16 groups=192 c=192 k=192 ox=14 oy=14 fx=3 fy=3 stride=2", "tpu", 2048, marks=pytest.mark.soak),
     ("b=16 groups=1024 c=1024 k=1024 ox=7 oy=7 fx=3 fy=3", "benchmarks/arch/square32.toml", 256)],
)  # fmt: skip
def test_weights_of_few_taps_come_as_neighbours_along_the_groups(text, arch, bits):
    """MobileNet v2's dw7 on `tpu` and v1's dw13 on 32x32 PEs: rows of three taps are all that a tile has, which
    hardware joins where that pays. It did not, and each word of the port had three weights: gaps of 0.020 and 0.014."""
    best = optimize(
        parse_layer(text), architecture(arch), "any", objective="delay", replicate=True, shared_port_bits=bits
    )
    assert best.gap < 0.01 and best.cut[1].unjoined
    joined = replace(best, cut=(best.cut[0], replace(best.cut[1], unjoined=False)))
    assert joined.run_cycles > 1.01 * best.run_cycles
