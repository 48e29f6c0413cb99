"""One piece of hardware for many designs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral

import numpy as np

from halidehw.backend_hdl.contract import groups
from halidehw.backend_hdl.engines import Engines
from halidehw.backend_hdl.generate import hierarchy
from halidehw.buses.axi import AXI, bus_of, check
from halidehw.buses.controlled import behind
from halidehw.buses.generate import verilog as bus_verilog
from halidehw.buses.masters import MastersSpec
from halidehw.driver.build import design_and_graph
from halidehw.driver.limits import limits, shared
from halidehw.driver.run import Result, memory_behind
from halidehw.errors import HardwareError
from halidehw.frontend.func import Func
from halidehw.frontend.params import Buffer
from halidehw.machines.cycles import Program, RunCycles, lists_cycles
from halidehw.machines.descriptor import Descriptor, Follows
from halidehw.machines.engine import Engine, Programmed, Room
from halidehw.machines.following import follows
from halidehw.machines.tasks import Plan, Task
from halidehw.microarch.interface import Interface, side_by_side
from halidehw.microarch.network import Network
from halidehw.microarch.options import LATENCY, Options
from halidehw.simulate import Experiment, Memory, Run, Scenario, simulate_scenarios
from halidehw.simulate.behind import Placement

Runs = Sequence[tuple[Programmed | Descriptor, Mapping[str, np.ndarray | Buffer]]]


@dataclass(frozen=True)
class Prepared:
    """Runs of a machine, to be simulated. `read`: of each program what makes its result of a run, and of which run."""

    experiment: Experiment
    read: tuple[tuple[Callable[[Run], Result], int], ...]

    def results(self, ran: Sequence[Run]) -> list[Result]:
        """Of each program, of the experiment's runs."""
        return [result(ran[number]) for result, number in self.read]


class Machine:
    """Hardware for the designs it was made of, and for what else fits: an engine, or several by name."""

    def __init__(self, engines: Mapping[str, Engine], prefix: str):
        self.engines, self._prefix = dict(engines), prefix
        self._follows = dict[tuple[int, int, str], Follows | None]()

    @property
    def hardware(self) -> Network | Engines:
        parts = tuple((name, engine.network) for name, engine in self.engines.items())
        return parts[0][1] if len(parts) == 1 else Engines(self._prefix, parts)

    @property
    def engine(self) -> Engine:
        """Its only one. Raises HardwareError where there are several."""
        if len(self.engines) > 1:
            raise HardwareError(f"this is for machines of one engine, and there are {', '.join(self.engines)}",
                                legal=("machine([f1, f2])",))  # fmt: skip
        return next(iter(self.engines.values()))

    @property
    def network(self) -> Network:
        """That of its only engine. Raises as `engine` does."""
        return self.engine.network

    @property
    def descriptors(self) -> tuple[Descriptor, ...]:
        """Of the designs that it was made of, engine by engine."""
        return tuple(each for engine in self.engines.values() for each in engine.descriptors)

    def verilog(self, bus: AXI | str | None = None) -> str:
        """One file. The same designs give the same bytes. `bus`: behind an AXI4 master, an `AXI` or "axi4", with
        control over AXI4-Lite; the top module is then `NAME_axi`.

        Raises HardwareError for a bus that is narrower than a port.
        """
        hardware, attached = self.hardware, bus_of(bus)
        if attached:
            return behind(hardware, attached).verilog
        if isinstance(hardware, Network):
            return next(iter(self.engines.values())).text
        return hierarchy(hardware).verilog(groups(hardware.interface))

    def program(self, design: Programmed) -> Descriptor:
        """The descriptor with which the machine runs a design, on the first engine that can.

        Raises HardwareError where it does not fit, with the place, what it needs, and what there is.
        """
        return self.placed(design)[1]

    def engine_of(self, design: Programmed | Descriptor) -> str:
        """The name of the engine that runs a design. Raises as `program` does."""
        return self.placed(design)[0]

    def simulate(
        self, runs: Runs, *, memory: Memory | None = None, bus: AXI | str | None = None, listed: bool = False,
        after: Mapping[int, Sequence[int]] | None = None,
    ) -> list[Result]:  # fmt: skip
        """Run designs one after the other in one simulation, without a reset between them; each beside the reference
        evaluation of its algorithm.

        bus: what the machine is put behind, and its memory behind that, as of `hl.simulate`.
        listed: with one start for all, each at an address of its own; `cycles` are then each program's own, as its
            status says, and `counters` those of all. Several engines always run lists, side by side.
        after: for runs, by their number, the earlier ones on other engines that have ended before they begin.

        Raises HardwareError for a list on a machine of one design, which has none, and for what is no run.
        """
        prepared = self.prepared(runs, memory=memory, bus=bus, listed=listed, after=after)
        return prepared.results(simulate_scenarios(prepared.experiment))

    def prepared(
        self, runs: Runs, *, memory: Memory | None = None, bus: AXI | str | None = None, listed: bool = False,
        after: Mapping[int, Sequence[int]] | None = None,
    ) -> Prepared:  # fmt: skip
        """What `simulate` runs, before it runs. Arguments and errors as of `simulate`."""
        listed = listed or len(self.engines) > 1
        _check_runs(runs, listed)
        if listed:
            self._check_list()
        bus, placed = bus_of(bus), self._place(runs, after or {})
        beat = bus.bytes if bus and listed else 1
        plans = {name: Plan(self._outside(name), engine.network.interface,
                            [task for other, task in placed if other == name] if listed else [], beat=beat)
                 for name, engine in self.engines.items()}  # fmt: skip
        interface, placement = self._interface(plans), None
        if bus:
            attached = MastersSpec(self.hardware, bus).attached
            placement = Placement(replace(attached, interface=interface.posted))
            plans = {name: replace(plan, places=placement.addresses) for name, plan in plans.items()}
        scenarios, timing = list[Scenario](), memory_behind(bus, memory)
        for group in [placed] if listed else [[each] for each in placed]:
            words, programs = dict[str, np.ndarray](), dict[str, int]()
            for name, plan in plans.items():
                tasks = [task for other, task in group if other == name]
                words |= plan.words(tasks)
                programs |= dict.fromkeys(plan.lists, len(tasks))
            scenario = Scenario(words, timing, onward=bool(scenarios), programs=programs)
            slowest = shared(timing, len(interface.ports)) if bus else timing
            scenarios.append(_limited(scenario, [task for _, task in group], slowest))
        text = bus_verilog(self.hardware, bus) if bus else self.verilog()
        read = tuple((partial(self.engines[name].result, plans[name], task), 0 if listed else number)
                     for number, (name, task) in enumerate(placed))  # fmt: skip
        return Prepared(Experiment(text, interface, tuple(scenarios), placement=placement), read)

    def _check_list(self) -> None:
        if not self.hardware.interface.listed:
            raise HardwareError("a machine of one design has no list", legal=("machine([...], counters=16)",))

    def estimate(
        self, designs: Sequence[Programmed | Descriptor], *, memory: Memory | None = None, bus: AXI | str | None = None,
        listed: bool = False, after: Mapping[int, Sequence[int]] | None = None,
        passed: Mapping[int, Collection[str]] | None = None,
    ) -> list[RunCycles]:  # fmt: skip
        """The cycles of runs one after the other, or of lists as `simulate` has them, without simulating them: exact on
        memories without random stalls, behind a bus within a few cycles of each. Raises CostError for what the model of
        the bus does not have, and HardwareError for a list of several on a machine of one design, which has none.

        passed: for runs, by their number, the inputs that the run before on their engine writes (none): behind a bus
            their loads follow that tile by tile, where it has one output, else they begin with the run; others may
            begin while that one runs.
        """
        waits, bus = _Waits.of([self.placed(design) for design in designs], after or {}), bus_of(bus)
        timing = memory_behind(bus, memory)
        if bus:
            check(self.hardware.interface, bus)
        if listed and len(designs) > 1:
            self._check_list()
        _check_passed(passed or {}, [descriptor for _, descriptor in waits.placed])
        told, last = list[Program](), dict[str, Descriptor]()
        for number, ((name, descriptor), before) in enumerate(zip(waits.placed, waits.before, strict=True)):
            early = self._early(name, descriptor, before, (passed or {}).get(number, ()), last.get(name))
            at_once = frozenset(load for load, how in early.items() if not how.first)
            needs = {load: how.needs for load, how in early.items() if how.first and bus}
            words = len(descriptor.words)
            told.append(Program(descriptor.design.name, descriptor.network, words, before, at_once, needs))
            last[name] = descriptor
        if not listed and len(self.engines) == 1:
            return [found for each in told for found in lists_cycles({"": [each]}, timing, bus)[""]]
        owners = [name for name, _ in waits.placed]
        lists = {name: [each for owner, each in zip(owners, told, strict=True) if owner == name]
                 for name in self.engines}  # fmt: skip
        found = {name: iter(cycles) for name, cycles in lists_cycles(lists, timing, bus).items()}
        return [next(found[owner]) for owner in owners]

    def _early(
        self, engine: str, program: Descriptor, before: Mapping[str, int], passed: Collection[str],
        last: Descriptor | None,
    ) -> dict[str, Follows]:  # fmt: skip
        """How a program's loads that begin early, by their names, follow the `last` one; none, if it waits `before` for
        another engine."""
        if any(count for other, count in before.items() if other != engine):
            return {}
        called = self.engines[engine].called(program)
        tensors = {called.get(name, name) for name in passed}
        found = dict[str, Follows]()
        for load in program.network.loads:
            port = load.tap.port
            if port.name in program.early and port.tensor not in tensors:
                found[load.name] = Follows(0, 0)
            elif port.name in program.early and last and (how := self.follows(last, program, port.name)):
                found[load.name] = how
        return found

    def follows(self, before: Descriptor, program: Descriptor, port: str) -> Follows | None:
        """As `halidehw.machines.following` has it, worked out once."""
        key = id(before), id(program), port
        if key not in self._follows:
            self._follows[key] = follows(before, program, port)
        return self._follows[key]

    def placed(self, design: Programmed | Descriptor) -> tuple[str, Descriptor]:
        """The first engine on which a design, as it is scheduled, fits, and what that is told; of a descriptor the
        engine that it is for. Raises as `program` does, and HardwareError for a descriptor of another machine."""
        if isinstance(design, Descriptor):
            return self._owner(design), design
        whole, graph = design_and_graph(design)
        refused = list[HardwareError]()
        for name, engine in self.engines.items():
            if known := engine.known(whole, graph):
                return name, known
        for name, engine in self.engines.items():
            try:
                return name, engine.program(whole, graph)
            except HardwareError as error:
                refused.append(error)
        if len(refused) == 1:
            raise refused[0]
        why = "; ".join(f"{name}: {error.message}" for name, error in zip(self.engines, refused, strict=True))
        raise HardwareError(f"no engine runs it: {why}", legal=("machine({...}, counters=16)",))

    def _owner(self, program: Descriptor) -> str:
        for name, engine in self.engines.items():
            if engine.has(program):
                return name
        raise HardwareError(f"{program!r} is of another machine", legal=("machine.program(f)",))

    def _place(self, runs: Runs, after: Mapping[int, Sequence[int]]) -> list[tuple[str, Task]]:
        """Each run as a task of its engine."""
        found = list[tuple[str, Task]]()
        waits = _Waits.of([self.placed(design) for design, _ in runs], after)
        for (name, program), before, (_, inputs) in zip(waits.placed, waits.before, runs, strict=True):
            counts = tuple(before.get(other, 0) for other in self.engines if other != name)
            found.append((name, self.engines[name].task(program, inputs, counts)))
        return found

    def _outside(self, name: str) -> str:
        """What the names of an engine's ports begin with."""
        return f"{name}_" if len(self.engines) > 1 else ""

    def _interface(self, plans: Mapping[str, Plan]) -> Interface:
        parts = {name: plan.interface for name, plan in plans.items()}
        return next(iter(parts.values())) if len(parts) == 1 else side_by_side(self._prefix, parts)


@dataclass(frozen=True)
class _Waits:
    """Of each run its engine and descriptor, and how many programs of each engine come before it because it waits."""

    placed: tuple[tuple[str, Descriptor], ...]
    before: tuple[dict[str, int], ...]

    @staticmethod
    def of(placed: Sequence[tuple[str, Descriptor]], after: Mapping[int, Sequence[int]]) -> _Waits:
        """Raises HardwareError for a run that waits for itself or for a later one, and one that is not there."""
        if not isinstance(after, Mapping) or not all(isinstance(each, Collection) for each in after.values()):
            raise HardwareError(f"after={after!r}: it says of runs, by number, what they wait for",
                                legal=("after={1: [0]}",))  # fmt: skip
        owners = [name for name, _ in placed]
        places = [owners[:run].count(owner) + 1 for run, owner in enumerate(owners)]
        before = []
        if unknown := [run for run in after if run not in range(len(placed))]:
            raise HardwareError(f"after says what run {unknown[0]!r} waits for, and there are {len(placed)} runs",
                                legal=("after={1: [0]}" if len(placed) > 1 else "after={}",))  # fmt: skip
        for run in range(len(placed)):
            if late := [each for each in after.get(run, ()) if not isinstance(each, int) or each not in range(run)]:
                raise HardwareError(f"run {run} waits for run {late[0]!r}, which is not before it",
                                    legal=(f"after={{{run}: [...]}} with numbers below {run}",))  # fmt: skip
            counts = dict.fromkeys(owners, 0)
            for each in after.get(run, ()):
                counts[owners[each]] = max(counts[owners[each]], places[each])
            before.append(counts)
        return _Waits(tuple(placed), tuple(before))


def _check_runs(runs: Runs, listed: bool) -> None:
    """Raises HardwareError for what is no design with its inputs, and for a list of none."""
    for run in runs:
        if not (isinstance(run, tuple) and len(run) == 2 and isinstance(run[1], Mapping)):
            raise HardwareError(f"{run!r} is no run of a machine, which is a design with its inputs",
                                legal=("simulate([(f, {})])",))  # fmt: skip
    if listed and not runs:
        raise HardwareError("a list has one run at least", legal=("simulate([(f, {})], listed=True)",))


def _check_passed(passed: Mapping[int, Collection[str]], programs: Sequence[Descriptor]) -> None:
    """Raises HardwareError for runs and inputs that are not there."""
    if not isinstance(passed, Mapping) or not all(isinstance(each, Collection) for each in passed.values()):
        raise HardwareError(f"passed={passed!r}: it says of runs, by number, which inputs the one before writes",
                            legal=("passed={}",))  # fmt: skip
    for run, names in passed.items():
        there = run in range(len(programs))
        inputs = [each.name for each in programs[run].graph.inputs] if there else []
        if not there or isinstance(names, str) or any(name not in inputs for name in names):
            what = f"run {run!r} of {len(programs)} " + (f"reads {', '.join(inputs)}" if there else "is not there")
            legal = (f"passed={{{run}: [{inputs[0]!r}]}}",) if inputs else ()
            raise HardwareError(f"passed={dict(passed)!r}: {what}", legal=legal)


def _limited(scenario: Scenario, tasks: Sequence[Task], memory: Memory) -> Scenario:
    """Given up when the hardware cannot be well on so slow a memory."""
    found = [limits(task.program.network, memory) for task in tasks]
    timeout, patience = sum(each.timeout for each in found), sum(each.patience for each in found)
    return replace(scenario, timeout_cycles=timeout, patience=patience, name=", ".join(task.name for task in tasks[:3]))


_MOST_BITS = 32
"""Of a number of a descriptor, as it is stated."""


def _check_number(name: str, value: object, most: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or not 0 <= int(value) <= most:
        raise HardwareError(f"{name}={value!r}: it is a whole number from 0 to {most}", legal=(f"{name}=16",))


def _check_engines(engines: Mapping[str, Sequence[Programmed]]) -> None:
    """Lists of designs by names, from which those of ports and of macros in C are made."""
    for name, designs in engines.items():
        if isinstance(designs, Programmed):
            one = designs.name if isinstance(designs, Func) else "f"
            works = f'machine({{"{name}": [{one}]}})' if name else f"machine([{one}])"
            raise HardwareError(f"a machine is made of lists of designs, not of {one} alone", legal=(works,))
        if len(engines) > 1 and not (isinstance(name, str) and re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII)):
            raise HardwareError(f"{name!r} is no name of an engine: it has letters, digits and _, a letter first",
                                legal=('machine({"conv": [f1], "pool": [f2]})',))  # fmt: skip
    if len({str(name).lower() for name in engines}) < len(engines):
        raise HardwareError(f"the engines {', '.join(engines)} differ by capital letters alone")
    if not engines or not all(engines.values()):
        raise HardwareError("a machine is made of one design at least", legal=("machine([f1, f2])",))


def machine(
    designs: Sequence[Programmed] | Mapping[str, Sequence[Programmed]], *, name: str = "", port_bits: int = 0,
    hide_latency: int = LATENCY, counters: int = 0, words: int = 0,
) -> Machine:  # fmt: skip
    """The hardware for several scheduled designs, of which all structure agrees: the array, its memories and their
    banks, the operators. What else differs, how far loops run and how addresses move, each run fetches anew.

    `designs`: of one engine; or by name those of several, side by side, each with structure, ports and a list of its
    own. `name`: what its modules begin with (the first design's name). `port_bits`, `hide_latency`: as of `compile`.
    `counters`: the bits of all such numbers at least, so that other designs fit too; 0: as the designs need, and what
    is equal in all is a constant. `words`: the words of a part in each bank of each memory at least.

    Raises HardwareError for designs of an engine that differ in structure, for an engine without any, and for numbers
    that are none or out of range.
    """
    _check_number("counters", counters, _MOST_BITS)
    _check_number("words", words, 1 << _MOST_BITS)
    engines = dict(designs) if isinstance(designs, Mapping) else {"": designs}
    _check_engines(engines)
    room, made = Room(int(counters), int(words), len(engines) - 1), dict[str, Engine]()
    for each, own in engines.items():
        prefix = name if len(engines) == 1 else f"{name or 'machine'}_{each}"
        made[each] = Engine(own, Options(port_bits, hide_latency, prefix=prefix), room)
    found = Machine(made, name or "machine")
    names = [port.name for port in found.hardware.interface.ports]
    if twice := [each for each in names if names.count(each) > 1]:
        raise HardwareError(f"two ports of the engines {', '.join(engines)} are called {twice[0]}")
    return found
