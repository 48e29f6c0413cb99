"""How the loads of a program follow the words of the program before it, tile by tile."""

from __future__ import annotations

import numpy as np

from halidehw.backend_hdl.gate import COUNT
from halidehw.energy_model.domain import outer
from halidehw.energy_model.port import port_of, words_moved
from halidehw.machines.descriptor import Descriptor, Follows
from halidehw.microarch.processes import Load, Write


def follows(before: Descriptor, program: Descriptor, port: str) -> Follows | None:
    """How a load of `program` through a port follows what the program `before` it writes as its only output, where its
    tensor lies from the same address on; None: it waits for the end of that."""
    load = next(each for each in program.network.loads if each.tap.port.name == port)
    outside = [stage.write for stage in before.network.stages if stage.write.outside]
    if not before.network.passing or len(outside) > 1:
        return None
    written = _written(outside[0])
    needed = np.array([_needed(load, values, written) for values in outer(load.walk, load.sink.tile)])
    return _line(needed)


def _written(write: Write) -> np.ndarray:
    """Of each byte the number of the tile, from 1, that writes it last; 0: none does."""
    unit, ends = port_of(write).unit, list[tuple[np.ndarray, np.ndarray]]()
    for values in outer(write.walk, write.tap.tile):
        wanted, first, last = words_moved(write, values)
        ends.append((first[wanted] * unit, (last[wanted] + 1) * unit))
    found = np.zeros(max((int(end.max()) for _, end in ends if len(end)), default=0), np.int64)
    for number, (first, end) in enumerate(ends, 1):
        for each in range(int((end - first).max()) if len(first) else 0):
            found[(first + each)[first + each < end]] = number
    return found


def _needed(load: Load, values: list[int], written: np.ndarray) -> int:
    """The tiles that have arrived before all that a load's tile reads is there; one at least."""
    wanted, first, last = words_moved(load, values)
    unit = port_of(load).unit
    first, end = first[wanted] * unit, (last[wanted] + 1) * unit
    most = 1
    for each in range(int((end - first).max()) if len(first) else 0):
        at = (first + each)[(first + each < end) & (first + each < len(written))]
        most = max(most, int(written[at].max(initial=0)))
    return most


def _line(needed: np.ndarray) -> Follows | None:
    """The line over what each tile needs under which tiles wait least; what is above the last one is not reached."""
    number, end, most = np.arange(len(needed)), int(needed.max()), (1 << COUNT) - 1
    rises = [*np.diff(needed).tolist(), *-((needed[0] - needed[1:]) // number[1:])]
    lines = [(int((needed - rise * number).max()), int(rise)) for rise in {0, *rises} if 0 <= rise <= most]
    late = [int(np.minimum(first + slope * number, end).sum()) for first, slope in lines]
    first, step = lines[late.index(min(late))]
    return Follows(first, step) if 0 < first < most else None
