"""Schedules: the directives, and the loop structure they give a stage by name."""

from halidehw.frontend.directives import (
    Accelerate,
    Bound,
    BufferDirective,
    Capacity,
    CheckOverflow,
    ComputeAt,
    ComputeRoot,
    Dataflow,
    Directive,
    Fuse,
    LoopDirective,
    Reorder,
    RingBuffer,
    SingleBuffer,
    Split,
    StoreAt,
    StoreRoot,
    Systolic,
    Tile,
    Unroll,
    Vectorize,
    from_dict,
    to_dict,
)
from halidehw.frontend.loops import LoopName, LoopNames, apply

__all__ = [
    "Accelerate", "Bound", "BufferDirective", "Capacity", "CheckOverflow", "ComputeAt", "ComputeRoot", "Dataflow",
    "Directive", "Fuse", "LoopDirective", "LoopName", "LoopNames", "Reorder", "RingBuffer", "SingleBuffer", "Split",
    "StoreAt", "StoreRoot", "Systolic", "Tile", "Unroll", "Vectorize", "apply", "from_dict",
    "to_dict",
]  # fmt: skip
