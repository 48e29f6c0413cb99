"""What all builders of layers share: inputs with bounds, loops with extents, and the name of a type's values."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from halidehw.expr.expr import Var
from halidehw.expr.nodes import Expr
from halidehw.expr.types import Int, Type, UInt, type_of_dtype
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.importers.tensors import Shape, Tensor

SPATIAL = "xyzw"

TAKEN = re.compile(r"(before_)?(weight|bias|scale|multiplier|exponent)|input\d*|other|column|[A-Za-z](_[a-z])?|v\d+")
"""What the inputs of layers are called, their loops, and parts of these."""


def image(name: str, shape: Shape, kind: Type | np.dtype) -> ImageParam:
    """An input of that shape, as NumPy has it."""
    found = ImageParam(kind if isinstance(kind, Type) else type_of_dtype(kind), len(shape), name)
    for dimension, extent in enumerate(reversed(shape)):
        found.dim(dimension).set_bounds(0, extent)
    return found


def constant_image(name: str, values: np.ndarray) -> ImageParam:
    """An input for these values."""
    return image(name, values.shape, values.dtype)


def narrowest(values: np.ndarray) -> Type:
    """The type of fewest bits that has all the values; at least 8, as memories hold bytes."""
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    kinds = (kind for bits in range(8, 65) for kind in (Int(bits), UInt(bits)))
    return next(kind for kind in kinds if kind.represents(least) and kind.represents(most))


def at(read: Func | ImageParam, index: Sequence[Expr]) -> Expr:
    """The element of a tensor of one value at each point."""
    found = read[tuple(index)]
    assert isinstance(found, Expr)
    return found


def variables(count: int) -> list[Var]:
    """So many loops, the fastest first."""
    return [Var(name) for name in [*SPATIAL, *(f"v{place}" for place in range(len(SPATIAL), count))][:count]]


Axis = Sequence[tuple[Expr, int]]
"""What a dimension is made of, the slowest first: an index and an extent each; of a dimension left out, nothing."""


def arranged(axes: Sequence[Axis], order: Sequence[int]) -> tuple[list[Expr], Shape]:
    """The indices (the fastest first) and the shape (the fastest last) of a tensor whose dimensions lie so."""
    pieces = [piece for axis in order for piece in axes[axis]]
    return [index for index, _ in reversed(pieces)], tuple(size for _, size in pieces)


def whole(x: Tensor, indices: Sequence[Expr]) -> tuple[list[Expr], Shape]:
    """`arranged`, with an index for each dimension of `x`, as NumPy has them."""
    return arranged([[pair] for pair in zip(indices, x.shape, strict=True)], x.order)


def bounded(func: Func, loops: Sequence[Expr], shape: Shape) -> Func:
    """With its extents stated; `loops`: the fastest first."""
    for var, extent in zip(loops, reversed(shape), strict=True):
        assert isinstance(var, Var)
        func.bound(var, 0, extent)
    return func


def identifier(name: str) -> str:
    """A name that a Func, and a signal of Verilog, can have."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_")
    return plain if plain[:1].isalpha() and not TAKEN.fullmatch(plain) else f"layer_{plain}"
