"""How a tensor lies in the memory outside: what is said of it line by line, and the layout that this makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from halidehw.errors import HardwareError, SourceLine, user_line
from halidehw.expr.types import Type
from halidehw.ir.layout import Layout, Part, dense, ordered

BYTE = 8

Said = Literal["strides", "blocks", "aligned"]
"""What is said of a dimension, as fields of `Storage`."""


def kept_bits(bits: int) -> int:
    """The bits that an element of so many takes in memory: the next power of two, so that several of up to four share a
    byte, the first one in its lowest bits."""
    return 1 << (bits - 1).bit_length()


@dataclass(frozen=True)
class Storage:
    """Of a tensor's dimensions, as far as it is said: their `order`, the fastest first; `strides` in elements, of one
    in blocks from block to block; the elements of `blocks`; the multiples that they are `aligned` to. `source`: the
    last line that says something of it."""

    order: tuple[int, ...] = ()
    strides: Mapping[int, int] = field(default_factory=dict)
    blocks: Mapping[int, int] = field(default_factory=dict)
    aligned: Mapping[int, int] = field(default_factory=dict)
    source: SourceLine | None = field(default=None, compare=False)

    def saying(self, what: Said, dimension: int, value: int) -> Storage:
        """The same with one number more, said at the user's line."""
        known: dict[Said, Mapping[int, int]] = {
            "strides": self.strides, "blocks": self.blocks, "aligned": self.aligned
        }  # fmt: skip
        known[what] = {**known[what], dimension: value}
        return Storage(self.order, known["strides"], known["blocks"], known["aligned"], user_line())

    def __bool__(self) -> bool:
        return bool(self.order or self.strides or self.blocks or self.aligned)

    def calls(self) -> list[str]:
        """What is said, as calls on the tensor; those of a dimension in the order of dimensions."""
        found = [f"reorder_storage({', '.join(map(str, self.order))})"] if self.order else []
        for name, values in (("set_block", self.blocks), ("set_stride", self.strides)):
            found += [f"dim({d}).{name}({value})" for d, value in sorted(values.items())]
        return found + [f"align_storage({d}, {value})" for d, value in sorted(self.aligned.items())]

    def layout(self, name: str, extents: tuple[int, ...], kind: Type) -> Layout | None:
        """The layout of a tensor of such extents; None for a dense one whose dimension 0 is fastest. `name`: what the
        tensor is called in messages.

        A stride that is not said follows from the dimension that is next faster in order: its stride times its extent.
        Raises HardwareError for elements that lie on each other, and strides that do not fit alignments or bytes.
        """
        if not self:
            return None
        parts = self._parts(name, extents)
        for part in parts:
            self._check_bytes(name, part, kind)
        self._check_apart(name, parts)
        found = ordered(parts)
        return None if found == ordered(list(dense(extents).parts)) else found

    def _parts(self, name: str, extents: tuple[int, ...]) -> list[Part]:
        order = [*self.order, *(d for d in range(len(extents)) if d not in self.order)]
        blocks = {d: block for d, block in self.blocks.items() if block > 1}
        wanted = [(d, 1, blocks[d]) for d in order if d in blocks]
        wanted += [(d, blocks.get(d, 1), -(-extents[d] // blocks.get(d, 1))) for d in order]
        parts = list[Part]()
        after = multiple = 1
        for d, step, extent in wanted:
            outermost = step == blocks.get(d, 1)
            stride = self.strides.get(d, after) if outermost else after
            if parts:
                self._check_aligned(name, parts[-1], multiple, d, stride, after)
            multiple = self.aligned.get(d, 1) if outermost else 1
            parts.append(Part(d, step, extent, stride))
            after = stride * (-(-extent // multiple) * multiple)
        return parts

    def _check_aligned(
        self, name: str, before: Part, multiple: int, dimension: int, stride: int, padded: int
    ) -> None:
        """A stride that is stated fits the alignment, to a `multiple`, of the dimension that is next faster."""
        step = multiple * before.stride
        if multiple > 1 and stride % step:
            raise HardwareError(
                f"dimension {before.dimension} of {name} is aligned to multiples of {multiple}, so that dimension "
                f"{dimension} goes on by multiples of {step} elements; {stride} = {stride // step} * {step} + "
                f"{stride % step}",
                legal=(f"{name}.dim({dimension}).set_stride({-(-max(stride, padded) // step) * step})",),
                source=self.source,
            )  # fmt: skip

    def _check_bytes(self, name: str, part: Part, kind: Type) -> None:
        """Rows of narrow elements begin with a byte."""
        bits = kept_bits(kind.bits)
        if part.extent > 1 and part.stride > 1 and bits < BYTE and part.stride * bits % BYTE:
            several = BYTE // bits
            whole = -(-part.stride // several) * several
            raise HardwareError(
                f"dimension {part.dimension} of {name} goes on by {part.stride} elements of {bits} bits, which is "
                f"{part.stride * bits / BYTE:g} bytes: each step begins a byte, of {several} elements",
                legal=(f"{name}.dim({part.dimension}).set_stride({whole})",), source=self.source,
            )  # fmt: skip

    def _check_apart(self, name: str, parts: Sequence[Part]) -> None:
        """Each dimension goes on beyond all that the faster ones reach."""
        several = sorted((part for part in parts if part.extent > 1), key=lambda part: part.stride)
        reach = 1
        for before, part in pairwise([None, *several]):
            reach += before.reach if before else 0
            assert part is not None
            if part.stride < reach:
                assert before is not None
                raise HardwareError(
                    f"elements of {name} lie on each other: dimension {part.dimension} goes on by {part.stride}, and "
                    f"dimension {before.dimension}, {before.extent} elements {before.stride} apart, reaches over "
                    f"{reach}",
                    legal=(f"{name}.dim({part.dimension}).set_stride({before.stride * before.extent})",),
                    source=self.source,
                )  # fmt: skip


class Stored:
    """What lies in the memory outside; its dimensions by number. `stored_name`: what it is called in code."""

    storage: Storage
    dimensions: int

    @property
    def stored_name(self) -> str:
        raise NotImplementedError

    def reorder_storage(self, *dimensions: int) -> None:
        """The order of the dimensions in memory, the fastest first; without gaps, but for what `align_storage` and
        `dim(i).set_stride` say. Raises HardwareError for what are not all dimensions."""
        if sorted(dimensions, key=str) != sorted(range(self.dimensions), key=str):
            turned = ", ".join(map(str, reversed(range(self.dimensions))))
            raise HardwareError(
                f"{self.stored_name}.reorder_storage takes each of the dimensions 0 .. {self.dimensions - 1} once, not "
                f"{', '.join(map(str, dimensions)) or 'none'}",
                legal=(f"{self.stored_name}.reorder_storage({turned})",),
            )
        self.storage = replace(self.storage, order=tuple(dimensions), source=user_line())

    def align_storage(self, dimension: int, multiple: int) -> None:
        """The next slower dimension goes on as if this one had a multiple of so many elements (of one in blocks, of so
        many blocks)."""
        self._lay("aligned", dimension, multiple)

    def _lay(self, what: Said, dimension: int, value: int) -> None:
        """Raises HardwareError for what is no positive number."""
        call = {
            "strides": "dim({}).set_stride({})", "blocks": "dim({}).set_block({})", "aligned": "align_storage({}, {})",
        }  # fmt: skip
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            turns = " (an index that is turned round, size - 1 - x, goes backwards)" if what == "strides" else ""
            raise HardwareError(
                f"{self.stored_name}.{call[what].format(dimension, value)}: it takes a positive number of "
                f"elements{turns}",
                legal=(f"{self.stored_name}.{call[what].format(dimension, 16)}",),
            )  # fmt: skip
        if not isinstance(dimension, int) or not 0 <= dimension < self.dimensions:
            raise HardwareError(
                f"{self.stored_name} has dimensions 0 .. {self.dimensions - 1}, not {dimension}",
                legal=[f"{self.stored_name}.{call[what].format(d, value)}" for d in range(self.dimensions)],
            )
        self.storage = self.storage.saying(what, dimension, value)
