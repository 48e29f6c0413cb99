"""From scheduled nests to the micro-architecture."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import prod

from halidehw.errors import HardwareError
from halidehw.expr.nodes import Cast, Expr
from halidehw.expr.tuples import pack
from halidehw.expr.types import UInt
from halidehw.ir.affine import Affine
from halidehw.ir.graph import Graph, graph_of
from halidehw.ir.nest import Nest, Scattered
from halidehw.ir.sums import spilling
from halidehw.microarch.around import around
from halidehw.microarch.balance import cycles
from halidehw.microarch.choices import Choices
from halidehw.microarch.columns import gathered
from halidehw.microarch.counters import activity, basic, detailed
from halidehw.microarch.division import with_dividers
from halidehw.microarch.interface import Counter, Interface, Port
from halidehw.microarch.joined import joined, paying
from halidehw.microarch.layout import inside
from halidehw.microarch.limits import check_pes, check_ports, check_shared
from halidehw.microarch.meeting import apart, waiting
from halidehw.microarch.narrow import narrowed
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.operands import arrival_of, operands_of
from halidehw.microarch.options import Options
from halidehw.microarch.processes import Compute
from halidehw.microarch.product import with_products
from halidehw.microarch.raster import order
from halidehw.microarch.reader import Reader
from halidehw.microarch.registers import kept
from halidehw.microarch.shared import ordered
from halidehw.microarch.sinks import rounds
from halidehw.microarch.spacetime import SpaceTime, spacetime
from halidehw.microarch.stores import LEAD, RAM_LATENCY, summed
from halidehw.microarch.sums import derive_sums
from halidehw.microarch.supply import Demand, Supplies
from halidehw.microarch.taps import Mask
from halidehw.microarch.travel import plain
from halidehw.microarch.united import united
from halidehw.microarch.verify import verify
from halidehw.microarch.walk import Walk, clipping
from halidehw.microarch.write import derive_write, port_lanes, stored_lanes

WIDEST = 1 << 16
"""Lanes whose words another stage takes together; there is no port between them."""


def derive(design: Nest | Graph, options: Options | None = None, choices: Choices | None = None) -> Network:
    """The micro-architecture of a verified nest, or of several stages. `choices`: what is chosen already.

    Raises HardwareError where no hardware of this kind exists for a stage.
    """
    graph = graph_of(design)
    options, output, choices = options or Options(), graph.output, choices or Choices()
    graph = graph if choices.wide else narrowed(graph)
    graph = replace(graph, stages=tuple(_dimensioned(nest, graph) for nest in graph.stages))
    check_ports(graph, options.widest, shared=not options.port_bits and options.shared_port_bits > 0)
    check_shared(graph, options.shared_port_bits)
    prefix = options.prefix or output.name
    try:
        stages = united(graph, _stages(graph, options, choices))
    except HardwareError as error:
        raise error.naming(dict(graph.others)) from None
    shared = options.shared_port_bits
    stages = tuple(ordered(stage) for stage in stages) if shared else stages
    interface = Interface(f"{prefix}_accelerator", *_outside(stages, options), shared=shared)
    return verify(Network(output.name, stages, interface, output.schedule, prefix))


def _stages(graph: Graph, options: Options, choices: Choices) -> tuple[Stage, ...]:
    """The stages, producers before their readers. What another one reads is taken as it comes, where it can be."""
    asked = frozenset[str]() if choices.wide else graph.made - _outside_of(graph)
    while True:
        tried = replace(choices, made={})
        stages = _derived(graph, options, tried, asked)
        if not (not_so := apart(graph, stages, asked)):
            choices.made.update(tried.made)
            return gathered(waiting(graph, stages, asked), choices)
        asked -= not_so


def _outside_of(graph: Graph) -> set[str]:
    """What stages make that goes through ports."""
    return {*(nest.name for nest in graph.outputs), *graph.between}


def _derived(graph: Graph, options: Options, choices: Choices, asked: Collection[str]) -> tuple[Stage, ...]:
    """The stages, derived each after those that read it: their memories say what they want of it. `asked`: of what
    words may be taken as they come."""
    found, wanted, banks = list[Stage](), list[tuple[Nest, Demand]](), dict[str, tuple[int, ...]]()
    ports, outside = _ports(graph), _outside_of(graph)
    widest = {name: options.lanes(graph.stage[name].output.type.bits) for name in outside}
    times = {name: spacetime(graph.stage[name], rounds(graph.stage[name], [])) for name in graph.made}
    lanes = {name: port_lanes(st, widest.get(name, WIDEST)) for name, st in times.items()}
    made = {name: prod(each.values()) for name, each in lanes.items()}
    orders = {name: each for name in asked if (each := order(times[name], lanes[name]))}
    for nest in reversed(graph.stages):
        label = "" if nest is graph.output else f"{plain(nest.name)}_"
        supplies = Supplies(options.hide_latency, label, made, orders, ports[nest.name], choices=choices)
        nest = around(nest, [each for each in wanted if each[1].memory.tensor == nest.name])
        demands = [demand for _, demand in wanted if demand.memory.tensor == nest.name]
        nest = replace(nest, inputs=tuple(inside(each) if each.name in graph.made else each for each in nest.inputs))
        banks |= rounds(nest, demands)
        found.insert(0, _stage(nest, supplies, demands, banks, options, nest.name in outside))
        wanted += ((nest, demand) for demand in supplies.demands)
    return tuple(found)


def _ports(graph: Graph) -> dict[str, dict[str, str]]:
    """For each stage the names of the ports through which it reads tensors that others read too, each by its own."""
    taken = {*(tensor.name for tensor in graph.inputs), *(nest.name for nest in graph.outputs), *graph.between}
    found: dict[str, dict[str, str]] = {}
    for nest in reversed(graph.stages):
        found[nest.name] = {}
        for name in sorted({tensor.name for tensor in nest.inputs} - graph.made):
            if nest is not graph.consumers(name)[-1] or name in graph.between:
                port = f"{plain(nest.name)}_{name}"
                while port in taken:
                    port += "_"
                taken.add(port)
                found[nest.name][name] = port
    return found


def _outside(stages: tuple[Stage, ...], options: Options) -> tuple[tuple[Port, ...], tuple[Counter, ...]]:
    """The ports, those that are read first, and the counters."""
    loads = [load.tap.port for stage in stages for load in stage.loads]
    ports = (*loads, *(sink.port for stage in stages if (sink := stage.write.outside)))
    counters = basic(ports, options.counter_bits) if options.counters != "none" else ()
    if options.counters == "all":
        counters += tuple(counter for stage in stages for counter in detailed(stage, options.counter_bits))
    return ports, counters


def _stage(
    nest: Nest, supplies: Supplies, demands: list[Demand], banks: dict[str, tuple[int, ...]],
    options: Options, outside: bool,
) -> Stage:  # fmt: skip
    """A stage whose words go where `demands` say, and `outside` to a port."""
    check_pes(nest)
    nest, label = with_products(with_dividers(nest)), supplies.label
    vector = {name: options.lanes(tensor.type.bits) for name, tensor in nest.tensor.items()}
    st = _with_joined(spacetime(nest, banks), supplies, vector)
    walk = Walk(st.steps, clipping(st.steps, list(st.limits)))
    reader = Reader(st.steps, {space.name: space.extent for space in st.spaces}, st.limits, ())
    reads = {number: st.index(access) for number, access in enumerate(nest.reads)}
    operands, value = operands_of(st, supplies, nest.value, reader, reads, vector, array=True)
    value = _addressed(st, value)
    together = _together(st, supplies, vector[nest.output.name] if outside else WIDEST, outside and not demands)
    masks, arrival = _masks(st, supplies), arrival_of(operands, supplies.memories, 1 + RAM_LATENCY)
    latency = cycles(value) + bool(masks)
    product = latency + _reduced(st)
    there = product + LEAD if nest.scattered else summed(product)
    sums = derive_sums(st, together, label, arrival + there, supplies.choices)
    watched = options.counters == "all"
    working = activity(st) if watched else ()
    compute = Compute(walk, operands, masks, value, sums.sink, arrival, latency, product, watched, working,
                      f"{label}array")  # fmt: skip
    write = derive_write(st, supplies, sums, together, vector, demands, outside)
    return Stage(
        name=nest.name, spaces=st.spaces, stores=(*supplies.memories, *kept(supplies, compute), *sums.stores),
        transfers=(*supplies.loads, *supplies.moves, *supplies.fills, *supplies.copies, *sums.folds), compute=compute,
        write=write, label=label,
    )  # fmt: skip


def _together(st: SpaceTime, supplies: Supplies, vector: int, once: bool) -> dict[str, int]:
    """The lanes of each axis that the writer takes together. `once`: what it writes goes to a port alone."""
    nest, choices = st.nest, supplies.choices
    if not once or nest.epilogue is not None or spilling(nest):
        return port_lanes(st, vector)
    found = stored_lanes(st, vector, 1 if choices.wide else None)
    return dict(list(found.items())[: choices.of("together", f"{supplies.label}writer", len(found))])


def _with_joined(st: SpaceTime, supplies: Supplies, vector: dict[str, int]) -> SpaceTime:
    """With the dimensions of inputs that are taken as one."""
    names = [tensor.name for tensor in st.nest.inputs if tensor.name not in supplies.made]
    most = {name: 1 if supplies.choices.wide else joined(st, name, vector[name]) for name in names}
    found = {name: supplies.choices.of("joined", f"{supplies.label}{name}", count)
             for name, count in paying(st, most, vector).items()}  # fmt: skip
    for name, count in found.items():
        if count > most[name]:
            raise HardwareError(f"{name} is read as if more of its dimensions were one than are")
    return replace(st, joined=found)


def _dimensioned(nest: Nest, graph: Graph) -> Nest:
    """What is read of no dimension as of one, one word long: every memory has a dimension 0."""
    scalars = {tensor.name for tensor in nest.inputs if not tensor.extents}
    inputs = (replace(each, mins=(0,), extents=(1,)) if each.name in scalars else each for each in nest.inputs)
    reads = (replace(each, indices=(Affine(),)) if each.tensor in scalars else each for each in nest.reads)
    nest = replace(nest, inputs=tuple(inputs), reads=tuple(reads))
    if nest.output.extents or not graph.consumers(nest.name):
        return nest
    output, write = replace(nest.output, mins=(0,), extents=(1,)), replace(nest.write, indices=(Affine(),))
    return replace(nest, output=output, write=write)


def _addressed(st: SpaceTime, value: Expr) -> Expr:
    """What a PE hands to the accumulator: of one that scatters, in the low bits, where the value belongs."""
    if not isinstance(value, Scattered):
        return value
    words = prod(st.nest.loop[name].extent for name in st.nest.scattered)
    return pack([Cast(UInt(max((words - 1).bit_length(), 1)), value.address), value.value])


def _reduced(st: SpaceTime) -> int:
    """Cycles that products take through the reductions: a link of each lane of a chain, the levels of a tree."""
    lanes = ((space.extent, space.systolic) for space in st.spaces if space.reduction)
    return sum(extent if systolic else (extent - 1).bit_length() for extent, systolic in lanes)


def _masks(st: SpaceTime, supplies: Supplies) -> tuple[Mask, ...]:
    """Lanes of a reduction that a limit can switch off must not contribute. One that is there by choice leaves out no
    lane."""
    reducing = {space.name for space in st.spaces if space.reduction}
    times = [axis.name for axis in st.times]
    masks = []
    for number, limit in enumerate(st.limits):
        if limit.names & reducing and limit.range_over(st.extents)[0] < 0:
            weights = tuple((space.name, -limit[space.name]) for space in st.spaces if limit[space.name])
            masks.append(Mask(f"mask{number}", limit.only(times) + limit.constant, weights))
    left = list(supplies.choices.of("masks", f"{supplies.label}array", tuple(mask.weights for mask in masks)))
    for mask in masks:
        if mask.weights not in left:
            raise HardwareError(f"{st.nest.name} leaves out lanes where nothing can")
        left.remove(mask.weights)
    for number, weights in enumerate(left):
        if any(name not in st.extents for name, _ in weights):
            raise HardwareError(f"{st.nest.name} has no lanes that could be left out")
        most = sum(weight * (st.extents[name] - 1) for name, weight in weights)
        masks.append(Mask(f"open{number}", Affine((), most), weights))
    return tuple(masks)
