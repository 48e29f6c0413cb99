"""Where a Func's values lie that are written to memory."""

from __future__ import annotations

from functools import partial

from halidehw.errors import AlgorithmError
from halidehw.frontend.absent import Helpful
from halidehw.frontend.function import Function
from halidehw.frontend.params import Dimension, Range, Sized
from halidehw.frontend.storage import Storage, Stored


class OutputBuffer(Sized, Stored, Helpful):
    """`f.output_buffer()`: what a Func is written to; its dimensions are those of the Func, 0 the fastest."""

    def __init__(self, func: Function):
        self.func, self.name, self.dimensions = func, func.name, func.dimensions

    def __repr__(self) -> str:
        return f"{self.func!r}.output_buffer()"

    @property
    def stored_name(self) -> str:
        return f"{self.name}.output_buffer()"

    @property
    def storage(self) -> Storage:  # type: ignore[override]
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
        return Dimension(
            self.stored_name, dimension, self.func.known.get(var), partial(self._bound, var),
            partial(self._estimate, var), self._lay,
        )  # fmt: skip

    def _bound(self, var: str, pair: Range) -> None:
        self.func.bound(var, *pair)

    def _estimate(self, var: str, pair: Range) -> None:
        self.func.set_estimate(var, *pair)
