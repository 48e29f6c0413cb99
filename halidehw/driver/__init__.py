"""From a design to its hardware and back with results."""

from halidehw.driver.build import Compiled, compile
from halidehw.driver.output import document, write
from halidehw.driver.pictures import Estimate, estimate
from halidehw.driver.run import Result, simulate

__all__ = ["Compiled", "Estimate", "Result", "compile", "document", "estimate", "simulate", "write"]
