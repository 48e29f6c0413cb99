"""Tensors outside in any order, in blocks, with padding: the same values, the same counts."""

from collections.abc import Callable

import numpy as np
import pytest

import halidehw as hl
from halidehw.driver.extra import beside
from halidehw.errors import CostError, HardwareError
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower_graph
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.refused import refused

x, y, k, ko, ki = hl.vars("x y k ko ki")
WIDTH, HEIGHT, CHANNELS, FILTERS = 9, 4, 6, 10

Change = Callable[[hl.ImageParam, hl.ImageParam, hl.OutputImageParam], object]


def conv(change: Change, lanes: int = 2) -> hl.Func:
    """3x2 filters, as many of them at a time as there are lanes, padded by zeros."""
    r = hl.RDom([(-1, 3), (0, 2), (0, CHANNELS)], "r")
    image, w, f = hl.ImageParam(hl.Int(8), 3, "image"), hl.ImageParam(hl.Int(8), 4, "w"), hl.Func("f")
    padded = hl.BoundaryConditions.constant_exterior(image, 3, [(0, WIDTH), (0, HEIGHT), (0, CHANNELS)])
    f[x, y, k] += hl.i32(padded[x + r.x, y + r.y, r.z]) * hl.i32(w[r.x, r.y, r.z, k])
    f.bound(x, 0, WIDTH).bound(y, 0, HEIGHT).bound(k, 0, FILTERS)
    change(image, w, f.output_buffer())
    f.update().split(k, ko, ki, 4).reorder(r.x, r.y, r.z, ki, x, y, ko).unroll(ki, lanes).unroll(r.z, 2)
    image.in_().compute_at(f, y)
    w.in_().compute_at(f, ko)
    return f


def channels_first(image: hl.ImageParam, w: hl.ImageParam, out: hl.OutputImageParam) -> None:
    """NHWC, and weights as HWCN, their rows padded."""
    image.reorder_storage(2, 0, 1)
    w.reorder_storage(3, 2, 0, 1)
    w.align_storage(3, 16)
    out.reorder_storage(2, 0, 1)
    out.dim(1).set_stride(128)


def in_blocks(image: hl.ImageParam, w: hl.ImageParam, out: hl.OutputImageParam) -> None:
    """NCHWc: blocks that the channels do not fill, and more of the output than the array makes at once."""
    image.dim(2).set_block(2)
    w.dim(2).set_block(4)
    w.dim(3).set_block(2)
    out.dim(2).set_block(8)


def plain(image: hl.ImageParam, w: hl.ImageParam, out: hl.OutputImageParam) -> None:
    """As without a word."""


def narrow() -> hl.Pipeline:
    """Elements of four bits, two in a byte; a table; a stage whose values are written and read."""
    image, table = hl.ImageParam(hl.UInt(4), 2, "image"), hl.ImageParam(hl.Int(9), 2, "table")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = hl.cast(hl.UInt(4), image[x, y] + image[x + 1, y])
    f[x, y] = hl.i32(table[hl.i32(g[x, y]), hl.i32(image[x, y]) % 3]) + g[x + 1, y]
    image.reorder_storage(1, 0)
    image.align_storage(1, 4)
    table.reorder_storage(1, 0)
    g.output_buffer().dim(0).set_block(4)
    f.output_buffer().reorder_storage(1, 0)
    f.bound(x, 0, 7).bound(y, 0, 3)
    image.dim(1).set_bounds(0, 3)
    table.dim(0).set_bounds(0, 16)
    return hl.Pipeline([g, f])


def test_hardware() -> None:
    """Ports of 32 bits: of several words where a dimension is dense."""
    ports = Options(port_bits=32, counters="all")
    slow = Memory(latency=7, words_per_cycle=0.5)
    designs = [
        Design(conv(channels_first), ports, Memory(stall_probability=0.3), further=True, starts=2),
        Design(conv(in_blocks), ports, slow), Design(conv(plain), ports, slow),
        Design(narrow(), Options(port_bits=8, counters="all"), slow, abort=40),
    ]  # fmt: skip
    runs = check_each(designs)
    blocks, dense = runs[1].counters, runs[2].counters
    assert blocks["image_words"] == dense["image_words"] and blocks["f_words"] == dense["f_words"]
    first = designs[0].accelerator.interface.ports
    assert [(port.name, port.lanes) for port in first] == [("image", 4), ("w", 4), ("f", 1)]
    assert designs[0].graph.output.output.span == 3 * 128 + (WIDTH - 1) * FILTERS + FILTERS


def pointwise(name: str, width: int, channels: int, filters: int, padded: int) -> hl.Func:
    """A layer in blocks of four channels, whose output's rows are padded."""
    r, co, ci = hl.RDom([(0, channels)], "r"), hl.RVar("co"), hl.RVar("ci")
    image, w, f = hl.ImageParam(hl.Int(8), 3, "image"), hl.ImageParam(hl.Int(8), 2, "w"), hl.Func(name)
    f[x, y, k] += hl.i32(image[x, y, r.x]) * w[r.x, k]
    f.set_bounds([(0, width), (0, 3), (0, filters)])
    f.update().split(k, ko, ki, 4).split(r.x, co, ci, 2).reorder(ci, ki, x, co, y, ko).unroll(ci).unroll(ki)
    image.in_().compute_at(f, y)
    w.in_().compute_at(f, ko)
    image.dim(2).set_block(4)
    f.output_buffer().dim(2).set_block(4)
    f.output_buffer().align_storage(0, padded)
    return f


def test_machine() -> None:
    """Strides are numbers of a program, like all that addresses move by."""
    layers = [pointwise("first", 5, 8, 8, 1), pointwise("second", 7, 6, 12, 8)]
    draw = np.random.default_rng(0)
    inputs = [{name: draw.integers(-128, 128, shape, np.int8) for name, shape in (("image", image), ("w", w))}
              for image, w in (((8, 3, 5), (8, 8)), ((6, 3, 7), (12, 6)))]  # fmt: skip
    found = hl.machine(layers, counters=10, port_bits=32).simulate([*zip(layers, inputs, strict=True)][::-1])
    assert [result.match for result in found] == [True, True]


def test_words_between_elements() -> None:
    """A design that writes beside its output is wrong, though every element is right."""
    nest = lower_graph(design_of(conv(channels_first))).output
    memory = np.full(nest.output.span, hl.Int(32).wrap(0x5555_5555))
    assert beside(nest, memory, 1) == 0
    memory[FILTERS * WIDTH] = 0
    assert beside(nest, memory, 1) == 1


def test_addresses() -> None:
    nest = lower_graph(design_of(conv(in_blocks))).output
    layout = nest.output.layout
    assert layout is not None
    found = layout.addresses(nest.output.extents)
    assert found[9, 3, 8] == 9 % 8 + 8 * (8 + WIDTH * (3 + HEIGHT * (9 // 8)))
    words = np.arange(nest.output.words)
    assert (nest.output.taken(nest.output.laid(words)) == words).all()


@pytest.mark.parametrize("change", [channels_first, in_blocks])
def test_text(change: Change) -> None:
    """A layout is written, and read again, as it was said."""
    whole = design_of(conv(change))
    text = write(whole)
    assert write(parse(text)) == text
    assert lower_graph(parse(text)).output.output == lower_graph(whole).output.output


def test_dense_is_dense() -> None:
    """What is said of a tensor that lies so anyway changes nothing."""
    said = conv(lambda image, w, out: (image.reorder_storage(0, 1, 2), out.dim(1).set_stride(WIDTH)))
    assert hl.compile(said).verilog == hl.compile(conv(plain)).verilog


def test_set_min() -> None:
    """The indices of an input are moved, those of a Func are bound."""
    image, f = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Func("f")
    image.dim(0).set_bounds(0, 8)
    image.dim(0).set_min(-2)
    f[x] = image[x]
    f.set_estimate(x, 0, 4)
    f.output_buffer().dim(0).set_min(1)
    assert (image.dim(0).max(), f.output_buffer().left(), f.output_buffer().width()) == (5, 1, 4)


# --- what is refused


def lowered(change: Change) -> Callable[[], object]:
    return lambda: derive(lower_graph(design_of(conv(change))), Options())


def test_elements_on_each_other() -> None:
    refused(
        lowered(lambda image, w, out: image.dim(1).set_stride(8)),
        "elements of image lie on each other: dimension 1 goes on by 8, and dimension 0, 9 elements 1 apart, reaches "
        "over 9",
        "image.dim(1).set_stride(9)",
    )


@pytest.mark.parametrize("stride", [0, -3])
def test_no_stride(stride: int) -> None:
    refused(
        lowered(lambda image, w, out: out.dim(0).set_stride(stride)),
        f"f.output_buffer().dim(0).set_stride({stride}): it takes a positive number of elements (an index that is "
        "turned round, size - 1 - x, goes backwards)",
        "f.output_buffer().dim(0).set_stride(16)",
    )


def test_a_stride_that_is_not_aligned() -> None:
    def change(image: hl.ImageParam, w: hl.ImageParam, out: hl.OutputImageParam) -> None:
        image.align_storage(0, 8)
        image.dim(1).set_stride(12)

    refused(
        lowered(change),
        "dimension 0 of image is aligned to multiples of 8, so that dimension 1 goes on by multiples of 8 elements; "
        "12 = 1 * 8 + 4",
        "image.dim(1).set_stride(16)",
    )


def test_a_row_that_begins_within_a_byte() -> None:
    f, image = hl.Func("f"), hl.ImageParam(hl.UInt(2), 2, "image")
    f[x, y] = image[x, y]
    image.dim(1).set_stride(9)
    refused(
        lambda: lower_graph(f.bound(x, 0, 5).bound(y, 0, 2)),
        "dimension 1 of image goes on by 9 elements of 2 bits, which is 2.25 bytes: each step begins a byte, of 4 "
        "elements",
        "image.dim(1).set_stride(12)",
    )


def test_no_order() -> None:
    refused(
        lowered(lambda image, w, out: image.reorder_storage(0, 2)),
        "image.reorder_storage takes each of the dimensions 0 .. 2 once, not 0, 2",
        "image.reorder_storage(2, 1, 0)",
    )


def test_no_dimension() -> None:
    refused(
        lowered(lambda image, w, out: image.align_storage(3, 4)), "image has dimensions 0 .. 2, not 3",
        "image.align_storage(0, 4)", "image.align_storage(1, 4)", "image.align_storage(2, 4)",
    )  # fmt: skip


def test_reads_across_blocks() -> None:
    """The pixels that a filter covers begin anywhere in a block."""
    f, image, r = hl.Func("f"), hl.ImageParam(hl.UInt(8), 1, "image"), hl.RDom([(0, 3)], "r")
    f[x] += hl.i32(image[x + r.x])
    image.dim(0).set_block(4)
    refused(
        lambda: derive(lower_graph(f.bound(x, 0, 16)), Options()),
        "image lies in blocks of 4 along dimension 0, where its index would go from 0 to 5 within one; one loop, which "
        "begins at a block, may go through it",
        "image.dim(0).set_block(1)",
    )


def test_a_boundary_within_a_block() -> None:
    f, image = hl.Func("f"), hl.ImageParam(hl.UInt(8), 1, "image")
    f[x] = hl.BoundaryConditions.constant_exterior(image, 0, [(0, 6)])[x]
    image.dim(0).set_block(4)
    refused(
        lambda: derive(lower_graph(f.bound(x, 0, 8)), Options()),
        "image is read outside dimension 0, of which 6 elements lie in blocks of 4: a boundary there wants constant "
        "values, and full blocks",
        "image.dim(0).set_block(1)",
    )


def test_a_table_in_blocks() -> None:
    f, image, table = hl.Func("f"), hl.ImageParam(hl.UInt(3), 1, "image"), hl.ImageParam(hl.UInt(8), 1, "table")
    f[x] = table[hl.i32(image[x])]
    table.dim(0).set_block(4)
    refused(
        lambda: derive(lower_graph(f.bound(x, 0, 8)), Options()),
        "table is looked up at numbers of its elements, so it lies in no blocks", "table.dim(0).set_block(1)",
    )  # fmt: skip


def test_rows_in_blocks() -> None:
    f, image, r = hl.Func("f"), hl.ImageParam(hl.UInt(8), 2, "image"), hl.RDom([(0, 3)], "r")
    f[x, y] += hl.i32(image[x, y + r.x])
    f.bound(x, 0, 8).bound(y, 0, 8)
    f.update().reorder(r.x, x, y)
    image.in_().compute_at(f, y).store_root()
    image.dim(1).set_block(2)
    with pytest.raises(HardwareError) as caught:
        derive(lower_graph(f), Options())
    assert "blocks" in caught.value.message and caught.value.legal == ("image.dim(1).set_block(1)",)


def test_a_stage_that_is_not_written() -> None:
    f, g = hl.Func("f"), hl.Func("g")
    g[x] = x * x
    f[x] = g[x] + g[x + 1]
    g.compute_root()
    g.output_buffer().dim(0).set_stride(2)
    refused(
        lambda: lower_graph(f.bound(x, 0, 8)),
        "g is not written to memory, so it has no layout there; remove the line, or write it", "Pipeline([g, f])",
    )


def test_formulas() -> None:
    with pytest.raises(CostError, match="image lies in memory in an order of its own"):
        hl.symbolic(conv(channels_first))


def test_a_buffer_has_its_own_strides() -> None:
    with pytest.raises(HardwareError) as caught:
        hl.Buffer(np.zeros((2, 3), np.uint8), "image").dim(0).set_stride(2)
    assert caught.value.legal == ("image.param.dim(0).set_stride(16)",)
