"""Groups that are asked for by name: whether they can be, and which others can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import islice, pairwise
from shlex import quote

from halidehw.errors import CostError
from halidehw.optimize.fusion.chain import Chain
from halidehw.optimize.fusion.search import Search

SHOWN = 4
"""Groups that are proposed at most."""

Names = tuple[str, ...]


def check_asked(search: Search, asked: Sequence[Names]) -> None:
    """Raises `CostError` for chains that are asked for and cannot be groups."""
    taken: dict[str, Names] = {}
    for names in asked:
        if len(names) > search.longest:
            raise CostError(
                f"{_said(names)}: {len(names)} layers, --longest allows {search.longest}",
                legal=[f"--longest {len(names)}"],
            )
        for name in names:
            if name not in search.nodes:
                why = f"{_said(names)}: there is no layer {name or repr(name)}"
                raise CostError(why, legal=_instead(search, asked, names))
            if (other := taken.setdefault(name, names)) is not names:
                raise _twice(search, asked, name, other, names)
        if twice := [name for name in names if names.count(name) > 1]:
            once = tuple(dict.fromkeys(names))
            why = f"{_said(names)}: {twice[0]} is in it {names.count(twice[0])} times"
            raise CostError(why, legal=[_said(once)] if _works(search, [once]) else _instead(search, asked, once))
        for name, after in pairwise(names):
            if search.nodes[after].source != name:
                raise _apart(search, asked, names, name, after)
        _check_chain(search, asked, search.chain(names))
    if circle := search.circle([search.chain(names) for names in _all(search, asked)]):
        groups = [_said(names) for names in dict.fromkeys(circle) if len(names) > 1]
        raise CostError(f"{' '.join(groups)}: each waits for a layer of the other, so one has to go", legal=groups)


def _twice(search: Search, asked: Sequence[Names], name: str, one: Names, other: Names) -> CostError:
    """That two groups have a layer, and how one of them could."""
    rest = [each for each in asked if each not in (one, other)]
    left, right = (tuple(each for each in a if each not in b) for a, b in ((one, other), (other, one)))
    tried = [[(*one, *right)], [one, right], [left, other], [one], [other]]
    fits = [groups for groups in tried if all(len(each) > 1 for each in groups) and _works(search, [*rest, *groups])]
    return CostError(
        f"{_said(other)}: {name} is in another group already; name it in one of them",
        legal=dict.fromkeys(" ".join(map(_said, groups)) for groups in fits),
    )


def _said(names: Names) -> str:
    return f"--group {quote(','.join(names))}"


def _all(search: Search, asked: Sequence[Names]) -> list[Names]:
    """Groups, and each other layer by itself."""
    taken = {name for names in asked for name in names}
    return [*asked, *((name,) for name in search.nodes if name not in taken)]


def _works(search: Search, groups: Sequence[Names]) -> bool:
    """Whether chains of layers can be groups, all of them."""
    names = [name for each in groups for name in each]
    if len({*names}) < len(names) or not {*names} <= {*search.nodes}:
        return False
    for each in groups:
        chain = search.chain(each)
        linked = all(search.nodes[after].source == name for name, after in pairwise(each))
        if not linked or len(each) > search.longest or search.late(chain) or not search.target.allows(chain):
            return False
        if search.choice(chain).next is None:
            return False
    return not search.circle([search.chain(each) for each in _all(search, groups)])


def _instead(search: Search, asked: Sequence[Names], names: Names) -> list[str]:
    """What could stand for a group beside the others that are asked for: itself with names that there are, all of it in
    parts, or else other groups with layers of it, or these each by itself, or nothing."""
    others = [each for each in asked if each != names]
    for found in (_spelt(search, names), _parts(search, names)):
        if found and _works(search, [*others, *found]):
            return [" ".join(map(_said, found))]
    near = sorted(_near(search, names), key=lambda each: (-len({*each} & {*names}), abs(len(each) - len(names))))
    works = islice((each for each in near if _works(search, [*others, each])), SHOWN)
    single = [(name,) for name in dict.fromkeys(names) if name in search.nodes]
    alone = [" ".join(map(_said, single))] if single and _works(search, [*others, *single]) else []
    return [_said(each) for each in works] or alone or [f"without {_said(names)}"]


def _spelt(search: Search, names: Names) -> list[Names]:
    """A group with the nearest names that there are."""
    return [tuple(next(iter(get_close_matches(each, search.nodes, 1)), each) for each in names)]


def _parts(search: Search, names: Names) -> list[Names]:
    """A group cut into as long ones as can be; single layers need not be asked for."""
    found, at = list[Names](), 0
    while at < len(names):
        ends = (end for end in range(len(names), at + 1, -1) if _works(search, [names[at:end]]))
        end = next(ends, at + 1)
        found += [names[at:end]] if end > at + 1 else []
        at = end
    return found


def _near(search: Search, names: Names) -> Iterator[Names]:
    """All groups of several layers, with some layer of a group where it has one that there is."""
    known = {*names} & {*search.nodes}
    for first in search.nodes:
        for chain in search.possible(first):
            if len(chain.nodes) > 1 and (not known or known & {*chain.names}):
                yield chain.names


def _apart(search: Search, asked: Sequence[Names], names: Names, name: str, after: str) -> CostError:
    """That a layer of a group does not read the one before it, and with which between them it would."""
    nodes = search.nodes
    way, repeated = [after], [f"{each} has repeat" for each in (name, after) if nodes[each].layer.repeat > 1]
    while way[0] != name and (source := nodes[way[0]].source):
        way.insert(0, source)
    reads = nodes[after].source
    why = f"{after} does not read what {name} makes, as it is and alone"
    why += f"; it reads {reads}" if reads else f"; {' and '.join(repeated)}" if repeated else ""
    whole = (*names[: names.index(name)], *way, *names[names.index(after) + 1 :])
    filled = way[0] == name and _works(search, [*(each for each in asked if each != names), whole])
    legal = [_said(whole)] if filled else _instead(search, asked, names)
    return CostError(f"{_said(names)}: {why}", legal=legal)


def _check_chain(search: Search, asked: Sequence[Names], chain: Chain) -> None:
    name = _said(chain.names)
    for late in sorted(search.late(chain)):
        why = f"{name}: it adds what {late} makes, which waits for a part of the group"
        raise CostError(why, legal=_instead(search, asked, chain.names))
    if not search.target.allows(chain):
        if 0 < search.target.pes < len(chain.nodes):
            raise CostError(
                f"{name}: {len(chain.nodes)} layers at work together need a PE each, there are {search.target.pes}",
                legal=[f"--pes {len(chain.nodes)}"],
            )
        why = "a 1x1 layer with a stride after another one, or groups of channels, have no schedule in a group"
        if chain.written:
            node, last = chain.written[0], chain.last
            readers = ", ".join(sorted(node.read_by - set(chain.names)))
            why = (
                f"{readers} needs what {node.name} makes, {node.result} elements, which would not leave the chip: a "
                f"group writes what its last layer makes, the {last.result} of {last.name}"
            )
        raise CostError(f"{name}: {why}", legal=_instead(search, asked, chain.names))
