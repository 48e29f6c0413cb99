"""`Param`: a number that is given to each run."""

from __future__ import annotations

from typing import Any

import numpy as np

from halidehw.errors import TypeMismatch
from halidehw.expr.nodes import Expr, Operators, constructor
from halidehw.expr.types import Type
from halidehw.frontend.params import Buffer, ImageParam
from halidehw.frontend.wrapper import Wrapper


class Param(Operators):
    """A scalar input: `Param(Int(16), "gain")`, or with a value, `Param(Int(16), "gain", 3)`.

    It is an input without dimensions. In hardware it has a port of one word, read once after the start of a run, into
    a register: `in_()` is that copy.
    """

    def __init__(self, type: Type, name: str | int | None = None, value: int | None = None):
        if not isinstance(type, Type):
            raise TypeMismatch(f"Param takes a type, not {type!r}", legal=('Param(Int(16), "gain")',))
        given = name if isinstance(name, str) else None
        self.image = ImageParam(type, 0, given or "param")
        self.image.named = given is not None
        first = name if isinstance(name, int) else value
        if first is not None:
            self.set(first)

    def __repr__(self) -> str:
        return f'Param({constructor(self.type)}, "{self.name}")'

    @property
    def name(self) -> str:
        return self.image.name

    @property
    def type(self) -> Type:
        return self.image.type

    def __call__(self) -> Expr:
        return self.expression()

    def expression(self) -> Expr:
        return self.image[()]

    def __str__(self) -> str:
        return str(self.expression())

    def set(self, value: int | np.ndarray | Buffer) -> None:
        """The value that `realize` and `simulate` use. Raises `TypeMismatch` if it is none of the type's."""
        self.image.set(value if isinstance(value, Buffer) else np.asarray(value))

    def get(self) -> int | None:
        """The value that is set."""
        return None if self.image.buffer is None else int(self.image.buffer.array)

    def in_(self, consumer: Any = None) -> Wrapper:
        """Its copy on the chip."""
        return self.image.in_(consumer)
