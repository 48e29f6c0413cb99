"""One memory that holds input and output of a layer: right where it is taken, refused where a word is still needed."""

from __future__ import annotations

from collections.abc import Callable

import halidehw as hl
from halidehw.errors import HardwareError, ScheduleError
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.refused import proposed

k, x, y, ko, ki = hl.vars("k x y ko ki")
COUNTED = Options(counters="all")
STALLS = Memory(latency=5, stall_probability=0.4)

Said = Callable[[hl.Func, hl.ImageParam, hl.Func], object]


def layers(
    said: Said, channels: int = 4, lanes: int = 4, sums: Callable[[hl.Func], object] = lambda acc: None
) -> hl.Func:
    """`mid`, from 4 channels of 5x6 pixels to 4 or more, four at a time, and a layer that reads it. `sums`: where those
    of `mid` lie."""
    image, w, v = (hl.ImageParam(hl.Int(8), n, name) for n, name in ((3, "image"), (2, "w"), (2, "v")))
    acc, mid, out = map(hl.Func, ("acc", "mid", "out"))
    r, q = hl.RDom([(0, 4)], "r"), hl.RDom([(0, channels)], "q")
    acc[k, x, y] += hl.i32(image[r.x, x, y]) * hl.i32(w[k, r.x])
    mid[k, x, y] = hl.i8(acc[k, x, y] >> 8)
    out[k, x, y] += hl.i32(mid[q.x, x, y]) * hl.i32(v[k, q.x])
    out.set_bounds([(0, 4), (0, 5), (0, 6)])
    acc.update().split(k, ko, ki, 4).reorder(r.x, ki, x, y, ko).unroll(ki).unroll(r.x)
    out.update().reorder(q.x, k, x, y).unroll(k).unroll(q.x, lanes)
    image.in_().compute_root()
    for each in (w, v):
        each.in_().compute_root()
    said(mid, image, out)
    sums(acc)
    return out.accelerate([image, w, v])


def in_place(mid: hl.Func, image: hl.ImageParam, out: hl.Func) -> None:
    mid.compute_root().store_with(image)


def behind(first: int) -> Said:
    """By channels outermost, the first four before the input."""
    return lambda mid, image, out: mid.compute_root().reorder_storage(x, y, k).store_with(image, first)


def alone(mid: hl.Func, image: hl.ImageParam, out: hl.Func) -> None:
    """In place, at the one port of both."""
    in_place(mid, image, out)
    image.in_().single_port()


def by_rows(acc: hl.Func) -> None:
    """Sums of a row of pixels, in one part: the array waits until they are written."""
    acc.in_().compute_at(acc, y).single_buffer()


ONE_PORT = [layers(alone, sums=by_rows), layers(alone, sums=lambda acc: acc.in_().compute_root())]
"""Turns by rows, and once."""


def rows(first: int, said: Callable[[hl.Func], object] = lambda mid: None) -> hl.Func:
    """A 3x3 filter: a row is read until two rows further down are done. The words differ in their bits."""
    image, mid, out = hl.ImageParam(hl.Int(16), 2, "image"), hl.Func("mid"), hl.Func("out")
    r = hl.RDom([(0, 3), (0, 3)], "r")
    mid[x, y] += hl.i32(image[x + r.x, y + r.y]) * (r.x + 2 * r.y)
    out[x, y] = mid[x, y] * 2 + 1
    out.set_bounds([(0, 7), (0, 5)])
    mid.update().reorder(r.x, r.y, x, y)
    image.in_().compute_root()
    mid.compute_root().store_with(image, first)
    said(mid)
    return out.accelerate([image])


def test_they_are_right_in_further_starts_too():
    """In place, behind what is still needed, and rows of a filter, on memories that stall, after an abort and again."""
    designs = [
        Design(layers(in_place), COUNTED, starts=2, abort=90, reset=30),
        Design(layers(behind(30), channels=8), COUNTED, STALLS, starts=2, abort=45),
        Design(rows(0), COUNTED, STALLS, starts=2),
        *(Design(each, COUNTED, starts=2, abort=60) for each in ONE_PORT),
        Design(ONE_PORT[0], COUNTED, STALLS, starts=2, reset=50),
    ]
    check_each(designs)


def test_at_one_port_array_and_writer_take_turns():
    """The array gets its sums back so late that the writer's last word, on its way through the final stage, comes
    before its first read; by the model it takes as many cycles as counted. No cycle is lost where there is one tile."""
    for each, kept in zip(ONE_PORT, (1, 0), strict=True):
        compiled = hl.compile(each)
        home, tenant = (compiled.accelerator.store[name] for name in ("mid_image_in", "mid_store"))
        assert home.one_port and tenant.one_port
        stage = compiled.accelerator.stages[0]
        assert stage.sums[0].kept == kept == (stage.write.latency - 1 - stage.sums[0].drained if kept else 0)
    two = hl.estimate(layers(in_place, sums=lambda acc: acc.in_().compute_root())).cycles.total
    assert hl.estimate(ONE_PORT[1]).cycles.total == two


def test_the_words_of_both_are_one_memory():
    compiled = hl.compile(layers(behind(30), channels=8))
    home, tenant = (compiled.accelerator.store[name] for name in ("mid_image_in", "mid_store"))
    assert (home.first, home.depth, home.banks) == (30, 60, 4)
    assert (tenant.home, tenant.depth, tenant.banks) == ("mid_image_in", 60, 4)
    alone = hl.compile(layers(lambda mid, image, out: mid.compute_root().reorder_storage(x, y, k), channels=8))
    assert alone.verilog.count("_ram #") - compiled.verilog.count("_ram #") == 4
    assert hl.estimate(compiled).cycles.total == hl.estimate(alone).cycles.total


def test_an_output_that_would_overwrite_what_is_still_needed_is_refused():
    """Which tile, when: the second four channels need the input from its first word on."""
    proposed(
        lambda: hl.compile(layers(behind(0), channels=8)), HardwareError,
        "mid.store_with(image): tile 0 of mid is stored after step 1 of 60 of its array, and its word 0 of bank 0 lies "
        "on a word of image that is read until step 31; so do 120 of its 240 words", "mid.store_with(image, 30)",
    )  # fmt: skip
    proposed(
        lambda: hl.compile(layers(behind(29), channels=8)), HardwareError,
        "mid.store_with(image, 29): tile 29 of mid is stored after step 30 of 60 of its array, and its word 29 of bank "
        "0 lies on a word of image that is read until step 31; so do 120 of its 240 words", "mid.store_with(image, 30)",
    )  # fmt: skip


def test_words_that_would_be_nobodys_are_refused():
    proposed(
        lambda: hl.compile(layers(behind(1 << 40), channels=8)), HardwareError,
        "mid.store_with(image, 1099511627776): in each bank mid_store takes 60 words, and those up to word "
        "1099511627776 would be nobody's", "mid.store_with(image, 30)",
    )  # fmt: skip


def test_words_that_would_be_written_while_others_are_read_at_one_port_are_refused_with_their_number():
    """What is proposed is taken."""
    why = "mid.store_with(image): with one port {} of the 120 words of mid are written in cycles in which one of image "
    why += "may be read, as the array goes on with the next tile"
    proposed(lambda: hl.compile(layers(alone)), HardwareError, why.format(116), "acc.in_().compute_root()")
    proposed(
        lambda: hl.compile(layers(alone, sums=lambda acc: acc.in_().compute_at(acc, y))), HardwareError,
        why.format(100), "acc.in_().compute_at(acc, y).single_buffer()",
    )  # fmt: skip
    line = "mid.in_().compute_at(mid, x).single_buffer()"
    proposed(
        lambda: hl.compile(rows(0, lambda mid: mid.single_port())), HardwareError,
        why.replace("120", "35").format(34), line,
    )  # fmt: skip
    assert hl.compile(rows(0, lambda mid: (mid.single_port(), eval(line, {"mid": mid, "x": x})))).verilog


def test_what_cannot_lie_together_is_refused():
    proposed(
        lambda: hl.compile(layers(lambda mid, image, out: mid.compute_at(out, y).store_with(image), channels=8)),
        HardwareError, "mid.store_with(image): mid_store has 4 parts that pass, and is not there as a whole",
        "mid.compute_root()",
    )  # fmt: skip
    proposed(
        lambda: hl.compile(layers(in_place, channels=8, lanes=8)), HardwareError,
        "mid.store_with(image): mid_store is read from 8 banks side by side, and mid_image_in from 4",
    )  # fmt: skip
    proposed(
        lambda: hl.compile(layers(lambda mid, image, out: mid.compute_root().store_with(mid))), HardwareError,
        "mid.store_with(mid): mid reads mid from 0 memories outside its PEs, not from one", "mid.store_with(image)",
    )  # fmt: skip
    proposed(
        lambda: layers(lambda mid, image, out: mid.compute_root().store_with(image, -1)), ScheduleError,
        "mid.store_with takes what it is computed from, and a number of words that is not negative",
        "mid.store_with(acc)", "mid.store_with(image)", "mid.store_with(w)",
    )  # fmt: skip
