"""What a user sees of results: a line at the prompt, pictures in a notebook, one colour a tensor in all of them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import halidehw as hl
from halidehw.driver.run import Result, Written
from halidehw.energy_model.timeline import timeline
from halidehw.report.colours import NO_TENSOR, PALETTE, colours

x, y, xo, xi = map(hl.Var, ("x", "y", "xo", "xi"))


@pytest.fixture(scope="module")
def compiled() -> hl.Compiled:
    """A product with a memory for one operand, and none for the other."""
    r = hl.RDom([(0, 8)])
    a, b, f = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.Int(8), 2, "b"), hl.Func("f")
    f[x, y] += hl.i32(a[r, y]) * hl.i32(b[x, r])
    f.set_bounds([(0, 6), (0, 4)]).update().split(x, xo, xi, 3).unroll(xi)
    b.in_().compute_at(f, xo)
    return hl.compile(f)


def test_results_are_a_line_at_the_prompt(compiled):
    assert re.fullmatch(r"<Compiled f: 3 PEs, \d+ lines of Verilog>", repr(compiled))
    assert re.fullmatch(r"<Estimate of f: \d+ cycles, [\d.]+ pJ by Interstellar, Table 3>", repr(hl.estimate(compiled)))
    right = Result((Written("f", hl.Int(8), np.zeros(3), np.zeros(3)),), {}, 9, 24, 4)
    wrong = Result((Written("f", hl.Int(8), np.ones(3), np.zeros(3)),), {}, 9, 24, 4)
    assert repr(right) == "<Result: right, 24 iterations on 4 PEs in 9 cycles>"
    assert "3 words WRONG" in repr(wrong)


def test_a_notebook_shows_nest_architecture_and_energy(compiled):
    assert "for xi in [0, 3) (3 lanes on dimension 0):" in compiled._repr_html_()
    assert compiled._repr_svg_() in compiled._repr_html_()
    found = hl.estimate(compiled)
    assert "192 iterations on 3 PEs" in found._repr_html_() and found._repr_svg_() in found._repr_html_()
    for drawing in (compiled._repr_svg_(), found._repr_svg_()):
        assert ElementTree.fromstring(drawing).tag.endswith("svg")


def test_a_tensor_has_one_colour_in_all_pictures(compiled):
    pytest.importorskip("matplotlib")
    from matplotlib.colors import to_hex

    found = hl.estimate(compiled)
    paint = colours(port.tensor for port in found.ports)
    assert list(paint.items()) == list(zip(("a", "b", "f"), PALETTE, strict=False))
    boxes = re.findall(r'style="fill: (#\w+)" x="[^"]*" y="([^"]*)"', compiled._repr_svg_())
    assert {colour for colour, _ in boxes} == set(paint.values())
    assert set(re.findall(r'<rect [^>]*fill="(#\w+)"', found._repr_svg_())) == {*paint.values(), NO_TENSOR}
    bars, _, lanes = found.plot().axes
    legend = bars.get_legend()
    painted = zip(legend.get_texts(), legend.legend_handles, strict=True)
    shown = {text.get_text(): to_hex(bar.get_facecolor()) for text, bar in painted}
    assert {name: shown[name] for name in paint} == paint
    labelled = zip(lanes.get_yticklabels(), lanes.collections, strict=True)
    rows = {label.get_text(): to_hex(bar.get_facecolor()[0]) for label, bar in labelled}
    whose = {span.process: span.tensor for span in timeline(compiled.accelerator, until=100)}
    assert rows == {process: paint.get(tensor, NO_TENSOR) for process, tensor in whose.items()}
    assert whose["array"] == "" and whose["writer"] == "f" and whose["b_in_load"] == "b"


def test_a_plot_is_written_where_it_is_said(compiled, tmp_path):
    pytest.importorskip("matplotlib")
    hl.estimate(compiled).plot(tmp_path / "page.svg")
    assert "roofline" in (tmp_path / "page.svg").read_text()
