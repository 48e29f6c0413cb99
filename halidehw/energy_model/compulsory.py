"""The least traffic: how many different words of a tensor a nest reads."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Access, Nest, Tensor


def compulsory(nest: Nest, tensor: str) -> int:
    """The words of a tensor's own that some iteration reads, each once; of the output: all it has."""
    if tensor == nest.output.name:
        return nest.output.words
    accesses = [access for access in nest.reads if access.tensor == tensor]
    if not accesses:
        return 0
    indices = [[_offsets(nest, access, d) for d in range(len(access.indices))] for access in accesses]
    total = 1
    for group in _coupled(nest, indices):
        found = {place for index in indices for place in _places(nest, tensor, [(d, index[d]) for d in group])}
        total *= len(found)
    return total if len(accesses) == 1 else len(_union(nest, tensor, indices))


def _union(nest: Nest, tensor: str, indices: list[list[Affine]]) -> set[tuple[int, ...]]:
    """All different words, for reads at several places."""
    every = [list(enumerate(index)) for index in indices]
    return {place for index in every for place in _places(nest, tensor, index)}


def _offsets(nest: Nest, access: Access, d: int) -> Affine:
    """The index in dimension d over loop offsets."""
    form = Affine.from_sympy(access.indices[d])
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


def _places(nest: Nest, tensor: str, index: list[tuple[int, Affine]]) -> set[tuple[int, ...]]:
    """The different places inside the tensor in some of its dimensions: axis by axis, keeping distinct sums only."""
    named: Tensor = nest.tensor[tensor]
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
    if named.boundary and named.boundary.kind == "repeat_edge":
        places = np.clip(places, lows, highs)
    inside = ((places >= lows) & (places <= highs)).all(axis=1)
    return set(map(tuple, places[inside].tolist()))


def _distinct(rows: np.ndarray) -> np.ndarray:
    """The different rows of a matrix."""
    return np.unique(rows[:, 0])[:, None] if rows.shape[1] == 1 else np.unique(rows, axis=0)
