"""Inputs and arrays: `ImageParam`, a tensor to be given later, and `Buffer`, one with its values.

Dimension 0 is the fastest: a NumPy array indexed [y, x] is a Buffer over x, y.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from halidehw.errors import AlgorithmError, BoundsError, HardwareError, TypeMismatch
from halidehw.expr.foreign import Pointwise
from halidehw.expr.nodes import Access, Operators, constructor
from halidehw.expr.types import Type, type_of_dtype
from halidehw.frontend.absent import Helpful
from halidehw.frontend.definition import access
from halidehw.frontend.ranges import Range, checked_range
from halidehw.frontend.storage import Said, Storage, Stored
from halidehw.frontend.wrapper import Wrapped


@dataclass(frozen=True)
class Dimension:
    """One dimension of an `ImageParam` or `Buffer`."""

    of: str
    place: int
    range: Range | None
    assign: Callable[[Range], None]
    guess: Callable[[Range], None] = lambda pair: None
    lay: Callable[[Said, int, int], None] | None = None

    def set_bounds(self, min: int, extent: int) -> None:
        """States the indices of this dimension. Raises `BoundsError` if the extent is not positive."""
        self.assign(checked_range((min, extent)))

    def set_estimate(self, min: int, extent: int) -> None:
        """The indices of this dimension where nothing else states them."""
        self.guess(checked_range((min, extent)))

    def set_min(self, min: int) -> None:
        """Moves the indices of this dimension, as many as are known. Raises `BoundsError` while they are not."""
        self.set_bounds(min, self.extent())

    def set_stride(self, stride: int) -> None:
        """Elements in memory from one index to the next; of a dimension in blocks, from one block to the next.

        Raises `HardwareError` for what is no positive number."""
        self._laid()("strides", self.place, stride)

    def set_block(self, elements: int) -> None:
        """Lets it lie in blocks of so many elements: those of a block are neighbours, and the blocks take the
        dimension's place in order. Raises `HardwareError` for what is no positive number."""
        self._laid()("blocks", self.place, elements)

    def min(self) -> int:
        """The first index. Raises `BoundsError` while it is not known."""
        return self._known()[0]

    def extent(self) -> int:
        """The number of indices. Raises `BoundsError` while it is not known."""
        return self._known()[1]

    def max(self) -> int:
        """The last index. Raises `BoundsError` while it is not known."""
        return sum(self._known()) - 1

    def _laid(self) -> Callable[[Said, int, int], None]:
        if self.lay is None:
            raise HardwareError(
                f"how {self.of} lies in the hardware's memory is said of the input that it is given for: an array may "
                "have any strides", legal=(f"{self.of}.param.dim({self.place}).set_stride(16)",),
            )  # fmt: skip
        return self.lay

    def _known(self) -> Range:
        if self.range is None:
            raise BoundsError(
                f"the extent of dimension {self.place} of {self.of} is not known here; hardware is made for numbers",
                legal=(f"{self.of}.dim({self.place}).set_bounds(0, 16)",),
            )
        return self.range


class Sized:
    """What has dimensions: Halide's names for their extents and ends."""

    def dim(self, dimension: int) -> Dimension:
        """Dimension `dimension`, 0 the fastest."""
        raise NotImplementedError

    def width(self) -> int:
        return self.dim(0).extent()

    def height(self) -> int:
        return self.dim(1).extent()

    def channels(self) -> int:
        return self.dim(2).extent()

    def left(self) -> int:
        return self.dim(0).min()

    def right(self) -> int:
        return self.dim(0).max()

    def top(self) -> int:
        return self.dim(1).min()

    def bottom(self) -> int:
        return self.dim(1).max()


class ImageParam(Pointwise, Wrapped, Sized, Stored, Helpful):
    """An input tensor of a type and a number of dimensions; index it with `image[x, y]` or `image(x, y)`."""

    level = 0
    sources: tuple[()] = ()

    def __init__(self, type: Type, dimensions: int, name: str | None = None):
        if not isinstance(type, Type) or not isinstance(dimensions, int) or dimensions < 0:
            raise TypeMismatch(
                f"ImageParam takes a type and a number of dimensions, not {type!r} and {dimensions!r}",
                legal=(f'ImageParam(Int(16), 2, "{name or "input"}")',),
            )
        self.type, self.dimensions, self.name = type, dimensions, name or "input"
        self.named = name is not None
        self.buffer: Buffer | None = None
        self.storage = Storage()
        self._ranges: list[Range | None] = [None] * dimensions
        self._estimates: list[Range | None] = [None] * dimensions

    @property
    def point(self) -> str:
        names = "xyzw"[: self.dimensions] if self.dimensions <= len("xyzw") else ["..."]
        return f"{self.name}[{', '.join(names) or '()'}]"

    def __repr__(self) -> str:
        return f'ImageParam({constructor(self.type)}, {self.dimensions}, "{self.name}")'

    def __getitem__(self, args: Any) -> Access:
        return access(self, self.dimensions, self.type, args)

    def __call__(self, *args: Any) -> Access:
        return self[args]

    def rename(self, name: str) -> None:
        self.name = name

    @property
    def stored_name(self) -> str:
        return self.name

    @property
    def bounds(self) -> tuple[Range | None, ...]:
        """Per dimension what `set_bounds` stated, else the extent of the buffer that is set, else the estimate, or
        None."""
        given = self.buffer.bounds if self.buffer else self._estimates
        return tuple(stated or actual for stated, actual in zip(self._ranges, given, strict=True))

    def dim(self, dimension: int) -> Dimension:
        """Dimension `dimension`, 0 the fastest."""
        if not 0 <= dimension < self.dimensions:
            raise AlgorithmError(
                f"{self.name} has dimensions 0 .. {self.dimensions - 1}, not {dimension}",
                legal=[f"{self.name}.dim({each})" for each in range(self.dimensions)],
            )
        return Dimension(
            self.name, dimension, self.bounds[dimension],
            partial(self._ranges.__setitem__, dimension), partial(self._estimates.__setitem__, dimension), self._lay,
        )  # fmt: skip

    def set_estimates(self, ranges: Sequence[Range]) -> None:
        """`dim(i).set_estimate` for every dimension: (min, extent) pairs."""
        for dimension, pair in enumerate(ranges):
            self.dim(dimension).set_estimate(*checked_range(pair))

    def set(self, values: Buffer | np.ndarray) -> None:
        """The values that `realize` and `simulate` use. Raises `TypeMismatch` if type or dimensions differ."""
        self.buffer = self.checked(values)

    def checked(self, values: Buffer | np.ndarray) -> Buffer:
        """`values` as a Buffer of this type. Raises `TypeMismatch` if type, shape or a value does not fit."""
        mins = [pair[0] if pair else 0 for pair in self._ranges]
        buffer = values if isinstance(values, Buffer) else _of_array(self.name, np.asarray(values), self.type, mins)
        if len(buffer.bounds) != self.dimensions:
            raise TypeMismatch(
                f"{self.name} has {self.dimensions} dimensions, the array given has {len(buffer.bounds)}: "
                f"shape {buffer.array.shape}",
            )
        if buffer.type != self.type:
            raise TypeMismatch(
                f"{self.name} is {self.type}, the array given is {buffer.array.dtype}",
                legal=(f"array.astype(np.{self.type.dtype})",),
            )
        for dimension, (stated, actual) in enumerate(zip(self._ranges, buffer.bounds, strict=True)):
            if stated and stated != actual:
                raise TypeMismatch(
                    f"dimension {dimension} of {self.name} is {_span(stated)}, that of the array given {_span(actual)}",
                )
        return buffer


class Buffer(Sized):
    """An array with a type and a min for each dimension.

    `Buffer(array, name)` shares the memory of a NumPy array; `Buffer(type, sizes, name)` is zero everywhere.
    `np.asarray(buffer)` is the array, dimension 0 last.
    """

    def __init__(self, values: np.ndarray | Type, sizes: Sequence[int] | str = (), name: str | None = None):
        extents, given = ((), sizes) if isinstance(sizes, str) else (tuple(sizes), name)
        if isinstance(values, Type):
            self.type, self.array = values, np.zeros(extents[::-1], values.dtype)
        else:
            self.array = np.asarray(values)
            self.type = type_of_dtype(self.array.dtype)
        self.name, self.named = given or "buffer", given is not None
        self.mins: tuple[int, ...] = (0,) * self.array.ndim

    def __repr__(self) -> str:
        return f"Buffer({constructor(self.type)}, {list(self.extents)})"

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.array, dtype=dtype, copy=True if copy else None) if dtype or copy else self.array

    @property
    def extents(self) -> tuple[int, ...]:
        """The extent of each dimension, the fastest first."""
        return tuple(reversed(self.array.shape))

    @property
    def bounds(self) -> tuple[Range, ...]:
        """Min and extent of each dimension, the fastest first."""
        return tuple(zip(self.mins, self.extents, strict=True))

    @property
    def dimensions(self) -> int:
        return self.array.ndim

    def dim(self, dimension: int) -> Dimension:
        return Dimension(self.name, dimension, self.bounds[dimension], self._fixed)

    def _fixed(self, pair: Range) -> None:
        raise BoundsError("the bounds of a Buffer are its array's", legal=("buffer.set_min([...])",))

    def set_min(self, mins: Sequence[int]) -> None:
        """The index of the first element in each dimension."""
        if len(mins) != self.dimensions:
            raise TypeMismatch(
                f"{self.name} has {self.dimensions} dimensions, {len(mins)} mins are given",
                legal=[f"{self.name}.set_min([{', '.join(['0'] * self.dimensions)}])"],
            )
        self.mins = tuple(mins)

    def __getitem__(self, args: Any) -> Access | int:
        """An element, at integers; an access to be used in a definition, at expressions."""
        given = args if isinstance(args, tuple) else (args,)
        if any(isinstance(arg, Operators) for arg in given):
            return self.param[args]
        return int(self.array[self._place(given)])

    def __setitem__(self, args: Any, value: int) -> None:
        self.array[self._place(args if isinstance(args, tuple) else (args,))] = value

    def _place(self, given: tuple[Any, ...]) -> tuple[int, ...]:
        """The array's indices of an element. Raises `BoundsError` if there is none."""
        first = f"{self.name}[{', '.join(map(str, self.mins))}]"
        if len(given) != self.dimensions:
            indices = f"{len(given)} {'index is' if len(given) == 1 else 'indices are'} given"
            message = f"{self.name} has {self.dimensions} dimensions, {indices}"
            raise BoundsError(message, legal=(first,))
        for index, (low, extent) in zip(given, self.bounds, strict=True):
            if not low <= index < low + extent:
                message = f"{self.name} is indexed at {index}, it has {low} .. {low + extent - 1}"
                raise BoundsError(message, legal=(first,))
        return tuple(reversed([index - low for index, low in zip(given, self.mins, strict=True)]))

    @cached_property
    def param(self) -> ImageParam:
        """The input that stands for this buffer in an algorithm."""
        param = ImageParam(self.type, self.dimensions, self.name)
        param.named = self.named
        param.set(self)
        return param


def _of_array(name: str, array: np.ndarray, kind: Type, mins: Sequence[int]) -> Buffer:
    """An array of integers of any width whose values are ones of `kind`. Raises `TypeMismatch` if one is none."""
    given = "array" if array.ndim else "number"
    way = converted(array, kind)
    legal = (way,) if way else ()
    if array.dtype.kind not in "iub" or (array.dtype.kind == "b") != kind.is_bool:
        raise TypeMismatch(f"{name} is {kind}, the {given} given is {array.dtype}", legal=legal)
    outside = array[(array < kind.min) | (array > kind.max)] if array.dtype.kind != "b" else array[:0]
    if outside.size:
        raise TypeMismatch(
            f"the {given} given for {name}, which is {kind}, {'holds' if array.ndim else 'is'} {outside.flat[0]}; "
            f"{kind} is {kind.min} .. {kind.max}",
            legal=legal,
        )
    buffer = Buffer(array if array.dtype == kind.dtype else array.astype(kind.dtype))
    buffer.type = kind
    if len(mins) == buffer.dimensions:
        buffer.set_min(mins)
    return buffer


def converted(array: np.ndarray, kind: Type, code: str = "array") -> str | None:
    """Code that makes values of `kind` of those of `array`, which `code` stands for: a number itself, the nearest;
    integers as they are, fractions times 2**8, and all within the type's limits. None where nothing does."""
    if array.dtype.kind not in "iubf" or not np.isfinite(array).all():
        return None
    if array.ndim == 0 and code == "array":
        return str(min(max(round(array.item()), kind.min), kind.max))
    scaled = array.dtype.kind == "f" and bool((array != np.round(array)).any())
    values = np.round(array * 256) if scaled else array
    code = f"np.round({code} * 256)" if scaled else code
    outside = array.dtype.kind != "b" and bool(((values < kind.min) | (values > kind.max)).any())
    code += f".clip({kind.min}, {kind.max})" if outside else ""
    whole = array.dtype.kind in "iu" or (array.dtype.kind == "b" and kind.is_bool)
    return code if whole and not kind.is_bool else f"{code}.astype(np.{kind.dtype})"


def _span(pair: Range) -> str:
    return f"{pair[0]} .. {pair[0] + pair[1] - 1}"
