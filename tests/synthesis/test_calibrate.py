"""Costs from samples, and tables of them."""

from __future__ import annotations

import numpy as np
import pytest

from halidehw.energy_model.cells import PARTS, Event
from halidehw.energy_model.costs.table import EVENTS, SIZED, CellTable, load_costs
from halidehw.errors import CostError, SynthesisError
from halidehw.synthesis.calibrate import Part, Sample, fit, total
from halidehw.synthesis.table import osu018

TRUE = CellTable(
    128.0,
    {event: 0.5 + i for i, event in enumerate(EVENTS)},
    {event: ((16.0, 3.0 + i), (32.0, 5.0 + i)) for i, event in enumerate(SIZED)},
)


def samples(costs: CellTable, count: int = 40) -> list[Sample]:
    """Designs with random events, whose energies are those of `costs`."""
    random, found = np.random.default_rng(0), []
    for _ in range(count):
        events = [Event(random.choice(list(PARTS)), name, float(random.integers(1, 1000))) for name in EVENTS]
        events += [
            Event("file", name, float(random.integers(1, 1000)), float(random.choice([16, 32]))) for name in SIZED
        ]
        pj = dict.fromkeys(PARTS, 0.0)
        for event in events:
            pj[event.component] += event.amount * costs.cost(event.cost, event.size)
        found.append(Sample((*events, Event("image_in", "sram", 1e6, 4096.0)), pj))
    return found


def test_the_costs_behind_samples_are_found():
    found = fit(samples(TRUE))
    assert found.each == pytest.approx(TRUE.each)
    for event in SIZED:
        assert found.curves[event] == tuple((size, pytest.approx(pj)) for size, pj in TRUE.curves[event])


def test_no_cost_is_negative():
    wrong = CellTable(128.0, TRUE.each | {"load": -4.0}, TRUE.curves)
    assert fit(samples(wrong)).each["load"] == 0.0


def test_an_event_without_a_sample_is_named():
    few = [Sample(tuple(e for e in each.events if e.cost != "hop"), each.pj) for each in samples(TRUE)]
    with pytest.raises(SynthesisError, match=r"^no design of the calibration has the events hop\n"):
        fit(few)


def test_a_table_is_read_as_it_was_written(tmp_path):
    (tmp_path / "osu018.toml").write_text(osu018(TRUE))
    found = load_costs(tmp_path / "osu018.toml")
    assert found.cells == TRUE
    assert found.sram[-1][0] == 512 * 1024
    assert found.mac == TRUE.each["mac"] + TRUE.each["add"]


def test_a_table_that_lacks_an_event_is_refused(tmp_path):
    text = osu018(TRUE)
    (tmp_path / "costs.toml").write_text(text.replace('sweep = "', 'swept = "'))
    with pytest.raises(CostError) as caught:
        load_costs(tmp_path / "costs.toml")
    assert caught.value.message == "unknown field 'swept'"
    (tmp_path / "costs.toml").write_text(text[: text.index("[cells.accumulate]")])
    with pytest.raises(CostError) as caught:
        load_costs(tmp_path / "costs.toml")
    assert caught.value.message == "cells has no accumulate, a table of sizes"
    assert caught.value.legal[0] == "[cells.accumulate]"


def test_parts_add_up():
    whole = total([Part("a", 100.0, 110.0), Part("b", 300.0, 290.0)])
    assert (whole.measured, whole.model, whole.error) == (400.0, 400.0, 0.0)
