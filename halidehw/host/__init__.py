"""What a host does with an accelerator: memory, programs, runs, on a board or a simulated one (docs/buses.md)."""

from halidehw.host.mapped import Mapped
from halidehw.host.runtime import Report, Runtime, StepReport
from halidehw.host.steps import Output, Step

__all__ = ["Mapped", "Output", "Report", "Runtime", "Step", "StepReport"]
