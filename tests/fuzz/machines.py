"""Random machines: layers of one random kind and schedule, of other sizes, strides, kernels and paddings each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import halidehw as hl
from halidehw import BoundaryConditions, Expr, Func, ImageParam, Int, RDom, RVar, UInt, Var, cast, clamp, i32
from halidehw.driver.build import design_and_graph
from halidehw.driver.draw import random_inputs
from halidehw.errors import HalideHWError
from halidehw.simulate import Memory
from tests.fuzz.choices import Choices


@dataclass(frozen=True)
class Kind:
    """What all layers of a machine have in common. `lanes`: of the array, of k and of c or x."""

    words: hl.Type
    lanes: tuple[int, int]
    across: str
    order: tuple[str, ...]
    buffers: tuple[str, ...]
    padded: bool
    final: str
    systolic: bool


@dataclass(frozen=True)
class Layer:
    """A layer's sizes: width, height, channels in and out, kernel, stride, padding, and a constant of its own."""

    w: int
    h: int
    c: int
    k: int
    r: int
    s: int
    p: int
    shift: int


@dataclass(frozen=True)
class Machines:
    """A random machine: the layers that it is made of, those that it is programmed for besides, the
    order of runs, and whether these are one list."""

    kind: Kind
    members: tuple[Layer, ...]
    others: tuple[Layer, ...]
    runs: tuple[int, ...]
    bits: int
    words: int
    memory: Memory
    port_bits: int
    listed: bool


def kind(choices: Choices) -> Kind:
    across = choices.pick(["c", "x"])
    loops = ["x", "r", "s", "c", "y", "k"]
    order = tuple(loops) if choices.chance(2) else tuple(choices.shuffled(loops))
    return Kind(
        words=choices.pick([Int(8), UInt(8), Int(5)]), lanes=(choices.pick([1, 2, 4]), choices.pick([2, 4, 3])),
        across=across, order=order, buffers=tuple(choices.pick([("y", "y"), ("k", "k"), ("y", ""), ("", "")])),
        padded=choices.chance(2), final=choices.pick(["", "", "bias", "shift"]), systolic=choices.chance(2),
    )  # fmt: skip


def layer(choices: Choices, kind: Kind) -> Layer:
    r = choices.pick([1, 3, 2, 5])
    return Layer(
        choices.number(1, 6), choices.number(1, 5), choices.number(1, 7), choices.number(1, 7), r,
        choices.pick([1, 1, 2, 3]), choices.number(0, r // 2) if kind.padded else 0, choices.number(0, 9),
    )  # fmt: skip


def machines(choices: Choices) -> Machines:
    """A machine of two to five layers, and two more."""
    own = kind(choices)
    members = tuple(layer(choices, own) for _ in range(choices.number(2, 5)))
    others = tuple(layer(choices, own) for _ in range(2))
    runs = tuple(choices.number(0, len(members) + 1) for _ in range(3)) + tuple(range(len(members) + 2))
    rate, stalls = choices.pick([None, 0.5]), choices.pick([0.0, 0.3])
    other = Memory(choices.pick([1, 3, 20]), rate, stalls, choices.number(0, 99))
    memory = choices.pick([Memory(), other])
    bits, words, port_bits = choices.pick([0, 8, 12]), choices.pick([0, 256]), choices.pick([0, 0, 32])
    return Machines(own, members, others, runs, bits, words, memory, port_bits, choices.chance(2))


def func(kind: Kind, layer: Layer, name: str) -> Func:
    """A layer as a scheduled Func."""
    x, y, k = Var("x"), Var("y"), Var("k")
    ko, ki, xo, xi = Var("ko"), Var("ki"), Var("xo"), Var("xi")
    co, ci = RVar("co"), RVar("ci")
    a, w = ImageParam(kind.words, 3, f"a_{name}"), ImageParam(Int(8), 4, f"w_{name}")
    r = RDom([(0, layer.c), (0, layer.r), (0, layer.r)], "r")
    source: ImageParam | Func = a
    if kind.padded:
        size = [layer.c, *((n - 1) * layer.s + layer.r - 2 * layer.p for n in (layer.w, layer.h))]
        source = BoundaryConditions.constant_exterior(a, 0, [(0, max(n, 1)) for n in size])
    f = Func(name)
    product = i32(source[r.x, x * layer.s + r.y - layer.p, y * layer.s + r.z - layer.p]) * i32(w[r.x, k, r.y, r.z])
    sums = Func(f"{name}_sums") if kind.final else f
    sums[k, x, y] += product
    if kind.final:
        f[k, x, y] = _final(kind, layer, sums[k, x, y], k)
    f.set_bounds([(0, layer.k), (0, layer.w), (0, layer.h)])
    stage = sums.update()
    loops = {"r": r.y, "s": r.z, "y": y, "c": r.x, "x": x, "k": ko}
    stage.split(k, ko, ki, kind.lanes[0])
    if kind.across == "c":
        stage.split(r.x, co, ci, kind.lanes[1])
        loops["c"], inner = co, ci
    else:
        stage.split(x, xo, xi, kind.lanes[1])
        loops["x"], inner = xo, xi
    stage.reorder(inner, ki, *(loops[name] for name in kind.order))
    stage.unroll(inner).unroll(ki)
    if kind.systolic:
        stage.systolic(ki)
    for tensor, at in zip((source, w), kind.buffers, strict=True):
        if at:
            tensor.in_().compute_at(sums, loops[at])
    return f


def run_machines(found: Sequence[Machines]) -> list[Exception | None]:
    """What is wrong with each. A machine may refuse programs that it was not made for, but not its own."""
    return [_wrong(each) for each in found]


def _wrong(each: Machines) -> Exception | None:
    try:
        _run(each)
    except Exception as error:
        return error
    return None


def _run(each: Machines) -> None:
    funcs = [func(each.kind, layer, f"layer{i}") for i, layer in enumerate((*each.members, *each.others))]
    machine = hl.machine(funcs[: len(each.members)], counters=each.bits, port_bits=each.port_bits, words=each.words)
    text = machine.verilog()
    fits = [i for i, layer in enumerate(funcs) if i < len(each.members) or _accepts(machine, layer)]
    runs = [(funcs[i], random_inputs(design_and_graph(funcs[i])[1], i)) for i in each.runs if i in fits]
    listed = each.listed and machine.descriptors[0].words.size > 0
    results = machine.simulate(runs, memory=each.memory, listed=listed)
    assert all(result.match for result in results), "a run gives wrong words"
    if not each.memory.stall_probability:
        predicted = machine.estimate([layer for layer, _ in runs], memory=each.memory, listed=listed)
        found = [each.run.total if listed else each.total for each in predicted]
        assert [result.cycles for result in results] == found, "other cycles"
    assert machine.verilog() == text, "a program changes the machine"


def _accepts(machine: hl.Machine, layer: Func) -> bool:
    try:
        machine.program(layer)
    except HalideHWError:
        return False
    return True


def _final(kind: Kind, layer: Layer, value: Expr, k: Var) -> Expr:
    match kind.final:
        case "bias":
            return value + layer.shift * 100 - 300
        case _:
            return cast(Int(8), clamp((value + layer.shift) >> layer.shift, -100 - layer.shift, 100))
