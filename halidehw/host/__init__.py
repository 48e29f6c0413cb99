"""What a host does with an accelerator: memory, programs, runs, on a simulated board (docs/buses.md)."""

from halidehw.host.runtime import Report, Runtime, StepReport
from halidehw.host.steps import Output, Step

__all__ = ["Output", "Report", "Runtime", "Step", "StepReport"]
