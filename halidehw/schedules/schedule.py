"""`Schedule`: the directives of an algorithm as a value that other sizes can take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import sympy

from halidehw.errors import ScheduleError
from halidehw.frontend.func import Func
from halidehw.schedules import document
from halidehw.schedules.kernel import Kernel, kernel_of
from halidehw.schedules.line import Line, lines_of, said
from halidehw.schedules.replay import replay
from halidehw.schedules.rewriting import rewritten
from halidehw.schedules.sizes import Condition, extent, possible


@dataclass(frozen=True)
class Schedule:
    """Directives in order, and the condition on extents under which they are legal (all of it must hold).

    `kernel`: the class of algorithms that it is for. `tensors`: the names of Funcs and inputs in it, `loops`: those of
    each Func's loops, so that another algorithm's can take their place. `extents`: those of the algorithm that it was
    made from.
    """

    kernel: str
    tensors: tuple[str, ...]
    loops: Mapping[str, tuple[str, ...]] = field(hash=False)
    extents: Mapping[str, int] = field(hash=False)
    lines: tuple[Line, ...]
    condition: tuple[Condition, ...]

    @staticmethod
    def of(func: Func) -> Schedule:
        """The schedule of `func` and all that it is computed from, as it stands: legal at its extents alone.

        Raises `ScheduleError` if there is none.
        """
        kernel = kernel_of(func)
        lines = tuple(lines_of(kernel))
        if not lines:
            raise ScheduleError(f"{func.name} has no schedule", legal=(f"{func.name}.split(x, xo, xi, 8)",))
        extents = kernel.extents()
        exact = tuple(Condition(extent(name), "==", sympy.Integer(n)) for name, n in extents.items())
        loops = {each.name: kernel.loops(each) for each in kernel.funcs}
        return Schedule(kernel.signature, kernel.tensors, loops, extents, lines, exact)

    def parametric(self, *, scaled: Iterable[str] = (), guarded: bool = False) -> Schedule:
        """The same for any extents that the splits divide. The inner loop of a split stays as long as it is, and the
        outer one grows with the extent; of a split whose inner loop is `scaled` it is the other way round. `guarded`:
        for all extents, as the last tile may be a part of one.

        Raises `ScheduleError` if no extents would do.
        """
        lines, condition = rewritten(self.lines, self.loops, self.extents, frozenset(scaled), guarded)
        return replace(self, lines=lines, condition=condition).checked()

    @property
    def form(self) -> tuple[str, ...]:
        """Its lines without how large their tiles are: schedules of one form differ in that alone."""
        return tuple(str(line.unsized) for line in self.lines)

    def checked(self) -> Schedule:
        """Itself. Raises `ScheduleError` if its condition holds for no extents."""
        if not possible(self.condition):
            said = " and ".join(map(str, self.condition))
            raise ScheduleError(f"no extents meet {said}", legal=("schedule.parametric(guarded=True)",))
        return self

    def misfits(self, func: Func) -> tuple[str, ...]:
        """Why it cannot be applied to `func`; nothing where it can, as far as extents and class say."""
        kernel = kernel_of(func)
        if kernel.signature != self.kernel:
            return (f"{func.name} is of another class: {kernel.signature}; the schedule is for {self.kernel}",)
        if scheduled := list(lines_of(kernel)):
            return (f"{func.name} has a schedule already: {scheduled[0]}",)
        extents = self._extents(kernel)
        needed = set().union(*(each.names for each in self.condition))
        if unknown := sorted(needed - extents.keys()):
            return tuple(f"the extent of {name} is not known" for name in unknown)
        return tuple(f"{each} does not hold {said({name: extents[name] for name in sorted(each.names)})}"
                     for each in self.condition if not each.holds(extents))  # fmt: skip

    def apply(self, func: Func) -> Func:
        """Gives `func` this schedule. Raises `ScheduleError` with the reason where it does not fit, and leaves `func`
        as it was."""
        if reasons := self.misfits(func):
            why = "; ".join(reasons)
            raise ScheduleError(f"the schedule does not fit {func.name}: {why}", legal=self._advice(func))
        kernel = kernel_of(func)
        extents = self._extents(kernel)
        lines = [replace(line, directive=line.at(extents)) for line in self.lines]
        replay(lines, self.tensors, self.loops, kernel)
        return func

    def _advice(self, func: Func) -> tuple[str, ...]:
        same = kernel_of(func).signature == self.kernel and self.condition
        return ("schedule.parametric(guarded=True).apply(" + func.name + ")",) if same else ()

    def _extents(self, kernel: Kernel) -> dict[str, int]:
        """The extents of an algorithm of this class, by the names that this schedule has for its loops."""
        own = kernel.extents()
        found = {}
        for func, name in zip(kernel.funcs, self.tensors, strict=False):
            for theirs, ours in zip(kernel.loops(func), self.loops[name], strict=True):
                symbol = ours if func is kernel.funcs[-1] else f"{name}.{ours}"
                if kernel.symbol(func, theirs) in own:
                    found[symbol] = own[kernel.symbol(func, theirs)]
        return found

    def __str__(self) -> str:
        legal = " and ".join(map(str, self.condition)) or "always"
        return "\n".join([*map(str, self.lines), f"legal: {legal}"])

    def save(self, path: str | Path) -> None:
        """Writes it to a JSON file."""
        Path(path).write_text(self.text())

    def text(self) -> str:
        """What `save` writes."""
        parts = self.kernel, self.tensors, self.loops, self.extents, self.lines, self.condition
        return document.text(document.Parts(*parts))

    @staticmethod
    def load(path: str | Path) -> Schedule:
        """From a file that `save` wrote. Raises `ScheduleError` for one that is damaged or of another version."""
        return Schedule.parse(document.file_text(path), str(path))

    @staticmethod
    def parse(text: str, name: str = "schedule") -> Schedule:
        """From what `text` gives. `name`: what errors call it."""
        parts = document.parts(text, name)
        found = Schedule(
            parts.kernel, parts.tensors, parts.loops, parts.extents, parts.lines, parts.condition
        )
        return found.checked()
