"""From the loops of a nest to axes of time and space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Access, Loop, Nest, Tensor
from halidehw.microarch.box import Index
from halidehw.microarch.layout import in_turn, inside, part_of, parts_of, placed, stored
from halidehw.microarch.network import Space
from halidehw.microarch.walk import Axis


def lane_axis(loop: str) -> str:
    """The name of the spatial axis of a loop."""
    return f"{loop}.lane"


@dataclass(frozen=True)
class SpaceTime:
    """A nest as temporal axes (outer to inner) and spatial axes (output axes first, then reductions, each in the
    nest's order). `limits`: forms >= 0 over all axes; loop value = min + lanes * time + space."""

    nest: Nest
    times: tuple[Axis, ...]
    spaces: tuple[Space, ...]
    limits: tuple[Affine, ...]
    values: dict[str, Affine]
    joined: Mapping[str, int] = field(default_factory=dict)
    """Of tensors, how many dimensions in memory are taken as one (`microarch.joined`)."""

    def index(self, access: Access) -> Index:
        """Where an access is in `tensor`."""
        return self.place(access.tensor, access.indices)

    def within(self) -> Index:
        """Where the word that is written is in the memories of other stages."""
        found = tuple(map(self.substitute, self.nest.write.indices))
        return placed(inside(self.nest.output), found, self.extents, self.nest.source)

    def place(self, name: str, indices: Index) -> Index:
        """Where indices over loop values are in `tensor`."""
        found = tuple(map(self.substitute, indices))
        return placed(self._outside[name], found, self.extents, self.nest.source, self.joined.get(name, 1))

    def tensor(self, name: str) -> Tensor:
        """In the order of memory."""
        return stored(self._outside[name], self.joined.get(name, 1))

    def part(self, name: str, dimension: int) -> int:
        """The dimension of `tensor` that is a tensor's own one. Raises HardwareError where that is several."""
        return part_of(self._outside[name], dimension, self.nest.source, self.joined.get(name, 1))

    def parts(self, name: str, dimension: int) -> tuple[int, ...]:
        """The dimensions of `tensor` that a tensor's own one is, where none are joined."""
        return parts_of(self._outside[name], dimension)

    @cached_property
    def _outside(self) -> dict[str, Tensor]:
        tables = {name: in_turn(self.nest.tensor[name], self.nest.source) for name in self.nest.tables}
        return {**self.nest.tensor, **tables}

    @property
    def steps(self) -> tuple[Axis, ...]:
        """The axes that the array steps through: all but those along which it scatters."""
        apart = {name for loop in self.nest.scattered for name in self.values[loop].names}
        return tuple(axis for axis in self.times if axis.name not in apart)

    @property
    def shared(self) -> int:
        """How many axes, the outermost, are those of its reader's loops."""
        names = {name for loop in self.nest.loops[: self.nest.place] for name in self.values[loop.name].names}
        return sum(axis.name in names for axis in self.times)

    @property
    def written(self) -> set[str]:
        """The axes of loops that are no reductions; sums are over the others."""
        kept = (loop.name for loop in self.nest.loops if not loop.reduction)
        return {name for loop in kept for name in self.values[loop].names}

    def substitute(self, form: Affine) -> Affine:
        """A form over loop values as a form over axes."""
        return form.substitute(self.values)

    def outside(self, loop: str | None) -> frozenset[str]:
        """The axes of the loops outside a buffer at `loop` (that loop included)."""
        if loop is None:
            return frozenset()
        names: set[str] = set()
        for candidate in self.nest.loops:
            names |= {candidate.name, lane_axis(candidate.name)} | self.values[candidate.name].names
            if candidate.name == loop:
                break
        return frozenset(names)

    @property
    def extents(self) -> dict[str, int]:
        times = {axis.name: axis.extent for axis in self.times}
        return times | {space.name: space.extent for space in self.spaces}


def spacetime(nest: Nest, banks: Mapping[str, tuple[int, ...]] | None = None) -> SpaceTime:
    """Split every loop into its steps in time and its lanes in space; axes of extent 1 are left out. `banks`: for a
    loop that goes round the banks of memories after how many steps it is round, each time a multiple of the one before;
    so its steps are an axis more for each."""
    values, offsets, limits, times = {}, {}, list[Affine](), list[Axis]()
    for loop in nest.loops:
        terms = []
        axes = _axes(loop, (banks or {}).get(loop.name, ()))
        times += [axis for axis, _ in axes]
        terms += [(axis.name, count * loop.lanes) for axis, count in axes]
        if prod(axis.extent for axis, _ in axes) > loop.steps:
            limits.append(Affine.of(((axis.name, -count) for axis, count in axes), loop.steps - 1))
        if loop.lanes > 1:
            terms.append((lane_axis(loop.name), 1))
        offsets[loop.name] = Affine.of(terms)
        values[loop.name] = offsets[loop.name] + loop.min
        if loop.extent % loop.lanes:
            limits.append(Affine((), loop.extent - 1) - offsets[loop.name])
    for constraint in nest.domain:
        total = Affine((), constraint.limit)
        for name, coefficient in constraint.terms:
            total = total - offsets[name] * coefficient
        limits.append(total)
    spaces = [_space(loop) for loop in nest.loops if loop.lanes > 1]
    ordered = (*(s for s in spaces if not s.reduction), *(s for s in spaces if s.reduction))
    return SpaceTime(nest, tuple(times), ordered, tuple(limits), values)


def _axes(loop: Loop, rounds: tuple[int, ...]) -> list[tuple[Axis, int]]:
    """A loop's axes in time, outer to inner, and how many steps of the loop a step of each is."""
    counts = [1, *(count for count in rounds if 1 < count < loop.steps)]
    ends = [*counts[1:], -(-loop.steps // counts[-1]) * counts[-1]]
    names = [*(f"{loop.name}.bank{number or ''}" for number in range(len(counts) - 1)), loop.name]
    found = [(Axis(name, end // count), count) for name, count, end in zip(names, counts, ends, strict=True)]
    return [(axis, count) for axis, count in reversed(found) if axis.extent > 1]


def _space(loop: Loop) -> Space:
    return Space(lane_axis(loop.name), loop.name, loop.lanes, loop.systolic, loop.dimension or 0, loop.reduction)
