"""All layers of a network, scaled down, on one machine behind AXI4, in one list that a host starts: cycles of each in
RTL over the most that work and bytes leave, max(MACs / PEs, bytes / bytes of a beat).

    python -m benchmarks.board --network alexnet --array 4 --shrink 8 --latency 30 200
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import halidehw as hl
from benchmarks.machines import layers
from halidehw.host import Report, Runtime, Step
from halidehw.host.runtime import Loaded

ROOM = 1 << 24
TILES = 4
"""Of weights that are inside: fully connected layers use them as fast as they come."""


def layer(sizes: dict[str, Any], name: str, array: int) -> hl.Func:
    """A convolution of rows in which the channels of a pixel are neighbours, so that those of all columns of a filter
    are one loop: a layer of few channels fills the array as well. The image is inside, weights come as they are used.
    """
    x, y, k, ko, ki = hl.vars("x y k ko ki")
    co, ci = hl.RVar("co"), hl.RVar("ci")
    image, weights = hl.ImageParam(hl.Int(8), 2, f"{name}_image"), hl.ImageParam(hl.Int(8), 3, f"{name}_weights")
    r = hl.RDom([(0, sizes["c"] * sizes["fx"]), (0, sizes["fy"])], "r")
    f, stride = hl.Func(name), sizes["stride"]
    f[k, x, y] += hl.i32(image[x * stride * sizes["c"] + r.x, y * stride + r.y]) * weights[r.x, k, r.y]
    f.set_bounds([(0, sizes["k"]), (0, sizes["ox"]), (0, sizes["oy"])])
    stage = f.update().split(k, ko, ki, array).split(r.x, co, ci, array)
    stage.reorder(ci, ki, x, r.y, co, y, ko).unroll(ci).unroll(ki)
    image.in_().compute_root()
    weights.in_().compute_at(f, y).ring_buffer(TILES)
    return f


def inputs(sizes: dict[str, Any], name: str, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows, columns = ((sizes[o] - 1) * sizes["stride"] + sizes[f] for o, f in (("oy", "fy"), ("ox", "fx")))
    words = {f"{name}_image": (rows, columns * sizes["c"]),
             f"{name}_weights": (sizes["fy"], sizes["k"], sizes["c"] * sizes["fx"])}  # fmt: skip
    return {each: rng.integers(-128, 128, shape, np.int8) for each, shape in words.items()}


def table(loaded: Loaded, found: Report, array: int, bus: hl.AXI) -> None:
    bounds = list[float]()
    print(f"latency {bus.latency}\n\n| layer | cycles | bound | | |\n|---|---|---|---|---|")
    for step, tensors in zip(found.steps, loaded.plan.tensors, strict=True):
        moved = sum(each.words * each.port.unit for each in tensors)
        bounds.append(max(step.macs / array**2, moved / bus.bytes))
        ratio = step.cycles / bounds[-1]
        print(f"| {step.name} | {step.cycles} | {bounds[-1]:.0f} | {ratio:.3f} | {'' if step.match else 'WRONG'} |")
    print(f"| all | {found.cycles} | {sum(bounds):.0f} | {found.cycles / sum(bounds):.3f} | |")
    print(f"\nthe host sends {found.sent} bytes and receives {found.received}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", default="alexnet")
    parser.add_argument("--array", type=int, default=4)
    parser.add_argument("--shrink", type=int, default=8)
    parser.add_argument("--bits", type=int, default=128)
    parser.add_argument("--latency", type=int, nargs="+", default=[30, 200])
    told = parser.parse_args()
    sizes = layers(told.network, told.shrink)
    designs = {name: layer(each, name, told.array) for name, each in sizes.items()}
    machine = hl.machine([*designs.values()], name=told.network, port_bits=told.bits)
    steps = [Step(f, inputs(sizes[name], name, at)) for at, (name, f) in enumerate(designs.items())]
    for latency in told.latency:
        bus = hl.AXI(told.bits, latency=latency)
        runtime = Runtime(machine, bus, hl.Memory(latency=latency), ROOM)
        loaded = runtime.load(steps)
        table(loaded, runtime.start(loaded), told.array, bus)


if __name__ == "__main__":
    main()
