"""Tiles that pass piece by piece: what a reader needs of a tile first is there before the rest of it.

A tile is read again as loops that do not move it step. Of these loops those outside the ones that go through the tile
make it come in at once, as a whole, before the first step that reads it; by pieces it comes in as the reader first goes
through it, and stays. The memory holds a tile as ever; what passes one by one is the leave to read. Partial sums leave
so: a piece is complete when the loops that come back to it are at their last iteration, and all inside it is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd, prod

from halidehw.errors import HardwareError, RefusedPieces
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Buffer
from halidehw.microarch import taps
from halidehw.microarch.banking import Dim, Offset
from halidehw.microarch.box import Box
from halidehw.microarch.level import Level
from halidehw.microarch.reader import Reader
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.walk import Axis


@dataclass(frozen=True)
class Cut:
    """How a tile is cut into pieces: the axes that go from piece to piece, what a piece holds, where in the tile it
    begins in each dimension (forms over these axes), how its reader takes them, and the dimensions along which they lie
    `apart` in the memory, each in rows of banks of its own: the axes along these are dimensions of the memory too."""

    axes: tuple[Axis, ...]
    box: Box
    begins: tuple[Affine, ...]
    taken: taps.Pieces
    apart: frozenset[int] = frozenset()

    @property
    def count(self) -> int:
        """The most pieces of a tile."""
        return prod(axis.extent for axis in self.axes)

    @property
    def along(self) -> tuple[Axis, ...]:
        """The axes along the dimensions in which pieces lie apart."""
        return tuple(axis for axis in self.axes if any(self.begins[d][axis.name] for d in self.apart))

    def held(self, extents: Sequence[int]) -> tuple[int, ...]:
        """The extents of the memory's dimensions, of a tile of such."""
        own = (self.box.extents[d] if d in self.apart else extent for d, extent in enumerate(extents))
        return *own, *(axis.extent for axis in self.along)

    def placed(self, base: tuple[Affine, ...]) -> tuple[Affine, ...]:
        """Where in these a reader is that is at `base` in the tile, and then in what else the memory has."""
        rank = len(self.begins)
        own = (form - self.begins[d] if d in self.apart else form for d, form in enumerate(base[:rank]))
        return *own, *(Affine.variable(axis.name) for axis in self.along), *base[rank:]

    def spread(self, lanes: tuple[Offset, ...]) -> tuple[Offset, ...]:
        """The same of lanes, which are in one piece."""
        rank = len(self.begins)
        return tuple((*lane[:rank], *(0 for _ in self.along), *lane[rank:]) for lane in lanes)

    def vector(self, port: int) -> int:
        """Words along dimension 0 that are written together, of a port of so many: none lie in two pieces."""
        return port if 0 in self.apart else gcd(port, *(weight for _, weight in self.begins[0].terms))


def cut(level: Level, reader: Reader, tile: int, box: Box) -> Cut | None:
    """How the tiles of a level come in by pieces; None where a tile is one piece."""
    if level.pieces is None:
        return None
    whole = level.whole or reader
    depth = whole.tile(level.pieces[1])
    names = {name for index in (*whole.indices, *whole.also) for form in index for name in form.names}
    between = reader.axes[tile:depth]
    moved = tuple(axis for axis in between if axis.name in names)
    piece = whole.box(depth, level.copies)
    begins = tuple(form - form.constant for form in box.coordinate(piece.origin))
    if not moved or any(form.names - {axis.name for axis in moved} for form in begins):
        return None
    back = tuple(axis.name for axis in between if axis.name not in names)
    return Cut(moved, piece, begins, taps.Pieces(depth, tuple(axis.name for axis in moved), back))


def laid_apart(found: Cut, dims: Sequence[Dim], port: int, read: tuple[Affine, ...], lanes: Sequence[Offset],
               extents: Mapping[str, int]) -> Cut | None:  # fmt: skip
    """The same where along further dimensions, of those of a memory (`dims`), pieces lie apart, as they begin inside a
    row of banks or a word of a port of so many words; None where there is no more need of it, or where it cannot be.

    Apart can be what has no words in common, and none that its reader, at `read` (over axes of these `extents`, plus
    the `lanes`), takes beyond a piece, as one does whose lanes are skewed."""

    def fits(d: int) -> bool:
        low, high = (read[d] - found.begins[d]).range_over(extents)
        reach = found.box.extents[d]
        disjoint = low >= 0 and high + max(lane[d] for lane in lanes) < reach
        for weight, many in sorted((found.begins[d][axis.name], axis.extent) for axis in found.axes):
            disjoint, reach = disjoint and (weight == 0 or weight >= reach), max(reach, weight * many)
        return disjoint

    wanted = {d for d, dim in enumerate(dims[: len(found.begins)]) if _inside_row(found, d, dim)}
    wanted |= {0} if found.vector(port) < port else set()
    able = {d for d in wanted if fits(d)}
    return replace(found, apart=found.apart | able) if able else None


def _inside_row(found: Cut, d: int, dim: Dim) -> bool:
    """Whether pieces begin inside a row of banks."""
    return d not in found.apart and any(weight % dim.factor for _, weight in found.begins[d].terms)


def check_cut(level: Level, found: Cut, box: Box, dims: Sequence[Dim]) -> None:
    """Raises HardwareError where the words of a piece are further apart than those of a tile, where a piece begins
    inside a row of banks even so, as a writer has all banks of a row, or where each part of a memory has one port, its
    writer's or its reader's."""
    assert level.pieces
    said, _ = level.pieces

    def refused(why: str) -> HardwareError:
        return RefusedPieces(
            f"{said.subject}: its tiles cannot come in by the pieces that are read inside {said.at}: {why}",
            legal=(said.whole,), source=said.source,
        )  # fmt: skip

    if level.inside is not None:
        raise refused("it has a place of its own on the chip, which is its writer's or its reader's")
    sides = zip(found.begins, found.box.steps, found.box.extents, box.steps, dims, strict=False)
    for d, (form, step, extent, own, dim) in enumerate(sides):
        if extent > 1 and step != own:
            raise refused(f"along dimension {d} the words of a piece are {step} apart, those of a tile {own}")
        if _inside_row(found, d, dim):
            weights = " and ".join(str(weight) for _, weight in form.terms)
            raise refused(f"along dimension {d} they begin {weights} words apart, in rows of {dim.factor} banks")


def finished(st: SpaceTime, tile: int, sums: Buffer) -> taps.Finished | None:
    """How the pieces of a tile of sums, inside the outer `tile` axes in time, become complete; None where a tile is one
    piece, or all of it is complete at once.

    Raises HardwareError where each part has one port.
    """
    if sums.pieces is None:
        return None
    outside = st.outside(sums.pieces.at)
    moved = [place for place, axis in enumerate(st.times) if axis.name in outside & st.written and place >= tile]
    depth = moved[-1] + 1 if moved else tile
    last = tuple(axis.name for axis in st.times[tile:depth] if axis.name not in st.written)
    if not last:
        return None
    if sums.inside:
        raise not_by_pieces(sums, "with one port each part of them is its writer's or its reader's")
    return taps.Finished(depth, last)


def not_by_pieces(buffer: Buffer, why: str) -> HardwareError:
    """That sums leave as whole tiles."""
    assert buffer.pieces
    said = buffer.pieces
    return HardwareError(
        f"{said.subject}: its tiles cannot leave by the pieces that are added to inside {said.at}: {why}",
        legal=(said.whole,), source=said.source,
    )  # fmt: skip
