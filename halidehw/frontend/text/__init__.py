"""The textual language: algorithms and schedules in the C++ subset that Halide papers print."""

from halidehw.frontend.text.builder import parse
from halidehw.frontend.text.writer import write

__all__ = ["parse", "write"]
