"""Random designs: an algorithm, a schedule, values of its inputs, and the memory around the hardware."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import numpy as np

from halidehw import Buffer, Func, Pipeline
from halidehw.driver.draw import Draw, draws
from halidehw.frontend.design import design_of
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest, Tensor
from halidehw.microarch.banking import power_of_two
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Network
from halidehw.microarch.options import LATENCY, Options
from halidehw.scheduler import lower_graph
from halidehw.simulate import Memory
from tests.fuzz.algorithms import algorithm
from tests.fuzz.choices import Choices
from tests.fuzz.inside import lie_inside
from tests.fuzz.layouts import lay_out
from tests.fuzz.schedules import schedule

Laid = TypeVar("Laid", bound="Design")


@dataclass(frozen=True)
class Design:
    """A scheduled Func, or several, and how its hardware is run. `starts`: see `simulate_verilog`. `reset`, `abort`:
    when such a run is cut off, in percent of its cycles (0: none is). `loops`: instances side by side are loops over
    arrays. `further`: what `simulate` tries besides is tried, too (`driver.extra`). `lines`: of its schedule, as far as
    outputs do not have them."""

    func: Func | Pipeline
    options: Options = field(default_factory=Options)
    memory: Memory = field(default_factory=Memory)
    fill: str = "spread"
    seed: int = 0
    starts: int = 1
    reset: int = 0
    abort: int = 0
    loops: bool = False
    further: bool = False
    lines: tuple[str, ...] = ()

    @cached_property
    def graph(self) -> Graph:
        """Raises the package's own errors for a schedule that is not legal."""
        return lower_graph(design_of(self.func))

    @property
    def nest(self) -> Nest:
        """That of the output."""
        return self.graph.output

    @cached_property
    def accelerator(self) -> Network:
        """Raises the package's own errors where no such hardware exists."""
        return derive(self.graph, self.options)

    @cached_property
    def inputs(self) -> dict[str, Buffer]:
        rng = np.random.default_rng(self.seed)
        tensors = self.graph.inputs
        fills = {tensor.name: self.fill for tensor in tensors}
        if self.fill == "each":
            fills = {name: str(rng.choice(["spread", "uniform", "extremes", "least", "greatest"])) for name in fills}
            fills |= {tensors[int(rng.integers(len(tensors)))].name: "spread"} if tensors else {}
        found = draws(self.nest) if "spread" in fills.values() and not self.graph.made else {}
        return {each.name: values(each, rng, fills[each.name], found.get(each.name)) for each in tensors}

    @property
    def predictable(self) -> bool:
        """Whether the memory does nothing at random, and one run is all there is."""
        return self.memory.stall_probability == 0 and self.starts == 1

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        return {name: buffer.array for name, buffer in self.inputs.items()}

    def __repr__(self) -> str:
        return "\n".join([
            *(f"{stage}[{', '.join(map(str, stage.definition.args))}] = {stage.definition.value}"
              for func in design_of(self.func).funcs for stage in func.stages),
            *(f"{name}.bound{pair}" for func in design_of(self.func).outputs for name, pair in func.bounds.items()),
            *(line for nest in self.graph.outputs for line in nest.schedule),
            *map(str, self.graph.inputs), f"{self.options} {self.memory}",
            f"fill={self.fill} seed={self.seed} starts={self.starts} reset={self.reset} "
            f"abort={self.abort} loops={self.loops} further={self.further}", *self.lines,
        ])  # fmt: skip


def design(choices: Choices) -> Design:
    """A design of at most about 2 000 iterations on at most 64 PEs, legal as far as each directive says."""
    found = algorithm(choices)
    schedule(choices, found)
    return laid_out(choices, outside(choices, found.func))


def outside(choices: Choices, func: Func) -> Design:
    """A Func's ports, the memory around it, its values, and how often it is started and cut off."""
    return Design(
        func=func,
        options=Options(
            port_bits=choices.pick([0, 1, 2, 4, 8, 16, 32]) * func.type.bits,
            hide_latency=choices.pick([LATENCY, LATENCY, 1, 7, 200]),
            counters="all" if choices.chance(2) else "basic",
        ),
        memory=Memory(
            latency=choices.pick([1, 2, 5, 20, 63, 200]),
            words_per_cycle=choices.pick([None, None, 1, 0.5, 3, Fraction(1, 3), 0.1]),
            stall_probability=choices.pick([0.0, 0.0, 0.1, 0.5]),
            stall_seed=choices.number(0, 99),
        ),
        fill=choices.pick([*["spread"] * 7, *["each"] * 4, "extremes", "least", "greatest"]),
        seed=choices.number(0, 9999),
        starts=choices.pick([1, 1, 2]),
        reset=choices.pick([0, 0, 0, 1]) * choices.number(1, 99),
        abort=choices.pick([0, 0, 0, 1]) * choices.number(1, 99),
        loops=choices.chance(4),
        further=choices.chance(4),
    )


def shared(choices: Choices, drawn: Design, one_in: int = 8) -> Design:
    """The same design, whose tensors perhaps share one port; the model may not know what would be tried besides."""
    if not choices.chance(one_in):
        return drawn
    graph = drawn.graph
    bits = [tensor.type.bits for tensor in (*graph.inputs, *(nest.output for nest in graph.outputs))]
    wide = power_of_two(max(bits)) * choices.pick([1, 2, 4, 8])
    return replace(drawn, options=replace(drawn.options, port_bits=0, shared_port_bits=wide), further=False)


def laid_out(choices: Choices, drawn: Laid) -> Laid:
    """The same design, whose tensors and memories perhaps lie in other orders."""
    whole = design_of(drawn.func)
    lay_out(choices, whole.inputs, whole.outputs)
    return replace(drawn, lines=(*drawn.lines, *lie_inside(choices, whole, drawn.options)))


def values(tensor: Tensor, rng: np.random.Generator, fill: str, draw: Draw | None = None) -> Buffer:
    """Values of a tensor's type: such as suit its reader, any, a mix of its extremes, or all one of these."""
    kind, shape = tensor.type, tensor.extents[::-1]
    array = rng.integers(kind.min, kind.max, shape, kind.dtype, endpoint=True)
    match fill:
        case "spread" if draw:
            array = draw.words(rng)
        case "extremes":
            array = np.where(array < (kind.min + kind.max) // 2, kind.min, kind.max)
        case "least":
            array = np.full(shape, kind.min)
        case "greatest":
            array = np.full(shape, kind.max)
    buffer = Buffer(array.astype(kind.dtype), tensor.name)
    buffer.type = kind
    buffer.set_min(tensor.mins)
    return buffer
