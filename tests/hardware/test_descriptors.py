"""What is no machine, no run of one, and no descriptor is refused, with what would work; without hardware."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import pytest

import halidehw as hl
from halidehw.machines.descriptor import Follows

WHOLE = "both are numbers of tiles below 65536"


@lru_cache
def products() -> list[hl.Func]:
    """Two products of matrices, whose inputs have the product's name in theirs."""
    made = []
    for name, width in (("p", 8), ("q", 6)):
        x, y, xo, xi, r = *hl.vars("x y xo xi"), hl.RDom([(0, 6)], "r")
        f, a, b = hl.Func(name), hl.ImageParam(hl.Int(8), 2, f"{name}_a"), hl.ImageParam(hl.Int(8), 2, f"{name}_b")
        f[x, y] += hl.i32(a[r, y]) * b[x, r]
        f.set_bounds([(0, width), (0, 5)])
        f.update().split(x, xo, xi, 2).unroll(xi)
        made.append(f)
    return made


@lru_cache
def machine() -> hl.Machine:
    return hl.machine(products(), counters=8)


@pytest.mark.parametrize(("designs", "message"), [
    (lambda a, b: a, r"lists of designs, not of p alone .*machine\(\[p\]\)"),
    (lambda a, b: {"x": a}, r"not of p alone .*machine\({\"x\": \[p\]}\)"),
    (lambda a, b: {"": [a], "x": [b]}, "'' is no name of an engine"),
    (lambda a, b: {1: [a], 2: [b]}, "1 is no name of"),
    (lambda a, b: {"x": [a], "X": [b]}, "the engines x, X differ by capital letters alone"),
    (lambda a, b: {"x": [], "y": [b]}, "a machine is made of one design at least"),
])  # fmt: skip
def test_what_is_no_list_of_designs_is_refused(designs: Any, message: str) -> None:
    with pytest.raises(hl.HalideHWError) as caught:
        hl.machine(designs(*products()))
    assert re.search(message, str(caught.value).replace("\n", " "))


@pytest.mark.parametrize(("told", "message"), [
    ({"after": {1: 0}}, "after={1: 0}: it says of runs, by number"), ({"after": [0]}, r"after=\[0\]: it says of runs"),
    ({"after": {1: [0.0]}}, "run 1 waits for run 0.0, which is not before it"),
    ({"passed": {1: ["a"]}}, "run 1 of 2 reads q_a, q_b"), ({"passed": {1: "q_a"}}, "run 1 of 2 reads q_a, q_b"),
    ({"passed": {9: ["q_a"]}}, "run 9 of 2 is not there"),
    ({"passed": [1]}, r"passed=\[1\]: it says of runs, by number"), ({"passed": {1: 3}}, "passed={1: 3}: it says of"),
])  # fmt: skip
def test_runs_of_which_something_else_is_said_are_refused(told: dict[str, Any], message: str) -> None:
    with pytest.raises(hl.HalideHWError, match=message):
        machine().estimate(products(), listed=True, **told)


@pytest.mark.parametrize(("runs", "message"), [
    (products, r'Func\("p"\) is no run of a machine, which is a design'), (list, "a list has one run at least"),
    (lambda: [(products()[0], 3)], "is no run of a machine"),
])  # fmt: skip
def test_what_is_no_list_of_runs_is_refused(runs: Any, message: str) -> None:
    with pytest.raises(hl.HalideHWError, match=message):
        machine().simulate(runs(), listed=True)


@pytest.mark.parametrize(("told", "message"), [
    (({"b": 0},), "the ports of p are p_a, p_b, p, not 'b'"), (([1],), r"addresses=\[1\]: it has ports"),
    (({"p_a": -8},), "p_a=-8 is no address of p"), (({"p_a": 1 << 64},), "is no address"),
    (({"p_a": "0x10"},), "p_a='0x10' is no address"), (({"p_a": 1.5},), "p_a=1.5 is no"),
    (({"p": 2},), "p=2 is no address of p: it is a number of bytes, a multiple of 4"),
    (({}, (1,)), r"after=\(1,\): it has a number for each other engine, 0 of them"),
    (({}, 3), "after=3: it has a number"),
    (({}, (), ["p"]), "the ports of p are p_a, p_b, not 'p'"), (({}, (), None), "early=None: it has ports, or says"),
    (({}, (), {"p_a": 3}), "early={'p_a': 3}: it has ports, or says of them what they follow"),
])  # fmt: skip
def test_a_descriptor_has_addresses_of_its_own_ports(told: tuple[Any, ...], message: str) -> None:
    with pytest.raises(hl.HalideHWError, match=message):
        machine().descriptors[0].at(*told)


@pytest.mark.parametrize("numbers", [(70000, 1), (-1, 1), (1, -1), (1.5, 1), (0, 1), ("1", 1)])
def test_a_load_follows_by_numbers_that_a_gate_has(numbers: tuple[Any, Any]) -> None:
    with pytest.raises(hl.HalideHWError, match=re.escape(f"Follows{numbers}: {WHOLE}")):
        Follows(*numbers)


@pytest.mark.parametrize(("room", "message"), [
    ({"counters": -3}, "counters=-3: it is a whole number from 0 to 32"), ({"counters": "16"}, "counters='16': it is"),
    ({"counters": 500}, "counters=500: it is"), ({"words": 1.5}, "words=1.5: it is a whole number"),
])  # fmt: skip
def test_room_that_is_none_is_refused(room: dict[str, Any], message: str) -> None:
    with pytest.raises(hl.HalideHWError, match=message):
        hl.machine(products(), **room)
