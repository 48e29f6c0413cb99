"""Random stencils written out: what windows are made of, on every place for their inputs."""

from __future__ import annotations

from halidehw import BoundaryConditions, Expr, Func, ImageParam, Int, UInt, Var, clamp, i32
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.choices import Choices
from tests.fuzz.designs import Design

x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))


def stencil(choices: Choices) -> Design:
    """One or two images, read at several places in a step, strided, reversed, transposed or beyond their borders."""
    columns, rows = choices.pick([8, 5, 7, 12, 13]), choices.pick([3, 4])
    images = [ImageParam(choices.pick([UInt(8), Int(8), Int(16), UInt(4)]), 2, name) for name in ("image", "other")]
    images = images[: 1 + choices.chance(3)]
    f = Func("f")
    f[x, y] = sum((_read(choices, image, columns, rows) for image in images), start=i32(0))
    f.set_bounds([(0, columns), (0, rows)])
    order = [x, y]
    if choices.chance(3):
        f.split(x, xo, xi, choices.pick([4, 3, 6]))
        order = [xi, xo, y]
    if choices.chance(4):
        order = [y, *order[:-1]]
        f.reorder(*order)
    if (lanes := choices.pick([1, 1, 2, 3, 4])) > 1:
        f.unroll(order[0], lanes)
    for image in images:
        place = choices.pick(["", "root", "at", "at", "kept", "kept"])
        if place == "root":
            image.in_().compute_root()
        elif place:
            copy = image.in_().compute_at(f, order[-1])
            copy = copy.store_root() if place == "kept" else copy
            copy.single_buffer() if choices.chance(4) else None
    return Design(
        f,
        Options(port_bits=choices.pick([0, 16, 32, 64]), hide_latency=choices.pick([50, 10]), counters="all"),
        Memory(choices.pick([1, 2, 7, 20]), choices.pick([None, None, 0.5, 1, 2]), choices.pick([0.0, 0.0, 0.3])),
        seed=choices.number(0, 9999),
        starts=choices.pick([1, 1, 2]),
        reset=choices.pick([0, 0, 40]),
    )


def _read(choices: Choices, image: ImageParam, columns: int, rows: int) -> Expr:
    """A weighted sum of the pixels around a place, or of some of them."""
    size, middle = choices.pick([3, 2, 4, 5]), 0
    every = [(i, j) for j in range(size) for i in range(size)]
    shape = choices.pick(["all", "all", "cross", "some", "diagonal"])
    some = set(choices.shuffled(every)[: size * size // 2])
    of = {"all": every, "cross": [(i, j) for i, j in every if size // 2 in (i, j)],
          "some": [place for place in every if place in some], "diagonal": [(i, i) for i in range(size)]}  # fmt: skip
    places = of[shape]
    steps = choices.pick([1, 1, 1, 2, 3]), choices.pick([1, 1, 2])
    read: ImageParam | Func = image
    if choices.chance(3):
        middle, edges = size // 2, [(0, steps[0] * columns), (0, steps[1] * rows)]
        borders = BoundaryConditions
        read = borders.constant_exterior(image, 3, edges) if choices.chance(2) else borders.repeat_edge(image, edges)
    if choices.chance(3):
        read = _stage(choices, read)
    at = steps[0] * (columns - 1 - x) if choices.chance(6) else steps[0] * x
    pixels = (i32(read[at + i - middle, steps[1] * y + j - middle]) * choices.pick([1, 2, -3]) for i, j in places)
    return sum(pixels, start=i32(0))


def _stage(choices: Choices, read: ImageParam | Func) -> Func:
    """What is read through a stage that is written out where it is used."""
    stage = Func(f"{read.name}_stage")
    across, down = choices.pick([(1, 0), (1, 1), (2, 0)]), choices.pick([(0, 1), (1, 1)])
    steep, wide = i32(read[x, y]), i32(read[x + across[0], y + across[1]])
    least = i32(read[x + down[0], y + down[1]])
    picked = [wide * steep - least, clamp(steep - wide, -9, 90) + least * 5, steep / 3 + wide % 7]
    stage[x, y] = choices.pick(picked) >> choices.pick([0, 1])
    return _stage(choices, stage) if choices.chance(3) else stage
