"""Which layers of a network to compute together: an exact search over all chains.

Each layer reads at most one other one as it is, so chains are ways down a forest. The best plan of a layer and all that
hangs below it is the best chain that begins with it, with the best plans of what hangs below that chain.

Words of a tiling are known; its energy and cycles are those of its hardware, which takes longer to work out than a
bound. So the best plan by the bounds is looked for first, the tilings of its groups are measured, and so on until all
groups of the best plan have been measured, and nothing that has not been can be less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from operator import itemgetter
from shlex import quote
from time import monotonic

from halidehw.errors import CostError, HardwareError
from halidehw.notation import counted
from halidehw.optimize.fusion.chain import Chain
from halidehw.optimize.fusion.measure import Meter
from halidehw.optimize.fusion.network import Node
from halidehw.optimize.fusion.targets import DELAY, ENERGY, KB, OBJECTIVES, WORDS, Candidate, Place, Target
from halidehw.optimize.fusion.ways import NEVER, ROOMY, Group


class Choice:
    """The tilings of chains that cost the same, as far as they have been looked at. `found`: the best one of those that
    were measured, and its `value`; `least`: the bytes without which none fits; `most`: the most tiles that fit;
    `problem`: why one has no hardware."""

    def __init__(self, chain: Chain, target: Target, meter: Meter):
        self.chain, self.target, self.meter = chain, target, meter
        self.found: Group | None = None
        self.value: float = NEVER
        self.problem: HardwareError | None = None
        self.tried: set[Place] = set()
        self.next: Candidate | None
        self.next, self.least, self.most = target.best(chain)

    @property
    def bound(self) -> float:
        """Below which no tiling is."""
        return min(self.value, self.next.least) if self.next else self.value

    @property
    def closed(self) -> bool:
        """Whether no tiling is better than the one found."""
        return self.value <= self.bound

    def measure(self) -> None:
        """The tiling with the least bound of those that were not; one of which no hardware can be made, or that does
        not fit when it is made, is left out."""
        if self.next is None:
            return
        value, group = self._taken(self.next)
        if value < self.value:
            self.found, self.value = group, value
        self.tried.add(self.next.place)
        self.next = None if value <= self.next.least else self.target.best(self.chain, self.tried)[0]

    def _taken(self, each: Candidate) -> tuple[float, Group]:
        """What it has of the objective, and the group with the words and bytes that are measured."""
        try:
            run = self.meter.run(each.group)
        except HardwareError as problem:
            self.problem = problem
            return NEVER, each.group
        if run is None:
            return each.least, each.group
        group = replace(each.group, words=run.words, capacity=run.capacity)
        if group.capacity > self.target.capacity:
            return NEVER, group
        if self.target.objective == WORDS:
            return group.words, group
        value = run.cycles if self.target.objective == DELAY else run.energy_pj
        assert value is not None, "refused by check_measurable"
        return value, group


Found = tuple[float, tuple[tuple[Chain, Choice], ...]]
"""A plan of some layers, and what it has of its aim at least."""

NONE: Found = (NEVER, ())


@dataclass(frozen=True)
class Aim:
    """What a plan is to have least of: that `of` a group, and all groups' `joined`."""

    of: Callable[[Chain, Choice], float]
    joined: Callable[[Iterable[float]], float]


BOUNDS = Aim(lambda chain, choice: choice.bound * chain.last.layer.repeat, sum)
"""The objective, by the bounds."""

MEASURED = Aim(lambda chain, choice: choice.value * chain.last.layer.repeat, sum)
"""The objective, of what was measured alone."""

TILES = Aim(lambda chain, choice: -choice.most if choice.most else NEVER, max)
"""Not the objective: the group of fewest tiles has most."""


class Search:
    """`asked`: chains that must be groups; `longest`: layers of a chain at most. `choices`: of chains, by all that
    decides them; `needs`: all layers that one waits for; `below`: the layers that read one as it is."""

    def __init__(
        self, nodes: Mapping[str, Node], target: Target, asked: Sequence[tuple[str, ...]], longest: int,
        meter: Meter | None = None,
    ):  # fmt: skip
        self.nodes, self.target, self.longest, self.asked = nodes, target, longest, asked
        self.meter = meter or Meter(target)
        self.bound = {name: names for names in asked for name in names}
        self.choices: dict[object, Choice] = {}
        self.chains: dict[str, tuple[tuple[Chain, Choice], ...]] = {}
        self.below = {name: tuple(each for each in nodes.values() if each.source == name) for name in nodes}
        before = {name: {*node.reads, *node.adds} for name, node in nodes.items()}
        self.order = tuple(TopologicalSorter(before).static_order())
        self.needs: dict[str, frozenset[str]] = {}
        for name in self.order:
            self.needs[name] = frozenset(before[name]).union(*(self.needs[other] for other in before[name]))

    def check_fits(self, asked: Sequence[tuple[str, ...]]) -> None:
        """Raises `CostError` where a layer by itself or a chain asked for does not fit: of the one that needs most."""
        if not all(self.choice(chain).most for chain in self._needed(asked)):
            self.check_roomy(asked)
            raise self.too_large(self.largest(asked))

    def _needed(self, asked: Sequence[tuple[str, ...]]) -> list[Chain]:
        """Each layer by itself, and the chains that are asked for."""
        return [self.chain(names) for names in (*((name,) for name in self.nodes), *asked)]

    def largest(self, asked: Sequence[tuple[str, ...]]) -> Chain:
        """The layer, or the chain asked for, that needs the most bytes at least: with these the whole network fits."""
        return max(self._needed(asked), key=self.least)

    def check_tiles(self) -> None:
        """Raises `CostError` where each plan has a group of too few tiles: of the plan whose fewest are most."""
        if few := self._too_few():
            raise self._few(*few, f"--min-tiles {few[1]}")

    def check_roomy(self, asked: Sequence[tuple[str, ...]]) -> None:
        """As `check_tiles`, however large the memory is; and with the bytes that so many tiles as there can be need."""
        if self.target.min_tiles > 1 and (few := self._with(capacity=ROOMY)._too_few()):
            less = self._with(min_tiles=few[1])
            works = less.room(less.least(less.largest(asked)))
            raise self._few(*few, works if "--min-tiles" in works else f"{works} --min-tiles {few[1]}")

    def _with(self, **of: int) -> Search:
        """The same for a target of which something is else."""
        return Search(self.nodes, replace(self.target, **of), self.asked, self.longest, self.meter)  # type: ignore[arg-type]

    def room(self, least: int) -> str:
        """The options for so many bytes, with fewer tiles where there are too few of them then."""
        few = self.target.min_tiles > 1 and self._with(capacity=least)._too_few()
        size = f"{least // KB}KB" if least % KB == 0 else f"{least}B"
        return f"--capacity {size}" + (f" --min-tiles {few[1]}" if few else "")

    def _too_few(self) -> tuple[Chain, int] | None:
        """Where each plan has a group of too few tiles that group of the plan whose fewest are most, and its tiles."""
        if self.best()[0] < NEVER:
            return None
        chain, choice = min(self.best(TILES)[1], key=lambda each: each[1].most)
        return chain, choice.most

    def _few(self, chain: Chain, most: int, works: str) -> CostError:
        why = f"{counted(most, 'tile')} at most, fewer than {self.target.min_tiles}"
        return CostError(f"{' + '.join(chain.names)}: {why}", legal=[works])

    def check_whole(self, groups: Sequence[Group], single: bool = False) -> None:
        """Raises `CostError` where a plan lacks a layer, which had to be a group by itself (`single`) or one that was
        asked for, and has no tiling with hardware that fits; of several of these of the one that needs most."""
        missing = {*self.nodes}.difference(name for group in groups for name in group.chain.names)
        bound = {} if single else self.bound
        names = dict.fromkeys(bound.get(name, (name,)) for name in self.nodes if name in missing)
        if names:
            raise self.too_large(max(map(self.chain, names), key=self.least))

    def least(self, chain: Chain) -> int:
        """The bytes without which no hardware of a chain fits, of as many tiles as there must be, or as it can have."""
        found = NEVER
        for group in self.target.by_size(chain):
            if group.capacity >= found:
                break
            with suppress(HardwareError):
                run = self.meter.run(group)
                found = min(found, run.capacity if run else group.capacity)
        return found

    def too_large(self, chain: Chain) -> CostError:
        """That a chain does not fit, and what would be enough."""
        name, least = " + ".join(chain.names), self.least(chain)
        if least < NEVER:
            return CostError(
                f"{name}: the smallest tiles need {least} bytes, there are {self.target.capacity}",
                legal=[self.room(least)],
            )
        if not (held := chain.held(False)):
            why = f": {problem.message}" if (problem := self.choice(chain).problem) else ""
            return CostError(f"{name}: no tiles of it have hardware{why}")
        at, source = held[0]
        made, adds = chain.names[source - 1], chain.names[at - 1]
        parts = [each for each in (chain.names[:source], chain.names[source:]) if len(each) > 1]
        parts = parts or [(each,) for each in chain.names]
        return CostError(
            f"{name}: {adds} adds what {made} makes, which our own hardware cannot keep for it: what reads it needs "
            "other parts of it at a time",
            legal=[" ".join(f"--group {quote(','.join(part))}" for part in parts)],
        )

    def check_measurable(self) -> None:
        """Raises `CostError` for a layer without hardware where that is measured, and for energy by costs of cells."""
        if self.target.objective == ENERGY and self.target.costs.cells:
            why = f"energy: the cost table {self.target.costs.name!r} knows designs of one stage only"
            raise CostError(why, legal=[f"--objective {other}" for other in OBJECTIVES if other != ENERGY])
        for node in self.nodes.values():
            if self.target.objective != WORDS and node.grouped:
                raise CostError(
                    f"{node.unbuilt} of which to know the {self.target.objective}",
                    legal=[f"--objective {WORDS}"],
                )

    def chain(self, names: Sequence[str]) -> Chain:
        return Chain(tuple(self.nodes[name] for name in names))

    def choice(self, chain: Chain, target: Target | None = None) -> Choice:
        """The tilings of a chain, of another `target` than the search's if it is given."""
        target = target or self.target
        key = chain.shape, target.min_tiles
        if key not in self.choices:
            self.choices[key] = Choice(chain, target, self.meter)
        return self.choices[key]

    def alone(self, name: str) -> tuple[Chain, Choice]:
        """A layer by itself, in as many tiles as it can have where that is fewer than there must be."""
        chain = self.chain((name,))
        enough = min(self.target.min_tiles, self.choice(chain).most)
        return chain, self.choice(chain, replace(self.target, min_tiles=enough))

    def plan(self, end: float | None = None, single: bool = False) -> tuple[tuple[Group, ...], float]:
        """The best plan, and the share of it that another one could save at most. `end`: the time at which no more is
        measured; `single`: of layers by themselves."""
        find = self._each if single else self.best
        while True:
            least, chosen = find(BOUNDS)
            rest = [choice for _, choice in chosen if not choice.closed]
            late = end is not None and monotonic() > end
            for choice in {id(each): each for each in rest if not late or each.found is None}.values():
                choice.measure()
            open_ = single and any(choice.found is None and choice.next for choice in rest)
            if not rest or (late and not open_):
                break
        value, chosen = find(MEASURED) if rest else (least, chosen)
        groups = tuple(replace(choice.found, chain=chain) for chain, choice in chosen if choice.found)
        return groups, max(0.0, 1 - least / value)

    def _each(self, aim: Aim) -> Found:
        """All layers by themselves."""
        chosen = tuple(self.alone(name) for name in self.nodes)
        return aim.joined(aim.of(*each) for each in chosen), chosen

    def best(self, aim: Aim = BOUNDS, barred: frozenset[tuple[str, ...]] = frozenset()) -> Found:
        """The best plan without some chains. Where groups wait for each other in a circle, one of them cannot be."""
        found: dict[str, Found] = {}
        for name in reversed(self.order):
            found[name] = min(self._from(name, found, aim, barred), key=itemgetter(0), default=NONE)
        tops = [found[name] for name, node in self.nodes.items() if node.source is None]
        value, chosen = aim.joined(each for each, _ in tops), tuple(each for _, several in tops for each in several)
        circle = () if value >= NEVER else self.circle([chain for chain, _ in chosen])
        if not circle:
            return value, chosen
        several = (self.best(aim, barred | {names}) for names in circle if len(names) > 1)
        return min(several, key=itemgetter(0))

    def _from(
        self, name: str, found: Mapping[str, Found], aim: Aim, barred: frozenset[tuple[str, ...]]
    ) -> Iterator[Found]:
        """Plans of a layer and all that hangs below it, for each chain that begins with it."""
        if name not in self.chains:
            chains = filter(self._agrees, self.possible(name))
            self.chains[name] = tuple((chain, self.choice(chain)) for chain in chains)
        for chain, choice in self.chains[name]:
            each = aim.of(chain, choice)
            if each >= NEVER or chain.names in barred:
                continue
            below = [each.name for node in chain.nodes for each in self.below[node.name] if each not in chain.nodes]
            value = aim.joined((each, *(found[other][0] for other in below)))
            yield value, ((chain, choice), *(each for other in below for each in found[other][1]))

    def possible(self, first: str) -> Iterator[Chain]:
        """All chains that begin with a layer and can be computed."""
        return self._chains((self.nodes[first],))

    def _chains(self, nodes: tuple[Node, ...]) -> Iterator[Chain]:
        """Those that begin so and can be computed; one that is too large for any tile makes all longer ones so."""
        chain = Chain(nodes)
        if self.choice(chain).least > self.target.capacity:
            return
        if self.target.allows(chain) and not self.late(chain):
            yield chain
        if len(nodes) < self.longest:
            for node in self.below[nodes[-1].name]:
                yield from self._chains((*nodes, node))

    def late(self, chain: Chain) -> frozenset[str]:
        """What a chain adds from outside that waits for a part of the chain."""
        return frozenset(name for name in chain.outside if self.needs[name] & set(chain.names))

    def _agrees(self, chain: Chain) -> bool:
        """Whether a chain is one that is asked for, or has nothing of these."""
        return all(self.bound.get(name, chain.names) == chain.names for name in chain.names)

    def circle(self, chains: Sequence[Chain]) -> tuple[tuple[str, ...], ...]:
        """The names of chains that wait for each other in a circle, if some do."""
        try:
            self._sorted(chains)
        except CycleError as error:
            return tuple(error.args[1])
        return ()

    def _sorted(self, chains: Sequence[Chain]) -> list[tuple[str, ...]]:
        """Their names in an order in which they can be computed. Raises `CycleError` where there is none."""
        of = {name: chain for chain in chains for name in chain.names}
        before = {
            chain.names: {
                of[other].names for node in chain.nodes for other in (*node.reads, *node.adds)
                if of[other] is not chain
            }
            for chain in chains
        }  # fmt: skip
        return list(TopologicalSorter(before).static_order())

    def ordered(self, groups: Sequence[Group]) -> tuple[Group, ...]:
        """In an order in which they can be computed."""
        of = {group.chain.names: group for group in groups}
        return tuple(of[names] for names in self._sorted([group.chain for group in groups]))
