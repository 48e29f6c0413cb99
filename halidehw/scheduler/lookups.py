"""Tables: tensors that are read at an index that is data, from a store that holds all that such an index can find.

Every read of a table in a stage is a look-up. Its place is an expression of the datapath, counted from the first
element of the table: the box of what the intervals of all indices reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from math import prod
from operator import mul

from halidehw.errors import HardwareError, SourceLine
from halidehw.expr.expr import Access, Binary, Const, Expr, Variable, nodes
from halidehw.expr.interval import Interval, intervals
from halidehw.expr.nodes import code
from halidehw.expr.types import Int
from halidehw.frontend.boundary import BoundaryFunc
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Accumulated, Lookup
from halidehw.scheduler.indices import Ranges
from halidehw.scheduler.recurrences import Before
from halidehw.scheduler.tensors import Read

MOST = 1 << 16
"""Elements of a table."""


@dataclass(frozen=True)
class Table:
    """What is held of a tensor: its first element, and its size."""

    image: ImageParam | Func
    mins: tuple[int, ...]
    extents: tuple[int, ...]

    def with_room(self, also: Sequence[Sequence[tuple[int, int]]]) -> Table:
        """With room for further places, each from a least to a greatest index in each dimension: those that other
        stages read of the same store."""
        pairs = [(low, low + size - 1) for low, size in zip(self.mins, self.extents, strict=True)]
        found = list(zip(pairs, *also, strict=True))
        mins = tuple(min(low for low, _ in each) for each in found)
        extents = tuple(max(high for _, high in each) - low + 1 for each, low in zip(found, mins, strict=True))
        return Table(self.image, mins, extents)

    @property
    def read(self) -> Read:
        """All of it, as a read."""
        pairs = zip(self.mins, self.extents, strict=True)
        reach = {d: (low, low + size - 1) for d, (low, size) in enumerate(pairs)}
        return Read(self.image, None, tuple(Affine((), low) for low in self.mins), reach)

    @property
    def corners(self) -> tuple[tuple[Affine, ...], ...]:
        """The first element, the one after it in each dimension, and the last one: these say which ones lie there."""
        pairs = zip(self.mins, self.extents, strict=True)
        ends = ([low, low + min(1, size - 1), low + size - 1] for low, size in pairs)
        return tuple(dict.fromkeys(tuple(Affine((), each) for each in place) for place in zip(*ends, strict=True)))

    def lookup(self, access: Access, args: Sequence[Expr]) -> Lookup:
        """An access, with its indices as expressions of the nest."""
        strides = accumulate(self.extents[:-1], mul, initial=1)
        terms = [_scaled(_moved(arg, low), stride) for arg, low, stride in zip(args, self.mins, strides, strict=True)]
        address = reduce(lambda a, b: Binary(Int(32), "add", a, b), terms)
        return Lookup(access.type, self.image.name, self.mins, self.extents, address)


def is_data(access: Access) -> bool:
    """Whether an index of a read depends on what is read, summed up, or computed before."""
    return any(isinstance(node, Access | Accumulated | Before) for arg in access.args for node in nodes(arg))


def tables(roots: Sequence[Expr], ranges: Ranges, source: SourceLine | None) -> Mapping[object, Table]:
    """Of the tensors that expressions read at data. Raises `HardwareError` for an index that can be nearly anything."""
    reads = [node for root in roots for node in nodes(root) if isinstance(node, Access)]
    targets = dict.fromkeys(each.target for each in reads if is_data(each))
    found: dict[object, Table] = {}
    for target in targets:
        mine = [each for each in reads if each.target is target]
        if isinstance(target, BoundaryFunc) or not isinstance(target, ImageParam | Func):
            continue
        spans = [[reach(each.args[place], ranges) for each in mine] for place in range(len(mine[0].args))]
        lows = tuple(min(low for low, _ in each) for each in spans)
        extents = tuple(max(high for _, high in each) - low + 1 for each, low in zip(spans, lows, strict=True))
        if prod(extents) > MOST:
            raise _unclamped(next(filter(is_data, mine)), target, ranges, source)
        found[target] = Table(target, lows, extents)
    return found


def reach(index: Expr, ranges: Ranges) -> tuple[int, int]:
    """The least and the greatest value of an index."""

    def leaf(node: Expr) -> Interval:
        known = ranges.get(node.name) if isinstance(node, Variable) else None
        return Interval.of(*known) if known else Interval.full(node.type)

    return intervals(index, leaf)[id(index)].range


def _unclamped(
    access: Access, target: ImageParam | Func, ranges: Ranges, source: SourceLine | None
) -> HardwareError:
    shown, wide = [], ""
    for place, arg in enumerate(access.args):
        low, high = reach(arg, ranges)
        stated = target.bounds[place] if isinstance(target, ImageParam) else target.known.get(target.args[place])
        first, size = stated or (0, 256)
        if high - low < min(size, MOST):
            shown.append(code(arg))
            continue
        wide = wide or f"the index {arg} of {target.name} can be {low} .. {high}"
        shown.append(f"clamp({code(arg)}, {first}, {first + size - 1})")
    return HardwareError(
        f"{wide or f'{target.name} is read at too many places'}: a table is held whole, of at most {MOST} elements",
        legal=(f"{target.name}[{', '.join(shown)}]",),
        source=source,
    )


def _moved(arg: Expr, low: int) -> Expr:
    return Binary(Int(32), "sub", arg, Const(Int(32), low)) if low else arg


def _scaled(arg: Expr, stride: int) -> Expr:
    return Binary(Int(32), "mul", arg, Const(Int(32), stride)) if stride > 1 else arg
