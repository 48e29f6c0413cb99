"""What must hold of every design: three answers, one truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from halidehw.backend_hdl import verilog
from halidehw.driver.arrays import laid
from halidehw.driver.extra import beside, further
from halidehw.driver.extra import judged as extras
from halidehw.driver.limits import limited
from halidehw.energy_model.costs.table import load_costs
from halidehw.energy_model.counters import predicted
from halidehw.energy_model.cycles import is_known
from halidehw.energy_model.estimate import estimate_hardware
from halidehw.errors import HalideHWError, HardwareError, ScheduleError, SimulationError
from halidehw.expr.types import points, words_of
from halidehw.frontend.design import design_of
from halidehw.frontend.pipeline import inputs_of
from halidehw.ir.exterior import nearest
from halidehw.ir.nest import Access, Nest
from halidehw.ir.stages import interpret_graph
from halidehw.ir.sums import visits
from halidehw.microarch.network import Network
from halidehw.microarch.options import Options
from halidehw.reference.reference import reference
from halidehw.simulate import Experiment, Memory, Run, Scenario, simulate_together
from tests.energy_model.invariants import check_invariants
from tests.fuzz.choices import Choices, seeded
from tests.fuzz.designs import Design, design

MOST_CROSSINGS = 1024


class LeftOut(HardwareError):
    """A design that is right but too large for a random test."""


def check_interpreter(design: Design) -> None:
    """The graph, interpreted, gives what the algorithm says."""
    found, right = interpret_graph(design.graph, design.arrays), expected(design)
    for nest, values in zip(design.graph.outputs, found, strict=True):
        assert np.array_equal(points(nest.output.type, values), points(nest.output.type, right[nest.name]))


def expected(design: Design) -> dict[str, Any]:
    """What the algorithm says of each output."""
    regions = {nest.name: list(zip(nest.output.mins, nest.output.extents, strict=True)) for nest in design.graph.stages}
    return {func.name: reference(func, {name: design.inputs[name] for name in (each.name for each in inputs_of(func))},
                                 regions[func.name]) for func in design_of(design.func).outputs}  # fmt: skip


def check_hardware(design: Design) -> Run:
    """The hardware gives what the algorithm says, whatever its memory does, after a reset or an abort too; its traffic
    is at least the compulsory one, and without random stalls all it counts is what the model says, if it knows it."""
    return check_each([design])[0]


def check_each(designs: Sequence[Design]) -> list[Run]:
    """`check_hardware` of several designs, however large, which are built together."""
    found = checked(designs, lambda design: design.accelerator)
    for number, result in enumerate(found):
        if isinstance(result, Exception):
            result.add_note(f"design {number} of {len(designs)}:\n{designs[number]!r}")
            raise result
    return [result for result in found if isinstance(result, Run)]


def accepted(seeds: Iterable[int], make: Callable[[Choices], Design] = design) -> Iterator[Design]:
    """The designs of these seeds without those that are refused."""
    for seed in seeds:
        try:
            found = make(seeded(seed))
            derived(found)
        except (ScheduleError, HardwareError):
            continue
        yield found


def derived(design: Design) -> Network:
    """Raises `LeftOut` for a crossbar with so many crossings that its build takes minutes."""
    accelerator = design.accelerator
    for memory in accelerator.memories:
        crossings = len(memory.lanes) * prod(dim.factor for dim in memory.dims)
        if memory.rotating and crossings > MOST_CROSSINGS:
            raise LeftOut(f"{memory.name}: {crossings} crossings of lanes and banks")
    return accelerator


def checked(
    designs: Sequence[Design],
    network: Callable[[Design], Network] = derived,
    simulate: Callable[[Sequence[Experiment]], Sequence[tuple[Run, ...] | SimulationError]] = simulate_together,
) -> list[Run | Exception]:
    """For each design what it ran like, or what is wrong with it; one that is refused is wrong too."""
    results: dict[int, Run | Exception] = {}
    users: dict[tuple[int, Options, bool], list[int]] = {}
    for number, each in enumerate(designs):
        users.setdefault((id(each.func), each.options, each.loops), []).append(number)
    built: dict[tuple[int, ...], Network] = {}
    for numbers in map(tuple, users.values()):
        first = designs[numbers[0]]
        try:
            built[numbers] = network(first)
        except HalideHWError as error:
            results |= dict.fromkeys(numbers, error)
    experiments = [
        Experiment(
            verilog(accelerator, loops=designs[numbers[0]].loops), accelerator.interface,
            tuple(s for number in numbers for s in scenarios(designs[number])),
        )
        for numbers, accelerator in built.items()
    ]  # fmt: skip
    for (numbers, accelerator), found in zip(built.items(), simulate(experiments), strict=True):
        if isinstance(found, Exception):
            results |= dict.fromkeys(numbers, found)
            continue
        runs = iter(found)
        for number in numbers:
            results[number] = judged(designs[number], accelerator, runs)
    return [results[number] for number in range(len(designs))]


def scenarios(design: Design) -> list[Scenario]:
    """A run, where a reset or an abort is asked for another one to know when it comes, and what `simulate` tries."""
    words = laid(design.graph, design.inputs)
    once = limited(Scenario(words, design.memory), design.accelerator)
    ways = {"reset_at": Fraction(design.reset, 100), "abort_at": Fraction(design.abort, 100)}
    cut = [each for way, at in ways.items() if at for each in (once, replace(once, **{way: at}))]
    return [replace(once, starts=design.starts), *cut, *(tried(design, once) if design.further else ())]


def tried(design: Design, once: Scenario) -> list[Scenario]:
    """A run and what `simulate` tries besides."""
    found = (once, *further(once, design.accelerator))
    return [limited(each, design.accelerator) for each in found]


def judged(design: Design, accelerator: Network, runs: Iterator[Run]) -> Run | Exception:
    """The first of the design's runs, if they are right."""
    right = expected(design)
    want = {nest.name: words_of(nest.output.type, right[nest.name]) for nest in design.graph.outputs}
    pairs = [(scenario, next(runs)) for scenario in scenarios(design)]
    found = pairs[0][1]
    try:
        for _, run in pairs:
            for nest in design.graph.outputs:
                check_words(run, nest, want[nest.name])
        check_counters(design, accelerator, found.counters)
        if design.further:
            first = next(place for place, (scenario, _) in enumerate(pairs) if scenario.name) - 1
            outputs = [(nest, want[nest.name]) for nest in design.graph.outputs]
            wrong = [extra for extra in extras(pairs[first:], outputs, accelerator) if not extra.match]
            assert not wrong, f"tried besides: {wrong}"
    except Exception as error:
        return error
    return found


def check_counters(design: Design, accelerator: Network, counters: dict[str, int]) -> None:
    graph = design.graph
    for nest, stage in zip(graph.stages, accelerator.stages, strict=True):
        for port in (load.tap.port for load in stage.loads if load.tap.port.tensor != graph.output.name):
            assert counters[f"{port.name}_words"] >= compulsory(nest, port.tensor), f"too few words of {port.tensor}"
    for nest in graph.outputs:
        assert counters[f"{nest.output.name}_words"] == written(nest) * visits(nest)
    memory = Memory() if design.memory.stall_probability else design.memory
    if not is_known(accelerator, memory):
        return
    check_invariants(estimate_hardware(graph, accelerator, load_costs("table3"), memory))
    if design.predictable:
        expected = predicted(graph, accelerator, design.memory)
        differing = {name: (count, expected[name]) for name, count in counters.items() if count != expected[name]}
        assert not differing, f"counted, predicted: {differing}"


def check_words(run: Run, nest: Nest, want: np.ndarray) -> None:
    memory = run.outputs[nest.output.name]
    got = nest.output.taken(memory)
    assert not beside(nest, memory, run.starts), f"words between those of {nest.output.name} are written"
    wrong = np.flatnonzero(got != want)
    assert not wrong.size, (
        f"{wrong.size} of {want.size} words differ; word {wrong[0]}: {got[wrong[0]]}, not {want[wrong[0]]}"
    )


def written(nest: Nest) -> int:
    """Words that are complete, each as often as it is made: in the loops of another stage perhaps several times."""
    iterations, elements = addresses(nest, nest.write)
    outside = iterations // prod(loop.extent for loop in nest.loops[nest.place :])
    return len(np.unique(outside * nest.output.words + elements))


def compulsory(nest: Nest, tensor: str) -> int:
    """Words of a tensor's own that some iteration reads."""
    touched: set[int] = set()
    for access in nest.reads:
        if access.tensor == tensor:
            touched.update(addresses(nest, access)[1].tolist())
    return len(touched)


def addresses(nest: Nest, access: Access) -> tuple[np.ndarray, np.ndarray]:
    """The iterations that are executed, as numbers, and the address of the word that an access takes in each; without
    those that take none."""
    grid = np.indices([loop.extent for loop in nest.loops]).reshape(len(nest.loops), -1)
    offsets = {loop.name: row for loop, row in zip(nest.loops, grid, strict=True)}
    executed = np.ones(grid.shape[1], bool)
    for constraint in nest.domain:
        executed &= sum(step * offsets[name] for name, step in constraint.terms) <= constraint.limit
    tensor = nest.tensor[access.tensor]
    address = np.zeros(grid.shape[1], np.int64)
    for d, (form, low, extent) in enumerate(zip(access.indices, tensor.mins, tensor.extents, strict=True)):
        position = form.constant - low + sum(step * (offsets[name] + nest.loop[name].min) for name, step in form.terms)
        if tensor.boundary and tensor.boundary.value is None:
            position = nearest(tensor.boundary.kind, position, extent)
        executed &= (position >= 0) & (position < extent)
        address = address + position * prod(tensor.extents[:d])
    return np.flatnonzero(executed), address[executed]
