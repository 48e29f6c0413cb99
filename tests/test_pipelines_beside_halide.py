"""The algorithms of examples/pipelines in Halide itself: the files as they stand, without what they say of hardware."""

from __future__ import annotations

import runpy
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.fuzz.check import check_interpreter, expected
from tests.fuzz.designs import Design
from tests.test_pipeline_examples import FOLDER, SIZES

SCHEDULE = (
    "compute_at", "compute_root", "store_at", "store_root", "vectorize", "unroll", "reorder", "split", "systolic",
    "accelerate",
)  # fmt: skip

MORE: dict[str, list[dict[str, int]]] = {
    "blur": [{"width": 7, "height": 5}, {"width": 17, "height": 9, "lanes": 2}],
    "camera": [{"width": 5, "height": 3}, {"width": 7, "height": 1}],
    "conv_pool": [{"width": 3, "height": 5, "filters": 5, "channels": 2}, {"width": 7, "height": 1, "filters": 3}],
    "demosaic": [{"width": 3, "height": 5}, {"width": 9, "height": 1}],
    "depthwise_pointwise": [{"width": 3, "height": 7, "channels": 5, "filters": 3}, {"width": 1, "filters": 5}],
    "harris": [{"width": 7, "height": 3}, {"width": 13, "height": 7, "lanes": 4}],
    "histogram_equalisation": [{"width": 7, "height": 3, "bits": 4}, {"width": 13, "height": 1, "bits": 2}],
    "inverted_residual": [{"width": 3, "height": 5, "channels": 5, "expanded": 7}, {"width": 7, "height": 1}],
    "matrix_products": [{"rows": 3, "inner": 5, "middle": 7, "columns": 9, "lanes": 2}, {"rows": 1, "lanes": 1}],
    "median": [{"width": 7, "height": 3}, {"width": 13, "height": 1, "lanes": 4}],
    "pyramid": [{"width": 5, "height": 1}, {"width": 3, "height": 5}],
    "sobel": [{"width": 7, "height": 3}, {"width": 11, "height": 7, "lanes": 4}],
    "stencil_chain": [{"width": 7, "height": 5, "stages": 3}, {"width": 13, "height": 3, "stages": 5, "lanes": 2}],
    "unsharp": [{"width": 7, "height": 1}, {"width": 13, "height": 5, "lanes": 4}],
}
"""Further sizes of each: such as divide nothing, and some of one row."""


class Quiet:
    """Whatever is said of it holds."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args: self


def unscheduled(halide: ModuleType, images: list[Any]) -> ModuleType:
    """Halide's names, which leave schedules out; inputs are noted in `images`. A type of a width that Halide has not is
    the next wider one."""

    class Func(halide.Func):  # type: ignore[name-defined, misc]
        def update(self, *args: int) -> Quiet:
            return Quiet()

        def bound(self, var: Any, low: int, size: int) -> Any:
            self.__dict__.setdefault("box", {})[var.name()] = low, size
            return self

        def set_bounds(self, pairs: list[tuple[int, int]]) -> Any:
            self.box = dict(zip((var.name() for var in self.args()), pairs, strict=True))
            return self

    for name in SCHEDULE:
        setattr(Func, name, lambda self, *args: self)

    class Kind(halide.Type):  # type: ignore[name-defined, misc]
        def __init__(self, kind: Any):
            super().__init__(kind.code(), kind.bits(), kind.lanes())

        min = property(lambda self: halide.Type.min(self))
        max = property(lambda self: halide.Type.max(self))

    class ImageParam(halide.ImageParam):  # type: ignore[name-defined, misc]
        def __init__(self, *args: Any):
            super().__init__(*args)
            images.append(self)

        type = property(lambda self: Kind(halide.ImageParam.type(self)))

        def in_(self) -> Quiet:
            return Quiet()

    found = ModuleType("halidehw")
    vars(found).update(vars(halide))
    found.Func, found.ImageParam = Func, ImageParam  # type: ignore[attr-defined]
    for name in ("Int", "UInt"):
        make = getattr(halide, name)
        setattr(found, name, lambda bits, make=make: Kind(make(next(n for n in (8, 16, 32) if n >= bits))))
    return found


@pytest.mark.parametrize("name", SIZES)
def test_four_answers_but_for_hardware(name: str, monkeypatch: pytest.MonkeyPatch):
    """Halide, reference and interpreter agree at odd sizes; tests/test_pipeline_examples.py has the hardware."""
    halide = pytest.importorskip("halide")
    path, images = str(FOLDER / f"{name}.py"), list[Any]()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "halidehw", unscheduled(halide, images))
        theirs = runpy.run_path(path)[name]
    for sizes in MORE[name]:
        ours = Design(runpy.run_path(path)[name](**sizes))
        check_interpreter(ours)
        images.clear()
        func, buffers = theirs(**sizes), []
        for tensor in ours.graph.inputs:
            buffers.append(halide.Buffer(np.ascontiguousarray(ours.arrays[tensor.name])))
            buffers[-1].set_min(list(tensor.mins))
            next(image for image in images if image.name() == tensor.name).set(buffers[-1])
        box = [func.box[var.name()] for var in func.args()]
        output = halide.Buffer(func.type(), [size for _, size in box])
        output.set_min([low for low, _ in box])
        func.realize(output)
        assert np.array_equal(np.asarray(output), expected(ours)[ours.graph.output.name])
