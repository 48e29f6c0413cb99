"""docs/design/worked-example.md is what the code makes of one small design, level by level."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import halidehw as hl
from halidehw.ir.printer import lowered
from halidehw.microarch.printer import printed

PAGE = Path(__file__).parents[2] / "docs" / "design" / "worked-example.md"

TEXT = """\
ImageParam a(Int(8), 2);
ImageParam b(Int(8), 2);
Var x, y, xo, xi;
RDom r(0, 8);
Func f(Int(32), 2);
f(x, y) += cast<int32_t>(a(r, y)) * cast<int32_t>(b(x, r));
f.bound(x, 0, 6).bound(y, 0, 4);
f.update().split(x, xo, xi, 4).reorder(r, y, xi, xo).unroll(xi).systolic({xi});
b.in().compute_at(f, xo);
f.accelerate({a, b});
"""


def page(folder: Path) -> str:
    """The page, from the text to the modules of its Verilog."""
    file = folder / "product.hh"
    file.write_text(TEXT)
    design = hl.compile(hl.load(file))
    modules = re.findall(r"^module (\w+)", design.verilog, re.M)
    array = design.accelerator.output.compute
    steps = " x ".join(str(axis.extent) for axis in array.walk.axes)
    return f"""# One design, level by level

What the code makes of a matrix product whose last columns do not fill its array. `halidehw show FILE --passes` prints
the second and the third level of any design. This page is made by `pytest tests/snapshots --update-golden`.

## 1. The text
Two definitions of Halide's kind, and directives that say where and when.

```c++
{TEXT}```

## 2. The nest (`halidehw.ir`)
The scheduler turned directives into loops, and places into buffers. Columns 6 and 7 do not exist: `xi` is clipped.

```text
{lowered(design.nest)}```

## 3. The network (`halidehw.microarch`)
Loops became axes of time and lanes of space; each buffer a store with the process that writes it. `a` has no buffer, so
it gets a stream as deep as a memory's latency; four columns of `b` lie in four banks, one for each lane. The
array's process takes {steps} steps, and every process walks by itself: they meet in stores alone.

```text
{printed(design.accelerator)}```

## 4. The Verilog (`halidehw.backend_hdl`)
Each distinct component once. The top module wires processes to stores:

```text
{chr(10).join(modules)}
```

## 5. The model (`halidehw.energy_model`)
The same processes, counted: {hl.estimate(design).cycles.total} cycles, which the simulated hardware takes too.
"""


def test_the_page_is_what_the_code_makes(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    made = page(tmp_path)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(made)
    assert PAGE.read_text() == made
