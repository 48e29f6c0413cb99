"""Counts and energies of many choices of a schedule's factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.energy_model.costs.table import CostTable
from halidehw.energy_model.symbolic.chains import Cut, Digit
from halidehw.energy_model.symbolic.loops import Entry, Loops, Store
from halidehw.energy_model.symbolic.sizes import stored_bytes
from halidehw.energy_model.symbolic.terms import Value
from halidehw.errors import CostError


@dataclass(frozen=True)
class Batch:
    """Arrays with one value for each choice of factors, in order; `costs`: the cost table's name.

    `words`: count -> words, hops or steps, as `Estimate.count`, 0 where a choice does not have it. `energy`: (level,
    tensor) -> pJ, of iterations ("mac", "mac"). `footprint`: memory or register file (of each PE) -> words of all its
    parts, without what pads its banks. `cycles`: steps of the busiest process, the array or a transfer, without fill,
    drain and waits: `Estimate.cycles.total` is never less.
    """

    name: str
    costs: str
    factors: dict[str, np.ndarray]
    words: dict[str, np.ndarray]
    energy: dict[tuple[str, str], np.ndarray]
    footprint: dict[str, np.ndarray]
    cycles: np.ndarray

    def __len__(self) -> int:
        return len(self.cycles)

    @property
    def energy_pj(self) -> np.ndarray:
        return np.sum(list(self.energy.values()), axis=0)

    def by(self, field: str) -> dict[str, np.ndarray]:
        """pJ by "level" or by "tensor"."""
        place = ("level", "tensor").index(field)
        totals: dict[str, np.ndarray] = {}
        for key, pj in self.energy.items():
            totals[key[place]] = totals.get(key[place], 0) + pj
        return totals


def needed(loops: Loops, entries: Sequence[tuple[Value, Entry]]) -> list[Value]:
    """The expressions whose values `batch` takes."""
    found = [value for case, entry in entries for value in (case, entry.words)]
    found += [digit.trips for _, digit in loops.ordered]
    found += [value for each in loops.variables for cut in each.cuts for value in (cut.factor, cut.trips)]
    for store in _stores(entries):
        found += [store.halves, *store.extents, *store.steps, *(store.lanes.units if store.lanes else ())]
        found += [value for dim in store.strides for pair in dim for value in pair]
    return list(dict.fromkeys(found))


def _stores(entries: Sequence[tuple[Value, Entry]]) -> list[Store]:
    return list({id(entry.store): entry.store for _, entry in entries if entry.store}.values())


def batch(
    name: str, loops: Loops, entries: Sequence[tuple[Value, Entry]], values: Mapping[Value, np.ndarray],
    factors: Mapping[str, np.ndarray], table: CostTable,
) -> Batch:  # fmt: skip
    """The counts and energies of all entries. `values`: of the expressions that are `needed`, an array each."""
    stores = _stores(entries)
    for cut in (cut for variable in loops.variables for cut in variable.cuts):
        _check_factor(cut, values, factors)
    for _, digit in loops.ordered:
        _check_lanes(digit, values[digit.trips], factors)
    cases: dict[int, np.ndarray] = {}
    for case, entry in entries:
        cases[id(entry.store)] = cases.get(id(entry.store), False) | (values[case] > 0)
    prices = {id(s): _price(s, values, table, cases[id(s)]) for s in stores}
    words: dict[str, np.ndarray] = {}
    energy: dict[tuple[str, str], np.ndarray] = {}
    for case, entry in entries:
        count = values[entry.words] if case == 1 else values[case] * values[entry.words]
        words[entry.name] = words.get(entry.name, 0) + count
        each = prices[id(entry.store)] if entry.store else _flat(entry, table)
        if not isinstance(each, float) or each:
            key = ("mac", "mac") if entry.event == "mac" else (entry.level, entry.tensor)
            energy[key] = energy.get(key, 0.0) + count * each
    footprint: dict[str, np.ndarray] = {}
    for store in stores:
        if store.kind != "dram":
            held = np.prod([values[e] for e in (store.halves, *store.extents)], axis=0) * cases[id(store)]
            footprint[store.level] = footprint.get(store.level, 0) + held
    busy = [words["steps"], *_transfers(entries, words)]
    return Batch(name, table.name, dict(factors), words, energy, footprint, np.max(busy, axis=0))


def _check_factor(cut: Cut, values: Mapping[Value, np.ndarray], factors: Mapping[str, np.ndarray]) -> None:
    """Raises CostError for a choice that splits a loop by more than its iterations."""
    wrong = np.flatnonzero(values[cut.factor] > values[cut.trips])
    if len(wrong):
        at = int(wrong[0])
        trips = int(values[cut.trips][at])
        raise CostError(
            f"choice {at} ({_chosen(factors, at)}): {cut.loop} has {trips} iteration{'s' * (trips > 1)}, which is "
            f"less than {int(values[cut.factor][at])} ({len(wrong)} such choices)",
            legal=[f'evaluate({{"{cut.inner}": [{trips}], ...}})'],
        )


def _chosen(factors: Mapping[str, np.ndarray], at: int) -> str:
    return ", ".join(f"{name}={int(array[at])}" for name, array in factors.items())


def _check_lanes(digit: Digit, trips: np.ndarray, factors: Mapping[str, np.ndarray]) -> None:
    """Raises CostError for a choice under which a loop has other lanes than the formulas are for."""
    wrong = np.flatnonzero(trips != digit.lanes if digit.whole else trips < digit.lanes)
    if len(wrong):
        at = int(wrong[0])
        lanes = f"is unrolled as a whole: {digit.lanes}" if digit.whole else f"has {digit.lanes}"
        raise CostError(
            f"choice {at} ({_chosen(factors, at)}): {digit.loop} has {int(trips[at])} iterations, but {lanes} lanes in "
            f"these formulas ({len(wrong)} such choices)"
        )


def _price(store: Store, values: Mapping[Value, np.ndarray], table: CostTable, case: np.ndarray) -> np.ndarray | float:
    """pJ of one word."""
    width = store.bits / table.word_bits
    if store.kind == "dram":
        return table.access("dram", 0.0) * width
    prices = np.zeros(len(case))
    sizes, places = np.unique(stored_bytes(store, values, case), return_inverse=True)
    prices[case] = np.array([table.access(store.kind, size, store.level) for size in sizes.tolist()])[places] * width
    return prices


def _flat(entry: Entry, table: CostTable) -> float:
    """pJ of an event outside any memory."""
    if entry.event in ("mac", "work"):
        return table.mac if entry.event == "mac" else 0.0
    return table.hop * entry.distance * entry.bits / table.word_bits


def _transfers(entries: Sequence[tuple[Value, Entry]], words: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Steps of the transfers into shared memories, and of the writer: one word each."""
    names = [
        entry.name
        for _, entry in entries
        if entry.store and (entry.store.kind == "dram" or (entry.store.kind == "sram" and entry.event == "write"))
    ]
    return [words[name] for name in dict.fromkeys(names)]
