"""Accelerators behind buses: what is between their own ports and those that systems have (docs/buses.md)."""
