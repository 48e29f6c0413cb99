"""Random chains: layers of which each reads what an earlier one has written, as lists on a simulated board, behind a
bus, cut off anywhere, and then run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import halidehw as hl
from halidehw import Func, Int
from halidehw.buses.device import DeviceError
from halidehw.driver.build import design_and_graph
from halidehw.driver.draw import random_inputs
from halidehw.errors import CostError
from halidehw.host import Output, Report, Runtime, Step
from halidehw.host.runtime import Loaded
from halidehw.simulate import Memory
from tests.fuzz.choices import Choices
from tests.fuzz.machines import Kind, Layer, Machines, accepts, func, kind, layer, machines, run_machines

ROOM = 1 << 19
"""Bytes of memory."""

OLD = 0x55
"""What memory has where nothing was written."""

CUTS = ("abort", "stop", "reads", "writes", "again")
"""How a run is cut off: its end, the end of its list, errors in answers for some time, another start."""


@dataclass(frozen=True)
class Link:
    """A layer of an engine, by its number, and the earlier one whose output it reads, if any."""

    layer: Layer
    engine: int
    reads: int | None


@dataclass(frozen=True)
class Cut:
    """How a run is cut off, after which share of the cycles that it takes without stalls, on this memory."""

    how: str
    share: float
    memory: Memory


@dataclass(frozen=True)
class Chain:
    """A random chain. `made`: how many of its layers the machine is made of, where it has room for others; `latency`:
    of its memory, without stalls; `reuse`: whether memory is used again."""

    kinds: tuple[Kind, ...]
    links: tuple[Link, ...]
    made: int
    bus: hl.AXI
    port_bits: int
    latency: int
    reuse: bool
    cuts: tuple[Cut, ...]


def machine_or_chain(choices: Choices) -> Machines | Chain:
    return chain(choices) if choices.chance(4) else machines(choices)


def chain(choices: Choices) -> Chain:
    """Two to five layers, on one engine or two. What they write are bytes, as what they read."""
    number = 1 if choices.number(0, 3) else 2
    finals = [choices.pick(["shift", "narrow"]) for _ in range(number)]
    kinds = tuple(replace(kind(choices), words=Int(8), final=final) for final in finals)
    links = list[Link]()
    for at in range(choices.number(2, 5)):
        engine = choices.number(0, number - 1)
        reads = choices.pick([at - 1, at - 1, at - 1, choices.number(0, at - 1)]) if at else None
        own = _next(choices, kinds[engine], links[reads].layer) if reads is not None else None
        links.append(Link(own or layer(choices, kinds[engine]), engine, reads if own else None))
    made = choices.pick([len(links), len(links), 2])
    bus = hl.AXI(choices.pick([64, 32, 128]), choices.pick([1, 4, 32]), choices.pick([4, 50]))
    cuts = tuple(_cut(choices) for _ in range(6))
    port_bits, latency = choices.pick([0, 32]), choices.pick([1, 20, 60])
    return Chain(kinds, tuple(links), made, bus, port_bits, latency, choices.chance(3), cuts)


def _cut(choices: Choices) -> Cut:
    memory = Memory(choices.pick([1, 20, 50]), None, choices.pick([0.3, 0.0, 0.6]), choices.number(0, 99))
    return Cut(choices.pick(CUTS), choices.number(1, 60) / 40, memory)


def _next(choices: Choices, kind: Kind, before: Layer) -> Layer | None:
    """A layer whose image is what another one writes; None where no stride of its kind divides that."""
    sizes = [(r, s, p) for r in ((1, 3, 2) if "r" in kind.across else (1, 3, 2, 5))
             for s in ([kind.stride] if kind.stride else [1, 2, 3]) for p in range(r // 2 + 1 if kind.padded else 1)
             if all(n + 2 * p >= r and (n + 2 * p - r) % s == 0 for n in (before.w, before.h))]  # fmt: skip
    if not sizes:
        return None
    r, s, p = choices.pick(sizes)
    w, h = ((n + 2 * p - r) // s + 1 for n in (before.w, before.h))
    return Layer(w, h, before.k, choices.number(1, 7), r, s, p, choices.number(0, 9))


def run_machines_and_chains(found: Sequence[Machines | Chain]) -> list[Exception | None]:
    """What is wrong with each."""
    told = iter(run_machines([each for each in found if isinstance(each, Machines)]))
    return [_wrong(each) if isinstance(each, Chain) else next(told) for each in found]


def _wrong(chain: Chain) -> Exception | None:
    try:
        check_chain(chain)
    except Exception as error:
        return error
    return None


def check_chain(chain: Chain) -> None:
    """Every bit is right, in the cycles that are predicted, and again whenever the list was cut off before. Refused is
    what no machine has."""
    funcs = [func(chain.kinds[link.engine], link.layer, f"step{n}") for n, link in enumerate(chain.links)]
    runtime = Runtime(_machine(chain, funcs), chain.bus, Memory(chain.latency), ROOM)
    try:
        _check(chain, runtime, funcs)
    finally:
        runtime.board.close()


def _machine(chain: Chain, funcs: Sequence[Func]) -> hl.Machine:
    """Of some of the layers, with room for the others; where they do not fit, of all."""
    for most in sorted({min(chain.made, len(funcs)), len(funcs)}):
        own = dict[str, list[Func]]()
        for made, link in zip(funcs, chain.links, strict=True):
            own.setdefault(f"engine{link.engine}", []).append(made)
        members = {name: each[:most] for name, each in own.items()}
        whole = most == len(funcs) and all(len(each) > 1 for each in own.values())
        bits, words = (0, 0) if whole else (12, 1024)
        machine = hl.machine(members if len(members) > 1 else next(iter(members.values())), counters=bits, words=words,
                             port_bits=chain.port_bits, name="chained")  # fmt: skip
        if all(accepts(machine, each) for each in funcs):
            return machine
    raise AssertionError("a machine refuses what it was made of")


def _check(chain: Chain, runtime: Runtime, funcs: Sequence[Func]) -> None:
    steps = list[Step]()
    for number, (made, link) in enumerate(zip(funcs, chain.links, strict=True)):
        given: dict[str, object] = dict(random_inputs(design_and_graph(made)[1], number))
        steps.append(Step(made, given if link.reads is None else given | {f"a_step{number}": Output(link.reads)}))
    runtime.board.at(runtime.board.origin, (runtime.board.size,), "u1")[:] = OLD
    loaded = runtime.load(steps, reuse=False)
    found = runtime.start(loaded)
    assert found.match, "the chain gives wrong words"
    if len(runtime.machine.engines) == 1:
        _check_cycles(chain, runtime, funcs, found)
    for cut in chain.cuts:
        _cut_off(cut, runtime, loaded, found.cycles)
        _forget(runtime, loaded)
        assert runtime.start(loaded).match, f"wrong words after {cut}"
    if chain.reuse:
        assert runtime.run(steps, reuse=True).match, "wrong words where memory is used again"


def _check_cycles(chain: Chain, runtime: Runtime, funcs: Sequence[Func], found: Report) -> None:
    passed = {n: [f"a_step{n}"] for n, link in enumerate(chain.links) if n and link.reads == n - 1}
    try:
        told = runtime.machine.estimate(funcs, memory=Memory(chain.latency), bus=chain.bus, listed=True, passed=passed)
    except CostError:  # the model of the bus does not have all that there is
        return
    cycles, predicted = [step.cycles for step in found.steps], [each.run.total for each in told]
    assert cycles == predicted, f"other cycles: {cycles}, not {predicted}"


def _forget(runtime: Runtime, loaded: Loaded) -> None:
    """Memory has no results any more."""
    for tensors in loaded.plan.tensors:
        for each in tensors:
            if each.written:
                block = loaded.blocks[each.block]
                runtime.board.at(loaded.places[each.block], (block.size,), "u1")[:] = OLD


def _cut_off(cut: Cut, runtime: Runtime, loaded: Loaded, cycles: int) -> None:
    """A run that is cut off, to its end. What of it ended well is right."""
    device, board = runtime.device, runtime.board
    _forget(runtime, loaded)
    board.timing(cut.memory)
    told = runtime.arguments(loaded)
    board.deadline = 0
    device.start(*(told[name] for name in device.arguments))
    board.pause(int(cut.share * cycles))
    if device.over:
        _idle(runtime)
        return
    match cut.how:
        case "abort":
            device.abort()
        case "stop":
            device.command("stop")
        case "again":
            device.bus.write(device.registers["ap_ctrl"]["offset"], 1)
        case _:
            board.timing(cut.memory, refuse=1 + CUTS.index(cut.how) - CUTS.index("reads"))
            board.pause(250)
            board.timing(cut.memory)
    failed = False
    try:
        _end(runtime, 1000 * cycles)
    except DeviceError as error:
        said = {"abort": "aborted", "reads": "error", "writes": "error"}.get(cut.how, "nothing")
        assert said in str(error), f"after {cut}: {error}"
        failed = True
    _idle(runtime)
    if cut.how in ("stop", "again") and not failed:
        done = _completed(runtime, loaded)
        assert cut.how == "stop" or sum(done.values()) == len(loaded.plan.tasks), f"{cut} ends the list"
        assert runtime.start(loaded, done).match, f"wrong words where a list goes on after {cut}"


def _end(runtime: Runtime, cycles: int) -> None:
    """Waits for the end of a run. Raises DeviceError where it has failed, SimulationError where it has none."""
    runtime.board.deadline = runtime.board.cycles + cycles
    runtime.device.wait()
    runtime.board.deadline = 0


def _idle(runtime: Runtime) -> None:
    """Until nothing goes on: a start that came with the end of a run is another run."""
    device = runtime.device
    while not device.fields("ap_ctrl")["ap_idle"] or device.read("isr"):
        device.write("isr", device.read("isr"))
        runtime.board.pause()


def _completed(runtime: Runtime, loaded: Loaded) -> Mapping[str, int]:
    several = len(loaded.lists) > 1
    return {name: runtime.device.read(f"{name}_completed" if several else "completed") for name in loaded.lists}
