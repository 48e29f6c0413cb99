"""Several accelerators in one project: the names of all modules begin with the design's, or with a prefix."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest

import halidehw as hl
from halidehw.errors import HardwareError
from halidehw.simulate import Experiment, Scenario, simulate_together
from halidehw.simulate.bench import native
from halidehw.simulate.sources import sources

WORDS = np.arange(12).reshape(3, 4)


def product(lanes: int) -> hl.Func:
    a, b = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.Int(8), 2, "b")
    n, m, no, ni = (hl.Var(name) for name in ("n", "m", "no", "ni"))
    r, f = hl.RDom([(0, 4)], "r"), hl.Func("f")
    f[n, m] += hl.i32(a[r.x, m]) * hl.i32(b[n, r.x])
    f.set_bounds([(0, 4), (0, 3)])
    f.update().split(n, no, ni, lanes).unroll(ni, lanes)
    return f.accelerate([a, b])


INPUTS = {"a": WORDS.reshape(-1), "b": np.arange(16)}
EXPECTED = (WORDS @ np.arange(16).reshape(4, 4)).reshape(-1)


@pytest.fixture
def both() -> list[hl.Compiled]:
    """Two accelerators whose components have the same titles."""
    return [hl.compile(product(lanes), prefix=f"layer{lanes}") for lanes in (2, 4)]


SIMULATORS = ["verilator", pytest.param("icarus", marks=pytest.mark.skipif(
    not shutil.which("iverilog"), reason="iverilog is not installed: sudo apt-get install iverilog"))]  # fmt: skip


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_two_accelerators_in_one_simulation(both, simulator):
    texts = sources([(each.verilog, native(each.interface, 0)) for each in both])
    assert [texts["accelerator0.v"], texts["accelerator1.v"]] == [each.verilog for each in both]
    experiments = [Experiment(each.verilog, each.interface, (Scenario(INPUTS),)) for each in both]
    for found in simulate_together(experiments, simulator):
        assert not isinstance(found, Exception), found
        assert (found[0].outputs["f"] == EXPECTED).all()


def test_every_module_has_the_prefix():
    compiled = hl.compile(product(2), prefix="layer1")
    assert all(name.startswith("layer1_") for name in re.findall(r"^module (\w+)", compiled.verilog, re.M))
    assert compiled.interface.module == "layer1_accelerator"
    names = re.findall(r"^module (\w+)", hl.compile(product(2)).verilog, re.M)
    assert all(name.startswith("f_") for name in names)


def test_a_prefix_that_is_no_identifier():
    with pytest.raises(HardwareError, match="prefix='1st layer' begins the names of modules") as error:
        hl.compile(product(2), prefix="1st layer")
    assert error.value.legal == ('prefix="st_layer"',)
    hl.compile(product(2), prefix="st_layer")
    with pytest.raises(HardwareError, match="prefix=1 begins the names of modules"):
        hl.compile(product(2), prefix=1)  # type: ignore[arg-type]
