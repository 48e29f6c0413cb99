"""How many different elements of a tensor the iterations of a nest touch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import product
from operator import or_

import numpy as np

from halidehw.ir.affine import Affine
from halidehw.ir.exterior import nearest
from halidehw.ir.nest import Access, Nest, Tensor


def touched(nest: Nest, accesses: Sequence[Access]) -> int:
    """The elements of one tensor that accesses of it read or write in some iteration, each once; none of those that lie
    beyond it.

    Each access takes a product of sets, one for each group of dimensions that have nothing to do with each other. In
    each group, places that the same accesses take are one kind, so that the union is summed over kinds and not over
    elements.
    """
    indices = [[_offsets(nest, access, d) for d in range(len(access.indices))] for access in accesses]
    kinds = {(1 << len(accesses)) - 1: 1}
    for group in _coupled(nest, indices):
        found: dict[int, int] = {}
        for (one, times), (other, places) in product(kinds.items(), _kinds(nest, accesses, group, indices).items()):
            found[one & other] = found.get(one & other, 0) + times * places
        kinds = found
    return sum(elements for takers, elements in kinds.items() if takers)


def _kinds(nest: Nest, accesses: Sequence[Access], group: list[int], indices: list[list[Affine]]) -> dict[int, int]:
    """How many places in the dimensions of `group` are taken by the same accesses (a bit each)."""
    readers: dict[tuple[Affine, ...], int] = {}
    for number, index in enumerate(indices):
        own = tuple(index[d] for d in group)
        readers[own] = readers.get(own, 0) | 1 << number
    tensor = nest.tensor[accesses[0].tensor]
    taken = [_places(nest, tensor, list(zip(group, own, strict=True))) for own in readers]
    if len(readers) == 1:
        return {mask: len(taken[0]) for mask in readers.values()}
    _, where = np.unique(np.concatenate(taken), axis=0, return_inverse=True)
    member = np.zeros((int(where.max(initial=-1)) + 1, len(taken)), bool)
    ends = np.cumsum([len(places) for places in taken])
    for column, mine in enumerate(np.split(where.reshape(-1), ends[:-1])):
        member[mine, column] = True
    rows, counts = np.unique(member, axis=0, return_counts=True)
    kinds: dict[int, int] = {}
    for row, count in zip(rows, counts, strict=True):
        mask = reduce(or_, (mask for mask, takes in zip(readers.values(), row, strict=True) if takes), 0)
        kinds[mask] = kinds.get(mask, 0) + int(count)
    return kinds


def _offsets(nest: Nest, access: Access, d: int) -> Affine:
    """The index in dimension d over loop offsets."""
    form = access.indices[d]
    return form + sum(value * nest.loop[name].min for name, value in form.terms)


def _coupled(nest: Nest, indices: Iterable[list[Affine]]) -> list[list[int]]:
    """The dimensions in groups that share no loop, neither directly nor through a constraint of the domain."""
    groups: list[tuple[set[str], list[int]]] = []
    for index in indices:
        for d, form in enumerate(index):
            names = set(form.names)
            for constraint in nest.domain:
                tied = {name for name, _ in constraint.terms}
                names |= tied if tied & names else set()
            touched = [group for group in groups if group[0] & names or d in group[1]]
            groups = [group for group in groups if group not in touched]
            dims = sorted({d, *(each for group in touched for each in group[1])})
            groups.append((names.union(*(group[0] for group in touched)), dims))
    return [dims for _, dims in groups]


def _places(nest: Nest, named: Tensor, index: list[tuple[int, Affine]]) -> np.ndarray:
    """The different places (rows) inside the tensor in some of its dimensions: axis by axis, keeping distinct sums."""
    own = {name for _, form in index for name in form.names}
    rooms = [constraint for constraint in nest.domain if own & {name for name, _ in constraint.terms}]
    names = [loop for loop in nest.loops if loop.name in own or any(loop.name in dict(r.terms) for r in rooms)]
    sums = np.array([[form.constant for _, form in index] + [room.limit for room in rooms]], np.int64)
    for loop in names:
        weights = [form[loop.name] for _, form in index] + [-dict(room.terms).get(loop.name, 0) for room in rooms]
        steps = np.arange(loop.extent)[:, None] * np.array(weights, np.int64)
        sums = (sums[:, None, :] + steps).reshape(-1, sums.shape[1])
        sums = _distinct(sums[(sums[:, len(index) :] >= 0).all(axis=1)])
    places = sums[:, : len(index)]
    lows = np.array([named.mins[d] for d, _ in index])
    highs = lows + np.array([named.extents[d] for d, _ in index]) - 1
    if named.boundary and named.boundary.value is None:
        sizes = [named.extents[d] for d, _ in index]
        columns = [nearest(named.boundary.kind, places[:, n] - lows[n], size) for n, size in enumerate(sizes)]
        places = np.stack(columns, axis=1) + lows
    inside = ((places >= lows) & (places <= highs)).all(axis=1)
    return _distinct(places[inside])


def _distinct(rows: np.ndarray) -> np.ndarray:
    """The different rows of a matrix."""
    return np.unique(rows[:, 0])[:, None] if rows.shape[1] == 1 else np.unique(rows, axis=0)
