"""Netlists: read, flattened, written, and simulated with their switching counted."""

from __future__ import annotations

import subprocess
from importlib import resources

import pytest

from halidehw.errors import SynthesisError
from halidehw.simulate.tools import find_compiler, find_verilator
from halidehw.synthesis.activity import Access, read_activity, shell
from halidehw.synthesis.flat import ONE, Flat, flatten
from halidehw.synthesis.netlist import MACRO, Instance, read_netlist
from halidehw.synthesis.structure import structure
from tests.synthesis import netlists

DRIVER = """
#include <cstdint>
#include <cstdio>
#include "svdpi.h"
extern "C" {
void halidehw_gates_open();
void halidehw_gates_settle(svBit, const svBitVecVal*, svBitVecVal*);
void halidehw_gates_clock(svBit);
void halidehw_gates_close();
}
int main() {
    halidehw_gates_open();
    for (svBitVecVal cycle = 0, out; cycle < 600; cycle++) {
        halidehw_gates_settle(cycle & 1, &cycle, &out);
        std::printf("%u ", out);
        halidehw_gates_clock(cycle >= 100);
    }
    halidehw_gates_close();
}
"""


def simulate(flat: Flat, folder) -> tuple[list[int], str]:
    """The outputs of 600 cycles whose inputs are the cycle's number, and the activity of the last 500."""
    (folder / "gates.cpp").write_text(resources.files("halidehw.synthesis").joinpath("gates.cpp").read_text())
    (folder / "driver.cpp").write_text(DRIVER)
    (folder / "netlist.txt").write_text(flat.text())
    headers = find_verilator().root / "include" / "vltstd"
    build = [find_compiler(), "-std=c++20", "-O1", f"-I{headers}", "gates.cpp", "driver.cpp", "-o", "run"]
    subprocess.run(build, cwd=folder, check=True)
    printed = subprocess.run(["./run"], cwd=folder, check=True, capture_output=True, text=True).stdout
    return [int(word) for word in printed.split()], (folder / "activity.txt").read_text()


def test_modules_and_cells_have_plain_names():
    netlist = read_netlist(netlists.counter())
    assert netlist.top == "counter"
    assert set(netlist.modules) == {"counter", "toggle"}
    leaves = [(path, module, cell.name, cell.kind) for path, module, cell in netlist.leaves()]
    assert leaves == [
        ("low/", "toggle", "g0", "FLOP"), ("low/", "toggle", "g1", "XOR"),
        ("high/", "toggle", "g0", "FLOP"), ("high/", "toggle", "g1", "XOR"),
    ]  # fmt: skip


def test_nets_joined_by_ports_are_one():
    flat = flatten(read_netlist(netlists.counter()), netlists.LIBRARY)
    assert flat.number["", 3] == flat.number["low/", 4] == flat.number["high/", 3]
    assert flat.number["low/", 3] == ONE
    assert flat.outputs == (flat.number["", 3], flat.number["", 4], ONE, flat.number["", 9])
    assert flat.inputs == (flat.number["", 9],)


def test_switching_is_counted_net_by_net(tmp_path):
    flat = flatten(read_netlist(netlists.counter()), netlists.LIBRARY)
    outputs, activity_text = simulate(flat, tmp_path)
    assert outputs == [cycle % 4 + 4 + 8 * (cycle % 2) for cycle in range(600)]
    activity = read_activity(activity_text, flat)
    assert activity.cycles == 500
    assert (activity.rate("", 3), activity.duty("", 3)) == (1.0, 0.5)
    assert (activity.rate("high/", 4), activity.duty("high/", 4)) == (0.5, 0.5)
    assert (activity.rate("low/", 3), activity.duty("low/", 3)) == (0.0, 1.0)


def test_macros_keep_words_and_count_accesses(tmp_path):
    """Bits 0 to 2 of the cycle are address and data; written while bit 3 is low, read while it is high."""
    pins = {"write_enable": (6,), "write_address": (2, 3, 4), "write_data": (2, 3, 4), "read_enable": (5,),
            "read_address": (2, 3, 4), "read_data": (7, 8, 9)}  # fmt: skip
    macro = Instance("ram", MACRO, {}, {"WIDTH": 3, "DEPTH": 8, "ADDRESS": 3})
    flat = flatten(read_netlist(netlists.single("INV", "A")), netlists.LIBRARY)
    gate = type(flat.gates[0])(0b01, 6, (5,))
    flat = Flat(10, {}, (2, 3, 4, 5), (7, 8, 9), (gate,), (), (("ram", macro, pins),))
    outputs, activity_text = simulate(flat, tmp_path)
    reading = [cycle for cycle in range(600) if cycle & 8]
    assert [outputs[cycle + 2] for cycle in reading if cycle + 2 < 600] == [c % 8 for c in reading if c + 2 < 600]
    expected = Access(sum(cycle >= 100 for cycle in reading), 500 - sum(cycle >= 100 for cycle in reading))
    assert read_activity(activity_text, flat).accesses == {"ram": expected}


def test_a_netlist_that_cannot_be_evaluated_is_refused():
    with pytest.raises(SynthesisError, match=r"^the netlist has a combinational loop\n"):
        flatten(read_netlist(netlists.loop()), netlists.LIBRARY)
    with pytest.raises(SynthesisError, match=r"^WIDE has 5 inputs; the simulation takes four\n"):
        flatten(read_netlist(netlists.single("WIDE", "ABCDE")), netlists.LIBRARY)
    with pytest.raises(SynthesisError, match=r"^few has no gate or register NAND\n"):
        flatten(read_netlist(netlists.single("NAND", "AB")), netlists.LIBRARY)


def test_structure_names_every_net():
    text = structure(read_netlist(netlists.counter()))
    assert "  FLOP g0 (.CLK({n2}), .D({n5}), .Q({n4}));\n" in text
    assert "  toggle high (.clk({n2}), .enable({n3}), .q({n4}));\n" in text
    assert "  assign wide[2] = 1'b1;\n" in text


def test_the_shell_has_the_ports_of_the_design():
    text = shell(read_netlist(netlists.counter()))
    assert text.startswith("module counter (\n    input logic clk,\n    output logic [2:0] wide,\n")
    assert "always_comb halidehw_gates_settle(edges, {in}, {same, wide});" in text
