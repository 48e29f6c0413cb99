"""Counts and cycles of register files behind register files, and of partial sums that come back."""

from __future__ import annotations

from halidehw.microarch.derive import Options
from halidehw.scheduler import lower
from tests.energy_model.test_against_hardware import MEMORIES, check
from tests.hardware import test_partial_sums as partial
from tests.hardware import test_register_files as files


def test_register_files_in_two_levels():
    f = files.product(systolic=True)
    _, b = f.sources
    b.in_().compute_at(f, files.xi)
    b.in_().in_().compute_at(f, files.co)
    check(lower(f), Options(), MEMORIES[:2])


def test_partial_sums():
    f = partial.product((partial.ci, partial.x, partial.yi, partial.yo, partial.co))
    f.in_().compute_at(f, partial.yo)
    check(lower(f), Options(), MEMORIES[:2])
