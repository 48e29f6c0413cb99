"""Networks of full size, quantised, through the importer and the model: cycles, energy, and what is on the machine.

    PYTHONPATH=. python benchmarks/big_networks.py [--macs 256] [--only resnet50] [--thorough] [--zigzag [FILE]]

ResNet-50, MobileNetV2 and a BERT-base encoder (128 tokens) have seeded weights; the light topologies are those in the
wheel of `onnx`, whose weights are constants, quantised with `quantise`. Every kind of layer is scheduled once, as
`halidehw network` does it; cycles are of layers one after the other, ideal with every multiplier at work. SCALE-Sim's
are its formula for an array of the same size, compute alone: of each product of matrices folds * (2 R + C + T - 2) - 1
with weights kept, and folds * (R + C + T - 2) - 1 with outputs kept. Seconds are processor time, that of processes that
try tiles included: reading, and schedules with their estimates.

`--zigzag` (needs `pip install zigzag-dse six`) adds the least latency that ZigZag finds, by its own cost model with its
first loads and last stores, summed over convolutions and matrix products, and the machine's cycles of the same layers.
It has the same array, a port of the same width for each tensor outside, and the same memories, in one half; on the chip
nothing waits for a port. Words are of 8 bits, partial sums of 32. Its engine and loop limit are the default, all
operands split their loops at the same places, and lanes divide the loops they are of: channels over the rows and
filters over the columns (of depthwise layers, groups), or pixels of a row over the rows where these fill more of them:
both are searched, and the lesser counts. FILE keeps what is found for each shape, with its seconds.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from math import ceil, prod
from os import times
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import onnx
import optimizer
from onnx.backend import test as onnx_tests
from report import table

from halidehw.errors import HalideHWError
from halidehw.importers.onnx import load_onnx, quantise
from halidehw.importers.onnx.network import imported
from halidehw.importers.scheduling import Scheduled, array_of, scheduled
from halidehw.importers.steps import Host, Layer, TrainedNetwork
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer as Sizes
from tests.importers.nets import Quantised

HEADS = ("network", "layers", "host", "MACs", "cycles", "ideal", "of ideal", "uJ", "weights kept", "outputs kept",
         "read s", "model s")  # fmt: skip

ZIGZAG_HEADS = ("products", "ZigZag", "ZigZag s")
"""The machine's cycles of the layers that ZigZag is asked for, ZigZag's, and its seconds."""

LIGHT = ("resnet50", "shufflenet", "squeezenet", "densenet121")
SEED = 1

WORD, SUMS = 8, 32
"""Bits of tensors, and of sums."""


def resnet50() -> Any:
    q = Quantised((1, 3, 224, 224), np.int8, SEED)
    x = q.conv("conv1", "image", (64, 3, 7, 7), pads=[3] * 4, strides=[2, 2], relu=True)
    x = q.op("MaxPool", "pool1", q.real(x), same=x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    depth = 64
    for stage, (width, count) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(count):
            name, step = f"s{stage}b{block}", 2 if stage and not block else 1
            a = q.conv(f"{name}_1", x, (width, depth, 1, 1), relu=True)
            b = q.conv(f"{name}_2", a, (width, width, 3, 3), pads=[1] * 4, strides=[step] * 2, relu=True)
            c = q.conv(f"{name}_3", b, (4 * width, width, 1, 1))
            way = q.conv(f"{name}_0", x, (4 * width, depth, 1, 1), strides=[step] * 2) if not block else x
            x, depth = q.op("Add", f"{name}_add", q.real(c), q.real(way), relu=True), 4 * width
    return _classified(q, x, depth)


def mobilenet_v2() -> Any:
    q = Quantised((1, 3, 224, 224), np.int8, SEED)
    x = q.conv("first", "image", (32, 3, 3, 3), pads=[1] * 4, strides=[2, 2], relu=True)
    depth, number = 32, 0
    for wider, width, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                        (6, 160, 3, 2), (6, 320, 1, 1)):  # fmt: skip
        for block in range(count):
            name, inner, step = f"b{number}", wider * depth, 1 if block else stride
            a = q.conv(f"{name}_wide", x, (inner, depth, 1, 1), relu=True) if wider > 1 else x
            b = q.conv(f"{name}_depth", a, (inner, 1, 3, 3), group=inner, pads=[1] * 4, strides=[step] * 2, relu=True)
            c = q.conv(f"{name}_narrow", b, (width, inner, 1, 1))
            same = step == 1 and depth == width
            x, depth, number = q.op("Add", f"{name}_add", q.real(c), q.real(x)) if same else c, width, number + 1
    return _classified(q, q.conv("last", x, (1280, 320, 1, 1), relu=True), 1280)


def _classified(q: Quantised, x: str, depth: int) -> Any:
    """The mean of each channel, and a thousand classes."""
    x = q.op("GlobalAveragePool", "mean", q.real(x), scale=0.05)
    x = q.op("Flatten", "flat", q.real(x), same=x)
    w = q.weights("classes_w", (1000, depth), 0)
    x = q.op("Gemm", "classes", q.real(x), w, q.bias("classes_b", x, w, 1000), scale=0.2, transB=1)
    return q.model(**{x: 2})


TOKENS, WIDTH, HEADS_OF, DEEP = 128, 768, 12, 12


def bert_base() -> Any:
    """From the embeddings' sum on."""
    q = Quantised((1, TOKENS, WIDTH), np.int8, SEED)

    def product(name: str, x: str, shape: tuple[int, int]) -> str:
        return q.op("MatMul", name, q.real(x), q.weights(f"{name}_w", shape, 1), scale=0.3)

    def biased(name: str, x: str, shape: tuple[int, int]) -> str:
        held = q.weights(f"{name}_b", (shape[1],), None)
        return q.op("Add", f"{name}_bias", q.real(product(name, x, shape)), held, scale=0.3)

    def heads(name: str, x: str, order: list[int]) -> str:
        shape = q.hold(f"{name}_shape", np.array([1, TOKENS, HEADS_OF, WIDTH // HEADS_OF]))
        x = q.op("Reshape", f"{name}_heads", q.real(x), shape, same=x)
        return q.op("Transpose", f"{name}_turned", q.real(x), same=x, perm=order)

    def normal(name: str, x: str) -> str:
        held = [q.hold(f"{name}_{part}", q.rng.random(WIDTH).astype(np.float32)) for part in "gb"]
        return q.op("LayerNormalization", name, q.real(x), *held, scale=0.03, axis=-1)

    x = "image"
    for number in range(DEEP):
        at = f"l{number}"
        a, b, c = (biased(f"{at}_{part}", x, (WIDTH, WIDTH)) for part in ("query", "key", "value"))
        a, b, c = heads(a, a, [0, 2, 1, 3]), heads(b, b, [0, 2, 3, 1]), heads(c, c, [0, 2, 1, 3])
        scores = q.op("MatMul", f"{at}_scores", q.real(a), q.real(b), scale=0.5)
        parts = q.op("Softmax", f"{at}_parts", q.real(scores), scale=1 / 256, zero=-128, axis=-1)
        seen = q.op("MatMul", f"{at}_seen", q.real(parts), q.real(c), scale=0.1)
        back = q.op("Transpose", f"{at}_back", q.real(seen), same=seen, perm=[0, 2, 1, 3])
        flat = q.hold(f"{at}_flat", np.array([1, TOKENS, WIDTH]))
        back = q.op("Reshape", f"{at}_joined", q.real(back), flat, same=back)
        y = normal(f"{at}_norm", q.op("Add", f"{at}_add", q.real(biased(f"{at}_out", back, (WIDTH, WIDTH))), q.real(x)))
        wide = q.op("Tanh", f"{at}_bent", q.real(biased(f"{at}_wide", y, (WIDTH, 4 * WIDTH))), scale=1 / 128)
        z = biased(f"{at}_narrow", wide, (4 * WIDTH, WIDTH))
        x = normal(f"{at}_last", q.op("Add", f"{at}_sum", q.real(z), q.real(y)))
    return q.model(**{x: 3})


def light(name: str) -> TrainedNetwork:
    """A topology of the wheel of `onnx`, quantised with one random image."""
    file = Path(str(onnx_tests.__file__)).parent / f"data/light/light_{name}.onnx"
    graph = onnx.load(file).graph
    held = {each.name for each in graph.initializer}
    (given,) = (each for each in graph.input if each.name not in held)
    shape = [dim.dim_value for dim in given.type.tensor_type.shape.dim]
    example = {given.name: np.random.default_rng(SEED).random(shape).astype(np.float32)}
    with TemporaryDirectory() as folder:
        return load_onnx(quantise(file, Path(folder, f"light_{name}.onnx"), [example])).network


BUILT: dict[str, Callable[[], Any]] = {"resnet50": resnet50, "mobilenet_v2": mobilenet_v2, "bert_base": bert_base}


def networks(only: str | None) -> Iterator[tuple[str, Callable[[], TrainedNetwork]]]:
    for name, build in BUILT.items():
        if only in (None, name):
            yield name, lambda build=build, name=name: imported(build(), name).network  # type: ignore[misc]
    for name in LIGHT:
        if only in (None, f"light_{name}"):
            yield f"light_{name}", lambda name=name: light(name)  # type: ignore[misc]


@dataclass(frozen=True)
class Kernel:
    """What layers are alike in: the text without names would do, and these do sooner."""

    op: str
    sizes: Any
    shapes: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(layer: Layer) -> Kernel:
        sizes = replace(layer.shape.sizes, name="kernel") if layer.shape else None
        return Kernel(layer.op, sizes, tuple(each.shape for each in (*layer.reads, layer.output)))


def scale_sim(layer: Layer, rows: int, columns: int) -> tuple[int, int]:
    """Cycles with weights kept, and with outputs kept, of a layer that is a product of matrices for each group."""
    if not layer.shape:
        return 0, 0
    sizes = layer.shape.sizes
    pixels, filters = sizes.ox * sizes.oy * sizes.b, sizes.k // sizes.groups
    depth = sizes.c // sizes.groups * sizes.fx * sizes.fy

    def taken(one: int, two: int, steps: int, fill: int) -> int:
        return ceil(one / rows) * ceil(two / columns) * (fill + columns + steps - 2) - 1

    return (sizes.groups * taken(depth, filters, pixels, 2 * rows), sizes.groups * taken(pixels, filters, depth, rows))


@dataclass(frozen=True)
class ZigZag:
    """Its least latency on an architecture with words of `WORD` bits. `file`: keeps `found`, cycles and seconds by what
    is searched."""

    arch: Architecture
    file: Path | None
    found: dict[str, list[float]] = field(default_factory=dict)

    @staticmethod
    def beside(arch: Architecture, file: Path | None) -> ZigZag:
        by = arch.word_bits / WORD
        levels = tuple(replace(each, buffers=1, words=each.words and int(each.words * by)) for each in arch.levels)
        narrow = replace(arch, word_bits=WORD, sum_bits=WORD, levels=levels)
        return ZigZag(narrow, file, json.loads(file.read_text()) if file and file.exists() else {})

    def dataflows(self, sizes: Sizes) -> list[tuple[str, str]]:
        columns = "G" if sizes.k == sizes.groups > 1 else "K"
        channels, pixels = (optimizer.lanes(sizes, rows, self.arch.array[0]) for rows in ("C", "X"))
        rows = ["C"] * (channels > 1 or pixels == 1) + ["X"] * (pixels > channels)
        return [(each, columns) for each in rows]

    def least(self, layer: Layer) -> tuple[float, dict[str, float]] | None:
        """Cycles, and the seconds of each search; None of what is no sum of products in two dimensions."""
        if not layer.shape or layer.shape.sizes.deep:
            return None
        sizes = replace(layer.shape.sizes, name="layer", repeat=1)
        taken = {}
        for flow in self.dataflows(sizes):
            key = f"{sizes} {self.arch.array} {' | '.join(flow)}"
            if key not in self.found:
                start = process_time()
                best = optimizer.zigzag(sizes, self.arch, flow, "delay", SUMS, apart=True)
                self.found[key] = [float(best.latency_total2), process_time() - start]
                if self.file:
                    self.file.write_text(json.dumps(self.found, indent=1))
            taken[key] = self.found[key]
        return min(cycles for cycles, _ in taken.values()), {key: seconds for key, (_, seconds) in taken.items()}


def estimated(network: TrainedNetwork, arch: Architecture, thorough: bool) -> tuple[dict[Kernel, Scheduled], list[str]]:
    """A schedule for each kind of layer, and what the compiler refuses."""
    found, refused = dict[Kernel, Scheduled](), list[str]()
    for layer in network.layers:
        kernel = Kernel.of(layer)
        if kernel not in found:
            try:
                found[kernel] = scheduled(layer, arch, thorough=thorough)
            except HalideHWError as problem:
                refused.append(f"{layer.name} ({layer.op}): {problem.message}")
    return found, refused


def beside(peer: ZigZag, layers: list[tuple[Layer, Scheduled]]) -> tuple[list[object], str]:
    """What stands under `ZIGZAG_HEADS`, and what is left out."""
    ours, theirs, seconds, rest = 0, 0.0, dict[str, float](), Counter[str]()
    for layer, each in layers:
        if found := peer.least(layer):
            ours, theirs, seconds = ours + each.estimate.cycles.total, theirs + found[0], seconds | found[1]
        else:
            rest[layer.op] += 1
    left = ", ".join(f"{many} {op}" for op, many in rest.items())
    return [ours, round(theirs), f"{sum(seconds.values()):.0f}"], f"not in the sums beside ZigZag's: {left or 'none'}"


def row(
    name: str, load: Callable[[], TrainedNetwork], arch: Architecture, thorough: bool, peer: ZigZag | None
) -> tuple[list[object], list[str]]:  # fmt: skip
    start = sum(times()[:4])
    network = load()
    read = sum(times()[:4])
    found, refused = estimated(network, arch, thorough)
    done = sum(times()[:4])
    layers = [(layer, found[Kernel.of(layer)]) for layer in network.layers if Kernel.of(layer) in found]
    cycles = sum(each.estimate.cycles.total for _, each in layers)
    energy = sum(each.estimate.energy_pj for _, each in layers) / 1e6
    work = sum(layer.macs for layer in network.layers)
    formulas = zip(*(scale_sim(layer, *arch.array) for layer in network.layers), strict=True)
    hosted = Counter(f"{step.op}: {step.reason}" for step in network.steps if isinstance(step, Host))
    slower = Counter(each.refused for _, each in layers if each.refused)
    notes = [f"host, {many} x {why}" for why, many in hosted.items()]
    notes += [f"not on the machine: {why}" for why in refused]
    notes += [f"{many} layers without the optimizer's schedule: {why}" for why, many in slower.items()]
    ideal = ceil(work / prod(arch.array))
    cells = [name, len(network.layers), len(network.hosted), work, cycles, ideal, f"{cycles / max(ideal, 1):.2f}",
             round(energy), *map(sum, formulas), f"{read - start:.0f}", f"{done - read:.0f}"]  # fmt: skip
    if peer:
        more, note = beside(peer, layers)
        return [*cells, *more], [*notes, note]
    return cells, notes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--macs", type=int, default=256)
    parser.add_argument("--only", metavar="NETWORK")
    parser.add_argument("--thorough", action="store_true", help="the best of all searches, as the command takes")
    parser.add_argument("--zigzag", nargs="?", type=Path, const=Path(), metavar="FILE", help="ZigZag's least latency")
    given = parser.parse_args()
    arch, peer = array_of(given.macs), None
    if given.zigzag:
        if not find_spec("zigzag"):
            parser.error("--zigzag needs zigzag-dse: pip install zigzag-dse six")
        logging.disable(logging.CRITICAL)
        peer = ZigZag.beside(arch, given.zigzag if given.zigzag.name else None)
    rows, notes = [], dict[str, list[str]]()
    for name, load in networks(given.only):
        found, notes[name] = row(name, load, arch, given.thorough, peer)
        rows.append(found)
        print(json.dumps(found), flush=True)
    print(table([*HEADS, *ZIGZAG_HEADS] if peer else HEADS, rows))
    for name, each in notes.items():
        print("\n".join([f"\n{name}", *(f"- {note}" for note in each)]))


if __name__ == "__main__":
    main()
