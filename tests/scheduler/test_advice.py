"""What is proposed for updates side by side and for a gather can be pasted, can be built, and computes the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import halidehw as hl
from halidehw.frontend.pipeline import inputs_of
from halidehw.frontend.text import parse

x, y = hl.vars("x y")
VALUES = np.array([3, 1, 0, 2, 3, 3, 1, 2, 0, 1, 2, 3, 0], np.uint8)
TABLE = np.array([7, -5, 100, -30000, 12, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11], np.int16)


class Design:
    """Inputs `a` and `t`, a domain `r`, and a Func `f` that some function defines."""

    def __init__(self, define: Callable[[Design], None] | None = None):
        self.a, self.t = hl.ImageParam(hl.UInt(8), 1, "a"), hl.ImageParam(hl.Int(16), 1, "t")
        self.r, self.f = hl.RDom([(0, 5)], "r"), hl.Func("f")
        if define:
            define(self)

    def paste(self, lines: tuple[str, ...]) -> None:
        """Runs lines of a message; one that is no assignment is the Func's value."""
        names = {"hl": hl, "x": x, "y": y, "a": self.a, "t": self.t, "r": self.r, "f": self.f}
        for line in lines:
            exec(line if "=" in line.replace("==", "") else f"f[x] = {line}", names)

    def values(self) -> np.ndarray:
        given = {"a": VALUES, "t": TABLE}
        inputs = {image.name: given[image.name] for image in inputs_of(self.f)}
        return hl.reference(self.f, inputs, SIZES[: self.f.dimensions])


SIZES = [8, 4]


def histogram(d: Design) -> None:
    d.f[x] = 0
    d.f[hl.i32(d.a[d.r])] += 1
    d.f.update().unroll(d.r)


def largest(d: Design) -> None:
    d.f[x, y] = hl.i16(5)
    d.f[x, hl.i32(d.a[d.r])] = hl.max(d.f[x, hl.i32(d.a[d.r])], d.t[d.r + x])
    d.f.update().unroll(d.r)


def masked(d: Design) -> None:
    d.f[x] = hl.u8(255)
    d.f[hl.i32(d.a[d.r])] = d.f[hl.i32(d.a[d.r])] & d.a[d.r + 1]
    d.f.update().unroll(d.r)


def table(d: Design) -> None:
    d.f[x] = d.t[x * x % 4] * 2 + 1


def summed_from_a_table(d: Design) -> None:
    d.f[x] += hl.i32(d.t[x * d.r & 15])


def clamped(d: Design) -> None:
    d.f[x] = d.t[hl.clamp(x - 2, 0, 4)]


def clamped_below(d: Design) -> None:
    d.f[x] = d.t[hl.max(x - 2, 0)]


CASES = [histogram, largest, masked, table, summed_from_a_table, clamped, clamped_below]


@pytest.mark.parametrize("define", CASES, ids=lambda define: define.__name__)
def test_what_is_proposed_computes_the_same(define):
    asked, pasted = Design(define), Design()
    asked.f.set_bounds([(0, size) for size in SIZES[: asked.f.dimensions]])
    with pytest.raises(hl.HalideHWError, match=r"not affine|has 5 lanes, which could update") as error:
        hl.compile(asked.f)
    assert error.value.legal
    if asked.f.stages[1:] and not asked.f.pure.implied:
        pasted.f[asked.f.pure.args] = asked.f.pure.value
    pasted.paste(error.value.legal)
    pasted.f.set_bounds([(0, size) for size in SIZES[: pasted.f.dimensions]])
    np.testing.assert_array_equal(pasted.values(), asked.values())
    assert hl.compile(pasted.f).verilog


def test_in_a_text():
    head = "ImageParam a(UInt(8), 1), t(Int(16), 1); Var x;"
    end = "f.bound(x, 0, 8);"
    design = parse(f"{head} Func f; f(x) = t(x * x % 4) + cast<int16_t>(a(x)); {end}")
    with pytest.raises(hl.HalideHWError) as error:
        hl.compile(design.output)
    domain, line = error.value.legal
    assert domain == "RDom r(0, 4);"
    again = parse(f"{head} {domain} Func f; {line}; {end}")
    inputs = {"a": VALUES, "t": TABLE}
    np.testing.assert_array_equal(hl.reference(again.output, inputs), hl.reference(design.output, inputs))
