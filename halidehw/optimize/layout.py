"""Which dimension of each tensor is the one along which words are neighbours in memory: a port of several words takes
them together along that one only.
"""

from __future__ import annotations

from math import gcd, prod

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import INPUT, OUTPUT, WEIGHT
from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Mapping, tiling

WINDOWS = {"X": "FX", "Y": "FY"}
"""The loops that move along a dimension of the input with those of the filter."""

INPUTS, WEIGHTS = ("X", "Y", "C", "G", "B"), ("FX", "FY", "C", "K", "G")
"""The loops of each dimension of the operands, the first along which a port of one word moves."""

PURE = ("X", "Y", "K", "G", "B")


def neighbours(layer: Layer, arch: Architecture, mapping: Mapping) -> tuple[str, ...]:
    """The loop, if there is one, whose lanes are neighbours in the output, so that its port takes them together. It has
    one step in the PEs; or it moves no window and divides into equal tiles, so that whose words lie where is all the
    same.
    """
    extents, found = dict(zip(DIMS, layer.extents, strict=True)), {}
    for dim, lanes in (loop for axis in mapping.spatial for loop in axis if loop[0] in PURE):
        inside = prod(dict(loops).get(dim, 1) for loops in mapping.temporal[: arch.pe_levels])
        if inside == 1 or (dim not in WINDOWS and extents[dim] % (lanes * inside) == 0):
            found[dim] = gcd(lanes, arch.port_words[OUTPUT])
    best = max(found, key=lambda dim: found[dim], default="")
    return (best,) if found.get(best, 1) > 1 else ()


def operands(layer: Layer, arch: Architecture, mapping: Mapping) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The loops of each dimension of input and weight: that one first along which most words of the tile that comes in
    pass the port in a cycle."""
    held = tiling(layer, mapping).array_tiles[-2, :, 0].tolist()
    tile = dict(zip(DIMS, held, strict=True))
    found = []
    for tensor, dims in ((INPUT, INPUTS), (WEIGHT, WEIGHTS)):
        moved = {dim: _together(layer, tile, dim, arch.port_words[tensor], tensor == INPUT) for dim in dims}
        best = max(dims, key=lambda dim: moved[dim])
        found.append((best, *(dim for dim in dims if dim != best)))
    return found[0], found[1]


def _together(layer: Layer, tile: dict[str, int], dim: str, port: int, windowed: bool) -> float:
    """Words of a tile that a port of so many moves in a cycle along a dimension, on average."""
    extent = tile[dim]
    if windowed and dim in WINDOWS:
        taps, (stride, dilation) = tile[WINDOWS[dim]], layer.steps(dim)
        if gcd(stride if extent > 1 else 0, dilation if taps > 1 else 0) > 1:
            return 1.0
        extent = stride * (extent - 1) + dilation * (taps - 1) + 1
    width = min(port, 1 << (extent - 1).bit_length())
    return extent / -(-extent // width)
