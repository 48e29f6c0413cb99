"""The accelerated part of an algorithm: one reduction or pure definition, and what happens at write-back."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.errors import AlgorithmError, HardwareError, ScheduleError
from halidehw.expr.expr import Access, Binary, Expr, Variable, constructor, nodes, same, transform
from halidehw.expr.types import Type
from halidehw.frontend.directives import BufferDirective, ComputeRoot, Directive
from halidehw.frontend.func import Func
from halidehw.frontend.pipeline import inputs_of, pending
from halidehw.frontend.stage import Stage
from halidehw.ir.nest import Accumulated, Combine
from halidehw.ir.sums import identity
from halidehw.scheduler.inline import inline, substitute, updated
from halidehw.scheduler.reduction import constant_value, recognise


@dataclass(frozen=True)
class Kernel:
    """What the array computes.

    `output` at (`args`), for every value of `args` and of the stage's reduction domain: `value` combined into an
    accumulator of `type` that starts from `init`; then `epilogue`. All expressions are over the stage's variables
    and read only inputs, themselves or through a boundary condition. `renamed`: the output's variables -> the stage's.
    """

    output: Func
    stage: Stage
    owner: Func
    args: tuple[str, ...]
    renamed: dict[str, str]
    type: Type
    combine: Combine | None
    init: int
    value: Expr
    epilogue: Expr | None

    @property
    def directives(self) -> tuple[Directive, ...]:
        """Those on the Funcs as a whole, and on copies that are in no Func's loops. An input of one word is copied at
        the root where nothing else is said."""
        own = self.owner.directives if self.owner is not self.output else []
        stated = (*self.output.directives, *own, *pending(self.output))
        placed = {each.tensor for each in stated if isinstance(each, BufferDirective)}
        scalars = [image.name for image in inputs_of(self.output) if not image.dimensions and image.name not in placed]
        return (*stated, *(ComputeRoot(name, 1) for name in scalars))


def kernel(output: Func) -> Kernel:
    """The kernel of an algorithm that ends in `output`.

    Raises `AlgorithmError` if it is not defined, `HardwareError` if it is no single reduction with a pure
    write-back, `ScheduleError` for a directive on a definition that has no loops.
    """
    if not output.defined:
        raise AlgorithmError(f"{output.name} is never defined", legal=(f"{output.name}[x, y] = ...",))
    if len(output.stages) > 1:
        return _reduction(output, output, Accumulated(output.type), output.args)
    value = inline(output.pure.value)
    accesses = list(updated(value))
    if not accesses:
        return _pure(output, value)
    first = accesses[0]
    owner = first.target
    assert isinstance(owner, Func)
    for other in accesses:
        if not same(first, other):
            raise HardwareError(
                f"{output.name} reads {first} and {other}: a memory would lie between the two stages; such pipelines "
                "cannot be built yet, only a final stage that reads the reduction at the element it writes",
                source=output.pure.source,
            )
    renamed = _renaming(output, owner, first)
    _check_no_loops(output.stages[0], f"{output.name} is computed as {owner.name} is written back")
    final = substitute(
        transform(value, lambda node: Accumulated(owner.type) if _reads(node, owner) else node),
        {old: Variable(first.args[0].type, new) for old, new in renamed.items()},
    )
    return _reduction(output, owner, final, tuple(renamed[arg] for arg in output.args))


def _reads(node: Expr, func: Func) -> bool:
    return isinstance(node, Access) and node.target is func


def _renaming(output: Func, owner: Func, access: Access) -> dict[str, str]:
    """The output's variables as the owner's. Raises `HardwareError` if the stages do not meet point by point."""
    names = [arg.name for arg in access.args if isinstance(arg, Variable)]
    if len(names) != len(access.args) or sorted(names) != sorted(output.args):
        raise HardwareError(
            f"{output.name}[{', '.join(output.args)}] reads {access}: a memory would lie between the two stages; such "
            "pipelines cannot be built yet, only a final stage that reads the reduction at the element it writes",
            source=output.pure.source,
        )
    return dict(zip(names, owner.args, strict=True))


def _pure(output: Func, value: Expr) -> Kernel:
    own = {arg: arg for arg in output.args}
    return Kernel(output, output.stages[0], output, output.args, own, output.type, None, 0, value, None)


def _reduction(output: Func, owner: Func, final: Expr, args: tuple[str, ...]) -> Kernel:
    """`owner` updated once, `final` (of `Accumulated`) written to `output` at `args`."""
    found = recognise(owner)
    _check_no_loops(owner.stages[0], f"the first definition of {owner.name} is where its accumulators start")
    value, start = inline(found.value), inline(owner.pure.value)
    for access in (*updated(value), *updated(start)):
        name = access.target.name
        raise HardwareError(
            f"{owner.name} reads {name}, which is itself a reduction: a memory would lie between the two "
            "stages; such pipelines cannot be built yet",
            legal=(f'{name} = ImageParam({constructor(access.type)}, {len(access.args)}, "{name}")',),
            source=owner.stages[1].definition.source,
        )
    init = constant_value(start)
    if init is None:
        init = identity(found.combine, owner.type)
        total = Binary(owner.type, found.combine, Accumulated(owner.type), start)
        final = transform(final, lambda node: total if isinstance(node, Accumulated) else node)
    epilogue = None if isinstance(final, Accumulated) else final
    renamed = dict(zip(output.args, args, strict=True))
    return Kernel(output, owner.stages[1], owner, args, renamed, owner.type, found.combine, init, value, epilogue)


def _check_no_loops(stage: Stage, why: str) -> None:
    for directive in stage.directives:
        raise ScheduleError(
            f"{stage}.{directive}: {why}, so it has no loops",
            legal=(f"{stage.name.split('.')[0]}.update().{directive}",),
            source=directive.source,
        )


def inputs_read(expr: Expr) -> tuple[Access, ...]:
    """Every access of an input in a kernel's expression, in order of appearance."""
    return tuple(node for node in nodes(expr) if isinstance(node, Access))
