"""Random designs whose tiles pass by pieces: operands that come in as they are read first, sums that leave as they are
complete.

Lines such as `T.in_().store_at(f, v).compute_at(f, w)` say so only where loops between v and w move T and others out of
these come back to it, as places drawn at random seldom are. Here loops are split in two, small ones inside and the
rest outside, and of all places one is taken that has pieces and of which hardware exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

from halidehw import ImageParam, RDom, Var
from halidehw.errors import HalideHWError
from halidehw.frontend.directives import BufferDirective, ComputeAt, RingBuffer, SingleBuffer, StoreAt, StoreRoot
from halidehw.frontend.pipeline import inputs_of
from halidehw.ir.graph import Graph
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Network
from halidehw.microarch.options import Options
from halidehw.scheduler import lower_graph
from tests.fuzz.algorithms import Algorithm, convolution, product, reduction, tensor
from tests.fuzz.choices import Choices
from tests.fuzz.designs import Design, laid_out, outside, shared
from tests.fuzz.schedules import MOST_PES, Loops

MOST_ITERATIONS = 3000
TRIES = 2
"""Designs that are drawn instead of one without pieces."""
MOST_PLACES = 12
"""Places that are tried for one memory before it is left out."""
LEVELS = [
    *[("pieces",)] * 5, ("root", "pieces"), ("tile", "pieces"), ("pieces", "tile"), ("pieces", "pieces"), ("tile",), (),
]  # fmt: skip
"""Memories of an operand, the outermost first: all of it, whole tiles, or tiles that come in by pieces."""


def by_pieces(choices: Choices) -> Design:
    """A design with tiles that pass by pieces, of some the first one, through ports of their own or one for all."""
    found = scheduled(choices)
    for _ in range(TRIES):
        found = found if asked(found.graph) else scheduled(choices)
    return laid_out(choices, found)


def scheduled(choices: Choices) -> Design:
    """A design most of whose memories and sums have places where tiles pass by pieces."""
    found = choices.pick([window, window, product, convolution])(choices)
    drawn = shared(choices, outside(choices, found.func), one_in=2)
    if choices.chance(2):  # nothing is left to chance, so all that is counted has to be the model's
        drawn = replace(drawn, memory=replace(drawn.memory, stall_probability=0.0), starts=1)
    loops = Loops(found.stage, found.domain)
    array(choices, loops, block(choices, loops))
    places = Places(found, drawn.options)
    sums = not choices.chance(2) and places.by_pieces(choices, found.core.name, 1)
    if sums and choices.chance(3):
        places.attempt(SingleBuffer(found.core.name, 1))
    for image in inputs_of(found.core):
        if image.name not in found.late:
            operand(choices, places, image)
    return drawn


def asked(graph: Graph) -> int:
    """How many memories and tiles of sums pass by pieces where the hardware allows it."""
    return sum(bool(buffer.pieces) for nest in graph.stages for buffer in nest.buffers)


def pieces(accelerator: Network) -> int:
    """How many do."""
    memories = sum(memory.pieces > 1 for stage in accelerator.stages for memory in stage.memories)
    return memories + sum(stage.write.tap.piece is not None for stage in accelerator.stages)


def window(choices: Choices) -> Algorithm:
    """Filters along no dimension, one or two, strided or dilated, of several channels; any layout of both operands."""
    sides = choices.pick([1, 2, 0])
    highest = [9, 9, 9, 4 if sides == 2 else 1, 3 if sides else 1, 3 if sides == 2 else 1]
    found = [choices.number(min(high, 2), high) for high in highest]
    while prod(found) > MOST_ITERATIONS:
        found = [(size + 1) // 2 for size in found]
    columns, filters, channels, rows, fx, fy = found
    x, y, k = map(Var, "xyk")
    r = RDom([(0, channels), (0, fx), (0, fy)], "r")
    stride, dilation = choices.pick([1, 1, 2, 3]), choices.pick([1, 1, 2])
    place = [x * stride + r.y * dilation, y * choices.pick([1, stride]) + r.z * choices.pick([1, dilation])]
    image = tensor(choices, "image", choices.shuffled([*place, r.x]))
    weight = tensor(choices, "w", choices.shuffled([r.x, r.y, r.z, k]))
    return reduction(choices, [x, y, k], [columns, rows, filters], image, weight)


def block(choices: Choices, loops: Loops) -> list[str]:
    """Loops in two halves, those inside first; gives these, the innermost first. Now and then in any order."""
    for name in loops.names:
        if not choices.chance(4):
            loops.attempt("split", name, f"{name}_o", f"{name}_i", choices.number(1, 5))
    inner = choices.shuffled([name for name in loops.names if name.endswith("_i")])
    outer = choices.shuffled([name for name in loops.names if name not in inner])
    order = choices.shuffled([*inner, *outer]) if choices.chance(6) else [*inner, *outer]
    loops.attempt("reorder", *order)
    return order[: len(inner)]


def array(choices: Choices, loops: Loops, inner: Sequence[str]) -> None:
    """Up to two of the inner loops in space, of one chain or a grid, systolic or not."""
    extents, counts, left = loops.extents(), [], MOST_PES
    lanes = choices.some([name for name in inner if extents.get(name, 1) > 1], 2)
    for name in lanes:
        most = min(extents[name], left)
        counts.append(choices.pick([most, most, choices.number(1, most)]))
        left //= counts[-1]
    if lanes:
        loops.attempt("dataflow", " | ".join(lanes), *counts)
    for loop in loops.stage.loops.loops:
        if (loop.lanes or 1) > 1 and choices.chance(2):
            loops.attempt("systolic", loop.name)


@dataclass(frozen=True)
class Places:
    """Where memories of an algorithm's operands and sums are, such that hardware with ports of these widths exists."""

    algorithm: Algorithm
    options: Options

    def attempt(self, *lines: BufferDirective, wanted: int = 0) -> bool:
        """Adds lines unless they are refused, or fewer memories than `wanted` have tiles that pass by pieces."""
        core = self.algorithm.core
        before = list(core.directives)
        try:
            for line in lines:
                core.add(line)
            graph = lower_graph(self.algorithm.func)
            if asked(graph) >= wanted and pieces(derive(graph, self.options)) >= wanted:
                return True
        except HalideHWError:
            pass
        core.directives[:] = before
        return False

    def by_pieces(self, choices: Choices, name: str, level: int) -> bool:
        """A memory whose tiles pass by pieces, in the first one that has such of some places in any order."""
        core, names = self.algorithm.core, self.algorithm.stage.loops.names
        graph = lower_graph(self.algorithm.func)
        for first, last in choices.shuffled(self._between(graph, name))[:MOST_PLACES]:
            kept = StoreAt(name, level, core.name, names[first]) if first >= 0 else StoreRoot(name, level)
            if self.attempt(kept, ComputeAt(name, level, core.name, names[last]), wanted=asked(graph) + 1):
                return True
        return False

    def _between(self, graph: Graph, name: str) -> list[tuple[int, int]]:
        """Every two loops, a tile's and a piece's (-1: outside all), between which one comes back to pieces of a tensor
        or of the sums, and another one inside it goes on to the next."""
        nest, loops, sums = graph.output, self.algorithm.stage.loops.names, name == self.algorithm.core.name
        accesses = [nest.write] if sums else [each for each in nest.reads if each.tensor == name]
        names = {each for access in accesses for form in access.indices for each in form.names}
        moving = [nest.loop[each].extent > 1 and each in names for each in loops]
        back = [nest.loop[each].extent > 1 and each not in names for each in loops]
        return [
            (first, last)
            for first, last in combinations(range(-1, len(loops)), 2)
            if any(back[one] and any(moving[one : last + 1]) for one in range(first + 1, last + 1))
        ]

    def tile(self, choices: Choices, name: str, level: int) -> bool:
        """A memory whose tiles come in as a whole."""
        core, names = self.algorithm.core, self.algorithm.stage.loops.names
        return self.attempt(ComputeAt(name, level, core.name, choices.pick(names)))


def operand(choices: Choices, places: Places, image: ImageParam) -> None:
    """Memories of an operand, up to two, and now and then another number of parts than two."""
    level = 1
    for kind in choices.pick(LEVELS):
        if kind == "root":
            image.in_().compute_root()
            found = True
        else:
            found = (places.by_pieces if kind == "pieces" else places.tile)(choices, image.name, level)
            if found and choices.chance(3):
                parts = choices.pick([1, 3, 4])
                places.attempt(RingBuffer(image.name, level, parts) if parts > 1 else SingleBuffer(image.name, level))
        level += found
