"""Estimates: what adds up, what is named, what is refused."""

import json
from math import isclose, prod

import numpy as np
import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, UInt, Var, clamp, i32
from halidehw.driver.estimate import estimate
from halidehw.energy_model.compulsory import compulsory
from halidehw.energy_model.costs.table import BUILT_IN, load_costs
from halidehw.errors import CostError
from halidehw.report.estimate import as_json, as_text
from halidehw.report.plots import plot
from halidehw.scheduler import lower
from halidehw.simulate import Memory
from tests.energy_model.designs import conv, padded, product, spilling
from tests.energy_model.invariants import check_invariants
from tests.fuzz.check import compulsory as visited
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design

DESIGNS = [conv(filters=4), conv(17, 13, 2), padded(), product(), product(systolic=False), spilling()]


@pytest.mark.parametrize("func", DESIGNS)
@pytest.mark.parametrize("memory", [Memory(), Memory(latency=20, words_per_cycle=0.5)])
def test_invariants(func: Func, memory: Memory):
    check_invariants(estimate(func, memory=memory))


@pytest.mark.parametrize("seed", range(40))
def test_invariants_of_random_designs(seed: int):
    found = design(seeded(seed))
    try:
        check_invariants(estimate(found.func, port_bits=found.options.port_bits))
    except (AssertionError, CostError):
        raise
    except Exception as refused:
        assert type(refused).__module__ == "halidehw.errors"


@pytest.mark.parametrize("seed", range(40))
def test_compulsory_words_are_those_visited(seed: int):
    found = design(seeded(seed))
    try:
        nest = found.nest
    except Exception:
        pytest.skip("no legal schedule")
    for tensor in nest.inputs:
        if tensor.boundary is None or tensor.boundary.kind == "constant_exterior":
            assert compulsory(nest, tensor.name) == visited(nest, tensor.name)


def test_the_least_words_of_a_stencil_are_found_at_any_size():
    """Nine reads of a frame of eight million words: their union is summed by kinds of rows and columns."""
    x, y = Var("x"), Var("y")
    image, cross = ImageParam(UInt(8), 2, "image"), Func("cross")
    cross[x, y] = image[x + 1, y] + image[x, y + 1] + image[x + 1, y + 1] + image[x + 2, y + 1] + image[x + 1, y + 2]
    cross.bound(x, 0, 3840).bound(y, 0, 2160)
    corners = (2, 2)
    assert compulsory(lower(cross), "image") == 3842 * 2162 - sum(corners)


def test_the_least_words_of_a_table_are_those_that_its_tensor_has():
    """A stage is computed two rows beyond its bounds, of anything; the table is held so far, and has only what is."""
    x, y, stage, f = Var("x"), Var("y"), Func("stage"), Func("f")
    image, table = ImageParam(UInt(8), 1, "image"), ImageParam(UInt(8), 2, "table")
    stage[x, y] = table[clamp(i32(image[x]), 0, 3), y]
    f[x, y] = BoundaryConditions.constant_exterior(stage, 0, [(0, 6), (0, 5)])[x, y + 2]
    stage.compute_root()
    found = estimate(f.set_bounds([(0, 6), (0, 5)]))
    held = next(port for port in found.ports if port.tensor == "table")
    assert (held.words, held.least) == (12, 12)


def test_the_least_words_of_sums_that_come_back():
    """A better schedule would not read them at all."""
    ports = estimate(spilling()).ports
    assert [(port.tensor, port.least) for port in ports] == [("a", 100), ("b", 90), ("c", 0), ("c", 90)]


def test_energies_of_the_worked_example():
    """Each part by hand: counts times Table 3, a word of 32 bits as two of 16."""
    found = estimate(conv())
    table = load_costs("table3")
    levels = found.by("level")
    assert levels["mac"] == 16 * 16 * 64 * 75 * 0.075
    loads, weights, outputs = 256 * 432, 64 * 75, 64 * 256
    assert isclose(levels["memory"], 200 * (loads + weights + 2 * outputs))
    words = found.count("w_in_written") + found.count("w_in_read")
    assert isclose(levels["w_in"], words * table.access("sram", 2 * 75 * 2))
    assert isclose(levels["array"], 0.035 * (3 * 307_200 + found.count("input_in_shifted")))


def test_hops_are_charged_by_distance():
    """Two loops on one dimension of the array: the second one's neighbours lie all lanes of the first apart."""
    m, n, no, ni, k = Var("m"), Var("n"), Var("no"), Var("ni"), RDom([(0, 4)], "k")
    a, b, c = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("c")
    c[n, m] += i32(a[k.x, m]) * i32(b[n, k.x])
    c.bound(n, 0, 8).bound(m, 0, 4)
    c.update().split(n, no, ni, 2).dataflow("k.x ni").systolic(k.x).systolic(ni)
    found = estimate(c.accelerate([a, b]))
    hops = [count for count in found.counts if count.name.endswith("_hops_ni")]
    assert hops and all(count.distance == 4 for count in hops)
    for count in hops:
        part = next(part for part in found.energy if part.count == count.name)
        assert isclose(part.pj, count.words * 4 * 0.035 * 8 / 16)


def test_the_report_names_its_table():
    found = estimate(product())
    assert "energy by Interstellar, Table 3 (28 nm)" in as_text(found)
    report = json.loads(json.dumps(as_json(found)))
    assert report["costs"] == "Interstellar, Table 3"
    assert report["cycles"]["total"] == found.cycles.total
    assert report["macs"] == prod((9, 12, 10))


def test_a_table_of_ones_own(tmp_path):
    text = load_text("table3").replace('"0.075 pJ"', '"1 pJ"').replace("Interstellar, Table 3", "mine")
    (tmp_path / "mine.toml").write_text(text)
    found = estimate(product(), tmp_path / "mine.toml")
    assert found.costs == "mine"
    assert found.by("level")["mac"] == 1080


def test_a_plot(tmp_path):
    pytest.importorskip("matplotlib")
    found = estimate(product())
    plot(found, tmp_path / "page.svg")
    assert "roofline" in (tmp_path / "page.svg").read_text()
    with pytest.raises(CostError, match=r"page\.xyz: .*\n.*\n *page\.png"):
        plot(found, tmp_path / "page.xyz")


def load_text(name: str) -> str:
    return (BUILT_IN / f"{name}.toml").read_text()


def test_energy_is_exactly_counts_times_costs():
    found = estimate(product())
    words = {count.name: count.words for count in found.counts}
    assert np.allclose([part.pj for part in found.energy], [part.each * words[part.count] for part in found.energy])
