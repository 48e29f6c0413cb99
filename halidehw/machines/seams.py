"""Between two layers of a network: whether the one reads in memory what the other has left there, as it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.driver.build import design_and_graph
from halidehw.errors import HardwareError
from halidehw.ir.layout import dense
from halidehw.ir.nest import Tensor
from halidehw.machines.engine import Programmed


@dataclass(frozen=True)
class Seam:
    """`output` of a layer is `input` of the next one. `offset`: words from the first of what is written to the first of
    what is read, where one is read as the other lies; None where a transpose would be needed, of `words` words.
    `said`: lines that let the input lie as the output does, () where none do."""

    output: str
    input: str
    offset: int | None
    words: int
    said: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        return self.offset is not None

    def check(self) -> Seam:
        """The seam itself. Raises HardwareError where a transpose would be needed."""
        if not self.agrees:
            raise HardwareError(
                f"{self.input} does not lie in memory as {self.output}, which it is, does: {self.words} words would be "
                "put in another order", legal=self.said,
            )  # fmt: skip
        return self


def seam(producer: Programmed, consumer: Programmed, image: str = "") -> Seam:
    """How the output of `producer`, the last one, lies in memory beside the input `image` of `consumer` (its only one)
    that it is.

    Raises HardwareError for an input that is not there, of another type or more dimensions, or of which the output has
    not all.
    """
    (made, graph), (taken, other) = design_and_graph(producer), design_and_graph(consumer)
    output, read = graph.output.output, _input(taken.name, other.inputs, image)
    if (output.type, len(output.extents)) != (read.type, len(read.extents)):
        one, two = (f"{each.type} of {len(each.extents)} dimensions" for each in (output, read))
        raise HardwareError(f"{output.name} is {one}, and {read.name} {two}")
    offsets = _addresses(output)[_within(output, read)] - _addresses(read)
    offset = int(offsets.flat[0]) if (offsets == offsets.flat[0]).all() else None
    same = (output.mins, output.extents) == (read.mins, read.extents)
    calls = made.output.storage.calls() if same else _strides(output)
    said = () if offset is not None else tuple(f"{read.name}.{call}" for call in calls)
    return Seam(output.name, read.name, offset, 0 if offset is not None else read.words, said)


def _input(name: str, inputs: Sequence[Tensor], image: str) -> Tensor:
    found = [each for each in inputs if each.name == image or not image]
    if len(found) != 1:
        names = [each.name for each in inputs]
        raise HardwareError(
            f"{name} has the inputs {', '.join(names)}: one of them is the other's output",
            legal=[f'seam(producer, consumer, "{each}")' for each in names],
        )
    return found[0]


def _within(output: Tensor, read: Tensor) -> tuple[slice, ...]:
    """Where the box of what is read is in what is written, dimension 0 last."""
    firsts = [low - start for low, start in zip(read.mins, output.mins, strict=True)]
    for d, (first, size, all_of_it) in enumerate(zip(firsts, read.extents, output.extents, strict=True)):
        if first < 0 or first + size > all_of_it:
            low, start = read.mins[d], output.mins[d]
            raise HardwareError(
                f"{read.name} is read along dimension {d} in [{low}, {low + size - 1}], {output.name} is written in "
                f"[{start}, {start + all_of_it - 1}]",
                legal=(f"BoundaryConditions.constant_exterior({read.name}, 0)",
                       f"{read.name}.dim({d}).set_bounds({start}, {all_of_it})"),
            )  # fmt: skip
    return tuple(slice(first, first + size) for first, size in reversed([*zip(firsts, read.extents, strict=True)]))


def _addresses(tensor: Tensor) -> np.ndarray:
    return (tensor.layout or dense(tensor.extents)).addresses(tensor.extents)


def _strides(output: Tensor) -> list[str]:
    """What gives another box the strides of an output; nothing for one in blocks."""
    layout = output.layout or dense(output.extents)
    blocks = len(layout.parts) > len(output.extents)
    return [] if blocks else [f"dim({d}).set_stride({stride})" for d, stride in enumerate(layout.strides)]
