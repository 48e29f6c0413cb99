"""Layers, architectures, and the mappings of one onto the other with their closed-form counts."""
