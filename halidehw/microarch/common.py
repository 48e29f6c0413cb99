"""What several programs have in common: one order of their axes, and one list of their limits, names and masks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

Key = tuple[str, ...]
"""A place in a network: names and fields on the way to it."""

Split = tuple[tuple[str, ...], tuple[str, ...]]
"""The axes outside a depth of a walk, and those inside."""

FEWER = ("starts",)
"""Fields that name axes, of which a program may have fewer than it names: a step is then fresh more often."""


@dataclass(frozen=True)
class Misfit(Exception):
    """What of a network does not fit: the place, what it needs, and what there is."""

    place: Key
    needs: Any
    has: Any


def ordered(
    key: Key, orders: list[tuple[str, ...]], splits: list[tuple[Key, Split]], loops: Sequence[tuple[str, ...]],
    filling: Sequence[tuple[str, ...]],
) -> tuple[str, ...]:  # fmt: skip
    """`merged`; where that is possible, with the axes outside a depth in some program before those inside it in another
    one, which may have none of the first, the axes outside in the order of the loops, and those over the words of a
    store in the order in which it is filled."""
    pairs, outer = dict[tuple[str, ...], None](), {name for _, (names, _) in splits for name in names}
    every = {name for order in orders for name in order}
    for place in dict.fromkeys(place for place, _ in splits):
        outside = {name: None for at, (names, _) in splits if at == place for name in names}
        inside = {name: None for at, (_, names) in splits if at == place for name in names}
        pairs |= dict.fromkeys((a, b) for a in outside if a not in inside for b in inside if b not in outside)
    hints = [*pairs, *(tuple(name for name in order if name in outer) for order in loops)]
    return hinted(key, orders, [*hints, *(tuple(name for name in order if name in every) for order in filling)])


def hinted(key: Key, orders: list[tuple[str, ...]], hints: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """`merged`, by those hints that do not contradict it or one before. Raises as `merged` does."""
    taken, found = list(orders), merged(key, orders)
    for hint in hints:
        try:
            found = merged(key, [*taken, hint])
        except Misfit:
            continue
        taken.append(hint)
    return found


def merged(key: Key, orders: list[tuple[str, ...]]) -> tuple[str, ...]:
    """One order of axes in which each program's own are in theirs."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for order in sorted(set(orders), key=lambda order: (-len(order), order)):
        for name in order:
            sorter.add(name)
        for outer, inner in itertools.pairwise(order):
            sorter.add(inner, outer)
    try:
        return tuple(sorter.static_order())
    except CycleError:
        raise Misfit(key, orders[0], next(order for order in orders if order != orders[0])) from None


def chosen(key: Key, found: list[tuple[tuple[str, ...], frozenset[str]]]) -> tuple[str, ...]:
    """The axes that all programs name, each with those that step in it: what steps in a program that does not name it
    is left out where that may be."""
    every = tuple(dict.fromkeys(name for names, _ in found for name in names))
    others = frozenset().union(*(steps - set(names) for names, steps in found)) if key[-1] in FEWER else frozenset()
    return tuple(name for name in every if name not in others)


def limit_places(found: list[tuple[frozenset[str], ...]]) -> tuple[frozenset[str], ...]:
    """Sets of axes among which each program's limits find one that has all of theirs, each another one."""
    places: list[frozenset[str]] = []
    for kinds in sorted(dict.fromkeys(found), key=lambda kinds: -sum(map(len, kinds))):
        if assigned(kinds, places) is None:
            for kind in kinds:
                if assigned(kinds, places) is None:
                    places.append(kind)
    return tuple(places)


def assigned(kinds: Sequence[frozenset[str]], places: Sequence[frozenset[str]]) -> list[int] | None:
    """For each set of axes a place of its own that has them all, or None: by augmenting paths."""
    taken: dict[int, int] = {}

    def found(own: int, tried: set[int]) -> bool:
        for place, names in enumerate(places):
            if place not in tried and kinds[own] <= names:
                tried.add(place)
                if place not in taken or found(taken[place], tried):
                    taken[place] = own
                    return True
        return False

    if not all(found(own, set()) for own in range(len(kinds))):
        return None
    at = {own: place for place, own in taken.items()}
    return [at[own] for own in range(len(kinds))]


def most_of(found: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Each as often as the program has it that has it most often."""
    kinds = dict.fromkeys(kind for each in found for kind in each)
    return tuple(kind for kind in kinds for _ in range(max(each.count(kind) for each in found)))
