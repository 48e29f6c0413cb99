"""What mappings cost with each memory that is built at the price of its own size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import parts
from halidehw.mapping.evaluate import Counted, Evaluation, check, counted, energies
from halidehw.mapping.layer import TENSORS, Layer
from halidehw.mapping.mapping import Mapping, Tiling
from halidehw.optimize.layout import held_words


@dataclass(frozen=True)
class Priced:
    """A mapping on an architecture, at prices of memories of any size."""

    arch: Architecture
    counted: Counted

    @cached_property
    def built(self) -> Evaluation:
        """Its cost, each memory that is built at the price of its own size."""
        nest = self.counted.nest
        found = prices(self.arch, nest.layer, held_tiles(self.arch, nest))
        return self.counted.cost(self.arch, [level[:, 0].tolist() for level in found])

    def counted_pj(self, arch: Architecture) -> float:
        """pJ with other levels at their prices. Raises CostError where these do not hold it."""
        check(self.counted.nest, arch)
        return self.counted.cost(arch).energy_pj


def built_pj(layer: Layer, arch: Architecture, mapping: Mapping) -> float:
    """pJ of a mapping, each memory that is built at the price of its own size; but for rounding, so for rankings."""
    moved = counted(layer, arch, mapping)
    own = np.stack(prices(arch, layer, held_tiles(arch, moved.nest)))
    return float(energies(layer, arch, moved.counts, own, moved.counting)[0])


def held_tiles(arch: Architecture, nest: Tiling) -> list[np.ndarray]:
    """Of each level on the chip, int64 (dims, n): what one of its memories holds."""
    return [(nest.tiles if level.per_pe else nest.array_tiles)[at] for at, level in enumerate(arch.levels[:-1])]


def prices(
    arch: Architecture, layer: Layer, held: Sequence[np.ndarray], piece: tuple[int, np.ndarray] | None = None
) -> list[np.ndarray]:
    """pJ of a word of each tensor in memories that are as large as what they hold (`held_tiles`), float64 (3, n) of
    each level. `piece`: a tensor that comes in by pieces, and how many words of it the outermost one holds, (n,)."""
    assert arch.table
    found, bits = [], arch.word_bits * np.array([[1], [1], [arch.sum_width]])
    for at, (level, tiles) in enumerate(zip(arch.levels[:-1], held, strict=True)):
        once = at == len(arch.levels) - 2 and not level.per_pe
        copies = parts(layer, tiles, level.buffers) if once else level.buffers
        sizes = held_words(layer, tiles) * copies * bits / 8
        if piece and at == len(arch.levels) - 2:
            tensor, words = piece
            sizes = np.broadcast_to(sizes, (len(TENSORS), max(sizes.shape[1], len(words)))).copy()
            sizes[tensor] = np.minimum(sizes[tensor], words * bits[tensor] / 8)
        found.append(level.prices(arch.table, sizes))
    return [*found, np.full((len(TENSORS), 1), arch.levels[-1].energy)]
