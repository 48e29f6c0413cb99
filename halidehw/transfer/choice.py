"""Which network's schedules suit another one best: equation 6.1 of Gibson's thesis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True)
class Profile:
    """A network by kernel classes: how many kernels each has, and its share (0 .. 1) of the time without tuning."""

    name: str
    kernels: Mapping[str, int]
    shares: Mapping[str, float]


def score(target: Profile, source: Profile) -> float:
    """The sum over the target's classes of the square of its share times the root of the source's kernels of it."""
    return sum(target.shares[each] ** 2 * sqrt(source.kernels.get(each, 0)) for each in target.kernels)


def ranking(target: Profile, sources: Iterable[Profile]) -> list[Profile]:
    """The networks with anything for the target, the best first; of equals the first."""
    scores = {source.name: score(target, source) for source in sources}
    useful = [source for source in sources if source.name != target.name and scores[source.name] > 0]
    return sorted(useful, key=lambda source: -scores[source.name])


def pairs(target: Profile, source: Profile) -> int:
    """Kernels of the target with schedules of the source, of the same class."""
    return sum(count * source.kernels.get(each, 0) for each, count in target.kernels.items())


def evaluations(target: Profile, source: Profile) -> int:
    """What a transfer evaluates: all pairs, and each kernel with its default schedule."""
    return pairs(target, source) + sum(target.kernels.values())
