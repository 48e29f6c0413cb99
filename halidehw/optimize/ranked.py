"""Which mappings without register files run shortest: those of the least estimates, their tiles gone through."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from halidehw.mapping.counts import INPUT, OUTPUT, WEIGHT
from halidehw.mapping.layer import DIMS, RELEVANT
from halidehw.optimize.layout import stored
from halidehw.optimize.orders import ORDERS, stays
from halidehw.optimize.pieces import OPERANDS, first_piece, outermost, reached
from halidehw.optimize.rehearse import PARTS, Loads, Tiles, periods, rehearse
from halidehw.optimize.streams import WAY, Choice, Streams
from halidehw.optimize.sums import leaving

GONE = 1 << 13
"""Choices of the least estimates, whose tiles are gone through."""

NEXT = 512
"""Choices that are rehearsed to be the best, of which the first few that differ are lowered."""


def ranked(streams: Streams, best: float = inf) -> list[Choice]:
    """Of the choices of the least estimates, under `best`, those first that run shortest when their tiles are gone
    through; of those that take as long to a thousandth, those of the fewest steps, which have the most time
    left."""
    if not (choices := streams.choices(best)[:GONE]):
        return []
    runs = rehearse(_tiles(streams, choices), bool(streams.space.arch.shared_port_bits)) + _cut_off(streams, choices)
    runs = np.maximum(runs, [each.estimate for each in choices])
    pace = [each.pace for each in choices]
    order = np.lexsort((runs, pace, np.round(runs / runs.min(), 3)))[:NEXT].tolist()
    return [replace(choices[each], rehearsed=float(runs[each])) for each in order]


def _tiles(streams: Streams, choices: list[Choice]) -> Tiles:
    """What is gone through of them."""
    space, arch = streams.space, streams.space.arch
    way, tile, inner, outside = (
        np.array([getattr(each, name) for each in choices]) for name in ("way", "tile", "inner", "outside")
    )
    lanes, every_one = space.unrolled.lanes[:, way], np.arange(len(choices))
    trips, many = -(-streams.tiles[:, tile] // lanes), streams.many[tile]
    pace, parts = np.array([each.pace for each in choices]), np.ones(len(choices))
    loads, stored_words = Loads(*np.zeros((3, 4, len(choices)))), streams.stored[outside, tile]
    rounds = np.maximum(1, np.rint(many * streams.held[OUTPUT, tile] / stored_words))
    for order in range(len(ORDERS)):
        at = np.flatnonzero(inner == order)
        some = tile[at], rounds[at], pace[at] / many[at]
        parts[at], own = _loads(streams, order, outside[at], trips[:, at], *some)
        loads.cycles[:, at], loads.late[:, at], loads.left[:, at] = own.cycles, own.late, own.left
    wide = stored(space.layer, lanes, arch.port_words[OUTPUT])
    back = np.maximum(stored_words - space.layer.words[OUTPUT], 0) / wide
    sums = (stored_words / wide + back * bool(arch.shared_port_bits)) / many * rounds
    first = np.stack([outermost(order, trips) for order in ORDERS])[inner, every_one]
    moved, part = np.array(RELEVANT[OUTPUT], bool)[first] & (back == 0), trips.astype(float)
    part[first, every_one] /= parts
    each = lanes[[dim for dim in range(len(DIMS)) if RELEVANT[OUTPUT][dim]]].prod(axis=0) / wide
    short = np.where(back > 0, 1, streams.short[tile])
    seldom = periods(rounds) % (rounds * parts) != 0
    steps = pace / many / np.where(seldom, 1, (rounds - 1 + short) / rounds) / parts
    ways = [leaving(order, part, each, back > 0, steps * short / part.prod(axis=0)) for order in range(len(ORDERS))]
    tail, spread = np.stack(ways)[inner, :, every_one].T
    late = lanes.sum(axis=0) + WAY
    rest, many = many - np.ceil(many) + 1, np.ceil(many)
    sums = sums / np.where(moved, parts, 1)
    return Tiles(many, parts, steps, loads, sums, rounds, moved, tail, spread, late, back, rest, short)


def _cut_off(streams: Streams, choices: list[Choice]) -> np.ndarray:
    """float64 (n,): about how many cycles the array waits for a shared port in the tiles that are cut off along a
    dimension, of which there are several: they have fewer steps, but all words that it does not move."""
    tile, outside = (np.array([getattr(each, name) for each in choices]) for name in ("tile", "outside"))
    counts, held = streams.space.grid.counts[:, streams.points[tile]], streams.tiles[:, tile]
    many, late = counts.prod(axis=0), np.zeros(len(choices))
    loads = streams.loading[outside, :, tile].T / many
    lanes, port = streams.space.unrolled.lanes[:, [each.way for each in choices]], streams.space.arch.port_words[OUTPUT]
    sums = streams.stored[outside, tile] / stored(streams.space.layer, lanes, port) / many
    steps = np.array([each.pace for each in choices]) / streams.many[tile]
    for dim, extent in enumerate(streams.space.layer.extents if streams.space.arch.shared_port_bits else ()):
        left = (extent - (counts[dim] - 1) * held[dim]) / held[dim]
        share = [np.where(RELEVANT[tensor][dim], left, 1) for tensor in range(3)]
        wait = loads[INPUT] * share[INPUT] + loads[WEIGHT] * share[WEIGHT] + sums * share[OUTPUT] - steps * left
        late += np.where(counts[dim] < many, np.maximum(wait, 0) * many / counts[dim], 0) * (left < 1)
    return late


def _loads(
    streams: Streams, inner: int, outside: np.ndarray, trips: np.ndarray, at: np.ndarray, rounds: np.ndarray,
    steps: np.ndarray,
) -> tuple[np.ndarray, Loads]:  # fmt: skip
    """The parts of some tiles, float64 (k,), and what comes in with each; `steps` of a tile, of which so many
    (`rounds`) have their sums in common."""
    order, both = ORDERS[inner], np.sum if streams.space.arch.shared_port_bits else np.max
    first, all_ = outermost(order, trips), np.arange(len(at))
    parts = _parts(trips[first, all_], rounds)
    inner_trips = trips.astype(float)
    inner_trips[first, all_] /= parts
    many = streams.many[at]
    fill = streams.held[:OUTPUT, at] / streams.rates[:, at]
    later = np.maximum(streams.loading[outside, :, at].T - fill, 0) / np.where(many > 1, many - 1, 1)
    cycles, late, left = np.zeros((3, 4, OUTPUT, len(at)))
    for tensor in OPERANDS:
        port = streams.space.arch.port_words[tensor]
        stay = [stays(each, tensor, streams.space.grid.counts[:, streams.points[at]]) for each in range(3)]
        kept = np.stack(stay)[outside, all_] > 1
        outer = reached(streams.space.layer, order, streams.tiles[:, at], trips, tensor, port, kept)
        moved = np.array(RELEVANT[tensor], bool)[first] & outer[first, all_]
        for tile, load in enumerate((fill[tensor], later[tensor])):
            cycles[2 * tile, tensor] = np.where(moved, load / parts, load)
            cycles[2 * tile + 1, tensor] = np.where(moved, load / parts, 0)
            for part in (2 * tile, 2 * tile + 1):
                own = cycles[part, tensor]
                found = first_piece(streams.space.layer, order, inner_trips, tensor, own, steps / parts, outer)
                late[part, tensor], left[part, tensor] = found[0], np.where(own > 0, found[1], 0)
    return parts, Loads(both(cycles, axis=1), both(late, axis=1), left.max(axis=1))


def _parts(trips: np.ndarray, rounds: np.ndarray) -> np.ndarray:
    """float64 (k,): in how many parts tiles are cut whose outermost loop has so many `trips`: in those with which a
    period has whole rounds, if there are any."""
    found, period = np.ones(len(trips)), periods(rounds)
    for parts in PARTS:
        found = np.where((trips >= parts) & ((period % (rounds * parts) == 0) | (period % rounds != 0)), parts, found)
    return found
