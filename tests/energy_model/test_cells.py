"""What happens in cells: registers found in the elaborated design, and events that change something."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

import halidehw as hl
from halidehw.backend_hdl.registers import elaborated
from halidehw.energy_model.cells import carries, changes, component_of, events
from halidehw.energy_model.costs.table import load_costs
from halidehw.energy_model.traffic import traffic
from halidehw.ir.affine import Affine
from halidehw.microarch.walk import Axis, Walk

OS4 = Path(__file__).parents[2] / "examples" / "dataflows" / "os4.py"


@pytest.fixture(scope="module")
def os4() -> hl.Compiled:
    return hl.compile(hl.load(OS4))


@pytest.mark.parametrize("seed", range(30))
def test_changes_are_those_of_the_walk(seed):
    chosen = random.Random(seed)
    walk = Walk(tuple(Axis(name, chosen.randint(1, 4)) for name in "abc"))
    forms = tuple(Affine.of([(name, chosen.randint(-2, 3)) for name in "abc"]) for _ in range(chosen.randint(1, 2)))
    tile = chosen.randint(0, 2)
    steps = list(walk)
    seen = [(*(form.at(step) for form in forms), *(step[axis.name] for axis in walk.axes[:tile])) for step in steps]
    assert changes(walk, forms, tile) == 1 + sum(now != before for before, now in pairwise(seen))
    assert 1 + sum(carries(walk)) == len(steps)


@pytest.mark.parametrize(
    ("path", "component"),
    [
        ("", "control"),
        ("writer/queue", "control"),
        ("tiles", "control"),
        ("image_in", "buffer"),
        ("image_in/owner", "buffer"),
        ("array", "links"),
        ("array/hop1_delay1", "links"),
        ("array/read0_skew3_delay3", "links"),
        ("array/lane0/product", "multiply"),
        ("array/lane0/product_delay2", "multiply"),
        ("array/lane0/product/weights_in_in", "file"),
        ("array/lane0/sums", "add"),
        ("array/lane0/sums/sums", "accumulator"),
        ("array/lane0/sums/total3_delay1", "add"),
    ],
)
def test_components(os4, path, component):
    held = {"/".join(each.path): each for each in elaborated(os4.accelerator)}
    assert component_of(held[path]) == component


def test_hops_and_skews_between_the_lanes_of_a_sum_are_links_and_its_adders_are_not():
    x, c = hl.Var("x"), hl.RDom([(0, 3)], "c")
    a, w, f = hl.ImageParam(hl.Int(16), 2, "a"), hl.ImageParam(hl.Int(16), 1, "w"), hl.Func("f")
    f[x] += hl.i32(a[c, x]) * hl.i32(w[c])
    f.bound(x, 0, 10).update().unroll(c).systolic(c)
    design = hl.compile(f.accelerate([a, w]))
    inside = (each for each in elaborated(design.accelerator) if each.path[:1] == ("array",))
    held = {each.path[-1]: component_of(each) for each in inside}
    assert {component for name, component in held.items() if name.startswith("read0")} == {"links"}
    assert (held["product"], held["lane1"]) == ("multiply", "multiply")


def test_registers_of_the_verilog(os4):
    held = {"/".join(each.path): each for each in elaborated(os4.accelerator)}
    file = held["array/lane2/product/weights_in_in"]
    assert (file.memory, file.registers) == (6 * 16, 2 * 16)
    assert (held["image_in/bank_1"].memory, held["image_in/bank_1"].registers) == (1600 * 16, 2 * 16)
    assert held["array/lane0/product"].registers == 16
    assert held["array/read0_skew3_delay3"].registers == 3 * 16
    assert held["writer/queue"].memory == 0
    assert held["writer/queue"].registers >= 8 * (16 + 12)


def test_an_operand_is_skewed_once_at_the_edge_of_a_grid():
    """Lane j of three is j cycles late, for all four columns through which the rows' words hop."""
    x, k, c = hl.Var("x"), hl.Var("k"), hl.RDom([(0, 3)], "c")
    a, w, f = hl.ImageParam(hl.Int(16), 2, "a"), hl.ImageParam(hl.Int(16), 2, "w"), hl.Func("f")
    f[k, x] += hl.i32(a[c.x, x]) * hl.i32(w[k, c.x])
    f.set_bounds([(0, 4), (0, 10)]).update().reorder(k, c.x, x).unroll(c.x).unroll(k).systolic(c.x, k)
    design = hl.compile(f.accelerate([a, w]))
    held = {"/".join(each.path): each.registers for each in elaborated(design.accelerator)}
    skew = {path: bits for path, bits in held.items() if "read0_skew" in path}
    assert skew == {"array/read0_skew1_delay1": 16, "array/read0_skew2_delay2": 32}
    counts = {count.name: count for count in traffic(design.accelerator, design.nest)}
    found = events(design.accelerator, counts, elaborated(design.accelerator), 1000, 128.0)
    hops = next(event.amount for event in found if (event.component, event.cost) == ("links", "hop"))
    words = sum(
        count.words * count.bits / 16 for count in counts.values()
        if count.event in ("hop", "broadcast")
    )  # fmt: skip
    assert hops - words == 10 * (0 + 1 + 2)


def test_events_of_a_line(os4):
    """Three weights are read in turn for four columns; the weights and the image change in every step."""
    acc = os4.accelerator
    counts = {count.name: count for count in traffic(acc, os4.nest)}
    held = elaborated(os4.accelerator)
    found = {(event.component, event.cost): event for event in events(acc, counts, held, 1000, 128.0)}
    steps = counts["steps"].words
    assert found["multiply", "mac"].amount == 4 * steps
    assert found["multiply", "mac_held"].amount == 0
    assert (found["file", "read"].amount, found["file", "read"].size) == (4 * steps, 12)
    assert found["file", "offer"].amount == 12 * found["file", "write"].amount
    assert found["accumulator", "sweep"].amount == 4 * 16 * steps / 3
    assert found["image_in", "sram"].amount == 2880 + 294912
    assert found["multiply", "register"].amount == 1000 * 4 * (16 + 2 * 16)


def test_an_estimate_by_cells_is_of_events(os4):
    table = load_costs("osu018")
    found = hl.estimate(os4, table)
    assert table.cells
    assert {"datapath", "register files", "links", "control", "image_in", "weights_in"} <= set(found.by("level"))
    registers = sum(part.pj for part in found.energy if part.count == "register")
    held = elaborated(os4.accelerator)
    bits = sum(each.registers + each.memory for each in held if each.memory <= 1024)
    assert registers == pytest.approx(bits * found.cycles.total * table.cells.each["register"])


def test_a_division_in_the_final_stage_takes_energy_there():
    """As many adder cells as its product has, for each word; wider products in the array take more, too."""
    def found(divisor: int, kind: hl.Type) -> dict[tuple[str, str], float]:
        x, r = hl.Var("x"), hl.RDom([(0, 3)], "r")
        a, f, g = hl.ImageParam(hl.Int(16), 1, "a"), hl.Func("f"), hl.Func("g")
        f[x] += hl.cast(kind, a[x + r.x]) * hl.cast(kind, a[x + r.x])
        g[x] = f[x] / divisor
        estimate = hl.estimate(g.bound(x, 0, 8).accelerate([a]), "osu018")
        return {(each.level, each.count): each.pj for each in estimate.energy}

    narrow, divided, wide = (found(*each) for each in ((1, hl.Int(16)), (7, hl.Int(16)), (1, hl.Int(32))))
    assert divided["control", "mac"] > narrow["control", "mac"] == 0
    assert wide["datapath", "mac_held"] == pytest.approx(narrow["datapath", "mac_held"] * 392 / 136)
