"""Values in windows: what is computed of a window's words shifts along with them.

The value of a subexpression at one offset is what it was at the next one a step before. So subexpressions that are
equal but for a number of steps, a class, are computed once, of the words of the front, and kept in registers as words
are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from halidehw.expr.interval import Interval, intervals, narrowest
from halidehw.expr.nodes import Cast, Const, Expr
from halidehw.expr.tree import children, fold, nodes, plain, program, rebuild
from halidehw.expr.types import Struct, Type
from halidehw.ir.nest import Load, Lookup, Scan, Scattered
from halidehw.microarch.balance import cycles
from halidehw.microarch.operators import cells

Age = tuple[int, int]
"""What a window keeps and how many steps ago: of a lane of its memory, or a value, numbered behind the lanes."""


@dataclass(frozen=True, eq=False, repr=False)
class Ago(Expr):
    """Leaf of a window's value: what `source` was so many steps ago."""

    source: int
    steps: int

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{self.source}-{self.steps}"


def leaves(value: Expr) -> dict[Age, Ago]:
    """What a value is computed of."""
    return {(leaf.source, leaf.steps): leaf for leaf in nodes(value) if isinstance(leaf, Ago)}


def source(leaf: Expr) -> int:
    """Of a value's leaf."""
    assert isinstance(leaf, Ago)
    return leaf.source


def times(lanes: int, computed: Sequence[Expr]) -> tuple[int, ...]:
    """Of each of so many lanes and of each value behind them, the cycles from the words of a step to it."""
    found = [0] * lanes
    for value in computed:
        found.append(_there(value, found))
    return tuple(found)


def _there(value: Expr, times: Sequence[int]) -> int:
    """The same of a value, of what it is computed of."""
    first = min(times[each] for each, _ in leaves(value))
    return first + cycles(value, lambda leaf: times[source(leaf)] - first)


def cast(kind: Type, value: Expr) -> Expr:
    return value if value.type == kind else Cast(kind, value)


@dataclass(frozen=True)
class Values:
    """`computed`: the values that a window has, each of lanes and values before it; `expr`: what is left for its
    reader, with reads of them; `taps`: what these reads are, by their numbers, in each position."""

    computed: tuple[Expr, ...]
    expr: Expr
    taps: dict[int, tuple[Age, ...]]


@dataclass
class _Class:
    """Subexpressions that are equal but for a number of steps: one of them, at `position`, which is `age` steps old.
    `below`: the classes of its operands, relative to it. `evaluated`: where, and how long ago it would be computed.
    """

    node: Expr
    position: int
    age: int
    height: int
    below: tuple[Age, ...]
    evaluated: set[tuple[object, int]] = field(default_factory=set)


def values(expr: Expr, reads: Mapping[int, Sequence[Age]], positions: int, lanes: int, first: int) -> Values:
    """The values of a window with so many lanes, where these take less than computing them again; each is as narrow as
    what it can be.

    `reads`: of each read that it serves, what that is in each position (of the reader's lanes). `first`: the number of
    the first read that is free.
    """
    known = _Classes(reads, positions)
    kept = known.kept(expr)
    number = {each: lanes + i for i, each in enumerate(sorted(kept))}
    ranges = intervals(expr, lambda leaf: Interval.full(leaf.type))

    def kind(node: Expr) -> Type:
        return narrowest(node.type, ranges[id(node)])

    def replaced(root: Expr, position: int, age: int) -> Expr:
        def change(node: Expr, parts: tuple[Expr, ...]) -> Expr:
            found = known.of.get((id(node), position))
            if isinstance(node, Load):
                source, steps = reads[node.read][position]
                return Ago(node.type, source, steps - age)
            if node is not root and found and found[0] in number:
                return cast(node.type, Ago(kind(node), number[found[0]], found[1] - age))
            return rebuild(node, parts)

        return cast(kind(root), fold(root, change))

    computed = [replaced(each.node, each.position, each.age) for each in map(known.classes.__getitem__, sorted(kept))]
    taps: dict[tuple[Age, ...], int] = {}

    def taken(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        found = [known.of.get((id(node), position)) for position in range(positions)]
        if not all(each and each[0] in number for each in found):
            return rebuild(node, parts)
        ages = tuple((number[each[0]], each[1]) for each in found if each)
        return cast(node.type, Load(kind(node), taps.setdefault(ages, first + len(taps))))

    left = fold(expr, taken)
    used = {node.read for node in nodes(left) if isinstance(node, Load)}
    return Values(tuple(computed), left, {read: ages for ages, read in taps.items() if read in used})


class _Classes:
    """The classes of an expression's parts that depend on the window's reads alone. `of`: of each of them, in each
    position, its class and age."""

    def __init__(self, reads: Mapping[int, Sequence[Age]], positions: int):
        self.reads, self.positions = reads, range(positions)
        self.classes: list[_Class] = []
        self.number: dict[object, int] = {}
        self.of: dict[tuple[int, int], Age] = {}

    def kept(self, expr: Expr) -> set[int]:
        """The classes that become values."""
        order = [node for node, _, _ in program(expr).steps]
        for node in order:
            for position in self.positions:
                self._classify(node, position)
        self._ask(expr, order)
        found: set[int] = set()
        for group in sorted(self._groups(order), key=lambda group: -self.classes[group[0]].height):
            members = [self.classes[each] for each in group]
            keep = _pays(members)
            found.update(group if keep else ())
            for each, member in zip(group, members, strict=True):
                for source, age in member.below:
                    places = {(each, 0)} if keep else member.evaluated
                    self.classes[source].evaluated.update((place, ago + age) for place, ago in places)
        return found

    def _classify(self, node: Expr, position: int) -> None:
        """Notes the class of a node whose operands are of classes, or constants."""
        if isinstance(node, Lookup | Scan | Scattered):
            return
        if isinstance(node, Load):
            if node.read in self.reads:
                source, age = self.reads[node.read][position]
                self._note(node, position, ("lane", source), age, ())
            return
        operands = [part for part in children(node) if not isinstance(part, Const)]
        below = [self.of.get((id(part), position)) for part in operands]
        given = [each for each in below if each]
        if not given or len(given) < len(below):
            return
        age = min(ago for _, ago in given)
        queue = iter([(source, ago - age) for source, ago in given])
        shape = [(part.type, part.value) if isinstance(part, Const) else next(queue) for part in children(node)]
        self._note(node, position, (type(node), *plain(node), *shape), age, tuple((s, ago - age) for s, ago in given))

    def _note(self, node: Expr, position: int, key: object, age: int, below: tuple[Age, ...]) -> None:
        if key not in self.number:
            self.number[key] = len(self.classes)
            height = 1 + max((self.classes[source].height for source, _ in below), default=-1)
            self.classes.append(_Class(node, position, age, height, below))
        self.of[id(node), position] = self.number[key], age

    def _ask(self, expr: Expr, order: list[Expr]) -> None:
        """Notes what the reader computes itself where there are no values: parts whose whole is of no class."""
        wholes = (part for node in order if (id(node), 0) not in self.of for part in children(node))
        for node in (expr, *wholes):
            for position in self.positions:
                if found := self.of.get((id(node), position)):
                    self.classes[found[0]].evaluated.add((("reader", position), found[1]))

    def _groups(self, order: list[Expr]) -> list[list[int]]:
        """The classes, those together that one node has in several positions: a node is read in all or in none."""
        into = list(range(len(self.classes)))

        def root(each: int) -> int:
            while into[each] != each:
                each = into[each]
            return each

        for node in order:
            found = [self.of[id(node), position][0] for position in self.positions if (id(node), position) in self.of]
            for each in found[1:]:
                into[root(each)] = root(found[0])
        groups = defaultdict[int, list[int]](list)
        for each in range(len(self.classes)):
            groups[root(each)].append(each)
        return list(groups.values())


def _pays(members: list[_Class]) -> bool:
    """Whether adders that are saved are more than the registers that it takes."""
    kind, again = members[0].node.type, sum(len(each.evaluated) for each in members) - len(members)
    if not members[0].height or isinstance(kind, Struct) or again <= 0:
        return False
    registers = sum(max(age for _, age in each.evaluated) for each in members)
    return again * cells(members[0].node) > registers * kind.bits
