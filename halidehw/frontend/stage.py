"""A stage of a Func: one definition, its loops, and the directives that arrange them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, count, takewhile
from typing import Any, Self

from halidehw.errors import ScheduleError, user_line
from halidehw.expr.nodes import Operators, Variable
from halidehw.frontend.absent import Helpful
from halidehw.frontend.definition import Definition
from halidehw.frontend.directives import Dataflow, Fuse, LoopDirective, Reorder, Split, Systolic, Tile, Unroll
from halidehw.frontend.loops import LoopName, LoopNames, apply
from halidehw.frontend.params import Range
from halidehw.frontend.rdom import RDom
from halidehw.notes import Note

Loop = Variable | RDom | str
"""How a loop is named: a Var, an RVar, an RDom of one dimension, or its name."""


def loop_name(loop: Loop) -> str:
    return str(loop.expression()) if isinstance(loop, RDom) else str(loop)


@dataclass(frozen=True)
class _Arranged:
    """The loops before some `directives` and after each of them. They are kept, as the next ones that are asked for are
    mostly those after one directive more."""

    directives: tuple[LoopDirective, ...]
    every: tuple[LoopNames, ...]

    def by(self, default: LoopNames, directives: tuple[LoopDirective, ...]) -> _Arranged:
        """The same of other directives: what is known of those that both begin with is taken."""
        same = sum(1 for _ in takewhile(lambda two: two[0] is two[1], zip(self.directives, directives, strict=False)))
        known = self.every[: same + 1] if self.every[:1] == (default,) else (default,)
        more = accumulate(directives[len(known) - 1 :], apply, initial=known[-1])
        return _Arranged(directives, (*known[:-1], *more))


class Stage(Helpful):
    """`name` is how a program refers to it: `f` for the pure definition, `f.update(i)` for update i.

    Every directive is checked when it is given and raises `ScheduleError` at its line if it is not legal on the
    loops as they then are. One that states what holds already is said in `notes`. All of them return the stage.
    """

    def __init__(self, name: str, definition: Definition, bounds: Mapping[str, Range]):
        self.name, self.definition = name, definition
        self.directives: list[LoopDirective] = []
        self._bounds = bounds
        self._notes: list[Note] = []
        self._arranged = _Arranged((), ())

    def __repr__(self) -> str:
        return self.name

    @property
    def loops(self) -> LoopNames:
        """The loops after all directives so far."""
        return self._after(*self.directives)

    def _after(self, *directives: LoopDirective) -> LoopNames:
        self._arranged = self._arranged.by(self.default_loops, directives)
        return self._arranged.every[-1]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What of its schedule holds without it."""
        return (*self.loops.notes, *self._notes)

    @property
    def default_loops(self) -> LoopNames:
        """Halide's order, outer to inner: the variables from the last to the first, then the RDom's likewise."""
        pure = [LoopName(var, extent=self._extent(var)) for var in reversed(self.definition.pure)]
        inner = [LoopName(var.name, True, var.extent) for var in reversed(self.definition.reduction)]
        return LoopNames(self.name, (*pure, *inner))

    def _extent(self, var: str) -> int | None:
        return self._bounds[var][1] if var in self._bounds else None

    def add(self, directive: LoopDirective) -> Self:
        """Appends a directive. Raises `ScheduleError` if it is not legal here."""
        if self.definition.implied:
            update = f"{self.name}.update()"
            raise ScheduleError(
                f"{directive}: {self.name} is only ever 0 before its update, so there is no loop to arrange",
                legal=(f"{update}.{directive}",),
                source=directive.source,
            )
        try:
            self._after(*self.directives, directive)
        except ScheduleError as error:
            raise error.naming(dict.fromkeys(self.unwritten, "")) from None
        self.directives.append(directive)
        return self

    @property
    def unwritten(self) -> frozenset[str]:
        """The loops that the program has no name for: of lanes and tasks."""
        return frozenset(each.inner for each in self.directives if isinstance(each, Split) and each.said)

    def split(self, old: Loop, outer: Loop, inner: Loop, factor: int | None = None) -> Self:
        """Loop `old` becomes `outer` over `inner`, `factor` long. The factor need not divide the extent."""
        if factor is None:
            loops = ", ".join(map(loop_name, (old, outer, inner)))
            message = f"{self.name}.split({loops}) does not say how long {loop_name(inner)} is"
            raise ScheduleError(message, legal=(f"{self.name}.split({loops}, 8)",))
        return self.add(Split(loop_name(old), loop_name(outer), loop_name(inner), _whole(factor), source=user_line()))

    def fuse(self, inner: Loop, outer: Loop, fused: Loop) -> Self:
        """Two adjacent loops become one."""
        return self.add(Fuse(*map(loop_name, (inner, outer, fused)), source=user_line()))

    def reorder(self, *order: Loop | Iterable[Loop]) -> Self:
        """The named loops change places, the first named innermost."""
        return self.add(Reorder(_names(order), source=user_line()))

    def tile(self, x: Loop, y: Loop, *rest: Loop | int) -> Self:
        """`tile(x, y, xo, yo, xi, yi, xfactor, yfactor)`, or without xo and yo, which are then called x and y."""
        source = user_line()
        loops = [loop_name(loop) for loop in (x, y, *rest[:-2])]  # type: ignore[arg-type]
        if len(loops) not in (4, 6):
            raise ScheduleError(
                f"tile takes 6 or 8 arguments, not {len(rest) + 2}",
                legal=("tile(x, y, xo, yo, xi, yi, 8, 8)", "tile(x, y, xi, yi, 8, 8)"),
                source=source,
            )
        outer = loops[2:4] if len(loops) == 6 else loops[:2]
        return self.add(Tile(*loops[:2], *outer, *loops[-2:], *rest[-2:], source=source))  # type: ignore[arg-type]

    def unroll(self, var: Loop, factor: int | None = None) -> Self:
        """`factor` iterations, or all, side by side in space."""
        return self.add(Unroll(loop_name(var), _whole(factor), source=user_line()))

    def vectorize(self, var: Loop, factor: int | None = None) -> Self:
        """`factor` iterations side by side, or all: a split, and an unroll of the loop inside, whose lanes run in the
        same cycle."""
        name = loop_name(var)
        if factor is None:
            return self.unroll(name)
        self._check_loop("vectorize", name, factor)
        lanes = self._fresh(f"{name}_lanes".replace(".", "_"))
        source, said, size = user_line(), ("vectorize", name), _whole(factor)
        self.add(Split(name, name, lanes, size, said=said, source=source))
        return self.add(Unroll(lanes, said=said, source=source))

    def parallel(self, var: Loop, task_size: int | None = None) -> Self:
        """Accepted and said in a note, for what runs side by side is what is unrolled; with a size, a split."""
        name, source = loop_name(var), user_line()
        self._check_loop("parallel", name, *(() if task_size is None else (task_size,)))
        if task_size is not None:
            task = self._fresh(f"{name}_task".replace(".", "_"))
            self.add(Split(name, name, task, _whole(task_size), said=("parallel", name), source=source))
        written = f"parallel({name})" if task_size is None else f"parallel({name}, {task_size})"
        why = f"{name} stays in time, since processing elements are what runs in parallel: unroll({name}, 4)"
        self._notes.append(Note(f"{written}: {why}", source))
        return self

    def _check_loop(self, primitive: str, name: str, *sizes: int) -> None:
        """`primitive(name, *sizes)` is of one of its loops."""
        if name not in self.loops.names:
            given = "".join(f", {size}" for size in sizes)
            raise ScheduleError(
                f"{primitive}({name}{given}): {self.loops.lacking(name)}",
                legal=[f"{primitive}({loop.name}{given})" for loop in self.loops.loops
                       if loop.lanes is None and loop.name not in self.unwritten],
                source=user_line(),
            )  # fmt: skip

    def _fresh(self, name: str) -> str:
        """The name, or one made of it that no loop has."""
        numbered = (f"{name}{number or ''}" for number in count())
        return next(each for each in numbered if each not in self.loops.names)

    def systolic(self, *vars: Loop | Iterable[Loop]) -> Self:
        """The lanes of these unrolled loops run one cycle after another."""
        return self.add(Systolic(_names(vars), source=user_line()))

    def dataflow(self, text: str, rows: int | None = None, cols: int | None = None) -> Self:
        """`"y | x"`: loops onto the vertical and horizontal dimension of an array of `rows` x `cols` PEs."""
        return self.add(Dataflow(str(text), _whole(rows), _whole(cols), source=user_line()))


def _whole(number: Any) -> Any:
    """An integer of any kind, NumPy's too, as Python's own; anything else as it is, to be refused."""
    return int(number) if hasattr(number, "__index__") and not isinstance(number, Operators) else number


def _names(loops: tuple[Loop | Iterable[Loop], ...]) -> tuple[str, ...]:
    """Loops given one by one, or as one list or set."""
    if len(loops) == 1 and isinstance(loops[0], list | tuple | set | frozenset):
        given = loops[0]
        return tuple(sorted(map(loop_name, given)) if isinstance(given, set | frozenset) else map(loop_name, given))
    return tuple(loop_name(loop) for loop in loops)  # type: ignore[arg-type]
