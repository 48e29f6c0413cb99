"""Where tensors are computed or copied: wrappers (`in_`) and the directives that place them."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, Self

from halidehw.errors import ScheduleError, user_line
from halidehw.expr.nodes import Variable
from halidehw.frontend.directives import (
    AlignStorage,
    BufferDirective,
    Capacity,
    ComputeAt,
    ComputeRoot,
    Described,
    Directive,
    FoldStorage,
    ReorderStorage,
    RingBuffer,
    SingleBuffer,
    SinglePort,
    StoreAt,
    StoreRoot,
    StoreWith,
    Vectorize,
)
from halidehw.notes import Note

STATED = {
    Capacity: "capacity", FoldStorage: "rows", Vectorize: "width", SingleBuffer: "parts", RingBuffer: "parts",
    SinglePort: "ports", ReorderStorage: "order in memory", AlignStorage: "alignment", StoreWith: "memory",
}  # fmt: skip
"""What a directive says that is said once."""


class Consumer(Protocol):
    """A Func that reads the tensor."""

    name: str

    def add(self, directive: BufferDirective) -> object: ...


class Wrapped:
    """A tensor, or a wrapper of one, that can be wrapped: `in_()` is the next memory level towards the array.

    `named`: whether its name stays as it is: its user gave it, or a directive has it.
    """

    name: str
    level: int
    named = True
    _wrappers: dict[str | None, Wrapper] | None = None

    def in_(self, consumer: Consumer | None = None) -> Wrapper:
        """The wrapper for all consumers, or for one (alone or in a list); the same at every call."""
        if isinstance(consumer, list | tuple) and len(consumer) == 1:
            consumer = consumer[0]
        if consumer is not None and not _is_func(consumer):
            message = f"{self.name}.in_ takes a Func or nothing, not {consumer!r}"
            raise ScheduleError(message, legal=(f"{self.name}.in_()",))
        self.named = True
        if self._wrappers is None:
            self._wrappers = {}
        key = None if consumer is None else consumer.name
        return self._wrappers.setdefault(key, Wrapper(self.name, self.level + 1, consumer))

    @property
    def wrappers(self) -> tuple[Wrapper, ...]:
        """All wrappers asked for so far, this tensor's own first."""
        own = tuple((self._wrappers or {}).values())
        return own + tuple(inner for wrapper in own for inner in wrapper.wrappers)


class Placeable:
    """What `compute_at`, `store_at`, `single_buffer` and `capacity` apply to: a Func (level 0) or a wrapper.

    `pending`: what was said of it before the `compute_at` that says in whose loops it has its place, or of a copy that
    lies outside all loops, for whoever reads it. `notes`: what was said of it that held already.
    """

    name: str
    level: int
    pending: tuple[BufferDirective, ...] = ()
    notes: tuple[Note, ...] = ()
    _consumer: Consumer | None = None

    @property
    def subject(self) -> str:
        """How it is written: `input.in_()`."""
        return self.name + ".in_()" * self.level

    def compute_at(self, consumer: Consumer, var: Variable | str) -> Self:
        """Computes, or copies, it just inside loop `var` of `consumer`.

        Raises `ScheduleError` if `consumer` does not read it, or it has its place already.
        """
        directive = ComputeAt(self.name, self.level, _consumer(self, consumer), str(var), source=user_line())
        self._place(directive, consumer)
        return self

    def _place(self, directive: BufferDirective, consumer: Consumer) -> None:
        if self._consumer not in (None, consumer):
            why = f"it has its place already, by the schedule of {self._consumer.name}; remove one of the lines"
            raise ScheduleError(f"{directive}: {why}", source=directive.source)
        self._check_no_root(directive)
        consumer.add(directive)
        self._consumer = consumer
        for waiting in self.pending:
            consumer.add(waiting)
        self.pending = ()

    def _note(self, directive: Directive, what: str = "stated before") -> Self:
        """Says that `directive` states what holds already."""
        self.notes = (*self.notes, Note(f"{directive}: {what}", directive.source))
        return self

    def _check_no_root(self, directive: BufferDirective) -> None:
        for other in self.pending:
            if isinstance(other, ComputeRoot):
                why = f"it has its place already, by {other}; remove one of the lines, or place {directive.above}"
                raise ScheduleError(f"{directive}: {why}", source=directive.source)

    def store_at(self, consumer: Consumer, var: Variable | str) -> Self:
        """Keeps it just inside loop `var` of `consumer`, outside the loop where it is computed, and with it what
        consecutive computations have in common.

        Raises `ScheduleError` if `consumer` does not read it, or where it is kept is stated already.
        """
        directive = StoreAt(self.name, self.level, _consumer(self, consumer), str(var), source=user_line())
        for other in self.pending:
            why = f"it has its place already, by {other}; remove one of the lines"
            raise ScheduleError(f"{directive}: {why}", source=directive.source)
        consumer.add(directive)
        return self

    def store_root(self) -> Self:
        """Keeps it outside all loops: `store_at` one loop further out than any.

        Raises `ScheduleError` if it is kept elsewhere already.
        """
        directive = StoreRoot(self.name, self.level, source=user_line())
        if directive in self.pending:
            return self._note(directive)
        if any(isinstance(other, ComputeRoot) for other in self.pending):
            return self._note(directive, f"{self.subject} is copied once, so there is no overlap to keep")
        if self._consumer is None:
            self.pending = (*self.pending, directive)
        else:
            self._consumer.add(directive)
        return self

    def single_buffer(self) -> Self:
        """Gives it one half instead of two. Raises `ScheduleError` if it has no place yet."""
        self._on_buffer(SingleBuffer(self.name, self.level, source=user_line()))
        return self

    def ring_buffer(self, extent: int) -> Self:
        """Gives it room for so many tiles instead of two: `extent` - 1 of them are loaded while one is used.

        Raises `ScheduleError` if it has no place yet, for a number that is not positive, or one that is stated already.
        """
        return self._sized(RingBuffer(self.name, self.level, extent, source=user_line()), extent, "tiles", 4)

    def capacity(self, words: int) -> Self:
        """States for how many words of it there is room: in one half, and in each PE where each has one.

        Raises `ScheduleError` if it has no place yet, or for a number of words that is not positive.
        """
        return self._sized(Capacity(self.name, self.level, words, source=user_line()), words, "words", 1024)

    def single_port(self, words: int = 1) -> Self:
        """Gives each of its memories one port, at which a word is read or written in a cycle. Partial sums lie in so
        many memories (a power of two) as are `words` side by side; of what lies in the memory of its input so many
        elements, any number, are a word. Refused in `compile` where reads and writes may meet.

        Raises `ScheduleError` if it has no place yet, or for no positive number.
        """
        directive = SinglePort(self.name, self.level, words, source=user_line())
        if not isinstance(words, int) or isinstance(words, bool) or words < 1:
            raise ScheduleError(
                f"{self.subject}.single_port({words}): it takes a positive number of words",
                legal=(f"{self.subject}.single_port(8)",), source=directive.source,
            )  # fmt: skip
        self._on_buffer(directive)
        return self

    def reorder_storage(self, *dimensions: Variable | str | int) -> Self:
        """The order in which its dimensions lie in it, the fastest first: the variables of a Func, the numbers of the
        dimensions of a copy.

        Raises `ScheduleError` if it has no place yet, or for what are not all variables of a Func.
        """
        directive = ReorderStorage(self.name, self.level, tuple(map(str, dimensions)), source=user_line())
        self._check_dimensions(directive, directive.order, whole=True)
        self._on_buffer(directive)
        return self

    def align_storage(self, dimension: Variable | str | int, multiple: int) -> Self:
        """The next slower dimension goes on as if this one, a variable of a Func or the number of a dimension of a
        copy, had a multiple of so many elements.

        Raises `ScheduleError` if it has no place yet, for what is no variable of a Func, or no positive number.
        """
        directive = AlignStorage(self.name, self.level, str(dimension), multiple, source=user_line())
        self._check_dimensions(directive, (directive.dimension,))
        if not isinstance(multiple, int) or isinstance(multiple, bool) or multiple < 1:
            raise ScheduleError(
                f"{directive}: {multiple} is not a positive number of elements",
                legal=(str(replace(directive, multiple=16)),), source=directive.source,
            )  # fmt: skip
        self._on_buffer(directive)
        return self

    def _check_dimensions(
        self, directive: ReorderStorage | AlignStorage, names: tuple[str, ...], whole: bool = False
    ) -> None:
        """Those of a Func are its variables; the numbers of a copy's are checked where its tensor is known."""
        known = getattr(self, "args", None)
        if known is None or (sorted(names) == sorted(known) if whole else set(names) <= set(known)):
            return
        each = "each of them once" if whole else "one of them"
        others = [replace(directive, order=tuple(reversed(known)))] if isinstance(directive, ReorderStorage) else [
            replace(directive, dimension=name) for name in known]  # fmt: skip
        raise ScheduleError(
            f"{directive}: the dimensions of {self.name} are {', '.join(known)}, and it takes {each}",
            legal=list(map(str, others)), source=directive.source,
        )  # fmt: skip

    def _sized(self, directive: Capacity | Vectorize | RingBuffer, number: int, of: str, usual: int) -> Self:
        if not isinstance(number, int) or number < 1:
            raise ScheduleError(
                f"{directive}: {number} is not a positive number of {of}",
                legal=(f"{self.subject}.{directive.primitive}({usual})",),
                source=directive.source,
            )
        self._on_buffer(directive)
        return self

    def _on_buffer(self, directive: Described) -> None:
        if any(isinstance(other, ComputeRoot) for other in self.pending):
            self._on_root(directive)
            return
        if self._consumer is None:
            call = f".{directive.call(directive.notation)}"
            raise ScheduleError(
                f"{directive}: {self.subject} is no buffer yet",
                legal=(f"{self.subject}.compute_at(f, x){call}", *self.outside(directive)),
            )
        self._consumer.add(directive)


    def outside(self, directive: Described) -> tuple[str, ...]:
        """The same said of a Func in the memory outside, whose dimensions are numbers, if it can be."""
        args: tuple[str, ...] = getattr(self, "args", ())
        match directive:
            case ReorderStorage(order=order) if args:
                return (f"{self.name}.output_buffer().reorder_storage({', '.join(str(args.index(n)) for n in order)})",)
            case AlignStorage(dimension=name, multiple=multiple) if args:
                return (f"{self.name}.output_buffer().align_storage({args.index(name)}, {multiple})",)
        return ()

    def _on_root(self, directive: Described) -> None:
        if isinstance(directive, SingleBuffer | RingBuffer):
            self._note(directive, f"{self.subject} is filled once, so it has one half")
            return
        if directive in self.pending:
            self._note(directive)
            return
        for other in self.pending:
            if type(other) is type(directive) and not isinstance(directive, AlignStorage):
                why = f"it has its {STATED[type(directive)]} already, by {other}; remove one of the lines"
                raise ScheduleError(f"{directive}: {why}", source=directive.source)
        self.pending = (*self.pending, directive)


class Wrapper(Wrapped, Placeable):
    """A copy of tensor `name`, `level` levels away from it."""

    def __init__(self, name: str, level: int, only: Consumer | None = None):
        self.name, self.level, self.only = name, level, only

    def compute_root(self) -> Self:
        """Copies the tensor as a whole, once, before everything that reads it.

        Raises `ScheduleError` if it has its place already.
        """
        directive = ComputeRoot(self.name, self.level, source=user_line())
        if self._consumer is not None:
            why = f"it has its place already, by the schedule of {self._consumer.name}; remove one of the lines"
            raise ScheduleError(f"{directive}: {why}", source=directive.source)
        for other in self.pending:
            if other == directive:
                return self._note(directive)
            self._note(other, f"{self.subject} is copied once, so there is no overlap to keep")
        self.pending = (directive,)
        return self

    def vectorize(self, words: int) -> Self:
        """Copies so many words along dimension 0 at a time: into the PEs, as many lanes of the array.

        Raises `ScheduleError` if it has no place yet, or for a number of words that is not positive.
        """
        return self._sized(Vectorize(self.name, self.level, words, source=user_line()), words, "words", 8)

    def store_with(self, other: object, words: int = 0) -> Self:
        """Raises `ScheduleError`: what can lie in the memory of another tensor is a Func that is computed from that."""
        func = getattr(other, "name", "g")
        raise ScheduleError(
            f"{self.subject}.store_with({func}): a copy of {self.name} has a memory of its own; {func} can lie in "
            f"that, if it is computed from {self.name}",
            legal=(f"{func}.compute_root().store_with({self.name})",), source=user_line(),
        )  # fmt: skip

    def __repr__(self) -> str:
        return self.subject


def _is_func(consumer: object) -> bool:
    """A Func is what can be wrapped and takes directives; a stage of one is not."""
    return isinstance(consumer, Wrapped) and hasattr(consumer, "add")


def _consumer(subject: Placeable, consumer: Consumer) -> str:
    """The consumer's name. Raises `ScheduleError` if it is no Func, or not the one the wrapper was made for."""
    if not _is_func(consumer):
        raise ScheduleError(
            f"{subject.subject}.compute_at takes the Func that reads it, not {consumer!r}",
            legal=(f"{subject.subject}.compute_at(output, x)",),
        )
    only = getattr(subject, "only", None)
    if only is not None and only is not consumer:
        raise ScheduleError(
            f"{subject.name}.in_({only.name}) is for {only.name} alone, it has no place in {consumer.name}",
            legal=(f"{subject.name}.in_({only.name}).compute_at({only.name}, ...)", f"{subject.name}.in_()"),
        )
    return consumer.name
