"""Windows: what the reads of a step have in common with those of the step before is shifted, not fetched again.

Reads at constant offsets, as of a stencil written out or of the lanes of an unrolled reduction, all move by the same
stride when the reader's innermost axis steps. So they form chains: a read takes the word that the read one stride
further on took a step before. Only the head of a chain is fetched, and the rest is registers. A run of the axis begins
so many steps earlier as the longest chain has registers; so no step ever needs more words than there are heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

from halidehw.ir.affine import Affine
from halidehw.microarch.banking import Offset
from halidehw.microarch.reader import Reader
from halidehw.microarch.walk import Axis

WORK = 32
"""What a word does in the array, in crossings of a lane and a bank: a multiplier of 16 bits has about as many gates."""

LANES = 8
"""Steps of a run for each earlier one, at least, where the lanes of one read have banks that serve them all at once."""

CROSSINGS = 4
"""Of two words that are fetched together: with about twice as many banks as lanes, addresses one way, words back."""


@dataclass(frozen=True)
class Chains:
    """A reader's chains. `front`: the process that fetches the heads, its accesses, `warm` steps ahead of the reader;
    `taps`: of each access of the reader, and values of its lanes, the head and how many steps ago it took the word.

    Example: the reads at x, x + 1 and x + 2 are one chain; its head, x + 2, is fetched from two steps earlier on."""

    front: Reader
    warm: int
    taps: dict[tuple[int, Offset], tuple[int, int]]


def chains(reader: Reader) -> Chains | None:
    """The chains under the reader's innermost axis; None where no read takes over another one's word.

    Heads lie in one front: within a stride of the foremost read.
    """
    if not (warm := _steps_ahead(reader)):
        return None
    axis, stride = reader.axes[-1], _stride(reader)
    names = [each.name for each in reader.axes]
    along = next(d for d, step in enumerate(stride) if step)
    places: dict[tuple[int, Offset], Offset] = {}
    positions = list(product(*(range(extent) for extent in reader.lanes.values())))
    for number, index in enumerate(reader.indices):
        found = zip(*(form.over(reader.lanes) for form in index), strict=True)
        places |= {(number, values): place for values, place in zip(positions, found, strict=True)}
    foremost = max((place[along] for place in places.values()), key=lambda place: place * stride[along])
    ago = {who: (foremost - place[along]) // stride[along] for who, place in places.items()}
    head = {
        who: tuple(o + ago[who] * step for o, step in zip(place, stride, strict=True)) for who, place in places.items()
    }
    heads = sorted(set(head.values()), key=lambda place: place[::-1])
    ahead = {axis.name: Affine.variable(axis.name) - warm}
    moving = [form.only(names).substitute(ahead) for form in reader.indices[0]]
    front = Reader(
        (*reader.axes[:-1], Axis(axis.name, axis.extent + warm)),
        {},
        tuple((limit.only(names) + limit.constant).substitute(ahead) for limit in reader.limits),
        tuple(tuple(form + o for form, o in zip(moving, place, strict=True)) for place in heads),
    )
    number_of = {place: number for number, place in enumerate(heads)}
    return Chains(front, warm, {who: (number_of[place], ago[who]) for who, place in head.items()})


def _stride(reader: Reader) -> tuple[int, ...]:
    """How a read moves when the innermost axis steps."""
    return tuple(form[reader.axes[-1].name] for form in reader.indices[0]) if reader.axes else ()


def _steps_ahead(reader: Reader) -> int:
    """How many steps before the last read of a place the first one is, by where reads are along the first dimension in
    which they move."""
    along = next(((d, step) for d, step in enumerate(_stride(reader)) if step), None)
    if along is None:
        return 0
    dimension, step = along
    forms = [index[dimension].only(reader.lanes) + index[dimension].constant for index in reader.indices]
    low, high = zip(*(form.range_over(reader.lanes) for form in forms), strict=True)
    return (max(high) - min(low)) // abs(step)


def window(reader: Reader, inside: bool, vector: int, consumers: int) -> Chains | None:
    """The chains of a reader for which a window is better than all words at once: the one place that decides.

    Area times time: of the array, which has `consumers` places that take a word of this tensor in a step, with a
    crossbar of all words that are fetched together; over the steps of the innermost axis, the earlier ones included,
    and the cycles of a step. `inside`: the words lie in a memory; else they come through a port, `vector` a cycle.
    """
    if inside and len(reader.indices) == 1 and reader.axes and _steps_ahead(reader) * LANES > reader.axes[-1].extent:
        return None
    if (found := chains(reader)) is None:
        return None

    def cost(by: Reader, lanes: int) -> int:
        box = by.box(len(by.axes))
        cycles = 1 if inside else -(-box.extents[0] // vector) * prod(box.extents[1:])
        return (WORK * consumers + CROSSINGS * lanes * lanes) * by.axes[-1].extent * cycles

    return found if cost(found.front, len(found.front.indices)) < cost(reader, len(set(found.taps.values()))) else None
