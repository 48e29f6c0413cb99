"""What a list of programs asks of memory: its tensors, when each is needed, and what is there before it starts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from numbers import Integral

import numpy as np

from halidehw.errors import HardwareError
from halidehw.expr.types import Type
from halidehw.host.plan import AFTER, BEFORE, Block
from halidehw.host.words import packed
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Tensor
from halidehw.machines.descriptor import Descriptor, Follows
from halidehw.machines.engine import Programmed
from halidehw.machines.machine import Machine
from halidehw.machines.tasks import Task
from halidehw.microarch.interface import Port


@dataclass(frozen=True)
class Output:
    """What step number `step`, counted from 0, wrote; `name`: which of several outputs. `viewed`: as the same words in
    another shape, where both are dense."""

    step: int
    name: str = ""
    viewed: bool = False


@dataclass(frozen=True)
class Step:
    """A program to be run: a design, or its descriptor, which takes no time to find. `inputs`: an array (dimension 0
    last) for each by name, or what an earlier step wrote.
    `addresses`: of tensors by name, where they are not to be chosen."""

    design: Programmed | Descriptor
    inputs: Mapping[str, np.ndarray | Output] = field(default_factory=dict)
    addresses: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Placed:
    """A tensor of a step: its name there, the machine's port for it, its words, the number of its block. `written`: is
    it an output."""

    name: str
    port: Port
    words: int
    block: int
    written: bool


class Steps:
    """Steps as a machine's tasks. `blocks`: all memory that they need; `tensors`: of each step; `loads`: what the host
    writes where, block and bytes.

    An array that several steps are given lies in memory once. `reuse`: what is read makes room when the last step that
    reads it is over; without, and what none reads, it stays for the host. Raises HardwareError for a step that reads
    what no earlier one wrote, or as another type or shape.
    """

    def __init__(self, machine: Machine, steps: Sequence[Step], reuse: bool):
        if not steps:
            raise HardwareError("a run has one step at least", legal=("[Step(f, inputs)]",))
        self.machine, self.owners = machine, list[str]()
        self.tasks, self.blocks = list[Task](), list[Block]()
        self.tensors, self.loads = list[tuple[Placed, ...]](), list[tuple[int, np.ndarray]]()
        self._given = dict[tuple[int, str], int]()
        for number, step in enumerate(steps):
            if not isinstance(step, Step) or not isinstance(step.inputs, Mapping):
                raise HardwareError(f"{step!r} is no step of a run", legal=("Step(f, {})",))
            owner, program = machine.placed(step.design)
            design, graph = program.design, program.graph
            _check_addresses(step, graph)
            read = {name: value for name, value in step.inputs.items() if isinstance(value, Output)}
            kinds = {tensor.name: tensor for tensor in graph.inputs}
            sources = {name: self._source(design.name, number, kinds.get(name), name, value)
                       for name, value in read.items()}  # fmt: skip
            arrays = {name: value for name, value in step.inputs.items() if not isinstance(value, Output)}
            values = {name: self._right(*source, kinds.get(name)) for name, source in sources.items()}
            self.owners.append(owner)
            after = self._after({source for source, _ in sources.values()})
            self.tasks.append(task := machine.engines[owner].task(program, {**arrays, **values}, after))
            self.tensors.append(tuple(self._placed(number, step, task, sources, arrays)))
        passed = {each.block for tensors in self.tensors for each in tensors if not each.written}
        for place, block in enumerate(self.blocks):
            if not (reuse and place in passed):
                self.blocks[place] = replace(block, users=block.users | {AFTER})

    @property
    def order(self) -> list[frozenset[int]]:
        """Of each step those that are over before it begins: the earlier ones of its engine, those of others that it
        waits for, and what these came after."""
        found = list[frozenset[int]]()
        for number, (owner, task) in enumerate(zip(self.owners, self.tasks, strict=True)):
            counts = dict(zip((name for name in self.machine.engines if name != owner), task.after, strict=True))
            direct = [i for i in range(number) if self.owners[i] == owner
                      or self.owners[: i + 1].count(self.owners[i]) <= counts[self.owners[i]]]  # fmt: skip
            found.append(frozenset(direct).union(*(found[i] for i in direct)))
        return found

    def read_back(self, number: int) -> tuple[Placed, ...]:
        """What of a step the host finds when all are over."""
        return tuple(each for each in self.tensors[number] if each.written and AFTER in self.blocks[each.block].users)

    def early(self, number: int, places: Sequence[int]) -> dict[str, Follows]:
        """The ports through which a step's loads may begin while the one before it on its engine runs, and how they
        follow that: no step on another engine writes where their tensors lie, and that one nothing else there."""
        owner, others = self.owners[number], {i for i, each in enumerate(self.owners) if each != self.owners[number]}
        last = [i for i in range(number) if self.owners[i] == owner][-1:]
        found = dict[str, Follows]()
        for each in self.tensors[number]:
            written = [(i, made) for i in (*others, *last) for made in self.tensors[i] if made.name in self._made(i)
                       and _meet(self._lies(each, places), self._lies(made, places))]  # fmt: skip
            if each.port.name not in self.tasks[number].early:
                continue
            if not written:
                found[each.port.name] = Follows(0, 0)
            elif all(i in last and made.block == each.block for i, made in written):
                before, program = self.tasks[last[0]].program, self.tasks[number].program
                if how := self.machine.follows(before, program, each.port.name):
                    found[each.port.name] = how
        return found

    def _made(self, number: int) -> set[str]:
        """The tensors of a step that it writes, those between its stages included."""
        return {nest.name for nest in self.tasks[number].graph.stages}

    def _lies(self, tensor: Placed, places: Sequence[int]) -> range:
        """The addresses of its bytes."""
        return range(places[tensor.block], places[tensor.block] + self.blocks[tensor.block].size)

    def bases(self, number: int, places: Sequence[int]) -> dict[str, int]:
        """The addresses of a step's tensors by its engine's names of ports."""
        at = {each.port.tensor: places[each.block] for each in self.tensors[number]}
        ports = self.machine.engines[self.owners[number]].network.interface.ports
        return {port.name: at[port.tensor] for port in ports if port.tensor in at}

    def _after(self, sources: Collection[int]) -> tuple[int, ...]:
        """How many programs of each other engine come before the last step, which reads what these steps wrote."""
        others = [name for name in self.machine.engines if name != self.owners[-1]]
        last = {self.owners[source]: source for source in sorted(sources)}
        return tuple(self.owners[: last[other] + 1].count(other) if other in last else 0 for other in others)

    def _source(self, name: str, number: int, tensor: Tensor | None, called: str, value: Output) -> tuple[int, str]:
        """The step and the output that an input is."""
        if not isinstance(value.step, int) or value.step not in range(number):
            raise HardwareError(f"{name}, step {number}, reads what step {value.step!r} writes, which is not before it")
        outputs = {nest.name: nest.output for nest in self.tasks[value.step].graph.outputs}
        wanted = value.name or next(reversed(outputs))
        if wanted not in outputs:
            raise HardwareError(f"step {value.step} writes {', '.join(outputs)}, and no {wanted}",
                                legal=(f'Output({value.step}, "{next(iter(outputs))}")',))  # fmt: skip
        made = outputs[wanted]
        same = tensor and (made.type, made.extents, made.strides) == (tensor.type, tensor.extents, tensor.strides)
        if tensor and not same and not (value.viewed and _dense(made) == _dense(tensor) is not None):
            raise HardwareError(
                f"{name} reads {called} as {tensor.type} of shape {tensor.extents[::-1]}, and {wanted} is {made.type} "
                f"of shape {made.extents[::-1]}" + " laid out otherwise" * (made.extents == tensor.extents)
            )
        return value.step, wanted

    def _right(self, step: int, output: str, tensor: Tensor | None) -> np.ndarray:
        found: np.ndarray = self.tasks[step].right[output]
        return found.reshape(tensor.extents[::-1]) if tensor else found

    def _placed(
        self, number: int, step: Step, task: Task, sources: Mapping[str, tuple[int, str]],
        arrays: Mapping[str, np.ndarray],
    ) -> Iterator[Placed]:  # fmt: skip
        graph, ports = task.graph, self.machine.engines[self.owners[number]].network.interface.ports
        named = {port.tensor: port for port in ports}
        for tensor in graph.inputs:
            port = named[task.called.get(tensor.name, tensor.name)]
            if tensor.name in sources:
                block = self._kept(number, tensor.name, step, *sources[tensor.name])
            else:
                block = self._loaded(number, step, tensor.name, port, task, arrays.get(tensor.name))
            yield Placed(tensor.name, port, tensor.span, block, False)
        read = {nest.name for nest in graph.outputs}
        for nest in graph.stages:
            if nest.name in read | graph.between:
                port, words = named[task.called.get(nest.name, nest.name)], nest.output.span
                block = self._block(number, step, nest.name, words * port.unit, {number})
                yield Placed(nest.name, port, words, block, nest.name in read)

    def _kept(self, number: int, name: str, step: Step, source: int, output: str) -> int:
        """The block of what an earlier step wrote, which is needed up to here."""
        block = next(each.block for each in self.tensors[source] if each.name == output)
        if name in step.addresses:
            raise HardwareError(f"{name} lies where step {source} writes it: say the address of {output} there")
        return self._used(block, number)

    def _loaded(
        self, number: int, step: Step, name: str, port: Port, task: Task, array: np.ndarray | None
    ) -> int:
        """The block of an array that the host writes; of one that is there already, that."""
        key = (id(array), name if array is None else "")
        if array is not None and key in self._given and name not in step.addresses:
            return self._used(self._given[key], number)
        data = packed(task.inputs[port.tensor], port)
        block = self._given[key] = self._block(number, step, name, len(data), {BEFORE, number})
        self.loads.append((block, data))
        return block

    def _used(self, block: int, number: int) -> int:
        """A block, which a step uses too."""
        self.blocks[block] = replace(self.blocks[block], users=self.blocks[block].users | {number})
        return block

    def _block(self, number: int, step: Step, name: str, size: int, users: set[int]) -> int:
        """A new one."""
        label = f"{name} of step {number}"
        self.blocks.append(Block(label, size, frozenset(users), step.addresses.get(name)))
        return len(self.blocks) - 1


def _check_addresses(step: Step, graph: Graph) -> None:
    """Raises HardwareError for addresses that are no numbers, or of what is no tensor of the step in memory."""
    known = [*(each.name for each in graph.inputs), *(each.name for each in graph.outputs), *sorted(graph.between)]
    if not isinstance(step.addresses, Mapping):
        raise HardwareError(f"addresses={step.addresses!r}: they are said of tensors by name",
                            legal=(f'addresses={{"{known[0]}": 0x1000}}',))  # fmt: skip
    for name, address in step.addresses.items():
        if name not in known:
            raise HardwareError(f"the tensors of {graph.output.name} in memory are {', '.join(known)}, not {name!r}",
                                legal=(f'addresses={{"{known[0]}": 0x1000}}',))  # fmt: skip
        if not isinstance(address, Integral) or isinstance(address, bool):
            raise HardwareError(f"the address of {name} is {address!r}, which is no number of bytes",
                                legal=(f'addresses={{"{name}": 0x1000}}',))  # fmt: skip


def _meet(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


def _dense(tensor: Tensor) -> tuple[Type, int] | None:
    """The type and the number of words of a tensor without gaps whose dimensions lie in their order; None of others."""
    strides = tuple(prod(tensor.extents[:d]) for d in range(len(tensor.extents)))
    return (tensor.type, tensor.words) if tensor.strides == strides else None
