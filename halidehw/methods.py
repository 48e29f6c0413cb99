"""What a user calls on a `Func` and what lies above it: its values and its loop nest.

The compiler is imported at the first call, so that a program that only writes algorithms starts at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from halidehw.expr.types import Struct, Type
from halidehw.frontend.design import design_of
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.frontend.params import Buffer
from halidehw.reference.reference import reference


def print_loop_nest(func: Func | Pipeline) -> None:
    """Prints the notes of the schedule of `func`, and its loops."""
    from halidehw.ir.printer import loop_nest
    from halidehw.scheduler import lower_graph

    graph = lower_graph(design_of(func))
    for note in graph.notes:
        print(f"# {note.message}")
    print(loop_nest(graph))


def realize(func: Func, *where: Any) -> Buffer | tuple[Buffer, ...]:
    """The values of `func`, computed from the algorithm alone with the arrays that the inputs are set to; of a Func of
    several values, a Buffer of each.

    `where`: sizes (`realize([16, 8])`, the fastest dimension first, from 0), a Buffer to fill, or nothing if all
    bounds are stated. Raises `BoundsError` if an input is too small, `TypeMismatch` if one is not set.
    """
    target = where[0] if where and isinstance(where[0], Buffer) else None
    sizes = where[0] if where and isinstance(where[0], Sequence) else where or None
    found = reference(func, {}, target.bounds if target else sizes)
    if isinstance(found, tuple):
        kinds = func.type.parts if isinstance(func.type, Struct) else ()
        pairs = enumerate(zip(found, kinds, strict=True))
        return tuple(_buffer(func, f"{func.name}.{place}", array, kind) for place, (array, kind) in pairs)
    if target:
        target.array[...] = found
        return target
    return _buffer(func, func.name, found, func.type)


def realize_all(pipeline: Pipeline, *sizes: Any) -> Any:
    """What `realize` gives of each output; of one output, that alone."""
    found = tuple(realize(func, *sizes) for func in pipeline.outputs)
    return found if len(found) > 1 else found[0]


def _buffer(func: Func, name: str, array: np.ndarray, kind: Type) -> Buffer:
    buffer = Buffer(array, name)
    buffer.type = kind
    buffer.set_min([func.bounds.get(var, (0, 0))[0] for var in func.args])
    return buffer
