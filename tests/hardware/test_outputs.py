"""Designs of several outputs, and stages of several values."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import halidehw as hl
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse
from halidehw.frontend.text.writer import write
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_interpreter
from tests.fuzz.designs import Design

WIDTH, HEIGHT = 9, 5
Place = Callable[[hl.Func, hl.Func], object]
x, y = hl.vars("x y")


def apart(inside: bool = False) -> hl.Pipeline:
    """Two outputs that read one stage, neither the other one; the stage at the root, or in the loops of one."""
    image, h, f, g = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("h"), hl.Func("f"), hl.Func("g")
    h[x, y] = hl.u16(image[x, y]) + image[x + 1, y]
    f[x, y] = h[x, y] + h[x, y + 1]
    g[x, y] = h[x, y] * 3
    f.bound(x, 0, WIDTH).bound(y, 0, HEIGHT).vectorize(x, 2)
    g.bound(x, 0, WIDTH).bound(y, 0, HEIGHT + 1)
    h.compute_at(f, y) if inside else h.compute_root()
    return hl.Pipeline([f, g])


def inside(place: Place = lambda h, g: h.store_root().compute_at(g, y)) -> hl.Pipeline:
    """An output that the other one reads, through a line buffer, and is named after it."""
    image, h, g = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("h"), hl.Func("g")
    h[x, y] = hl.u16(image[x, y]) + image[x + 1, y] + image[x, y + 1]
    g[x, y] = h[x, y] - h[x, y + 1]
    g.bound(x, 0, WIDTH).bound(y, 0, HEIGHT)
    place(h, g)
    return hl.Pipeline([g, h])


def sums() -> hl.Pipeline:
    """A reduction, and without another word what is made of it, at the root."""
    image, f, g = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("f"), hl.Func("g")
    r = hl.RDom([(0, 3)], "r")
    f[x, y] += hl.i32(image[x + r.x, y])
    g[x, y] = hl.u8_sat(f[x, y] - f[x, y + 1])
    f.bound(x, 0, WIDTH).bound(y, 0, HEIGHT)
    g.bound(x, 0, WIDTH).bound(y, 0, HEIGHT - 1)
    return hl.Pipeline([f, g])


def several() -> hl.Pipeline:
    """A stage of several values, and an output of several beside one of one."""
    image, h, f, g = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("h"), hl.Func("f"), hl.Func("g")
    h[x, y] = (hl.i16(image[x, y]) - image[x + 1, y], image[x, y])
    g[x, y] = (h[x, y][0] - h[x, y + 1][0], h[x, y][1])
    f[x, y] = hl.cast(hl.Int(9), h[x, y][1])
    g.bound(x, 0, WIDTH).bound(y, 0, HEIGHT)
    f.bound(x, 0, WIDTH).bound(y, 0, HEIGHT + 1)
    h.compute_root()
    return hl.Pipeline([g, f])


def in_steps() -> hl.Pipeline:
    """An output of which another one reads every second row and column: all of it is computed."""
    image, f, g = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("f"), hl.Func("g")
    f[x, y] = hl.u16(image[x, y]) + image[x + 1, y]
    g[x, y] = f[2 * x, 2 * y] + f[2 * x, 2 * y + 2]
    g.bound(x, 0, 3).bound(y, 0, 2)
    f.bound(x, 0, 5).bound(y, 0, 5)
    return hl.Pipeline([g, f])


def again() -> hl.Pipeline:
    """An output of which most rows are computed and written twice: the other one is computed of two at a time."""
    return inside(lambda h, g: h.compute_at(g, y))


MADE = (apart, inside, sums, several, in_steps, again)


def test_several_outputs_in_hardware():
    """Counted by the model too, with memories of a limited rate, and under stalls; every second one on wide ports."""
    designs = []
    for number, make in enumerate(MADE):
        func, options = make(), Options(port_bits=32 * (1 - number % 2), counters="all")
        memories = Memory(), Memory(5, 0.5), Memory(5, stall_probability=0.2)
        free, limited, stalling = (Design(func, options, memory) for memory in memories)
        check_interpreter(free)
        designs += [free, limited, replace(stalling, starts=2, abort=30)]
    check_each(designs)


def test_an_output_that_is_computed_again_is_written_again():
    found = hl.estimate(again(), "table3")
    assert {port.tensor: (port.words, port.least) for port in found.ports if port.tensor == "h"} == {
        "h": (WIDTH * 2 * HEIGHT, WIDTH * (HEIGHT + 1))
    }


def test_the_result_has_each_output_by_name():
    image = np.arange(70).reshape(7, 10)
    result = hl.simulate(inside(), {"image": image}, once=True)
    assert result.match and result.words == WIDTH * (HEIGHT + HEIGHT + 1)
    h = image[:-1, :-1] + image[:-1, 1:] + image[1:, :-1]
    assert np.array_equal(result.outputs["h"], h) and np.array_equal(result.outputs["g"], (h[:-1] - h[1:]) & 0xFFFF)


@pytest.mark.parametrize("make", MADE)
def test_several_outputs_as_text(make):
    text = write(design_of(make()))
    assert "Pipeline design({" in text and write(parse(text)) == text
    assert [func.name for func in parse(text).outputs] == [func.name for func in design_of(make()).outputs]


def test_realize_gives_each_output_as_halide_does():
    halide = pytest.importorskip("halide")
    found = []
    for module, image in ((hl, hl.Buffer), (halide, halide.Buffer)):
        data = image(np.arange(90, dtype=np.uint8).reshape(6, 15) * 7)
        i, j, f, g = module.Var("x"), module.Var("y"), module.Func("f"), module.Func("g")
        f[i, j] = data[i, j] * module.u8(3)
        g[i, j] = f[i, j] + data[i + 1, j]
        found.append(module.Pipeline([g, f]).realize([8, 6]))
    for ours, theirs in zip(*found, strict=True):
        assert np.array_equal(np.asarray(ours), np.asarray(theirs))


def test_what_a_pipeline_is_made_of():
    with pytest.raises(hl.HalideHWError, match="a Pipeline is made of different Funcs"):
        hl.Pipeline([])


def test_an_input_that_accelerate_leaves_out():
    with pytest.raises(hl.HalideHWError, match="f and g read image, not"):
        apart().accelerate([])


def test_an_output_that_is_read_in_part():
    pipeline = inside()
    pipeline.outputs[1].bound(x, 0, WIDTH).bound(y, 0, HEIGHT + 2)
    with pytest.raises(hl.HalideHWError, match=r"\[0, 6\], but read for \[0, 5\]: an output that"):
        hl.compile(pipeline)


def test_a_stage_of_two_outputs_in_the_loops_of_one():
    with pytest.raises(hl.HalideHWError, match="y of f is not a loop of the nest of g") as error:
        hl.compile(apart(inside=True))
    assert error.value.proposed == ("h.compute_root()  # outside all loops",)


def gaps() -> hl.Pipeline:
    """An output that another one reads in steps, computed in its loops."""
    g, f = in_steps().outputs
    f.compute_at(g, y)
    return hl.Pipeline([g, f])


def gaps_further_on() -> hl.Pipeline:
    """One that is read row by row, by a stage of which the last one leaps over every second row."""
    image, f, h, g = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("f"), hl.Func("h"), hl.Func("g")
    f[x, y] = hl.u16(image[x, y]) + 1
    h[x, y] = f[x, y] + f[x + 1, y]
    g[x, y] = h[x, 2 * y]
    g.bound(x, 0, WIDTH).bound(y, 0, HEIGHT)
    h.compute_at(g, y)
    f.compute_at(h, y)
    return hl.Pipeline([g, f])


@pytest.mark.parametrize(("make", "there"), [(gaps, (9, 25)), (gaps_further_on, (50, 90))])
def test_an_output_of_which_elements_would_be_left_out(make, there):
    with pytest.raises(hl.HalideHWError, match="of {1} elements, of which only the {0} that".format(*there)) as error:
        hl.compile(make())
    assert error.value.legal == ("f.compute_root()",)
