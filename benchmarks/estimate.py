"""How long one estimate of AlexNet CONV3 takes, lowered once, and how long 100 000 choices of its tile sizes: C | K on
16x16 PEs, batch 16."""

from __future__ import annotations

from time import perf_counter
from timeit import repeat

import numpy as np

from halidehw import Func, ImageParam, Int, RDom, Var, i32, symbolic
from halidehw.energy_model.costs.table import load_costs
from halidehw.energy_model.estimate import estimate_hardware
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower

REPEATS = 20
CHOICES = 100_000


def conv3(tiled: bool = False) -> Func:
    """`tiled`: x and y are split too."""
    b, k, x, y, ko, ki, co, ci = map(Var, ("b", "k", "x", "y", "ko", "ki", "co", "ci"))
    xo, xi, yo, yi = map(Var, ("xo", "xi", "yo", "yi"))
    r = RDom([(0, 3), (0, 3), (0, 256)], "r")
    image, w, output = ImageParam(Int(16), 4, "image"), ImageParam(Int(16), 4, "w"), Func("output")
    output[x, y, k, b] += i32(image[x + r.x, y + r.y, r.z, b]) * i32(w[r.x, r.y, r.z, k])
    output.set_bounds([(0, 13), (0, 13), (0, 384), (0, 16)])
    stage = output.update().split(r.z, co, ci, 16).split(k, ko, ki, 96)
    if tiled:
        stage.split(x, xo, xi, 13).split(y, yo, yi, 13).reorder(r.x, r.y, yi, ki, ci, xi, yo, xo, b, co, ko)
    else:
        stage.reorder(r.x, r.y, y, ki, ci, x, b, co, ko)
    stage.unroll(ki, 16).unroll(ci, 16).systolic(ki).systolic(ci)
    image.in_().compute_at(output, co)
    w.in_().compute_at(output, co)
    return output.accelerate([image, w])


def main() -> None:
    nest, table = lower(conv3()), load_costs("table3")
    accelerator = derive(nest)
    found = estimate_hardware(nest, accelerator, table, None)
    seconds = min(repeat(lambda: estimate_hardware(nest, accelerator, table, None), number=1, repeat=REPEATS))
    print(f"{found.cycles.total} cycles, {found.energy_pj:.6g} pJ: {1e3 * seconds:.2f} ms (best of {REPEATS})")
    many()


def many() -> None:
    """Random tile sizes of all four split loops, the formulas made anew."""
    rng = np.random.default_rng(1)
    extents = {"ci": (16, 256), "ki": (16, 384), "xi": (1, 13), "yi": (1, 13)}
    factors = {name: rng.integers(low, high + 1, CHOICES) for name, (low, high) in extents.items()}
    func = conv3(tiled=True)
    start = perf_counter()
    formulas = symbolic(func)
    made = perf_counter()
    found = formulas.evaluate(factors)
    done = perf_counter()
    least = found.energy_pj.argmin()
    chosen = ", ".join(f"{name}={array[least]}" for name, array in found.factors.items())
    print(
        f"{CHOICES} choices: {made - start:.2f} s for {len(formulas.names)} formulas + {done - made:.2f} s for their "
        f"values; least {found.energy_pj[least]:.6g} pJ at {chosen}"
    )


if __name__ == "__main__":
    main()
