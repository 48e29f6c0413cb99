"""Random pipelines: two to six stages or some more, one output or several, each with a schedule and a place of its own.

A schedule is lines of a program. One after the other is tried on the algorithm built anew, and left out where it is
refused; whatever else it raises is a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

from halidehw import Func, MemoryType, Pipeline
from halidehw.errors import HalideHWError
from halidehw.frontend.design import design_of
from halidehw.ir.graph import Graph
from halidehw.microarch.options import LATENCY, Options
from halidehw.scheduler import lower_graph
from halidehw.simulate import Memory
from tests.fuzz.check import LeftOut
from tests.fuzz.choices import Choices, replayed
from tests.fuzz.designs import Design, laid_out
from tests.fuzz.stages import Part, algorithm

MOST_STEPS = 30_000
"""Iterations of all stages together, those that are done again too."""
TRIES = 3
"""Lines that are tried for one decision before it is left as it was."""


@dataclass(frozen=True)
class Built:
    """Scheduled stages, and those of them that are written to memory."""

    parts: tuple[Part, ...]
    outputs: tuple[Func, ...]

    @property
    def value(self) -> Func | Pipeline:
        return self.outputs[0] if len(self.outputs) == 1 else Pipeline(list(self.outputs))


@dataclass
class Program:
    """An algorithm, rebuilt at will from the decisions it came from, and lines of its schedule. `last`: what so many
    lines made of it last; `nests`: what lowering it has made of its stages."""

    decisions: Sequence[int]
    lines: list[str] = field(default_factory=list)
    nests: dict[object, Any] = field(default_factory=dict)
    last: tuple[tuple[str, ...], Built] | None = None

    def built(self, *lines: str) -> Built:
        """With the schedule, and further lines."""
        wanted = (*self.lines, *lines)
        if self.last is None or self.last[0] != wanted:
            parts, made = algorithm(replayed(self.decisions))
            outputs = list(made)
            names: dict[str, object] = {"MemoryType": MemoryType, "outputs": outputs}
            for part in parts:
                names |= {each.name: each for each in (part.func, part.core, *part.reads)}
            for line in wanted:
                eval(line, dict(names))
            self.last = wanted, Built(parts, tuple(outputs))
        return self.last[1]

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.built().parts

    def lowered(self, *lines: str) -> Graph:
        return lower_graph(design_of(self.built(*lines).value), nests=self.nests)

    def other(self, lines: Iterable[str]) -> Program:
        """The same algorithm with other lines."""
        return Program(self.decisions, list(lines), self.nests, self.last)

    def take(self, found: Program) -> None:
        """The lines of another one of the same algorithm."""
        self.lines[:], self.last = found.lines, found.last

    def write(self, line: str) -> None:
        """Adds a line unless it is refused as it stands."""
        before = self.last
        try:
            self.built(line)
            self.lines.append(line)
        except HalideHWError:
            self.last = before

    def attempt(self, *lines: str) -> bool:
        """Adds lines unless they, or what they make of the schedule, are refused."""
        before = self.last
        try:
            self.lowered(*lines)
        except HalideHWError:
            self.last = before
            return False
        except Exception as error:
            error.add_note("\n".join((*self.lines, *lines)))
            raise
        self.lines += lines
        return True


def pipeline(choices: Choices) -> Design:
    """A pipeline on any memory, cut off and started again. Raises `LeftOut` for one with too many iterations."""
    before = len(choices.taken)
    algorithm(choices)
    program = Program(choices.taken[before:])
    schedule(choices, program)
    options = Options(
        port_bits=choices.pick([0, 0, 32, 64, 128, 256]), hide_latency=choices.pick([LATENCY, LATENCY, 1, 10, 200]),
        counters=choices.pick(["basic", "all"]),
    )  # fmt: skip
    memory = Memory(
        choices.pick([1, 2, 7, 20, 63, 200]), choices.pick([None, None, 1, 0.5, 2, Fraction(1, 3), 0.1]),
        choices.pick([0.0, 0.0, 0.3]), choices.number(0, 99),
    )  # fmt: skip
    found = laid_out(choices, Design(
        program.built().value, options, memory,
        fill=choices.pick(["spread", "each", "extremes"]),
        seed=choices.number(0, 9999),
        starts=choices.pick([1, 1, 2]),
        reset=choices.pick([0, 0, 0, 1]) * choices.number(1, 99),
        abort=choices.pick([0, 0, 1]) * choices.number(1, 99),
        loops=choices.chance(4),
        further=choices.chance(4),
        lines=tuple(program.lines),
    ))  # fmt: skip
    if (steps := sum(prod(loop.extent for loop in nest.loops) for nest in found.graph.stages)) > MOST_STEPS:
        raise LeftOut(f"{steps} iterations of all stages")
    return found


def schedule(choices: Choices, program: Program) -> None:
    """Loops, places and memories, the output's first; a stage is computed at the root where nothing else works."""
    built = program.built()
    inner = [part for part in built.parts if part.func not in built.outputs]
    program.lines += [f"{part.func.name}.compute_root()" for part in inner]
    graph = program.lowered()
    for part in inner:
        inline(choices, program, part.func.name)
    if choices.chance(5):
        output(program, graph, choices.pick(inner).func.name)
    for number in reversed(range(len(built.parts))):
        loops(choices, program, number)
        if number < len(built.parts) - 1:
            place(choices, program, number)
        copies(choices, program, number)


def inline(choices: Choices, program: Program, name: str) -> None:
    """Now and then a stage has no place."""
    if choices.chance(6):
        found = program.other(line for line in program.lines if line != f"{name}.compute_root()")
        if found.attempt():
            program.take(found)


def output(program: Program, graph: Graph, name: str) -> None:
    """What others read of a stage is written to memory, too."""
    made = [nest.output for nest in graph.stages if nest.name == name]
    for tensor in made:
        bounds = list(zip(tensor.mins, tensor.extents, strict=True))
        program.attempt(f"outputs.append({name}.set_bounds({bounds}))")


def loops(choices: Choices, program: Program, number: int) -> None:
    """Up to two splits, an order, lanes, of each of its updates: those together that work, or else one by one."""
    for stage, code in enumerate(program.parts[number].codes):
        found = program.other(program.lines)
        for line in blocked(choices, found, number, stage):
            found.write(f"{code}.{line}")
        new, program.last = found.lines[len(program.lines) :], found.last
        if new and not program.attempt(*new):
            for line in new:
                program.attempt(line)


def blocked(choices: Choices, program: Program, number: int, stage: int) -> Iterator[str]:
    """Directives of a stage that has those before them."""
    for count in range(choices.pick([0, 0, 1, 2])):
        name = choices.pick(names(program, number, stage))
        yield f"split('{name}', '{name}o{count}', '{name}i{count}', {choices.number(2, 5)})"
    if choices.chance(3):
        yield f"reorder({', '.join(map(repr, choices.shuffled(names(program, number, stage))))})"
    if choices.chance(2):
        name = choices.pick(names(program, number, stage)[::-1])
        yield f"{choices.pick(['unroll', 'vectorize'])}('{name}', {choices.number(2, 4)})"
        for lane in names(program, number, stage) if choices.chance(4) else ():
            yield f"systolic('{lane}')"


def names(program: Program, number: int, stage: int = -1) -> tuple[str, ...]:
    return program.parts[number].stages[stage].loops.names


def place(choices: Choices, program: Program, number: int) -> None:
    """In a loop of a stage that comes after it, kept there or further out; or in the memory outside."""
    parts = program.parts
    func, root = parts[number].func.name, f"{parts[number].func.name}.compute_root()"
    readers = [each for each in parts[number + 1 :] if parts[number].func in each.reads]
    if root not in program.lines or not readers or choices.chance(4):
        if root in program.lines and choices.chance(2):
            program.attempt(f"{func}.store_in(MemoryType.Heap)")
        return
    rest = [line for line in program.lines if line != root]
    for _ in range(TRIES):
        consumer = choices.pick(readers)
        found = program.other(rest)
        if found.attempt(placed(choices, func, consumer.core.name, consumer.stages[-1].loops.names)):
            if choices.chance(5):
                found.attempt(f"{func}.fold_storage('{choices.pick('xy')}', {choices.number(1, 6)})")
            program.take(found)
            return


def placed(choices: Choices, subject: str, consumer: str, at: Sequence[str]) -> str:
    """A place of a stage or a copy in one of the loops `at`, and where it is kept."""
    depth = choices.number(0, len(at) - 1)
    compute = f".compute_at({consumer}, '{at[depth]}')"
    match choices.number(0, 3):
        case 1 | 2:
            return f"{subject}.store_root(){compute}"
        case 3 if depth:
            return f"{subject}.store_at({consumer}, '{at[choices.number(0, depth - 1)]}'){compute}"
    return subject + compute


def copies(choices: Choices, program: Program, number: int) -> None:
    """Now and then up to two memories for what a stage reads."""
    part = program.parts[number]
    for source in part.reads:
        subject = source.name
        for _ in range(choices.pick([0, 0, 0, 1, 2])):
            subject += ".in_()"
            line = placed(choices, subject, part.core.name, names(program, number))
            program.attempt(line + (".single_buffer()" if choices.chance(4) else ""))
