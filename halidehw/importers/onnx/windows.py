"""The geometry of convolutions and pools from a node's attributes."""

from __future__ import annotations

from halidehw.importers.onnx.node import Node
from halidehw.importers.recipes import Window
from halidehw.importers.tensors import Shape


def window_of(node: Node, sizes: Shape, kernel: Shape) -> Window:
    """Of an input of these spatial sizes."""
    ones, many = (1,) * len(sizes), len(sizes)
    strides, dilations = (tuple(node.attribute(name, ones)) for name in ("strides", "dilations"))
    pads = tuple(node.attribute("pads", (0,) * (2 * many)))
    before, after = pads[:many], pads[many:]
    way = node.attribute("auto_pad", "NOTSET")
    if way in ("SAME_UPPER", "SAME_LOWER"):
        sides = zip(node.output.shape[2:], sizes, kernel, strides, dilations, strict=True)
        missing = [max((out - 1) * by + (taps - 1) * far + 1 - size, 0) for out, size, taps, by, far in sides]
        less, more = tuple(each // 2 for each in missing), tuple(each - each // 2 for each in missing)
        before, after = (less, more) if way == "SAME_UPPER" else (more, less)
    return Window(tuple(kernel), strides, dilations, before, after)
