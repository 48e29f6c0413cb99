"""Recurrences: updates whose iterations follow one another, `f[r] = f[r - 1] * 3 + g[r]`.

Such an update comes to each element once. So it is a definition of an element by those before it along one dimension,
as far as the update goes, and by what was there before. Its stage goes along that dimension in order, and each PE keeps
the last elements (`ir.nest.Scan`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import reduce

from halidehw.errors import HardwareError
from halidehw.expr.expr import Access, Binary, Expr, Select, Variable, binary, nodes, same, transform
from halidehw.expr.tuples import Field, Pack
from halidehw.expr.types import Bool, Int, Struct
from halidehw.frontend.definition import Definition
from halidehw.frontend.func import Func
from halidehw.frontend.rdom import RVar
from halidehw.ir.affine import Affine
from halidehw.scheduler.indices import affine

FURTHEST = 8
"""Elements back that a recurrence reads at most: each PE keeps so many for each place beside it."""
FAR = 1 << 64


@dataclass(frozen=True, eq=False, repr=False)
class Before(Expr):
    """Leaf of `Recurring.value`: the element so many places back."""

    places: int

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{self.places} back"


@dataclass(frozen=True, eq=False, repr=False)
class Recurring(Expr):
    """`value`, of elements up to `most` places back along the variable `var`. From element `first` to `last` it
    follows others."""

    value: Expr
    var: str
    most: int
    first: int
    last: int

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{parts[0]} along {self.var}"


def follows(func: Func, last: Definition) -> bool:
    """Whether an update over a domain reads other elements of its Func than the one that it writes."""
    reads = (node for node in nodes(last.value) if isinstance(node, Access) and node.target is func)
    return last.domain is not None and any(not all(map(same, node.args, last.args)) for node in reads)


def turned(func: Func, last: Definition) -> dict[int, int]:
    """The dimensions in which an update goes from greater indices to smaller ones, `f[8 - r]`, and what the index and
    the variable of the RDom are together."""
    forms = [affine(arg, defaultdict(lambda: (-FAR, FAR))) for arg in last.args]
    return {d: form.constant for d, form in enumerate(forms)
            if form is not None and [weight for _, weight in form.terms] == [-1]}  # fmt: skip


def recurring(func: Func, before: Func, last: Definition) -> Definition:
    """What an update that follows others leaves, as a definition over variables named as the update's. `before`: the
    Func as it is before.

    Raises `HardwareError` where elements do not follow one another along one dimension, each once.
    """
    assert last.domain is not None
    written = [_written(func, last, arg) for arg in last.args]
    own = [var for var, _ in written if isinstance(var, RVar)]
    if len({var.name for var in own}) < len(last.domain.vars) or isinstance(func.type, Struct):
        raise _refused(func, last, "each element has one value, and is updated once: each variable of the RDom stands "
                       "alone on the left")  # fmt: skip
    args = tuple(Variable(Int(32), var.name) for var, _ in written)
    at = {var.name: arg - by if by else arg for arg, (var, by) in zip(args, written, strict=True)}
    back = dict[int, int]()

    def change(node: Expr) -> Expr:
        if isinstance(node, Variable) and node.reduction:
            return at[node.name]
        if not isinstance(node, Access) or node.target is not func:
            return node
        moved = _moved(func, last, node, args)
        outermost = max(moved, key=lambda d: _order(written[d][0]), default=None)
        if outermost is None or moved[outermost] > 0:
            return Access(node.type, before, node.args)
        if len(moved) > 1 or back.keys() - moved.keys():
            raise _refused(func, last, "it follows others along one dimension")
        back[outermost] = max(back.get(outermost, 0), -moved[outermost])
        return Before(node.type, -moved[outermost])

    value = transform(last.value, change)
    ends = [(at[var.name], end) for var in own for end in (("ge", var.min), ("lt", var.min + var.extent))]
    here: list[Expr] = [binary(op, place, end) for place, (op, end) in ends]
    here += [] if last.where is None else [transform(last.where, change)]
    value = Select(func.type, reduce(_both, here), value, Access(func.type, before, args))
    if back:
        ((dimension, most),) = back.items()
        if most > FURTHEST:
            raise _refused(func, last, f"it reads {FURTHEST} elements back at most")
        var, by = written[dimension]
        assert isinstance(var, RVar)
        value = Recurring(func.type, value, var.name, most, var.min + by, var.min + by + var.extent - 1)
    return Definition(args, value, source=last.source)


def _written(func: Func, last: Definition, arg: Expr) -> tuple[Variable, int]:
    """The variable on the left in one dimension, and what is added to it."""
    form = affine(arg, defaultdict(lambda: (-FAR, FAR)))
    found = [node for node in nodes(arg) if isinstance(node, Variable)]
    if form is None or len(found) != 1 or form.terms != ((found[0].name, 1),):
        raise _refused(func, last, f"{arg} is a variable, with a constant added or without")
    return found[0], form.constant


def _moved(func: Func, last: Definition, read: Access, args: tuple[Variable, ...]) -> dict[int, int]:
    """By how much an element lies beside the one at `args`, in the dimensions in which it does."""
    found = {}
    for dimension, (index, arg) in enumerate(zip(read.args, args, strict=True)):
        form = affine(index, defaultdict(lambda: (-FAR, FAR)))
        by = None if form is None else form - Affine.variable(arg.name)
        if by is None or by.terms:
            raise _refused(func, last, f"{read} lies as far from what is written at every iteration")
        if by.constant:
            found[dimension] = by.constant
    return found


def _order(var: Variable) -> int:
    """How far outside a loop lies: those of an RDom, the last one outermost."""
    return var.dimension if isinstance(var, RVar) else -1


def _both(a: Expr, b: Expr) -> Expr:
    return Binary(Bool(), "land", a, b)


def _refused(func: Func, last: Definition, what: str) -> HardwareError:
    left = ", ".join(map(str, last.args))
    names = [next((node.name for node in nodes(arg) if isinstance(node, RVar)), "") for arg in last.args]
    if not any(names):
        assert last.domain is not None
        names = [*names[:-1], last.domain.vars[0].name]
    inner = next(filter(None, names))
    args = [inner if name == inner else var for name, var in zip(names, func.args, strict=True)]
    here, back = (", ".join(each) for each in (args, [f"{each} - 1" if each == inner else each for each in args]))
    code = f"{func.name}[{here}] = {func.name}[{back}] + ..."
    return HardwareError(
        f"the update of {func.name} reads other elements of it than {func.name}({left}), which it writes: its "
        f"iterations follow one another, as they can where {what}",
        legal=_parts(func, last) if isinstance(func.type, Struct) else (code,),
        source=last.source,
    )


def _parts(func: Func, last: Definition) -> tuple[str, ...]:
    """What works for several values: several Funcs, where no value follows another one."""
    parts = last.value.parts if isinstance(last.value, Pack) else ()
    read = [{node.index for node in nodes(part) if isinstance(node, Field) and isinstance(node.a, Access)
             and node.a.target is func} for part in parts]  # fmt: skip
    return ("one Func for each value",) if all(found <= {n} for n, found in enumerate(read)) else ()
