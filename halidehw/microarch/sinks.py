"""How the writer of one stage fills the memories of others, in the order in which it walks.

A coordinate of the memory is a form over the writer's walk. Of a dimension in `factor` banks, the terms that are
multiples of the factor make the row, and the others the bank; these must stay below the factor, so a loop that goes
round the banks is two axes, or more where memories have different factors. Rows of a ring come one after the other, and
have neither.
"""

from __future__ import annotations

from itertools import accumulate
from math import gcd, lcm

from halidehw.errors import HardwareError
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Nest
from halidehw.microarch.banking import Dim
from halidehw.microarch.box import Index
from halidehw.microarch.layout import rounds as blocks
from halidehw.microarch.spacetime import SpaceTime, spacetime
from halidehw.microarch.supply import Demand
from halidehw.microarch.taps import MemorySink
from halidehw.microarch.walk import Walk


def rounds(nest: Nest, demands: list[Demand]) -> dict[str, tuple[int, ...]]:
    """The loops of a stage that go round the blocks of a tensor in memory, or the banks of memories which it fills, and
    after how many steps: see `spacetime`."""
    plain, found = spacetime(nest), dict[str, set[int]]()
    extents = plain.extents

    def turns(name: str, turn: int) -> None:
        if name in nest.loop and nest.loops.index(nest.loop[name]) >= nest.place and turn < extents[name]:
            found.setdefault(name, set()).add(turn)

    for access in (*nest.reads, nest.write):
        for name, turn in blocks(nest.tensor[access.tensor], tuple(map(plain.substitute, access.indices))):
            turns(name, turn)
    st = spacetime(nest, _grouped(found))
    for demand in demands:
        for dim, form, step in _dimensions(demand, st.within()):
            moving = [(name, c // step) for name, c in form.terms if c // step % dim.factor]
            if sum(c * (st.extents[name] - 1) for name, c in moving) < dim.factor:
                continue
            for name, c in moving:
                turns(name, dim.factor // gcd(c, dim.factor))
    return _grouped(found)


def _grouped(found: dict[str, set[int]]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(accumulate(sorted(turns), lcm)) for name, turns in found.items()}


def memory_sink(st: SpaceTime, walk: Walk, index: Index, demand: Demand) -> MemorySink:
    """How the writer with `walk` fills a memory. `index`: where its word lies in the tensor, over walk and lanes.

    Raises HardwareError where the words come in an order in which that memory cannot take them.
    """
    memory, extents = demand.memory, walk.extents
    digits, address, tile = [], Affine(), demand.tile
    places = [
        (form - origin).only(extents).divided(step) + (form - origin).constant // step
        for form, origin, step in zip(index, demand.box.origin, demand.box.steps, strict=True)
    ]
    for d, (dim, place) in enumerate(zip(memory.dims, places, strict=True)):
        if memory.ring and d == memory.ring.dimension:
            tile = _row(st, walk, place, demand)
            digits.append(Affine())
            continue
        row = Affine.of(((name, c) for name, c in place.terms if c % dim.factor == 0), place.constant)
        row = row - place.constant % dim.factor
        digit, lanes = place - row, memory.vector - 1 if d == 0 else 0
        low, high = digit.range_over(extents)
        if low < 0 or high + lanes >= dim.factor:
            turns = f"{memory.name} has {dim.factor} banks along dimension {d}, which the steps of {_shown(st, place)}"
            alone = f"one loop that is not split, without lanes or with {dim.factor} of them, would"
            raise _disorder(st, f"{turns} do not go round; {alone}")
        digits.append(digit)
        address = address + row.divided(dim.factor) * dim.stride
    return MemorySink(memory.name, tuple(digits), address, tile)


def _dimensions(demand: Demand, index: Index) -> list[tuple[Dim, Affine, int]]:
    """The banked dimensions of a memory, but for a ring's rows, with the producer's index along them and the step."""
    ring, steps = demand.memory.ring, demand.box.steps
    return [
        (dim, form, step)
        for d, (dim, form, step) in enumerate(zip(demand.memory.dims, index, steps, strict=True))
        if dim.factor > 1 and not (ring and d == ring.dimension)
    ]


def _row(st: SpaceTime, walk: Walk, place: Affine, demand: Demand) -> int:
    """The depth of the walk at which a row of a ring is complete: the outermost axis that is not common to both stages
    must count the rows one by one."""
    axis = walk.axes[demand.tile] if demand.tile < len(walk.axes) else None
    if axis is None or place != Affine.variable(axis.name):
        why = (
            f"{demand.memory.name} takes whole rows, one after the other, so one loop over them must be the outermost, "
            f"and here they are made by {_shown(st, place)}"
        )
        raise _disorder(st, why, f"{st.nest.name}.compute_root()")
    return demand.tile + 1


def _shown(st: SpaceTime, place: Affine) -> str:
    """The loops that a coordinate moves on with."""
    return ", ".join(loop.name for loop in st.nest.loops if st.values[loop.name].names & place.names) or "no loops"


def _disorder(st: SpaceTime, why: str, *legal: str) -> HardwareError:
    nest = st.nest
    return HardwareError(
        f"{nest.name} is made in an order in which its reader's memory cannot take it: {why}",
        legal=legal,
        source=nest.source,
    )
