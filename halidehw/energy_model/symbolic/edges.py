"""Words that lie inside a tensor, where tiles reach beyond its edges: counted tile by tile, once for each choice of
strides that occurs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd

import numpy as np

from halidehw.energy_model.symbolic.chains import Variable
from halidehw.energy_model.symbolic.terms import Terms, Value
from halidehw.energy_model.symbolic.tiles import Roles, Tiles
from halidehw.errors import CostError


@dataclass(frozen=True)
class Dimension:
    """One dimension of a tensor's tiles: coefficient and variable of its index, the constants of the accesses counted
    from the tensor's edge, and the tensor's extent."""

    parts: tuple[tuple[int, Variable], ...]
    taps: tuple[int, ...]
    extent: int
    roles: Roles

    @property
    def leaves(self) -> bool:
        """Whether some index lies outside the tensor."""
        last = max(self.taps) + sum(coefficient * (variable.extent - 1) for coefficient, variable in self.parts)
        return min(self.taps) < 0 or last >= self.extent

    def inside(self, terms: Terms) -> Value:
        """The sum over all tiles (of this dimension's variables) of the indices that lie inside the tensor."""
        strides = [digit.stride for _, variable in self.parts for digit in variable.digits]
        if all(isinstance(stride, int) for stride in strides):
            return self._count([int(stride) for stride in strides])
        return terms.call(self._counts, strides)

    def _counts(self, *strides: np.ndarray | int) -> np.ndarray:
        rows = np.stack(np.broadcast_arrays(*strides))
        different, which = np.unique(rows, axis=1, return_inverse=True)
        return np.array([self._count(column) for column in different.T.tolist()])[which.reshape(-1)]

    def _count(self, strides: Sequence[int]) -> int:
        left = iter(strides)
        firsts, reaches, steps = np.array([min(self.taps)]), np.array([max(self.taps) - min(self.taps)]), [0]
        steps += [tap - self.taps[0] for tap in self.taps]
        for coefficient, variable in self.parts:
            own = [next(left) for _ in variable.digits]
            tiles = np.array(list(_tiles(variable, self.roles, own, 0, variable.extent, 0)))
            firsts = (firsts[:, None] + coefficient * tiles[:, 0]).reshape(-1)
            reaches = (reaches[:, None] + coefficient * tiles[:, 1]).reshape(-1)
            steps.append(coefficient if tiles[:, 1].any() else 0)
        step = reduce(gcd, steps) or 1
        low = np.maximum(0, -(firsts // step))
        high = np.minimum(reaches // step, (self.extent - 1 - firsts) // step)
        return int(np.maximum(0, high - low + 1).sum())


def inside(tiles: Tiles, variables: Mapping[str, Variable]) -> Value:
    """Of all words of all tiles, those that lie inside the tensor's edges."""
    tensor, totals = tiles.tensor, []
    for d, (dim, side) in enumerate(zip(tensor.dims, tiles.sides, strict=True)):
        parts = tuple((coefficient, variables[name]) for name, coefficient in dim.items())
        dimension = Dimension(parts, tuple(tap[d] for tap in tensor.taps), tensor.edges[d], tiles.roles)
        totals.append(dimension.inside(tiles.terms) if dimension.leaves else side.total)
    return tiles.terms.product([*totals, tiles.others])


def _tiles(
    variable: Variable, roles: Roles, strides: Sequence[int], place: int, room: int, first: int
) -> Iterator[tuple[int, int]]:
    """First value and reach of every tile of a variable."""
    inner = variable.digits[place:]
    if all(roles.within(digit) for digit in inner):
        yield first, room - 1 if inner else 0
        return
    digit, stride = inner[0], strides[place]
    if roles.moves.get(digit.loop, 0) == 0:
        yield first, 0
        return
    role = roles.lanes[digit.loop] if digit.lanes > 1 else "start"
    period = stride if role == "moves" else stride * digit.lanes
    for start in range(0, room, period):
        if role == "inside" and all(roles.within(each) for each in inner[1:]):
            yield first + start, min(period, room - start) - 1
        elif role == "inside":
            raise CostError(f"{variable.name}: tiles with gaps at the edges of a tensor cannot be counted in symbols")
        else:
            yield from _tiles(variable, roles, strides, place + 1, min(stride, room - start), first + start)
