"""Banking: cyclic partitions of a memory's dimensions under which the lanes of one cycle never meet in a bank.

Element q (a coordinate per dimension) lies in bank sum((q_d mod factor_d) * bank_stride_d), at word
sum((q_d div factor_d) * stride_d). Lane l reads base + offset_l, the same base for all lanes, so two lanes meet
exactly when their offsets agree modulo every factor: the base does not matter, and the choice is made once.
Where the base is always a multiple of the factor, a lane's bank is fixed; otherwise the lanes' banks rotate with
the base, and the factor is a power of two so that the bank is the low bits of the coordinate; of a ring it can also be
the number of its rows, each a bank, since a counter says in which of them the first one lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np

from halidehw.errors import HardwareError
from halidehw.ir.affine import Affine
from halidehw.microarch.numbers import N

Offset = tuple[int, ...]

WASTED = 16
"""A stated alignment takes room along a dimension of so many times the next power of two at most."""


@dataclass(frozen=True)
class Dim:
    """One dimension of a banked memory; `extent` in coordinates, strides in words and banks."""

    extent: int
    factor: int
    rotating: bool
    stride: int
    bank_stride: int

    @property
    def shift(self) -> int:
        """The bits of a bank's number, where rotating."""
        return (self.factor - 1).bit_length()


@dataclass(frozen=True)
class Stated:
    """How words lie in a bank, as it is said: the `order` of the dimensions, the fastest first, and pairs of a
    dimension and what its length is a multiple of. `refused`
    makes the error for what cannot be, with further pairs that would do."""

    order: tuple[int, ...]
    aligned: tuple[tuple[int, int], ...]
    refused: Callable[[str, Sequence[tuple[int, int]]], HardwareError]


@dataclass(frozen=True)
class Forced:
    """What is chosen already, for each dimension: its factor, whether its banks turn though they need not, and of one
    whose do the bit of an address at which the number of a row begins."""

    factors: tuple[int, ...] | None = None
    turning: tuple[bool, ...] | None = None
    places: tuple[int, ...] | None = None


class Overlap(HardwareError):
    """Numbers of rows share bits of an address, where these are chosen already."""


def partition(
    extents: tuple[int, ...], base: tuple[Affine, ...], lanes: tuple[Offset, ...], vector: int, rows: int | None = None,
    forced: Forced | None = None, most: int | None = None, stated: Stated | None = None, alone: bool = False,
) -> list[Dim]:  # fmt: skip
    """The cheapest conflict-free partition; of those that take at most `most` words, if there are any.

    `base`: the reader's coordinate per dimension over its axes. `vector`: words written together along dimension 0;
    its factor is a multiple of that. `rows`: the dimension of a ring, which can start anywhere: banked, it rotates, and
    is rounded up to its factor, or, where that is over an eighth more, each row is a bank; else it lies outermost in
    the address; `alone`: each row is a bank. `forced`: what is chosen already, `stated`: how words lie. Raises
    HardwareError where lanes meet with that, and for an order in which rotating dimensions cannot lie.
    """
    if rows is not None:
        base = (*base[:rows], base[rows] + Affine.variable("first row"), *base[rows + 1 :])
    forced = forced or Forced()
    if forced.factors and len(forced.factors) != len(extents):
        raise HardwareError(f"a memory has {len(extents)} dimensions, those of copies for lanes included, where it has "
                            f"{len(forced.factors)} in another design")  # fmt: skip
    best = _cheapest(extents, base, lanes, vector, rows, forced, most, alone)
    if best is None and forced.factors:
        raise HardwareError(f"lanes meet in a bank where a memory has {forced.factors} banks along its dimensions")
    assert best is not None, "a factor as large as the extent always separates the lanes"
    dims = _laid(extents, base, best, rows, forced, alone)
    return _as_stated(dims, stated, forced) if stated else dims


@lru_cache(maxsize=1 << 12)
def _cheapest(
    extents: tuple[int, ...], base: tuple[Affine, ...], lanes: tuple[Offset, ...], vector: int, rows: int | None,
    forced: Forced, most: int | None, alone: bool,
) -> tuple[int, ...] | None:  # fmt: skip
    """The banks along each dimension; None where lanes meet in all."""
    choices = [[factor] for factor in forced.factors] if forced.factors else [
        _factors(extent, [lane[d] for lane in lanes], vector if d == 0 else 1) for d, extent in enumerate(extents)
    ]
    best: tuple[tuple[float, ...], tuple[int, ...]] | None = None
    offsets = np.array(lanes)
    for factors in product(*choices):
        banks = prod(factors)
        if banks < len(lanes) or (best and not best[0][0] and banks > best[0][1]):
            continue
        if not apart(offsets, factors):
            continue
        rotating = _rotating(base, factors, forced)
        if any(turns and factor & (factor - 1) for turns, factor in zip(rotating, factors, strict=True)):
            continue
        over = most is not None and room(_laid(extents, base, factors, rows, forced, alone)) > most
        cost = (over, banks * (1.25 if any(rotating) else 1.0), sum(rotating), banks)
        if best is None or cost < best[0]:
            best = (cost, factors)
    return best and best[1]


def room(dims: Sequence[Dim]) -> int:
    """The words of all banks of a part."""
    return prod(dim.factor for dim in dims) * depth(dims)


def depth(dims: Sequence[Dim]) -> int:
    """The words of a part in each bank."""
    return sum((-(-dim.extent // dim.factor) - 1) * dim.stride for dim in dims) + 1


def power_of_two(size: int) -> int:
    """The next one."""
    return 1 << (size - 1).bit_length()


def strides(
    sizes: Sequence[N], rotating: Sequence[bool], power: Callable[[N], N], outermost: int | None = None
) -> list[N]:
    """From a word of a bank to the next one along each dimension, which has so many there: rotating dimensions first,
    padded to the next `power` of two but for the last, so that their quotients join without an adder between them."""
    turning = [d for d, turns in enumerate(rotating) if turns]
    others = sorted((d for d, turns in enumerate(rotating) if not turns), key=lambda d: d == outermost)
    found, words = dict[int, Any](), 1
    for d in (*turning, *others):
        found[d] = words
        words = words * (power(sizes[d]) if d in turning[:-1] else sizes[d])
    return [found[d] for d in range(len(sizes))]


def _laid(
    extents: tuple[int, ...], base: tuple[Affine, ...], factors: tuple[int, ...], rows: int | None, forced: Forced,
    alone: bool,
) -> list[Dim]:  # fmt: skip
    """The dimensions in so many banks, those of a ring as many as it has rows where a factor would waste much, or they
    are to be `alone`."""
    held = list(factors)
    if rows is not None and (alone or -extents[rows] % held[rows] > extents[rows] // 8):
        held[rows] = extents[rows]
    dims = _layout(extents, tuple(held), _rotating(base, tuple(held), forced), rows, forced.places)
    if rows is not None:
        dims[rows] = replace(dims[rows], extent=-(-extents[rows] // held[rows]) * held[rows])
    return dims


def _as_stated(dims: Sequence[Dim], stated: Stated, forced: Forced) -> list[Dim]:
    """The same in the order, and with the gaps, that are stated. The rows of banks that turn are a power of two words
    apart, as their numbers are bits of the address."""
    found, words, multiples, uneven = list(dims), 1, dict(stated.aligned), list[tuple[int, int]]()
    for d in stated.order:
        dim = dims[d]
        if dim.rotating and dim.factor < dim.extent and words & (words - 1):
            raise stated.refused(
                f"the banks of dimension {d} turn, so that its rows are a power of two words apart; they are {words}",
                uneven,
            )
        words = 1 << forced.places[d] if forced.places and dim.rotating else words
        found[d] = replace(dim, stride=words)
        multiple = multiples.get(d, 1)
        rows = -(-(-(-dim.extent // multiple) * multiple) // dim.factor)
        needed = -(-dim.extent // dim.factor)
        if rows > WASTED * power_of_two(needed) and d != stated.order[-1]:
            raise stated.refused(
                f"dimension {d} has {dim.extent} elements and would take room of {rows * dim.factor}, more than "
                f"{WASTED} times a power of two", [(d, power_of_two(needed) * dim.factor)],
            )  # fmt: skip
        uneven += [(d, power_of_two(rows) * dim.factor)] if rows & (rows - 1) else []
        words *= rows
    return found


def apart(lanes: np.ndarray, factors: Iterable[int]) -> bool:
    """Whether no two `lanes`, int64 (n, dims), meet in a bank, of so many in each dimension."""
    banks = np.zeros(len(lanes), np.int64)
    for along, factor in zip(lanes.T, factors, strict=True):
        banks = banks * factor + along % factor
    banks.sort()
    return bool((banks[1:] != banks[:-1]).all())


def _factors(extent: int, offsets: list[int], vector: int) -> list[int]:
    """Candidates: 1, every factor up to the lanes' span and the powers of two above, as multiples of `vector`."""
    span = max(offsets) - min(offsets) + 1
    count = len(set(offsets))
    power = 1 << (span - 1).bit_length()
    wanted = {1, power} | {f for f in range(count, min(span, 4 * count) + 1)}
    wanted |= {1 << k for k in range(power.bit_length())}
    return sorted({-(-f // vector) * vector for f in wanted})


def _rotating(base: tuple[Affine, ...], factors: tuple[int, ...], forced: Forced) -> list[bool]:
    """The dimensions whose banks turn with the base, or are to."""
    own = (_rotates(form, factor) for form, factor in zip(base, factors, strict=True))
    return [turns or wanted for turns, wanted in zip(own, forced.turning or [False] * len(factors), strict=True)]


def _rotates(base: Affine, factor: int) -> bool:
    return any(value % factor for _, value in base.terms)


def places(rows: Sequence[tuple[int, ...]], order: Iterable[int]) -> tuple[int, ...]:
    """The bit of an address at which the number of a row begins, along each dimension, so that in none of several
    layouts two numbers overlap: `rows` of each layout, 1 where all numbers are 0. The `order` begins with the fastest.
    """
    found = dict[int, int]()
    for d in order:
        taken = ((at, each[e]) for e, at in found.items() for each in rows if min(each[d], each[e]) > 1)
        found[d] = max((at + (size - 1).bit_length() for at, size in taken), default=0)
    return tuple(found.get(d, 0) for d in range(len(rows[0])))


def _overlap(sizes: Sequence[int], rotating: Sequence[bool], at: Sequence[int]) -> bool:
    """Whether numbers of rows that begin there share a bit."""
    turning = [(at[d], size) for d, size in enumerate(sizes) if rotating[d] and size > 1]
    return any(start + (size - 1).bit_length() > after for (start, size), (after, _) in pairwise(sorted(turning)))


def _layout(
    extents: tuple[int, ...], factors: tuple[int, ...], rotating: list[bool], outermost: int | None,
    forced: tuple[int, ...] | None,
) -> list[Dim]:  # fmt: skip
    """Word strides, and bank strides with dimension 0 fastest."""
    sizes = [-(-extent // factor) for extent, factor in zip(extents, factors, strict=True)]
    apart = strides(sizes, rotating, power_of_two, outermost)
    if forced and any(rotating):
        if _overlap(sizes, rotating, forced):
            raise Overlap(
                f"banks that turn along several dimensions have {sizes} rows, whose numbers do not fit at the bits "
                f"{list(forced)} of an address, as those of the designs that a machine was made for do",
                legal=("machine([...], counters=16)",),
            )
        turning = [d for d, turns in enumerate(rotating) if turns]
        before, turned = max(apart[d] * sizes[d] for d in turning), max(sizes[d] << forced[d] for d in turning)
        apart = [1 << forced[d] if d in turning else own // before * turned for d, own in enumerate(apart)]
    bank_strides, banks = [], 1
    for factor in factors:
        bank_strides.append(banks)
        banks *= factor
    return [
        Dim(extent, factor, turns, apart[d], bank_strides[d])
        for d, (extent, factor, turns) in enumerate(zip(extents, factors, rotating, strict=True))
    ]
