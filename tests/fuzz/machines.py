"""Random machines: layers of one random kind and schedule, of other sizes, strides, kernels and paddings each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import halidehw as hl
from halidehw import BoundaryConditions, Expr, Func, ImageParam, Int, RDom, RVar, UInt, Var, cast, clamp, i32
from halidehw.driver.build import design_and_graph
from halidehw.driver.draw import random_inputs
from halidehw.errors import CostError, HalideHWError
from halidehw.machines.machine import Prepared
from halidehw.simulate import Memory, Run
from tests.fuzz.choices import Choices
from tests.fuzz.remembered import remembered


@dataclass(frozen=True)
class Kind:
    """What all layers of a machine have in common. `lanes`: of the array, of k and of c or x. `across`: c, x, or the
    loops of the filter that lie on the array as a whole, r or r and s, which have few lanes then. `stride`: of all
    layers, as lanes across x have the same words side by side in each program; 0: each layer's own."""

    words: hl.Type
    lanes: tuple[int, int]
    across: str
    order: tuple[str, ...]
    buffers: tuple[str, ...]
    padded: bool
    final: str
    systolic: bool
    stride: int = 0


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
class Family:
    """Layers of one kind: those that an engine is made of, and those that it is programmed for besides."""

    kind: Kind
    members: tuple[Layer, ...]
    others: tuple[Layer, ...]


@dataclass(frozen=True)
class Machines:
    """A random machine: of each engine its layers, the runs in order as numbers of all layers, the earlier runs that
    each waits for, whether they are one list, and what the machine stands behind."""

    engines: tuple[Family, ...]
    runs: tuple[int, ...]
    after: tuple[tuple[int, ...], ...]
    bits: int
    words: int
    memory: Memory
    port_bits: int
    listed: bool
    bus: hl.AXI | None


def kind(choices: Choices) -> Kind:
    across = choices.pick(["c", "x", "c", "r", "rs"])
    loops = ["x", "r", "s", "c", "y", "k"]
    order = tuple(loops) if choices.chance(2) else tuple(choices.shuffled(loops))
    return Kind(
        words=choices.pick([Int(8), UInt(8), Int(5)]), lanes=(choices.pick([1, 2, 4]), choices.pick([2, 4, 3])),
        across=across, order=order, buffers=tuple(choices.pick([("y", "y"), ("k", "k"), ("y", ""), ("", "")])),
        padded=choices.chance(2), final=choices.pick(["", "", "bias", "shift", "read", "held", "narrow"]),
        systolic=choices.chance(2), stride=choices.pick([1, 2, 3]) if across == "x" else 0,
    )  # fmt: skip


def layer(choices: Choices, kind: Kind) -> Layer:
    r = choices.pick([1, 3, 2] if "r" in kind.across else [1, 3, 2, 5, 7])
    return Layer(
        choices.number(1, 6), choices.number(1, 5), choices.number(1, 7), choices.number(1, 7),
        r, kind.stride or choices.pick([1, 1, 2, 3, 4]),
        choices.number(0, r // 2) if kind.padded else 0, choices.number(0, 9),
    )  # fmt: skip


def family(choices: Choices, most: int) -> Family:
    """An engine of two layers at least, and two more."""
    own = kind(choices)
    members = tuple(layer(choices, own) for _ in range(choices.number(2, most)))
    return Family(own, members, tuple(layer(choices, own) for _ in range(2)))


def machines(choices: Choices) -> Machines:
    """A machine of two to five layers, and two more; now and then two engines, or behind a bus."""
    engines = (family(choices, 5),) if choices.number(0, 3) else (family(choices, 3), family(choices, 3))
    layers = sum(len(each.members) + len(each.others) for each in engines)
    runs = tuple(choices.number(0, layers - 1) for _ in range(3)) + tuple(range(layers))
    after = tuple(tuple(n for n in range(run) if not choices.number(0, 5)) for run in range(len(runs)))
    rate, stalls = choices.pick([None, 0.5]), choices.pick([0.0, 0.3])
    other = Memory(choices.pick([1, 3, 20]), rate, stalls, choices.number(0, 99))
    memory = choices.pick([Memory(), other])
    bits, words, port_bits = choices.pick([0, 8, 12, 16, 20]), choices.pick([0, 256, 1024]), choices.pick([0, 0, 32])
    bus = hl.AXI(choices.pick([64, 128]), choices.pick([1, 4, 32]), choices.pick([4, 50]))
    return Machines(engines, runs, after, bits, words, memory, port_bits, choices.chance(2),
                    choices.pick([None, None, None, bus]))  # fmt: skip


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
    apart = kind.final not in ("", "narrow")
    sums = Func(f"{name}_sums") if apart else f
    sums[k, x, y] += cast(Int(8), product) if kind.final == "narrow" else product
    if apart:
        each = ImageParam(Int(32), 1, f"b_{name}")
        f[k, x, y] = _final(kind, layer, sums[k, x, y], each[k])
        if kind.final == "held":
            each.in_().compute_root()
    f.set_bounds([(0, layer.k), (0, layer.w), (0, layer.h)])
    stage = sums.update()
    loops = {"r": r.y, "s": r.z, "y": y, "c": r.x, "x": x, "k": ko}
    stage.split(k, ko, ki, kind.lanes[0])
    if kind.across == "c":
        stage.split(r.x, co, ci, kind.lanes[1])
        loops["c"], inner = co, [ci]
    elif kind.across == "x":
        stage.split(x, xo, xi, kind.lanes[1])
        loops["x"], inner = xo, [xi]
    else:
        inner = [loops.pop(name) for name in kind.across]
    stage.reorder(*inner, ki, *(loops[name] for name in kind.order if name in loops))
    for lanes in (*inner, ki):
        stage.unroll(lanes)
    if kind.systolic:
        stage.systolic(ki)
    for tensor, at in zip((source, w), kind.buffers, strict=True):
        if at:
            tensor.in_().compute_at(sums, loops[at])
    return f


def run_machines(found: Sequence[Machines]) -> list[Exception | None]:
    """What is wrong with each. A machine may refuse programs that it was not made for, but not its own."""
    trials = [_trial(each) for each in found]
    ready = [trial for trial in trials if isinstance(trial, Trial)]
    ran = iter(remembered([trial.prepared.experiment for trial in ready]))
    return [trial if isinstance(trial, Exception) else _wrong(trial, next(ran)) for trial in trials]


@dataclass(frozen=True)
class Trial:
    """A machine's runs, and the cycles that are predicted."""

    bus: hl.AXI | None
    prepared: Prepared
    cycles: list[int] | None


def _trial(each: Machines) -> Trial | Exception:
    try:
        return _made(each)
    except Exception as error:
        return error


def _made(each: Machines) -> Trial:
    made = {f"engine{n}": [func(own.kind, layer, f"e{n}_layer{i}") for i, layer in enumerate(own.members + own.others)]
            for n, own in enumerate(each.engines)}  # fmt: skip
    members = {name: funcs[: len(own.members)] for (name, funcs), own in zip(made.items(), each.engines, strict=True)}
    designs = members if len(members) > 1 else members["engine0"]
    machine = hl.machine(designs, counters=each.bits, port_bits=each.port_bits, words=each.words)
    hardware = machine.hardware
    funcs = [func for each in made.values() for func in each]
    own = {id(func) for each in members.values() for func in each}
    fits = [i for i in each.runs if id(funcs[i]) in own or accepts(machine, funcs[i])]
    runs = [(funcs[i], random_inputs(design_and_graph(funcs[i])[1], i)) for i in fits]
    listed = len(members) > 1 or (each.listed and machine.descriptors[0].words.size > 0)
    after = {run: [n for n in each.after[run] if n < run] for run in range(len(runs))} if listed else {}
    prepared = machine.prepared(runs, memory=each.memory, bus=each.bus, listed=listed, after=after)
    assert machine.hardware == hardware, "a program changes the machine"
    if each.memory.stall_probability or (each.bus and len(members) > 1):
        return Trial(each.bus, prepared, None)
    layers = [layer for layer, _ in runs]
    try:
        predicted = machine.estimate(layers, memory=each.memory, bus=each.bus, listed=listed, after=after)
    except CostError:  # the model of the bus does not have all that there is
        return Trial(each.bus, prepared, None)
    cycles = [found.run.total if listed else found.total for found in predicted]
    return Trial(each.bus, prepared, cycles)


def _wrong(trial: Trial, ran: Sequence[Run] | Exception) -> Exception | None:
    try:
        if isinstance(ran, Exception):
            raise ran
        results = trial.prepared.results(ran)
        assert all(result.match for result in results), "a run gives wrong words"
        found = [result.cycles for result in results]
        assert found == (trial.cycles or found), f"other cycles: {found}, not {trial.cycles}"
    except Exception as error:
        return error
    return None


def accepts(machine: hl.Machine, layer: Func) -> bool:
    """Whether a machine runs a layer."""
    try:
        machine.program(layer)
    except HalideHWError:
        return False
    return True


def _final(kind: Kind, layer: Layer, value: Expr, each: Expr) -> Expr:
    """What is computed of a sum; `each`: a word of its filter."""
    match kind.final:
        case "bias":
            return value + layer.shift * 100 - 300
        case "read" | "held":
            return value + each
        case _:
            return cast(Int(8), clamp((value + layer.shift) >> layer.shift, -100 - layer.shift, 100))
