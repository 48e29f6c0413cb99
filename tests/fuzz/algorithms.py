"""Random algorithms: the workloads that accelerators are built for, and affine ones without a name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod
from operator import mod
from operator import truediv as div

from halidehw import (
    BoundaryConditions,
    Expr,
    Func,
    ImageParam,
    Int,
    RDom,
    Type,
    UInt,
    Var,
    cast,
    clamp,
    i32,
    max,
    min,
    saturating_cast,
    select,
)
from halidehw.expr.expr import Access
from halidehw.frontend.stage import Stage
from tests.fuzz.choices import Choices

WORDS = [Int(8), Int(16), Int(4), UInt(8), UInt(4), Int(7), UInt(11), Int(2), Int(32), UInt(1)]
SUMS = [Int(32), Int(16), Int(24), Int(40), UInt(16), Int(13), Int(64), Int(8)]
COEFFICIENTS = [1, 1, 1, 1, 2, 3, -1]
MOST_ITERATIONS = 2000


@dataclass(frozen=True)
class Algorithm:
    """`func` is the output; `core` holds the loops (it, or the reduction it reads); `late` are the names of the
    inputs that only the final stage reads; `domain`: (min, extent) of the core's variables."""

    func: Func
    core: Func
    late: tuple[str, ...] = ()
    domain: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def stage(self) -> Stage:
        """The one whose loops are scheduled."""
        return self.core.update() if len(self.core.stages) > 1 else self.core.stages[0]


def algorithm(choices: Choices) -> Algorithm:
    """An algorithm of at most about 2 000 iterations, all its bounds stated."""
    kind = choices.pick([product, convolution, affine, affine, gates, pooling, pointwise])
    return kind(choices)


def sizes(choices: Choices, highest: list[int]) -> list[int]:
    """An extent for each loop up to a highest, now and then one far over it, halved together while there are too many
    iterations."""
    found = [choices.number(1, high) for high in highest]
    if choices.chance(5):
        found[choices.number(0, len(found) - 1)] = choices.number(13, 300)
    while prod(found) > MOST_ITERATIONS:
        found = [(size + 1) // 2 for size in found]
    return found


def product(choices: Choices) -> Algorithm:
    """A matrix product of any operand layout, perhaps batched; or of a matrix with itself."""
    n, m, depth, batch = sizes(choices, [12, 12, 12, 4])
    x, y, b = Var("x"), Var("y"), Var("b")
    batched = [b] if choices.chance(2) else []
    k = RDom([(0, depth)], "k")
    left = tensor(choices, "a", [*choices.shuffled([k.x, y]), *batched])
    right = tensor(choices, "w", [*choices.shuffled([x, k.x]), *(batched if choices.chance(2) else [])])
    if choices.chance(8):
        square = ImageParam(choices.pick(WORDS), 2, "a")
        left, right = square[k.x, y], square[choices.pick([(k.x, x), (x, k.x)])]
    return reduction(choices, [x, y, *batched], [n, m, batch], left, right)


def convolution(choices: Choices) -> Algorithm:
    """A convolution: stride, dilation, padding, groups or depthwise, batch, any layout of its weights."""
    nx, ny, channels, depth, fx, fy, batch = sizes(choices, [8, 8, 6, 4, 4, 3, 2])
    x, y, k, g, b = map(Var, "xykgb")
    r = RDom([(choices.number(0, 2) - 2, fx), (0, fy), (0, depth)], "r")
    grouped, depthwise, batched = choices.chance(3), choices.chance(4), choices.chance(4)
    stride, dilation = choices.pick([1, 1, 2, 3]), choices.pick([1, 1, 2])
    place: list[Expr] = [x * stride + r.x * dilation, y * stride + r.y * dilation]
    inner = [] if depthwise else [r.z]
    outer = [*([g] if grouped else []), *([b] if batched else [])]
    image = ImageParam(choices.pick(WORDS), len([*place, *inner, *outer]), "image")
    source: ImageParam | Func = image
    if choices.chance(2):
        ranges = [(0, nx * stride), (0, ny * stride), *([] if depthwise else [(0, depth)])]
        ranges += [(0, 2) for _ in outer]
        source = padding(choices, image, ranges)
    weight = tensor(choices, "w", choices.shuffled([r.x, r.y, *inner, k, *([g] if grouped else [])]))
    where, extents = [x, y, k, *outer], [nx, ny, channels, *(batch for _ in outer)]
    read = source[tuple([*place, *inner, *outer])]
    assert isinstance(read, Access)
    return reduction(choices, where, extents, read, weight)


def padding(choices: Choices, image: ImageParam | Func, ranges: list[tuple[int, int]]) -> Func:
    if choices.chance(2):
        kinds = ["repeat_edge", "repeat_edge", "repeat_image", "mirror_image", "mirror_interior"]
        return getattr(BoundaryConditions, choices.pick(kinds))(image, ranges)
    return BoundaryConditions.constant_exterior(image, choices.pick([0, image.type.max, image.type.min]), ranges)


def gates(choices: Choices) -> Algorithm:
    """The gates of a recurrent cell: products with two vectors side by side, a bias, a hard sigmoid."""
    units, four, batch, depth = sizes(choices, [8, 4, 3, 10])
    n, g, b = map(Var, "ngb")
    c = RDom([(0, depth)], "c")
    kind = choices.pick(SUMS)
    value = cast(kind, tensor(choices, "u", [c.x, b])) * cast(kind, tensor(choices, "w", [c.x, n, g]))
    value += cast(kind, tensor(choices, "h", [c.x, b])) * cast(kind, tensor(choices, "v", [n, c.x, g]))
    cell = Func("cell")
    cell[n, g, b] = cast(kind, tensor(choices, "bias", [n, g]))
    cell[n, g, b] += value
    final = Func("gate")
    final[n, g, b] = saturating_cast(Int(8), clamp((cell[n, g, b] >> 2) + 3, 0, 6))
    return bounded(choices, Algorithm(final, cell, ("bias",)), [units, four, batch])


def pooling(choices: Choices) -> Algorithm:
    """The maximum, or the average, of windows that may overlap."""
    nx, ny, channels, fx, fy = sizes(choices, [8, 8, 4, 4, 4])
    x, y, k = map(Var, "xyk")
    r = RDom([(0, fx), (0, fy)], "r")
    step = choices.pick([2, 1, 3])
    read = tensor(choices, "image", [x * step + r.x, y * step + r.y, k])
    pool = Func("pool")
    if choices.chance(2):
        kind = choices.pick(SUMS)
        pool[x, y, k] += cast(kind, read)
        final = Func("average")
        final[x, y, k] = cast(read.type, pool[x, y, k] / min(fx * fy, kind.max))
        return bounded(choices, Algorithm(final, pool), [nx, ny, channels])
    pool[x, y, k] = cast(read.type, read.type.min)
    pool[x, y, k] = max(pool[x, y, k], read)
    return bounded(choices, Algorithm(pool, pool), [nx, ny, channels])


def pointwise(choices: Choices) -> Algorithm:
    """Element by element, with operands that are broadcast, in an order of their own, or shifted."""
    found = sizes(choices, [12, 8, 6])
    where = [Var(name) for name in "xyz"]
    kind = choices.pick(SUMS)
    value = cast(kind, tensor(choices, "a", choices.shuffled(where)))
    for name in choices.pick(["b", "", "bc"]):
        used = choices.some(where, 3) or [where[0]]
        value = mixed(choices, value, cast(kind, tensor(choices, name, [v + choices.number(-1, 1) for v in used])))
    func = Func("f")
    func[tuple(where)] = value
    return bounded(choices, Algorithm(func, func), found)


def affine(choices: Choices) -> Algorithm:
    """Up to three reads at any affine index, in any expression, reduced by any operator."""
    found = sizes(choices, [9] * choices.number(1, 3))
    ranges = [(choices.number(-2, 2), choices.number(1, 5)) for _ in range(choices.number(0, 3))]
    while prod(found) * prod(extent for _, extent in ranges) > MOST_ITERATIONS:
        found = [(size + 1) // 2 for size in found]
    where = [Var(name) for name in "xyz"[: len(found)]]
    every = [*where, *(RDom(ranges, "r").vars if ranges else ())]
    kind = choices.pick(SUMS)
    value = cast(kind, anywhere(choices, "a", every))
    for name in choices.pick(["b", "", "bc"]):
        value = mixed(choices, value, cast(kind, anywhere(choices, name, every)))
    if choices.chance(3):
        value = value + cast(kind, choices.pick(every))
    if ranges:
        return reduced(choices, where, found, kind, value)
    func = Func("f")
    func[tuple(where)] = value
    return bounded(choices, Algorithm(func, func), found)


def mixed(choices: Choices, a: Expr, b: Expr) -> Expr:
    match choices.number(0, 11):
        case 0 | 1:
            return a * b
        case 2:
            return a + b
        case 3:
            return max(a, b) - min(a, b)
        case 4:
            return select(a > b, b, a + 1)
        case 5:
            return (a << 1) ^ (b >> choices.number(0, 3))
        case 6:
            return clamp(a, -3, 20) * b if a.type.signed else clamp(a, 1, 9) * b
        case 7:
            return (a << (b & 3)) - b
        case 8:
            return a >> (clamp(b, -2, 4) if b.type.signed else min(b, 5))
        case 9:
            return a / choices.pick([3, 9, 10, 25, *([-3, -7] if a.type.signed else [])]) + b
        case 10:
            narrow = Int(choices.number(4, 12)) if a.type.signed else UInt(choices.number(4, 12))
            return cast(a.type, choices.pick([div, mod])(cast(narrow, a), cast(narrow, b)))
        case _:
            return select((a & 1) == 0, a - b, b)


def tensor(choices: Choices, name: str, index: list) -> Expr:
    return before(choices, ImageParam(choices.pick(WORDS), len(index), name), len(index))[tuple(index)]


def before(choices: Choices, source: ImageParam | Func, rank: int) -> ImageParam | Func:
    """`source`, or now and then pure stages between it and its reader, which are computed where they are used."""
    if not choices.chance(5):
        return source
    func, where = Func(f"{source.name}_stage"), [Var(f"i{d}") for d in range(rank)]
    here = source[tuple(where)]
    match choices.number(0, 3):
        case 0:
            func[tuple(where)] = max(here, here.type.max // 2)
        case 1:
            func[tuple(where)] = saturating_cast(choices.pick([Int(9), UInt(6)]), cast(Int(40), here) * 3 - 5)
        case 2:
            func[tuple(where)] = min(here, source[tuple([where[0] + 1, *where[1:]])])
        case _:
            func[tuple(where)] = select((where[0] & 1) == 0, here, here ^ 1)
    return before(choices, func, rank)


def anywhere(choices: Choices, name: str, variables: list) -> Expr:
    """An affine read of a tensor of its own, perhaps through a boundary condition, perhaps at two places."""
    index = []
    for _ in range(choices.number(1, 3)):
        first = i32(choices.number(-2, 2))
        index.append(sum((v * choices.pick(COEFFICIENTS) for v in choices.some(variables, 2)), first))
    image = ImageParam(choices.pick(WORDS), len(index), name)
    source: ImageParam | Func = image
    if choices.chance(3):
        source = padding(choices, image, [(choices.number(-1, 2), choices.number(1, 9)) for _ in index])
    source = before(choices, source, len(index))
    value = source[tuple(index)]
    assert isinstance(value, Access)
    if choices.chance(4):
        return value ^ source[tuple(i + choices.number(-1, 2) for i in index)]
    return value


def reduction(choices: Choices, where: list[Var], extents: list[int], a: Expr, b: Expr) -> Algorithm:
    kind = choices.pick(SUMS)
    value = cast(kind, a) * cast(kind, b)
    if choices.chance(5):
        value = mixed(choices, cast(kind, a), cast(kind, b))
        value = value if value.type == kind else cast(kind, value)  # a shift has the type of both
    return reduced(choices, where, extents, kind, value)


def reduced(choices: Choices, where: list[Var], extents: list[int], kind: Type, value: Expr) -> Algorithm:
    """A reduction of `value`, its start, and perhaps a final stage."""
    core, here, late = Func("f"), tuple(where), []
    start = choices.pick(["implied", "constant", "bias"])
    if start == "bias":
        late.append("bias")
        core[here] = cast(kind, tensor(choices, "bias", choices.some(where, len(where)) or [where[0]]))
    elif start == "constant":
        core[here] = cast(kind, 5)
    operator = choices.pick(["add", "add", "sub", "max", "min", "xor", "mul"] if start != "implied" else ["add", "sub"])
    match operator:
        case "add":
            core[here] += value
        case "sub":
            core[here] -= value
        case "mul":
            core[here] *= value
        case "max":
            core[here] = max(core[here], value)
        case "min":
            core[here] = min(value, core[here])
        case "xor":
            core[here] = core[here] ^ value
    func = core
    if choices.chance(2):
        func, read = final(choices, core, where)
        late += read
    return bounded(choices, Algorithm(func, core, tuple(late)), extents)


def final(choices: Choices, core: Func, where: list[Var]) -> tuple[Func, list[str]]:
    """A stage fused at write-back, perhaps under other names and transposed; and the inputs it alone reads."""
    names = choices.shuffled([Var(name) for name in ("u", "v", "w", "t", "s")[: len(where)]])
    total, late = core[tuple(names)], []
    func, here = Func("g"), tuple(choices.shuffled(names))
    match choices.number(0, 3):
        case 0:
            value = max(total, 0)
        case 1:
            late.append("scale")
            scaled = cast(Int(48), total) * cast(Int(48), tensor(choices, "scale", [names[0]]))
            value = saturating_cast(Int(8), ((scaled + 8) >> 4) + 1)
        case 2:
            late.append("shift")
            value = cast(Int(16), total) + cast(Int(16), tensor(choices, "shift", choices.some(names, 2) or names[:1]))
        case _:
            value = saturating_cast(choices.pick([UInt(8), Int(5)]), total >> choices.number(0, 3))
    func[here] = value
    return func, late


def bounded(choices: Choices, algorithm: Algorithm, extents: list[int]) -> Algorithm:
    """With all bounds stated, now and then not from 0. `extents` are those of the core's variables."""
    func, core = algorithm.func, algorithm.core
    ranges = {name: (choices.pick([0, 0, 0, -2, 1]), extent) for name, extent in zip(core.args, extents, strict=False)}
    names = dict(zip(core.args, core.args, strict=True))
    if func is not core:
        read = next(each for each in func.stages[0].definition.reads if each.target is core)
        names = {str(outer): inner for outer, inner in zip(read.args, core.args, strict=True)}
    for outer in func.args:
        func.bound(outer, *ranges[names[outer]])
    reduction = algorithm.stage.definition.reduction
    return replace(algorithm, domain=ranges | {var.name: (var.min, var.extent) for var in reduction})
