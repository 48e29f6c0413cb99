"""`Func`: a function with its schedule, and the ways to look at it and to run it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Self

from halidehw.errors import AlgorithmError, BoundsError, ScheduleError, user_line
from halidehw.expr.nodes import Named
from halidehw.expr.types import Type
from halidehw.frontend.absent import Helpful
from halidehw.frontend.directives import (
    Accelerate,
    Bound,
    BufferDirective,
    Capacity,
    CheckOverflow,
    ComputeAt,
    ComputeRoot,
    Described,
    Directive,
    FoldStorage,
    MemoryType,
    ReorderStorage,
    RingBuffer,
    SetEstimate,
    SingleBuffer,
    SinglePort,
    StoreAt,
    StoreIn,
    StoreRoot,
    StoreWith,
    Vectorize,
)  # fmt: skip
from halidehw.frontend.function import Function
from halidehw.frontend.output_buffer import OutputImageParam
from halidehw.frontend.params import Buffer, Range, checked_range
from halidehw.frontend.pipeline import inputs_of, tensors_of
from halidehw.frontend.scalar import Param
from halidehw.frontend.stage import Loop, Stage, loop_name
from halidehw.frontend.wrapper import STATED, Placeable, Wrapped


class Func(Function, Wrapped, Placeable, Helpful):
    """`Func("name")`, or `Func(type, dimensions, "name")` to state what its definitions must be.

    `directives` are those on the Func as a whole and on the buffers placed in its loops; those on the loops are
    with the stages. The loop directives of `Stage` apply to the pure definition. All return the Func.

    The package puts `print_loop_nest` and `realize` here: what they call lies above the front end.
    """

    level = 0
    print_loop_nest: ClassVar[Callable[[Func], None]]
    realize: ClassVar[Callable[..., Buffer | tuple[Buffer, ...]]]

    def __init__(self, *args: Any):
        match args:
            case ():
                super().__init__(None)
            case (str() as name,):
                super().__init__(name)
            case (Type() as kind, int() as dimensions):
                super().__init__(None, kind, dimensions)
            case (Type() as kind, int() as dimensions, str() as name):
                super().__init__(name, kind, dimensions)
            case _:
                raise AlgorithmError(f"Func cannot be made of {args!r}", legal=('Func("f")', 'Func(Int(32), 2, "f")'))
        self.directives: list[Directive] = []

    @property
    def schedule(self) -> tuple[tuple[str, Directive], ...]:
        """Every directive beside the code of what it applies to: stage by stage, then the Func as a whole."""
        on_loops = [(stage.name, directive) for stage in self.stages for directive in stage.directives]
        return (*on_loops, *((self.name, directive) for directive in self.directives))

    def _pure_stage(self) -> Stage:
        if not self.stages:
            raise ScheduleError(f"{self.name} is scheduled before it is defined", legal=(f"{self.name}[x, y] = ...",))
        return self.stages[0]

    def split(self, old: Loop, outer: Loop, inner: Loop, factor: int | None = None) -> Self:
        self._pure_stage().split(old, outer, inner, factor)
        return self

    def fuse(self, inner: Loop, outer: Loop, fused: Loop) -> Self:
        self._pure_stage().fuse(inner, outer, fused)
        return self

    def reorder(self, *order: Loop | Iterable[Loop]) -> Self:
        self._pure_stage().reorder(*order)
        return self

    def tile(self, x: Loop, y: Loop, *rest: Loop | int) -> Self:
        self._pure_stage().tile(x, y, *rest)
        return self

    def unroll(self, var: Loop, factor: int | None = None) -> Self:
        self._pure_stage().unroll(var, factor)
        return self

    def vectorize(self, var: Loop, factor: int | None = None) -> Self:
        self._pure_stage().vectorize(var, factor)
        return self

    def parallel(self, var: Loop, task_size: int | None = None) -> Self:
        self._pure_stage().parallel(var, task_size)
        return self

    def systolic(self, *vars: Loop | Iterable[Loop]) -> Self:
        self._pure_stage().systolic(*vars)
        return self

    def dataflow(self, text: str, rows: int | None = None, cols: int | None = None) -> Self:
        self._pure_stage().dataflow(text, rows, cols)
        return self

    def bound(self, var: Loop, min: int, extent: int) -> Self:
        """States where the Func is computed along `var`. Raises `ScheduleError` for no variable or one stated twice."""
        directive = Bound(loop_name(var), *checked_range((min, extent)), source=user_line())
        return self.add(directive)

    def set_bounds(self, ranges: Sequence[Range]) -> Self:
        """`bound` for every variable: (min, extent) pairs, the fastest dimension first."""
        for var, pair in self._of_each("set_bounds", ranges):
            self.bound(var, *pair)
        return self

    def set_estimate(self, var: Loop, min: int, extent: int) -> Self:
        """States where the Func is computed along `var` as long as nothing else does: hardware is made for it, while
        `realize` may take any size."""
        return self.add(SetEstimate(loop_name(var), *checked_range((min, extent)), source=user_line()))

    def set_estimates(self, ranges: Sequence[Range]) -> Self:
        """`set_estimate` for every variable: (min, extent) pairs, the fastest dimension first."""
        for var, pair in self._of_each("set_estimates", ranges):
            self.set_estimate(var, *pair)
        return self

    def _of_each(self, method: str, ranges: Sequence[Range]) -> list[tuple[str, Range]]:
        count = len(ranges) if isinstance(ranges, Sequence) else 0
        if count != len(self.args):
            pairs = ", ".join(["(0, 16)"] * len(self.args))
            raise BoundsError(
                f"{self.name} has {len(self.args)} dimensions, {count} bounds are given",
                legal=(f"{self.name}.{method}([{pairs}])",),
            )
        return [(var, checked_range(pair)) for var, pair in zip(self.args, ranges, strict=True)]

    def output_buffer(self) -> OutputImageParam:
        """Where its values lie in memory, if they are written there."""
        return OutputImageParam(self, self.bound, self.set_estimate)

    def compute_root(self) -> Self:
        """Computes it whole, before everything that reads it."""
        self._place(ComputeRoot(self.name, 0, source=user_line()), self)
        return self

    def fold_storage(self, var: Loop, rows: int) -> Self:
        """States for how many rows along `var` the line buffers of its readers have room."""
        directive = FoldStorage(self.name, 0, loop_name(var), rows, source=user_line())
        return self.add(directive)

    def store_in(self, memory: MemoryType) -> Self:
        """States where it lies, if it is computed as a whole: with `MemoryType.Heap` in the memory outside, which has a
        port for it to be written and one for it to be read; otherwise on the chip, as it does anyway.

        Raises `ScheduleError` for what is no MemoryType.
        """
        if not isinstance(memory, MemoryType):
            raise ScheduleError(
                f"{self.name}.store_in takes a MemoryType, not {memory!r}",
                legal=(f"{self.name}.store_in(MemoryType.Heap)",),
                source=user_line(),
            )
        directive = StoreIn(self.name, 0, memory.name, source=user_line())
        return self.add(directive) if memory is MemoryType.Heap else self._note(directive, "it lies on the chip anyway")

    def store_with(self, other: Wrapped, words: int = 0) -> Self:
        """Lets it lie in the memory of what it is computed from, `other`, whose own words begin with word `words` of
        each bank. Refused in `compile` where it would overwrite what is still to be read.

        Raises `ScheduleError` if it has no place yet, for what is no tensor, and no number of words.
        """
        if not isinstance(other, Wrapped) or not isinstance(words, int) or isinstance(words, bool) or words < 0:
            raise ScheduleError(
                f"{self.name}.store_with takes what it is computed from, and a number of words that is not negative",
                legal=[f"{self.name}.store_with({each.name})" for each in tensors_of(self)[1:]], source=user_line(),
            )  # fmt: skip
        self._on_buffer(StoreWith(self.name, 0, other.name, words, source=user_line()))
        return self

    def check_overflow(self) -> Self:
        """Has the Func refused in lowering if its arithmetic can exceed its types for some values of the inputs."""
        return self.add(CheckOverflow(source=user_line()))

    def accelerate(self, inputs: Iterable[Named]) -> Self:
        """Makes hardware of everything between `inputs` (ImageParams or Funcs) and this Func.

        Raises `ScheduleError` if an input that is read is left out, or one named that is not read.
        """
        given: list[Any] = [None] if isinstance(inputs, Wrapped) or not isinstance(inputs, Iterable) else list(inputs)
        given = [_tensor(each) for each in given]
        if not all(isinstance(tensor, Wrapped) for tensor in given):
            read = ", ".join(sorted(image.name for image in inputs_of(self)))
            raise ScheduleError(
                f"{self.name}.accelerate takes a list of the inputs", legal=(f"{self.name}.accelerate([{read}])",)
            )
        for tensor in given:
            tensor.named = True
        return self.add(Accelerate(tuple(sorted(tensor.name for tensor in given)), source=user_line()))

    def add(self, directive: BufferDirective | Bound | SetEstimate | CheckOverflow | Accelerate) -> Self:
        """Appends a directive, or notes that it is there. Raises `ScheduleError` if it is not legal here."""
        if directive in self.directives:
            return self._note(directive)
        match directive:
            case Bound() | SetEstimate():
                self._check_bound(directive)
                stated = self.bounds if isinstance(directive, Bound) else self.estimates
                stated[directive.var] = (directive.min, directive.extent)
                self.pass_on(directive.var)
            case ComputeAt() | StoreAt():
                self._check_place(directive)
            case StoreRoot():
                self._check_free(directive)
            case (
                Capacity() | FoldStorage() | RingBuffer() | SingleBuffer() | Vectorize() | ReorderStorage()
                | StoreWith() | SinglePort()
            ):  # fmt: skip
                self._check_room(directive)
            case Accelerate():
                self._check_inputs(directive)
        self.directives.append(directive)
        self.named = self.named or not isinstance(directive, Bound | SetEstimate)
        return self

    def _check_bound(self, bound: Bound | SetEstimate) -> None:
        if bound.var not in self.args:
            raise ScheduleError(
                f"{bound}: {bound.var} is not a variable of {self.name}, which has {', '.join(self.args)}",
                legal=[f"{self.name}.{bound.primitive}({var}, {bound.min}, {bound.extent})" for var in self.args],
                source=bound.source,
            )
        if isinstance(bound, Bound) and bound.var in self.bounds:
            stated = self.bounds[bound.var]
            why = f"the bounds of {bound.var} are stated already, as {stated[0]}, {stated[1]}; remove one of the lines"
            raise ScheduleError(f"{bound}: {why}", source=bound.source)

    def _check_place(self, place: ComputeAt | StoreAt) -> None:
        """It reads what has its place in its loops. Which loops it has is known when all lines are there."""
        reduces = len(self.stages) > 1 or self.pure.domain is not None
        sums = place.tensor == self.name and place.level > 0 and reduces
        if not sums and place.tensor not in (tensor.name for tensor in tensors_of(self)[1:]):
            legal = () if place.level else (f"{place.subject}.compute_root()",)
            why = f"{place}: {self.name} does not read {place.tensor}"
            raise ScheduleError(why if legal else f"{why}; remove the line", legal=legal, source=place.source)
        self._check_free(place)

    def _check_free(self, place: ComputeAt | StoreAt | StoreRoot) -> None:
        """Where it is computed and where it is kept are each stated once."""
        for other in self.directives:
            if not isinstance(other, ComputeAt | StoreAt | StoreRoot) or other.buffer != place.buffer:
                continue
            if isinstance(other, ComputeAt) == isinstance(place, ComputeAt):
                why = f"it has its place already, by {other}; remove one of the lines, or place {place.above}"
                raise ScheduleError(f"{place}: {why}", source=place.source)

    def _check_room(self, room: Described | FoldStorage) -> None:
        for other in self.directives:
            if not isinstance(other, Described | FoldStorage) or other.buffer != room.buffer:
                continue
            if STATED[type(other)] == STATED[type(room)]:
                why = f"it has its {STATED[type(room)]} already, by {other}; remove one of the lines"
                raise ScheduleError(f"{room}: {why}", source=room.source)

    def _check_inputs(self, accelerate: Accelerate) -> None:
        if any(isinstance(other, Accelerate) for other in self.directives):
            why = f"{self.name} is accelerated already; remove one of the lines"
            raise ScheduleError(f"{accelerate}: {why}", source=accelerate.source)
        read = sorted(image.name for image in inputs_of(self))
        wrong = {
            "it leaves out {}": [name for name in read if name not in accelerate.inputs],
            f"{self.name} does not read {{}}": [name for name in accelerate.inputs if name not in read],
            "it names {} twice": [name for name in read if accelerate.inputs.count(name) > 1],
        }
        if any(wrong.values()):
            why = next(text.format(", ".join(names)) for text, names in wrong.items() if names)
            raise ScheduleError(
                f"{accelerate}: {why}",
                legal=(f"{self.name}.accelerate([{', '.join(read)}])",),
                source=accelerate.source,
            )


def _tensor(given: Any) -> Any:
    """What an input stands for: a Buffer and a Param for an ImageParam."""
    match given:
        case Buffer():
            return given.param
        case Param():
            return given.image
    return given
