"""Walking and rewriting trees of dataclasses: nothing here recurses, so that trees may be as deep as they like.

Nodes that occur several times in a tree are visited once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar


class Node:
    """A dataclass whose parts are the nodes among its fields, and in its fields' tuples."""

    @cached_property
    def below(self) -> tuple[Any, ...]:
        """The parts, in order."""
        found: list[object] = []
        for value in _values(self):
            if isinstance(value, Node):
                found.append(value)
            elif isinstance(value, tuple):
                found.extend(item for item in value if isinstance(item, Node))
        return tuple(found)


N = TypeVar("N", bound=Node)
T = TypeVar("T")
F = TypeVar("F")
G = TypeVar("G")


def children(node: N) -> tuple[N, ...]:
    """The nodes directly below `node`, in order."""
    return node.below


def rebuild(node: N, parts: tuple[N, ...]) -> N:
    """`node` with its children replaced by `parts`, in order."""
    if parts == () or all(new is old for new, old in zip(parts, children(node), strict=True)):
        return node
    queue = iter(parts)
    changed: dict[str, object] = {}
    for name, value in zip(_names(node), _values(node), strict=True):
        if isinstance(value, Node):
            changed[name] = next(queue)
        elif isinstance(value, tuple):
            changed[name] = tuple(next(queue) if isinstance(item, Node) else item for item in value)
    return replace(node, **changed)  # type: ignore[type-var]


@dataclass(frozen=True)
class Program(Generic[F]):
    """The nodes of a tree, or what stands for each of them, behind those below: (it, the places of its children, the
    places that nothing after it needs)."""

    steps: tuple[tuple[F, tuple[int, ...], tuple[int, ...]], ...]

    def map(self, change: Callable[[F], G]) -> Program[G]:
        """With something else in each place."""
        return Program(tuple((change(each), below, over) for each, below, over in self.steps))

    def run(self, combine: Callable[[F, tuple[T, ...]], T]) -> T:
        """What `combine` makes of the last place, given what it made of those below it.

        What nothing needs any more is let go: a long sum of arrays holds a few of them at a time.
        """
        made: list[Any] = []
        for each, below, over in self.steps:
            made.append(combine(each, tuple([made[place] for place in below])))
            for place in over:
                made[place] = None
        result: T = made[-1]
        return result


def program(root: N) -> Program[N]:
    """The tree below `root`, children from left to right."""
    order: list[N] = []
    below: list[tuple[int, ...]] = []
    place: dict[int, int] = {}
    pending = [root]
    while pending:
        node = pending[-1]
        parts = node.below
        waiting = [part for part in parts if id(part) not in place]
        if waiting:
            pending += reversed(waiting)
            continue
        pending.pop()
        if id(node) not in place:
            place[id(node)] = len(order)
            order.append(node)
            below.append(tuple([place[id(part)] for part in parts]))
    last = {used: user for user, places in enumerate(below) for used in places}
    over: list[list[int]] = [[] for _ in order]
    for used, user in last.items():
        over[user].append(used)
    return Program(tuple(zip(order, below, map(tuple, over), strict=True)))


def fold(root: N, combine: Callable[[N, tuple[T, ...]], T]) -> T:
    """What `combine` makes of `root` and of what it made of the nodes below, from the leaves up, left to right."""
    return program(root).run(combine) if root.below else combine(root, ())


def transform(root: N, change: Callable[[N], N]) -> N:
    """`change` applied to every node, from the leaves up."""
    return fold(root, lambda node, parts: change(rebuild(node, parts)))


def shared(root: N) -> N:
    """`root` with equal nodes made one: what is the same all over the tree is there once."""
    known: dict[tuple[object, ...], Any] = {}

    def unite(node: N, parts: tuple[N, ...]) -> N:
        return known.setdefault((type(node), *map(id, parts), *plain(node)), rebuild(node, parts))

    return fold(root, unite)


def plain(node: Node) -> tuple[object, ...]:
    """The fields of `node` that hold no nodes."""
    return tuple(value for value in _values(node) if not _parted(value))


def _parted(value: object) -> bool:
    """Whether a field holds nodes."""
    return isinstance(value, Node) or (isinstance(value, tuple) and any(isinstance(item, Node) for item in value))


def nodes(root: N) -> Iterator[N]:
    """`root` and everything below it, parents first."""
    seen: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            pending.extend(reversed(node.below))


def same(a: Node, b: Node) -> bool:
    """Whether two trees have the same structure: node for node, the same types and the same other fields."""
    seen: set[tuple[int, int]] = set()
    pending = [(a, b)]
    while pending:
        one, other = pending.pop()
        if one is other or (id(one), id(other)) in seen:
            continue
        seen.add((id(one), id(other)))
        below = children(one), children(other)
        if type(one) is not type(other) or len(below[0]) != len(below[1]):
            return False
        plain = zip(_values(one), _values(other), strict=True)
        if not all(x is y or x == y for x, y in plain if not isinstance(x, Node | tuple)):
            return False
        pending.extend(zip(*below, strict=True))
    return True


def _values(node: Node) -> tuple[object, ...]:
    return tuple([getattr(node, name) for name in _names(node)])


def _names(node: Node) -> tuple[str, ...]:
    """The fields of a dataclass, in order."""
    return node.__match_args__  # type: ignore[attr-defined]
