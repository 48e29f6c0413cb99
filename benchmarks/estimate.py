"""How long one estimate of AlexNet CONV3 takes, lowered once: C | K on 16x16 PEs, batch 16."""

from __future__ import annotations

from timeit import repeat

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.energy_model.costs import load_costs
from halidehw.energy_model.estimate import estimate_hardware
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower

REPEATS = 20


def conv3() -> Func:
    b, k, x, y, ko, ki, co, ci = map(Var, ("b", "k", "x", "y", "ko", "ki", "co", "ci"))
    r = RDom([(0, 3), (0, 3), (0, 256)], "r")
    image, w, output = ImageParam(Int(16), 4, "image"), ImageParam(Int(16), 4, "w"), Func("output")
    output[x, y, k, b] += i32(image[x + r.x, y + r.y, r.z, b]) * i32(w[r.x, r.y, r.z, k])
    output.set_bounds([(0, 13), (0, 13), (0, 384), (0, 16)])
    stage = output.update().split(r.z, co, ci, 16).split(k, ko, ki, 96)
    stage.reorder(r.x, r.y, y, ki, ci, x, b, co, ko).unroll(ki, 16).unroll(ci, 16).systolic(ki).systolic(ci)
    image.in_().compute_at(output, co)
    w.in_().compute_at(output, co)
    return output.accelerate([image, w])


def main() -> None:
    nest, table = lower(conv3()), load_costs("table3")
    accelerator = derive(nest)
    found = estimate_hardware(nest, accelerator, table, None)
    seconds = min(repeat(lambda: estimate_hardware(nest, accelerator, table, None), number=1, repeat=REPEATS))
    print(f"{found.cycles.total} cycles, {found.energy_pj:.6g} pJ: {1e3 * seconds:.2f} ms (best of {REPEATS})")


if __name__ == "__main__":
    main()
