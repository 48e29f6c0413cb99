"""Programs with their inputs, and where their tensors lie in the memories of a simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from halidehw.backend_hdl.program import PORT, STATUS
from halidehw.ir.graph import Graph
from halidehw.machines.descriptor import Descriptor
from halidehw.microarch.interface import Interface, Port
from halidehw.simulate import Run


@dataclass(frozen=True, eq=False)
class Task:
    """A program, and the words of its tensors by the engine's names: those of inputs, how many of `outputs`.

    `called`: the engine's names of the design's tensors; `right`: what the algorithm alone gives; `after`: how many
    programs of each other engine come before it."""

    program: Descriptor
    graph: Graph
    called: Mapping[str, str]
    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, int]
    right: Mapping[str, Any]
    after: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.program.design.name

    @property
    def early(self) -> tuple[str, ...]:
        """The ports through which it may be begun early, if no program before it writes what they read: none where it
        waits for other engines."""
        return () if any(self.after) else self.program.early

    def size(self, tensor: str) -> int:
        return len(self.inputs[tensor]) if tensor in self.inputs else self.outputs.get(tensor, 0)


@dataclass(frozen=True)
class Plan:
    """The memories of an engine's tensors: those of the tasks of a list lie one behind the other, in units of words;
    without a list, each task's from address 0 on. `prefix`: what outside the names of its ports begin with; `places`:
    the addresses of the memories, in bytes, where all are one; `beat`: of how many bytes each tensor begins at a
    multiple."""

    prefix: str
    engine: Interface
    listed: Sequence[Task]
    places: Mapping[str, int] = field(default_factory=dict)
    beat: int = 1

    @property
    def interface(self) -> Interface:
        """The engine's, with room in each memory for all tasks."""
        return replace(self.engine, ports=tuple(map(self._roomy, self.engine.ports)))

    @property
    def lists(self) -> tuple[str, ...]:
        """What the names of the signals of its list begin with outside, if it has one."""
        return (self.prefix,) if self.engine.listed else ()

    def words(self, tasks: Sequence[Task]) -> dict[str, np.ndarray]:
        """What the memories hold, by their names outside: inputs, descriptors."""
        found, written = dict[str, np.ndarray](), {port.tensor for port in self.engine.ports if port.kind == "write"}
        for port in self.interface.ports:
            if port.tensor == PORT:
                parts = [task.program.at(self._bases(task), task.after, task.early) for task in tasks]
            else:
                parts = [self._filled(task.inputs.get(port.tensor, np.zeros(0, np.int64)), port) for task in tasks]
            if port.tensor not in written:
                found[self.prefix + port.tensor] = _padded(np.concatenate([np.zeros(0, np.int64), *parts]), port)
        return found

    def output(self, task: Task, tensor: str, run: Run) -> np.ndarray:
        first = self._first(tensor, task)
        return run.outputs[self.prefix + tensor][first : first + task.outputs[tensor]]

    def status(self, task: Task, run: Run) -> int:
        """What is written of a task of the list."""
        return int(run.outputs[self.prefix + STATUS][self.listed.index(task)])

    def _bases(self, task: Task) -> dict[str, int]:
        based = [port for port in self.engine.ports if port.based]
        return {port.name: self.places.get(self.prefix + port.tensor, 0) + self._first(port.tensor, task) * port.unit
                for port in based}  # fmt: skip

    def _first(self, tensor: str, task: Task) -> int:
        """The address of a task's tensor, in words."""
        port = next(port for port in self.engine.ports if port.tensor == tensor)
        return self._room(port, self.listed[: self.listed.index(task)]) if self.listed else 0

    def _room(self, port: Port, tasks: Sequence[Task]) -> int:
        """The words that the tensors of tasks take."""
        words = max(self.beat // port.unit, 1)
        return sum(-(-task.size(port.tensor) // words) * words for task in tasks)

    def _filled(self, given: np.ndarray, port: Port) -> np.ndarray:
        """Words, up to where the next tensor may begin."""
        words = max(self.beat // port.unit, 1)
        return np.concatenate([given, np.zeros(-len(given) % words, given.dtype)])

    def _roomy(self, port: Port) -> Port:
        if port.tensor in (PORT, STATUS):
            return port
        return replace(port, words=max(port.words, self._room(port, self.listed)))


def _padded(words: np.ndarray, port: Port) -> np.ndarray:
    """As many words as the port's memory has."""
    found = np.zeros(port.words, words.dtype)
    found[: len(words)] = words
    return found
