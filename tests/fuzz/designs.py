"""Random algorithms with random legal schedules, for hypothesis."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from math import prod

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from halidehw import (
    BoundaryConditions,
    Buffer,
    Func,
    ImageParam,
    Int,
    RDom,
    Type,
    Var,
    cast,
    clamp,
    i32,
    max,
    min,
    select,
)
from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.expr import Access, Expr
from halidehw.frontend.pipeline import inputs_of
from halidehw.frontend.stage import Stage
from halidehw.ir.nest import Nest, Tensor
from halidehw.scheduler import lower

COEFFICIENTS = [1, 1, 1, 1, 2, 3, -1]


@dataclass(frozen=True)
class Design:
    """A scheduled Func, its nest, and values for its inputs."""

    func: Func
    nest: Nest
    inputs: dict[str, Buffer]

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        return {name: buffer.array for name, buffer in self.inputs.items()}

    def __repr__(self) -> str:
        stages = [f"{s}: {s.definition.args} = {s.definition.value}" for s in self.func.stages]
        return "\n".join([*stages, *map(str, self.nest.inputs), *self.nest.schedule, str(self.nest.loops)])


types = st.builds(Type, st.booleans(), st.sampled_from([2, 4, 7, 8, 11, 16]))


@st.composite
def designs(draw: st.DrawFn, most_lanes: int = 8) -> Design:
    """A design of at most about 2 000 iterations on at most `most_lanes` lanes a loop."""
    func, core = draw(algorithms())
    stage = core.update() if len(core.stages) > 1 else core.stages[0]
    draw(schedules(stage, most_lanes))
    place_buffers(draw, func, core, stage)
    try:
        nest = lower(func)
    except (ScheduleError, HardwareError):
        reject()
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    extreme = draw(st.booleans())
    return Design(func, nest, {tensor.name: values(tensor, rng, extreme) for tensor in nest.inputs})


def values(tensor: Tensor, rng: np.random.Generator, extreme: bool) -> Buffer:
    """Random values of a tensor's type; or nothing but its extremes."""
    kind, shape = tensor.type, tensor.extents[::-1]
    array = rng.integers(kind.min, kind.max, shape, np.int64, endpoint=True)
    if extreme:
        array = np.where(array < (kind.min + kind.max) // 2, kind.min, kind.max)
    buffer = Buffer(array.astype(kind.dtype), tensor.name)
    buffer.type = kind
    buffer.set_min(tensor.mins)
    return buffer


@st.composite
def algorithms(draw: st.DrawFn) -> tuple[Func, Func]:
    """The output and the Func that holds the loops (the same, or the reduction it reads)."""
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    ranges = draw(st.lists(st.tuples(st.integers(-2, 2), st.integers(1, 5)), max_size=3))
    while prod(sizes) * prod(extent for _, extent in ranges) > 2000:
        sizes = [(size + 1) // 2 for size in sizes]
    pure = [Var(name) for name in "xyz"[: len(sizes)]]
    domain = RDom(ranges, "r") if ranges else None
    every = [*pure, *(domain.vars if domain is not None else ())]
    kind = draw(st.builds(Type, st.booleans(), st.sampled_from([8, 13, 16, 32, 40, 64])))
    value = cast(kind, draw(reads("a", every)))
    for name in draw(st.sampled_from(["", "b", "bc"])):
        other = cast(kind, draw(reads(name, every)))
        both = [value * other, value + other, max(value, other), select(value > other, other, value)]
        value = draw(st.sampled_from(both))
    if draw(st.booleans()):
        value = value + cast(kind, draw(st.sampled_from(every)))
    core = Func("f")
    where = tuple(pure)
    if ranges:
        define_reduction(draw, core, where, kind, value)
    else:
        core[where] = value
    func = draw(finals(core, where)) if ranges and draw(st.booleans()) else core
    for var, size in zip(func.args, sizes, strict=True):
        func.bound(var, draw(st.integers(-2, 2)), size)
    return func, core


def define_reduction(draw: st.DrawFn, core: Func, where: tuple[Var, ...], kind: Type, value: Expr) -> None:
    start = draw(st.sampled_from(["implied", "constant", "bias"]))
    if start != "implied":
        core[where] = cast(kind, 5) if start == "constant" else cast(kind, draw(reads("bias", list(where))))
    match draw(st.sampled_from(["add", "sub", "mul", "max", "min", "xor"] if start != "implied" else ["add", "sub"])):
        case "add":
            core[where] += value
        case "sub":
            core[where] -= value
        case "mul":
            core[where] *= value
        case "max":
            core[where] = max(core[where], value)
        case "min":
            core[where] = min(value, core[where])
        case "xor":
            core[where] = core[where] ^ value


@st.composite
def finals(draw: st.DrawFn, core: Func, where: tuple[Var, ...]) -> Func:
    """A final stage on top of a reduction: scaled, shifted, clamped, perhaps under other names and transposed."""
    names = draw(st.permutations([Var(name) for name in ("u", "v", "w")[: len(where)]]))
    total = core[tuple(names)] >> draw(st.integers(0, 3))
    if draw(st.booleans()):
        total = total * cast(core.type, draw(reads("scale", names)))
    final = Func("g")
    final[tuple(draw(st.permutations(names)))] = cast(Int(8), clamp(total, core.type.wrap(0), 100))
    return final


@st.composite
def reads(draw: st.DrawFn, name: str, variables: list[Var]) -> Expr:
    """An affine read of a tensor of its own, perhaps through a boundary condition, perhaps at two places."""
    index = []
    for _ in range(draw(st.integers(1, 3))):
        used = draw(st.lists(st.sampled_from(variables), max_size=2))
        first = i32(draw(st.integers(-2, 2)))
        index.append(sum((v * draw(st.sampled_from(COEFFICIENTS)) for v in used), first))
    image = ImageParam(draw(types), len(index), name)
    source: ImageParam | Func = image
    if draw(st.integers(0, 2)) == 0:
        box = [(draw(st.integers(-1, 2)), draw(st.integers(1, 9))) for _ in index]
        outside = draw(st.sampled_from([0, image.type.max]))
        constant = BoundaryConditions.constant_exterior(image, outside, box)
        source = draw(st.sampled_from([constant, BoundaryConditions.repeat_edge(image, box)]))
    value = source[tuple(index)]
    assert isinstance(value, Access)
    if draw(st.integers(0, 3)) == 0:
        value = value ^ source[tuple(i + draw(st.integers(-1, 2)) for i in index)]
    return value


@st.composite
def schedules(draw: st.DrawFn, stage: Stage, most_lanes: int) -> None:
    """Directives on a stage's loops; those that are not legal are left out."""
    for number in range(draw(st.integers(0, 4))):
        name = draw(st.sampled_from(stage.loops.names))
        attempt(stage.split, name, f"{name}o{number}", f"{name}i{number}", draw(st.integers(2, 6)))
        if draw(st.integers(0, 3)) == 0 and len(stage.loops.names) > 1:
            at = draw(st.integers(0, len(stage.loops.names) - 2))
            attempt(stage.fuse, stage.loops.names[at + 1], stage.loops.names[at], f"fused{number}")
    attempt(stage.reorder, *draw(st.permutations(stage.loops.names)))
    for name in draw(st.lists(st.sampled_from(stage.loops.names), max_size=2, unique=True)):
        attempt(stage.unroll, name, draw(st.integers(2, most_lanes)))
        if draw(st.booleans()):
            attempt(stage.systolic, name)


def attempt(directive, *arguments: object) -> None:
    with suppress(ScheduleError):
        directive(*arguments)


def place_buffers(draw: st.DrawFn, func: Func, core: Func, stage: Stage) -> None:
    """Up to two levels for each input; at most one, at an unsplit loop, for one that only the final stage reads."""
    loops = stage.loops
    reduction = next((i for i, loop in enumerate(loops.loops) if loop.reduction), len(loops.loops))
    for image in inputs_of(func):
        if image.name == "scale":
            attempt(image.in_().compute_at, func, draw(st.sampled_from(func.args)))
            continue
        allowed = reduction if image.name == "bias" else len(loops.names)
        places = draw(st.lists(st.sampled_from(range(allowed)), max_size=2, unique=True)) if allowed else []
        wrapper: ImageParam = image
        for place in sorted(places):
            wrapper = wrapper.in_()
            wrapper.compute_at(core, loops.names[place])
            if draw(st.booleans()):
                wrapper.single_buffer()
