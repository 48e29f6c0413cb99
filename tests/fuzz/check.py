"""What must hold of every design: three answers, one truth."""

from __future__ import annotations

import numpy as np

from halidehw.backend_hdl import verilog
from halidehw.energy_model.counters import predicted
from halidehw.frontend.reference import reference
from halidehw.ir.affine import Affine
from halidehw.ir.interpreter import interpret
from halidehw.ir.nest import Access, Nest
from halidehw.ir.sums import visits
from halidehw.microarch.derive import derive
from halidehw.simulate import Run, simulate_verilog
from tests.fuzz.designs import Design

TIMEOUT = 400_000


def check_interpreter(design: Design) -> None:
    """The nest, interpreted, gives what the algorithm says."""
    assert np.array_equal(interpret(design.nest, design.arrays), reference(design.func, design.inputs))


def check_hardware(design: Design) -> Run:
    """The hardware gives what the algorithm says, whatever its memory does, after a reset too; its traffic is at least
    the compulsory one, and without random stalls all it counts is what the model says."""
    nest, memory = design.nest, design.memory
    accelerator = derive(nest, design.options)
    text, interface = verilog(accelerator), accelerator.interface
    words = {name: np.ascontiguousarray(array).reshape(-1) for name, array in design.arrays.items()}
    want = reference(design.func, design.inputs).reshape(-1)

    def run(starts: int, reset_at: int | None = None) -> Run:
        return simulate_verilog(
            text, interface, words, memory=memory, starts=starts, reset_at=reset_at, timeout_cycles=TIMEOUT
        )

    found = run(design.starts)
    check_words(found, nest, want)
    for tensor in nest.inputs:
        assert found.counters[f"{tensor.name}_words"] >= compulsory(nest, tensor.name), (
            f"too few words of {tensor.name}"
        )
    assert found.counters[f"{nest.output.name}_words"] == nest.output.words * visits(nest)
    if design.predictable:
        expected = predicted(nest, accelerator, memory)
        differing = {name: (count, expected[name]) for name, count in found.counters.items() if count != expected[name]}
        assert not differing, f"counted, predicted: {differing}"
    if design.reset:
        whole = found.cycles if design.starts == 1 else run(1).cycles
        check_words(run(1, max(1, whole * design.reset // 100)), nest, want)
    return found


def check_words(run: Run, nest: Nest, want: np.ndarray) -> None:
    got = run.outputs[nest.output.name]
    wrong = np.flatnonzero(got != want)
    assert not wrong.size, (
        f"{wrong.size} of {want.size} words differ; word {wrong[0]}: {got[wrong[0]]}, not {want[wrong[0]]}"
    )


def compulsory(nest: Nest, tensor: str) -> int:
    """Words of a tensor's own that some iteration reads."""
    touched: set[int] = set()
    for access in nest.reads:
        if access.tensor == tensor:
            touched.update(addresses(nest, access).tolist())
    return len(touched)


def addresses(nest: Nest, access: Access) -> np.ndarray:
    """The word addresses that an access reads, over all iterations; those outside the tensor are left out."""
    grid = np.indices([loop.extent for loop in nest.loops]).reshape(len(nest.loops), -1)
    offsets = {loop.name: row for loop, row in zip(nest.loops, grid, strict=True)}
    executed = np.ones(grid.shape[1], bool)
    for constraint in nest.domain:
        executed &= sum(step * offsets[name] for name, step in constraint.terms) <= constraint.limit
    tensor = nest.tensor[access.tensor]
    address = np.zeros(grid.shape[1], np.int64)
    for index, low, extent, stride in zip(access.indices, tensor.mins, tensor.extents, tensor.strides, strict=True):
        form = Affine.from_sympy(index)
        position = form.constant - low + sum(step * (offsets[name] + nest.loop[name].min) for name, step in form.terms)
        executed &= (position >= 0) & (position < extent)
        address = address + position * stride
    return address[executed]
