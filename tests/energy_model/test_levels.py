"""Counts and cycles of register files behind register files, and of partial sums that come back."""

from __future__ import annotations

from halidehw.ir.nest import Nest
from halidehw.microarch.options import Options
from halidehw.scheduler import lower
from tests.energy_model.test_against_hardware import MEMORIES, check
from tests.hardware import test_partial_sums as partial
from tests.hardware import test_register_files as files


def register_files() -> Nest:
    f = files.product(systolic=True)
    _, b = f.sources
    b.in_().compute_at(f, files.xi)
    b.in_().in_().compute_at(f, files.co)
    return lower(f)


def partial_sums() -> Nest:
    f = partial.product((partial.ci, partial.x, partial.yi, partial.yo, partial.co))
    f.in_().compute_at(f, partial.yo)
    return lower(f)


def test_register_files_in_two_levels_and_partial_sums():
    check([(register_files(), Options()), (partial_sums(), Options())], MEMORIES[:2])
