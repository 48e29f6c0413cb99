"""The algorithm's side of a Func: what it is at each point."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halidehw.errors import AlgorithmError, ScheduleError, SourceLine, TypeMismatch, user_line
from halidehw.expr.foreign import Pointwise
from halidehw.expr.nodes import Access, Const, Expr, Named, Operand, Operators, binary, code, constructor
from halidehw.expr.tuples import Tuple, fields, pack, value_of
from halidehw.expr.types import Struct, Type
from halidehw.frontend.definition import Definition, access, indices, is_var, pure_definition, update_definition
from halidehw.frontend.params import Range
from halidehw.frontend.pipeline import tell_apart
from halidehw.frontend.stage import Stage
from halidehw.frontend.storage import Storage

Value = Operand | Sequence[Operand]
"""What a Func is at a point: one value, or several."""


class Function(Pointwise):
    """A function on the integer grid: a pure definition and any number of updates.

    `f[x, y] = ...` defines it, every later assignment is an update; `f[x, y] += ...` on an undefined function
    starts from 0. `stages` are the pure definition's, then one for each update. `bounds` are what `bound` stated,
    `estimates` what `set_estimate` did, `inferred` what follows from those of the one Func that reads it element by
    element.
    `named`: whether its name stays as it is. `storage`: what is said of its place in memory.
    """

    storage = Storage()

    def __init__(self, name: str | None, type: Type | None = None, dimensions: int | None = None):
        self.name, self._type, self._dimensions = name or "f", type, dimensions
        self.named = name is not None
        self.stages: list[Stage] = []
        self.bounds: dict[str, Range] = {}
        self.estimates: dict[str, Range] = {}
        self.inferred: dict[str, Range] = {}

    def __repr__(self) -> str:
        return f'Func("{self.name}")'

    @property
    def point(self) -> str:
        names = ", ".join(self.args) if self.defined else "x, y"
        return f"{self.name}[{names or '()'}]"

    @property
    def defined(self) -> bool:
        return bool(self.stages)

    @property
    def pure(self) -> Definition:
        """The first definition. Raises `AlgorithmError` if there is none."""
        if not self.stages:
            raise AlgorithmError(f"{self.name} is used but never defined", legal=(f"{self.name}[x, y] = ...",))
        return self.stages[0].definition

    @property
    def args(self) -> tuple[str, ...]:
        """The names of the pure definition's variables, the fastest dimension first."""
        return self.pure.pure

    @property
    def type(self) -> Type:
        """The type of its values. Raises `AlgorithmError` while it is neither stated nor defined."""
        return self._type or self.pure.value.type

    @property
    def dimensions(self) -> int:
        """The number of arguments. Raises `AlgorithmError` while it is neither stated nor defined."""
        return len(self.args) if self._dimensions is None else self._dimensions

    @property
    def sources(self) -> tuple[Named, ...]:
        """What its definitions read, each once, in the order of reading; not itself."""
        reads = (read.target for stage in self.stages for read in stage.definition.reads)
        return tuple(dict.fromkeys(target for target in reads if target is not self))

    def __getitem__(self, args: Any) -> Access | Tuple | Undefined:
        """An access, of several values a Tuple of them; on an undefined function, something that only `+=`, `-=` and
        `*=` apply to."""
        if not self.defined:
            return Undefined(self)
        found = access(self, self.dimensions, self.type, args)
        return Tuple(*fields(found)) if isinstance(self.type, Struct) else found

    def __call__(self, *args: Any) -> Access | Tuple | Undefined:
        return self[args]

    def __setitem__(self, args: Any, value: Value | Accumulation) -> None:
        self.assign(args, value, user_line())

    def assign(self, args: Any, value: Value | Accumulation, source: SourceLine | None) -> None:
        """`self[args] = value`, written at `source`: the pure definition first, then updates.

        Raises `AlgorithmError` if the variables do not fit together, `TypeMismatch` if the types do not.
        """
        where = indices(self.name, self._dimensions if not self.defined else self.dimensions, args)
        if isinstance(value, Accumulation):
            self._start(where, value, source)
            value = value.after(access(self, len(where), self.type, where))
        checked = self._checked(value_of(value), source)
        if self.defined:
            self._add_stage(update_definition(self, self.args, where, checked, source))
        else:
            self._add_stage(pure_definition(self.name, where, checked, source))

    def _start(self, where: tuple[Expr, ...], update: Accumulation, source: SourceLine | None) -> None:
        """The pure definition that an update of an undefined function implies."""
        start = _constant(self._type or update.operand.type, update.start)
        if not all(map(is_var, where)):
            raise AlgorithmError(
                f"the update of {self.name} at {', '.join(map(str, where))} has no definition to start from",
                legal=(f"{self.name}[{', '.join('xyzw'[: len(where)])}] = {update.start}",),
                source=source,
            )
        self._add_stage(pure_definition(self.name, where, start, source, implied=True))

    def _add_stage(self, definition: Definition) -> None:
        self.stages.append(Stage(self._stage_name(len(self.stages)), definition, self.known))
        tell_apart(self)
        for var in self.known:
            self.pass_on(var)

    @property
    def known(self) -> Mapping[str, Range]:
        """Where it is computed, by variable, as far as that is known."""
        return ChainMap(self.bounds, self.estimates, self.inferred)

    def pass_on(self, var: str) -> None:
        """What it reads at `var` alone, everywhere that it does, is computed where it is itself."""
        for source in self.sources:
            reads = [read.args for stage in self.stages for read in stage.definition.reads if read.target is source]
            if isinstance(source, Function) and reads:
                for name, args in zip(source.args, zip(*reads, strict=True), strict=True):
                    alone = all(is_var(arg) and arg.name == var for arg in args)
                    if alone and source.inferred.get(name) != self.known[var]:
                        source.inferred[name] = self.known[var]
                        source.pass_on(name)

    def _stage_name(self, place: int) -> str:
        return f"{self.name}.update({place - 1 or ''})" if place else self.name

    def rename(self, name: str) -> None:
        """Calls it, and its stages, so."""
        self.name = name
        for place, stage in enumerate(self.stages):
            stage.name = self._stage_name(place)

    def _checked(self, value: Expr, source: SourceLine | None) -> Expr:
        """A value of the function's type; nothing is converted silently."""
        kind = self.type if self._type or self.defined else value.type
        if value.type != kind:
            several = isinstance(kind, Struct) or isinstance(value.type, Struct)
            raise TypeMismatch(
                f"{self.name} is {kind}, but the value assigned to it is {value.type}: {value}",
                legal=() if several else (f"cast({constructor(kind)}, {code(value)})",),
                source=source,
            )
        return value

    def update(self, index: int = 0) -> Stage:
        """The stage of update `index`. Raises `ScheduleError` if there is none."""
        count = max(len(self.stages) - 1, 0)
        if not 0 <= index < count:
            legal = [stage.name for stage in self.stages if not stage.definition.implied]
            raise ScheduleError(f"{self.name} has no update {index}; it has {count}", legal=legal)
        return self.stages[index + 1]


@dataclass(frozen=True, eq=False)
class Undefined(Operators):
    """An access to a function before its first definition."""

    function: Function

    def expression(self) -> Expr:
        raise AlgorithmError(
            f"{self.function.name} is used before it is defined", legal=(f"{self.function.name}[x, y] = ...",)
        )

    def __iadd__(self, value: Value) -> Any:
        return Accumulation("add", 0, value_of(value))

    def __isub__(self, value: Value) -> Any:
        return Accumulation("sub", 0, value_of(value))

    def __imul__(self, value: Value) -> Any:
        return Accumulation("mul", 1, value_of(value))


@dataclass(frozen=True)
class Accumulation:
    """`op= operand` on an undefined function, which then is `start` before the update."""

    op: str
    start: int
    operand: Expr

    def after(self, value: Expr) -> Expr:
        if not isinstance(value.type, Struct):
            return binary(self.op, value, self.operand)
        return pack([binary(self.op, a, b) for a, b in zip(fields(value), fields(self.operand), strict=True)])


def _constant(kind: Type, value: int) -> Expr:
    return pack([Const(part, value) for part in kind.parts]) if isinstance(kind, Struct) else Const(kind, value)
