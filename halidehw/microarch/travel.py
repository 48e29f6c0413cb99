"""How words travel through the array: hop by hop, to all lanes at once, or summed on their way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Literal

from halidehw.microarch.network import Space, Stage
from halidehw.microarch.taps import FileTap, Lanes

ARRAY = "array"


@dataclass(frozen=True)
class Travel:
    """`words` movements along one axis in each step of a process (the array, or a fill by its name).

    hop: from a lane to its neighbour; broadcast: to each lane; sum: of a partial sum into another.
    """

    name: str
    process: str
    tensor: str
    bits: int
    kind: Literal["hop", "broadcast", "sum"]
    space: Space
    words: int


@dataclass(frozen=True)
class Wave:
    """Words that enter the array with each step of a process, with lanes on `spaces`."""

    name: str
    process: str
    tensor: str
    bits: int
    spaces: tuple[str, ...]


def travels(stage: Stage) -> Iterator[Travel]:
    """All movements in the array: operands that are not kept in the PEs, fills, partial sums."""
    for operand in stage.compute.operands:
        if not isinstance(operand.source, FileTap):
            tensor = stage.memory(operand.source.tap.memory).tensor if isinstance(operand.source, Lanes) else ""
            yield from along(stage.spaces, Wave(plain(operand.name), ARRAY, tensor, operand.type.bits, operand.spaces))
    for fill in stage.fills:
        file = stage.file(fill.sink.file)
        yield from along(stage.spaces, Wave(plain(file.name), fill.name, file.tensor, file.type.bits, fill.sink.bus))
    tensor, bits = stage.sums[0].tensor, stage.sums[0].type.bits
    for depth, space in enumerate(stage.spaces):
        if space.reduction:
            words = prod(outer.extent for outer in stage.spaces[:depth]) * (space.extent - 1)
            yield Travel(f"sums_moved_{plain(space.loop)}", ARRAY, tensor, bits, "sum", space, words)


def along(spaces: tuple[Space, ...], wave: Wave) -> Iterator[Travel]:
    """A word shared along an axis hops from lane to lane if that is systolic, else goes to all lanes at once; it does
    so in each lane of the axes outside, and for each lane it has on those inside."""
    for depth, space in enumerate(spaces):
        if space.name in wave.spaces:
            continue
        copies = prod(outer.extent for outer in spaces[:depth])
        copies *= prod(inner.extent for inner in spaces[depth + 1 :] if inner.name in wave.spaces)
        loop = plain(space.loop)
        if space.systolic:
            name, words = f"{wave.name}_hops_{loop}", copies * (space.extent - 1)
            yield Travel(name, wave.process, wave.tensor, wave.bits, "hop", space, words)
        else:
            name, words = f"{wave.name}_broadcast_{loop}", copies * space.extent
            yield Travel(name, wave.process, wave.tensor, wave.bits, "broadcast", space, words)


def plain(name: str) -> str:
    """A name of the design as part of a counter's."""
    return re.sub(r"\W", "_", name)
