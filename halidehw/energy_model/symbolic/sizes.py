"""The physical size of memories: the banks that their lanes need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from halidehw.energy_model.symbolic.lanes import Lanes
from halidehw.energy_model.symbolic.loops import Store
from halidehw.energy_model.symbolic.terms import Value
from halidehw.ir.affine import Affine
from halidehw.microarch.banking import partition, strides


def stored_bytes(store: Store, values: Mapping[Value, np.ndarray], case: np.ndarray) -> np.ndarray:
    """Bytes of all parts and banks of a memory, for the choices that have it (`case`)."""
    return values[store.halves][case] * store.bits / 8 * _words(store, values, case)


def _words(store: Store, values: Mapping[Value, np.ndarray], case: np.ndarray) -> np.ndarray:
    """Of all banks of one part."""
    extents = [values[extent][case] for extent in store.extents]
    words = np.prod(extents, axis=0, dtype=np.int64)
    if store.lanes is None or store.lanes.count == 1 or not case.any():
        return np.asarray(words)
    kinds, which = _kinds(store, store.lanes, values, case)
    for number, (inner, steps, units) in enumerate(kinds):
        here = which == number
        factors, rotating = _banks(store.lanes, inner, steps, units)
        rows = [-(-extent[here] // f) for extent, f in zip(extents, factors, strict=True)]
        words[here] = prod(factors) * _depth(rows, rotating)
    return np.asarray(words)


Kind = tuple[list[list[int]], list[int], list[int]]
"""Per dimension: the strides of the loops inside that have steps, the step of the box, the lanes' unit."""


def _kinds(
    store: Store, lanes: Lanes, values: Mapping[Value, np.ndarray], case: np.ndarray
) -> tuple[list[Kind], np.ndarray]:
    """The different kinds of memory among the choices, and which one each has."""
    dims = range(len(store.extents))
    spread = [len({offset[d] for offset in lanes.offsets}) > 1 for d in dims]
    columns: list[np.ndarray] = []
    for d in dims:
        mine = [values[a][case] * values[b][case] for a, b in store.strides[d]]
        mine += [values[store.steps[d]][case], values[lanes.units[d]][case]]
        columns += mine if spread[d] else [np.zeros(case.sum(), np.int64)] * len(mine)
    table = np.stack(columns)
    rows, which = _distinct(table)
    kinds: list[Kind] = []
    for row in rows:
        left, strides, steps, units = iter(row.tolist()), [], [], []
        for d in dims:
            strides.append([stride for stride in (next(left) for _ in store.strides[d]) if stride])
            steps.append(next(left) or 1)
            units.append(next(left) or 1)
        kinds.append((strides, steps, units))
    return kinds, which


def _distinct(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different columns of a matrix as rows, and which one each column is."""
    varying = table[[bool((row != row[0]).any()) for row in table]]
    if not len(varying):
        return table[:, :1].T, np.zeros(table.shape[1], np.int64)
    code = np.zeros(table.shape[1], np.int64)
    for row in varying:
        code = np.unique(code * (int(row.max()) + 1) + row, return_inverse=True)[1]
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return table[:, first].T, which


def _banks(
    lanes: Lanes, strides: Sequence[Sequence[int]], steps: Sequence[int], units: Sequence[int]
) -> tuple[list[int], list[bool]]:
    """Banks along each dimension, and whether the lanes rotate over them."""
    offsets = tuple(
        tuple(o * unit // step for o, unit, step in zip(offset, units, steps, strict=True)) for offset in lanes.offsets
    )
    base = tuple(
        Affine.of((f"{at}", stride // step) for at, stride in enumerate(inner))
        for inner, step in zip(strides, steps, strict=True)
    )
    dims = partition((1,) * len(base), base, offsets, 1)
    return [dim.factor for dim in dims], [dim.rotating for dim in dims]


def _depth(rows: Sequence[np.ndarray], rotating: Sequence[bool]) -> np.ndarray:
    """Words of a bank."""
    places = strides(rows, rotating, _power_of_two)
    return np.asarray(1 + sum((size - 1) * place for size, place in zip(rows, places, strict=True)))


def _power_of_two(values: np.ndarray) -> np.ndarray:
    """The next one, for each."""
    return np.int64(1) << np.ceil(np.log2(values)).astype(np.int64)
