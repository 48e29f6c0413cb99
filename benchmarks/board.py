"""All layers of a network, scaled down, on one machine behind AXI4, in one list that a host starts: cycles of each in
RTL over the most that work and bytes leave, max(MACs / PEs, bytes / bytes of a beat).

    python -m benchmarks.board --network alexnet --array 4 --shrink 16 --latency 30
"""

from __future__ import annotations

import argparse

import halidehw as hl
from benchmarks.machines import inputs, layer, layers
from halidehw.buses.axi import AXI
from halidehw.host import Runtime, Step

ROOM = 1 << 24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", default="alexnet")
    parser.add_argument("--array", type=int, default=4)
    parser.add_argument("--shrink", type=int, default=16)
    parser.add_argument("--bits", type=int, default=128)
    parser.add_argument("--latency", type=int, default=30)
    told = parser.parse_args()
    sizes = layers(told.network, told.shrink)
    designs = {name: layer(each, name, told.array) for name, each in sizes.items()}
    machine = hl.machine([*designs.values()], name=told.network, port_bits=told.bits)
    bus, memory = AXI(told.bits, latency=told.latency), hl.Memory(latency=told.latency)
    runtime = Runtime(machine, bus, memory, ROOM)
    loaded = runtime.load([Step(f, inputs(sizes[name], name, at)) for at, (name, f) in enumerate(designs.items())])
    found, bounds = runtime.start(loaded), list[float]()
    print("| layer | cycles | bound | | |\n|---|---|---|---|---|")
    for step, tensors in zip(found.steps, loaded.plan.tensors, strict=True):
        moved = sum(each.words * each.port.unit for each in tensors)
        bounds.append(max(step.macs / told.array**2, moved / bus.bytes))
        ratio = step.cycles / bounds[-1]
        print(f"| {step.name} | {step.cycles} | {bounds[-1]:.0f} | {ratio:.2f} | {'' if step.match else 'WRONG'} |")
    print(f"| all | {found.cycles} | {sum(bounds):.0f} | {found.cycles / sum(bounds):.2f} | |")
    print(f"\nthe host sends {found.sent} bytes and receives {found.received}")


if __name__ == "__main__":
    main()
