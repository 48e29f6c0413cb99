"""What goes to OpenSTA and what comes back."""

from __future__ import annotations

import numpy as np
import pytest

from halidehw.errors import SynthesisError
from halidehw.synthesis.activity import Activity
from halidehw.synthesis.flat import flatten
from halidehw.synthesis.macros import macro_library
from halidehw.synthesis.netlist import MACRO, Instance, read_netlist
from halidehw.synthesis.power import Analysis, Power, activities, check_switching, halved, read_report, switching
from tests.synthesis import netlists

REPORT = """Startpoint: accelerator/g1 (rising edge-triggered flip-flop clocked by clk)
   9.7500   data required time
  -3.2500   data arrival time
-----------------------------------
   6.5000   slack (MET)

instances
       Internal      Switching        Leakage          Total
          Power          Power          Power          Power
------------------------------------------------------------
 2.37e-05 5.6e-07 1.6e-10 2.426e-05 accelerator/array/g1
 0.00e+00 0.0e+00 0.0e+00 0.000e+00 accelerator/array
 1.00e-06 2.0e-06 3.0e-11 3.000e-06 start_0
"""

LIBRARY = """cell(FLOP) {
  pin(CLK) { clock : true; internal_power() { rise_power(t) { index_1 ("0.06"); values ("0.02, 4e-3"); } } }
  pin(D) { internal_power() { rise_power(t) { values ("0.5"); } } }
  pin(Q) { internal_power() { related_pin : "CLK"; fall_power(t) { values ("1.0", \\
    "-3"); } } }
}
"""


def test_the_report_is_read():
    found = read_report(REPORT, 10.0)
    assert found.critical_ns == 3.5
    assert found.power["array/g1"] == Power(2.37e-05, 5.6e-07, 1.6e-10)
    assert set(found.power) == {"array/g1", "array"}


def test_another_report_is_refused():
    with pytest.raises(SynthesisError, match=r"^OpenSTA's report is not as expected:\nError: power\.tcl"):
        read_report("Error: power.tcl, 3 no such file", 10.0)


def test_switching_is_that_of_loads():
    """Of the two counter bits, 500 and 250 changes: what the low one drives (both exclusive ors) is 0.75 pF, the high
    one 0.5; each exclusive or drives 1 pF of a register, and changes as often as its register."""
    flat = flatten(read_netlist(netlists.counter()), netlists.LIBRARY)
    toggles = np.zeros(flat.nets, np.int64)
    for path, net, changes in (("low/", 4, 500), ("low/", 5, 500), ("high/", 4, 250), ("high/", 5, 250)):
        toggles[flat.number[path, net]] = changes
    activity = Activity(500, flat.number, toggles, toggles, {})
    charged = (500 * 0.75 + 250 * 0.5 + (500 + 250) * 1.0) / 500
    assert switching(read_netlist(netlists.counter()), activity, netlists.LIBRARY) == pytest.approx(
        0.5 * charged * 1.8**2
    )


def test_registers_before_the_inputs_have_the_inputs_activity():
    """OpenSTA found theirs itself, as of inputs at rest, and that of all gates behind them: 1 % of a line buffer's."""
    netlist = read_netlist(netlists.counter())
    flat = flatten(netlist, netlists.LIBRARY)
    toggles = np.zeros(flat.nets, np.int64)
    toggles[flat.number["", 9]] = 100
    lines = activities(netlist, Activity(500, flat.number, toggles, toggles, {}), netlists.LIBRARY)
    assert lines[:2] == ["in_0/D 0.2 0.2\n", "in_0/Q 0.2 0.2\n"]
    assert all(line.startswith("accelerator/") for line in lines[2:])


def test_other_switching_than_expected_is_refused():
    found = Analysis(1.0, {"g1": Power(1.0, 2.0, 0.0)})
    check_switching(found, 2.001)
    with pytest.raises(SynthesisError, match=r"^OpenSTA reports 2 W of switching, the activity makes 3 W\n"):
        check_switching(found, 3.0)


def test_energies_of_outputs_and_clocks_are_halved():
    found = halved(LIBRARY)
    assert 'index_1 ("0.06"); values ("0.01, 0.002")' in found
    assert 'rise_power(t) { values ("0.5"); }' in found
    assert 'values ("0.5", \\\n    "-1.5")' in found


def test_a_macro_has_registered_ports():
    text = macro_library([Instance("ram", MACRO, {}, {"WIDTH": 16, "DEPTH": 100, "ADDRESS": 7})] * 2)
    assert text.count("cell(macro_16x100)") == 1
    assert "bus(read_data) {\n      bus_type : bus16;\n      direction : output;" in text
    assert text.count("timing_type : rising_edge;") == 1
    assert text.count("timing_type : setup_rising;") == 5
