"""Schedules as values: for every size of a kernel, on disk, applied to another algorithm of the same class."""

from halidehw.schedules.kernel import Kernel, kernel_of
from halidehw.schedules.line import Line
from halidehw.schedules.schedule import Schedule

__all__ = ["Kernel", "Line", "Schedule", "kernel_of"]
