"""The words that lanes read in one step: how many differ, and how many a lane takes over from another one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from halidehw.energy_model.symbolic.chains import Digit
from halidehw.energy_model.symbolic.terms import Terms, Value
from halidehw.energy_model.symbolic.tiles import Indexed
from halidehw.errors import CostError


@dataclass(frozen=True)
class Lanes:
    """Lanes side by side on some loops (variable and loop) of a tensor's reader.

    `offsets`: the distinct places read in one step, in `units` of each dimension.
    """

    terms: Terms
    tensor: Indexed
    loops: tuple[tuple[str, Digit], ...]

    @cached_property
    def units(self) -> tuple[Value, ...]:
        """1, or the distance of a dimension's lanes where that is a symbol."""
        units: list[Value] = []
        for d, dim in enumerate(self.tensor.dims):
            strides = [dim[name] * digit.stride for name, digit in self.loops if name in dim]
            symbols = [stride for stride in strides if not isinstance(stride, int)]
            if symbols and (len(strides) > 1 or len({taps[d] for taps in self.tensor.taps}) > 1):
                raise CostError(
                    f"{self.tensor.name} is read by lanes of several loops in dimension {d}, some of them a symbol "
                    "apart, which cannot be counted in symbols"
                )
            units.append(self.terms.named(symbols[0]) if symbols else 1)
        return tuple(units)

    @cached_property
    def offsets(self) -> frozenset[tuple[int, ...]]:
        return frozenset(
            tuple(
                taps[d]
                + sum(
                    lane * self._weight(d, name, digit) for lane, (name, digit) in zip(place, self.loops, strict=True)
                )
                for d in range(len(self.tensor.dims))
            )
            for place in product(*(range(digit.lanes) for _, digit in self.loops))
            for taps in self.tensor.taps
        )

    def _weight(self, d: int, name: str, digit: Digit) -> int:
        if name not in self.tensor.dims[d]:
            return 0
        weight = self.tensor.dims[d][name] * digit.stride
        return weight if isinstance(weight, int) else 1

    @property
    def count(self) -> int:
        return len(self.offsets)

    @property
    def positions(self) -> int:
        """Lanes, whether or not they read the same words."""
        return prod(digit.lanes for _, digit in self.loops)

    def following(self, d: int, stride: Value, variable: str = "") -> Value:
        """The lanes that read what another one read a step before, when a step moves all by `stride` in dimension d.

        `variable`: whose loop steps: by no less than all its own lanes together, or by less than one of them.
        """
        unit = self.units[d]
        if isinstance(unit, int) and isinstance(stride, int):
            return sum((*o[:d], o[d] + stride, *o[d + 1 :]) in self.offsets for o in self.offsets)
        alone = len({taps[d] for taps in self.tensor.taps}) == 1
        if alone and all(name == variable for name, _ in self.loops if name in self.tensor.dims[d]):
            return 0
        return self.terms.named(sum(
            count * self.terms.equal(stride, distance * unit) for distance, count in self._distances(d).items()
        ))  # fmt: skip

    def _distances(self, d: int) -> Counter[int]:
        """How many pairs of lanes lie how far apart in dimension d, and not at all in others."""
        rows: dict[tuple[int, ...], list[int]] = {}
        for offset in self.offsets:
            rows.setdefault(offset[:d] + offset[d + 1 :], []).append(offset[d])
        return Counter(b - a for row in rows.values() for a in row for b in row if b > a)
