"""What a trained network is run on: arrays and pictures from files, or random values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from halidehw.errors import NetworkError
from halidehw.importers.steps import Arrays, TrainedNetwork
from halidehw.importers.tensors import Shape, Tensor

_PICTURES = (".png", ".jpg", ".jpeg", ".bmp")


def given(network: TrainedNetwork, files: Sequence[str], samples: int, seed: int) -> list[Arrays]:
    """The network's inputs, once for each run: of `files`, each "FILE" or "NAME=FILE", the first for each name and so
    on; without any, random ones.

    Raises NetworkError for a file that is missing or does not fit, and inputs without as many files as others.
    """
    found: dict[str, list[np.ndarray]] = {tensor.name: [] for tensor in network.inputs}
    for text in files:
        name, _, path = text.rpartition("=")
        if not name and len(network.inputs) > 1:
            names = [f"--input {tensor.name}={path}" for tensor in network.inputs]
            raise NetworkError(f"--input {text} does not say of which input it is", legal=names)
        name = name or network.inputs[0].name
        if name not in found:
            raise NetworkError(f"--input {text}: the network has no input {name}; it has {', '.join(found)}")
        tensor = next(each for each in network.inputs if each.name == name)
        found[name].append(_array(Path(path), tensor))
    counts = {name: len(arrays) for name, arrays in found.items()}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{count} of {name}" for name, count in counts.items())
        raise NetworkError(f"a run needs a file for each input, and there are {said}")
    runs = [dict(zip(found, arrays, strict=True)) for arrays in zip(*found.values(), strict=True)]
    return [network.fed(run) for run in runs] if files else _random(network, samples, seed)


def _array(file: Path, tensor: Tensor) -> np.ndarray:
    if file.suffix.lower() in _PICTURES:
        return _picture(file, tensor)
    try:
        found = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as problem:
        raise NetworkError(f"--input {file} is no array: {problem}") from None
    if not isinstance(found, np.ndarray):
        raise NetworkError(f"--input {file} is no array: it has several, {', '.join(found)}", legal=("--input a.npy",))
    return found


def _picture(file: Path, tensor: Tensor) -> np.ndarray:
    """A picture of the input's size, as most networks are fed: bytes, those with a sign 128 less; floats, parts of
    255."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError:
        raise NetworkError(f"to read {file} takes the package Pillow", legal=("pip install pillow",)) from None
    if len(tensor.shape) != 4 or tensor.shape[1] not in (1, 3):
        raise NetworkError(f"the input {tensor.name} of shape {tensor.shape} is no picture", legal=("--input a.npy",))
    try:
        pixels = np.asarray(Image.open(file).convert("L" if tensor.shape[1] == 1 else "RGB"))
    except (OSError, UnidentifiedImageError) as problem:
        raise NetworkError(f"--input {file} is no picture: {problem}") from None
    if pixels.shape[:2] != tensor.shape[2:]:
        (high, wide), (rows, columns) = tensor.shape[2:], pixels.shape[:2]
        raise NetworkError(f"{file} is {columns}x{rows} pixels, the input {tensor.name} {wide}x{high}")
    planes = pixels.reshape(*pixels.shape[:2], -1).transpose(2, 0, 1)[np.newaxis]
    if tensor.dtype.kind == "f":
        return (planes / 255).astype(tensor.dtype)
    return (planes.astype(np.int16) - 128 * (tensor.dtype.kind == "i")).astype(tensor.dtype)


def _random(network: TrainedNetwork, count: int, seed: int) -> list[Arrays]:
    """All values of an integer type alike; floats between 0 and 1."""
    rng = np.random.default_rng(seed)

    def drawn(shape: Shape, kind: np.dtype) -> np.ndarray:
        if kind.kind in "iu":
            info = np.iinfo(kind)
            return rng.integers(info.min, info.max, shape, kind, endpoint=True)
        return rng.random(shape).astype(kind)

    return [{each.name: drawn(each.shape, each.dtype) for each in network.inputs} for _ in range(count)]
