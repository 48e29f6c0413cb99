"""Layers as algorithms: their class, and the default schedule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from halidehw.frontend.func import Func
from halidehw.frontend.text import parse
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import DIMS, Layer
from halidehw.optimize.layout import INPUTS, WEIGHTS
from halidehw.optimize.schedule import COORDINATES, PURE, REDUCTION, Arrangement, algorithm


def kind(layer: Layer) -> str:
    """The kernel class: the same operations on the same loops, whatever the sizes."""
    extents = dict(zip(DIMS, layer.extents, strict=True))
    name = "product" if extents["X"] == extents["Y"] == extents["Z"] == 1 else "pointwise"
    name = name if layer.fx == layer.fy == layer.fz == 1 else "convolution"
    if layer.groups == 1:
        return name
    return f"depthwise {name}" if extents["K"] == extents["C"] == 1 else f"grouped {name}"


def shape_of(layer: Layer) -> Layer:
    """A kernel: layers of the same sizes are one, however their steps are said."""
    (stride, dilation), (across, columns) = layer.steps("Y"), layer.steps("X")
    layer = replace(layer, stride=stride, dilation=dilation, stride_y=None, dilation_y=None, name="layer", repeat=1)
    stride_x, dilation_x = (None if across == stride else across), (None if columns == dilation else columns)
    return replace(layer, stride_x=stride_x, dilation_x=dilation_x)


def func_of(layer: Layer, arch: Architecture, arranged: Arrangement) -> Func:
    """The layer, unscheduled."""
    return parse("\n".join(algorithm(layer, arch, arranged, []))).output


def missing(layer: Layer, arranged: Arrangement) -> list[str]:
    """The loops of a layer that an arrangement does not have."""
    return [dim for dim, extent in zip(DIMS, layer.extents, strict=True)
            if extent > 1 and dim not in arranged.pure and dim not in arranged.reduction]  # fmt: skip


def largest(layers: Iterable[Layer]) -> Layer:
    """A layer that has every loop of these, each as long as the longest."""
    g, b, k, c, oy, ox, fy, fx, oz, fz = (max(sizes) for sizes in zip(*((
        each.groups, each.b, *each.extents[2:]) for each in layers), strict=True))  # fmt: skip
    return Layer(b=b, k=g * k, c=g * c, oy=oy, ox=ox, fy=fy, fx=fx, oz=oz, fz=fz, groups=g)


def default(layer: Layer, arch: Architecture) -> tuple[Arrangement, str]:
    """The schedule that nobody searched for, as a text design: input channels down and output channels across the
    array, a row of outputs at a time, all input channels of it and the weights of one step of the lanes in the shared
    memory."""
    extents = dict(zip(DIMS, layer.extents, strict=True))
    pure = {dim: name for dim, name in PURE.items() if extents[dim] > 1} or {"K": "k"}
    taps = [dim for dim in REDUCTION if extents[dim] > 1] or ["C"]
    reduction = {dim: f"r.{letter}" for dim, letter in zip(taps, COORDINATES, strict=False)}
    arranged = Arrangement(pure, reduction, INPUTS, WEIGHTS)
    names = {**reduction, **pure}
    lanes = {dim: min(extents[dim], size) for dim, size in zip(("C", "K"), arch.array, strict=False) if dim in names}
    split = [f".split({names[dim]}, {dim.lower()}o, {dim.lower()}i, {n})" for dim, n in lanes.items()]
    inside = [f"{dim.lower()}i" for dim in lanes]
    rest = {dim: f"{dim.lower()}o" if dim in lanes else name for dim, name in names.items()}
    order = inside + [rest[dim] for dim in ("FX", "FY", "X", "C", "Y", "K", "G", "B") if dim in rest]
    row = next((rest[dim] for dim in ("Y", "K", "G", "B") if dim in rest), order[-1])
    step = next((rest[dim] for dim in ("C", "Y", "K", "G", "B") if dim in rest), order[-1])
    text = " | ".join(inside)
    sizes = ", ".join(str(size) for _, size in zip(inside, arch.array, strict=False))
    lines = [
        *algorithm(layer, arch, arranged, [name for dim in lanes for name in (f"{dim.lower()}o", f"{dim.lower()}i")]),
        f"output.update(){''.join(split)}.reorder({', '.join(order)});",
        *([f'output.update().dataflow("{text}", {sizes}).systolic({{{", ".join(inside)}}});'] if inside else []),
        f"input.in().compute_at(output, {row});",
        f"weight.in().compute_at(output, {step});",
        "output.accelerate({input, weight});",
    ]
    return arranged, "\n".join(lines) + "\n"
