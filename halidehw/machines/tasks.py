"""Programs with their inputs, and where their tensors lie in the memories of a simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from halidehw.backend_hdl.program import PORT, STATUS
from halidehw.ir.graph import Graph
from halidehw.machines.descriptor import Descriptor
from halidehw.microarch.interface import Interface, Port
from halidehw.simulate.verilog import Run


@dataclass(frozen=True, eq=False)
class Task:
    """A program, and the words of its tensors by the machine's names: those of inputs, how many of `outputs`.

    `called`: the machine's names of the design's tensors; `right`: what the algorithm alone gives."""

    program: Descriptor
    graph: Graph
    called: Mapping[str, str]
    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, int]
    right: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.program.design.name

    def size(self, tensor: str) -> int:
        return len(self.inputs[tensor]) if tensor in self.inputs else self.outputs.get(tensor, 0)


@dataclass(frozen=True)
class Plan:
    """The memories of each tensor in turn: the tensors of `listed` tasks lie one behind the other, in units of words;
    without, each task's from address 0 on."""

    machine: Interface
    listed: Sequence[Task]

    @property
    def interface(self) -> Interface:
        """The machine's, with room in each memory for all tasks."""
        return replace(self.machine, ports=tuple(map(self._roomy, self.machine.ports)))

    def words(self, tasks: Sequence[Task]) -> dict[str, np.ndarray]:
        """What the memories hold: inputs, descriptors."""
        found = {}
        for port in self.interface.ports:
            if port.tensor != PORT and port.kind == "read" and any(port.tensor in task.inputs for task in tasks):
                parts = [task.inputs.get(port.tensor, np.zeros(0, np.int64)) for task in tasks]
                found[port.tensor] = _padded(np.concatenate(parts), port)
            elif port.tensor == PORT:
                told = [task.program.at(self._bases(task)) for task in tasks]
                found[PORT] = _padded(np.concatenate(told), port)
        return found

    def output(self, task: Task, place: int, tensor: str, run: Run) -> np.ndarray:
        first = self._first(tensor, place)
        return run.outputs[tensor][first : first + task.outputs[tensor]]

    def _bases(self, task: Task) -> dict[str, int]:
        if not self.listed:
            return {}
        place = self.listed.index(task)
        return {port.name: self._first(port.tensor, place) * port.unit for port in self.machine.ports if port.based}

    def _first(self, tensor: str, place: int) -> int:
        return sum(task.size(tensor) for task in self.listed[:place])

    def _roomy(self, port: Port) -> Port:
        if port.tensor in (PORT, STATUS):
            return port
        return replace(port, words=max(port.words, sum(task.size(port.tensor) for task in self.listed)))


def _padded(words: np.ndarray, port: Port) -> np.ndarray:
    """As many words as the port's memory has."""
    found = np.zeros(port.words, words.dtype)
    found[: len(words)] = words
    return found
