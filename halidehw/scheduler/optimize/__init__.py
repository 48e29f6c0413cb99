"""The optimizer: the best schedule of a layer on an architecture."""

from halidehw.scheduler.optimize.result import Result
from halidehw.scheduler.optimize.solve import Options, architecture, optimize, optimize_with

__all__ = ["Options", "Result", "architecture", "optimize", "optimize_with"]
