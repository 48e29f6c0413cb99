"""What hardware may take in all, and how much more it would have to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from halidehw.errors import CostError
from halidehw.notation import counted

OPTIONS = {"pes": "--max-pes {}", "on_chip": "--max-memory {}B", "area": "--max-area {}um2"}
"""The limits, as options of the command."""


@dataclass(frozen=True)
class Budget:
    """Limits (None: no limit): `pes`; `on_chip` bytes of all memories together, register files in every PE; `area` in
    um2, at `pe_area` a PE without its memories and `byte_area` a byte of memory.
    """

    pes: int | None = None
    on_chip: int | None = None
    area: float | None = None
    pe_area: float = 0.0
    byte_area: float = 0.0

    def needs(self, pes: int, on_chip: int) -> dict[str, float]:
        """What hardware takes of each limit."""
        return {"pes": pes, "on_chip": on_chip, "area": pes * self.pe_area + on_chip * self.byte_area}

    def exceeded(self, pes: int, on_chip: int) -> tuple[str, ...]:
        """The limits that hardware does not keep."""
        needs = self.needs(pes, on_chip).items()
        return tuple(name for name, need in needs if (most := getattr(self, name)) is not None and need > most)

    def refusal(self, choices: Iterable[tuple[int, int]]) -> CostError:
        """That none of some choices, PEs and bytes of each, is within the budget; and of those that exceed the fewest
        limits the least that each would have to be."""
        exceeded = {each: self.exceeded(*each) for each in choices}
        fewest = min(map(len, exceeded.values()))
        near = {each: names for each, names in exceeded.items() if len(names) == fewest}
        pes, on_chip = min(near, key=lambda each: each[::-1])
        area = f" and {self.needs(pes, on_chip)['area']:g} um2" if self.area is not None else ""
        return CostError(
            f"no choice is within the budget of {self}: "
            f"the smallest has {counted(pes, 'PE')} and {on_chip} bytes on chip{area}",
            legal=[self._enough(names, near) for names in dict.fromkeys(near.values()) if names],
        )

    def _enough(self, names: tuple[str, ...], near: dict[tuple[int, int], tuple[str, ...]]) -> str:
        """The options with which there is one of the choices that exceed just these limits."""
        every = (self.needs(*each) for each, exceeded in near.items() if exceeded == names)
        least = min([needs[name] for name in names] for needs in every)
        return " ".join(OPTIONS[name].format(ceil(need)) for name, need in zip(names, least, strict=True))

    def __str__(self) -> str:
        limits = [f"{counted(self.pes, 'PE')}"] if self.pes else []
        limits += [f"{self.on_chip} bytes"] if self.on_chip else []
        return " and ".join(limits + ([f"{self.area:g} um2"] if self.area is not None else []))
