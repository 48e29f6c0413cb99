"""`check_overflow`: whether some values of the inputs make the arithmetic exceed its types."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

from halidehw.errors import HardwareError
from halidehw.expr.expr import Expr, Variable, constructor, transform
from halidehw.expr.interval import Exceeded, Extreme, Interval, checked, interval
from halidehw.expr.tuples import fields
from halidehw.expr.types import Struct, Type
from halidehw.frontend.directives import CheckOverflow
from halidehw.frontend.params import Range
from halidehw.frontend.stage import Stage
from halidehw.ir.nest import Accumulated, Merge, Operator
from halidehw.scheduler.kernel import Kernel

_UPDATES = {"add": "+=", "mul": "*="}
_FACTORS = 64
"""So many factors, each beyond 1 and -1, are beyond every type."""


def check_overflow(kernel: Kernel, domain: Mapping[str, Range]) -> None:
    """Where the output or the reduction asks for it: raises `HardwareError` for arithmetic whose worst case, by
    interval arithmetic over the whole range of the inputs' types, is no value of its type. A cast that is written may
    cut off bits, one that an operator's operands of different signs ask for may not.

    `domain`: variable of the stage -> (min, extent).
    """
    asked = [func for func in (kernel.output, kernel.owner) if CheckOverflow() in func.directives]
    if not asked:
        return
    variables = {name: Interval.of(low, low + extent - 1) for name, (low, extent) in domain.items()}
    count = prod(extent for name, (_, extent) in domain.items() if name not in kernel.args)
    directive = f"{asked[0].name}.check_overflow()"
    try:
        total = _accumulated(kernel, count, variables)
    except Exceeded as found:
        raise _error(kernel, directive, found, kernel.stage) from None
    element = f"{kernel.owner.name}({', '.join(kernel.owner.args)})"
    try:
        interval(_final(kernel, element), variables | {element: total})
    except Exceeded as found:
        raise _error(kernel, directive, found, kernel.output.stages[0]) from None


def _final(kernel: Kernel, element: str) -> Expr:
    """What is stored, with the completed reduction as a variable."""

    def named(node: Expr) -> Expr:
        return Variable(node.type, element) if isinstance(node, Accumulated) else node

    return transform(Accumulated(kernel.type) if kernel.epilogue is None else kernel.epilogue, named)


def _accumulated(kernel: Kernel, count: int, variables: Mapping[str, Interval]) -> Interval:
    """An output element after all iterations; of a word of several parts, each of these is checked."""
    if not isinstance(kernel.combine, Merge):
        return _reduced(kernel, kernel.combine, kernel.type, kernel.init, count, interval(kernel.value, variables))
    assert isinstance(kernel.type, Struct)
    inits = kernel.type.unpacked(kernel.init)
    for operator, init, part in zip(kernel.combine.operators, inits, fields(kernel.value), strict=True):
        _reduced(kernel, operator, part.type, init, count, interval(part, variables))
    return Interval.full(kernel.type)


def _reduced(
    kernel: Kernel, operator: Operator | None, kind: Type, init: int, count: int, value: Interval
) -> Interval:
    """A number after all iterations. Partial sums may wrap: they wrap back."""
    match operator:
        case "add":
            ends = [_sum(init, count, end) for end in value.ends]
        case "mul":
            ends = _products(init, count, value)
        case _:
            return value if operator is None else Interval.full(kind)
    return checked(_accumulator(kernel), kind, Interval.spanning(ends))


def _accumulator(kernel: Kernel) -> str:
    return f"the accumulator of {kernel.owner.name}"


def _sum(start: int, count: int, end: Extreme) -> Extreme:
    total = f"{count} x {end.operand}" if count > 1 else end.text
    return Extreme(start + count * end.value, f"{start} + {total}" if start else total)


def _products(start: int, count: int, value: Interval) -> list[Extreme]:
    """Of `count` factors, or of as many as are beyond every type."""
    ends, most = {end.value for end in value.ends}, min(count, _FACTORS)
    first = "" if start == 1 else f"{start} * "
    return [Extreme(start * a ** (most - 1) * b, f"{first}{a} ^ {count - 1} * {b}") for a, b in product(ends, ends)]


def _error(kernel: Kernel, asked: str, found: Exceeded, stage: Stage) -> HardwareError:
    needs = f"{found.bits} bits" if found.bits <= 64 else "more than 64 bits"
    worst = found.worst
    value = worst.text if worst.text == str(worst.value) or found.bits > 64 else f"{worst.text} = {worst.value}"
    sign = " with a sign" if found.signed and not found.kind.signed else ""
    return HardwareError(
        f"{asked}: {found.what} needs {needs}{sign}, has {found.kind.bits} ({found.kind}): {value}",
        legal=_wider(kernel, found) if found.bits <= 64 else (),
        source=stage.definition.source,
    )


def _wider(kernel: Kernel, found: Exceeded) -> tuple[str, ...]:
    """The type that holds the result: of the operands, or of the Func and of what is accumulated in it."""
    wider, owner = constructor(Type(found.signed, found.bits)), kernel.owner
    if found.what != _accumulator(kernel) or isinstance(kernel.combine, Merge) or len(owner.stages) == 1:
        return (f"cast({wider}, ...) of its operands",)
    return (
        f'{owner.name} = Func({wider}, {len(owner.args)}, "{owner.name}")',
        f"{owner.name}[{', '.join(owner.args)}] {_UPDATES[str(kernel.combine or 'add')]} cast({wider}, ...)",
    )
