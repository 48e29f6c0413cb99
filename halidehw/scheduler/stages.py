"""Which Funcs of an algorithm may carry directives: those whose loops are in the nest."""

from __future__ import annotations

from collections.abc import Iterator

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.directives import ComputeAt, ComputeRoot, Directive
from halidehw.frontend.func import Func
from halidehw.frontend.pipeline import tensors_of
from halidehw.notes import Note
from halidehw.scheduler.kernel import Kernel


def check_stages(kernel: Kernel) -> tuple[Note, ...]:
    """A note where the output is said to be computed as a whole. Raises `ScheduleError` for a directive without effect,
    `HardwareError` for a Func with a place of its own."""
    notes = []
    for func, directive in _directives(kernel):
        match directive:
            case ComputeRoot(tensor=name, level=0) if name == kernel.output.name:
                notes.append(Note(f"{directive}: the output is computed as a whole anyway", directive.source))
            case ComputeAt(tensor=name, level=0) | ComputeRoot(tensor=name, level=0):
                raise _placed(kernel, name, directive)
            case _ if func not in (kernel.output, kernel.owner):
                raise ScheduleError(
                    f"{directive}: {func.name} is computed where it is used, in the loops of {kernel.stage.name}; "
                    "remove the line or state it there",
                    source=directive.source,
                )
    return tuple(notes)


def _directives(kernel: Kernel) -> Iterator[tuple[Func, Directive]]:
    for func in tensors_of(kernel.output):
        if isinstance(func, Func):
            yield from ((func, directive) for directive in func.directives)


def _placed(kernel: Kernel, name: str, directive: Directive) -> ScheduleError | HardwareError:
    """Why a Func cannot be computed at a place of its own."""
    if name in (kernel.output.name, kernel.owner.name):
        why = "is what the accelerator computes" if name == kernel.output.name else f"meets {kernel.output.name}"
        return ScheduleError(
            f"{directive}: {name} {why}, element by element in its own loops; remove the line", source=directive.source
        )
    return HardwareError(
        f"{directive}: {name} would be a stage of its own, with a memory between it and its consumer; such pipelines "
        f"cannot be built yet. Without the line {name} is computed where it is used",
        source=directive.source,
    )
