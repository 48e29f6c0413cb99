"""The lanes of a layer's loops on the array, and the ways to lay them out.

Lanes alone decide how far tiles reach and how many copies of a word there are; the unrolling (which loops share a
dimension, and which of them is nearest) only decides how far words travel. So lanes are enumerated first, and laid
out when they turn out to matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from math import ceil, prod

import numpy as np

from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Axes
from halidehw.optimize.rules import Rules, spreads

ROUNDING = 1e-6
"""Of a lane: a share of lanes is a fraction that a double may have rounded up."""

FEW = 64
"""So many lanes of the same loops are laid out together, whichever is asked for."""


@dataclass(frozen=True)
class Unrolling:
    """`axes[dimension]`: the dims on it, nearest first; at least `least` lanes together."""

    axes: Axes
    least: int

    def fits(self, array: tuple[int, ...], lanes: np.ndarray) -> np.ndarray:
        """bool (n,): whether `lanes` (dims, n) fit on the array."""
        fits, together = np.ones(lanes.shape[1], bool), 1
        for axis, size in zip(self.axes, array, strict=False):
            used = lanes[list(axis)].prod(axis=0)
            fits &= used <= size
            together = together * used
        return fits & (together >= self.least) if self.least > 1 else fits


@dataclass(frozen=True)
class Ways:
    """n ways to fill the array: `lanes` int64 (dims, n), `hops` float64 (3, n) of a word of each tensor, `axes[n]`."""

    lanes: np.ndarray
    hops: np.ndarray
    axes: tuple[Axes, ...]


@dataclass(frozen=True)
class LaidOut:
    """Of n lanes (`at`) in the unrollings of their loops, where that is `done`, bool (n,): `travel` float64
    (unrollings, 3, n), hops of a word of each tensor; `nearest` bool (unrollings, n), those that no other one beats."""

    at: np.ndarray
    done: np.ndarray
    travel: np.ndarray
    nearest: np.ndarray


@dataclass(frozen=True)
class Unrollings:
    """All `lanes` int64 (dims, n) that some unrolling takes, no two alike; `by_loops[loops[n]]`: those of the same
    loops.

    `most[dim]`: the most lanes of a loop alone on each dimension it may be on; `share`: only at least this share of
    the lanes that a dataflow can have.
    """

    array: tuple[int, ...]
    lanes: np.ndarray
    loops: np.ndarray
    by_loops: tuple[tuple[Unrolling, ...], ...]
    most: tuple[tuple[int, ...], ...]
    share: float

    def single(self) -> Unrollings:
        """Those of one PE alone."""
        chosen = self.lanes.prod(axis=0) == 1
        return replace(self, lanes=self.lanes[:, chosen], loops=self.loops[chosen])

    def only(self, lanes: np.ndarray) -> Unrollings:
        """Those with `lanes` (dims,)."""
        chosen, most = (self.lanes == lanes[:, None]).all(axis=0), tuple((many,) for many in lanes.tolist())
        return replace(self, lanes=self.lanes[:, chosen], loops=self.loops[chosen], most=most)

    def have(self, lanes: np.ndarray, axes: Axes) -> bool:
        """Whether `lanes` (dims, 1), unrolled on `axes`, are among these."""
        which = np.flatnonzero((self.lanes == lanes).all(axis=0))
        every = (unrolling for at in which for unrolling in self.by_loops[self.loops[at]])
        return any(each.axes == axes and bool(each.fits(self.array, lanes)) for each in every)

    def lay_out(self, rule: Rules, chosen: np.ndarray) -> tuple[Ways, np.ndarray]:
        """The unrollings of the lanes at `chosen`, and the place in `chosen` of each.

        Left out are those whose words all travel as far or farther than in another one.
        """
        lanes, hops, axes, places = [], [], [], []
        for each in np.unique(self.loops[chosen]):
            place = np.flatnonzero(self.loops[chosen] == each)
            laid, own = self._laid_out(rule, each, chosen[place])
            which, at = np.nonzero(laid.nearest[:, own])
            lanes.append(self.lanes[:, chosen[place[at]]])
            hops.append(laid.travel[which, :, own[at]].T)
            axes += [self.by_loops[each][one].axes for one in which]
            places.append(place[at])
        return Ways(np.hstack(lanes), np.hstack(hops), tuple(axes)), np.concatenate(places)

    def _laid_out(self, rule: Rules, loops: int, chosen: np.ndarray) -> tuple[LaidOut, np.ndarray]:
        """What is known of lanes of these loops, those at `chosen` laid out, and their places in it; each once."""
        alike = self.by_loops[loops]
        if (rule.name, loops) not in self._known:
            at = np.flatnonzero(self.loops == loops)
            travel, nearest = np.empty((len(alike), 3, len(at))), np.zeros((len(alike), len(at)), bool)
            self._known[rule.name, loops] = LaidOut(at, np.zeros(len(at), bool), travel, nearest)
        laid = self._known[rule.name, loops]
        own = np.searchsorted(laid.at, chosen)
        wanted = own if len(laid.at) > FEW else np.arange(len(laid.at))
        if len(new := wanted[~laid.done[wanted]]):
            lanes = self.lanes[:, laid.at[new]]
            travel = np.stack([spreads(rule, unrolling.axes, lanes) for unrolling in alike])
            fits = np.stack([unrolling.fits(self.array, lanes) for unrolling in alike])
            laid.travel[..., new], laid.nearest[:, new] = travel, _nearest(np.where(fits[:, None], travel, np.inf))
            laid.done[new] = True
        return laid, own

    @cached_property
    def _known(self) -> dict[tuple[str, int], LaidOut]:
        return {}


def unrollings(layer: Layer, array: tuple[int, ...], flows: Iterable[Axes], ragged: bool, share: float) -> Unrollings:
    """Every choice of lanes within the array for the loops of each of `flows`.

    Lanes divide the loop's extent, or (`ragged`) are the fewest for any number of steps; they are at least a `share` of
    the most that divide. Of the loops on a dimension the farther ones only have lanes beside the nearer, or where that
    has none that divide: so what is not `ragged` is always among what is.
    """
    counts = [_counts(extent, max(array), ragged) for extent in layer.extents]
    divisors = [own[extent % own == 0] for own, extent in zip(counts, layer.extents, strict=True)]
    shapes = [tuple(zip(axes, array, strict=False)) for axes in flows]
    sides = set().union(*shapes)
    parts = {side: _parts(counts, *side) | _parts(divisors, *side) for side in sides}
    choices = set()
    for shape in shapes:
        least = ceil(share * prod(_most(divisors, axis, size) for axis, size in shape) - ROUNDING) if share else 0
        choices |= {(used, least) for used in product(*(parts[side] for side in shape))}
    by_loops: dict[tuple[int, ...], list[Unrolling]] = {}
    for used, least in sorted(choices):
        by_loops.setdefault(tuple(sorted(dim for axis in used for dim in axis)), []).append(Unrolling(used, least))
    found = [_lanes(counts, loops, array, alike) for loops, alike in by_loops.items()]
    which = np.repeat(np.arange(len(found)), [lanes.shape[1] for lanes in found])
    most = tuple(
        tuple(sorted({int(own[own <= size].max()) for axis, size in sides if dim in axis for own in (every, even)}))
        for dim, (every, even) in enumerate(zip(counts, divisors, strict=True))
    )
    return Unrollings(array, np.hstack(found), which, tuple(map(tuple, by_loops.values())), most, share)


def _counts(extent: int, size: int, ragged: bool) -> np.ndarray:
    """The lanes of a loop on a dimension of `size`, rising."""
    lanes = np.arange(1, min(extent, size) + 1)
    steps = -(-extent // lanes)
    return lanes[(-(-extent // steps) == lanes) & (ragged | (extent % lanes == 0))]


def _most(counts: list[np.ndarray], axis: tuple[int, ...], size: int) -> int:
    """The most lanes that the loops of `axis` have together on a dimension of `size`."""
    fitting, nearest = {1}, _nearest_loop(counts, axis, size)
    for dim in axis:
        more = [int(lanes) for lanes in counts[dim] if lanes > 1 or dim not in nearest]
        fitting = {lanes * each for lanes in fitting for each in more if lanes * each <= size}
    return max(fitting)


def _nearest_loop(counts: list[np.ndarray], axis: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The first loop of `axis` that can have several lanes on a dimension of `size`, if there is one."""
    return tuple(dim for dim in axis if (counts[dim][1:] <= size).any())[:1]


def _parts(counts: list[np.ndarray], axis: tuple[int, ...], size: int) -> set[tuple[int, ...]]:
    """The loops of `axis` that have several lanes: none, or the nearest that can, and others."""
    nearest = _nearest_loop(counts, axis, size)
    farther = axis[axis.index(nearest[0]) + 1 :] if nearest else ()
    others = [part for many in range(len(farther) + 1) for part in combinations(farther, many)]
    return {(), *(nearest + part for part in others)} if nearest else {()}


def _lanes(
    counts: list[np.ndarray], loops: tuple[int, ...], array: tuple[int, ...], alike: list[Unrolling]
) -> np.ndarray:
    """int64 (dims, n): several lanes for each of `loops`, one for the others, where an unrolling takes them."""
    grid = np.meshgrid(*(counts[dim][1:] for dim in loops), indexing="ij")
    lanes = np.ones((len(DIMS), prod(each.size for each in grid[:1])), np.int64)
    for dim, values in zip(loops, grid, strict=True):
        lanes[dim] = values.ravel()
    splits = {(tuple(map(frozenset, unrolling.axes)), unrolling.least): unrolling for unrolling in alike}
    return lanes[:, np.logical_or.reduce([unrolling.fits(array, lanes) for unrolling in splits.values()])]


def _nearest(travel: np.ndarray) -> np.ndarray:
    """bool (unrollings, n) of `travel` (unrollings, 3, n): those that no other one beats, the first of equals."""
    kept = np.isfinite(travel).all(axis=1)
    for at, own in enumerate(travel):
        no_farther = (travel <= own).all(axis=1)
        nearer = no_farther & (travel < own).any(axis=1)
        kept[at] &= ~nearer.any(axis=0) & ~no_farther[:at].any(axis=0)
    return kept
