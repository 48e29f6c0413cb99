"""A network on one machine: the hardware of one form of schedule, which its layers have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from halidehw.errors import HardwareError
from halidehw.frontend.func import Func
from halidehw.frontend.text import parse
from halidehw.machines.machine import Machine, machine
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer, Network
from halidehw.schedules import Schedule
from halidehw.transfer.bank import Bank, Entry
from halidehw.transfer.kernels import default, func_of, largest, shape_of
from halidehw.transfer.room import room_of
from halidehw.transfer.transfer import DEFAULT, Choice, evaluate, whole


@dataclass(frozen=True)
class Part:
    """A machine, and the kernels that run on it. `funcs`: the design of each; `cycles`: of a run, its descriptor
    included."""

    machine: Machine
    funcs: dict[Layer, Func]
    cycles: dict[Layer, int]


@dataclass(frozen=True)
class Shared:
    """A network on a machine of one form of schedule; the kernels that cannot have it, `apart` with the reason, on a
    second one, of the default schedule. `sources`: whose schedules of that form there are; `choices`: of each layer the
    one it has, with its cycles there."""

    sources: tuple[str, ...]
    parts: tuple[Part, ...]
    choices: tuple[Choice, ...]
    apart: tuple[Choice, ...]

    @property
    def cycles(self) -> int:
        """Of the network, with what is put in order between its layers."""
        return whole(self.choices)


@dataclass(frozen=True)
class _Plan:
    """Schedules of one form, what each kernel takes of them, and what cannot."""

    entries: tuple[Entry, ...]
    chosen: dict[Layer, Choice]
    apart: tuple[Choice, ...]


def shared(network: Network, bank: Bank, arch: Architecture) -> Shared:
    """The network on the fastest machine that a form of schedule in the bank gives, or the default one.

    Schedules of one form make one machine, whatever the tiles of each layer. Raises HardwareError where the hardware of
    no form serves several sizes.
    """
    kernels = {shape_of(layer): layer for layer in reversed(network.layers)}
    plain = _planned(kernels, (_default(network, arch),), arch)
    others = [entry for entry in bank.entries if entry.network != network.name]
    plans = [plain, *(_planned(kernels, entries, arch) for entries in _forms(others))]
    ranked = [(whole(_of(network, {**plain.chosen, **each.chosen})), n, each) for n, each in enumerate(plans)]
    reason = ""
    for _, _, plan in sorted(ranked, key=lambda each: each[:2]):
        try:
            return _made(network, plan, plain, arch)
        except HardwareError as error:
            reason = reason or error.message
    raise HardwareError(f"no form of schedule gives one machine for {network.name}: {reason}")


def _default(network: Network, arch: Architecture) -> Entry:
    """The default schedule, with every loop that a layer of the network has."""
    layer = largest(network.layers)
    arranged, text = default(layer, arch)
    schedule = Schedule.of(parse(text).output)
    return Entry(DEFAULT, replace(layer, name="every"), arch.name, arranged, schedule, 0, 0, room_of(arch))


def _forms(entries: Iterable[Entry]) -> Iterator[tuple[Entry, ...]]:
    """Those of one form and one arrangement together."""
    found: dict[tuple[object, ...], list[Entry]] = {}
    for entry in entries:
        found.setdefault((entry.schedule.form, repr(entry.arranged)), []).append(entry)
    yield from map(tuple, found.values())


def _planned(kernels: dict[Layer, Layer], entries: tuple[Entry, ...], arch: Architecture) -> _Plan:
    """Of each kernel the fastest of some schedules. `kernels`: a layer of each."""
    chosen, apart = dict[Layer, Choice](), list[Choice]()
    for shape, layer in kernels.items():
        every = [evaluate(entry, shape, arch) for entry in entries]
        valid = [each for each in every if each.cycles is not None]
        if valid:
            chosen[shape] = min(valid, key=lambda each: each.cycles or 0)
        else:
            apart.append(replace(every[0], layer=layer))
    return _Plan(entries, chosen, tuple(apart))


def _of(network: Network, chosen: dict[Layer, Choice]) -> tuple[Choice, ...]:
    return tuple(replace(chosen[shape_of(layer)], layer=layer) for layer in network.layers)


def _made(network: Network, plan: _Plan, plain: _Plan, arch: Architecture) -> Shared:
    """Raises HardwareError where the hardware of the layers differs in structure."""
    rest = {shape: choice for shape, choice in plain.chosen.items() if shape not in plan.chosen}
    parts = [_part(plan.entries, plan.chosen, arch)]
    parts += [_part(plain.entries, rest, arch)] if rest else []
    chosen = {**rest, **plan.chosen}
    taken = {shape: cycles for part in parts for shape, cycles in part.cycles.items()}
    ran = {shape: replace(choice, cycles=taken[shape]) for shape, choice in chosen.items()}
    sources = tuple(entry.name for entry in plan.entries)
    return Shared(sources, tuple(parts), _of(network, ran), plan.apart)


def _part(entries: tuple[Entry, ...], chosen: dict[Layer, Choice], arch: Architecture) -> Part:
    named = {entry.name: entry for entry in entries}
    funcs = {shape: _func(named[choice.source], shape, arch) for shape, choice in chosen.items()}
    made = machine(list(funcs.values()), port_bits=arch.port_bits)
    found = made.estimate(list(funcs.values()))
    return Part(made, funcs, {shape: run.total for shape, run in zip(funcs, found, strict=True)})


def _func(entry: Entry, layer: Layer, arch: Architecture) -> Func:
    return entry.schedule.parametric(guarded=True).apply(func_of(layer, arch, entry.arranged))
