"""What is refused is said, and what is proposed is written, in the notation of the program."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from halidehw import compile, estimate, load
from halidehw.cli import main
from halidehw.errors import HalideHWError
from halidehw.frontend.directives import (
    Accelerate,
    ComputeAt,
    Dataflow,
    Reorder,
    RingBuffer,
    SingleBuffer,
    Split,
    Systolic,
)
from halidehw.frontend.text import parse
from halidehw.notation import PYTHON, TEXT

DESIGN = """ImageParam a(Int(8), 2);
Var x, y, xo, xi;
RDom r(0, 3);
Func f;
f(x, y) += cast<int32_t>(a(x + r.x, y));
f.bound(x, 0, 16).bound(y, 0, 4);
f.update().split(x, xo, xi, 8);
a.in().compute_at(f, xo).capacity(4);
f.accelerate({a});
"""

CAPACITY = (
    "a.in().capacity(4): a_in needs 10 words (10 x 1), has 4",
    ("f.update().split(x, xo, xi, 2)", "a.in().compute_at(f, xi)", "a.in().compute_at(f, r.x)", "a.in().capacity(10)"),
)


@pytest.mark.parametrize(
    ("directive", "python", "text"),
    [
        (Split("x", "xo", "xi", 8), "split(x, xo, xi, 8)", "split(x, xo, xi, 8)"),
        (Reorder(("x", "y")), "reorder(x, y)", "reorder(x, y)"),
        (Systolic(("x", "y")), "systolic(x, y)", "systolic({x, y})"),
        (Dataflow("x | y", 4, 4), 'dataflow("x | y", rows=4, cols=4)', 'dataflow("x | y", 4, 4)'),
        (ComputeAt("a", 2, "f", "x"), "a.in_().in_().compute_at(f, x)", "a.in().in().compute_at(f, x)"),
        (RingBuffer("a", 1, 3), "a.in_().ring_buffer(3)", "a.in().ring_buffer(3)"),
        (SingleBuffer("a", 1), "a.in_().single_buffer()", "a.in().single_buffer()"),
        (Accelerate(("a", "b")), "accelerate([a, b])", "accelerate({a, b})"),
    ],
)
def test_a_directive_in_both_notations(directive, python, text):
    assert directive.written(PYTHON) == str(directive) == python
    assert directive.written(TEXT) == text


@pytest.mark.parametrize("use", [compile, estimate], ids=["compile", "estimate"])
def test_a_text_that_is_refused_late(use):
    with pytest.raises(HalideHWError) as caught:
        use(parse(DESIGN))
    assert (caught.value.message, caught.value.legal) == CAPACITY


@pytest.mark.parametrize("command", ["show", "simulate", "estimate", "check", "compile"])
def test_every_command_refuses_a_text_in_its_notation(tmp_path, command):
    file = tmp_path / "design.hh"
    file.write_text(DESIGN)
    output = ("-o", str(tmp_path / "out")) if command == "compile" else ()
    result = CliRunner().invoke(main, [command, str(file), *output])
    assert result.exit_code == 2
    message, legal = CAPACITY
    assert f"halidehw: {message}\n" in result.stderr
    assert re.findall(r"^    (.*)$", result.stderr, re.M)[: len(legal)] == list(legal)
    assert f"at {file}:8" in result.stderr


def test_what_is_proposed_for_a_text_is_a_text():
    for legal in CAPACITY[1]:
        changed = (
            DESIGN.replace("f.update().split(x, xo, xi, 8)", legal)
            if "split" in legal
            else DESIGN.replace(re.findall(r"a\.in\(\)\.compute_at.*(?=;)", DESIGN)[0], f"{legal}.capacity(4)")
            if "compute_at" in legal
            else DESIGN.replace("capacity(4)", "capacity(10)")
        )
        compile(parse(changed))


def test_a_python_design_is_refused_in_python(tmp_path):
    file = tmp_path / "design.py"
    file.write_text(
        "import halidehw as hl\n"
        'x, a, f = hl.Var("x"), hl.ImageParam(hl.Int(8), 1, "a"), hl.Func("f")\n'
        "f[x] = a[x]\n"
        "f.bound(x, 0, 16)\n"
        "a.in_().compute_at(f, x).capacity(4)\n"
        "a.in_().in_().compute_at(f, x)\n"
        "f.accelerate([a])\n"
    )
    with pytest.raises(HalideHWError) as caught:
        compile(load(file))
    assert caught.value.message.startswith("a.in_().in_().compute_at(f, x): it is filled from a.in_()")


def test_a_text_may_be_scheduled_further_in_python():
    design = parse(DESIGN.replace(".capacity(4)", ""))
    design.inputs[0].in_().capacity(12)
    compile(design)


def test_a_directive_on_what_is_no_buffer_yet():
    with pytest.raises(HalideHWError) as caught:
        parse(DESIGN.replace("compute_at(f, xo).", ""))
    assert caught.value.message == "a.in().capacity(4): a.in() is no buffer yet"
    assert caught.value.legal == ("a.in().compute_at(f, x).capacity(4)",)
