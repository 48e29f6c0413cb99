"""What several designs choose alike, and the frame that they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import gcd, prod
from typing import Any

from halidehw.errors import HardwareError
from halidehw.frontend.design import Design
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Loop
from halidehw.machines.names import (
    filled,
    grown,
    lanes_of,
    loops_of,
    names_in,
    ragged,
    ranked,
    ranks_of,
    renamed,
    widened,
)
from halidehw.microarch.banking import places
from halidehw.microarch.choices import Choice, Choices
from halidehw.microarch.common import Misfit, hinted, most_of
from halidehw.microarch.derive import derive
from halidehw.microarch.fit import Frame, fitted, frame_of, sized
from halidehw.microarch.network import Network
from halidehw.microarch.options import Options
from halidehw.microarch.unify import Disagreement, unified


@dataclass(frozen=True)
class Member:
    """A program's `network` as the machine has it, and with walks of its `own`, whose cycles are the same."""

    network: Network
    own: Network


@dataclass(frozen=True)
class Agreement:
    """What holds for all programs of a machine: the names (`model`'s), dimensions, lanes, the choices, the frame.
    `ragged`: its designs with a ragged end in every loop, where others are to fit, so that numbers that are the same in
    all, but not in these, are none of its constants."""

    model: Graph
    options: Options
    ranks: Mapping[str, int]
    lanes: Mapping[tuple[str, str], Loop]
    choices: Mapping[Choice, object]
    frame: Frame
    ragged: tuple[Member, ...]

    def member(self, design: Design, graph: Graph) -> Member:
        """Another design, as the machine has it. Raises HardwareError where it does not fit."""
        with _said([design]):
            own = widened(ranked(renamed(graph, names_in(graph, self.model)), self.ranks), self.lanes)
            return _member(derive(own, self.options, Choices(self.choices)), self.frame)


def agreed(
    designs: Sequence[Design], graphs: Sequence[Graph], options: Options, bits: int, words: int
) -> tuple[Agreement, tuple[Member, ...]]:
    """What designs have in common, and each as the machine has it.

    Where they choose differently, each one's choice is tried for all, that with the most hardware first. Raises
    HardwareError where they differ in structure.
    """
    model = graphs[0]
    own = [renamed(graph, names_in(graph, model)) for graph in graphs]
    lanes, ranks = lanes_of(own), ranks_of(own)
    own = [widened(ranked(graph, ranks), lanes) for graph in own]
    with _said(designs):
        twins = [ragged(graph) for graph in (*own, grown(max(own, key=filled)))] if bits else []
        made, networks = _alike([*own, *twins], options, bits > 0)
        for network in networks:
            _check_proved(network)
        frame = frame_of(networks, loops_of(own)).widened(bits, words)
        found = tuple(_member(network, frame) for network in networks)
    return Agreement(model, options, ranks, lanes, made, frame, found[len(own) :]), found[: len(own)]


def _check_proved(network: Network) -> None:
    """Raises HardwareError for memories of which it is proved by the sizes of one design that they are right."""
    for memory in network.memories:
        for holds, call in ((memory.one_port, "single_port()"), (memory.home, f"store_with({memory.home})")):
            if holds:
                raise _of_one(memory.name, call)
    for stage in network.stages:
        for sums in stage.sums:
            if sums.ports:
                raise _of_one(f"the accumulators of {sums.tensor}", f"single_port({sums.ports})")


def _of_one(name: str, call: str) -> HardwareError:
    return HardwareError(
        f"{name}: {call} is proved for the sizes of one design, and others are to run on the same machine; remove the "
        "line"
    )


def _member(network: Network, frame: Frame) -> Member:
    return Member(fitted(network, frame), sized(network, frame))


def joined(designs: Sequence[Design], members: Sequence[Member], bits: int) -> Network:
    """The network of all. Raises HardwareError where they differ in structure."""
    with _said(designs):
        return unified(tuple(each.network for each in members), bits)


def shared(designs: Sequence[Design], graphs: Sequence[Graph], options: Options) -> bool:
    """Whether designs can have hardware in common."""
    try:
        _, members = agreed(designs, graphs, options, 0, 0)
        joined(designs, members, 0)
    except HardwareError:
        return False
    return True


_Derived = tuple[dict[Choice, object], Network]
"""What a graph chose, and what it derived."""


def _alike(graphs: Sequence[Graph], options: Options, wide: bool) -> tuple[dict[Choice, object], list[Network]]:
    """The choices that all make, and what they then derive."""
    forced = dict[Choice, object]()
    found = _derived(graphs, options, forced, wide, [None] * len(graphs))
    while True:
        networks = [network for _, network in found]
        _check_arrays(networks)
        apart = _places_apart(networks)
        made = [{choice: value for choice, value in each.items() if choice not in apart} for each, _ in found]
        every = {choice: value for each in reversed(made) for choice, value in each.items()}
        differing = [
            choice for choice, value in every.items() if any(each.get(choice, value) != value for each in made)
        ]
        if not differing:
            return every, networks
        first = min((kind for kind, _ in differing), key=_ORDER.index)
        now = sorted(choice for choice in differing if choice[0] == first)
        tried = {choice: _tried(choice, made, networks, graphs, wide) for choice in now}
        forced, found = _forced(graphs, options, forced, wide, tried, found)


def _forced(
    graphs: Sequence[Graph], options: Options, forced: Mapping[Choice, object], wide: bool,
    tried: Mapping[Choice, Sequence[object]], before: Sequence[_Derived],
) -> tuple[dict[Choice, object], list[_Derived]]:  # fmt: skip
    """The choices that were forced with more of them, and what all then make and derive: of those that are `tried`, of
    one kind, each one's first value, or, where that does not do, of one of them the first that does. `before`: what
    each made and derived with those that were forced."""

    def with_more(more: Mapping[Choice, object]) -> tuple[dict[Choice, object], list[_Derived]]:
        every = {**forced, **more}
        kept = [each if all(each[0].get(*pair) == pair[1] for pair in more.items()) else None for each in before]
        return every, _derived(graphs, options, every, wide, kept)

    with suppress(HardwareError):
        return with_more({choice: values[0] for choice, values in tried.items()})
    choice, values = next(iter(tried.items()))
    if len(values) == 1:
        return with_more({choice: values[0]})
    for value in values:
        with suppress(HardwareError):
            return with_more({choice: value})
    raise HardwareError(f"the designs need different {choice[0]} of {choice[1]}: {', '.join(map(str, values))}")


def _places_apart(networks: Sequence[Network]) -> set[Choice]:
    """Of memories of which the banks along one dimension turn, at most: words along others can be as far apart as each
    program needs."""
    together = {memory.name for network in networks for memory in network.memories
                if memory.ring or sum(dim.rotating for dim in memory.dims) > 1}  # fmt: skip
    return {("places", memory.name) for network in networks for memory in network.memories} - {
        ("places", name) for name in together
    }


def _places(name: str, own: Sequence[tuple[int, ...]], networks: Sequence[Network], wide: bool) -> tuple[int, ...]:
    """Those that serve all, and, of a `wide` machine, all designs as large. `own`: what each chose."""
    dims = [memory.dims for network in networks for memory in network.memories if memory.name == name]
    rows = [tuple(-(-dim.extent // dim.factor) if dim.rotating else 1 for dim in each) for each in dims]
    order = sorted(range(len(own[0])), key=lambda d: max(at[d] for at in own))
    return places([tuple(map(max, zip(*rows, strict=True)))] if wide else rows, order)


def _check_arrays(networks: Sequence[Network]) -> None:
    """Raises HardwareError where arrays have other lanes, or stages are other ones."""
    arrays = [{stage.name: tuple((space.name, space.extent) for space in stage.spaces) for stage in network.stages}
              for network in networks]  # fmt: skip
    if other := next((array for array in arrays if array != arrays[0]), None):
        both = f"{_array(arrays[0])}; {_array(other)}"
        raise HardwareError(f"one piece of hardware cannot be both of these arrays: {both}")


def _array(stages: Mapping[str, tuple[tuple[str, int], ...]]) -> str:
    """Stages with their lanes, in words."""
    lanes = {name: " x ".join(f"{extent} of {space}" for space, extent in spaces) for name, spaces in stages.items()}
    return ", ".join(f"{name} with {each or 'one PE'}" for name, each in lanes.items())


_ORDER = (
    "joined", "summed", "register", "tile", "steps", "window", "follows", "vector", "checked", "together", "held",
    "bus", "factors", "turning", "places", "masks", "parts", "columns",
)  # fmt: skip
"""Which choice is made first: others follow from it."""

_LEAST = ("window", "follows")
"""Where the choice with the least hardware serves all."""


def _derived(
    graphs: Sequence[Graph], options: Options, forced: Mapping[Choice, object], wide: bool,
    known: Sequence[_Derived | None],
) -> list[_Derived]:  # fmt: skip
    """What each makes and derives; `known`: of a graph that chooses nothing else than before, what it did."""
    found = list[_Derived]()
    for graph, same in zip(graphs, known, strict=True):
        choices = Choices(forced, wide=wide)
        found.append(same or (choices.made, derive(graph, options, choices)))
    return found


def _tried(
    choice: Choice, made: Sequence[Mapping[Choice, object]], networks: Sequence[Network], graphs: Sequence[Graph],
    wide: bool,
) -> Sequence[object]:
    """What all could choose, the best first: of what designs chose, or what serves all."""
    found: list[Any] = [each[choice] for each in made if choice in each]
    match choice[0]:
        case "summed":
            pairs = zip((each.get(choice) for each in made), networks, strict=True)
            return [_summed([(own, network) for own, network in pairs if isinstance(own, frozenset)])]
        case "tile":
            return [_outside(found, networks, loops_of(graphs))]
        case "steps":
            return [tuple(map(gcd, *found))]
        case "masks":
            return [most_of(found)]
        case "places":
            return [_places(choice[1], found, networks, wide)]
        case "checked" | "turning":
            return [tuple(map(max, zip(*found, strict=True)))]
    values = {repr(value): value for value in found}.values()
    return sorted(values, key=_size, reverse=choice[0] not in _LEAST)


def _outside(
    tiles: Sequence[frozenset[str]], networks: Sequence[Network], loops: Sequence[tuple[str, ...]]
) -> frozenset[str]:
    """The axes outside all tiles that are read, and those outside these: each tile ends at one place among all axes."""
    wanted = frozenset().union(*tiles)
    walks = {tuple(axis.name for axis in process.walk.axes) for network in networks for process in network.processes}
    order = hinted(("all walks",), sorted(walks), loops)
    return frozenset(order[: max((order.index(name) + 1 for name in wanted), default=0)])


def _summed(tiles: list[tuple[frozenset[str], Network]]) -> frozenset[str]:
    """The axes that lie outside all tiles of sums, where they are there at all."""
    axes = [{axis.name for stage in network.stages for axis in stage.compute.walk.axes} for _, network in tiles]
    every = frozenset().union(*(own for own, _ in tiles))
    return every.difference(*((every - own) & there for (own, _), there in zip(tiles, axes, strict=True)))


def _size(value: object) -> tuple[int, str]:
    """How much hardware a choice stands for."""
    match value:
        case int():
            return int(value), ""
        case frozenset():
            return len(value), str(sorted(value))
        case tuple():
            return prod(value), str(value)
        case dict():
            return prod(value.values()), str(value)
    raise TypeError(f"{value!r} is no choice")


@contextmanager
def _said(designs: Sequence[Design]) -> Iterator[None]:
    """Says in whose structure a difference lies."""
    try:
        yield
    except Disagreement as found:
        place = " ".join(found.path[max([at for at, each in enumerate(found.path) if "." in each], default=-2) :])
        said = map(_brief, found.values)
        values = ", ".join(f"{design.name} {value}" for design, value in zip(designs, said, strict=False))
        raise HardwareError(f"one piece of hardware cannot be all of these: {place} is {values}") from None
    except Misfit as found:
        place, names = " ".join(found.place), " and ".join(design.name for design in designs)
        outside, more = found.place[0] == "port", tuple[str, ...]()
        if outside and isinstance(found.needs, int):
            bits = found.needs if found.place[-1] == "address bits" else (found.needs - 1).bit_length()
            more = (f"machine([...], counters={bits})",)
        elif found.place[-1] in ("words", "columns"):
            more = (f"machine([...], words={found.needs})",)
        message = f"{names}: {place} is {_shown(found.has)}, and {_shown(found.needs)} is needed"
        raise HardwareError(message, legal=more) from None


def _brief(value: object) -> str:
    """A value in some words: of several things their names, or how many there are."""
    if isinstance(value, tuple) and not all(isinstance(each, int) for each in value):
        names = [getattr(each, "name", None) for each in value]
        return f"({', '.join(names)})" if names and all(names) else f"{len(value)} of them"  # type: ignore[arg-type]
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


_LONGEST = 80
"""Letters of a value that are shown."""


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
