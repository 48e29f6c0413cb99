"""Where a Func's values lie that are written to memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from halidehw.errors import AlgorithmError
from halidehw.frontend.absent import Helpful
from halidehw.frontend.function import Function
from halidehw.frontend.params import Dimension, Range, Sized
from halidehw.frontend.storage import Storage, Stored

State = Callable[[str, int, int], object]

class OutputImageParam(Sized, Stored, Helpful):
    """`f.output_buffer()`: what a Func is written to; its dimensions are those of the Func, 0 the fastest."""

    def __init__(self, func: Function, bound: State, estimate: State):
        self.func, self.name, self.dimensions = func, func.name, func.dimensions
        self._bound, self._estimate = bound, estimate

    def __repr__(self) -> str:
        return f"{self.func!r}.output_buffer()"

    @property
    def stored_name(self) -> str:
        return f"{self.name}.output_buffer()"

    @property
    def storage(self) -> Storage:
        return self.func.storage

    @storage.setter
    def storage(self, said: Storage) -> None:
        self.func.storage = said

    def dim(self, dimension: int) -> Dimension:
        """Dimension `dimension`. Raises `AlgorithmError` for one that is not there."""
        if not 0 <= dimension < self.dimensions:
            raise AlgorithmError(
                f"{self.name} has dimensions 0 .. {self.dimensions - 1}, not {dimension}",
                legal=[f"{self.stored_name}.dim({each})" for each in range(self.dimensions)],
            )
        var = self.func.args[dimension]

        def stated(by: State, pair: Range) -> None:
            by(var, *pair)

        return Dimension(
            self.stored_name, dimension, self.func.known.get(var), partial(stated, self._bound),
            partial(stated, self._estimate), self._lay,
        )  # fmt: skip
