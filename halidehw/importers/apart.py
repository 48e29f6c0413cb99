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
        outer = [self.loops[dim] for dim in ("G", "Z", "B") if dim in self.loops]
        if "Y" not in self.loops or "G" not in self.loops:
            return []
        return [self._filters(rows, outer) if "K" in self.loops else self._channels(rows, outer) for rows in self.rows]

    @property
    def rows(self) -> list[int]:
        """Those of the output in a tile, the most first."""
        high, found = self.extents["Y"], list[int]()
        beside = self.extents["C"] if "K" in self.loops else min(self.words, self.extents["G"])
        for rows in range(high, 0, -1):
            seen = self._seen("Y", rows, "FY") * self._seen("X", self.extents["X"], "FX") * beside
            if high % rows == 0 and (seen <= ROOM or rows == 1):
                found.append(rows)
        return found[:TRIED]

    def _seen(self, dim: str, outputs: int, taps: str) -> int:
        """Elements of the image along a dimension that so many outputs see."""
        sizes = np.array(outputs), np.array(self.extents[taps])
        return int(box(self.nest.sizes, DIMS.index(dim), *sizes))

    def _channels(self, rows: int, outer: list[str]) -> str:
        """Each channel is a group: lanes over channels, and over the taps for which there are multipliers."""
        subject, group = self.nest.subject, self.loops["G"]
        lanes, taps, wide = min(self.words, self.extents["G"], self.macs), list[str](), list[str]()
        used = lanes
        for dim in TAPS:
            if dim in self.loops:
                used *= self.extents[dim]
                (wide if used <= self.macs else taps).append(self.loops[dim])
        order = ["g_i", *wide, *taps, self.loops["X"], "y_i", "y_o", "g_o", *(loop for loop in outer if loop != group)]
        unrolled = "".join(f".unroll({loop})" for loop in ("g_i", *wide))
        return "\n".join([
            "Var g_o, g_i, y_o, y_i;",
            f"{subject}.update().split({group}, g_o, g_i, {lanes}).split({self.loops['Y']}, y_o, y_i, {rows})"
            f".reorder({', '.join(order)}){unrolled};",
            f"input.in().compute_at({subject}, y_o);",
            f"weight.in().compute_at({subject}, g_o);", "",
        ])  # fmt: skip

    def _filters(self, rows: int, outer: list[str]) -> str:
        """Groups of several channels: lanes over channels and filters of one."""
        subject, (channels, filters) = self.nest.subject, self._lanes()
        taps = [self.loops[dim] for dim in TAPS if dim in self.loops]
        order = ["c_i", "k_i", *taps, "c_o", self.loops["X"], "y_i", "k_o", "y_o", *outer]
        ahead = max(AHEAD // filters, 2)
        return "\n".join([
            "Var k_o, k_i, c_o, c_i, y_o, y_i;",
            f"{subject}.update().split({self.loops['K']}, k_o, k_i, {filters})"
            f".split({self.loops['C']}, c_o, c_i, {channels}).split({self.loops['Y']}, y_o, y_i, {rows})"
            f".reorder({', '.join(order)}).unroll(c_i).unroll(k_i);",
            f"weight.in().compute_at({subject}, k_o).ring_buffer({ahead});",
            f"input.in().compute_at({subject}, y_o);", "",
        ])  # fmt: skip

    def _lanes(self) -> tuple[int, int]:
        """Of channels and filters, with the fewest steps; of filters a power of two, as a port takes words together."""
        steps = dict[tuple[int, int], int]()
        for bits in range(min(self.words, self.macs).bit_length()):
            filters = 1 << bits
            parts = -(-self.extents["C"] // min(self.macs // filters, self.extents["C"]))
            channels = -(-self.extents["C"] // parts)
            steps[channels, filters] = parts * -(-self.extents["K"] // filters)
        return min(steps, key=lambda lanes: (steps[lanes], prod(lanes)))
