"""Trained networks by the ending of their file, each beside the runtime that it was made for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from halidehw.errors import NetworkError
from halidehw.importers.steps import Arrays, TrainedNetwork
from halidehw.importers.tensors import Shape

TFLITE = ".tflite"


class Loaded(Protocol):
    """A network with its runtime. `oracle`: the runtime's name and version."""

    @property
    def network(self) -> TrainedNetwork: ...

    @property
    def oracle(self) -> str: ...

    def expected(self, inputs: Mapping[str, np.ndarray]) -> Arrays:
        """The outputs by name."""

    def every(self, inputs: Mapping[str, np.ndarray]) -> Arrays:
        """Every tensor of the network by name."""


def load_trained(file: Path, shapes: Mapping[str, Shape] | None = None) -> Loaded:
    """The network of a file, `.tflite` or else ONNX. `shapes`: of inputs whose shape the file leaves open.

    Raises `NetworkError` for a file that is no quantised network, or a package that is missing.
    """
    if file.suffix == TFLITE:
        if shapes:
            raise NetworkError(f"{file} states the shapes of its inputs: --shape is for ONNX files")
        from halidehw.importers.tflite import load_tflite

        return load_tflite(file)
    from halidehw.importers.onnx import load_onnx

    return load_onnx(file, shapes)
