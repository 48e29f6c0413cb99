"""Which mappings without register files run shortest: those of the least estimates, their tiles gone through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite

import numpy as np

from halidehw.mapping.counts import OUTPUT
from halidehw.mapping.layer import RELEVANT
from halidehw.optimize.layout import stored
from halidehw.optimize.nest import OUT
from halidehw.optimize.nests import Nests
from halidehw.optimize.ordered import Order
from halidehw.optimize.orders import ORDERS
from halidehw.optimize.pieces import (
    LOSS,
    OFTEN,
    OPERANDS,
    ROOMY,
    first_piece,
    outermost,
    reached,
    rings,
    slowest,
    wanted,
)
from halidehw.optimize.rehearse import PARTS, Loads, Port, Tiles, periods, rehearse
from halidehw.optimize.streams import WAY, Choice, Streams
from halidehw.optimize.sums import leaving

GONE = 1 << 13
"""Choices of the least estimates, whose tiles are gone through."""

SURE = 1024
"""Of these those of the least estimates are gone through first; others only if they may not be FARTHER."""

FARTHER = 1.015
"""Nothing is lowered whose rehearsed run is so much longer than the best."""

NEXT = 512
"""Choices that are rehearsed to be the best, of which the first few that differ are lowered."""


def ranked(streams: Streams, best: float = inf, enough: float = 0) -> list[Choice]:
    """Of the choices of the least estimates, under `best`, those first that run shortest when their tiles are gone
    through; of those that take as long to a thousandth, those of the fewest steps, which have the most time
    left. Those beyond the SURE ones are not gone through where one of these takes no more than `enough`."""
    if not (choices := streams.choices(best)[:GONE]):
        return []
    estimates = np.array([each.estimate for each in choices])
    order, runs = np.argsort(estimates, kind="stable"), np.full(len(choices), np.inf)
    for at in (order[:SURE], order[SURE:]):
        some = at[estimates[at] < FARTHER * runs.min()] if runs.min() > enough else at[:0]
        runs[some] = np.maximum(_rehearsed(streams, [choices[each] for each in some], 0), estimates[some])
    some = np.argsort(runs, kind="stable")[: min(SURE, np.isfinite(runs).sum())]
    least, pace = np.zeros_like(runs), np.array([each.pace for each in choices])
    least[some] = _least(streams, [choices[each] for each in some])
    runs = np.maximum(runs, least)
    order = np.lexsort((least, runs, pace, np.round(runs / runs.min(), 3)))[: min(NEXT, np.isfinite(runs).sum())]
    return [replace(choices[each], rehearsed=float(runs[each])) for each in order.tolist()]


def nearest(streams: Streams, near: Sequence[Order], best: float) -> list[Choice]:
    """Of the nests that are `near`, whose least runs are under the `best`, those first that are rehearsed to run
    shortest, with a loss of their pieces or without; of the choices of the least estimates where none are known."""
    choices = list[Choice]() if near else streams.choices(best)
    for each in near:
        at = np.searchsorted(streams.points, each.points)
        able = (np.append(streams.points, -1)[at] == each.points) & (each.least < best)
        some, at = each.take(able), at[able]
        paces = streams.paces(each.inside, each.outside, some.ways, at)
        rows = zip(*(own.tolist() for own in (some.least, paces, some.ways, at)), strict=True)
        choices += [
            Choice(least, pace, way, tile, each.inside, each.outside)
            for least, pace, way, tile in rows if isfinite(pace)
        ]  # fmt: skip
    choices = sorted(choices, key=lambda each: each.estimate)[:GONE]
    even, uneven = (_rehearsed(streams, choices, loss) for loss in (0, LOSS))
    runs = np.maximum(np.minimum(even, uneven), [each.estimate for each in choices])
    order = np.lexsort((runs, [each.pace for each in choices], np.round(runs / runs.min(initial=inf), 3)))
    losses = np.where(uneven < even, LOSS, 0).tolist()
    return [replace(choices[at], rehearsed=float(runs[at]), loss=losses[at]) for at in order.tolist()]


def _least(streams: Streams, choices: list[Choice]) -> np.ndarray:
    """float64 (n,): cycles that they run at least."""
    way, tile, inner, outside = np.array([(each.way, each.tile, each.inner, each.outside) for each in choices]).T
    found = np.empty(len(choices))
    for orders in {*zip(inner.tolist(), outside.tolist(), strict=True)}:
        at = np.flatnonzero((inner == orders[0]) & (outside == orders[1]))
        lanes, tiles = streams.space.unrolled.lanes[:, way[at]], streams.tiles[:, tile[at]]
        nests = Nests(streams.space.layer, streams.space.arch, lanes, tiles)
        found[at] = nests.run(ORDERS[orders[0]], ORDERS[orders[1]])
    return found


def _rehearsed(streams: Streams, choices: list[Choice], loss: float) -> np.ndarray:
    """float64 (n,): cycles that they take when their tiles are gone through, by pieces with a `loss`, as in `slowest`.
    """
    if not choices:
        return np.zeros(0)
    tiles, shared = _tiles(streams, choices, loss), bool(streams.space.arch.shared_port_bits)
    return rehearse(tiles, shared) + _cut_off(streams, choices)


def _tiles(streams: Streams, choices: list[Choice], loss: float) -> Tiles:
    """What is gone through of them."""
    space, arch = streams.space, streams.space.arch
    way, tile, inner, outside = (
        np.array([getattr(each, name) for each in choices]) for name in ("way", "tile", "inner", "outside")
    )
    lanes, every_one = space.unrolled.lanes[:, way], np.arange(len(choices))
    trips = -(-streams.tiles[:, tile] // lanes)
    pace, parts = np.array([each.pace for each in choices]), np.ones(len(choices))
    outputs, many = streams.outputs[tile], streams.outputs[tile] * streams.reductions[tile]
    stored_words = streams.stored[outside, tile]
    served = [list(OPERANDS)] if arch.shared_port_bits else [[each] for each in OPERANDS]
    loads = [Loads(*np.zeros((6, 4, len(choices)))) for _ in served]
    rounds, rings_of = np.maximum(1, np.rint(many * streams.held[OUTPUT, tile] / stored_words)), np.ones((2, len(way)))
    for order in range(len(ORDERS)):
        at = np.flatnonzero(inner == order)
        some = tile[at], rounds[at], pace[at] / many[at]
        parts[at], found, rings_of[:, at] = _loads(streams, order, outside[at], trips[:, at], *some, served, loss)
        for each, own in zip(loads, found, strict=True):
            for name, values in vars(own).items():
                getattr(each, name)[:, at] = values
    wide = stored(space.layer, lanes, arch.port_words[OUTPUT])
    back = np.maximum(stored_words - space.layer.words[OUTPUT], 0) / wide
    sums = (stored_words / wide + back * bool(arch.shared_port_bits)) / many * rounds
    first = np.stack([outermost(order, trips) for order in ORDERS])[inner, every_one]
    moved, part = np.array(RELEVANT[OUTPUT], bool)[first] & (back == 0), trips.astype(float)
    part[first, every_one] /= parts
    each = lanes[OUT].prod(axis=0) / wide
    short = np.where(back > 0, 1, streams.short[tile])
    seldom = periods(rounds) % (rounds * parts) != 0
    steps = pace / many / np.where(seldom, 1, (rounds - 1 + short) / rounds) / parts
    ways = [leaving(order, part, each, back > 0, steps * short / part.prod(axis=0)) for order in range(len(ORDERS))]
    tail, spread = np.stack(ways)[inner, :, every_one].T
    late = lanes.sum(axis=0) + WAY
    rest, many = outputs - np.ceil(outputs) + 1, np.ceil(outputs) * streams.reductions[tile]
    sums = sums / np.where(moved, parts, 1)
    some = np.minimum(sums / (each * part[OUT].prod(axis=0)), 1)
    tail, spread = tail * some, spread * some
    leave = np.maximum(sums, spread + tail) * bool(arch.shared_port_bits)
    rooms = [_ahead(many, parts, steps, leave, rings_of[operands]) for operands in served]
    ports = tuple(Port(own, *room) for own, room in zip(loads, rooms, strict=True))
    return Tiles(many, parts, steps, ports, sums, rounds, moved, tail, spread, late, back, rest, short)


def _ahead(
    many: np.ndarray, parts: np.ndarray, steps: np.ndarray, leave: np.ndarray, pieces: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Parts of tiles for which there is room of operands that come in by `pieces` (k, n) which are wanted once, float64
    (n,), 0 where there are none, when sums leave in so many cycles; and whether there are no other operands, bool (n,).
    """
    beside = 2 + np.ceil(leave * pieces / (steps * parts))
    room = np.minimum(2 * pieces, np.where(many * pieces <= OFTEN, np.maximum(beside, ROOMY), beside))
    share = np.divide(room, pieces, out=np.full_like(room, 2), where=pieces > 0)
    some, alone = (pieces > 0).any(axis=0), (pieces >= 0).all(axis=0)
    return np.where(some, np.clip(share.min(axis=0) * parts, 1, 2 * parts), 0), np.logical_and(some, alone)


def _cut_off(streams: Streams, choices: list[Choice]) -> np.ndarray:
    """float64 (n,): about how many cycles the array waits for the ports in the tiles that are cut off along a
    dimension, of which there are several: they have fewer steps, but all words that it does not move."""
    tile, outside = (np.array([getattr(each, name) for each in choices]) for name in ("tile", "outside"))
    counts, held = streams.space.grid.counts[:, streams.points[tile]], streams.tiles[:, tile]
    many, late = counts.prod(axis=0), np.zeros(len(choices))
    loads = streams.loading[outside, :, tile].T / many
    lanes, port = streams.space.unrolled.lanes[:, [each.way for each in choices]], streams.space.arch.port_words[OUTPUT]
    sums = streams.stored[outside, tile] / stored(streams.space.layer, lanes, port) / many
    steps = np.array([each.pace for each in choices]) / streams.many[tile]
    each_port, shared = np.stack([*loads, sums]), bool(streams.space.arch.shared_port_bits)
    pace = steps if shared else np.maximum(steps, each_port.max(axis=0))
    for dim, extent in enumerate(streams.space.layer.extents):
        left = (extent - (counts[dim] - 1) * held[dim]) / held[dim]
        share = each_port * [np.where(RELEVANT[tensor][dim], left, 1) for tensor in range(3)]
        wait = (share.sum(axis=0) if shared else share.max(axis=0)) - pace * left
        late += np.where(counts[dim] < many, np.maximum(wait, 0) * many / counts[dim], 0) * (left < 1)
    return late


def _loads(
    streams: Streams, inner: int, outside: np.ndarray, trips: np.ndarray, at: np.ndarray, rounds: np.ndarray,
    steps: np.ndarray, served: list[list[int]], loss: float,
) -> tuple[np.ndarray, list[Loads], np.ndarray]:  # fmt: skip
    """The parts of some tiles, float64 (k,), what comes in with each through ports that serve some operands (`served`),
    and how many pieces of each operand that are wanted once a tile has, (2, k), 0 where none comes in after the first,
    -1 where it has no such; `steps` of a tile, of which so many (`rounds`) have their sums in common."""
    order = ORDERS[inner]
    first, all_ = outermost(order, trips), np.arange(len(at))
    parts = _parts(trips[first, all_], rounds)
    inner_trips = trips.astype(float)
    inner_trips[first, all_] /= parts
    many = streams.many[at]
    fill = streams.held[:OUTPUT, at] / streams.rates[:, at]
    later = np.maximum(streams.loading[outside, :, at].T - fill, 0) / np.where(many > 1, many - 1, 1)
    (cycles, late, left), pieces, reach = np.zeros((3, 4, OUTPUT, len(at))), np.empty((OUTPUT, len(at))), []
    for tensor in OPERANDS:
        port = streams.space.arch.port_words[tensor]
        kept = streams.stay[outside, tensor, at] > 1
        share = slowest(np.maximum(streams.loaded[outside, tensor, at], 1), loss)
        outer, slower = reached(streams.space.layer, order, streams.tiles[:, at], trips, tensor, port, kept, share)
        reach.append(outer)
        many_of, once = rings(order, trips, tensor, outer, kept)
        pieces[tensor] = np.where(once, many_of, np.where(later[tensor] > 0, -1, 0))
        moved = np.array(RELEVANT[tensor], bool)[first] & outer[first, all_]
        for tile, load in enumerate((slower * fill[tensor], slower * later[tensor])):
            cycles[2 * tile, tensor] = np.where(moved, load / parts, load)
            cycles[2 * tile + 1, tensor] = np.where(moved, load / parts, 0)
            for part in (2 * tile, 2 * tile + 1):
                own = cycles[part, tensor]
                found = first_piece(streams.space.layer, order, inner_trips, tensor, own, steps / parts, outer)
                late[part, tensor], left[part, tensor] = found[0], np.where(own > 0, found[1], 0)
    own, loads = steps / parts, list[Loads]()
    for some in served:
        moved, more = cycles[:, some], left[:, some].max(axis=1)
        until = [[wanted(order, inner_trips, each, reach[each], own, own - at) for at in more] for each in some]
        sooner = (moved * np.where(left[:, some] == more[:, None], 1, np.stack(until, axis=1))).sum(axis=1)
        once = (moved * (pieces[some] > 0)).sum(axis=1)
        every = moved.sum(axis=1), late[:, some].sum(axis=1), left[:, some].min(axis=1)
        loads.append(Loads(*every, sooner, more, once))
    return parts, loads, pieces


def _parts(trips: np.ndarray, rounds: np.ndarray) -> np.ndarray:
    """float64 (k,): in how many parts tiles are cut whose outermost loop has so many `trips`: in those with which a
    period has whole rounds, if there are any."""
    found, period = np.ones(len(trips)), periods(rounds)
    for parts in PARTS:
        found = np.where((trips >= parts) & ((period % (rounds * parts) == 0) | (period % rounds != 0)), parts, found)
    return found
