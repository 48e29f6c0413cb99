"""What a user calls on a `Func` and what lies above it: its values and its loop nest.

The compiler is imported at the first call, so that a program that only writes algorithms starts at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halidehw.frontend.func import Func
from halidehw.frontend.params import Buffer
from halidehw.reference.reference import reference


def print_loop_nest(func: Func) -> None:
    """Prints the notes of the schedule of `func`, and its loops."""
    from halidehw.ir.printer import loop_nest
    from halidehw.scheduler import lower

    nest = lower(func)
    for note in nest.notes:
        print(f"# {note.message}")
    print(loop_nest(nest))


def realize(func: Func, *where: Any) -> Buffer:
    """The values of `func`, computed from the algorithm alone with the arrays that the inputs are set to.

    `where`: sizes (`realize([16, 8])`, the fastest dimension first, from 0), a Buffer to fill, or nothing if all
    bounds are stated. Raises `BoundsError` if an input is too small, `TypeMismatch` if one is not set.
    """
    target = where[0] if where and isinstance(where[0], Buffer) else None
    sizes = where[0] if where and isinstance(where[0], Sequence) else where or None
    array = reference(func, {}, target.bounds if target else sizes)
    if target:
        target.array[...] = array
        return target
    buffer = Buffer(array, func.name)
    buffer.type = func.type
    buffer.set_min([func.bounds.get(var, (0, 0))[0] for var in func.args])
    return buffer
