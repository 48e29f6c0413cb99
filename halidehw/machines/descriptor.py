"""What a machine is told to run one design."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.backend_hdl.program import WORD
from halidehw.frontend.design import Design
from halidehw.ir.graph import Graph
from halidehw.microarch.network import Network


@dataclass(frozen=True)
class Descriptor:
    """What a machine is told to run one design, as `graph` has it scheduled: `words` of 32 bits, as they lie in memory.
    `numbers`: what they say,
    by the way to the counter or the address that each is for. `bases`: the ports whose tensors have an address, in
    their order; `early`: those through which loads may begin it while the program before runs; `others`: how many
    engines there are besides; `key`: the sum of all words, modulo 2^32."""

    design: Design
    graph: Graph
    words: np.ndarray
    numbers: tuple[tuple[str, int], ...]
    network: Network
    bases: tuple[str, ...]
    early: tuple[str, ...]
    others: int
    key: int

    def at(
        self, addresses: Mapping[str, int], after: Sequence[int] = (), early: Collection[str] = ()
    ) -> np.ndarray:
        """Its words where the tensors of ports lie at these addresses, in bytes; others at 0. `after`: how many
        programs of each other engine come before it (none). `early`: ports whose tensors the program before it does
        not write, so that their loads may begin while that runs."""
        rest = self.words[1:].copy()
        rest[: self.others] = after or [0] * self.others
        for place in range(0, len(self.early), WORD):
            bits = (1 << number for number, port in enumerate(self.early[place : place + WORD]) if port in early)
            rest[self.others + place // WORD] = sum(bits)
        for place, port in enumerate(self.bases):
            at, address = self.head - 1 + 2 * place, addresses.get(port, 0)
            rest[at : at + 2] = [address & 0xFFFFFFFF, address >> WORD]
        return np.concatenate([np.array([(self.key - int(rest.sum(dtype=np.uint64))) % 2**WORD], np.uint32), rest])

    @property
    def head(self) -> int:
        """The words before its addresses."""
        return 1 + self.others + -(-len(self.early) // WORD)

    def __repr__(self) -> str:
        return f"<Descriptor of {self.design.name}: {len(self.words)} words>"
