"""Counts as formulas in the factors of a schedule's splits, evaluated for many choices of them at once."""

from halidehw.energy_model.symbolic.batch import Batch
from halidehw.energy_model.symbolic.formulas import Formulas, symbolic

__all__ = ["Batch", "Formulas", "symbolic"]
