"""`Pipeline`: several Funcs that one piece of hardware computes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from halidehw.errors import AlgorithmError, ScheduleError, user_line
from halidehw.expr.nodes import Named
from halidehw.frontend.absent import Helpful
from halidehw.frontend.func import Func
from halidehw.frontend.params import Buffer
from halidehw.frontend.pipeline import inputs_of


class Pipeline(Helpful):
    """`Pipeline([f, g])` or `Pipeline(f)`: the Funcs that are written to memory, as in Halide.

    One that another one reads is a stage, at the root where nothing else is said. Raises `AlgorithmError` for what are
    not different Funcs. The package puts `print_loop_nest` and `realize` here.
    """

    print_loop_nest: ClassVar[Callable[[Pipeline], None]]
    realize: ClassVar[Callable[..., Buffer | tuple[Buffer | tuple[Buffer, ...], ...]]]

    def __init__(self, outputs: Func | Iterable[Func]):
        given: tuple[Any, ...] = (outputs,) if isinstance(outputs, Func) else tuple(outputs)
        if not given or not all(isinstance(each, Func) for each in given) or len(set(given)) < len(given):
            raise AlgorithmError("a Pipeline is made of different Funcs", legal=("Pipeline([f, g])",))
        self.outputs: tuple[Func, ...] = given
        self.name = " and ".join(func.name for func in given)

    def accelerate(self, inputs: Iterable[Named]) -> Pipeline:
        """Makes hardware of everything between `inputs` and the outputs. Raises `ScheduleError` if an input that is
        read is left out, or one named that is not read."""
        given, read = sorted(each.name for each in inputs), sorted(each.name for each in inputs_of(*self.outputs))
        if given != read:
            raise ScheduleError(
                f"Pipeline.accelerate: {self.name} read {', '.join(read) or 'no inputs'}, not {', '.join(given)}",
                legal=(f"accelerate([{', '.join(read)}])",),
                source=user_line(),
            )
        return self
