"""The optimizer: the best schedule of a layer on an architecture."""

from halidehw.optimize.options import Options
from halidehw.optimize.result import Result
from halidehw.optimize.solve import architecture, optimize, optimize_with

__all__ = ["Options", "Result", "architecture", "optimize", "optimize_with"]
