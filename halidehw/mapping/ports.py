"""Widths of an architecture's ports to the memory outside: which there cannot be, and what there could be instead."""

from __future__ import annotations

from dataclasses import dataclass, replace

from halidehw.errors import CostError
from halidehw.microarch.limits import near_ports
from halidehw.microarch.options import WIDEST_PORT

PORT, SHARED = "port_bits", "shared_port_bits"


@dataclass(frozen=True)
class Problem:
    """`name` of the width that is wrong, `why`, and `others` that it could be, as far as it alone is concerned."""

    name: str
    why: str
    others: tuple[int, ...]


@dataclass(frozen=True)
class Ports:
    """`port_bits` of each tensor's port (0: one word), `shared_port_bits` of the one of all (0: there is none), for
    words of input and weight, and for sums, of so many bits."""

    port_bits: int
    shared_port_bits: int
    word_bits: int
    sum_bits: int

    def check(self, of: str) -> None:
        """Raises CostError for a port that no tensor can use, or that not all can that share it, with the widths that
        fit the other one, if any does."""
        if not (problem := self._problem()):
            return
        fits = [bits for bits in problem.others if not replace(self, **{problem.name: bits})._problem()]
        legal = dict.fromkeys(f"{problem.name} = {bits}" for bits in fits or problem.others)
        raise CostError(f"architecture {of}: {problem.why}", legal=legal)

    def _problem(self) -> Problem | None:
        """The first thing that is wrong."""
        port, shared, words = self.port_bits, self.shared_port_bits, self.word_bits
        for name, bits in ((PORT, port), (SHARED, shared)):
            if bits > WIDEST_PORT:
                widest = (WIDEST_PORT, shared) if name == PORT else (WIDEST_PORT,)
                return Problem(name, f"a port of {bits} bits, more than {WIDEST_PORT}", widest)
        if 0 < port < words:
            why = f"no tensor can use a port of {port} bits: words of input and weight have {words}"
            return Problem(PORT, f"{why}, sums {self.sum_bits}", (words,))
        if 0 < shared < self.sum_bits:
            why = f"the output cannot use a shared port of {shared} bits: its sums have {self.sum_bits}"
            return Problem(SHARED, why, (max(self.sum_bits, port), self.sum_bits))
        for name, bits in ((PORT, port), (SHARED, shared)):
            if near := near_ports(bits, (words, self.sum_bits)):
                why = f"a port of {bits} bits: ports carry 1, 2, 4, 8 ... words, and those are of {words} bits, sums of"
                return Problem(name, f"{why} {self.sum_bits}", tuple(near))
        if 0 < shared < port:
            return Problem(PORT, f"ports of {port} bits do not fit into a shared one of {shared}", (shared,))
        return None
