"""A nest as a tree of statements: what is printed and interpreted.

Meaning. `For` runs its body for each value of its loop, lanes included. `Allocate` makes a buffer, one copy for each
combination of the lanes outside it. `Fill` copies into it what the loops inside read, unless none of `when` has
stepped since this copy was last filled; where only loops of the buffer's slide have, what it holds already is kept. An
output element begins as `Initialize` says, takes in values by
`Accumulate`, and is written to memory by `Store`; these surround the tile of partial sums. Where reduction loops lie
outside that, an element is stored at each of its visits, and comes back at the next. Of several levels of partial sums
the innermost accumulates, and each tile of an inner one is surrounded by its `Initialize` and the `Fold` that hands its
elements on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halidehw.expr.expr import Expr
from halidehw.ir.bounds import Span, extent, refills, tile
from halidehw.ir.nest import Access, Accumulated, Buffer, Combine, Loop, Nest
from halidehw.ir.sums import identity, spilling, sums_depths

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class For:
    """`loop` takes the values min .. min+extent-1; extent may depend on the loops outside."""

    loop: Loop
    extent: sympy.Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Allocate:
    """A buffer, empty."""

    buffer: Buffer


@dataclass(frozen=True)
class Fill:
    """The words of `spans` copied from `source`, a buffer or (None) the tensor in memory."""

    buffer: Buffer
    source: Buffer | None
    spans: tuple[Span, ...]
    when: tuple[Loop, ...]


@dataclass(frozen=True)
class Initialize:
    """The output element of the level `sums` (None: of the accumulators, which have no buffer) starts as `value`; where
    one of `again` is past its first step, as it was last stored."""

    target: Access
    value: int
    again: tuple[Loop, ...] = ()
    sums: Buffer | None = None


@dataclass(frozen=True)
class Accumulate:
    """The output element is combined with `value`."""

    target: Access
    combine: Combine
    value: Expr


@dataclass(frozen=True)
class Fold:
    """The output element of the level `sums` is combined into that of `into`, the next level out."""

    target: Access
    combine: Combine
    sums: Buffer
    into: Buffer


@dataclass(frozen=True)
class Store:
    """The word `value` is written to memory; `Accumulated` in it is the output element."""

    target: Access
    value: Expr


Statement = For | Allocate | Fill | Initialize | Accumulate | Fold | Store


def build(nest: Nest) -> tuple[Statement, ...]:
    """The statements of a nest."""
    return _inside(nest, 0)


def _inside(nest: Nest, depth: int) -> tuple[Statement, ...]:
    at = nest.loops[depth - 1].name if depth else None
    buffers = [buffer for buffer in nest.buffers if buffer.at == at and buffer not in nest.sums]
    kept = [buffer for buffer in nest.buffers if buffer.slide and buffer.slide.at == at]
    made: list[Statement] = [Allocate(buffer) for buffer in kept]
    for buffer in buffers:
        made += [_fill(nest, buffer)] if buffer.slide else [Allocate(buffer), _fill(nest, buffer)]
    finish: list[Statement] = []
    for place in [place for place, outside in enumerate(sums_depths(nest)) if outside == depth and nest.combine]:
        level = nest.sums[place] if nest.sums else None
        made += [Allocate(level)] if level else []
        made.append(_over(nest, depth, _start(nest, place, level)))
        finish.insert(0, _over(nest, depth, _finish(nest, place, level)))
    return (*made, _step(nest, depth), *finish)


def _start(nest: Nest, place: int, level: Buffer | None) -> Initialize:
    if place and nest.combine:
        return Initialize(nest.write, identity(nest.combine, nest.type), sums=level)
    return Initialize(nest.write, nest.init, spilling(nest), level)


def _finish(nest: Nest, place: int, level: Buffer | None) -> Fold | Store:
    if place and nest.combine and level:
        return Fold(nest.write, nest.combine, level, nest.sums[place - 1])
    return Store(nest.write, Accumulated(nest.type) if nest.epilogue is None else nest.epilogue)


def _step(nest: Nest, depth: int) -> Statement:
    if depth < len(nest.loops) - len(nest.scattered):
        loop = nest.loops[depth]
        return For(loop, extent(nest, loop), _inside(nest, depth + 1))
    if nest.combine is None:
        return Store(nest.write, nest.value)
    return Accumulate(nest.write, nest.combine, nest.value)


def _fill(nest: Nest, buffer: Buffer) -> Fill:
    levels = nest.levels(buffer.tensor)
    place = levels.index(buffer)
    return Fill(buffer, levels[place - 1] if place else None, tile(nest, buffer), refills(nest, buffer))


def _over(nest: Nest, depth: int, statement: Initialize | Fold | Store) -> Statement:
    """The statement for every output element of the loops inside."""
    result: Statement = statement
    for loop in reversed([loop for loop in nest.loops[depth:] if not loop.reduction]):
        result = For(loop, extent(nest, loop), (result,))
    return result
