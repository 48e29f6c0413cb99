"""One machine for all layers of a network, scaled down, in one list of programs, beside a design for each layer: cycles
in RTL, and Verilog.

    python -m benchmarks.machines --network alexnet --array 4 --shrink 16
    python -m benchmarks.machines --others 20 --counters 14 --words 4096

With `--others` so many layers that the machine was not made of run on it instead, drawn when its Verilog is there,
behind an AXI4 port: half of them with strides of 1 to 4 and filters of 1 to 7 rows and columns.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import halidehw as hl

NETWORKS = Path(__file__).parents[1] / "examples" / "networks.json"


def layer(sizes: dict[str, Any], name: str, array: int) -> hl.Func:
    """A convolution C | K on a square array, both of its inputs buffered a row of outputs at a time."""
    x, y, k, ko, ki = hl.vars("x y k ko ki")
    co, ci = hl.RVar("co"), hl.RVar("ci")
    image, weights = hl.ImageParam(hl.Int(8), 3, f"{name}_image"), hl.ImageParam(hl.Int(8), 4, f"{name}_weights")
    r = hl.RDom([(0, sizes["c"]), (0, sizes["fx"]), (0, sizes["fy"])], "r")
    f, stride = hl.Func(name), sizes["stride"]
    f[k, x, y] += hl.i32(image[r.x, x * stride + r.y, y * stride + r.z]) * weights[r.x, k, r.y, r.z]
    f.set_bounds([(0, sizes["k"]), (0, sizes["ox"]), (0, sizes["oy"])])
    stage = f.update().split(k, ko, ki, array).split(r.x, co, ci, array)
    stage.reorder(ci, ki, x, r.y, r.z, co, y, ko).unroll(ci).unroll(ki)
    image.in_().compute_at(f, y)
    weights.in_().compute_at(f, y)
    return f


def layers(network: str, shrink: int) -> dict[str, dict[str, Any]]:
    """The different layers of a network, groups apart, channels and pixels fewer."""
    found = dict[str, dict[str, Any]]()
    for each in json.loads(NETWORKS.read_text())["networks"][network]["layers"]:
        pixels = {n: max(1, each[n] // 4) for n in ("ox", "oy")} if shrink > 1 else {}
        depth = {n: max(1, each[n] // each["groups"] // shrink) for n in ("c", "k")}
        found[each["name"]] = each | pixels | depth
    return found


def inputs(sizes: dict[str, Any], name: str, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows, columns = ((sizes[o] - 1) * sizes["stride"] + sizes[f] for o, f in (("oy", "fy"), ("ox", "fx")))
    words = {f"{name}_image": (rows, columns, sizes["c"]),
             f"{name}_weights": (sizes["fy"], sizes["fx"], sizes["k"], sizes["c"])}  # fmt: skip
    return {each: rng.integers(-128, 128, shape, np.int8) for each, shape in words.items()}


def drawn(rng: random.Random, odd: bool) -> dict[str, Any]:
    """A layer; `odd`: with any stride and filter."""
    filters = {name: rng.randint(1, 7) if odd else 3 for name in ("fx", "fy")}
    sizes = {"c": rng.randint(1, 20), "k": rng.randint(1, 24), "ox": rng.randint(1, 12), "oy": rng.randint(1, 9)}
    return sizes | filters | {"stride": rng.randint(1, 4) if odd else 1}


def others(machine: hl.Machine, number: int, array: int, seed: int) -> None:
    """Layers drawn from a seed on a machine that was made before, bit for bit; its Verilog stays what it was."""
    before, rng, bus = _digest(machine), random.Random(seed), hl.AXI(128, latency=30)
    sizes = {f"other{n}": drawn(rng, n % 2 == 0) for n in range(number)}
    funcs = [layer(each, name, array) for name, each in sizes.items()]
    results = machine.simulate([(func, inputs(each, func.name, n)) for n, (func, each) in
                                enumerate(zip(funcs, sizes.values(), strict=True))], bus=bus, listed=True)  # fmt: skip
    predicted = machine.estimate(funcs, bus=bus, listed=True)
    for result, found, each in zip(results, predicted, sizes.values(), strict=True):
        print(f"{each} {'' if result.match else 'WRONG'} {result.cycles} cycles, {found.run.total} predicted")
    most = max(abs(result.cycles / found.run.total - 1) for result, found in zip(results, predicted, strict=True))
    print(f"predicted within {most:.2%}; the Verilog is {'the same' if _digest(machine) == before else 'ANOTHER'}")


def _digest(machine: hl.Machine) -> str:
    return hashlib.sha256(machine.verilog().encode()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", default="alexnet")
    parser.add_argument("--array", type=int, default=4)
    parser.add_argument("--shrink", type=int, default=16)
    parser.add_argument("--counters", type=int, default=0)
    parser.add_argument("--words", type=int, default=0)
    parser.add_argument("--others", type=int, default=0, metavar="N", help="run N others, not made for it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-simulate", action="store_true", help="by the model alone, which is exact")
    arguments = parser.parse_args()
    found = layers(arguments.network, arguments.shrink)
    names = {name: f"l{number}" for number, name in enumerate(found)}
    funcs = {name: layer(sizes, names[name], arguments.array) for name, sizes in found.items()}
    machine = hl.machine(list(funcs.values()), counters=arguments.counters, words=arguments.words,
                         port_bits=64, name="machine")
    words = len(machine.descriptors[0].words)
    print(f"{len(funcs)} layers, {len(machine.verilog()) / 1000:.0f} kB of Verilog, descriptor of {words} words")
    if arguments.others:
        others(machine, arguments.others, arguments.array, arguments.seed)
        return
    runs = [(func, inputs(found[name], names[name], n)) for n, (name, func) in enumerate(funcs.items())]
    predicted = machine.estimate(list(funcs.values()), listed=True)
    results = [None] * len(runs) if arguments.no_simulate else machine.simulate(runs, listed=True)
    chained = machine.estimate(list(funcs.values()), listed=True, passed={n: [f"{names[name]}_image"] for n, name in
                                                                          enumerate(found) if n})  # fmt: skip
    ratios = list[tuple[float, ...]]()
    for (name, func), result, *each in zip(funcs.items(), results, predicted, chained, strict=True):
        own = hl.estimate(hl.compile(func, port_bits=64)).cycles.total
        alone, (beside, after) = machine.estimate([func])[0].run.total, each
        ratios.append((alone / own, beside.total / own, after.total / own))
        right = result is None or (result.match and result.cycles == beside.run.total)
        shares = ", ".join(f"{ratio:.4f}" for ratio in ratios[-1])
        print(f"{name:16} {'' if right else 'WRONG'} own design {own:9}, alone {alone:9}, in the list "
              f"{beside.total:9}, after what it reads {after.total:9}: {shares}")  # fmt: skip
    whole = sum(each.total for each in predicted)
    if results[0] is not None:
        print(f"the list: {results[0].counters['cycles']} cycles, {whole} predicted")
    for what, each in zip(("alone", "in the list", "after what it reads"), zip(*ratios, strict=True), strict=True):
        worst = max(zip(each, funcs, strict=True))
        print(f"{what}: median {median(each):.4f}, most {worst[0]:.4f} ({worst[1]})")


if __name__ == "__main__":
    main()
