"""Random pipelines: two to six stages, stencils and reductions, each with a schedule and a place of its own.

A schedule is lines of a program. One after the other is tried on the algorithm built anew, and left out where it is
refused; whatever else it raises is a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from halidehw import Expr, Func, ImageParam, Int, MemoryType, RDom, UInt, Var, cast, max, saturating_cast
from halidehw.errors import HalideHWError
from halidehw.frontend.stage import Stage
from halidehw.microarch.options import LATENCY, Options
from halidehw.scheduler import lower_graph
from halidehw.simulate import Memory
from tests.fuzz.algorithms import mixed
from tests.fuzz.check import LeftOut
from tests.fuzz.choices import Choices, replayed
from tests.fuzz.designs import Design, laid_out

WORDS = [UInt(8), Int(16), Int(8), UInt(12), Int(3), UInt(1), Int(33), UInt(33), Int(24)]
SUMS = [Int(32), UInt(16), Int(17), Int(40)]
MOST_STEPS = 30_000
"""Iterations of all stages together, those that are done again too."""
MOST_STAGES = 6
TRIES = 3
"""Lines that are tried for one decision before it is left as it was."""

x, y = Var("x"), Var("y")


@dataclass
class Part:
    """A stage: `func` has the place, `core` the loops (it, or the reduction it reads)."""

    func: Func
    core: Func
    reads: tuple[ImageParam | Func, ...]

    @property
    def stage(self) -> Stage:
        return self.core.update() if len(self.core.stages) > 1 else self.core.stages[0]

    @property
    def code(self) -> str:
        return f"{self.core.name}.update()" if len(self.core.stages) > 1 else self.core.name


@dataclass
class Program:
    """An algorithm, rebuilt at will from the decisions it came from, and lines of its schedule. `built`: the stages
    with so many lines, as they were made last."""

    decisions: Sequence[int]
    lines: list[str] = field(default_factory=list)
    built: tuple[tuple[str, ...], tuple[Part, ...]] | None = None

    def parts(self, *lines: str) -> tuple[Part, ...]:
        """The stages with the schedule, and further lines, the output's last."""
        wanted = (*self.lines, *lines)
        if self.built is None or self.built[0] != wanted:
            parts = algorithm(replayed(self.decisions))
            names: dict[str, object] = {"MemoryType": MemoryType}
            for part in parts:
                names |= {each.name: each for each in (part.func, part.core, *part.reads)}
            for line in wanted:
                eval(line, dict(names))
            self.built = wanted, parts
        return self.built[1]

    def attempt(self, *lines: str) -> bool:
        """Adds lines unless they, or what they make of the schedule, are refused."""
        before = self.built
        try:
            lower_graph(self.parts(*lines)[-1].func)
        except HalideHWError:
            self.built = before
            return False
        except Exception as error:
            error.add_note("\n".join((*self.lines, *lines)))
            raise
        self.lines += lines
        return True


@dataclass(frozen=True)
class Scheduled(Design):
    """A design that prints its schedule as a program."""

    lines: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join((super().__repr__(), *self.lines))


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
    found = laid_out(choices, Scheduled(
        program.parts()[-1].func, options, memory,
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


# --- what is computed


def algorithm(choices: Choices) -> tuple[Part, ...]:
    """Stages of neighbours, products with weights and maxima, each of the one before, perhaps of earlier ones too."""
    image = ImageParam(choices.pick(WORDS), 2, "image")
    sources: list[ImageParam | Func] = [image]
    parts = list[Part]()
    halvings = 2
    for number in range(choices.number(2, MOST_STAGES)):
        read = [sources[-1]]
        if choices.chance(4):
            read += [choices.pick(sources)]
        step = choices.pick([1, 1, 1, 1, 2]) if halvings else 1
        halvings -= step > 1
        make = choices.pick([stencil, stencil, reduction, greatest])
        parts.append(make(choices, f"s{number}", tuple(dict.fromkeys(read)), step))
        sources.append(parts[-1].func)
    func = parts[-1].func
    func.bound(x, choices.pick([0, 0, 0, -2, 1]), choices.pick([5, 4, 7, 9, 1, 19]))
    func.bound(y, choices.pick([0, 0, 0, -1, 3]), choices.pick([3, 4, 5, 1, 13]))
    return tuple(parts)


def stencil(choices: Choices, name: str, reads: tuple[ImageParam | Func, ...], step: int) -> Part:
    """Some places around (x, y) of each source, in any expression."""
    func, kind = Func(name), choices.pick(SUMS)
    words, paces = list[Expr](), choices.pick([(1, 1), (1, 1), (1, 1), (2, 1), (1, 2), (2, 2)])
    for source in reads:
        for _ in range(choices.number(1, 3)):
            at = [(step * var if pace == 1 else var) + choices.pick([0, 1, 2, -1])
                  for var, pace in zip((x, y), paces, strict=True)]  # fmt: skip
            words.append(cast(kind, source[tuple(each / pace if pace > 1 and not choices.chance(4) else each
                                                 for each, pace in zip(at, paces, strict=True))]))  # fmt: skip
    value, odd = words[0], choices.number(0, 3 * len(words))
    for place, word in enumerate(words[1:]):
        value = mixed(choices, value, word) if place == odd else value + word * choices.pick([1, 3])
    if choices.chance(5):
        value = value + cast(kind, x - 2 * y)
    func[x, y] = cast(choices.pick(WORDS), value)
    return Part(func, func, reads)


def reduction(choices: Choices, name: str, reads: tuple[ImageParam | Func, ...], step: int) -> Part:
    """The sum of products with weights, perhaps requantised."""
    core, kind, w = Func(f"{name}_sum"), choices.pick(SUMS), ImageParam(choices.pick(WORDS), 2, f"{name}_w")
    r = RDom([(choices.pick([0, 0, -1]), choices.number(1, 3)), (0, choices.number(1, 3))], f"{name}_r")
    column = choices.chance(4)
    words = [
        cast(kind, source[(r.x if column and not number else step * x + r.x), y + r.y])
        for number, source in enumerate(reads)
    ]
    value = cast(kind, w[x, r.x] if column else w[r.x, r.y])
    for word in words:
        value = value * word if word is words[0] else value + word
    core[x, y] += value
    func = Func(name)
    func[x, y] = saturating_cast(choices.pick([Int(8), UInt(5)]), core[x, y] >> choices.number(0, 4))
    return Part(func, core, (*reads, w))


def greatest(choices: Choices, name: str, reads: tuple[ImageParam | Func, ...], step: int) -> Part:
    """The maximum of a window."""
    source, func = reads[0], Func(name)
    r = RDom([(0, choices.number(1, 3)), (0, choices.number(1, 2))], f"{name}_r")
    func[x, y] = cast(source.type, source.type.min)
    func[x, y] = max(func[x, y], source[step * x + r.x, y + r.y])
    return Part(func, func, (source,))


# --- how


def schedule(choices: Choices, program: Program) -> None:
    """Loops, places and memories, the output's first; a stage is computed at the root where nothing else works."""
    parts = program.parts()
    for part in parts[:-1]:
        inlined = part.func is part.core and len(part.core.stages) == 1 and choices.chance(6)
        program.lines += [] if inlined else [f"{part.func.name}.compute_root()"]
    if not program.attempt():
        program.lines[:] = [f"{part.func.name}.compute_root()" for part in parts[:-1]]
        lower_graph(program.parts()[-1].func)
    for number in reversed(range(len(parts))):
        loops(choices, program, number)
        if number < len(parts) - 1:
            place(choices, program, number)
        copies(choices, program, number)


def loops(choices: Choices, program: Program, number: int) -> None:
    """Up to two splits, an order, lanes."""
    code = program.parts()[number].code
    for count in range(choices.pick([0, 0, 1, 2])):
        name = choices.pick(names(program, number))
        program.attempt(f"{code}.split('{name}', '{name}o{count}', '{name}i{count}', {choices.number(2, 5)})")
    if choices.chance(3):
        program.attempt(f"{code}.reorder({', '.join(map(repr, choices.shuffled(names(program, number))))})")
    if choices.chance(2):
        name = choices.pick(names(program, number)[::-1])
        if program.attempt(f"{code}.{choices.pick(['unroll', 'vectorize'])}('{name}', {choices.number(2, 4)})"):
            for lane in names(program, number) if choices.chance(4) else ():
                program.attempt(f"{code}.systolic('{lane}')")


def names(program: Program, number: int) -> tuple[str, ...]:
    return program.parts()[number].stage.loops.names


def place(choices: Choices, program: Program, number: int) -> None:
    """In a loop of a stage that comes after it, kept there or further out."""
    parts = program.parts()
    func, root = parts[number].func.name, f"{parts[number].func.name}.compute_root()"
    if root not in program.lines or not any(parts[number].func in each.reads for each in parts) or choices.chance(5):
        if root in program.lines and choices.chance(3):
            program.attempt(f"{func}.store_in(MemoryType.Heap)")
        return
    rest = [line for line in program.lines if line != root]
    for _ in range(TRIES):
        consumer = choices.pick([each for each in parts[number + 1 :] if parts[number].func in each.reads])
        found = Program(program.decisions, rest[:])
        if found.attempt(placed(choices, func, consumer.core.name, consumer.stage.loops.names)):
            if choices.chance(5):
                found.attempt(f"{func}.fold_storage('{choices.pick('xy')}', {choices.number(1, 6)})")
            program.lines[:] = found.lines
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
    part = program.parts()[number]
    for source in part.reads:
        subject = source.name
        for _ in range(choices.pick([0, 0, 0, 1, 2])):
            subject += ".in_()"
            line = placed(choices, subject, part.core.name, names(program, number))
            program.attempt(line + (".single_buffer()" if choices.chance(4) else ""))


