"""Halide-style algorithms and schedules compiled to verified hardware."""
