"""The scheduled stages of a design: a nest each, and between them the tensors that one makes and others read.

Meaning. The stages run one after the other, each as a whole, in order; a tensor that a stage makes is read as if it lay
in memory. That gives what the algorithm gives. In hardware they run side by side, and of a tensor that is made there is
only what the buffers of its readers hold: the outermost buffer of each is filled by the producer.

The outermost `place` loops of a producer are those of its reader outside the reader's buffer, as far as a part of it
depends on them: for each of their iterations it makes what the buffer then holds. Of a buffer that slides the loops of
the slide are not among them, for its rows are made once each and pass by one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from halidehw.ir.bounds import box, refills
from halidehw.ir.nest import Buffer, Loop, Nest, Tensor
from halidehw.ir.verify import InvariantError, verify
from halidehw.notes import Note


@dataclass(frozen=True)
class Graph:
    """`stages`: producers before those that read them, the output's last. `written`: what is written to memory, if that
    is more than what the last one makes; `between`: what one stage writes there and another one, when all of it is
    there, reads; `others`: names that no line of the program has, beside what that calls them, if anything."""

    stages: tuple[Nest, ...]
    written: tuple[str, ...] = ()
    between: frozenset[str] = frozenset()
    others: tuple[tuple[str, str], ...] = ()

    @property
    def output(self) -> Nest:
        """The last stage."""
        return self.stages[-1]

    @cached_property
    def stage(self) -> dict[str, Nest]:
        """By the name of what it makes."""
        return {nest.name: nest for nest in self.stages}

    @cached_property
    def outputs(self) -> tuple[Nest, ...]:
        """The stages whose words are written to memory, the last one's among them."""
        return tuple(nest for nest in self.stages if nest.name in self.written or nest is self.output)

    @cached_property
    def made(self) -> frozenset[str]:
        """The tensors that one stage makes and others read from memories of their own."""
        names = {nest.name for nest in self.stages} - self.between
        return frozenset(tensor.name for nest in self.stages for tensor in nest.inputs if tensor.name in names)

    @cached_property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors in the memory outside, each once, in the order of the stages that read them."""
        read = {tensor.name: tensor for nest in self.stages for tensor in nest.inputs}
        return tuple(tensor for name, tensor in read.items() if name not in self.made | self.between)

    def consumers(self, name: str) -> tuple[Nest, ...]:
        """The stages that read a tensor."""
        return tuple(nest for nest in self.stages if name in {tensor.name for tensor in nest.inputs})

    @property
    def notes(self) -> tuple[Note, ...]:
        """What of the schedule holds without it."""
        return self.output.notes


def graph_of(design: Nest | Graph) -> Graph:
    """A nest alone is a graph of one stage."""
    return design if isinstance(design, Graph) else Graph((design,))


def shared(nest: Nest, buffer: Buffer) -> tuple[Loop, ...]:
    """The loops outside a buffer that its producer has in common with its reader: those of which a step calls for
    another part of what is made, as loops that sum nothing up."""
    loops = refills(nest, buffer)
    if buffer.slide:
        loops = loops[: [loop.name for loop in loops].index(buffer.slide.loops[0])]
    return tuple(replace(loop, reduction=False) for loop in loops)


def verify_graph(graph: Graph) -> Graph:
    """The graph itself. Raises `InvariantError` naming the rule it breaks."""
    _check(len(graph.stage) == len(graph.stages), "two stages share a name")
    for place, nest in enumerate(graph.stages):
        verify(nest)
        for tensor in nest.inputs:
            if tensor.name in graph.made:
                _check(tensor.name in {each.name for each in graph.stages[:place]}, f"{nest.name} reads a later stage")
                _verify_channel(graph.stage[tensor.name], nest, tensor)
    for nest in graph.stages:
        _check(nest.name in graph.made | graph.between or nest in graph.outputs, f"no stage reads {nest.name}")
    for nest in graph.outputs:
        _check(nest.name in graph.made or nest.place == 0, f"{nest.name} lies in the loops of no consumer")
    return graph


def _verify_channel(producer: Nest, consumer: Nest, tensor: Tensor) -> None:
    between = f"{producer.name} and {consumer.name}"
    _check(producer.output == tensor, f"{between} do not agree what {tensor.name} is")
    levels = consumer.levels(tensor.name)
    _check(bool(levels), f"there is no memory between {between}")
    _check(not levels[0].per_pe, f"{levels[0].name} lies inside lanes, outside of which it is filled")
    outside = shared(consumer, levels[0])
    _check(producer.loops[: producer.place] == outside, f"{between} do not agree on the loops outside both")
    reads = [each.indices for each in consumer.reads if each.tensor == tensor.name]
    needed = box((*reads, *levels[0].also), consumer, len(outside))
    for made, part in zip(box([producer.write.indices], producer, len(outside)), needed, strict=True):
        alike = (made.first, made.size, made.step) == (part.first, part.size, part.step if part.size > 1 else made.step)
        _check(alike, f"{between} do not agree on the part of {tensor.name} that is needed at a time")


def _check(holds: bool, why: str) -> None:
    if not holds:
        raise InvariantError(f"graph: {why}")
