"""Hand-made nests."""

from __future__ import annotations

from halidehw import Int
from halidehw.expr.expr import Binary, Cast
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Access, Buffer, Constraint, Load, Loop, Nest, Tensor


def filter_nest(outputs: int = 10, tile: int = 4, lanes: int = 1) -> Nest:
    """f[x] += a[x + r] * w[r] with x in tiles and 3 taps; a's tile buffered at xo, w whole at xo."""
    xo, xi, r = map(Affine.variable, ("xo", "xi", "r"))
    tiles = -(-outputs // tile)
    value = Binary(Int(32), "mul", Cast(Int(32), Load(Int(16), 0)), Cast(Int(32), Load(Int(16), 1)))
    ragged = (Constraint((("xi", 1), ("xo", tile)), outputs - 1),) if outputs % tile else ()
    return Nest(
        name="f",
        loops=(
            Loop("xo", 0, tiles),
            Loop("xi", 0, tile, lanes, dimension=0 if lanes > 1 else None),
            Loop("r", -1, 3, reduction=True),
        ),
        domain=ragged,
        inputs=(Tensor("a", Int(16), (-1,), (outputs + 2,)), Tensor("w", Int(16), (-1,), (3,))),
        output=Tensor("f", Int(32), (0,), (outputs,)),
        reads=(Access("a", (tile * xo + xi + r,)), Access("w", (r,))),
        write=Access("f", (tile * xo + xi,)),
        type=Int(32),
        combine="add",
        init=0,
        value=value,
        epilogue=None,
        buffers=(
            Buffer("a_in", "a", "xo", (tile * xo - 1,), (tile + 2,), 2, False),
            Buffer("w_in", "w", "xo", (Affine((), -1),), (3,), 2, False),
        ),
    )
