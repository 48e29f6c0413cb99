"""The kernels of a network, from whatever file it is in."""

from __future__ import annotations

from pathlib import Path

from halidehw.importers.loading import TFLITE, load_trained
from halidehw.mapping.layer import Network, load_network


def load_kernels(reference: str, option: str = "") -> Network:
    """The network `FILE.json:NAME` of a table of sizes, or the sums of products of a trained one, `FILE.onnx` or
    `FILE.tflite`.

    `option`: of the command that names it. Raises CostError or NetworkError for a file that has none.
    """
    if Path(reference).suffix not in (".onnx", TFLITE):
        return load_network(reference, option)
    return load_trained(Path(reference)).network.kernels
