"""Schedules of a layer with groups, which shares no array: lanes over channels and filters of a group, or, where each
channel is a group, over channels and taps.

A tile is rows of one group's image, or of as many channels as there are lanes, and serves all filters of the group.
Weights come in while others are at work.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from halidehw.importers.steps import LoopNest
from halidehw.mapping.counts import box
from halidehw.mapping.layer import DIMS

ROOM = 1 << 17
"""Bytes that a tile of the image may have, of one half."""

TRIED = 2
"""Numbers of rows that are tried: the most that there is room for."""

AHEAD = 64
"""Filters whose weights there is room for, so that they come in before their turn."""

TAPS = ("FX", "FY", "FZ")


@dataclass(frozen=True)
class Apart:
    """A layer with groups on `macs` multipliers behind ports of `words` elements."""

    nest: LoopNest
    macs: int
    words: int

    @cached_property
    def loops(self) -> dict[str, str]:
        return dict(self.nest.loops)

    @cached_property
    def extents(self) -> dict[str, int]:
        return dict(zip(DIMS, self.nest.sizes.extents, strict=True))

    def texts(self) -> list[str]:
        """Directives, for each number of rows that is tried."""
        known = {"X", "Y", "G"} <= self.loops.keys()
        return [self._text(rows) for rows in self._rows()] if known else []

    @property
    def side(self) -> str:
        """The output's fastest dimension, which has the lanes beside channels: filters of a group, or groups of one."""
        return "K" if "K" in self.loops else "G"

    def _rows(self) -> list[int]:
        """Those of the output in a tile, the most first."""
        high, found = self.extents["Y"], list[int]()
        beside = self.extents["C"] * (self.lanes[1] if self.side == "G" else 1)
        for rows in range(high, 0, -1):
            seen = self._seen("Y", rows, "FY") * self._seen("X", self.extents["X"], "FX") * beside
            if high % rows == 0 and (seen <= ROOM or rows == 1):
                found.append(rows)
        return found[:TRIED]

    def _seen(self, dim: str, outputs: int, taps: str) -> int:
        """Elements of the image along a dimension that so many outputs see."""
        sizes = np.array(outputs), np.array(self.extents[taps])
        return int(box(self.nest.sizes, DIMS.index(dim), *sizes))

    def _text(self, rows: int) -> str:
        """Lanes over channels and `side`, and over the taps for which multipliers are left."""
        subject, loops, (channels, beside) = self.nest.subject, self.loops, self.lanes
        side, deep, used = loops[self.side], "C" in loops, channels * beside
        wide, taps = ["f_i"], list[str]()
        for dim in TAPS:
            if dim in loops:
                fits = used * self.extents[dim] <= self.macs
                used *= self.extents[dim] if fits else 1
                (wide if fits else taps).append(loops[dim])
        wide = ["c_i", *wide] if deep else wide
        shared = self.side == "K"
        outer = [loops[dim] for dim in ("G", "Z", "B") if dim in loops and dim != self.side]
        order = [*wide, *taps, *(["c_o"] if deep else []), loops["X"], "y_i"]
        order += [*(["f_o", "y_o"] if shared else ["y_o", "f_o"]), *outer]
        ahead = f".ring_buffer({max(AHEAD // beside, 2)})" if shared else ""
        return "\n".join([
            f"Var f_o, f_i, {'c_o, c_i, ' if deep else ''}y_o, y_i;",
            f"{subject}.update().split({side}, f_o, f_i, {beside})"
            + (f".split({loops['C']}, c_o, c_i, {channels})" if deep else "")
            + f".split({loops['Y']}, y_o, y_i, {rows}).reorder({', '.join(order)})"
            + "".join(f".unroll({loop})" for loop in wide) + ";",
            f"weight.in().compute_at({subject}, f_o){ahead};",
            f"input.in().compute_at({subject}, y_o);", "",
        ])  # fmt: skip

    @cached_property
    def lanes(self) -> tuple[int, int]:
        """Of a group's channels and `side`, with the fewest steps; of `side` a power of two, as words share a port."""
        steps = dict[tuple[int, int], int]()
        for bits in range(min(self.words, self.macs).bit_length()):
            beside = 1 << bits
            parts = -(-self.extents["C"] // min(self.macs // beside, self.extents["C"]))
            channels = -(-self.extents["C"] // parts)
            steps[channels, beside] = parts * -(-self.extents[self.side] // beside)
        return min(steps, key=lambda lanes: (steps[lanes], prod(lanes)))
