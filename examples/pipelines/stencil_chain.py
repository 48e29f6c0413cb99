"""A chain of stencils: each stage smooths what the one before it makes, and all of them work at the same time.

Each stage begins two rows after the one before it; from then on a row passes through all of them in the time of one.
"""

from itertools import pairwise

import halidehw as hl


def stencil_chain(width: int = 8, height: int = 6, stages: int = 20, lanes: int = 1) -> hl.Func:
    """width x height pixels after so many stages, of an image with as many more on each side."""
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    x, y = hl.vars("x y")
    chain: list[hl.ImageParam | hl.Func] = [image]
    for number in range(stages):
        func, before = hl.Func(f"s{number}"), chain[-1]
        near = [hl.u16(before[x + dx, y + dy]) for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        func[x, y] = hl.u8((sum(near[1:], near[0]) + 4 * hl.u16(before[x, y])) >> 3)
        chain.append(func)
    output = chain[-1]
    assert isinstance(output, hl.Func)
    output.bound(x, stages, width).bound(y, stages, height).vectorize(x, lanes)

    for before, func in pairwise(chain[1:]):
        assert isinstance(before, hl.Func)
        before.store_root().compute_at(func, y).vectorize(x, lanes)
    image.in_().store_root().compute_at(chain[1], y)
    return output.accelerate([image])


design = stencil_chain()
