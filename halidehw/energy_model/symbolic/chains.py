"""A stage's loops with symbols for the factors of its splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from halidehw.energy_model.symbolic.terms import Terms, Value
from halidehw.errors import CostError
from halidehw.frontend.directives import Fuse, Split, Unroll
from halidehw.frontend.stage import Stage
from halidehw.ir.nest import Nest
from halidehw.scheduler.kernel import Kernel


@dataclass(frozen=True)
class Digit:
    """A loop of the nest: its place among them (outermost 0), the values of its variable that one iteration takes,
    its iterations, and those in time. `whole`: it has as many lanes as iterations, whatever these are."""

    loop: str
    position: int
    stride: Value
    trips: Value
    steps: Value
    lanes: int
    whole: bool = False

    @property
    def advance(self) -> Value:
        """The values of its variable that one step in time takes, all lanes together."""
        return self.stride * self.lanes


@dataclass(frozen=True)
class Cut:
    """A split of a loop of so many trips: its factor cannot be more."""

    loop: str
    inner: str
    factor: Value
    trips: Value


@dataclass(frozen=True)
class Variable:
    """A variable of the algorithm: the loops that `cuts` split it into, outer to inner, each inside the one before."""

    name: str
    extent: int
    digits: tuple[Digit, ...]
    reduction: bool
    cuts: tuple[Cut, ...]


@dataclass(frozen=True)
class _Part:
    """A loop while splits are applied."""

    loop: str
    stride: Value
    trips: Value


def factor(name: str) -> sympy.Symbol:
    """The symbol for the factor of the split whose inner loop has this name."""
    return sympy.Symbol(name)


def variables(terms: Terms, core: Kernel, nest: Nest, factors: Sequence[str]) -> tuple[Variable, ...]:
    """The variables of a lowered stage. `factors`: the splits, by inner loop, whose factor is a symbol.

    Raises CostError for a name that is no such loop, a loop that is fused or taken apart, and loops of one variable
    that are not in the order of its splits.
    """
    derived = core.stage.loops.derived
    for directive in derived:
        if isinstance(directive, Fuse):
            raise CostError(f"{directive}: a fused loop cannot be counted in symbols", source=directive.source)
    for loop in nest.loops:
        if loop.fused:
            raise CostError(
                f"{loop.fused}: a loop that is taken apart for quotients cannot be counted in symbols",
                legal=("estimate(f)",),
                source=nest.source,
            )
    splits = [directive for directive in derived if isinstance(directive, Split)]
    for name in factors:
        if [split.inner for split in splits].count(name) != 1:
            legal = dict.fromkeys(split.inner for split in splits)
            raise CostError(f"{name} is not the inner loop of a split of {core.stage}", legal=tuple(legal))
    extents = dict(zip(core.args, nest.output.extents, strict=True))
    extents |= {var.name: var.extent for var in core.stage.definition.reduction}
    chains = {name: [_Part(name, 1, extent)] for name, extent in extents.items()}
    cuts: dict[str, list[Cut]] = {name: [] for name in extents}
    for split in splits:
        name = next(name for name, chain in chains.items() if any(part.loop == split.old for part in chain))
        size = factor(split.inner) if split.inner in factors else split.factor
        cuts[name].append(_split(terms, chains[name], split, size))
    return tuple(
        _variable(terms, name, extents[name], chain, core.stage, nest, tuple(cuts[name]))
        for name, chain in chains.items()
    )


def _split(terms: Terms, chain: list[_Part], split: Split, size: Value) -> Cut:
    place = [part.loop for part in chain].index(split.old)
    old = chain[place]
    outer = terms.rounds(old.trips, size)
    stride = terms.product((old.stride, size))
    chain[place : place + 1] = [_Part(split.outer, stride, outer), _Part(split.inner, old.stride, size)]
    return Cut(split.old, split.inner, size, old.trips)


def _variable(
    terms: Terms, name: str, extent: int, chain: list[_Part], stage: Stage, nest: Nest, cuts: tuple[Cut, ...]
) -> Variable:
    places = [loop.name for loop in nest.loops]
    digits = []
    for part in chain:
        lanes = nest.loop[part.loop].lanes
        digits.append(Digit(
            part.loop, places.index(part.loop), part.stride, part.trips, terms.rounds(part.trips, lanes), lanes,
            nest.loop[part.loop].extent == lanes and _sizeless(stage, part.loop),
        ))  # fmt: skip
    order = [digit.position for digit in digits]
    if order != sorted(order):
        loops = [digit.loop for digit in digits]
        raise CostError(
            f"the loops of {name}, {' and '.join(loops)}, do not lie in each other in this order: tiles with gaps "
            "cannot be counted in symbols",
            legal=(f"reorder({', '.join(reversed(loops))})",),
            source=nest.source,
        )
    return Variable(name, extent, tuple(digits), nest.loop[chain[0].loop].reduction, cuts)


def _sizeless(stage: Stage, loop: str) -> bool:
    """Whether a loop lies in space by a directive that does not say how many lanes it has."""
    stated = any(isinstance(each, Unroll) and each.var == loop and each.factor for each in stage.directives)
    return (stage.loops[loop].lanes or 1) > 1 and not stated
