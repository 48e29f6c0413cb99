"""Energy and cycles of a layer's mappings on an architecture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halidehw.energy_model.architecture import Architecture
from halidehw.energy_model.counts import Counts, convention, footprint
from halidehw.energy_model.layer import TENSORS, Layer
from halidehw.energy_model.mapping import Mapping, Tiling, tiling
from halidehw.errors import CostError


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


def evaluate(layer: Layer, arch: Architecture, mapping: Mapping, counting: str = "exact") -> Evaluation:
    """Cost of one mapping under the convention named `counting`.

    Raises CostError when the mapping does not fit the architecture: level count, capacities, array.
    """
    nest = tiling(layer, mapping)
    check(nest, arch)
    counts = convention(counting)(nest, arch.pe_levels)
    memory, array = energies(counts, arch)
    names = [level.name for level in arch.levels]
    found = [*memory[:, :, 0].tolist(), array[:, 0].tolist()]
    parts = {name: dict(zip(TENSORS, pj, strict=True)) for name, pj in zip([*names, "array"], found, strict=True)}
    parts["mac"] = {"mac": counts.operations * arch.mac}
    total = sum(sum(part.values()) for part in parts.values())
    return Evaluation(total, int(cycles(counts, nest, arch)[0]), parts, counting, arch.costs)


def batch(nest: Tiling, arch: Architecture, counting: str = "exact") -> tuple[np.ndarray, np.ndarray]:
    """Energies (pJ) and cycles, float64 and int64 of length n, of many tile sizes of one nest.

    Capacities are not checked: see `fits`.
    """
    counts = convention(counting)(nest, arch.pe_levels)
    memory, array = energies(counts, arch)
    total = memory.sum(axis=(0, 1)) + array.sum(axis=0) + counts.operations * arch.mac
    return total, cycles(counts, nest, arch)


def energies(counts: Counts, arch: Architecture) -> tuple[np.ndarray, np.ndarray]:
    """pJ by level and tensor (levels, 3, n), and of the array by tensor (3, n)."""
    accesses = counts.reads + counts.writes
    return accesses * np.array([level.energy for level in arch.levels])[:, None, None], counts.hops * hop_energies(arch)


def hop_energies(arch: Architecture) -> np.ndarray:
    """pJ of passing a word of each tensor on by one PE (3, 1); without links an operand is read again instead."""
    operand = arch.hop if arch.links else arch.levels[arch.pe_levels].energy
    return np.array([[operand], [operand], [arch.hop]])


def cycles(counts: Counts, nest: Tiling, arch: Architecture) -> np.ndarray:
    """Steady-state cycles: the steps of the array, or the words of the slowest memory over its bandwidth."""
    extents = np.array(nest.layer.extents)[:, None]
    steps = np.prod(-(-extents // nest.lanes), axis=0)
    for at, level in enumerate(arch.levels):
        if level.bandwidth:
            words = (counts.reads[at] + counts.writes[at]).sum(axis=0)
            steps = np.maximum(steps, np.ceil(words / level.bandwidth).astype(np.int64))
    return steps


def fits(nest: Tiling, arch: Architecture) -> np.ndarray:
    """bool (n,): whether every on-chip level holds its tiles of all tensors."""
    return np.all([need <= have for _, need, have in _needs(nest, arch)], axis=0)


def check(nest: Tiling, arch: Architecture) -> None:
    """Raises CostError when the (single) mapping does not fit the architecture."""
    if len(nest.tiles) != len(arch.levels):
        raise CostError(f"mapping has {len(nest.tiles)} levels, architecture {arch.name} has {len(arch.levels)}")
    if len(nest.axes) > len(arch.array):
        raise CostError(f"mapping has {len(nest.axes)} array dimensions, {arch.name} has {len(arch.array)}")
    for axis, size in zip(nest.axes, arch.array, strict=False):
        lanes = int(np.prod(nest.lanes[list(axis), 0]))
        if lanes > size:
            raise CostError(f"mapping unrolls {lanes} lanes on an array dimension of {size}")
    for name, need, have in _needs(nest, arch):
        if need[0] > have:
            raise CostError(f"mapping needs {need[0]} words in {name}, which has {have}")


def _needs(nest: Tiling, arch: Architecture) -> list[tuple[str, np.ndarray, int]]:
    """Name, words needed (n,) and words there, of each on-chip level."""
    found = []
    for at, level in enumerate(arch.levels[:-1]):
        tiles = nest.tiles[at] if level.per_pe else nest.array_tiles[at]
        clipped = np.minimum(tiles, np.array(nest.layer.extents)[:, None])
        assert level.words is not None
        found.append((level.name, level.buffers * footprint(clipped, nest.layer.stride), level.words))
    return found
