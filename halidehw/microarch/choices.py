"""What the micro-architecture chooses where several ways are right, by name: so that several designs can choose alike.

`joined`: the dimensions of an input that are one. `summed`, `tile`: the axes outside a tile that is summed up, or read.
`register`: whether each PE keeps a word of a tensor that has no buffer there. `steps`: how far the words of a memory
are apart along the dimensions along which lanes lie side by side. `window`: whether shift registers stand before the
array. `follows`: whether lanes of a memory follow each other. `vector`: the words that are written together. `checked`:
the dimensions along which a load looks whether an index lies outside its tensor. `held`: the lanes of each axis that a
level of sums takes together. `bus`: the array's axes side by side on the bus that fills a register file. `factors`: the
banks of a memory along each dimension; `turning`: whether they turn with the address; `places`: of those that do, at
which bit of an address the number of a row begins.
`masks`: the weights of the lanes that may be left out of reductions. `parts`: of a store.
`together`: the axes of which a writer takes lanes together.
`columns`: of a stage the memories for which it keeps rows once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from halidehw.errors import HardwareError
from halidehw.ir.bounds import prefix
from halidehw.microarch.banking import Forced

T = TypeVar("T")

Choice = tuple[str, str]
"""What is chosen, and the name of what it is chosen for."""


@dataclass(frozen=True)
class Choices:
    """`forced`: choices that are made already; `made`: all, as they came out."""

    forced: Mapping[Choice, object] = field(default_factory=dict)
    made: dict[Choice, object] = field(default_factory=dict)
    wide: bool = False
    """Whether other designs, of other sizes, are to fit too."""

    def of(self, what: str, name: str, own: T) -> T:
        """The choice: `own` where none is forced."""
        found = self.forced.get((what, name), own)
        self.made[what, name] = found
        return found  # type: ignore[return-value]

    def tile(self, name: str, axes: Sequence[str], own: int) -> int:
        """The depth of a reader's tile: `own`, which the refill rule says, or a deeper one, which is filled more often.
        Raises HardwareError where a shallower one is forced."""
        outer = self.of("tile", name, frozenset(axes[:own]))
        depth = prefix(axes, outer)
        if depth < own:
            raise HardwareError(f"{name} is filled where only {', '.join(sorted(outer)) or 'no loop'} is outside it")
        return depth

    def summed(self, name: str, axes: Sequence[str], own: int, shared: int) -> int:
        """The depth of a tile of sums: `own`, or one with fewer loops outside it; the first `shared` axes, which are a
        reader's, are outside in any case, as of a memory that is filled more often some come later."""
        outer = self.of("summed", name, frozenset(axes[:own]))
        return min(own, next((i for i, axis in enumerate(axes) if i >= shared and axis not in outer), len(axes)))

    def banks(self, name: str) -> Forced:
        """What is forced of a memory's banks."""
        return Forced(*(self.forced.get((what, name)) for what in ("factors", "turning", "places")))  # type: ignore[arg-type]
