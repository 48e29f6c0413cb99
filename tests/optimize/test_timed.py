"""Where time matters, wide spaces are searched after narrow ones, and only if these are not close to the least run."""

from __future__ import annotations

import pytest

import halidehw.optimize.timed as timed
from halidehw.mapping.layer import Layer
from halidehw.optimize import architecture, optimize
from halidehw.optimize.result import Result


def delay(layer: Layer, arch: str, bits: int, ragged: bool) -> Result:
    target = architecture(arch)
    return optimize(layer, target, "any", objective="delay", replicate=True, ragged=ragged, shared_port_bits=bits)


@pytest.fixture
def searched(monkeypatch) -> list[bool]:
    """Of each search of a steady state whether its tiles were ragged."""
    found, with_files = list[bool](), timed.with_files

    def search(layer, arch, options, *others):
        found.append(options.ragged)
        return with_files(layer, arch, options, *others)

    monkeypatch.setattr(timed, "with_files", search)
    return found


def test_ragged_tiles_are_not_searched_where_others_are_close(searched):
    """ResNet-50's reduce15 on `tpu` took seven seconds, six of them for ragged tiles, of which none was chosen."""
    layer = Layer(b=16, k=512, c=2048, oy=7, ox=7)
    best = delay(layer, "tpu", 2048, ragged=True)
    assert best.gap < 0.01 and searched and not any(searched)
    assert "fewest lanes for any number of steps" in best.space
    assert best.run_cycles == delay(layer, "tpu", 2048, ragged=False).run_cycles


@pytest.mark.parametrize("ragged", (False, True))
def test_ragged_tiles_are_searched_where_others_cannot_be_close(searched, ragged: bool):
    """Lanes that divide are 59 times three at most; ragged ones use it, asked for or not, and without
    register files come so close that none are looked at with them."""
    layer = Layer(b=1, k=31, c=29, oy=59, ox=59, fy=3, fx=3)
    best = delay(layer, "eyeriss", 128, ragged)
    assert searched == [False] and not best.files
    assert best.run_cycles < layer.macs / (59 * 3)


def test_ragged_tiles_are_never_worse_for_delay():
    """A third layer of MLP-M: nothing is close to the least run."""
    layer = Layer(b=128, k=250, c=500)
    plain, best = (delay(layer, "tpu", 2048, ragged) for ragged in (False, True))
    assert best.run_cycles <= plain.run_cycles and plain.gap > 0.01
