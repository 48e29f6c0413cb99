"""Branch and bound over tiles, from the outermost level inwards, best bound first.

A node is a tile of one level together with everything outside it; its cost outside is exact, its cost inside is
bounded. Expanding a node bounds all its children at once, so most of them are never expanded. What is still open
when the time is up bounds the optimum.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field, replace

import numpy as np

from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.candidates import NONE, Candidates, Fillings
from halidehw.optimize.objective import Objective
from halidehw.optimize.plan import Children, Node, Plan, build_plan
from halidehw.optimize.space import Space
from halidehw.optimize.unrolling import Ways

TOLERANCE = 1e-9
"""Scores that differ by less, relatively, are equal: bounds and costs are sums taken in different orders."""


FEW, GROWTH = 1024, 16
"""Fillings that are tried together at first, and how many times more after that."""

NARROW = 256
"""Of more tiles in a level, and of more fillings, so many are searched first, for a mapping to beat."""

SPARSE = 64
"""Fewer fillings do not deserve a pass of their own."""

REACHES = (1.03, 1.07, 1.12, 1.18, 1.25, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 100.0, float("inf"))
"""Fillings within these ratios of the least bound are tried in one pass."""


@dataclass(frozen=True)
class Found:
    """The best mapping (None: there is none), its energy in pJ, cycles and score; no mapping has less than `bound`.

    `evaluated`: mappings and partial mappings whose cost or bound was computed.
    """

    mapping: Mapping | None
    energy: float
    cycles: int
    score: float
    bound: float
    evaluated: int


NOTHING = Found(None, float("inf"), 0, float("inf"), float("inf"), 0)
"""What is known before a search."""


@dataclass(order=True)
class Open:
    """The children of a node that are not expanded yet. Bounds that are equal but for rounding: the innermost first."""

    rank: tuple[float, int, int]
    bound: float = field(compare=False)
    plan: Plan = field(compare=False)
    node: Node = field(compare=False)
    children: Children = field(compare=False)
    scores: np.ndarray = field(compare=False)
    order: np.ndarray = field(compare=False)
    next: int = field(compare=False, default=0)

    def pop(self) -> Node:
        """The child with the least bound."""
        stationary, at = divmod(int(self.order[self.next]), len(self.children.inner))
        self.next += 1
        self.bound = float(self.scores[self.order[self.next]]) if self.next < len(self.order) else float("inf")
        self.rank = (rounded(self.bound), *self.rank[1:])
        point = int(self.children.inner[at])
        return Node(
            self.node.level - 1,
            point,
            float(self.children.outside[stationary, at]),
            float(self.children.cycles[stationary, at]),
            float(self.children.moved[stationary, at]),
            tuple(self.children.crossed[:, stationary, at].tolist()),
            (*self.node.path, (point, stationary)),
        )


class Search:
    """One run for a goal, for something better than `best`; from the first mapping on, or where time matters and a
    score is known, it ends at `deadline`, on time.perf_counter's clock, or when `most` mappings and partial ones have
    been looked at."""

    def __init__(
        self, goal: Objective, counting: str, max_cycles: float, deadline: float, start: Mapping | None = None,
        most: float = float("inf"), best: Found = NOTHING,
    ):  # fmt: skip
        self.most = most
        self.goal, self.counting, self.max_cycles, self.deadline = goal, counting, max_cycles, deadline
        self.best = best
        self.start = start
        self.evaluated = 0
        self.late = float("inf")
        self.open: list[Open] = []
        self.seen: dict[tuple[int, int], list[Node]] = {}

    def run(self, space: Space) -> Found:
        """The best mapping of a space.

        The fillings of the PEs are tried best bound first, in passes that reach farther and farther from the least
        bound, until a pass reaches the best mapping.
        """
        candidates, remaining = Candidates(space, self.goal, self.max_cycles, self._limit()), NONE
        least = candidates.soonest
        reached = least = candidates.least if least < self._limit() else least
        for reach in REACHES:
            if reached >= self._limit() or self._late():
                break
            if self.start and reach == REACHES[-1]:
                self._offer(space, self.start)
            limit = self._limit() if reach == REACHES[-1] else min(least * reach, self._limit())
            last = limit == self._limit()
            if not last and candidates.at_most(limit) < SPARSE:
                continue
            remaining = candidates.below(limit)
            remaining = remaining.take(remaining.score >= reached * (1 - TOLERANCE))
            if len(remaining.score) >= SPARSE or last:
                remaining, reached = self._pass(candidates, remaining), limit
        bounds = (each.bound for each in self.open)
        bound = min([self.best.score, self.late, reached, *remaining.score[:1].tolist(), *bounds])
        bound = self.best.score if bound >= self._limit() else bound
        return replace(self.best, bound=bound, evaluated=self.evaluated)

    def _pass(self, candidates: Candidates, remaining: Fillings) -> Fillings:
        """Try fillings in growing numbers; those that are left when the time is up."""
        many = FEW
        while len(remaining.score) and not self._late():
            self._try(candidates, remaining.take(slice(many)))
            remaining = remaining.take(slice(many, None))
            remaining = remaining.take(remaining.score < self._limit())
            many = int(min(many * GROWTH, max(FEW, self.most - self.evaluated)))
        return remaining

    def _try(self, candidates: Candidates, fillings: Fillings) -> None:
        """Search all mappings with the given fillings; where cycles matter, those of equal steps together."""
        ways, laid_out = candidates.lay_out(fillings, self._limit())
        self.evaluated += len(laid_out.score)
        group = laid_out.steps * self.goal.timed
        order = np.unique(group, return_index=True)[1]
        for first in np.sort(order):
            if self._late():
                self.late = min(self.late, float(laid_out.score[first]))
            if laid_out.score[first] >= self._limit() or self._late():
                continue
            own = laid_out.take(group == group[first])
            tiles = candidates.floors.worth(own.energy, own.point, self._within(own))
            if max(map(len, tiles.values()), default=0) > NARROW:
                few = {level: points[:NARROW] for level, points in tiles.items()}
                limit = self._limit()
                self._solve(candidates, ways, own.take(slice(NARROW)), few)
                if self._limit() < limit:
                    tiles = candidates.floors.worth(own.energy, own.point, self._within(own))
            self._solve(candidates, ways, own, tiles)

    def _within(self, fillings: Fillings) -> float:
        """pJ from which on no mapping with some fillings is better than the best."""
        return float(self.goal.within(self._limit(), fillings.steps.min()))

    def _solve(self, candidates: Candidates, ways: Ways, fillings: Fillings, tiles: dict[int, np.ndarray]) -> None:
        """Search all mappings with some fillings and tiles: best bound first, until none can hold anything better."""
        plan = build_plan(candidates.floors, ways, fillings, tiles, self._within(fillings))
        if plan is None:
            return
        self.seen.clear()
        self._expand(plan, plan.root)
        while self.open and self.open[0].bound < self._limit() and not self._late():
            first = self.open[0]
            node = first.pop()
            heapq.heapreplace(self.open, first)
            if not self._dominated(node):
                self._expand(first.plan, node)

    def _dominated(self, node: Node) -> bool:
        """Whether an expanded node has the same tile, and all that is outside it costs no more."""
        same = self.seen.setdefault((node.level, node.point), [])
        if any(other.no_worse_than(node) for other in same):
            return True
        same.append(node)
        return False

    def _late(self) -> bool:
        known = self.best.mapping is not None or (self.goal.timed and self.best.score < float("inf"))
        return known and (self.evaluated > self.most or time.perf_counter() > self.deadline)

    def _limit(self) -> float:
        return self.best.score * (1 - TOLERANCE)

    def _expand(self, plan: Plan, node: Node) -> None:
        children = plan.expand(node)
        scores = self.goal.score(children.energy, children.cycles)
        scores = np.where(children.cycles > self.max_cycles, np.inf, scores).ravel()
        self.evaluated += scores.size
        useful = np.flatnonzero(scores < self._limit())
        order = useful[np.argsort(scores[useful], kind="stable")]
        if not len(order):
            return
        if node.level == plan.space.arch.pe_levels:
            self._complete(plan, node, children, scores, order)
        else:
            bound = float(scores[order[0]])
            rank = (rounded(bound), node.level, self.evaluated)
            opened = Open(rank, bound, plan, node, children, scores, order)
            heapq.heappush(self.open, opened)

    def _complete(self, plan: Plan, node: Node, children: Children, scores: np.ndarray, order: np.ndarray) -> None:
        """Cost the complete mappings that may be better than the best."""
        for flat in order:
            if self._late():
                self.late = min(self.late, float(scores[flat]))
            if scores[flat] >= self._limit() or self._late():
                break
            self.evaluated += 1
            stationary, at = divmod(int(flat), len(children.inner))
            mapping = build_mapping(plan, node, stationary, int(children.inner[at]))
            self._offer(plan.space, mapping)

    def _offer(self, space: Space, mapping: Mapping) -> None:
        """Take a mapping that is better than the best."""
        cost = evaluate(space.layer, space.arch, mapping, self.counting)
        score = float(self.goal.score(np.array(cost.energy_pj), np.array(cost.cycles)))
        if score < self._limit() and cost.cycles <= self.max_cycles:
            self.best = Found(mapping, cost.energy_pj, cost.cycles, score, score, self.evaluated)


def rounded(bound: float) -> float:
    """Equal for bounds that are sums of the same terms in different orders."""
    return float(f"{bound:.11e}")


def build_mapping(plan: Plan, node: Node, stationary: int, choice: int) -> Mapping:
    """The mapping of a node's path, the loop order below it, and a choice inside the PEs."""
    space, choices = plan.space, plan.choices
    way = int(choices.way[choice])
    inside = [space.grid.points[:, tile] for tile in choices.tiles[:, choice]]
    outside = [space.grid.points[:, point] for point, _ in reversed(node.path)]
    order = [*choices.stationary[:, choice].tolist(), stationary, *(s for _, s in reversed(node.path))]
    return space.mapping([*inside, *outside], plan.ways.lanes[:, way], plan.ways.axes[way], order)
