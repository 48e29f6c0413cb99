"""A run is given up only where it takes more cycles than are wanted."""

from dataclasses import replace

import pytest

import halidehw.optimize.fastest as fastest
import halidehw.optimize.streamed as streamed
from halidehw.energy_model.cycles import cycles, total_cycles
from halidehw.energy_model.deadline import Deadline, Late
from halidehw.energy_model.processes import system
from halidehw.energy_model.timekeeper import Timekeeper
from halidehw.frontend.func import Func
from halidehw.mapping.layer import Layer
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.optimize import architecture, optimize
from halidehw.optimize.result import Hardware
from halidehw.scheduler import lower
from halidehw.simulate.memory import memory_of
from tests.energy_model.designs import conv, levels, padded, product, spilling

FUNCS = [conv, padded, product, spilling, lambda: levels(True), lambda: levels(False)]


@pytest.mark.parametrize("bits", [0, 64])
@pytest.mark.parametrize("func", FUNCS)
def test_a_run_is_given_up_only_where_it_is_too_long(func, bits: int):
    made: Func = func()
    network = derive(lower(made), Options(shared_port_bits=bits))
    exact = cycles(network).total
    for most in (exact, exact + 1, 10 * exact):
        assert total_cycles(network, most) == exact
    for most in (1, exact // 2, 9 * exact // 10, exact - 1):
        assert most < total_cycles(network, most) <= exact


def test_a_run_that_is_late_is_given_up_early(monkeypatch):
    """The array's steps that are left are counted: half of the cycles are known to be too few before the first one."""
    network, checked = derive(lower(conv())), []
    check = Deadline.check
    monkeypatch.setattr(Deadline, "check", lambda *a: (checked.append(a[2]), check(*a)))
    with pytest.raises(Late):
        Deadline.check(_deadline(network, cycles(network).total // 4), 0, [])
    total_cycles(network, cycles(network).total // 4)
    assert len(checked) == 2


def _deadline(network, most: int) -> Deadline:
    found = Timekeeper(system(network), memory_of(None), most=most).leaps.deadline
    assert found
    return found


LAYERS = [
    (Layer(b=16, k=48, c=96, oy=7, ox=7, name="layer"), "eyeriss", 128),
    (Layer(b=16, k=48, c=64, oy=7, ox=7, fy=3, fx=3, name="layer"), "tpu", 2048),
    (Layer(b=64, k=250, c=500, name="layer"), "eyeriss", 128),
]


LONGER = [pytest.param(*each, marks=pytest.mark.soak) for each in LAYERS[1:]]


@pytest.mark.parametrize("layer, arch, bits", [LAYERS[0], *LONGER])
def test_searches_that_give_up_runs_find_none_that_is_longer(monkeypatch, layer: Layer, arch: str, bits: int):
    def answer() -> tuple[int, int]:
        target = architecture(arch)
        found = optimize(layer, target, "any", objective="delay", replicate=True, shared_port_bits=bits)
        assert found.run_cycles == cycles(found.hardware[1]).total
        return found.run_cycles, len(found.known.least)

    run, given_up = answer()
    for module in (fastest, streamed):
        monkeypatch.setattr(module, "wanted", lambda *_: float("inf"))
    without, fewer = answer()
    assert run == without and given_up > fewer


def test_cycles_that_were_too_many_are_counted_when_they_are_asked_for():
    layer, arch, bits = LAYERS[0]
    found = optimize(layer, architecture(arch), "any", objective="delay", replicate=True, shared_port_bits=bits)
    exact, again = found.run_cycles, replace(found, known=Hardware())
    assert exact // 2 < again.run_within(exact // 2) <= exact
    assert again.run_within(exact // 3) == again.run_within(exact // 2) and not again.known.cycles
    assert again.run_within(exact) == exact == again.run_cycles
