"""The plan of a network: its groups, and what another plan could still save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

from halidehw.optimize.fusion.asked import check_asked
from halidehw.optimize.fusion.measure import Meter
from halidehw.optimize.fusion.network import Node
from halidehw.optimize.fusion.search import Search
from halidehw.optimize.fusion.targets import Target
from halidehw.optimize.fusion.ways import Group


@dataclass(frozen=True)
class Plan:
    """`groups` in an order in which they can be computed; `unfused`: each layer by itself. `gap`: the share of the
    objective that another plan could save at most; `measured`: designs that were worked out."""

    groups: tuple[Group, ...]
    unfused: tuple[Group, ...]
    gap: float
    measured: int

    @property
    def words(self) -> int:
        return sum(group.words * group.chain.last.layer.repeat for group in self.groups)

    @property
    def words_unfused(self) -> int:
        return sum(group.words * group.chain.last.layer.repeat for group in self.unfused)


def plan(
    nodes: Mapping[str, Node], target: Target, asked: Sequence[tuple[str, ...]] = (), longest: int = 0,
    meter: Meter | None = None, limit: float | None = None,
) -> Plan:  # fmt: skip
    """The plan with the least of the target's objective. `asked`: chains that must be groups of it; `longest`: layers
    of a chain at most (0: any number); `limit`: seconds after which no more designs are measured.

    Raises `CostError` for a layer that does not fit by itself, or that has no hardware where that is measured, and for
    chains asked for that cannot be.
    """
    search = Search(nodes, target, asked, longest or len(nodes), meter)
    search.check_measurable()
    check_asked(search, asked)
    search.check_fits(asked)
    search.check_tiles()
    start = monotonic()
    unfused, _ = search.plan(None if limit is None else start + limit / 2, single=True)
    search.check_whole(unfused, single=True)
    groups, gap = search.plan(None if limit is None else start + limit)
    search.check_whole(groups)
    return Plan(search.ordered(groups), unfused, gap, len(search.meter.known))
