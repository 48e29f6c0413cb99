"""Recognising a reduction: an update that combines one value an iteration with the element it updates.

Several values side by side, those of a Tuple or of several inline reductions, are parts of one accumulated word. A part
is combined by an operator of its own, or chosen with others: of two points, all of them go with the greater key (or the
lesser), and of equal keys with the point that comes first in the domain. Its place in that order is a part as well, so
that no order of computation changes a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from halidehw.errors import HardwareError
from halidehw.expr.expr import Access, Binary, Const, Expr, Select, Unary, convert, nodes, same
from halidehw.expr.tuples import fields, pack
from halidehw.expr.types import Bool, Int, Struct, Type, UInt, struct
from halidehw.frontend.func import Func
from halidehw.frontend.rdom import RDom, RVar
from halidehw.ir.nest import Accumulated, Combine, Merge, Operator, Side
from halidehw.ir.sums import identity
from halidehw.scheduler.constants import constant_value

_COMBINES: dict[str, Operator] = {
    "add": "add",
    "sub": "add",
    "mul": "mul",
    "min": "min",
    "max": "max",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "land": "and",
    "lor": "or",
}


@dataclass(frozen=True)
class Reduction:
    """Each iteration combines `value` into a word of `type` that starts from `init`. `finals`: what each of the Funcs
    is at an element, of the `Accumulated` word."""

    type: Type
    combine: Combine
    init: int
    value: Expr
    finals: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Position(Expr):
    """The place of a point in the order of its domain: sum of weight * variable, and a constant."""

    terms: tuple[tuple[str, int], ...]
    constant: int


@dataclass(frozen=True)
class _Part:
    """Part of the accumulated word: its value in an iteration, what it starts from, and the value that changes nothing.
    `operator`: how it is combined by itself (None: it is chosen with others)."""

    value: Expr
    init: int
    neutral: int
    operator: Operator | None = None

    @property
    def type(self) -> Type:
        return self.value.type


@dataclass(frozen=True)
class _Group:
    """Parts that are combined together. `merge`: from the parts of two words to those of one; `finals`: element number
    of the Func -> its value, of the group's parts."""

    parts: tuple[_Part, ...]
    merge: Callable[[Sequence[Expr], Sequence[Expr]], list[Expr]]
    finals: dict[int, Callable[[Sequence[Expr]], Expr]]


Written = Callable[[Expr], Expr]
"""Writes an expression over the variables of the nest's loops, with pure Funcs written out."""


def recognise(owners: Sequence[tuple[Func, Written]]) -> Reduction:
    """The reduction that the only updates of some Funcs, over one domain, are together. Raises `HardwareError` if they
    are none."""
    found = [_groups(func, written) for func, written in owners]
    funcs = [func for func, _ in owners]
    groups = [group for own in found for group in own]
    if len(groups) == 1 and not isinstance(funcs[0].type, Struct) and groups[0].parts[0].operator:
        part = groups[0].parts[0]
        final = groups[0].finals[0]([Accumulated(part.type)])
        assert part.operator
        return Reduction(part.type, part.operator, part.init, part.value, (final,))
    parts = [part for group in groups for part in group.parts]
    kind = struct([part.type for part in parts])
    done, left, right = (fields(word) for word in (Accumulated(kind), Side(kind, False), Side(kind, True)))
    merged: list[Expr] = []
    finals = []
    for func, own in zip(funcs, found, strict=True):
        elements: dict[int, Expr] = {}
        for group in own:
            here = slice(len(merged), len(merged) + len(group.parts))
            merged += group.merge(left[here], right[here])
            elements |= {number: final(done[here]) for number, final in group.finals.items()}
        values = [elements[number] for number in sorted(elements)]
        finals.append(pack(values) if isinstance(func.type, Struct) else values[0])
    combine = Merge(pack(merged), kind.packed([part.neutral for part in parts]), tuple(part.operator for part in parts))
    init = kind.packed([part.init for part in parts])
    return Reduction(kind, combine, init, pack([part.value for part in parts]), tuple(finals))


def _groups(func: Func, written: Written) -> list[_Group]:
    """The groups of parts that the only update of `func` reduces into."""
    if len(func.stages) != 2:
        raise HardwareError(
            f"{func.name} has {len(func.stages) - 1} updates; the array computes one reduction",
            legal=("one Func for each update",),
        )
    update = func.stages[1].definition
    element = Access(func.type, func, update.args)
    several = isinstance(func.type, Struct)
    old = fields(element) if several else (element,)
    new, start = (fields(value) if several else (value,) for value in (update.value, written(func.pure.value)))
    plain = {n: found for n, pair in enumerate(zip(old, new, strict=True)) if (found := _plain(*pair))}
    chosen = _choices(old, new)
    keys = {key for key, _, _ in chosen.values()}
    groups = []
    for key in sorted(keys):
        members = [number for number, (other, _, _) in chosen.items() if other == key]
        least, value = chosen[members[0]][1:]
        if update.domain is not None and _keyed(key, least, value, old, new, plain):
            groups.append(_choice(update.domain, key, least, written(value), members, list(map(written, new)), start))
            plain = {n: found for n, found in plain.items() if n != key}
    groups += [_operator(number, op, written(value), start[number]) for number, (op, value) in plain.items()]
    if sorted(number for group in groups for number in group.finals) != list(range(len(old))):
        raise _not_associative(func)
    for node in (node for group in groups for part in group.parts for node in nodes(part.value)):
        if isinstance(node, Access) and node.target is func:
            raise _not_associative(func)
    return groups


def _plain(old: Expr, new: Expr) -> tuple[Operator, Expr] | None:
    """Operator and value, where `new` is `old` combined with a value by one operator."""
    match new:
        case Binary(op=op, a=a, b=b) if op in _COMBINES and same(a, old):
            return _COMBINES[op], Unary(b.type, "neg", b) if op == "sub" else b
        case Binary(op=op, a=a, b=b) if op in _COMBINES and op != "sub" and same(b, old):
            return _COMBINES[op], a
    return None


def _operator(number: int, op: Operator, value: Expr, start: Expr) -> _Group:
    """One part with an operator of its own."""
    neutral, init = identity(op, value.type), constant_value(start)
    part = _Part(value, neutral if init is None else init, neutral, op)

    def final(done: Sequence[Expr]) -> Expr:
        return done[0] if init is not None else Binary(value.type, op, done[0], start)

    return _Group((part,), lambda a, b: [Binary(value.type, op, a[0], b[0])], {number: final})


def _choices(old: Sequence[Expr], new: Sequence[Expr]) -> dict[int, tuple[int, bool, Expr]]:
    """For each element that a comparison chooses, whether to take a new value: the element that is compared, whether
    the lesser is taken, and what it is compared with."""
    found = {}
    for number, value in enumerate(new):
        match value:
            case Select(cond=Binary(op="gt" | "lt" as op, a=a, b=b), b=kept) if same(kept, old[number]):
                for key, element in enumerate(old):
                    if same(b, element):
                        found[number] = (key, op == "lt", a)
                    elif same(a, element):
                        found[number] = (key, op == "gt", b)
    return found


def _keyed(
    key: int, least: bool, value: Expr, old: Sequence[Expr], new: Sequence[Expr],
    plain: dict[int, tuple[Operator, Expr]],
) -> bool:  # fmt: skip
    """Whether the element that is compared becomes what it is compared with, where that is taken."""
    match new[key]:
        case Select(a=a):
            return same(a, value) and _choices(old, new).get(key, (key, least, value))[0] == key
    return key in plain and plain[key][0] == ("min" if least else "max") and same(plain[key][1], value)


def _choice(
    domain: RDom, key: int, least: bool, value: Expr, members: Sequence[int], new: Sequence[Expr], start: Sequence[Expr]
) -> _Group:
    """Parts: the key, the place in the domain's order, and what else is taken that does not follow from that place."""
    position, offsets = _position(domain)
    worst = value.type.max if least else value.type.min
    rest = [number for number in members if number != key]
    taken = {number: node.a for number in rest if isinstance(node := new[number], Select)}
    derived = {number: node for number in rest if isinstance(node := taken[number], RVar)}
    stored = [number for number in rest if number not in derived]
    parts = [_Part(value, worst, worst), _Part(position, position.type.max, position.type.max)]
    parts += [_Part(taken[number], 0, 0) for number in stored]
    better = "lt" if least else "gt"

    def merge(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
        equal = Binary(Bool(), "land", Binary(Bool(), "eq", b[0], a[0]), Binary(Bool(), "lt", b[1], a[1]))
        second = Binary(Bool(), "lor", Binary(Bool(), better, b[0], a[0]), equal)
        return [Select(x.type, second, y, x) for x, y in zip(a, b, strict=True)]

    def final(number: int) -> Callable[[Sequence[Expr]], Expr]:
        def of(done: Sequence[Expr]) -> Expr:
            if number == key and constant_value(start[key]) == worst:
                return done[0]
            if number == key:
                here = done[0]
            elif number in derived:
                here = _coordinate(done[1], offsets[derived[number].name])
            else:
                here = done[2 + stored.index(number)]
            return Select(here.type, Binary(Bool(), better, done[0], start[key]), here, start[number])

        return of

    return _Group(tuple(parts), merge, {number: final(number) for number in (key, *rest)})


Digit = tuple[int, int, int]
"""Lowest bit, width and least value of a variable in a position."""


def _position(domain: RDom) -> tuple[Position, dict[str, Digit]]:
    """The place of a point in the domain's order, a digit of whole bits for each variable, x the lowest."""
    digits: dict[str, Digit] = {}
    place = 0
    for var in domain.vars:
        width = (var.extent - 1).bit_length()
        digits[var.name] = (place, width, var.min)
        place += width
    terms = tuple((name, 1 << low) for name, (low, width, _) in digits.items() if width)
    constant = -sum(least << low for low, width, least in digits.values() if width)
    return Position(UInt(max(place, 1)), terms, constant), digits


def _coordinate(position: Expr, digit: Digit) -> Expr:
    """A variable's value at a position."""
    low, width, least = digit
    if not width:
        return Const(Int(32), least)
    high = Binary(position.type, "shr", position, Const(UInt(position.type.bits), low)) if low else position
    offset = convert(Int(32), convert(UInt(width), high))
    return Binary(Int(32), "add", offset, Const(Int(32), least)) if least else offset


def masked(found: Reduction, where: Expr | None) -> Expr:
    """What an iteration combines where only those count for which `where` holds."""
    if where is None:
        return found.value
    if isinstance(found.combine, Merge) and isinstance(found.type, Struct):
        idle = found.type.unpacked(found.combine.identity)
        parts = [
            Select(part.type, where, part, Const(part.type, value))
            for part, value in zip(fields(found.value), idle, strict=True)
        ]
        return pack(parts)
    return Select(found.type, where, found.value, Const(found.type, identity(found.combine, found.type)))


def _not_associative(func: Func) -> HardwareError:
    update = func.stages[1].definition
    element = f"{func.name}[{', '.join(func.args)}]"
    operators = "by one associative operator (+ - * min max & | ^)"
    how, legal = f"combined with a value {operators}", (f"{element} += ...", f"{element} = max({element}, ...)")
    if isinstance(func.type, Struct):
        how = f"with each of its values combined {operators}, or chosen by one comparison with < or >"
        legal = (f"{element} = ({element}[0] + ..., max({element}[1], ...))", f"{element} = argmax(r, ...)")
    return HardwareError(
        f"the update of {func.name} is not {element} {how}, so its iterations cannot be reordered or run side by side: "
        f"{update.value}",
        legal=legal,
        source=update.source,
    )
