"""Networks of floats become quantised ones, by the runtime's own quantiser, from examples of their inputs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime import quantization

from halidehw.errors import NetworkError


class _Examples(quantization.CalibrationDataReader):
    """One example after the other."""

    def __init__(self, examples: Iterable[Mapping[str, np.ndarray]]):
        self.left = iter(examples)

    def get_next(self) -> Any:
        return next(self.left, None)


NEWER = 13
"""The first opset whose quantised weights have a scale for each channel."""


def _renewed(model: Any) -> Any:
    """With operators that have scales for each channel, and constants that are no inputs besides, as in old files."""
    if any(each.domain in ("", "ai.onnx") and each.version < NEWER for each in model.opset_import):
        model = onnx.version_converter.convert_version(model, NEWER)
    held = {each.name for each in model.graph.initializer}
    given = [each for each in model.graph.input if each.name not in held]
    del model.graph.input[:]
    model.graph.input.extend(given)
    model.ir_version = max(model.ir_version, 7)
    return model


_AS_THEY_ARE = {"QDQDisableWeightAdjustForInt32Bias": True}
"""Without this, scales of weights are made larger where a bias would not fit in units of their products; some releases
of the runtime fail in that for a matrix with a scale for each column."""


def _quantised(file: Path, output: Path, examples: list[Mapping[str, np.ndarray]], options: dict[str, Any]) -> None:
    quantization.quantize_static(
        str(file), str(output), _Examples(examples), per_channel=True, extra_options=options,
        activation_type=quantization.QuantType.QInt8, weight_type=quantization.QuantType.QInt8,
    )  # fmt: skip


def quantise(file: str | Path, output: str | Path, examples: Iterable[Mapping[str, np.ndarray]]) -> Path:
    """Writes the network of `file` with 8-bit activations and weights, a scale for each channel, to `output`.

    `examples`: arrays for the network's inputs by name; the ranges of all tensors are those that they reach. Raises
    `NetworkError` without examples, where the quantiser refuses the network, and where it cannot be written.
    """
    given = list(examples)
    if not given:
        raise NetworkError(
            f"{file} is quantised by what its tensors reach with examples of its inputs, and none is given",
            legal=('quantise("float.onnx", "quantised.onnx", [{"input": array}])',),
        )
    with tempfile.TemporaryDirectory() as folder:
        ready, made = Path(folder, "ready.onnx"), Path(folder, "quantised.onnx")
        try:
            onnx.save(_renewed(onnx.load(file)), ready)
            quantization.quant_pre_process(str(ready), str(ready))
            try:
                _quantised(ready, made, given, {})
            except ValueError:
                _quantised(ready, made, given, _AS_THEY_ARE)
        except Exception as problem:
            text = " ".join(str(problem).split())
            raise NetworkError(f"ONNX Runtime cannot quantise {file}: {text}") from None
        try:
            shutil.copyfile(made, output)
        except OSError as problem:
            raise NetworkError(f"cannot write the network {output}: {problem.strerror}") from None
    return Path(output)
