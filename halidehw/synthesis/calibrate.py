"""A cost table from measured designs: what each event costs, by least squares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.backend_hdl.registers import elaborated
from halidehw.driver import Compiled
from halidehw.energy_model.cells import MEMORIES, PARTS, Event, events
from halidehw.energy_model.costs.table import EVENTS, SIZED, CellTable, CostTable
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.traffic import traffic
from halidehw.errors import SynthesisError
from halidehw.synthesis.measure import Measured
from halidehw.synthesis.synthesise import CELL_BITS

MACRO_BYTES = CELL_BITS / 8


@dataclass(frozen=True)
class Sample:
    """A design's events, as the model finds them, and the pJ that its components were measured to take."""

    events: tuple[Event, ...]
    pj: dict[str, float]


def sample(compiled: Compiled, measured: Measured) -> Sample:
    """Raises SynthesisError where the model and the run differ in cycles."""
    return Sample(design_events(compiled, measured), measured.components(compiled))


def design_events(compiled: Compiled, measured: Measured) -> tuple[Event, ...]:
    """The events of a run, from the model alone. Raises SynthesisError where its cycles are not the run's."""
    found = cycles(compiled.accelerator).total
    if found != measured.cycles:
        raise SynthesisError(f"{compiled.name}: {measured.cycles} cycles at gate level, {found} by the model")
    counts = {count.name: count for count in traffic(compiled.accelerator, compiled.graph)}
    held = elaborated(compiled.accelerator)
    return events(compiled.accelerator, counts, held, found, MACRO_BYTES)


def fit(samples: Sequence[Sample]) -> CellTable:
    """The costs that fit the components of all samples best, each weighed by its design's total; none is negative.

    A row for each component of each design: its pJ is the sum over its events of amount times cost. Raises
    SynthesisError where an event has no sample.
    """
    columns = sorted({_column(event) for each in samples for event in each.events if event.part != MEMORIES})
    place = {column: i for i, column in enumerate(columns)}
    rows, values = [], []
    for each in samples:
        total = sum(each.pj.values())
        for component in PARTS:
            row = np.zeros(len(columns))
            for event in each.events:
                if event.component == component:
                    row[place[_column(event)]] += event.amount / total
            rows.append(row)
            values.append(each.pj[component] / total)
    solution = dict(zip(columns, _least_squares(np.array(rows), np.array(values)), strict=True))
    if missing := [event for event in EVENTS if (event, 0.0) not in solution]:
        raise SynthesisError(f"no design of the calibration has the events {', '.join(missing)}")
    curves = {kind: tuple((size, pj) for (cost, size), pj in solution.items() if cost == kind) for kind in SIZED}
    return CellTable(MACRO_BYTES, {event: solution[event, 0.0] for event in EVENTS}, curves)


def _column(event: Event) -> tuple[str, float]:
    return event.cost, event.size if event.cost in SIZED else 0.0


def _least_squares(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The solution without negative elements: the least one is set to zero until none is left."""
    scale = np.abs(rows).max(axis=0)
    scale[scale == 0] = 1
    kept = np.ones(len(scale), bool)
    while True:
        found = np.zeros(len(scale))
        found[kept] = np.linalg.lstsq((rows / scale)[:, kept], values, rcond=None)[0]
        if (found >= 0).all():
            return found / scale
        kept[found.argmin()] = False


@dataclass(frozen=True)
class Part:
    """A part of a design: pJ measured and modelled."""

    name: str
    measured: float
    model: float

    @property
    def error(self) -> float:
        """Of the model, relative to what was measured."""
        return self.model / self.measured - 1 if self.measured else 0.0


def compare(compiled: Compiled, measured: Measured, costs: CostTable) -> tuple[Part, ...]:
    """The parts of a design, the memories last; both sides cost macros by the table."""
    assert costs.cells
    found, predicted = measured.components(compiled), dict.fromkeys((*PARTS.values(), MEMORIES), 0.0)
    for event in design_events(compiled, measured):
        macro = event.part == MEMORIES
        each = costs.access("sram", event.size) if macro else costs.cells.cost(event.cost, event.size)
        predicted[event.part] += each * event.amount
    taken = {part: sum(found[name] for name in PARTS if PARTS[name] == part) for part in PARTS.values()}
    taken[MEMORIES] = measured.macros(compiled.accelerator, costs)
    return tuple(Part(part, taken[part], pj) for part, pj in predicted.items())


def total(parts: Iterable[Part], name: str = "total") -> Part:
    """Several parts as one."""
    every = tuple(parts)
    return Part(name, sum(part.measured for part in every), sum(part.model for part in every))
