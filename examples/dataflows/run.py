"""All arrays of this folder, simulated: PEs, memories, cycles, the part of the PEs at work, and whether they are right.

python examples/dataflows/run.py
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

import halidehw as hl
from halidehw.microarch.network import Network

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Summary:
    """`array`: PEs on the vertical and horizontal dimension. `registers`: bytes a PE, the sums it keeps included where
    each PE has its own. `memory`: bytes of the shared memories. Both count all halves."""

    array: tuple[int, ...]
    registers: int
    memory: int
    result: hl.Result


def designs() -> list[Path]:
    return sorted(path for path in HERE.glob("*.py") if path != Path(__file__))


def summary(path: Path) -> Summary:
    """Compile a design and simulate it on random inputs."""
    compiled = hl.compile(hl.load(path))
    accelerator = compiled.accelerator
    random = np.random.default_rng(0)
    inputs = {
        tensor.name: random.integers(
            tensor.type.min, tensor.type.max, tensor.extents[::-1], tensor.type.dtype, endpoint=True
        )
        for tensor in compiled.nest.inputs
    }  # fmt: skip
    shape = tuple(
        prod(space.extent for space in accelerator.output.spaces if space.dimension == dimension)
        for dimension in sorted({space.dimension for space in accelerator.output.spaces})
    )
    memory = sum(m.halves * m.words * m.type.bits // 8 for m in accelerator.memories if not m.implicit)
    return Summary(shape, registers(accelerator), memory, hl.simulate(compiled, inputs))


def registers(accelerator: Network) -> int:
    files = [(file.halves * file.words, file.type.bits) for file in accelerator.output.files]
    sums = accelerator.output.sums[0]
    if not any(space.reduction for space in accelerator.output.spaces):
        files.append((sums.halves * sums.words, sums.type.bits))
    return sum(words * bits for words, bits in files) // 8


def main() -> None:
    print(f"{'design':20} {'PEs':>6} {'B a PE':>7} {'memory B':>9} {'cycles':>8} {'at work':>8}  results")
    for path in designs():
        found = summary(path)
        shape, result = "x".join(map(str, found.array)), found.result
        print(
            f"{path.stem:20} {shape:>6} {found.registers:7} {found.memory:9} {result.cycles:8} "
            f"{result.utilization:8.1%}  {'right' if result.match else 'WRONG'}"
        )


if __name__ == "__main__":
    main()
