"""The kernels of a network, from whatever file it is in."""

from __future__ import annotations

from pathlib import Path

from halidehw.mapping.layer import Network, load_network


def load_kernels(reference: str) -> Network:
    """The network `FILE.json:NAME` of a table of sizes, or the sums of products of a trained one, `FILE.onnx`.

    Raises CostError or NetworkError for a file that has none.
    """
    if Path(reference).suffix != ".onnx":
        return load_network(reference)
    from halidehw.importers.onnx import load_onnx

    return load_onnx(reference).network.kernels
