"""A second simulator, four-valued: no value that was never set reaches a port, and every cycle is the same."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from halidehw.backend_hdl import verilog
from halidehw.microarch.derive import derive
from halidehw.reference.reference import reference
from halidehw.simulate import simulate_verilog
from tests.fuzz.check import check_words
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design


@pytest.mark.skipif(not shutil.which("iverilog"), reason="iverilog is not installed: sudo apt-get install iverilog")
@pytest.mark.parametrize("seed", [7000, 7004, 7005])
def test_icarus_agrees_with_verilator(seed: int):
    found = design(seeded(seed))
    accelerator = derive(found.nest, found.options)
    text, interface = verilog(accelerator), accelerator.interface
    words = {name: np.ascontiguousarray(array).reshape(-1) for name, array in found.arrays.items()}
    runs = {
        name: simulate_verilog(text, interface, words, memory=found.memory, starts=found.starts, simulator=name)
        for name in ("icarus", "verilator")
    }
    check_words(runs["icarus"], found.nest, reference(found.func, found.inputs).reshape(-1))
    assert runs["icarus"].cycles == runs["verilator"].cycles
    assert runs["icarus"].counters == runs["verilator"].counters
