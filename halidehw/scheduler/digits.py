"""A stage's loops in numbers: each variable as a mixed-radix sum of loops.

Invariant: a variable is `min + sum of weight * digit`, each digit in 0 .. extent-1 and the weights those of its
splits, so every value within the bounds is reached exactly once; where a split does not divide, a constraint cuts off
the combinations beyond the end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd, prod

from halidehw.errors import ScheduleError
from halidehw.frontend.directives import Fuse, Split
from halidehw.ir.affine import Affine, Part
from halidehw.ir.nest import Constraint
from halidehw.notes import Note

Bounds = Mapping[str, tuple[int, int]]
"""Variable -> (min, extent)."""


@dataclass(frozen=True)
class Digit:
    """One loop: `key` names it uniquely, `label` as its user does; `whole` if it is an unsplit variable."""

    key: str
    label: str
    extent: int
    whole: bool


@dataclass(frozen=True)
class Digits:
    """The loops so far: by user-visible name the digits it stands for, outer to inner (several: a fused loop).

    `values`: variable -> its offset from its min, over digits' keys; `domain`: over digits' keys. `notes`: the splits
    that change nothing.
    """

    groups: Mapping[str, tuple[Digit, ...]]
    values: Mapping[str, Affine]
    domain: tuple[Constraint, ...] = ()
    notes: tuple[Note, ...] = ()


def start(bounds: Bounds, limits: Sequence[Affine] = ()) -> Digits:
    """One digit a variable. `limits`: forms over the variables that fall, are at least 0 at every iteration, and at the
    least value of all."""
    firsts = {name: Affine((), low) for name, (low, _) in bounds.items()}
    domain = (Constraint(tuple(sorted((-each).terms)), each.substitute(firsts).constant) for each in limits)
    return Digits(
        groups={name: (Digit(name, name, extent, True),) for name, (_, extent) in bounds.items()},
        values={name: Affine.variable(name) for name in bounds},
        domain=tuple(each for each in domain if each.terms),
    )


def derive(digits: Digits, directive: Split | Fuse) -> Digits:
    """The digits after a split or a fuse. A split by more than the loop's iterations is one by as many. Raises
    `ScheduleError` for a split that cuts across a fused loop."""
    match directive:
        case Split(old=old, outer=outer, inner=inner):
            total = prod(digit.extent for digit in digits.groups[old])
            if directive.factor > total or directive.factor == 1:
                digits = replace(digits, notes=(*digits.notes, _idle(directive, total)))
            directive = replace(directive, factor=min(directive.factor, total))
            groups = {name: group for name, group in digits.groups.items() if name != old}
            outer_part, inner_part, cut = _cut(directive, digits.groups[old])
            result = digits if cut is None else _divide(digits, *cut)
            return replace(result, groups={**groups, outer: outer_part, inner: inner_part})
        case Fuse(outer=outer, inner=inner, fused=fused):
            parts = digits.groups[outer] + digits.groups[inner]
            groups = {name: group for name, group in digits.groups.items() if name not in (outer, inner)}
            return replace(digits, groups={**groups, fused: parts})


def _idle(split: Split, extent: int) -> Note:
    """A split that leaves one of its two loops a single iteration, though it does not look so."""
    all_in = f"{split.old} has {extent} iteration{'s' * (extent > 1)}, all of them in {split.inner}"
    return Note(f"{split}: {all_in if split.factor > extent else f'{split.inner} has 1 iteration'}", split.source)


Cut = tuple[Digit, Digit, Digit]
"""A digit, and the outer and inner digit it becomes."""


def _cut(split: Split, group: tuple[Digit, ...]) -> tuple[tuple[Digit, ...], tuple[Digit, ...], Cut | None]:
    """The digits outside and inside `factor` iterations of a loop, and the digit that had to be divided."""
    factor = split.factor
    for place in reversed(range(len(group))):
        digit = group[place]
        if factor % digit.extent == 0 and place > 0:
            factor //= digit.extent
        elif digit.extent % factor == 0 or place == 0:
            if factor == 1 and split.factor > 1:
                return group[: place + 1], group[place + 1 :], None
            alone = len(group) == 1
            labels = (split.outer, split.inner) if alone else (f"{digit.label}o", f"{digit.label}i")
            high, low = _halves(digit, factor, labels)
            return (*group[:place], high), (low, *group[place + 1 :]), (digit, high, low)
        else:
            break
    legal = sorted(set(legal_factors(group)))
    raise ScheduleError(
        f"{split}: {split.old} is fused of loops of {' x '.join(str(digit.extent) for digit in group)} iterations, and "
        f"{split.factor} of them at a time is no box of these, which counters without division could walk",
        legal=tuple(str(replace(split, factor=factor)) for factor in legal),
        source=split.source,
    )


def _halves(digit: Digit, factor: int, labels: tuple[str, str]) -> tuple[Digit, Digit]:
    return (
        Digit(f"{digit.key}/o", labels[0], -(-digit.extent // factor), False),
        Digit(f"{digit.key}/i", labels[1], factor, False),
    )


def legal_factors(group: tuple[Digit, ...]) -> Iterator[int]:
    """The factors that split a fused loop into boxes (of the outermost part, every number is one)."""
    inside = 1
    for digit in reversed(group):
        yield from (inside * factor for factor in range(2, digit.extent) if digit.extent % factor == 0)
        inside *= digit.extent
        yield inside


def parted(digits: Digits, parts: Iterable[Part], steps: Mapping[str, int], sums: Collection[str]) -> Digits:
    """The digits where each quotient and remainder is one of some of them, as far as it can be: a digit that
    counts no multiples of the divisor is two, and its loop as if it were fused of them; that of a whole variable also
    where the divisor is as large, so that a place at it is outside the remainder at any size. `steps`: variable -> its
    own; `sums`: loops that have no such place.
    """
    divided = dict.fromkeys(each for part in parts for each in _divided(part, 1))
    for variable, weight, divisor in sorted(divided, key=lambda each: -each[2]):
        for key, own in digits.values[variable].terms if variable in digits.values else ():
            name = next(name for name, group in digits.groups.items() if key in {each.key for each in group})
            digit = next(each for each in digits.groups[name] if each.key == key)
            factor = divisor // gcd(divisor, weight * own * steps[variable])
            through = digit.whole and digit.extent > 1 and name not in sums
            if factor > 1 and (factor < digit.extent or through):
                pair = _halves(digit, min(factor, digit.extent), (f"{digit.label}o", f"{digit.label}i"))
                groups = {name: tuple(new for each in group for new in (pair if each is digit else (each,)))
                          for name, group in digits.groups.items()}
                digits = replace(_divide(digits, digit, *pair), groups=groups)
    return digits


def _divided(part: Part, beyond: int) -> Iterator[tuple[str, int, int]]:
    """The variables in a part, by what they are multiplied, and by what that is divided: a quotient of a quotient by
    both divisors."""
    divisor = part.divisor * beyond
    for name, weight in part.form.terms:
        if not isinstance(name, Part):
            yield name, weight, divisor
        else:
            yield from _divided(name, 1)
            yield from _divided(name, divisor) if not name.remainder else ()


def _divide(digits: Digits, old: Digit, outer: Digit, inner: Digit) -> Digits:
    """`old` = inner.extent * outer + inner, everywhere."""
    factor = inner.extent
    value = Affine.of(((outer.key, factor), (inner.key, 1)))
    domain = tuple(
        Constraint(Affine(constraint.terms).substitute({old.key: value}).terms, constraint.limit)
        for constraint in digits.domain
    )
    if old.extent % factor:
        domain += (Constraint(value.terms, old.extent - 1),)
    values = {name: form.substitute({old.key: value}) for name, form in digits.values.items()}
    return replace(digits, values=values, domain=domain)
