"""What the optimizer answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any

from halidehw.energy_model.cycles import total_cycles
from halidehw.energy_model.estimate import energies_of
from halidehw.energy_model.traffic import Count, traffic
from halidehw.errors import CostError
from halidehw.frontend.text import parse
from halidehw.ir.nest import Nest
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import TENSORS, Layer
from halidehw.mapping.mapping import Mapping
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Network
from halidehw.microarch.options import Options
from halidehw.optimize.components import elaborated
from halidehw.optimize.files import ALL, Files
from halidehw.optimize.objective import ABOUT
from halidehw.optimize.pieces import WHOLE, Pieces
from halidehw.optimize.priced import priced
from halidehw.optimize.schedule import schedule_text
from halidehw.optimize.space import port_cycles
from halidehw.scheduler.lower import lower


@dataclass(frozen=True)
class Hardware:
    """Cycles of the hardware that a search has generated, by its text and ports: parts of a space have designs in
    common. `least`: those that it takes at least, where no more was asked for."""

    cycles: dict[tuple[str, Options], int] = field(default_factory=dict)
    least: dict[tuple[str, Options], int] = field(default_factory=dict)


@dataclass(frozen=True)
class Made:
    """The hardware of a mapping, which is generated when it is asked for. `files`, `cut`, `sums_cut`, `known`: as in
    Result."""

    layer: Layer
    arch: Architecture
    mapping: Mapping
    files: Files
    cut: Pieces
    sums_cut: int
    known: Hardware

    @cached_property
    def schedule(self) -> str:
        """The layer and its schedule as a text design."""
        return schedule_text(self.layer, self.arch, self.mapping, self.files, self.cut, self.sums_cut)

    @cached_property
    def hardware(self) -> tuple[Nest, Network]:
        """What the schedule becomes."""
        nest = lower(parse(self.schedule).output)
        return nest, derive(nest, self.arch.ports)

    @cached_property
    def cycles(self) -> int:
        """Cycles with memories that are as fast as their ports."""
        return self.within(inf)

    def within(self, most: float) -> int:
        """These cycles; where they are more than `most`, a number over that which they are at least."""
        key, known, least = (self.schedule, self.arch.ports), self.known.cycles, self.known.least
        if key not in known:
            if least.get(key, 0) > most:
                return least[key]
            found = total_cycles(self.hardware[1], most)
            (known if found <= most else least)[key] = found
        return known.get(key) or least[key]

    @cached_property
    def priced(self) -> tuple[tuple[Count, float], ...]:
        """All that it counts, and pJ of that: no table with costs of cells has these."""
        return tuple(priced(self.arch, self.schedule, *self.hardware, whole=False))

    @cached_property
    def pj(self) -> float | None:
        """As `Result.hardware_pj`."""
        table, stated = self.arch.table, any(level.stated for level in self.arch.levels[:-1])
        if table is None or (table.cells and stated):
            return None
        try:
            if not table.cells:
                return sum(pj for _, pj in self.priced)
            nest, network = self.hardware
            parts = energies_of(network, traffic(network, nest), lambda: self.cycles, table, elaborated)
            return sum(part.pj for part in parts)
        except CostError:
            return None


@dataclass(frozen=True)
class Result:
    """The best mapping found of `layer` on `arch`.

    `energy_pj`, `cycles` (of the steady state) by the convention named, at the prices of the architecture's levels;
    `parts`: pJ by level and tensor, all with register files; `optimal`: proven best of the stated space, at the prices
    that this names, or, where this says so, reached from that; `gap`: at most this fraction of the objective could
    still be saved; `evaluated`: mappings and partial ones whose cost or bound was computed; `seconds`: of all that was
    done; `space`: what was searched, in words; `about`: what `optimal` and `gap` are about, where that is not as in
    ABOUT; `warning`: what makes it a bad choice nevertheless. `arch` is the one
    asked for, or where time matters that with more halves in its register files; `files`: which tensors have memories
    in the PEs; `cut`: how its operands' outermost tiles come in, `sums_cut`: how many of the loops of such a tile lie
    outside a piece of its sums, if these leave by pieces; `known`: what is known of other hardware.
    """

    layer: Layer
    arch: Architecture
    objective: str
    convention: str
    energy_pj: float
    cycles: int
    mapping: Mapping
    parts: dict[str, dict[str, float]]
    optimal: bool
    gap: float
    evaluated: int
    seconds: float
    space: str
    about: str = ""
    warning: str = ""
    files: Files = ALL
    cut: Pieces = WHOLE
    sums_cut: int = 0
    known: Hardware = field(default_factory=Hardware, compare=False, repr=False)
    made: Made | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Results that differ only in what is said of a mapping share its hardware."""
        own = Made(self.layer, self.arch, self.mapping, self.files, self.cut, self.sums_cut, self.known)
        if not (self.made and all(value is getattr(self.made, name) for name, value in vars(own).items())):
            object.__setattr__(self, "made", own)

    @property
    def _made(self) -> Made:
        assert self.made
        return self.made

    @property
    def schedule(self) -> str:
        """The layer and its schedule as a text design."""
        return self._made.schedule

    @property
    def hardware(self) -> tuple[Nest, Network]:
        """What the schedule becomes."""
        return self._made.hardware

    @cached_property
    def run_cycles(self) -> int:
        """Cycles of the schedule's hardware from start to done, with an ideal memory behind its ports or the one that
        all share; and no fewer than a level of stated bandwidth takes."""
        return max(self._made.cycles, self._limited)

    def run_within(self, most: float) -> int:
        """These cycles; where they are more than `most`, a number over that which they are at least."""
        return max(self._made.within(most), self._limited)

    @property
    def _limited(self) -> int:
        """Cycles that levels of stated bandwidth take."""
        return self.cycles if any(level.bandwidth for level in self.arch.levels) else 0

    @property
    def hardware_pj(self) -> float | None:
        """pJ of the schedule's hardware by its own counts, at the prices that the architecture states, and of memories
        of these sizes where it states none; None where it has no cost table, one that lacks a kind of memory, or one
        with costs of cells beside prices of levels.
        """
        return self._made.pj

    @property
    def pj(self) -> float:
        """pJ of that hardware by the exact counts, where it has a price; else as counted."""
        generated = self.hardware_pj if self.convention == "exact" else None
        return self.energy_pj if generated is None else generated

    @property
    def priced(self) -> tuple[tuple[Count, float], ...]:
        """All that the hardware counts, and pJ of that; the architecture has a cost table without costs of cells."""
        return self._made.priced

    @cached_property
    def words_pj(self) -> float | None:
        """pJ of that hardware's own words at the prices of the architecture's levels, what `energy_pj` is where each of
        them is counted, and each tensor has its register files; None where the architecture has no cost table.
        """
        if self.arch.table is None:
            return None
        return sum(pj for _, pj in priced(self.arch, self.schedule, *self.hardware))

    @property
    def bound(self) -> int:
        """No hardware with these PEs and ports takes fewer cycles: each MAC and each word once."""
        return max(-(-self.layer.macs // self.arch.pes), port_cycles(self.layer, self.arch))

    @property
    def used(self) -> str:
        """The notation of the loops that have several lanes."""
        sides = ("".join(dim for dim, lanes in loops if lanes > 1) for loops in self.mapping.spatial)
        return " | ".join(side for side in sides if side)

    @property
    def utilization(self) -> float:
        """MACs over the cycles of all PEs, from start to done."""
        return self.layer.macs / (self.run_cycles * self.arch.pes)

    def as_json(self) -> dict[str, Any]:
        """The answer as plain values: `cycles` and, by the exact counts, `energy_pj` are the generated hardware's;
        `steady_cycles` and `counted_pj` what is counted at the levels' prices.
        """
        return {
            "layer": self.layer.name,
            "architecture": self.arch.name,
            "costs": self.arch.costs,
            "stated": self.arch.own_prices,
            "objective": self.objective,
            "convention": self.convention,
            "energy_pj": self.pj,
            "cycles": self.run_cycles,
            "hardware_pj": self.hardware_pj,
            "counted_pj": self.energy_pj,
            "words_pj": self.words_pj,
            "steady_cycles": self.cycles,
            "bound": self.bound,
            "double": [level.name for level in self.arch.levels if level.buffers == 2],
            "files": [TENSORS[tensor] for tensor in sorted(self.files)],
            "utilization": self.utilization,
            "steady_utilization": self.layer.macs / (self.cycles * self.arch.pes),
            "parts": self.parts,
            "mapping": self.mapping.as_json(tuple(level.name for level in self.arch.levels)),
            "schedule": self.schedule,
            "space": self.space,
            "optimal": self.optimal,
            "gap": self.gap,
            "about": self.about or ABOUT[self.objective],
            "evaluated": self.evaluated,
            "seconds": self.seconds,
            "kept": False,
            "warning": self.warning,
        }
