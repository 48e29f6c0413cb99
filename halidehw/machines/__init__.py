"""Machines: one piece of hardware that runs many scheduled Funcs, one after the other (docs/machines.md)."""

from halidehw.machines.machine import Descriptor, Machine, machine

__all__ = ["Descriptor", "Machine", "machine"]
