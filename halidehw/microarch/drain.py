"""The walk of a process that takes finished tiles of partial sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halidehw.ir.affine import Affine
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.walk import Axis, Walk, clipping


@dataclass(frozen=True)
class Drain:
    """`walk`: the time axes outside the tile, those of its words, groups of lanes. `side`: the places in a group, axis
    -> extent. `again`: the reduction axes among the outer ones. `limits`: forms >= 0 over walk and side.

    Of each output axis of the array the level holds so many lanes side by side, and the others by address:
    `rows[axis]` says which of those, `selects[axis]` which group among those side by side, `groups[axis]` which group
    of all, and `lanes[axis]` which lane, over walk and side.
    """

    walk: Walk
    side: dict[str, int]
    again: tuple[str, ...]
    limits: tuple[Affine, ...]
    rows: dict[str, Affine]
    selects: dict[str, Affine]
    groups: dict[str, Affine]
    lanes: dict[str, Affine]

    def at(self, form: Affine) -> Affine:
        """A form over the nest's axes as one over walk and side; reductions inside the tile are at their start."""
        return (form.only((*self.walk.extents, *self.lanes)) + form.constant).substitute(self.lanes)


def drain(st: SpaceTime, tile: int, held: Mapping[str, int], widths: Mapping[str, int]) -> Drain:
    """`tile`: the depth at which a tile ends. `held`: lanes of each output axis side by side in the level; `widths`: of
    those that are taken together, innermost in the walk (others: 1)."""
    written = st.written
    spaces = [space for space in st.spaces if space.name in written]
    axes = [axis for i, axis in enumerate(st.times) if i < tile or axis.name in written]
    again = tuple(axis.name for axis in axes if axis.name not in written)
    rows, selects, groups, lanes = {}, {}, {}, {}
    for space in sorted(spaces, key=lambda space: space.name in widths):
        name, beside, width = space.name, held[space.name], widths.get(space.name, 1)
        counts = (f"{space.loop}.row", space.extent // beside), (name, beside // width), (f"{name}.vector", width)
        rows[name], selects[name], place = (Affine.of([(axis, 1)] if count > 1 else []) for axis, count in counts)
        groups[name] = rows[name] * (beside // width) + selects[name]
        lanes[name] = groups[name] * width + place
        axes += [Axis(axis, count) for axis, count in counts[:2] if count > 1]
    side = {f"{space.name}.vector": widths[space.name] for space in spaces if widths.get(space.name, 1) > 1}
    every = tuple((limit.only(written.union(again)) + limit.constant).substitute(lanes) for limit in st.limits)
    walk = Walk(tuple(axes), clipping(tuple(axes), list(every)))
    return Drain(walk, side, again, every, rows, selects, groups, lanes)
