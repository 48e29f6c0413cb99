"""The words of an input of the final stage, which the writer reads when elements are complete."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from halidehw.energy_model.symbolic.loops import Entry
from halidehw.energy_model.symbolic.supply import Box, Input
from halidehw.energy_model.symbolic.terms import Value
from halidehw.energy_model.symbolic.tiles import Role, Roles, share
from halidehw.errors import CostError


def late_entries(late: Input) -> Iterator[tuple[Value, Entry]]:
    """All counts of a tensor that the final stage reads, one word at a time."""
    loops, tensor = late.loops, late.tensor
    if len(late.reads) > 1:
        raise CostError(f"{tensor.name}, read at several places of the final stage, cannot be counted in symbols")
    if tensor.edges:
        raise CostError(f"{tensor.name}, read beyond its edges in the final stage, cannot be counted in symbols")
    for buffer in late.buffers:
        if any(digit.position < loops.depth(buffer.at) for _, digit in late.lanes):
            raise CostError(
                f"{buffer.name}: a buffer of the final stage inside lanes cannot be counted in symbols",
                source=buffer.source,
            )
    read, use = _read(late)
    if late.buffers:
        tiles = loops.tiles(tensor, loops.depth(late.buffers[0].at))
        yield from late.shared(1, late.buffers, Box(tiles, tiles.words), (read, 0))
    else:
        tiles = loops.tiles(tensor, len(loops.ordered), "moves")
        yield from late.shared(1, (), Box(tiles, read, use=use), (read, 0))


def _read(late: Input) -> tuple[Value, Value]:
    """The writer's steps up to the innermost that moves the tensor's index, and those inside it: it takes its loops in
    the nest's order, but for reductions, then the lanes, those along dimension 0 of the output innermost."""
    loops, mine = late.loops, late.tensor.variables
    own = [variable for variable in loops.variables if not variable.reduction]
    lanes = [digit for _, digit in loops.lanes_on(variable.name for variable in own)]
    first = loops.nest.write.indices[0]
    lanes.sort(key=lambda digit: first[digit.loop] == 1)
    owner = {digit.loop: name for name, digit in loops.ordered}
    last = max((place for place, digit in enumerate(lanes) if owner[digit.loop] in mine), default=-1)
    moves = loops.moves(mine, len(loops.ordered))
    if last >= 0:
        moves = dict.fromkeys(moves, 1)
    reductions = [loop for loop, name in owner.items() if all(variable.name != name for variable in own)]
    still = prod(digit.lanes for digit in lanes[last + 1 :])
    use = loops.terms.product((loops.inside(moves | dict.fromkeys(reductions, 1)), still))
    moves |= dict.fromkeys(reductions, 0)
    roles: dict[str, Role] = dict.fromkeys(owner, "start")
    roles |= {digit.loop: "moves" for digit in lanes[: last + 1]}
    every = Roles(moves, frozenset(), roles)
    return loops.terms.product(share(loops.terms, variable, every).tiles for variable in loops.variables), use
