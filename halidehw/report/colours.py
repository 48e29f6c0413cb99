"""One colour for a tensor in every picture of a design."""

from __future__ import annotations

from collections.abc import Iterable

from halidehw.microarch.interface import Port

PALETTE = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#dd8452", "#7a68a6")
"""Told apart by the colour-blind in this order: the first six are the scheme "bright" of Paul Tol, 2021."""

NO_TENSOR = "#999999"
"""Of what belongs to no tensor: the PEs, their arithmetic, the values of loops."""


def colours(tensors: Iterable[str]) -> dict[str, str]:
    """A colour for each tensor, by its place among the design's ports; those beyond the palette begin anew."""
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(dict.fromkeys(tensors))}


def of_ports(ports: Iterable[Port]) -> dict[str, str]:
    """The colours of the tensors of an accelerator."""
    return colours(port.tensor for port in ports)
