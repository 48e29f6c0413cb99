"""Inline reductions, Tuples and domains with points left out: in hardware the words that the algorithm has, whatever
the order of the loops, in space or in time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from halidehw import (
    Expr,
    Func,
    ImageParam,
    Int,
    RDom,
    Stage,
    UInt,
    Var,
    argmax,
    argmin,
    cast,
    i32,
    max,
    maximum,
    minimum,
    product,
    select,
    sum,
)
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.algorithms import Algorithm
from tests.fuzz.check import check_each, check_interpreter
from tests.fuzz.choices import seeded
from tests.fuzz.designs import Design
from tests.fuzz.schedules import schedule

x, y = Var("x"), Var("y")
STALLS = Memory(latency=4, stall_probability=0.3)

Value = Callable[[ImageParam, RDom], object]


def window(a: ImageParam, r: RDom) -> Expr:
    return a[x + r.x, y + r.y]


def triangle(r: RDom) -> None:
    """Closed downwards: the limits of counters."""
    r.where(r.x + 2 * r.y <= 0)


def above(r: RDom) -> None:
    """A guard, of the output's variables too, and nothing at all at some points."""
    r.where((r.x - 1 < r.y) & (r.x + x > 1))


def everywhere(r: RDom) -> None:
    pass


VALUES: dict[str, Value] = {
    "sum": lambda a, r: (sum(r, i32(window(a, r)) * r.x) >> 1) + x,
    "product": lambda a, r: product(r, window(a, r)),
    "range": lambda a, r: maximum(r, window(a, r)) - minimum(r, window(a, r)),
    "argmax": lambda a, r: argmax(r, window(a, r) / 32),
    "argmin": lambda a, r: argmin(r, window(a, r) & 3)[1],
    "statistics": lambda a, r: (sum(r, i32(window(a, r))), sum(r, i32(window(a, r)) * window(a, r)), x - y),
}
DOMAINS = {"everywhere": everywhere, "triangle": triangle, "above": above}


def across(stage: Stage) -> None:
    """Lanes of an output axis, one after another, and of a reduction, side by side in a tree."""
    stage.split(x, "xo", "xi", 4).unroll("xi", 2).systolic("xi").unroll("r.x", 2)


def inwards(stage: Stage) -> None:
    """Reductions outside the output's loops, one of them in a chain."""
    stage.reorder(x, y, "r.x", "r.y").unroll("r.y").systolic("r.y")


SCHEDULES: dict[str, Callable[[Stage], object]] = {"plain": lambda stage: None, "across": across, "inwards": inwards}


def design(value: Value, where: Callable[[RDom], None], scheduled: Callable[[Stage], object]) -> Func:
    """5 x 3 points over windows of 3 x 2."""
    a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(0, 3), (-1, 2)], "r")
    where(r)
    f[x, y] = value(a, r)
    scheduled(f.bound(x, 0, 5).bound(y, 1, 3).stages[0])
    return f


CASES = [(v, d, s) for v in VALUES for d in DOMAINS for s in SCHEDULES]


@pytest.mark.parametrize("value", VALUES)
def test_interpreted(value: str):
    for name, domain, order in CASES:
        if name == value:
            check_interpreter(Design(design(VALUES[name], DOMAINS[domain], SCHEDULES[order]), fill="extremes"))


def test_in_hardware():
    """Every value, domain and schedule, some together, each with counters, and with stalls and a second start."""
    chosen = [design(VALUES[v], DOMAINS[d], SCHEDULES[s]) for v, d, s in CASES[::7]]
    designs = [Design(each, Options(counters="all"), seed=n) for n, each in enumerate(chosen)]
    check_each([*designs, *(replace(each, memory=STALLS, starts=2, fill="extremes") for each in designs)])


@pytest.mark.parametrize("value", ["argmax", "statistics"])
def test_random_schedules(value: str):
    bounds = {"x": (0, 5), "y": (1, 3), "r.x": (0, 3), "r.y": (-1, 2)}
    for seed in range(6):
        func = design(VALUES[value], DOMAINS[("triangle", "above")[seed % 2]], lambda stage: None)
        schedule(seeded(seed), Algorithm(func, func, domain=bounds))
        check_interpreter(Design(func, seed=seed, fill="extremes"))


# --- Tuples in an update


def best(scheduled: Callable[[Func], object]) -> Func:
    """The greatest of 7, where it is, what stands beside it, and how many are above 0."""
    a, b, f, r = ImageParam(Int(6), 1, "a"), ImageParam(UInt(5), 1, "b"), Func("f"), RDom([(2, 7)], "r")
    f[x] = (cast(Int(6), -20), i32(-1), cast(UInt(5), 9), i32(100))
    value = a[x + r] >> 3
    better = f[x][0] < value
    f[x] = (
        max(f[x][0], value),
        select(better, i32(r), f[x][1]),
        select(better, b[r], f[x][2]),
        f[x][3] + i32(a[x + r] > 0),
    )
    f.bound(x, 0, 6)
    scheduled(f)
    return f


def test_a_tuple_of_four():
    """107 bits in one accumulated word and 75 in one of the output."""
    chosen = [
        best(lambda f: None),
        best(lambda f: f.update().unroll(x, 4).unroll("r.x").systolic("r.x")),
        best(lambda f: f.update().reorder(x, "r.x")),
    ]
    designs = [Design(each, Options(counters="all"), seed=5) for each in chosen]
    runs = check_each([*designs, *(replace(each, memory=STALLS, reset=60) for each in designs)])
    assert runs[0].counters["f_words"] == 6


def sums(scheduled: Callable[[Func], object]) -> Func:
    """Two sums side by side, nothing after them: partial sums may be stored in the output."""
    a, f, r = ImageParam(Int(8), 1, "a"), Func("f"), RDom([(0, 6)], "r")
    f[x] += (i32(a[x + r]), cast(Int(40), a[x + r]) * a[x + r + 1])
    f.bound(x, 0, 5)
    scheduled(f)
    return f


def spilling(f: Func) -> None:
    f.update().split("r.x", "ro", "ri", 2).reorder("ri", x, "ro")
    f.in_().compute_at(f, x)


def folding(f: Func) -> None:
    f.update().split("r.x", "ro", "ri", 4).reorder("ri", x, "ro")
    f.in_().compute_root()
    f.in_().in_().compute_at(f, x)


def test_partial_sums_of_a_tuple():
    chosen = [Design(sums(each), Options(counters="all")) for each in (spilling, folding)]
    for each in chosen:
        check_interpreter(each)
    check_each([*chosen, *(replace(each, options=Options(port_bits=144), memory=STALLS) for each in chosen)])


def test_several_values_of_a_point():
    a, f = ImageParam(UInt(8), 1, "a"), Func("f")
    f[x] = (a[x] + 1, i32(a[x + 1]) - a[x], a[x] > 7)
    chosen = Design(f.bound(x, 0, 9).unroll(x, 2), Options(counters="all"))
    check_interpreter(chosen)
    check_each([chosen])
