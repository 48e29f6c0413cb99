"""The tiles of a tensor, one variable at a time: how many there are, and how far they reach, ragged ends included.

A tile is a box of the tensor; the loops outside it move it. A loop's part in a tile is its role, that of its lanes is
stated apart: *moves*, each step or lane has tiles of its own; *inside*, it lies within the box; *start*, it stays at
its first value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import gcd
from typing import Literal

from halidehw.energy_model.symbolic.chains import Digit, Variable
from halidehw.energy_model.symbolic.terms import Terms, Value
from halidehw.errors import CostError

Role = Literal["moves", "inside", "start"]


@dataclass(frozen=True)
class Roles:
    """`moves`: loop -> 1 where its steps move the tile, 0 where they do not, or an expression that says which;
    `inside`: the loops within the box; `lanes`: of each unrolled loop."""

    moves: Mapping[str, Value]
    inside: frozenset[str]
    lanes: Mapping[str, Role]

    def within(self, digit: Digit) -> bool:
        """Whether a loop lies in the box with all its lanes."""
        return digit.loop in self.inside and (digit.lanes == 1 or self.lanes[digit.loop] == "inside")


@dataclass(frozen=True)
class Share:
    """A variable's share of the tiles. `tiles`: how many; `reach`: the sum over all of the steps from the first value
    to the last, `most`: those of a full one, `kept`: without what lies beyond the variable everywhere; `unit`: the
    values between two of them."""

    tiles: Value
    reach: Value = 0
    most: Value = 0
    kept: Value = 0
    unit: Value = 1


def share(terms: Terms, variable: Variable, roles: Roles) -> Share:
    """Raises CostError for a box with gaps between its values."""
    digits = variable.digits
    sides = [digit for digit in digits if digit.lanes > 1 and roles.lanes[digit.loop] == "inside"]
    held = [digit for digit in digits if digit.loop in roles.inside]
    apart = sides and not held and sides[0] is not digits[-1]
    unit = sides[0].stride if apart else 1
    if apart and len(sides) > 1:
        raise _gaps(variable)
    tiles, reach = _count(terms, variable, roles, 0, variable.extent)
    most = sum((digit.steps * digit.lanes - 1) * digit.stride for digit in held if roles.within(digit))
    most += sum((digit.lanes - 1) * digit.stride for digit in sides if digit not in held)
    most = sides[0].lanes - 1 if apart else terms.named(most)
    kept = terms.quotient(_kept(terms, variable, roles), unit) if apart else _kept(terms, variable, roles)
    return Share(terms.named(tiles), terms.named(reach), most, kept, unit)


def _kept(terms: Terms, variable: Variable, roles: Roles) -> Value:
    """The values from the first to the last of a full tile: of a loop's iterations no more than the one around it has
    room for."""
    kept: Value = 0
    rooms = [variable.extent, *(digit.stride for digit in variable.digits)]
    for room, digit in zip(reversed(rooms[:-1]), reversed(variable.digits), strict=True):
        if roles.within(digit):
            kept = terms.least(kept + (digit.steps * digit.lanes - 1) * digit.stride, room - 1)
        elif digit.lanes > 1 and roles.lanes[digit.loop] == "inside" and digit.loop not in roles.inside:
            kept = terms.least(kept + (digit.lanes - 1) * digit.stride, room - 1)
    return kept


def _count(terms: Terms, variable: Variable, roles: Roles, place: int, room: Value) -> tuple[Value, Value]:
    """Tiles and reach over the loops from `place` inwards, where `room` values of the variable are left to them."""
    inner = variable.digits[place:]
    one = terms.least(1, room)
    if all(roles.within(digit) for digit in inner):
        return one, (room - one if inner else 0)
    digit = inner[0]
    moves = roles.moves.get(digit.loop, 0)
    if digit.loop in roles.inside:
        raise _gaps(variable)
    if moves == 0:
        return one, 0
    role = roles.lanes[digit.loop] if digit.lanes > 1 else "start"
    period = digit.stride if role == "moves" else digit.advance
    whole, rest = terms.quotient(room, period), terms.remainder(room, period)
    if role == "inside" and all(roles.within(each) for each in inner[1:]):
        tiles = terms.rounds(room, period)
        return tiles, terms.named(room - tiles)
    if period != digit.stride:
        rest = terms.least(rest, digit.stride)
    each, last = (_count(terms, variable, roles, place + 1, size) for size in (digit.stride, rest))
    tiles, reach = (terms.named(whole * one_of + of_last) for one_of, of_last in zip(each, last, strict=True))
    if role == "inside":
        if any(each.lanes > 1 or each.loop in roles.inside for each in inner[1:]):
            raise _gaps(variable)
        reach = terms.named(room - tiles)
    return terms.named(moves * tiles + (1 - moves) * one), reach


def _gaps(variable: Variable) -> CostError:
    loops = ", ".join(digit.loop for digit in variable.digits)
    return CostError(f"a tile over the loops of {variable.name} ({loops}) has gaps that cannot be counted in symbols")


@dataclass(frozen=True)
class Indexed:
    """A tensor as it is read: per dimension variable -> coefficient, and for each access the constants, counted from
    the tensor's edge. `edges`: its extents, where words outside are not read."""

    name: str
    bits: int
    dims: tuple[Mapping[str, int], ...]
    taps: tuple[tuple[int, ...], ...]
    edges: tuple[int, ...] = ()

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(name for dim in self.dims for name in dim)


@dataclass(frozen=True)
class Tiles:
    """All tiles of a tensor: the share of every variable of the nest."""

    terms: Terms
    tensor: Indexed
    shares: Mapping[str, Share]
    roles: Roles

    @property
    def count(self) -> Value:
        return self.terms.product(part.tiles for part in self.shares.values())

    @property
    def words(self) -> Value:
        """Of all tiles together."""
        return self.terms.product([*(side.total for side in self.sides), self.others])

    def words_at_start(self, dim: int) -> Value:
        """The words whose index in a dimension is their tile's first."""
        sides = [self._product(side.shares) if d == dim else side.total for d, side in enumerate(self.sides)]
        return self.terms.product([*sides, self.others])

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        return tuple(
            _side(self.terms, [(coefficient, self.shares[name]) for name, coefficient in dim.items()], taps)
            for dim, taps in zip(self.tensor.dims, zip(*self.tensor.taps, strict=True), strict=True)
        )

    @property
    def others(self) -> Value:
        """How many there are for each place in the tensor."""
        mine = self.tensor.variables
        return self._product([part for name, part in self.shares.items() if name not in mine])

    def _product(self, shares: Sequence[Share]) -> Value:
        return self.terms.product(part.tiles for part in shares)


@dataclass(frozen=True)
class Side:
    """One dimension of all tiles: their sizes' sum, the size of a full one, what a memory keeps of that (see `Share`),
    and the step between its indices."""

    shares: tuple[Share, ...]
    total: Value
    extent: Value
    kept: Value
    step: Value


def _side(terms: Terms, parts: Sequence[tuple[int, Share]], taps: Sequence[int]) -> Side:
    """`parts`: coefficient and share of each variable of the index."""
    spread, between = max(taps) - min(taps), gcd(*(tap - taps[0] for tap in taps))
    shares = tuple(part for _, part in parts)
    tiles = terms.product(part.tiles for part in shares)
    reaching = [(coefficient, part) for coefficient, part in parts if part.most != 0]
    apart = [place for place, (_, part) in enumerate(parts) if part.most != 0]
    if not spread and len(reaching) <= 1:
        if not reaching:
            return Side(shares, tiles, 1, 1, 1)
        coefficient, part = reaching[0]
        others = terms.product(each.tiles for place, each in enumerate(shares) if place != apart[0])
        step = terms.named(1 + terms.more(part.most, 0) * (coefficient * part.unit - 1))
        extent, kept = (terms.named(size + 1) for size in (part.most, part.kept))
        return Side(shares, terms.named(tiles + part.reach * others), extent, kept, step)
    units = [coefficient * part.unit for coefficient, part in reaching]
    if not all(isinstance(unit, int) for unit in units):
        raise CostError(
            "a tile whose lanes lie a symbol apart, and that other loops widen, cannot be counted in symbols"
        )
    scales, width, step = _scales(terms, reaching, units, spread, between)
    total, extent, kept = tiles * (1 + width), 1 + width, 1 + width
    for place, scale, (_, part) in zip(apart, scales, reaching, strict=True):
        others = terms.product(each.tiles for at, each in enumerate(shares) if at != place)
        total = total + scale * part.reach * others
        extent, kept = extent + scale * part.most, kept + scale * part.kept
    return Side(shares, terms.named(total), terms.named(extent), terms.named(kept), step)


def _scales(
    terms: Terms, reaching: Sequence[tuple[int, Share]], units: Sequence[int], spread: int, between: int
) -> tuple[list[Value], Value, Value]:
    """Indices between two steps of each variable, and between the first and last tap, in steps of the box; the step.

    It is the greatest one that reaches all indices, so it depends on which variables vary.
    """
    if all(unit == 1 for unit in units) and between <= 1:
        return [1] * len(units), spread, 1
    varies = [terms.more(part.most, 0) for _, part in reaching]
    scales, width, step = [0] * len(units), 0, 0
    for chosen in product((False, True), repeat=len(units)):
        truth = terms.product(each if yes else terms.negation(each) for yes, each in zip(chosen, varies, strict=True))
        found = gcd(between, *(unit for unit, yes in zip(units, chosen, strict=True) if yes)) or 1
        step = step + truth * found
        width = width + truth * (spread // found)
        scales = [
            scale + truth * (unit // found) if yes else scale
            for scale, unit, yes in zip(scales, units, chosen, strict=True)
        ]
    return [terms.named(scale) for scale in scales], terms.named(width), terms.named(step)
