"""`halidehw network`: the layers of a small network by the model and in hardware, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from PIL import Image

from halidehw.cli import main
from halidehw.commands.network_tensors import dump
from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.design import Design
from halidehw.host import trained
from halidehw.importers.onnx import runtime
from halidehw.importers.onnx.network import imported
from halidehw.importers.scheduling import Scheduled, array_of, scheduled
from halidehw.importers.steps import Layer
from halidehw.mapping.architecture import Architecture
from tests.importers.nets import Quantised


@pytest.fixture
def file(tmp_path: Path) -> Path:
    q = Quantised((1, 3, 6, 6))
    a = q.conv("first", "image", (8, 3, 3, 3), pads=[1, 1, 1, 1], strides=[2, 2], relu=True)
    b = q.conv("depthwise", a, (8, 1, 2, 2), group=8)
    c = q.op("Softmax", "last", q.real(b), scale=1 / 256, zero=-128, axis=1)
    path = tmp_path / "small.onnx"
    onnx.save(q.model(**{c: 4}), path)
    return path


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner(catch_exceptions=False).invoke(main, ["network", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_the_model_and_every_bit(file: Path, tmp_path: Path):
    image, folder = tmp_path / "image.npy", tmp_path / "layers"
    np.save(image, np.random.default_rng(0).integers(-128, 128, (1, 3, 6, 6)).astype(np.int8))
    found = json.loads(run(file, "--macs", 16, "--no-simulate", "--input", image, "--dump-layers", folder, "--json"))
    assert (found["match"], found["difference"]) == (True, "")
    assert found["ideal"] == -(-(8 * 9 * 27 + 8 * 4 * 4) // 16)
    assert found["cycles"] == sum(layer["cycles"] for layer in found["layers"]) >= found["ideal"]
    assert found["energy_pj"] > 0
    first, depthwise, last = found["layers"]
    assert (first["name"], first["op"], first["placement"], first["reason"]) == ("first", "QLinearConv", "machine", "")
    assert first["ideal"] <= first["cycles"] and 1 < first["pes"] <= 16
    assert 1 < depthwise["pes"] <= 16
    assert (last["placement"], last["cycles"]) == ("host", 0)
    assert [each["name"] for each in found["crossing"]] == ["image", "depthwise"]
    assert np.array_equal(np.load(folder / "last.npy"), found["outputs"][0]["last"])


def test_tensors_whose_names_no_file_tells_apart(tmp_path: Path):
    dump(tmp_path, {name: np.array(at) for at, name in enumerate(("a/b", "a_b", "A b"))})
    assert [int(np.load(tmp_path / name)) for name in ("a_b.npy", "a_b_2.npy", "A_b_3.npy")] == [0, 1, 2]


def test_a_layer_that_no_hardware_can_be_built_for_is_the_hosts(file: Path, monkeypatch: pytest.MonkeyPatch):
    """And not the end of the network."""
    def none(layer: Layer, target: Architecture, *, thorough: bool) -> Scheduled:
        raise HardwareError(f"{layer.name} has a knot")

    monkeypatch.setattr("halidehw.commands.network.scheduled", none)
    found = json.loads(run(file, "--no-simulate", "--json"))
    assert (found["match"], found["crossing"]) == (True, [])
    first, depthwise, last = found["layers"]
    assert {each["placement"] for each in (first, depthwise, last)} == {"host"}
    assert depthwise["reason"] == "no hardware can be built for it: depthwise has a knot"


def test_a_layer_that_a_machine_cannot_have_is_the_hosts(file: Path, monkeypatch: pytest.MonkeyPatch):
    """It ended in an error of the whole network."""
    plain = trained._scheduled

    def none(layer: Layer, *others: Any) -> Design:
        if layer.name == "depthwise":
            raise ScheduleError("depthwise has a knot")
        return plain(layer, *others)

    monkeypatch.setattr(trained, "_scheduled", none)
    found = json.loads(run(file, "--macs", 24, "--bus", "axi4", "--no-simulate", "--json"))
    first, depthwise, _ = found["layers"]
    assert found["match"] and (first["placement"], depthwise["placement"]) == ("machine", "host")
    assert depthwise["reason"] == "no hardware can be built for it: depthwise has a knot"


@pytest.mark.soak
def test_each_layer_in_hardware(tmp_path: Path):
    q, file = Quantised((1, 2, 4, 4)), tmp_path / "one.onnx"
    onnx.save(q.model(**{q.conv("first", "image", (3, 2, 2, 2)): 4}), file)
    text = run(file, "--macs", 8)
    assert text.count("simulated: right") == 1
    assert "outputs beside ONNX Runtime" in text and "every bit" in text


def test_all_layers_on_one_machine_behind_a_bus(file: Path):
    """Two inputs from the first layer to the last, with a step of the host at the end; too few multipliers."""
    found = json.loads(run(file, "--macs", 24, "--bus", "axi4", "--bus-bits", 64, "--samples", 2, "--json"))
    assert found["match"] and found["inputs"] == 2 and not found["wrong"]
    first, depthwise, last = found["layers"]
    assert {first["engine"], depthwise["engine"]} == set(found["engines"]) and last["placement"] == "host"
    assert sum(each["pes"] for each in found["engines"].values()) <= 24
    assert 0 < found["on_chip"] == sum(each["on_chip"] for each in found["engines"].values()) < 1 << 14
    assert 0 < first["cycles"] + depthwise["cycles"] < found["cycles"] == found["predicted"]
    result = CliRunner().invoke(main, ["network", str(file), "--macs", "4", "--bus", "axi4"])
    assert result.exit_code and "4 multipliers are too few for 2 kinds of sums" in result.output


def test_what_differs_is_named(file: Path, monkeypatch: pytest.MonkeyPatch):
    plain = runtime.run

    def other(model: bytes, feeds: dict[str, np.ndarray], is_fused: bool = False) -> dict[str, np.ndarray]:
        found = plain(model, feeds, is_fused)
        return {name: array + (array == array.max()) * (name in ("depthwise", "last")) for name, array in found.items()}

    monkeypatch.setattr("halidehw.importers.onnx.network.run", other)
    found = json.loads(run(file, "--macs", 8, "--no-simulate", "--json", code=1))
    assert not found["match"]
    assert found["difference"].startswith("QLinearConv depthwise gives ")


def test_refusals(file: Path, tmp_path: Path):
    picture = tmp_path / "picture.png"
    Image.new("RGB", (4, 6)).save(picture)
    several = tmp_path / "several.npz"
    np.savez(several, one=np.zeros(1), two=np.zeros(1))
    for arguments, message in (
        (["--no-host"], "1 of 3 steps run on the host: last: QLinearSoftmax divides by a sum of floats"),
        (["--bus", "axi4", "--thorough"], "--thorough is for layers alone: with --bus one array is searched for all"),
        (["--latency", 50], "--latency is that of the memory behind a bus: --bus axi4 --latency 50"),
        (["--shape", "image"], "--shape image: it is a name and sizes"),
        (["--shape", "image=1,3,6,6", "--shape", "image=1,3,8,8"], "--shape says two shapes of the input image"),
        (["--input", file], "is no array"),
        (["--input", several], "several.npz is no array: it has several, one, two"),
        (["--input", f"other={file}"], "the network has no input other; it has image"),
        (["--input", picture], "picture.png is 4x6 pixels, the input image 6x6"),
    ):
        result = CliRunner().invoke(main, ["network", str(file), "--no-simulate", *map(str, arguments)])
        assert result.exit_code == 2
        assert message in result.output


def test_a_layer_that_the_optimizer_does_not_know_has_lanes():
    q = Quantised((1, 20, 5, 4))
    a = q.op("MaxPool", "pooled", q.real("image"), same="image", kernel_shape=[2, 2])
    b = q.op("GlobalAveragePool", "mean", q.real(a), scale=0.1)
    for layer in imported(q.model(**{b: 4}), "small").network.layers:
        assert scheduled(layer, array_of(256)).estimate.pes == 16
    assert array_of(12).array == (3, 4)
