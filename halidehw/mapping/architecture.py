"""Architectures: an array of PEs under a chain of memories, with the energy of each access."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import ceil, inf

import numpy as np

from halidehw.energy_model.costs.table import CostTable
from halidehw.errors import CostError, SourceLine
from halidehw.mapping.ports import Ports
from halidehw.microarch.options import Options

KINDS = ("register_file", "sram", "dram")

WIDEST = 64
"""Bits of the widest sums."""

LARGEST = 1 << 20
"""PEs along a dimension of the array at most."""

DEAREST, SLOWEST = 1e12, 1e-6
"""pJ of a word at most, and words a cycle of a memory at least: what is beyond has no cycles and energies here."""


@dataclass(frozen=True)
class Level:
    """A memory. A register file exists once per PE, any other kind once.

    `words`: capacity shared by all tensors (None: unlimited); `energy`: pJ per word access; `buffers`: 2 when every
    tile is held twice (double buffer); `bandwidth`: words read or written per cycle (None: unlimited); `stated`:
    whether the architecture itself has that price, for a memory of whatever size is built of this level.
    """

    name: str
    kind: str
    words: int | None
    energy: float
    buffers: int = 1
    bandwidth: float | None = None
    stated: bool = False

    @property
    def per_pe(self) -> bool:
        return self.kind == "register_file"

    def price(self, costs: CostTable, size: float) -> float:
        """pJ of a word of it, built with so many bytes. Raises CostError where the table lacks its kind."""
        return self.energy if self.stated else costs.access(self.kind, size, self.name)

    def prices(self, costs: CostTable, sizes: np.ndarray) -> np.ndarray:
        """pJ of a word of it, built with each of many `sizes` in bytes, float64 of that shape: as `price`, but for
        rounding. Raises CostError as it does."""
        return np.full(sizes.shape, self.energy) if self.stated else costs.accesses(self.kind, sizes, self.name)


class WrongLevel(CostError):
    """A level that cannot be; `place`: its number and the field of it."""

    def __init__(
        self, message: str, *, legal: Iterable[object] = (), source: SourceLine | None = None,
        place: tuple[int, str] = (0, "name"),
    ):  # fmt: skip
        super().__init__(message, legal=legal, source=source)
        self.place = place


def ordered(kinds: Sequence[object]) -> bool:
    """Whether kinds of memories are such, and go from the PEs outwards."""
    order = [KINDS.index(str(kind)) for kind in kinds if kind in KINDS]
    return len(order) == len(kinds) and order == sorted(order) and order[:1] == [0] and order.count(2) == 1


def fitting(kinds: Sequence[object], at: int) -> list[str]:
    """The kinds that one of several levels can have between the others."""
    return [kind for kind in KINDS if ordered([*kinds[:at], kind, *kinds[at + 1 :]])]


def least_words(buffers: int, sum_width: float) -> int:
    """Words that a memory needs for one element of each tensor; a sum is so many wide."""
    return buffers * ceil(2 + sum_width)


@dataclass(frozen=True)
class Architecture:
    """`levels`: innermost first, the register files before the shared memories, the last one unlimited.

    `array`: PEs along each dimension, one or two; `hop`, `mac`: pJ; `links`: whether neighbours pass words on (else
    a word for n PEs is read n times); `dataflow`: the one it is built for (None: any); `costs`: its table's name;
    `sum_bits`: the width of the output and its partial sums (0: twice `word_bits`, 64 at most); `port_bits`: the width
    of each tensor's port to the memory outside (0: one word); `shared_port_bits`: of the one port through which all of
    them go (0: there is none, each has its own); `table`: what memories of other sizes cost, with this architecture's
    `mac`, `hop` and energy outside the chip; `stated`: which of "mac" and "hop" are not the table's.
    """

    name: str
    technology: str
    costs: str
    word_bits: int
    array: tuple[int, ...]
    levels: tuple[Level, ...]
    hop: float
    mac: float
    links: bool = True
    dataflow: str | None = None
    sum_bits: int = 0
    port_bits: int = 0
    shared_port_bits: int = 0
    table: CostTable | None = field(default=None, compare=False, repr=False)
    stated: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "sum_bits", self.sum_bits or min(2 * self.word_bits, WIDEST))
        if not self.word_bits <= self.sum_bits <= WIDEST:
            raise CostError(
                f"architecture {self.name}: sum_bits must be from {self.word_bits}, a word's, to {WIDEST}, "
                f"is {self.sum_bits}",
                legal=[f"sum_bits = {min(2 * self.word_bits, WIDEST)}"],
            )
        Ports(self.port_bits, self.shared_port_bits, self.word_bits, self.sum_bits).check(self.name)
        self._check_kinds()
        names = [level.name for level in self.levels]
        for at, name in enumerate(names):
            if name in names[:at]:
                free = next(each for each in (f"{name}{number}" for number in count(at + 1)) if each not in names)
                why = f"architecture {self.name}: levels {names.index(name) + 1} and {at + 1} are both named {name}"
                raise WrongLevel(why, legal=[f'name = "{free}"'], place=(at, "name"))
        for at, level in enumerate(self.levels[:-1]):
            least = least_words(level.buffers, self.sum_width)
            if level.words is None or level.words < least:
                needs = f"needs {least} words to hold one element of each tensor, a sum of {self.sum_bits} bits"
                doubled = ", twice for double buffering" if level.buffers == 2 else ""
                size = f"{ceil(least * self.word_bits / 8)} B"
                raise WrongLevel(
                    f"architecture {self.name}: level {level.name} has {level.words} words, {needs}{doubled}",
                    legal=[f'size = "{size}"'],
                    place=(at, "size"),
                )

    def _check_kinds(self) -> None:
        """Raises CostError for levels in another order than from the PEs outwards: at the first one of which another
        kind would do, else at the first one that is out of its order."""
        kinds = [level.kind for level in self.levels]
        if ordered(kinds):
            return
        order = ", ".join(f"{level.name} ({level.kind})" for level in self.levels)
        why = (
            f"architecture {self.name}: levels go from one or more register_file over sram to one dram, are: {order}"
        )
        order_of = [KINDS.index(kind) for kind in kinds]
        back = next((at for at in range(1, len(kinds)) if order_of[at] < order_of[at - 1]), 0)
        for at in sorted(range(len(kinds)), key=lambda at: at != back):
            if fits := fitting(kinds, at):
                raise WrongLevel(why, legal=[self._of_kind(at, kind) for kind in fits], place=(at, "kind"))
        ranked = sorted(self.levels, key=lambda level: KINDS.index(level.kind))
        at = next((at for at, level in enumerate(ranked) if level != self.levels[at]), len(kinds) - 1)
        tables = [f'[[level]] name = "{level.name}"' for level in ranked]
        legal = [f"the tables in this order: {', '.join(tables)}"] if ordered([each.kind for each in ranked]) else []
        legal = legal or [f'[[level]] kind = "{kind}"' for kind in (KINDS[0], KINDS[-1]) if kind not in kinds]
        raise WrongLevel(why, legal=legal, place=(at, "kind"))

    def _of_kind(self, at: int, kind: str) -> str:
        """A level as one of another kind, with a size where it has none."""
        least = ceil(least_words(2, self.sum_width) * self.word_bits / 8)
        sized = self.levels[at].words is None and kind != KINDS[-1]
        return f'kind = "{kind}"' + f'\n    size = "{least} B"' * sized

    @property
    def own_prices(self) -> dict[str, float]:
        """pJ of what has a price that is not the cost table's, by the names of levels, "mac" and "hop"."""
        levels = {level.name: level.energy for level in self.levels if level.stated}
        return levels | {name: getattr(self, name) for name in self.stated}

    @property
    def dear(self) -> list[int]:
        """Levels that are said to cost more than what is outside them: where words are counted at these prices, the
        best mapping leaves them out, and the memory that is built of one is as small as its tile and costs less."""
        levels = self.levels
        return [at for at in range(1, len(levels) - 1) if levels[at].energy >= levels[at + 1].energy]

    def bandwidth(self, level: int) -> float:
        """Words, of the operands' width, that a level moves in a cycle; the outermost through the shared port."""
        shared = self.shared_port_bits if level == len(self.levels) - 1 else 0
        return min(self.levels[level].bandwidth or inf, shared / self.word_bits or inf)

    @property
    def sum_width(self) -> float:
        """Words that a sum takes."""
        return self.sum_bits / self.word_bits

    @property
    def ports(self) -> Options:
        """What its hardware has besides a schedule."""
        return Options(self.port_bits, shared_port_bits=self.shared_port_bits)

    @property
    def port_words(self) -> tuple[int, int, int]:
        """Words of input, weight and output that a port moves in a cycle."""
        ports = self.ports
        return ports.lanes(self.word_bits), ports.lanes(self.word_bits), ports.lanes(self.sum_bits)

    @property
    def pe_levels(self) -> int:
        """How many of the innermost levels exist once per PE."""
        return sum(level.per_pe for level in self.levels)

    @property
    def pes(self) -> int:
        total = 1
        for size in self.array:
            total *= size
        return total


def sized(architecture: Architecture, costs: CostTable, sizes: tuple[float, ...]) -> Architecture:
    """`architecture` with its on-chip levels resized to `sizes` bytes, innermost first, and all that has no price of
    its own costed by `costs`, of words as wide. Raises CostError where that lacks a kind of memory."""
    levels = tuple(
        replace(level, words=int(size * 8 // costs.word_bits), energy=level.price(costs, size))
        for level, size in zip(architecture.levels, sizes, strict=False)
    )
    outermost = architecture.levels[-1]
    levels = (*levels, replace(outermost, energy=outermost.price(costs, 0)))
    own = {name: getattr(architecture, name) for name in architecture.stated}
    table = replace(costs, dram=levels[-1].energy, **own)
    return replace(architecture, costs=costs.name, technology=costs.technology, levels=levels, table=table,
                   hop=table.hop, mac=table.mac)  # fmt: skip


def doubled(architecture: Architecture) -> tuple[Architecture, ...]:
    """`architecture` with every register file a double buffer that has room to be one, and with every memory on the
    chip; those that differ from it and from each other."""
    least, found = least_words(2, architecture.sum_width), [architecture]
    for only_files in (True, False):
        levels = tuple(
            replace(level, buffers=2) if (level.per_pe or not only_files) and (level.words or 0) >= least else level
            for level in architecture.levels
        )
        found.append(replace(architecture, levels=levels))
    return tuple(dict.fromkeys(found))[1:]
