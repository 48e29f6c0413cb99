"""What a machine is told to run one design."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from halidehw.backend_hdl.gate import COUNT, WAITS
from halidehw.backend_hdl.program import WORD
from halidehw.errors import HardwareError
from halidehw.frontend.design import Design
from halidehw.ir.graph import Graph
from halidehw.microarch.interface import BASE_BITS
from halidehw.microarch.network import Network


@dataclass(frozen=True)
class Follows:
    """How a load follows the program before: its tile number t, from 0, is asked for when so many tiles of what that
    program writes are in memory, `first` and t times `step`; (0, 0): at once. Raises HardwareError for other numbers
    than a gate has."""

    first: int
    step: int

    def __post_init__(self) -> None:
        numbers = self.first, self.step
        right = all(isinstance(each, Integral) and 0 <= each < 1 << COUNT for each in numbers)
        if not right or (self.step and not self.first):
            what = f"both are numbers of tiles below {1 << COUNT}, the first one above 0 or both 0"
            raise HardwareError(f"Follows{numbers}: {what}", legal=("Follows(1, 1)", "Follows(0, 0)"))

    @property
    def word(self) -> int:
        """What its gate is told."""
        return self.first | self.step << COUNT

    def needs(self, tile: int) -> int:
        """How many tiles it waits for before that one."""
        return self.first + self.step * tile


@dataclass(frozen=True)
class Descriptor:
    """What a machine is told to run one design, as `graph` has it scheduled: `words` of 32 bits, as they lie in memory.
    `numbers`: what they say, by the way to the counter or the address that each is for. `bases`: the ports whose
    tensors have an address, in their order; `early`: those through which loads may begin it while the program before
    runs; `others`: how many engines there are besides; `key`: the sum of all words, modulo 2^32."""

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
        self, addresses: Mapping[str, int], after: Sequence[int] = (),
        early: Collection[str] | Mapping[str, Follows] = (),
    ) -> np.ndarray:  # fmt: skip
        """Its words where the tensors of ports lie at these addresses, in bytes; others at 0. `after`: how many
        programs of each other engine come before it (none). `early`: ports whose loads may begin it while the program
        before runs: it does not write their tensors, or they follow it as is said.

        Raises HardwareError for ports that are none of those, for what is no address of such words, and for numbers of
        programs of other engines than there are."""
        self._check(addresses, after, early)
        rest = self.words[1:].copy()
        rest[: self.others] = after or [0] * self.others
        said = early if isinstance(early, Mapping) else dict.fromkeys(early, Follows(0, 0))
        rest[self.others : self.head - 1] = [said[port].word if port in said else WAITS for port in self.early]
        for place, port in enumerate(self.bases):
            at, address = self.head - 1 + 2 * place, int(addresses.get(port, 0))
            rest[at : at + 2] = [address & 0xFFFFFFFF, address >> WORD]
        return np.concatenate([np.array([(self.key - int(rest.sum(dtype=np.uint64))) % 2**WORD], np.uint32), rest])

    def _check(self, addresses: Mapping[str, int], after: Sequence[int], early: Collection[str]) -> None:
        follows = early.values() if isinstance(early, Mapping) else ()
        for said, right, works in (
            (f"addresses={addresses!r}: it has ports and their addresses", isinstance(addresses, Mapping), "at({})"),
            (f"early={early!r}: it has ports, or says of them what they follow",
             isinstance(early, Collection) and all(isinstance(each, Follows) for each in follows), "at({}, early=[])"),
            (f"after={after!r}: it has a number for each other engine, {self.others} of them",
             isinstance(after, Sequence) and len(after) in (0, self.others) and all(map(_is_count, after)),
             f"at({{}}, after={(0,) * self.others})"),
        ):  # fmt: skip
            if not right:
                raise HardwareError(said, legal=(works,))
        calls = (addresses, self.bases, '{{"{0}": 0x1000}}'), (early, self.early, '{{}}, early=["{0}"]')
        for given, known, call in calls:
            names = (given,) if isinstance(given, str) else tuple(given)
            if unknown := [name for name in names if isinstance(given, str) or name not in known]:
                raise HardwareError(f"the ports of {self.design.name} are {', '.join(known)}, not {unknown[0]!r}",
                                    legal=(f"at({call.format(known[0])})",) if known else ())  # fmt: skip
        units = {port.name: port.unit for port in self.network.interface.ports}
        for name, address in addresses.items():
            right = isinstance(address, Integral) and 0 <= address < 1 << BASE_BITS
            if not right or address % units[name]:
                raise HardwareError(
                    f"{name}={address!r} is no address of {self.design.name}: it is a number of bytes, a multiple of "
                    f"{units[name]}, of at most {BASE_BITS} bits", legal=(f'at({{"{name}": 0x1000}})',),
                )  # fmt: skip

    @property
    def head(self) -> int:
        """The words before its addresses."""
        return 1 + self.others + len(self.early)

    def __repr__(self) -> str:
        return f"<Descriptor of {self.design.name}: {len(self.words)} words>"


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and 0 <= int(value) < 1 << WORD
