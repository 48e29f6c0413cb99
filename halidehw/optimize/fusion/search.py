"""Which layers of a network to compute together: an exact search over all chains.

Each layer reads at most one other one as it is, so chains are ways down a forest. The best plan of a layer and all that
hangs below it is the best chain that begins with it, with the best plans of what hangs below that chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from operator import itemgetter

from halidehw.errors import CostError
from halidehw.optimize.fusion.chain import Chain
from halidehw.optimize.fusion.network import Node
from halidehw.optimize.fusion.targets import KB, NEVER, Group, Target


@dataclass(frozen=True)
class Plan:
    """`groups` in an order in which they can be computed; `unfused`: each layer by itself."""

    groups: tuple[Group, ...]
    unfused: tuple[Group, ...]

    @property
    def words(self) -> int:
        return sum(group.words * group.chain.last.layer.repeat for group in self.groups)

    @property
    def words_unfused(self) -> int:
        return sum(group.words * group.chain.last.layer.repeat for group in self.unfused)


def plan(nodes: Mapping[str, Node], target: Target, asked: Sequence[tuple[str, ...]] = (), longest: int = 0) -> Plan:
    """The plan with the fewest words of all. `asked`: chains that must be groups of it; `longest`: layers of a chain at
    most (0: any number).

    Raises `CostError` for a layer that does not fit by itself, and for chains asked for that cannot be.
    """
    search = Search(nodes, target, asked, longest or len(nodes))
    unfused = search.alone()
    check_asked(search, asked)
    return Plan(search.ordered(search.best()[1]), unfused)


Found = tuple[int, tuple[Group, ...]]
"""A plan of some layers, and its words."""

NONE: Found = (NEVER, ())


class Search:
    """`asked`: chains that must be groups; `longest`: layers of a chain at most. `costs`: of chains, by all that
    decides them; `needs`: all layers that one waits for; `below`: the layers that read one as it is."""

    def __init__(self, nodes: Mapping[str, Node], target: Target, asked: Sequence[tuple[str, ...]], longest: int):
        self.nodes, self.target, self.longest = nodes, target, longest
        self.bound = {name: names for names in asked for name in names}
        self.costs: dict[object, tuple[Group | None, int]] = {}
        self.below = {name: tuple(each for each in nodes.values() if each.source == name) for name in nodes}
        before = {name: {*node.reads, *node.adds} for name, node in nodes.items()}
        self.order = tuple(TopologicalSorter(before).static_order())
        self.needs: dict[str, frozenset[str]] = {}
        for name in self.order:
            self.needs[name] = frozenset(before[name]).union(*(self.needs[other] for other in before[name]))

    def alone(self) -> tuple[Group, ...]:
        """Each layer by itself. Raises `CostError` where one does not fit: the one that needs most."""
        chains = [Chain((node,)) for node in self.nodes.values()]
        found = [self.cost(chain)[0] for chain in chains]
        wrong = [chain for chain, group in zip(chains, found, strict=True) if group is None]
        if wrong:
            few = [chain for chain in wrong if self.target.most_tiles(chain) < self.target.min_tiles]
            raise too_large(few[0] if few else max(wrong, key=self.target.least), self.target)
        return tuple(group for group in found if group)

    def cost(self, chain: Chain) -> tuple[Group | None, int]:
        """The best tiles of a chain, None if it does not fit, and the bytes that it needs at least."""
        if chain.shape not in self.costs:
            self.costs[chain.shape] = self.target.best(chain)
        found, least = self.costs[chain.shape]
        return found and replace(found, chain=chain), least

    def best(self, barred: frozenset[tuple[str, ...]] = frozenset()) -> Found:
        """The best plan without some chains. Where groups wait for each other in a circle, one of them cannot be."""
        found: dict[str, Found] = {}
        for name in reversed(self.order):
            found[name] = min(self._from(name, found, barred), key=itemgetter(0), default=NONE)
        tops = [found[name] for name, node in self.nodes.items() if node.source is None]
        words, groups = sum(each for each, _ in tops), tuple(group for _, several in tops for group in several)
        circle = () if words >= NEVER else self._circle(groups)
        if not circle:
            return words, groups
        return min((self.best(barred | {names}) for names in circle if len(names) > 1), key=itemgetter(0))

    def _from(self, name: str, found: Mapping[str, Found], barred: frozenset[tuple[str, ...]]) -> Iterator[Found]:
        """Plans of a layer and all that hangs below it, for each chain that begins with it."""
        for chain in self._chains((self.nodes[name],)):
            group, _ = self.cost(chain)
            if group is None or chain.names in barred or not self._agrees(chain):
                continue
            below = [each.name for node in chain.nodes for each in self.below[node.name] if each not in chain.nodes]
            words = group.words * chain.last.layer.repeat + sum(found[other][0] for other in below)
            yield words, (group, *(each for other in below for each in found[other][1]))

    def _chains(self, nodes: tuple[Node, ...]) -> Iterator[Chain]:
        """Those that begin so and can be computed; one that is too large for any tile makes all longer ones so."""
        chain = Chain(nodes)
        if self.cost(chain)[1] > self.target.capacity:
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

    def _circle(self, groups: Sequence[Group]) -> tuple[tuple[str, ...], ...]:
        try:
            self.ordered(groups)
        except CycleError as error:
            return tuple(error.args[1])
        return ()

    def ordered(self, groups: Sequence[Group]) -> tuple[Group, ...]:
        """In an order in which they can be computed. Raises `CycleError` where there is none."""
        of = {name: group for group in groups for name in group.chain.names}
        before = {
            group.chain.names: {
                of[other].chain.names for node in group.chain.nodes for other in (*node.reads, *node.adds)
                if of[other] is not group
            }
            for group in groups
        }  # fmt: skip
        return tuple(of[names[0]] for names in TopologicalSorter(before).static_order())


def check_asked(search: Search, asked: Sequence[tuple[str, ...]]) -> None:
    """Raises `CostError` for chains that are asked for and cannot be groups."""
    taken: dict[str, tuple[str, ...]] = {}
    for names in asked:
        for name in names:
            if name not in search.nodes:
                raise CostError(f"--group {','.join(names)}: there is no layer {name}", legal=tuple(search.nodes))
            if taken.setdefault(name, names) is not names:
                raise CostError(
                    f"--group {','.join(names)}: {name} is in another group already; name it in one of them"
                )
        for name, after in pairwise(names):
            if search.nodes[after].source != name:
                reads = search.nodes[after].source
                why = f"{after} does not read what {name} makes, as it is and alone"
                raise CostError(f"--group {','.join(names)}: {why}{f'; it reads {reads}' if reads else ''}")
        _check_chain(search, Chain(tuple(search.nodes[name] for name in names)))


def _check_chain(search: Search, chain: Chain) -> None:
    name = f"--group {','.join(chain.names)}"
    for late in sorted(search.late(chain)):
        raise CostError(f"{name}: it adds what {late} makes, which waits for a part of the group")
    if not search.target.allows(chain):
        if not chain.written:
            why = "a 1x1 layer with a stride after another one, or groups of channels, have no schedule in a group"
            raise CostError(f"{name}: {why}")
        node = chain.written[0]
        readers = ", ".join(sorted(node.read_by - set(chain.names)))
        at = chain.nodes.index(node) + 1
        parts = [each for each in (chain.names[:at], chain.names[at:]) if len(each) > 1]
        raise CostError(
            f"{name}: {readers} needs what {node.name} makes, {node.result} elements, which would not leave the chip",
            legal=[" ".join(f"--group {','.join(part)}" for part in parts)] if parts else (),
        )
    if search.cost(chain)[0] is None:
        raise too_large(chain, search.target)


def too_large(chain: Chain, target: Target) -> CostError:
    """That a chain does not fit, and what would be enough."""
    name, most = " + ".join(chain.names), target.most_tiles(chain)
    if most < target.min_tiles:
        why = f"{name}: there are {most} tiles at most, fewer than {target.min_tiles}"
        return CostError(why, legal=[f"--min-tiles {most}"])
    least = target.least(chain)
    return CostError(
        f"{name}: the smallest tiles need {least} bytes, there are {target.capacity}",
        legal=[f"--capacity {least}B" if least < KB else f"--capacity {-(-least // KB)}KB"],
    )
