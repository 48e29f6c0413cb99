"""Intervals over a nest's domain: how far a loop runs, and which box of a tensor the loops inside a place touch.

Everything here follows from the loops' static extents and the constraints of the domain. A result that depends on
the loops outside is a sympy expression in their symbols, exact at ragged ends.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import product
from math import gcd, prod
from typing import TYPE_CHECKING

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Buffer, Constraint, Loop, Nest

if TYPE_CHECKING:
    import sympy

Ranges = Mapping[str, tuple[int, int]]


def ranges(loops: Iterable[Loop]) -> dict[str, tuple[int, int]]:
    """The least and greatest value of each loop."""
    return {loop.name: (loop.min, loop.min + loop.extent - 1) for loop in loops}


def extent(nest: Nest, loop: Loop) -> sympy.Expr:
    """How many values `loop` takes, given the loops outside: its extent, or a Min at a ragged end."""
    import sympy

    outer = nest.loops[: nest.loops.index(loop)]
    limits = []
    for constraint in nest.domain:
        step = dict(constraint.terms).get(loop.name)
        if step:
            room = _room(constraint, outer)
            if room.range(ranges(outer))[0] // step + 1 < loop.extent:
                limits.append(sympy.floor(room.sympy / step) + 1)
    return sympy.Min(loop.extent, *limits) if limits else sympy.Integer(loop.extent)


def _room(constraint: Constraint, outer: Iterable[Loop]) -> Affine:
    """What the loops outside leave of a constraint's limit; it may be below zero where nothing executes."""
    weights = dict(constraint.terms)
    used = [(loop.name, -weights[loop.name]) for loop in outer if loop.name in weights]
    mins = sum(weights[loop.name] * loop.min for loop in outer if loop.name in weights)
    return Affine.of(used, constraint.limit + mins)


@dataclass(frozen=True)
class Span:
    """The indices a place touches in one dimension of a tensor: low, low + step, .. high.

    `first` and `size`: the same at its largest, as a box whose first index is affine in the loops outside; at a
    ragged end low .. high covers less of it. `limits`: forms in the loops outside, each at least high - first. `parts`:
    what each of the indices covers.
    """

    first: Affine
    size: int
    step: int
    limits: tuple[Affine, ...]
    parts: tuple[_Cover, ...]

    @cached_property
    def low(self) -> sympy.Expr:
        import sympy

        return sympy.Min(*(part.first.sympy + part.missing for part in self.parts))

    @cached_property
    def high(self) -> sympy.Expr:
        import sympy

        return sympy.Max(*(part.first.sympy + part.reach for part in self.parts))

    @property
    def count(self) -> sympy.Expr:
        """Words touched."""
        import sympy

        return sympy.floor((self.high - self.low) / self.step) + 1


def footprint(
    indices: Sequence[Affine], outer: Sequence[Loop], inner: Sequence[Loop], domain: Iterable[Constraint]
) -> Span:
    """What `indices`, one dimension of some accesses of one tensor, cover while the `inner` loops run.

    Raises `ValueError` if the box would change its size with the loops outside.
    """
    return _footprint(tuple(dict.fromkeys(indices)), tuple(outer), tuple(inner), tuple(domain))


@lru_cache(maxsize=1 << 12)
def _footprint(
    indices: Sequence[Affine], outer: Sequence[Loop], inner: Sequence[Loop], domain: Iterable[Constraint]
) -> Span:
    parts = _covers(indices, outer, inner, domain)
    origin = min(parts, key=lambda part: part.first.constant)
    if any(part.first.terms != origin.first.terms for part in parts):
        raise ValueError("the accesses move apart")
    size = max(part.first.constant + part.size for part in parts) - origin.first.constant
    offsets = [part.first.constant - origin.first.constant for part in parts]
    moving = {loop.name for loop in inner if loop.extent > 1 or loop.lanes > 1}
    steps = [abs(c) for index in indices for n, c in index.terms if n in moving]
    return Span(
        first=origin.first,
        size=size,
        step=reduce(gcd, (*steps, *offsets)) or 1,
        limits=reduce(_greater, [_moved(part.limits, offset) for part, offset in zip(parts, offsets, strict=True)]),
        parts=tuple(parts),
    )


def _covers(
    indices: Iterable[Affine], outer: Sequence[Loop], inner: Sequence[Loop], domain: Iterable[Constraint]
) -> list[_Cover]:
    """Of each index; those that differ by a constant cover the same, moved by that."""
    found: dict[tuple[tuple[str, int], ...], _Cover] = {}
    parts = []
    for index in indices:
        if index.terms not in found:
            found[index.terms] = _cover(Affine(index.terms), outer, inner, domain)
        cover = found[index.terms]
        parts.append(replace(cover, first=cover.first + index.constant))
    return parts


def _moved(limits: Sequence[Affine], by: int) -> tuple[Affine, ...]:
    return tuple(limit + by for limit in limits)


def _greater(some: Sequence[Affine], others: Sequence[Affine]) -> tuple[Affine, ...]:
    """Upper bounds of the greater one of two numbers, of which each has some: those that can be compared."""
    return _least(a if (a - b).constant > 0 else b for a, b in product(some, others) if a.terms == b.terms)


def _least(limits: Iterable[Affine]) -> tuple[Affine, ...]:
    """Those upper bounds that no other one of them makes superfluous."""
    least: dict[tuple[tuple[str, int], ...], Affine] = {}
    for limit in limits:
        if limit.terms not in least or limit.constant < least[limit.terms].constant:
            least[limit.terms] = limit
    return tuple(least.values())


@dataclass(frozen=True)
class _Cover:
    """One index over the inner loops: first + missing .. first + reach, at most `size` long. `limits`: upper bounds of
    `reach`. `rising` and `falling`: what goes up and down from where the inner loops are at their start."""

    first: Affine
    size: int
    limits: tuple[Affine, ...]
    rising: _Sum
    falling: _Sum

    @property
    def missing(self) -> sympy.Expr:
        return self.falling.most - self.falling.now.sympy

    @property
    def reach(self) -> sympy.Expr:
        return self.falling.most + self.rising.now.sympy


def _cover(index: Affine, outer: Sequence[Loop], inner: Sequence[Loop], domain: Iterable[Constraint]) -> _Cover:
    weights = index.coefficients
    rising = _greatest({loop.name: weights.get(loop.name, 0) for loop in inner}, outer, inner, domain)
    falling = _greatest({loop.name: -weights.get(loop.name, 0) for loop in inner}, outer, inner, domain)
    start = index.substitute({loop.name: Affine((), loop.min) for loop in inner})
    return _Cover(
        first=start - falling.most,
        size=1 + rising.most + falling.most,
        limits=_moved(rising.limits, falling.most),
        rising=rising,
        falling=falling,
    )


def greatest(form: Affine, loops: Sequence[Loop], domain: Iterable[Constraint]) -> int:
    """What a form in the values of some loops does not exceed; its greatest value where the constraints are those of
    splits."""
    first = form.at({loop.name: loop.min for loop in loops})
    return first + _greatest({loop.name: form[loop.name] for loop in loops}, (), loops, domain).most


@dataclass(frozen=True)
class _Now:
    """`constant` and, for each of `ragged`, the lesser one of what it is in full and of `scale * (room // unit)`."""

    constant: int
    ragged: tuple[tuple[_Now, int, Affine, int], ...] = ()

    def __add__(self, other: _Now) -> _Now:
        return _Now(self.constant + other.constant, self.ragged + other.ragged)

    @cached_property
    def sympy(self) -> sympy.Expr:
        """In the symbols of the loops outside."""
        import sympy

        return sympy.Add(self.constant, *(sympy.Min(full.sympy, scale * sympy.floor(room.sympy / unit))
                                          for full, scale, room, unit in self.ragged))  # fmt: skip


@dataclass(frozen=True)
class _Sum:
    """A weighted sum of loop offsets: its greatest value over all, and for given loops outside; `limits`: forms in
    these, none of which is less."""

    most: int
    now: _Now
    limits: tuple[Affine, ...]

    @staticmethod
    def of(most: int) -> _Sum:
        return _Sum(most, _Now(most), (Affine((), most),))

    def __add__(self, other: _Sum) -> _Sum:
        limits = _least(a + b for a, b in product(self.limits, other.limits))
        return _Sum(self.most + other.most, self.now + other.now, limits)


def _greatest(
    weights: Mapping[str, int], outer: Sequence[Loop], inner: Sequence[Loop], domain: Iterable[Constraint]
) -> _Sum:
    """The greatest value of the positive part of sum(weight * offset) over the inner loops.

    Constraints are taken from the narrowest to the widest. One limits a sum whose weights are a multiple of its
    own, so the result is the greatest value itself wherever the loops inside are the innermost digits of a split.
    """
    terms = {
        frozenset((loop.name,)): _Sum.of(weights[loop.name] * (loop.extent - 1))
        for loop in inner
        if weights[loop.name] > 0
    }
    for constraint in sorted(domain, key=lambda constraint: len(constraint.terms)):
        bound = {name: step for name, step in constraint.terms if weights.get(name, 0) > 0}
        ratios = {Fraction(weights[name], step) for name, step in bound.items()}
        if len(ratios) != 1 or (ratio := ratios.pop()).denominator != 1:
            continue
        covered = [names for names in terms if names <= bound.keys()]
        if frozenset().union(*covered) != bound.keys():
            continue
        total = sum((terms.pop(names) for names in covered), _Sum.of(0))
        unit, scale = gcd(*bound.values()), gcd(*bound.values()) * int(ratio)
        room = _room(constraint, outer)
        ragged = room.range(ranges(outer))[0] // unit * scale < total.most
        now = _Now(0, ((total.now, scale, room, unit),)) if ragged else total.now
        most = min(total.most, constraint.limit // unit * scale)
        limits = _least((*total.limits, Affine((), most), *([room * int(ratio)] if ragged else [])))
        terms[frozenset(bound)] = _Sum(most, now, limits)
    return sum(terms.values(), _Sum.of(0))


def tile(nest: Nest, buffer: Buffer) -> tuple[Span, ...]:
    """The box of its tensor that `buffer` holds, one span a dimension, given the loops outside it.

    One that slides also holds the words between its own that other places of its window need.
    """
    place = depth(nest, buffer.at)
    every = (*nest.reads, nest.write)
    accesses = [each.indices for each in every if each.tensor == buffer.tensor]
    spans = box((*accesses, *buffer.also), nest, place)
    if buffer.slide:
        along = spans[buffer.slide.dimension]
        step = gcd(along.step if along.size > 1 else 0, buffer.slide.step)
        spans[buffer.slide.dimension] = replace(along, step=step)
    return tuple(spans)


def box(accesses: Iterable[Sequence[Affine]], nest: Nest, place: int) -> list[Span]:
    """What accesses of one tensor cover, one span a dimension, given the outermost `place` loops."""
    outer, inner = nest.loops[:place], nest.loops[place:]
    return [footprint(indices, outer, inner, nest.domain) for indices in zip(*accesses, strict=True)]


def held(nest: Nest, buffer: Buffer) -> tuple[int, ...]:
    """The words of one half of `buffer` in each dimension, of a line buffer all rows; words between those that a stride
    reads are not held."""
    spans = tile(nest, buffer)
    sizes = [(span.size - 1) // span.step + 1 for span in spans]
    if slide := buffer.slide:
        sizes[slide.dimension] += (buffer.halves - 1) * slide.step // spans[slide.dimension].step
    return tuple(sizes)


def depth(nest: Nest, at: str | None) -> int:
    """How many loops lie outside a place just inside loop `at` (None: outside all loops)."""
    return 0 if at is None else nest.loops.index(nest.loop[at]) + 1


def refills(nest: Nest, buffer: Buffer) -> tuple[Loop, ...]:
    """The loops of which any step refills `buffer`: those outside it, up to the innermost that moves its tile."""
    return moving(nest.loops[: depth(nest, buffer.at)], buffer.mins)


def moving(outer: tuple[Loop, ...], mins: Iterable[Affine]) -> tuple[Loop, ...]:
    """The outermost of the `outer` loops, up to the innermost whose steps move a tile that begins at `mins`."""
    names = {name for first in mins for name in first.names}
    return outer[: prefix([loop.name for loop in outer], {loop.name for loop in outer if loop.steps > 1} & names)]


def prefix(names: Iterable[str], wanted: Container[str]) -> int:
    """How many of `names`, outer to inner, it takes to have all that are `wanted`: the refill rule, where these move a
    tile."""
    return max((number for number, name in enumerate(names, 1) if name in wanted), default=0)


def iterations(nest: Nest) -> int:
    """How many iterations are executed; exact where constraints share no loop with each other."""
    free = prod(loop.extent for loop in nest.loops)
    return free if not nest.domain else _count(nest)


def _count(nest: Nest) -> int:
    """Count by groups of loops that constraints tie together."""
    groups: list[tuple[set[str], list[Constraint]]] = []
    for constraint in nest.domain:
        names, tied = set(dict(constraint.terms)), [constraint]
        for group in [group for group in groups if group[0] & names]:
            groups.remove(group)
            names, tied = names | group[0], tied + group[1]
        groups.append((names, tied))
    total = 1
    for loop in nest.loops:
        if not any(loop.name in names for names, _ in groups):
            total *= loop.extent
    for names, tied in groups:
        loops = [loop for loop in nest.loops if loop.name in names]
        total *= _points(loops, tied)
    return total


def _points(loops: Sequence[Loop], domain: Sequence[Constraint]) -> int:
    """Points of a box that satisfy the constraints, counted by the amounts used so far."""
    states = {(0,) * len(domain): 1}
    for loop in loops:
        after: dict[tuple[int, ...], int] = {}
        steps = [dict(constraint.terms).get(loop.name, 0) for constraint in domain]
        for used, ways in states.items():
            for offset in range(loop.extent):
                now = tuple(u + s * offset for u, s in zip(used, steps, strict=True))
                if all(u <= c.limit for u, c in zip(now, domain, strict=True)):
                    after[now] = after.get(now, 0) + ways
        states = after
    return sum(states.values())
