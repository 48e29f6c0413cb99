"""Random designs of what the language has beyond a reduction of products, all of it together: stencils written out,
boundary conditions, intrinsics, divisions, scalars, inline reductions, Tuples, points left out."""

from __future__ import annotations

from fractions import Fraction

import halidehw as hl
from halidehw import BoundaryConditions, Expr, Func, ImageParam, Int, Param, RDom, Type, UInt, Var, cast, i32, select
from halidehw.expr.types import Struct
from halidehw.frontend.pipeline import inputs_of
from halidehw.microarch.options import LATENCY, Options
from halidehw.simulate import Memory
from tests.fuzz.algorithms import Algorithm
from tests.fuzz.choices import Choices
from tests.fuzz.designs import Design, laid_out
from tests.fuzz.schedules import Loops, overlaps, partial_sums, schedule

WORDS = [UInt(8), Int(8), Int(16), UInt(4), Int(5), UInt(16)]
SUMS = [Int(32), Int(16), UInt(16), Int(24)]
BORDERS = ["repeat_edge", "constant_exterior", "repeat_image", "mirror_image", "mirror_interior"]
x, y = Var("x"), Var("y")


def together(choices: Choices) -> Design:
    """A design of at most some hundred iterations of its output, on any memory, cut off and started again."""
    found = choices.pick([stencil, stencil, channels, inline, chosen])(choices)
    if choices.chance(3):
        schedule(choices, found)
    else:
        rows(choices, found)
    return laid_out(choices, Design(
        found.func,
        Options(
            port_bits=choices.pick([0, 16, 32, 64, 128]), hide_latency=choices.pick([LATENCY, 1, 10, 200]),
            counters=choices.pick(["basic", "all"]), prefix=choices.pick(["", "", "layer1"]),
        ),
        Memory(
            choices.pick([1, 2, 7, 20, 63, 200]), choices.pick([None, None, 0.5, 1, 2, Fraction(1, 3), 0.1]),
            choices.pick([0.0, 0.0, 0.3]), choices.number(0, 99),
        ),
        fill=choices.pick(["spread", "spread", "each", "extremes"]),
        seed=choices.number(0, 9999),
        starts=choices.pick([1, 1, 2]),
        reset=choices.pick([0, 0, 0, 1]) * choices.number(1, 99),
        abort=choices.pick([0, 0, 1]) * choices.number(1, 99),
        loops=choices.chance(4),
        further=choices.chance(4),
    ))  # fmt: skip


# --- what is computed


def stencil(choices: Choices) -> Algorithm:
    """Pixels around a place, of one or two images, in any expression; perhaps several values of a point."""
    sizes = choices.pick([8, 5, 7, 13]), choices.pick([3, 4, 2])
    kind, f = choices.pick(SUMS), Func("f")
    value = pixels(choices, kind, "image", sizes)
    if choices.chance(3):
        value = mixed(choices, value, pixels(choices, kind, "other", sizes))
    value = after(choices, value)
    f[x, y] = hl.Tuple(value, value > 3, cast(Int(12), value) - x) if choices.chance(5) else value
    return bounded(choices, f, f, sizes)


def channels(choices: Choices) -> Algorithm:
    """The same summed up over channels, with weights, and a stage after it."""
    sizes, depth = (choices.pick([6, 5, 8]), choices.pick([3, 2])), choices.number(2, 5)
    kind, f, r = choices.pick(SUMS), Func("f"), RDom([(0, depth)], "r")
    left_out(choices, r)
    w = ImageParam(choices.pick(WORDS), 1, "w")
    value = mixed(choices, pixels(choices, kind, "image", sizes, r.x), cast(kind, w[r.x]))
    match choices.number(0, 2):
        case 0:
            f[x, y] += value
        case 1:
            f[x, y] = cast(kind, kind.min)
            f[x, y] = hl.max(f[x, y], value)
        case _:
            f[x, y] += (value, value & 7)
    if isinstance(f.type, Struct) or choices.chance(2):
        return bounded(choices, f, f, sizes)
    g = Func("g")
    g[x, y] = after(choices, f[x, y])
    return bounded(choices, g, f, sizes)


def inline(choices: Choices) -> Algorithm:
    """One or two inline reductions over a domain, perhaps with points left out, in a stage of their own."""
    sizes = choices.pick([6, 5, 7]), choices.pick([3, 2])
    f, r = Func("f"), RDom([(choices.pick([0, -1, 1]), choices.number(2, 4)), (0, choices.number(1, 3))], "r")
    left_out(choices, r)
    kind = choices.pick(SUMS)
    image = bordered(choices, ImageParam(choices.pick(WORDS), 2, "image"), sizes)
    step = choices.pick([1, 1, 2])
    read = cast(kind, image[step * x + r.x, y + r.y])
    if choices.chance(2):
        read = mixed(choices, read, cast(kind, ImageParam(choices.pick(WORDS), 2, "w")[r.x, r.y]))
    found = [_inline(choices, r, read) for _ in range(choices.number(1, 2))]
    value = found[0] if len(found) == 1 else mixed(choices, *found)
    f[x, y] = hl.Tuple(value, *found) if choices.chance(4) else after(choices, value)
    return bounded(choices, f, f, sizes, r)


def _inline(choices: Choices, r: RDom, value: Expr) -> Expr:
    match choices.number(0, 5):
        case 0 | 1:
            return hl.sum(r, value)
        case 2:
            return hl.maximum(r, value)
        case 3:
            return hl.argmax(r, value)[choices.number(0, 2)]
        case 4:
            return hl.argmin(r, value)[choices.number(0, 2)]
        case _:
            return hl.product(r, value)


def chosen(choices: Choices) -> Algorithm:
    """Several values of a point: the greatest, what stands beside it, sums."""
    sizes = choices.pick([6, 5, 8]), choices.pick([3, 2])
    r = RDom([(choices.pick([0, 2]), choices.number(2, 7))], "r")
    left_out(choices, r)
    a, b = ImageParam(choices.pick(WORDS), 2, "a"), ImageParam(choices.pick(WORDS), 1, "b")
    key, f = mixed(choices, i32(bordered(choices, a, sizes)[x + r.x, y]), i32(b[r.x])), Func("f")
    f[x, y] = (i32(-500), i32(-1), cast(Int(16), 3), cast(b.type, 1))
    best = f[x, y][0]
    better = key > best
    f[x, y] = (
        hl.max(best, key),
        select(better, r.x, f[x, y][1]),
        f[x, y][2] + cast(Int(16), key),
        select(better, b[r.x], f[x, y][3]),
    )
    if choices.chance(2):
        return bounded(choices, f, f, sizes)
    g = Func("g")
    g[x, y] = after(choices, f[x, y][1] + i32(f[x, y][2]))
    return bounded(choices, g, f, sizes)


def left_out(choices: Choices, r: RDom) -> None:
    """Now and then a condition that counters clip by, or a guard."""
    last = r.vars[-1]
    conditions = [None, None, r.x + 2 * last <= choices.number(1, 6), (r.x & 1) == 0, r.x + x > 1, last != 1]
    if (condition := choices.pick(conditions)) is not None:
        r.where(condition)


def pixels(choices: Choices, kind: Type, name: str, sizes: tuple[int, int], channel: Expr | None = None) -> Expr:
    """An expression of some places around (x, y) of an image."""
    size = choices.pick([3, 2, 4])
    every = [(i, j) for j in range(size) for i in range(size)]
    match choices.number(0, 3):
        case 0:
            places = every
        case 1:
            places = [(i, size // 2) for i in range(size)]
        case 2:
            places = choices.shuffled(every)[: size + 1]
        case _:
            places = [(i, j) for i, j in every if size // 2 in (i, j)]
    step = choices.pick([1, 1, 1, 2]), choices.pick([1, 1, 2])
    image = ImageParam(choices.pick(WORDS), 2 + (channel is not None), name)
    source = bordered(choices, image, (step[0] * sizes[0], step[1] * sizes[1]))
    low = 0 if source is image else choices.pick([0, size // 2, 2])
    at = step[0] * (sizes[0] - 1 - x) if choices.chance(6) else step[0] * x
    more = () if channel is None else (channel,)
    words = [cast(kind, source[(at + i - low, step[1] * y + j - low, *more)]) for i, j in places]
    odd = choices.number(0, len(words))
    value = words[0]
    for place, word in enumerate(words[1:]):
        value = mixed(choices, value, word) if place == odd else value + word * choices.pick([1, 2, 3])
    return value


def bordered(choices: Choices, image: ImageParam, sizes: tuple[int, int]) -> ImageParam | Func:
    """The image or one of its boundary conditions, inside bounds that may be less than what is read."""
    if choices.chance(2):
        return image
    kind = choices.pick(BORDERS)
    bounds = [(choices.pick([0, 0, 1]), choices.pick([size, max(size - 2, 2)])) for size in sizes]
    bounds += [(0, 8)] * (image.dimensions - 2)
    more = [choices.pick([0, 3, image.type.max])] if kind == "constant_exterior" else []
    return getattr(BoundaryConditions, kind)(image, *more, bounds)


def mixed(choices: Choices, a: Expr, b: Expr) -> Expr:
    """Two values by an intrinsic, a division, or a choice."""
    byte, small = (lambda e: cast(UInt(8), e)), (lambda e: cast(Int(9), e))
    match choices.number(0, 15):
        case 0:
            return a * b
        case 1:
            return cast(a.type, hl.absd(a, b))
        case 2:
            return cast(a.type, hl.lerp(byte(a), byte(b), byte(a + b)))
        case 3:
            return hl.rounding_shift_right(a, cast(a.type, b & 3))
        case 4:
            return hl.rounding_shift_left(a, cast(a.type, b & 3))
        case 5:
            return cast(a.type, small(a) / small(b))
        case 6:
            return cast(a.type, small(a) % small(b)) + b
        case 7:
            return cast(a.type, hl.div_round_to_zero(small(a), small(b)))
        case 8:
            return a / choices.pick([3, 5, 7, 10]) + b % choices.pick([3, 6, 9])
        case 9:
            return hl.saturating_add(a, cast(a.type, b))
        case 10:
            return hl.rounding_halving_add(a, cast(a.type, b))
        case 11:
            return cast(a.type, hl.mul_shift_right(small(a), small(b), choices.number(1, 7)))
        case 12:
            return hl.mux((a ^ b) & 3, [a, b, a - b])
        case 13:
            return cast(a.type, hl.count_leading_zeros(byte(a))) + cast(a.type, hl.popcount(byte(b))) * 3
        case 14:
            return select(hl.abs(small(a)) > 7, b, a * b)
        case _:
            return cast(a.type, hl.mod_round_to_zero(small(a), small(b))) - b


def after(choices: Choices, value: Expr) -> Expr:
    """What stands after a value: a scalar, loops' values, saturation, further intrinsics."""
    kind = value.type
    for name in "pq"[: choices.number(0, 2)]:
        match choices.number(0, 5):
            case 0:
                value = value + cast(kind, Param(choices.pick(WORDS), name))
            case 1:
                value = mixed(choices, value, cast(kind, Param(choices.pick(WORDS), name)))
            case 2:
                value = value - cast(kind, x * 2 + y)
            case 3:
                value = cast(kind, hl.u8_sat(value >> choices.number(0, 4)))
            case 4:
                value = mixed(choices, value, cast(kind, ImageParam(choices.pick(WORDS), 2, name)[x, y]))
            case _:
                value = select((x & 1) == 0, value, cast(kind, y) / 3)
    return value


def bounded(choices: Choices, func: Func, core: Func, sizes: tuple[int, int], r: RDom | None = None) -> Algorithm:
    low = choices.pick([0, 0, 0, 1])
    domain = {"x": (low, sizes[0]), "y": (0, sizes[1])}
    for name, (first, extent) in domain.items():
        func.bound(name, first, extent)
    found = Algorithm(func, core, ("p", "q"), domain)
    reduced = r.vars if r is not None else found.stage.definition.reduction
    domain |= {var.name: (var.min, var.extent) for var in reduced}
    return found


# --- how


def rows(choices: Choices, found: Algorithm) -> None:
    """Along the rows as they stand, in lanes of a row, with memories and line buffers: where windows are."""
    loops = Loops(found.stage, found.domain)
    inner = loops.names[-1] if choices.chance(3) else "x"
    if inner == "x" and choices.chance(2):
        loops.attempt("reorder", "x", *[name for name in reversed(loops.names) if name != "x"])
    if choices.chance(3):
        loops.attempt("split", inner, f"{inner}o", f"{inner}i", choices.pick([4, 3, 6]))
        inner = f"{inner}i"
    match choices.number(0, 4):
        case 0:
            loops.attempt("vectorize", inner, choices.pick([2, 4, 3]))
        case 1:
            loops.attempt("unroll", inner, choices.pick([2, 3, 4]))
        case 2:
            loops.attempt("unroll", inner, choices.pick([2, 3, 4]))
            loops.attempt("systolic", inner)
        case _:
            pass
    if choices.chance(4):
        loops.attempt("parallel", *choices.pick([("y",), ("y", 2)]))
    if choices.chance(4):
        loops.attempt("unroll", loops.names[0], 2)
    for image in inputs_of(found.core):
        place = choices.pick(["", "root", "at", "at"]) if image.dimensions else ""
        if place == "root":
            image.in_().compute_root()
        elif place:
            copy = image.in_().compute_at(found.core, choices.pick(loops.names[:-1]))
            copy.single_buffer() if choices.chance(4) else None
    overlaps(choices, found)
    if choices.chance(3):
        partial_sums(choices, found)
