"""Which Funcs of an algorithm may carry directives: those whose loops are in a nest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.directives import ComputeRoot, Directive, Inside, Place
from halidehw.frontend.func import Func
from halidehw.frontend.pipeline import tensors_of
from halidehw.notes import Note
from halidehw.scheduler.kernel import Kernel


def check_stages(kernels: Sequence[Kernel]) -> tuple[Note, ...]:
    """A note where an output is said to be computed as a whole. `kernels`: those of all stages, the output's last.
    Raises `ScheduleError` for a directive without effect, and for how an output lies on the chip."""
    pipeline, notes = kernels[-1].pipeline, []
    last = {func.name for func in pipeline.outputs if func not in pipeline.stages}
    own = {func for kernel in kernels for func in (kernel.output, kernel.owner)}
    for func, directive in _directives(pipeline.outputs):
        match directive:
            case ComputeRoot(tensor=name, level=0) if name in last:
                notes.append(Note(f"{directive}: the output is computed as a whole anyway", directive.source))
            case _ if isinstance(directive, Inside) and directive.level == 0 and directive.tensor in last:
                raise ScheduleError(
                    f"{directive}: {func.name} is an output, which lies in the memory outside",
                    legal=func.outside(directive), source=directive.source,
                )  # fmt: skip
            case _ if func not in own and directive not in pipeline.unsaid:
                where = next(each for each in kernels if func in tensors_of(each.output))
                raise ScheduleError(
                    f"{directive}: {func.name} is computed where it is used, in the loops of {where.stage.name}; "
                    "remove the line or state it there",
                    source=directive.source,
                )
    return tuple(notes)


def _directives(outputs: Sequence[Func]) -> Iterator[tuple[Func, Directive]]:
    for func in tensors_of(*outputs):
        if isinstance(func, Func):
            yield from ((func, directive) for directive in func.directives)


def placed(func: Func, place: Place) -> HardwareError:
    """Why a Func cannot be computed at a place of its own."""
    return HardwareError(
        f"{place}: {func.name} would be a stage of its own, with a memory between it and its consumer; such pipelines "
        f"cannot be built yet. Without the line {func.name} is computed where it is used",
        source=place.source,
    )
