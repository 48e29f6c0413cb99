"""The process that takes finished tiles of partial sums from one level into the next one out."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.grid import drain_select
from halidehw.backend_hdl.library import Library, Part, addresses
from halidehw.backend_hdl.transfer import follower
from halidehw.backend_hdl.walker import form_shape
from halidehw.ir.affine import Affine
from halidehw.microarch.processes import Fold


@dataclass(frozen=True)
class FoldSpec:
    """`words`: of all parts of the level that is taken."""

    fold: Fold
    words: int


class Folder(Part[FoldSpec]):
    """Takes tiles in the order of its walk, as many lanes a step as the next level holds side by side.

    Steps when a tile is complete and, at the start of a tile of the next level, a part of that is free. With the step
    go `first`, `address` (within the part) and the room of each mask; the address that it reads and the lanes it
    selects follow one cycle later. Reset: idle.
    """

    def __init__(self, library: Library, spec: FoldSpec):
        fold = spec.fold
        self.title = fold.name
        extents = fold.walk.extents
        members = {"start": In(1), "source_full": In(1), "free": In(1), "reserve": Out(1), "commit": Out(1)}
        members |= {"r_step": Out(1), "retire": Out(1), "first": Out(1), "base": In(addresses(spec.words))}
        members |= {"address": Out(form_shape(fold.sink.address, extents)), "drain_address": Out(addresses(spec.words))}
        members |= {name: Out(form_shape(form, extents)) for name, form in (*self._selects(fold), *self._rooms(fold))}
        super().__init__(library, spec, members)

    @staticmethod
    def _selects(fold: Fold) -> tuple[tuple[str, Affine], ...]:
        return tuple((drain_select(space), form) for space, form in fold.tap.selects if form.terms)

    @staticmethod
    def _rooms(fold: Fold) -> tuple[tuple[str, Affine], ...]:
        return tuple((mask.name, mask.form) for mask in fold.tap.masks)

    def elaborate(self, platform: object) -> Module:
        m, fold = Module(), self.spec.fold
        selects, rooms = self._selects(fold), self._rooms(fold)
        forms = (("word", fold.tap.address), ("address", fold.sink.address), *selects, *rooms)
        first = (("first", fold.sink.reductions),)
        walk = follower(self, m, fold.name, fold.walk, forms, (first, ()), fold.tap, fold.sink)
        m.d.comb += [self.commit.eq(walk.advance & walk.closes), self.address.eq(walk.address)]
        m.d.comb += [self[name].eq(walk[name]) for name, _ in rooms]
        m.d.sync += self.drain_address.eq(self.base + walk.word)
        m.d.sync += [self[name].eq(walk[name]) for name, _ in selects]
        return m
