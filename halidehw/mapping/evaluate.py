"""Energy and cycles of a layer's mappings on an architecture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, prod

import numpy as np

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import Counts, array_steps, convention, exists, footprint, outermost_words
from halidehw.mapping.layer import TENSORS, Layer
from halidehw.mapping.mapping import Mapping, Tiling, tiling

Prices = Sequence[Sequence[float]]
"""pJ per access of a word: of each level, of each tensor there."""


@dataclass(frozen=True)
class Evaluation:
    """`energy_pj` in total; `parts[name][tensor]`: pJ by level name, and "array"; "mac" holds one entry, "mac"."""

    energy_pj: float
    cycles: int
    parts: dict[str, dict[str, float]]
    convention: str
    costs: str

    def part(self, name: str) -> float:
        """pJ of one part."""
        return sum(self.parts[name].values())


@dataclass(frozen=True)
class Counted:
    """What one mapping moves, whatever that costs."""

    nest: Tiling
    counts: Counts
    counting: str

    def cost(self, arch: Architecture, prices: Prices | None = None) -> Evaluation:
        """With levels that hold it, at their prices or at `prices`."""
        return _cost(self, arch, prices)


def evaluate(
    layer: Layer, arch: Architecture, mapping: Mapping, counting: str = "exact", prices: Prices | None = None
) -> Evaluation:
    """Cost of one mapping under the convention named `counting`; at `prices` instead of those of its levels.

    Raises CostError when the mapping does not fit the architecture: level count, capacities, array.
    """
    return counted(layer, arch, mapping, counting).cost(arch, prices)


def counted(layer: Layer, arch: Architecture, mapping: Mapping, counting: str = "exact") -> Counted:
    """What one mapping moves. Raises CostError as `evaluate`."""
    nest = tiling(layer, mapping)
    check(nest, arch, counting)
    return Counted(nest, convention(counting)(nest, arch.pe_levels), counting)


def _cost(moved: Counted, arch: Architecture, prices: Prices | None) -> Evaluation:
    """As `Counted.cost`."""
    nest, counts, counting = moved.nest, moved.counts, moved.counting
    names = [*(level.name for level in arch.levels), "array"]
    accesses = [*(counts.reads + counts.writes)[:, :, 0].tolist(), counts.hops[:, 0].tolist()]
    own = prices or [[level.energy] * len(TENSORS) for level in arch.levels]
    costs = [*own, hop_energies(arch)[:, 0].tolist()]
    sizes = (input_share(nest.layer, counting), Fraction(1), sum_width(arch, counting))
    exact = {
        name: {
            tensor: words * size * _stated(pj)
            for tensor, words, size, pj in zip(TENSORS, row, sizes, cost, strict=True)
        }
        for name, row, cost in zip(names, accesses, costs, strict=True)
    }
    exact["mac"] = {"mac": counts.operations * _stated(arch.mac)}
    parts = {name: {tensor: float(pj) for tensor, pj in part.items()} for name, part in exact.items()}
    total = float(sum(sum(part.values()) for part in exact.values()))
    return Evaluation(total, int(cycles(counts, nest, arch, counting)[0]), parts, counting, arch.costs)


def _stated(cost: float) -> Fraction:
    """The cost as it was written, so that totals are exact."""
    return Fraction(repr(cost))


def batch(nest: Tiling, arch: Architecture, counting: str = "exact") -> tuple[np.ndarray, np.ndarray]:
    """Energies (pJ) and cycles, float64 and int64 of length n, of many tile sizes of one nest.

    Capacities are not checked: see `fits`.
    """
    counts = convention(counting)(nest, arch.pe_levels)
    prices = np.array([level.energy for level in arch.levels])[:, None, None]
    return energies(nest.layer, arch, counts, prices, counting), cycles(counts, nest, arch, counting)


def energies(layer: Layer, arch: Architecture, counts: Counts, prices: np.ndarray, counting: str) -> np.ndarray:
    """float64 (n,): pJ of what is counted, with levels at `prices` of a word of each tensor, (levels, 3 or 1, n or 1).
    """
    wide = widths(layer, arch, counting)
    memory = ((counts.reads + counts.writes) * wide * prices).sum(axis=(0, 1))
    array = (counts.hops * wide * hop_energies(arch)).sum(axis=0)
    return np.asarray(memory + array + counts.operations * arch.mac)


def input_share(layer: Layer, counting: str) -> Fraction:
    """The part of the counted words of the input that is charged: the paper divides them by what its strides skip."""
    skipped = prod(layer.steps(dim)[0] for dim in ("ZYX" if layer.deep else "YX"))
    return Fraction(1, skipped) if counting == "paper" else Fraction(1)


def sum_width(arch: Architecture, counting: str) -> Fraction:
    """Words that an element of the output takes; the paper's sums are as wide as its operands."""
    return Fraction(1) if counting == "paper" else Fraction(arch.sum_bits, arch.word_bits)


def widths(layer: Layer, arch: Architecture, counting: str) -> np.ndarray:
    """float64 (3, 1): words that a counted one of each tensor is charged as."""
    return np.array([[input_share(layer, counting)], [1], [sum_width(arch, counting)]], float)


def hop_energies(arch: Architecture) -> np.ndarray:
    """pJ of passing a word of each tensor on by one PE (3, 1); without links an operand is read again instead."""
    operand = arch.hop if arch.links else arch.levels[arch.pe_levels].energy
    return np.array([[operand], [operand], [arch.hop]])


def cycles(counts: Counts, nest: Tiling, arch: Architecture, counting: str) -> np.ndarray:
    """Steady-state cycles: the steps of the array, or the words of the slowest memory over its bandwidth, or of the
    busiest port over its width (the paper's convention has no ports).
    """
    steps = np.prod(array_steps(nest.layer, nest.tiles[arch.pe_levels - 1], nest.lanes), axis=0)
    for at in range(len(arch.levels)):
        if (bandwidth := arch.bandwidth(at)) < inf:
            words = ((counts.reads[at] + counts.writes[at]) * widths(nest.layer, arch, counting)).sum(axis=0)
            steps = np.maximum(steps, np.ceil(words / bandwidth).astype(np.int64))
    if counting == "exact":
        moved = np.maximum(counts.reads[-1], counts.writes[-1])
        steps = np.maximum(steps, (-(-moved // np.array(arch.port_words)[:, None])).max(axis=0))
    return steps


def fits(nest: Tiling, arch: Architecture, counting: str = "exact") -> np.ndarray:
    """bool (n,): whether every on-chip level holds its tiles of all tensors."""
    return np.all([need <= have for _, need, have in _needs(nest, arch, counting)], axis=0)


def check(nest: Tiling, arch: Architecture, counting: str = "exact") -> None:
    """Raises CostError when the (single) mapping does not fit the architecture."""
    if len(nest.tiles) != len(arch.levels):
        raise CostError(f"mapping has {len(nest.tiles)} levels, architecture {arch.name} has {len(arch.levels)}")
    if len(nest.axes) > len(arch.array):
        raise CostError(f"mapping has {len(nest.axes)} array dimensions, {arch.name} has {len(arch.array)}")
    for axis, size in zip(nest.axes, arch.array, strict=False):
        lanes = int(np.prod(nest.lanes[list(axis), 0]))
        if lanes > size:
            raise CostError(f"mapping unrolls {lanes} lanes on an array dimension of {size}")
    for name, need, have in _needs(nest, arch, counting):
        if need[0] > have:
            raise CostError(f"mapping needs {need[0]} words in {name}, which has {have}")


def _needs(nest: Tiling, arch: Architecture, counting: str) -> list[tuple[str, np.ndarray, int]]:
    """Name, words needed (n,) and words there, of each on-chip level; by the exact counts of those that are built."""
    found = []
    built = exists(nest, arch.pe_levels) | (counting != "exact")
    for at, level in enumerate(arch.levels[:-1]):
        tiles = nest.tiles[at] if level.per_pe else nest.array_tiles[at]
        clipped = np.minimum(tiles, np.array(nest.layer.extents)[:, None])
        assert level.words is not None
        need = level.buffers * footprint(nest.layer, clipped, counting, arch.sum_width)
        if counting == "exact" and not level.per_pe:
            once = outermost_words(nest.layer, clipped, arch.sum_width, level.buffers)
            need = np.where(built[at + 1 : len(arch.levels) - 1].any(axis=0), need, once)
        found.append((level.name, need * built[at], level.words))
    return found
