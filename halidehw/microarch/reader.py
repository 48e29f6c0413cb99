"""A process as its supplier sees it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from halidehw.ir.affine import Affine
from halidehw.ir.bounds import prefix
from halidehw.microarch.box import Box, Index, footprint
from halidehw.microarch.walk import Axis, Walk, clipping


@dataclass(frozen=True)
class Reader:
    """Temporal axes, the axes read side by side (name -> extent), the limits over both, and the accesses, which differ
    in their constants only. `also`: other accesses, which a memory for this reader must have room for too."""

    axes: tuple[Axis, ...]
    lanes: dict[str, int]
    limits: tuple[Affine, ...]
    indices: tuple[Index, ...]
    also: tuple[Index, ...] = ()

    def tile(self, outside: Iterable[str]) -> int:
        """The refill rule: the depth of the innermost axis outside the level on which the position depends."""
        names = set(outside)
        matter = {name for index in (*self.indices, *self.also) for form in index for name in form.names} & names
        return prefix((axis.name for axis in self.axes), matter)

    @property
    def extents(self) -> dict[str, int]:
        return {axis.name: axis.extent for axis in self.axes} | self.lanes

    def box(self, tile: int, copies: Iterable[str] = ()) -> Box:
        """The footprint inside the outer `tile` axes of one copy, for each value of the axes `copies`."""
        outer = [*(axis.name for axis in self.axes[:tile]), *copies]
        inner = {name: extent for name, extent in self.extents.items() if name not in outer}
        return footprint((*self.indices, *self.also), outer, inner, self.limits)

    def clipped(self, box: Box) -> Box:
        """A box of this reader's without what its limits leave out of it everywhere."""
        extents = []
        for extent, step, bounds in zip(box.extents, box.steps, box.reach, strict=True):
            reached = (bound.range_over(self.extents)[1] // step + 1 for bound in bounds)
            extents.append(min([extent, *reached]))
        return replace(box, extents=tuple(extents))

    def greatest(self, form: Affine) -> int:
        """What a form over the axes does not exceed in any step."""
        return Walk(self.axes, clipping(self.axes, list(self.limits))).greatest(form)
