"""Code that computes the same as a read at an index that is no sum of loops."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.expr.expr import Access, Binary, Const, Expr, Variable, nodes, same, transform
from halidehw.expr.interval import Exceeded, Interval, interval
from halidehw.expr.nodes import code
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.ir.affine import Part
from halidehw.scheduler.indices import Ranges, affine
from halidehw.scheduler.kernel import Kernel

_LONGEST = 400
"""Characters of a line that is proposed."""

_MOST = 1 << 12
"""Elements among which one is chosen by comparing."""


def for_read(core: Kernel, access: Access, place: int, ranges: Ranges) -> tuple[str, ...]:
    """For a read whose index at `place` is not affine: a boundary condition in place of a clamp, or a sum over all
    elements, of which the one whose place is the index counts."""
    clamped = _clamp(access.args[place], ranges)
    if clamped and isinstance(access.target, ImageParam) and (line := _repeated(core, access, place, clamped, ranges)):
        return line
    return _chosen(core, access, place, ranges)


@dataclass(frozen=True)
class _Clamp:
    inner: Expr
    low: int
    high: int


def _clamp(index: Expr, ranges: Ranges) -> _Clamp | None:
    """An affine index between two constants, one of which may be left out."""
    low = high = None
    while isinstance(index, Binary) and index.op in ("min", "max"):
        constants = [each for each in (index.a, index.b) if isinstance(each, Const)]
        if len(constants) != 1:
            return None
        if index.op == "max":
            low = constants[0].value
        else:
            high = constants[0].value
        index = index.b if constants[0] is index.a else index.a
    form = affine(index, ranges)
    if form is None or any(isinstance(name, Part) for name in form.names):
        return None
    least, greatest = form.range(ranges)
    return _Clamp(index, least if low is None else low, greatest if high is None else high)


def _repeated(core: Kernel, access: Access, place: int, clamp: _Clamp, ranges: Ranges) -> tuple[str, ...]:
    """The read through `repeat_edge`, where the input does not begin and end elsewhere."""
    image = access.target
    assert isinstance(image, ImageParam)
    pairs = []
    for d, (stated, arg) in enumerate(zip(image.bounds, access.args, strict=True)):
        form = affine(arg, ranges)
        low, high = (clamp.low, clamp.high) if d == place else form.range(ranges) if form else (0, -1)
        if high < low or (stated and stated != (low, high - low + 1)):
            return ()
        pairs.append((low, high - low + 1))
    args = [code(clamp.inner if d == place else arg) for d, arg in enumerate(access.args)]
    return (f"BoundaryConditions.repeat_edge({image.name}, {pairs})[{', '.join(args)}]",)


def _chosen(core: Kernel, access: Access, place: int, ranges: Ranges) -> tuple[str, ...]:
    """`r = RDom([(0, 16)], "r")` and `f[x] += select(index == r.x, ... a[r.x] ..., 0)`."""
    definition, span = core.stage.definition, _span(access, place, ranges)
    if span is None or core.combine not in (None, "add") or not any(node is access for node in nodes(core.value)):
        return ()
    domain = definition.domain
    name, known = ("r", []) if domain is None else (domain.name, list(domain.ranges))
    letter = f"{name}.{'xyzw'[len(known)]}" if len(known) < 4 else f"{name}[{len(known)}]"
    index = access.args[place]

    def changed(node: Expr) -> Expr:
        if isinstance(node, Access) and same(node, access):
            args = (*node.args[:place], Variable(index.type, letter), *node.args[place + 1 :])
            return Access(node.type, node.target, args)
        return node

    value = transform(core.value, changed)
    line = f"{core.owner.name}[{', '.join(core.owner.args)}] += select({code(index)} == {letter}, {code(value)}, 0)"
    return (f'{name} = RDom({[*known, span]}, "{name}")', line) if len(line) <= _LONGEST else ()


def _span(access: Access, place: int, ranges: Ranges) -> tuple[int, int] | None:
    """The elements that a read can find: those of the input, or those within its index's reach."""
    target = access.target
    if isinstance(target, ImageParam) and (stated := target.bounds[place]):
        return stated if stated[1] <= _MOST else None
    if not isinstance(target, ImageParam | Func):
        return None
    try:
        variables = {name: Interval.of(low, high) for name, (low, high) in ranges.items()}
        found = interval(access.args[place], variables)
    except Exceeded:
        return None
    low, high = (end.value for end in found.ends)
    return (low, high - low + 1) if high - low < _MOST else None
