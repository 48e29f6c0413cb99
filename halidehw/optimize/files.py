"""Which tensors have register files: words of the others go from the shared memories straight into the array."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import INPUT, OUTPUT, WEIGHT
from halidehw.mapping.layer import TENSORS
from halidehw.mapping.mapping import Mapping

Files = frozenset[int]
"""The tensors that have memories in the PEs, by number."""

ALL, NONE = Files((INPUT, WEIGHT, OUTPUT)), Files()


def files_of(names: Iterable[str]) -> Files:
    """Those of the tensors of these names."""
    return Files(TENSORS.index(name) for name in names)


def without(files: Files) -> str:
    """In words, of which tensors there are no files; nothing where all have some."""
    names = " and ".join(TENSORS[tensor] for tensor in sorted(ALL - files))
    return f", without register files of {names}" if names else ""


def outside(arch: Architecture, mapping: Mapping) -> Mapping:
    """A mapping with its loops in the PEs in the innermost shared memory, inside those that are there."""
    pe, trips = arch.pe_levels, dict[str, int]()
    for dim, many in (loop for level in mapping.temporal[: pe + 1] for loop in level):
        trips[dim] = trips.get(dim, 1) * many
    return replace(mapping, temporal=((),) * pe + (tuple(trips.items()), *mapping.temporal[pe + 1 :]))
