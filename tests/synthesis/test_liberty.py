"""Cell libraries and their functions."""

from __future__ import annotations

from itertools import product

import pytest

from halidehw.errors import SynthesisError
from halidehw.synthesis.liberty import Register, read_library, truth_table

LIBRARY = """/* a library of few cells */
library(few) {
  nom_voltage : 1.8;
  cell (AND3) {
    area : 4.5;
    pin(A) { direction : input; }
    pin(B) { direction : input; }
    pin(C) { direction : input; }
    pin(Y) {
      direction : output;
      function : "(A B) C";
      timing() { related_pin : "A"; values ("1, 2", \\
        "3, 4"); }
    }
  }
  cell (FLOP) {
    area : 9;
    ff (IQ, IQN) { next_state : "D"; clocked_on : "CLK"; }
    pin(D) { direction : input; }
    pin(CLK) { direction : input; clock : true; }
    pin(Q) { direction : output; function : "IQ"; }
  }
  cell (FLOP_RESET) {
    ff (IQ, IQN) { next_state : "D"; clocked_on : "CLK"; clear : "R"; }
    pin(D) { direction : input; }
    pin(CLK) { direction : input; }
    pin(R) { direction : input; }
    pin(Q) { direction : output; function : "IQ"; }
  }
  cell (LATCH) {
    latch (IQ, IQN) { data_in : "D"; enable : "E"; }
    pin(D) { direction : input; }
    pin(E) { direction : input; }
    pin(Q) { direction : output; function : "IQ"; }
  }
  cell (FILL) { area : 1; }
}
"""


@pytest.fixture
def library(tmp_path):
    (tmp_path / "few.lib").write_text(LIBRARY)
    return read_library(tmp_path / "few.lib")


def test_gates_and_plain_registers_are_read(library):
    assert (library.name, library.voltage) == ("few", 1.8)
    assert set(library.cells) == {"AND3", "FLOP"}
    assert library.cells["AND3"].area == 4.5
    assert library.cells["AND3"].tables == {"Y": 1 << 7}
    assert library.register.register == Register("Q", "D", "CLK")


def test_a_cell_that_is_not_there_is_named(library):
    with pytest.raises(SynthesisError, match=r"^few has no gate or register LATCH\n"):
        library.cell("LATCH")


@pytest.mark.parametrize(
    ("function", "meaning"),
    [
        ("!(A+B)", lambda a, b, c: not (a or b)),
        ("A' B", lambda a, b, c: not a and b),
        ("(A*B)'|C", lambda a, b, c: not (a and b) or c),
        ("A ^ B C", lambda a, b, c: a != (b and c)),
        ("((A B)+(B C))+(C A)", lambda a, b, c: a + b + c > 1),
        ("1", lambda a, b, c: True),
    ],
)
def test_truth_tables(function, meaning):
    table = truth_table(function, ("A", "B", "C"))
    for c, b, a in product((0, 1), repeat=3):
        assert table >> (a + 2 * b + 4 * c) & 1 == bool(meaning(a, b, c)), (function, a, b, c)


def test_a_function_that_is_none():
    with pytest.raises(SynthesisError, match=r"^'A \+' is no Boolean function\n"):
        truth_table("A +", ("A",))
    with pytest.raises(SynthesisError, match=r"^a function of B, which is no input; inputs are A\n"):
        truth_table("A B", ("A",))


def test_what_is_not_liberty_is_refused_with_its_line(tmp_path):
    (tmp_path / "broken.lib").write_text("library(x) {\n  cell(A) {\n  area = 3;\n}\n}\n")
    with pytest.raises(SynthesisError) as caught:
        read_library(tmp_path / "broken.lib")
    assert caught.value.message == "this is not Liberty"
    assert (caught.value.source.line, caught.value.source.text) == (3, "area = 3;")
