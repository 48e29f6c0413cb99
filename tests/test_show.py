"""What `show` says of stencils: a tensor once, with the indices of its reads."""

from pathlib import Path

import halidehw as hl
from halidehw.driver import document
from halidehw.report.page import page

EXAMPLES = Path(__file__).parent.parent / "examples"
x, y = hl.vars("x y")
image, w = hl.ImageParam(hl.UInt(8), 2, "image"), hl.ImageParam(hl.Int(8), 1, "w")


def compiled(value: hl.Expr) -> hl.Compiled:
    f = hl.Func("f")
    f[x, y] = value
    return hl.compile(f.bound(x, 0, 16).bound(y, 0, 8).accelerate([image, w]))


def section(design: hl.Compiled, title: str) -> list[str]:
    parts = page(design.accelerator, design.reads).split("\n\n")
    lines = next(part.splitlines() for part in parts if part.splitlines()[0] == title)
    return [line.strip() for line in lines[1:]]


def test_reads_of_a_stencil_have_indices_and_their_tensor_one_row():
    design = compiled(hl.i32(image[x, y]) + 2 * hl.i32(image[x + 1, y]) + hl.i32(image[x + 2, y + 1]) * w[x])
    assert section(design, "operands") == [
        "uint8 image_stream  at (x, y), (x + 1, y), (x + 2, y + 1)",
        "int8 w_stream",
    ]
    value = "(int32(image(x, y)) + (2 * int32(image(x + 1, y)))) + (int32(image(x + 2, y + 1)) * int32(w))"
    assert value in section(design, "output")[0]
    found = document(design)["microarchitecture"]["operands"]
    assert [each["index"] for each in found] == ["(x, y)", "(x + 1, y)", "(x + 2, y + 1)", None]


def test_reads_that_fill_a_box_are_its_ranges():
    design = hl.compile(hl.load(EXAMPLES / "stencil.py"))
    assert section(design, "operands") == ["uint8 image_in  at (x..x + 4, y..y + 4)"]


def test_operators_of_a_kind_are_one_row():
    design = compiled(hl.i32(image[x, y]) * 3 + hl.i32(image[x + 1, y]) * w[x])
    assert section(design, "operators") == ["1 int32 add  in 1 PE  latency 1", "2 int32 mul  in 1 PE  latency 1"]
