"""From the loops of a nest to axes of time and space."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Access, Loop, Nest
from halidehw.microarch.box import Index
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

    def index(self, access: Access) -> Index:
        return tuple(self.substitute(form) for form in access.indices)

    @property
    def written(self) -> set[str]:
        """The axes that the output's index depends on; sums are over the others."""
        return {name for form in self.index(self.nest.write) for name in form.names}

    def substitute(self, form: Affine) -> Affine:
        """A form over loop values as a form over axes."""
        return form.substitute(self.values)

    def outside(self, loop: str | None) -> frozenset[str]:
        """The axes of the loops outside a buffer at `loop` (that loop included)."""
        if loop is None:
            return frozenset()
        names: set[str] = set()
        for candidate in self.nest.loops:
            names |= {candidate.name, lane_axis(candidate.name)}
            if candidate.name == loop:
                break
        return frozenset(names)

    @property
    def extents(self) -> dict[str, int]:
        times = {axis.name: axis.extent for axis in self.times}
        return times | {space.name: space.extent for space in self.spaces}


def spacetime(nest: Nest) -> SpaceTime:
    """Split every loop into its steps in time and its lanes in space; axes of extent 1 are left out."""
    values, offsets, limits = {}, {}, []
    for loop in nest.loops:
        terms = []
        if loop.steps > 1:
            terms.append((loop.name, loop.lanes))
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
    times = tuple(Axis(loop.name, loop.steps) for loop in nest.loops if loop.steps > 1)
    spaces = [_space(loop) for loop in nest.loops if loop.lanes > 1]
    ordered = (*(s for s in spaces if not s.reduction), *(s for s in spaces if s.reduction))
    return SpaceTime(nest, times, ordered, tuple(limits), values)


def _space(loop: Loop) -> Space:
    return Space(lane_axis(loop.name), loop.lanes, loop.systolic, loop.dimension or 0, loop.reduction)
