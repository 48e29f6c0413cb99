"""What of a pipeline is refused: each with code to paste in place of the line, which is run here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

import halidehw as hl
from halidehw.errors import HardwareError
from tests.scheduler.pipelines import checked


@dataclass(frozen=True)
class Case:
    """A program with one line that is refused, the message, and what is proposed: `together`, in place of the line
    as a whole, else one line or another. `value`: each is what `f` is at its variables."""

    program: str
    wrong: str
    message: str
    legal: tuple[str, ...]
    together: bool = False
    value: str = ""

    def run(self, lines: tuple[str, ...]) -> Any:
        """The last Func, with other lines in place of the one that is refused."""
        text = self.program.replace("WRONG", "; ".join(f"{self.value}{line}" for line in lines))
        names: dict[str, Any] = {"hl": hl}
        exec(compile(START + text, "program", "exec"), names)
        return names["f"]

    @property
    def pasted(self) -> list[tuple[str, ...]]:
        return [self.legal] if self.together else [(self.instead(line),) for line in self.legal]

    def instead(self, line: str) -> str:
        """A line in place of the one that is refused, or of the same directive in it."""
        code = line.partition("#")[0].strip().replace(".in_()", "")
        call = code if re.match(r"\w+\(", code) else code.partition(".")[2]
        new = re.sub(rf"\b{call.partition('(')[0]}\([^)]*\)", call, self.wrong)
        return line if new == self.wrong else new


START = """
x, y = hl.vars("x y")
a, image = hl.ImageParam(hl.UInt(8), 1, "a"), hl.ImageParam(hl.UInt(8), 2, "image")
f, g, h, r = hl.Func("f"), hl.Func("g"), hl.Func("h"), hl.RDom([(1, 3)], "r")
"""

BLUR = """
h[x, y] = hl.i16(image[x, y]) + image[x + 1, y]
f[x, y] = h[x, y] + h[x, y + 1] * 2 + h[x, y + 2]
f.set_bounds([(0, 7), (0, 5)])
WRONG
"""
TWICE = """
h[x, y] = hl.i16(image[x, y]) + image[x + 1, y]
g[x, y] = h[x, y] + h[x, y + 1]
f[x, y] = g[x, y] * h[x, y]
f.set_bounds([(0, 7), (0, 5)])
g.compute_at(f, y)
WRONG
"""
STAGE = BLUR.replace("WRONG", "h.compute_root()\nWRONG")
LINE = "g[x] = hl.i32(a[x]) * 3\nf[x] = {}\nf.bound(x, 0, 7)\nWRONG"

CASES = {
    "no loop of the consumer": Case(
        BLUR, 'h.compute_at(f, "z")',
        "h.compute_at(f, z): z of f is not a loop of the nest of f, whose loops, outer to inner, are y, x",
        ("h.compute_root()    # outside all loops", "h.compute_at(f, y)  # for y", "h.compute_at(f, x)  #   for x")),
    "in its own loops": Case(
        BLUR, "h.compute_at(h, y)", "h.compute_at(h, y): h does not read h", ("h.compute_root()",)),
    "a copy at no loop, kept": Case(
        STAGE, "image.in_().store_root()",
        "image.in_().store_root(): there is no compute_at, so image.in_() is filled at no loop",
        ("image.in_().store_root().compute_at(h, x)", "image.in_().compute_root()")),
    "an output at no loop, kept": Case(
        BLUR, "f.store_root()", "f.store_root(): there is no compute_at, so f is filled at no loop",
        ("f.compute_root()",)),
    "a copy that is kept inside of where it is made": Case(
        BLUR, "image.in_().store_at(f, x).compute_at(f, y)",
        "image.in_().store_at(f, x): it must lie outside loop y, where image.in_() is filled",
        ("image.in_().store_root().compute_at(f, y)", "image.in_().compute_at(f, y)")),
    "a copy of what is inlined": Case(
        BLUR, "h.in_().compute_at(f, y)",
        "h.in_().compute_at(f, y): h is not an input of f; only inputs and the partial sums of f have buffers; remove "
        "the line", ("image.in_().compute_at(f, y)",)),
    "no rows and another variable": Case(
        BLUR, "h.store_root().compute_at(f, y).fold_storage(x, 0)",
        "h.fold_storage(x, 0): h_store of f has no rows along x that pass one by one", ("h.fold_storage(y, 3)",)),
    "no loop that all consumers share": Case(
        TWICE, "h.compute_at(g, x)",
        "h.compute_at(g, x): x of g is not a loop of the nest of f, whose loops, outer to inner, are y, x",
        ("h.compute_root()    # outside all loops", "h.compute_at(f, y)  # for y")),
    "inside the lanes of the consumer": Case(
        BLUR, "f.unroll(x, 3); h.compute_at(f, x)",
        "h.compute_at(f, x): h would be computed inside the lanes of x, in each of them; it is computed outside the "
        "array", ("h.compute_at(f, y)", "h.compute_root()")),
    "a footprint of no constant size": Case(
        LINE.format("g[x] + g[3 * x]"), "g.compute_at(f, x)",
        "g.compute_at(f, x): the reads of g at x and 3*x in dimension 0 move apart as the loops outside step, so no "
        "tile of constant size holds them", ("g.compute_root()",)),
    "a producer without bounds": Case(
        "g[x] = hl.i32(a[x]) * 3\nf[x] = g[x + 1]\ng.compute_root()\nWRONG", "",
        "the extent of x of f is not known", ("f.bound(x, 0, 16)",)),
    "a queue in another order": Case(
        LINE.format("g[7 - x]"), "g.store_root().compute_at(f, x)",
        "g.store_root(): g has no window that slides: x moves it backwards, from greater indices to smaller ones",
        ("g.compute_at(f, x)",)),
    "rows in another order": Case(
        BLUR, "h.reorder(y, x).store_root().compute_at(f, y)",
        "h.compute_at(f, y): its rows pass through a line buffer one after the other, but h is computed along y inside "
        "other loops: outer to inner, h.x, h.y", ("h.reorder(x, y)", "h.compute_root()")),
    "rows inside lanes": Case(
        BLUR, 'xo, xi = hl.vars("xo xi"); f.split(x, xo, xi, 4).reorder(xi, y, xo).unroll(xo); '
        "h.store_root().compute_at(f, y)",
        "h.store_root(): h is filled inside the lanes of xo; one that keeps the overlap of its tiles must be filled "
        "outside the array", ("h.compute_root()",)),
    "a depth too small": Case(
        BLUR, "h.store_root().compute_at(f, y).fold_storage(y, 2)",
        "h.fold_storage(y, 2): a tile of f reads 3 rows of h; it moves on by 1", ("h.fold_storage(y, 3)",)),
    "an index that is data and not clamped": Case(
        "g[x] = hl.i32(a[x]) * 3\nWRONG\nf.bound(x, 0, 7)\ng.compute_root()", "g[hl.i32(a[x]) * a[x + 1] * 3]",
        "the index ((int32(a(x)) * int32(a((x + 1)))) * 3) of g can be 0 .. 195075: a table is held whole, of at most "
        "65536 elements", ("g[hl.clamp(((hl.cast(hl.Int(32), a(x)) * hl.cast(hl.Int(32), a((x + 1)))) * 3), 0, 255)]",),
        value="f[x] = "),
    "two updates that could meet": Case(
        "f[x] = 0\nWRONG\nf.bound(x, 0, 16)", "f[hl.i32(a[r]) & 15] += 1; f.update().unroll(r)",
        "r.x has 3 lanes, which could update the same element of f in one cycle; an iteration follows another one",
        ("f[x] += hl.select((hl.cast(hl.Int(32), a(r.x)) & 15) == x, 1, 0)",), together=True),
    "a quotient of a reader's row": Case(
        "g[x, y] = hl.i32(image[x, y]) * 3\nh[x, y] = g[x, y / 2] - g[x, (y + 1) / 2]\n"
        "f[x, y] = h[x, y] + image[x, y]\nf.set_bounds([(0, 7), (0, 5)])\ng.compute_root()\nWRONG",
        "h.store_root().compute_at(f, y)", "the index (y / 2) of g is not affine in the loops: an address must be a "
        "sum of loops, each multiplied by a constant", ("h.compute_root()",)),
    "a variable divisor": Case(
        "g[x] = hl.i32(a[x]) * 3\nWRONG\nf.set_bounds([(0, 7), (0, 3)])\ng.compute_root()", "f[x, y] = g[x / (y + 1)]",
        "the index (x / (y + 1)) of g is not affine in the loops: an address must be a sum of loops, each multiplied "
        "by a constant",
        ('r = hl.RDom([(0, 7)], "r")', "f[x, y] += hl.select((x / (y + 1)) == r.x, g(r.x), 0)"), together=True),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_proposed_can_be_pasted(name):
    case = CASES[name]
    with pytest.raises(hl.HalideHWError) as error:
        hl.compile(case.run((case.wrong,)))
    assert (error.value.message, error.value.legal) == (case.message, case.legal)
    for lines in case.pasted:
        checked(case.run(lines))


def test_a_place_that_cannot_be_lowered_is_not_proposed():
    """At `y`, which `g` and `f` share, the rows of `h` would move on by two and by one."""
    program = BLUR.replace("f[x, y] = h[x, y] + h[x, y + 1] * 2", "g[x, y] = h[x, 2 * y]; f[x, y] = g[x, y] + h[x, y]")
    case = Case(f"{program}\ng.compute_at(f, y)", "h.compute_at(g, x)", "", ("h.compute_root()  # outside all loops",))
    with pytest.raises(hl.HalideHWError) as error:
        hl.compile(case.run((case.wrong,)))
    assert error.value.legal == case.legal
    checked(case.run(case.legal))
    with pytest.raises(hl.HalideHWError, match="their parts move apart"):
        hl.compile(case.run(("h.compute_at(f, y)",)))


LOOPS = 'xo, xi, yo, yi = hl.vars("xo xi yo yi")\n'
TABLE = "g[x] = hl.i32(a[x]) * 3\nWRONG\nf.bound(x, 0, 7)\ng.compute_root()"
HALF = BLUR.replace("h[x, y + 1]", "h[x / 2, y]") + "h.compute_root()"
FINAL = "g[x, y] += hl.i32(image[x + r, y])\nf[x, y] = hl.max(g[x, y], 3)\nf.set_bounds([(0, 7), (0, 5)])\nWRONG"
ODD = {
    "a loop that is split": (BLUR, "f.split(x, xo, xi, 3); h.compute_at(f, x)"),
    "in its own loops": (BLUR, "f.compute_at(f, x)"),
    "kept nowhere": (BLUR, "h.store_root()"),
    "all rows side by side": (BLUR, "f.unroll(y, 5); h.compute_at(f, y)"),
    "inside a systolic loop": (BLUR, "f.unroll(x, 7).systolic(x); h.compute_at(f, x)"),
    "at two paces": (BLUR.replace("h[x, y + 1] * 2", "h[2 * x, y]"), "h.compute_at(f, x)"),
    "transposed": (BLUR.replace("h[x, y + 1] * 2", "h[y, x]"), "h.compute_at(f, y)"),
    "rows from the last one": (BLUR.replace("h[x, y] + h[x, y + 1] * 2 + h[x, y + 2]", "h[x, 4 - y]"),
                               "h.store_root().compute_at(f, y)"),
    "rows in blocks the other way": (
        BLUR, "h.split(y, yo, yi, 2).reorder(yo, x, yi).store_root().compute_at(f, y)"),
    "rows with lanes": (BLUR, "h.unroll(y, 2).store_root().compute_at(f, y)"),
    "folded along columns": (BLUR, "h.store_root().compute_at(f, y).fold_storage(x, 3)"),
    "too few inside lanes": (BLUR, "f.unroll(x, 7); h.store_root().compute_at(f, x).fold_storage(y, 2)"),
    "one row": (BLUR, "h.store_root().compute_at(f, y).fold_storage(y, 1)"),
    "bounds too small": (BLUR, "h.bound(y, 0, 5); h.compute_root()"),
    "a loop of the first of two readers": (TWICE, "h.store_root().compute_at(g, x)"),
    "a loop that is not there beside lanes": (BLUR, "f.vectorize(x, 4); h.store_root().compute_at(f, 'z')"),
    "beside tasks": (BLUR, "f.parallel(y, 2); h.compute_at(f, 'z')"),
    "lanes that are no box": (HALF, "f.vectorize(x, 3)"),
    "lanes of a split that are no box": (HALF, "f.split(x, xo, xi, 6).unroll(xi, 5)"),
    "no lanes": (BLUR, "f.vectorize(x, 0)"),
    "folded along lanes": (BLUR, "f.vectorize(x, 4); h.store_root().compute_at(f, y).fold_storage('x_lanes', 3)"),
    "more rows along columns": (BLUR, "h.store_root().compute_at(f, y).fold_storage(x, 100)"),
    "what is computed at write-back": (FINAL, "f.vectorize(x, 3)"),
    "kept outside of what it is filled from": (
        BLUR.replace("WRONG", "f.split(y, yo, yi, 2)\nh.compute_at(f, yo)\nWRONG"),
        "h.in_().store_root().compute_at(f, yi)"),
    "a copy that passes in two ways": (
        TWICE.replace("h[x, y] + h", "image[y, x] + h"),
        "h.compute_at(f, y); image.in_().store_root().compute_at(f, y)"),
    **{f"at {index}": (TABLE, f"f[x] = g[{index}]") for index in (
        "hl.i32(a[x]) * a[x] * 7", "hl.max(hl.i32(a[x]) * 1000, 0)", "hl.i32(a[x]) << 12", "x / (x + 1)", "x / -2",
        "7 / (x + 1)", "x * x", "x & 3", "hl.select(x < 3, x, 0)", "x % (x + 1)")},
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_variants(name):
    """Refused at the user's own line, and what is proposed can be pasted."""
    program, wrong = ODD[name]
    case = Case(LOOPS + program, wrong, "", ())
    with pytest.raises(hl.HalideHWError) as error:
        hl.compile(case.run((wrong,)))
    assert error.value.legal and error.value.source is not None
    legal = tuple(f"f[x] = {line}" if line.startswith("g[") else line for line in map(str, error.value.legal))
    case = Case(LOOPS + program, wrong, "", legal, together="RDom" in legal[0])
    for lines in case.pasted:
        checked(case.run(lines))


def test_no_more_lanes_are_proposed_than_a_loop_has():
    wrong = "f.split(x, xo, xi, 3).vectorize(xi, 4)"
    with pytest.raises(hl.HalideHWError, match="3 lanes are no box") as error:
        hl.compile(Case(LOOPS + HALF, wrong, "", ()).run((wrong,)))
    assert error.value.legal == ("vectorize(xi, 2)",)


def test_lanes_of_a_recurrence_are_refused_at_the_line_that_makes_them():
    """Of a part of a loop as well."""
    program = """r = hl.RDom([(1, 2)])
g[x, y] = hl.i32(image[x, y])
g[r, y] = g[r - 1, y] + image[r / 2, y]
f[x, y] = g[x, y]
f.set_bounds([(0, 7), (0, 5)])
g.compute_root()
g.update().WRONG
"""
    wrong = "unroll(r.x, 2)"
    with pytest.raises(hl.HalideHWError, match="follow one another along it") as error:
        hl.compile(Case(program, wrong, "", ()).run((wrong,)))
    (legal,) = error.value.legal
    assert error.value.source and error.value.source.line == (START + program).count("\n")
    checked(Case(program, wrong, "", ()).run((legal.removeprefix("g.update()."),)))


def test_what_is_proposed_has_no_names_but_the_program_s():
    places = "image_in.compute_root()", "f.unroll(x, 2)  # x_lanes"
    proposals = (*places, "image_in.reorder(y, x)", "f.unroll(x_lanes, 2)")
    error = HardwareError("...", legal=proposals).naming({"image_in": "image.in_()", "x_lanes": ""})
    assert error.legal == ("image.in_().compute_root()", "f.unroll(x, 2)  # x_lanes")


def test_a_place_at_a_loop_that_a_later_line_makes():
    case = Case(LOOPS + BLUR, "h.compute_at(f, xo); f.split(x, xo, xi, 3)", "", ())
    checked(case.run((case.wrong,)))


def passing_over(place: str) -> hl.Func:
    """Two stages, each of which passes over rows of what both read."""
    x, y = hl.vars("x y")
    image, g, h, f = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("g"), hl.Func("h"), hl.Func("f")
    g[x, y] = hl.i32(image[x, 4 * y])
    h[x, y] = hl.i32(image[x, 4 * y]) + image[x, 4 * y + 1]
    f[x, y] = g[x, y] + h[x, y]
    g.compute_at(f, y)
    h.compute_at(f, y)
    eval(place, {"image": image, "f": f, "y": y})
    return f.set_bounds([(0, 6), (0, 5)])


def test_rows_that_no_reader_takes_are_refused():
    with pytest.raises(HardwareError, match="others take what lies between") as error:
        hl.compile(passing_over("image.in_().store_root().compute_at(f, y)"))
    (line,) = map(str, error.value.legal)
    checked(passing_over(line))
