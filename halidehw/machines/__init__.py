"""Machines: one piece of hardware that runs many scheduled Funcs, one after the other (docs/machines.md)."""

from halidehw.machines.descriptor import Descriptor
from halidehw.machines.machine import Machine, machine
from halidehw.machines.seams import Seam, seam
from halidehw.machines.whole import Part, Shared, shared

__all__ = ["Descriptor", "Machine", "Part", "Seam", "Shared", "machine", "seam", "shared"]
