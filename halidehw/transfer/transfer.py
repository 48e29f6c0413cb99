"""Every kernel of a network with every schedule of its class, and the network as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from halidehw.energy_model.cycles import cycles
from halidehw.errors import HalideHWError, ScheduleError
from halidehw.frontend.text import parse
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer, Network
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.optimize.options import Options as Search
from halidehw.optimize.schedule import Arrangement
from halidehw.scheduler import lower_graph
from halidehw.transfer.bank import Bank, Entry, search
from halidehw.transfer.choice import Profile, ranking
from halidehw.transfer.kernels import default, func_of, kind, missing, shape_of
from halidehw.transfer.room import room_of, taken

DEFAULT = "default"


@dataclass(frozen=True)
class Choice:
    """A layer with a schedule. `source`: the entry's name, or "default"; `cycles`: of its hardware, start to done, None
    where it is invalid, `reason`. `first_in`, `first_out`: the dims along which input and output lie in memory."""

    layer: Layer
    source: str
    cycles: int | None
    reason: str = ""
    first_in: str = ""
    first_out: str = ""


@dataclass(frozen=True)
class Transferred:
    """`rows`: for each layer every choice, valid or not, the default first; `evaluated`: those of each kernel, once.
    `alone`: of each layer the fastest.
    `together`: those that are fastest in the network, where a tensor whose words lie in another order than its reader
    takes them in is put in order, a word a cycle. Cycles of the network with the default schedules, with `alone`, and
    with `together`; orders included."""

    network: Network
    sources: tuple[str, ...]
    rows: tuple[tuple[Choice, ...], ...]
    evaluated: tuple[tuple[Choice, ...], ...]
    alone: tuple[Choice, ...]
    together: tuple[Choice, ...]
    default_cycles: int
    alone_cycles: int
    together_cycles: int

    @property
    def pairs(self) -> int:
        return sum(len(row) for row in self.evaluated)

    def share(self, searched: Sequence[Choice]) -> float:
        """Of what a search gains over the default schedules the part that transfer has."""
        gain = self.default_cycles - whole(searched)
        return (self.default_cycles - self.together_cycles) / gain if gain else 1.0

    @property
    def invalid(self) -> tuple[Choice, ...]:
        return tuple(each for row in self.evaluated for each in row if each.cycles is None)


def transfer(
    network: Network, bank: Bank, arch: Architecture, *, best_only: bool = False, guarded: bool = True
) -> Transferred:
    """Evaluates every layer with the default schedule and with every schedule of its class in the bank that is not its
    own network's. `best_only`: with those of the network that equation 6.1 chooses. `guarded`: splits may be ragged.

    Raises `ScheduleError` for a network of which no layer is of a class in the bank.
    """
    entries = [entry for entry in bank.entries if entry.network != network.name]
    kernels = {shape_of(layer): layer for layer in reversed(network.layers)}
    defaults = {shape: default_choice(shape, arch) for shape in dict.fromkeys(map(shape_of, network.layers))}
    if best_only:
        chosen = ranking(profile(network, defaults), [_profile(bank, name) for name in bank.networks])
        entries = [entry for entry in entries if chosen and entry.network == chosen[0].name]
    kinds = dict.fromkeys(kind(layer) for layer in network.layers)
    if not any(entry.kind in kinds for entry in entries):
        there = ", ".join(sorted({entry.kind for entry in entries})) or "nothing"
        raise ScheduleError(f"no layer of {network.name} ({', '.join(sorted(kinds))}) has a class in the bank: {there}")
    found = {
        shape: (each, *(evaluate(entry, shape, arch, guarded) for entry in entries if entry.kind == kind(shape)))
        for shape, each in defaults.items()
    }
    rows = tuple(tuple(replace(each, layer=layer) for each in found[shape_of(layer)]) for layer in network.layers)
    alone = tuple(min(_valid(row), key=lambda each: each.cycles or 0) for row in rows)
    together = fastest_together(rows)
    return Transferred(
        network, tuple(dict.fromkeys(entry.network for entry in entries)), rows,
        tuple(tuple(replace(each, layer=kernels[shape]) for each in row) for shape, row in found.items()), alone,
        together, whole([row[0] for row in rows]), whole(alone), whole(together),
    )  # fmt: skip


def searched(result: Transferred, arch: Architecture, options: Search) -> tuple[tuple[Choice, ...], int]:
    """The schedules that are searched for every layer, or the default one where that is faster in the network, and what
    the search evaluated."""
    layers, name = result.network.layers, result.network.name
    entries = {shape: search(shape, name, arch, options) for shape in dict.fromkeys(map(shape_of, layers))}
    pairs = zip(result.rows, layers, strict=True)
    rows = [(row[0], entry_choice(entries[shape_of(layer)], layer)) for row, layer in pairs]
    return fastest_together(rows), sum(entry.evaluated for entry in entries.values())


def profile(network: Network, defaults: dict[Layer, Choice]) -> Profile:
    """A network by its classes, each distinct shape a kernel. `defaults`: of each shape."""
    kernels: dict[str, int] = {}
    for shape in defaults:
        kernels[kind(shape)] = kernels.get(kind(shape), 0) + 1
    spent = dict.fromkeys(kernels, 0)
    for layer in network.layers:
        spent[kind(layer)] += (defaults[shape_of(layer)].cycles or 0) * layer.repeat
    total = sum(spent.values())
    return Profile(network.name, kernels, {name: cycles / total for name, cycles in spent.items()})


def _profile(bank: Bank, name: str) -> Profile:
    """Of what the bank has of a network; its time is not known."""
    kernels: dict[str, int] = {}
    for entry in bank.of(name):
        kernels[entry.kind] = kernels.get(entry.kind, 0) + 1
    return Profile(name, kernels, {})


def evaluate(entry: Entry, layer: Layer, arch: Architecture, guarded: bool = True) -> Choice:
    """A layer with a schedule that was found for another one."""
    if absent := missing(layer, entry.arranged):
        return Choice(layer, entry.name, None, f"it has no loop over {', '.join(absent)}")
    try:
        schedule = entry.schedule.parametric(guarded=guarded)
        func = schedule.apply(func_of(layer, arch, entry.arranged))
        network = derive(lower_graph(func), Options(arch.port_bits))
        taken(network).check(room_of(arch).besides(entry.room))
        return Choice(layer, entry.name, cycles(network).total, "", *_first(entry.arranged))
    except HalideHWError as error:
        return Choice(layer, entry.name, None, error.message)


def entry_choice(entry: Entry, layer: Layer) -> Choice:
    """An entry for a layer of its own shape."""
    return Choice(layer, entry.name, entry.cycles, "", *_first(entry.arranged))


def default_choice(layer: Layer, arch: Architecture) -> Choice:
    arranged, text = default(layer, arch)
    found = cycles(derive(lower_graph(parse(text).output), Options(arch.port_bits))).total
    return Choice(layer, DEFAULT, found, "", *_first(arranged))


def _first(arranged: Arrangement) -> tuple[str, str]:
    """The dims along which input and output lie, both in the words of a tensor: channels are K."""
    channels = {"C": "K", "G": "K"}
    present = {*arranged.pure, *arranged.reduction}
    first_in = next((dim for dim in arranged.moved if dim in present), "")
    first_out = next(iter(arranged.pure))
    return channels.get(first_in, first_in), channels.get(first_out, first_out)


def _valid(row: Sequence[Choice]) -> list[Choice]:
    return [each for each in row if each.cycles is not None]


def reordering(before: Choice, after: Choice) -> int:
    """Cycles to put the words between two layers in order: none where they lie as they are read."""
    return 0 if before.first_out == after.first_in else after.layer.words[0]


def whole(choices: Sequence[Choice]) -> int:
    """Cycles of the layers one after the other on one machine, and of what is put in order between them."""
    between = sum(reordering(before, after) for before, after in pairwise(choices))
    inside = sum(reordering(each, each) * (each.layer.repeat - 1) for each in choices)
    return sum((each.cycles or 0) * each.layer.repeat for each in choices) + between + inside


def fastest_together(rows: Sequence[Sequence[Choice]]) -> tuple[Choice, ...]:
    """The choices of the fastest network: the shortest way through its layers."""
    ways: dict[str, tuple[int, tuple[Choice, ...]]] = {"": (0, ())}
    for row in rows:
        found: dict[str, tuple[int, tuple[Choice, ...]]] = {}
        for total, way in _ways(row, ways):
            last = way[-1].first_out
            if last not in found or total < found[last][0]:
                found[last] = total, way
        ways = found
    return min(ways.values(), key=lambda each: each[0])[1]


def _ways(
    row: Sequence[Choice], ways: dict[str, tuple[int, tuple[Choice, ...]]]
) -> Iterator[tuple[int, tuple[Choice, ...]]]:
    for each in _valid(row):
        for _, way in ways.values():
            yield whole((*way, each)), (*way, each)
