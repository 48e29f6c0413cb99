"""From a design to its hardware and back with results."""

from halidehw.driver.build import Compiled, compile
from halidehw.driver.output import document, write
from halidehw.driver.run import Result, simulate

__all__ = ["Compiled", "Result", "compile", "document", "simulate", "write"]
