"""A stage in more of its reader's loops than it needs: where a memory is filled more often than its words move, what
makes these makes them again each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halidehw.errors import HardwareError
from halidehw.ir.bounds import prefix
from halidehw.ir.nest import Constraint, Loop, Nest
from halidehw.microarch.supply import Demand


def around(nest: Nest, wanted: Sequence[tuple[Nest, Demand]]) -> Nest:
    """The stage in the loops outside the parts that memories of its readers want of it.

    Raises HardwareError where these are other ones for each of them, or have lanes.
    """
    found = dict.fromkeys(_outside(reader, demand) for reader, demand in wanted)
    loops = max(found, key=len, default=())
    if len(loops) <= nest.place:
        return nest
    if len(found) > 1:
        raise HardwareError(f"{nest.name} is made in the loops of one reader, and its readers need it in others")
    inside, own = {loop.name for loop in loops}, {loop.name for loop in nest.loops[: nest.place]}
    (reader, demand), *_ = wanted
    if parts := [axis for axis in demand.outside if axis not in inside or reader.loop[axis].lanes > 1]:
        raise HardwareError(f"{nest.name} is made for all of {parts[0]} at once, not for each of its steps")
    kept = [(tuple(term for term in each.terms if term[0] in inside), each.limit) for each in reader.domain]
    domain = [each for each in nest.domain if not {name for name, _ in each.terms} <= own]
    domain += [Constraint(terms, limit) for terms, limit in kept if terms]
    return replace(nest, loops=(*loops, *nest.loops[nest.place :]), domain=tuple(domain), place=len(loops))


def _outside(reader: Nest, demand: Demand) -> tuple[Loop, ...]:
    """The reader's loops outside a part, as loops that sum nothing up."""
    depth = prefix((loop.name for loop in reader.loops), demand.outside)
    return tuple(replace(loop, reduction=False) for loop in reader.loops[:depth])
