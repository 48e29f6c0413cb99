"""Random stages, of which random pipelines are made: stencils, reductions, maxima, several updates, recurrences,
histograms and tables, each of stages before it, over their edges, at their level of a pyramid or at any pace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import halidehw as hl
from halidehw import Expr, Func, ImageParam, Int, RDom, UInt, Var, cast, clamp, i32, saturating_cast, select
from halidehw.expr.types import Struct
from halidehw.frontend.stage import Stage
from tests.fuzz.algorithms import mixed, padding
from tests.fuzz.choices import Choices

WORDS = [UInt(8), Int(16), Int(8), UInt(12), Int(3), UInt(1), Int(33), UInt(33), Int(24)]
SUMS = [Int(32), UInt(16), Int(17), Int(40)]
MOST_STAGES = 6
HALVINGS = 2
"""Of an image, in its coarsest level."""

x, y = Var("x"), Var("y")


@dataclass(frozen=True)
class Part:
    """A stage: `func` has the place, `core` the loops (it, or the reduction it reads)."""

    func: Func
    core: Func
    reads: tuple[ImageParam | Func, ...]

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Those that have loops; what it reads lies in those of the last one."""
        return tuple(self.core.stages[1:] or self.core.stages)

    @property
    def codes(self) -> list[str]:
        """Them, as a program names them."""
        return [f"{self.core.name}.update({n})" for n in range(len(self.core.stages) - 1)] or [self.core.name]


@dataclass(frozen=True)
class Read:
    """What a stage reads, perhaps through a boundary condition, and how many words of it a step of the stage's loops
    over x and y is."""

    target: ImageParam | Func
    paces: tuple[Fraction, Fraction]
    through: Func | None = None

    def at(self, choices: Choices, across: Expr, below: Expr, right: Expr | int = 0, down: Expr | int = 0) -> Expr:
        """The word at a place of the loops, and some on; of several values one."""
        index = (_scaled(choices, across, right, self.paces[0]), _scaled(choices, below, down, self.paces[1]))
        source, kind = self.through or self.target, self.target.type
        if isinstance(kind, Struct):
            return source[index][choices.number(0, len(kind.parts) - 1)]
        return source[index]

    def near(self, choices: Choices) -> Expr:
        """The word at the place of the loops, or beside it."""
        return self.at(choices, x, y, choices.pick([0, 1, 2, -1]), choices.pick([0, 1, 2, -1]))


def _scaled(choices: Choices, loop: Expr, more: Expr | int, pace: Fraction) -> Expr:
    """`more` words on from loop * pace; some of them before a division, if they are a number."""
    if pace >= 1:
        return (loop * pace.numerator if pace > 1 else loop) + more
    if isinstance(more, int) and choices.chance(2):
        return (loop + more) / pace.denominator
    return loop / pace.denominator + more


def algorithm(choices: Choices) -> tuple[tuple[Part, ...], tuple[Func, ...]]:
    """Two to six stages or some more, each of the one before, perhaps of an earlier one too; and the outputs: the last
    one, perhaps another one that it does not read; the image perhaps inside a border."""
    parts, level = list[Part](), 0
    image = ImageParam(choices.pick(WORDS), 2, "image")
    edges = [(choices.number(-1, 2), choices.number(1, 9)) for _ in "xy"] if choices.chance(4) else []
    sources: list[tuple[ImageParam | Func, int]] = [(padding(choices, image, edges) if edges else image, 0)]
    levels, halvings = choices.chance(4), HALVINGS
    count = choices.number(2, MOST_STAGES)
    aside = choices.chance(5)
    for number in range(count + aside):
        earlier = sources[:count] if number == count else sources
        chosen = [choices.pick(earlier) if number == count else sources[-1]]
        chosen += [choices.pick(earlier)] if choices.chance(4) else []
        if levels:
            level = min(max(chosen[0][1] + choices.pick([1, 0, -1]), 0), HALVINGS)
            paces = [(Fraction(2) ** (level - own),) * 2 for _, own in chosen]
        else:
            step = choices.pick([1, 1, 1, 1, 2]) if halvings else 1
            halvings -= step > 1
            slow = choices.pick([(1, 1), (1, 1), (1, 1), (2, 1), (1, 2), (2, 2)])
            paces = [tuple(Fraction(step) if by == 1 else Fraction(1, by) for by in slow)] * len(chosen)
        pairs = dict.fromkeys((target, pace) for (target, _), pace in zip(chosen, paces, strict=True))
        reads = [Read(target, pace, bordered(choices, target)) for target, pace in pairs]
        parts += choices.pick(KINDS)(choices, f"s{number}", tuple(reads))
        sources.append((parts[-1].func, level))
    outputs = [sources[count][0], *(each for each, _ in sources[count + 1 :])]
    for func in outputs:
        func.bound(x, choices.pick([0, 0, 0, -2, 1]), choices.pick([5, 4, 7, 9, 1, 41]))
        func.bound(y, choices.pick([0, 0, 0, -1, 3]), choices.pick([3, 4, 5, 1, 13]))
    return tuple(parts), tuple(outputs)


def bordered(choices: Choices, target: ImageParam | Func) -> Func | None:
    """Now and then a boundary condition of a stage."""
    if isinstance(target, ImageParam) or isinstance(target.type, Struct) or not choices.chance(6):
        return None
    return padding(choices, target, [(choices.number(-1, 2), choices.number(1, 9)) for _ in "xy"])


def _targets(reads: Sequence[Read], *more: ImageParam | Func) -> tuple[ImageParam | Func, ...]:
    return tuple(dict.fromkeys((*(read.target for read in reads), *more)))


def stencil(choices: Choices, name: str, reads: Sequence[Read]) -> list[Part]:
    """Some places around (x, y) of each source, in any expression; now and then several values."""
    func, kind = Func(name), choices.pick(SUMS)
    words = [cast(kind, read.near(choices)) for read in reads for _ in range(choices.number(1, 3))]
    value, odd = words[0], choices.number(0, 3 * len(words))
    for place, word in enumerate(words[1:]):
        value = mixed(choices, value, word) if place == odd else value + word * choices.pick([1, 3])
    if choices.chance(5):
        value = value + cast(kind, x - 2 * y)
    value = cast(choices.pick(WORDS), value)
    func[x, y] = hl.Tuple(value, cast(choices.pick(WORDS), words[-1] - 3)) if choices.chance(6) else value
    return [Part(func, func, _targets(reads))]


def reduction(choices: Choices, name: str, reads: Sequence[Read]) -> list[Part]:
    """The sum of products with weights, perhaps requantised; now and then two sums."""
    core, kind, w = Func(f"{name}_sum"), choices.pick(SUMS), ImageParam(choices.pick(WORDS), 2, f"{name}_w")
    r = RDom([(choices.pick([0, 0, -1]), choices.number(1, 3)), (0, choices.number(1, 3))], f"{name}_r")
    column = choices.chance(4)
    words = [
        cast(kind, read.at(choices, r.x, y, 0, r.y) if column and not number else read.at(choices, x, y, r.x, r.y))
        for number, read in enumerate(reads)
    ]
    value = cast(kind, w[x, r.x] if column else w[r.x, r.y]) * words[0]
    for word in words[1:]:
        value = value + word
    func, total = Func(name), core[x, y]
    if choices.chance(6):
        core[x, y] = hl.Tuple(cast(kind, 1), cast(UInt(9), 0))
        core[x, y] = hl.Tuple(core[x, y][0] + value, core[x, y][1] + cast(UInt(9), words[0]))
        total = core[x, y][0] ^ cast(kind, core[x, y][1])
    else:
        core[x, y] += value
        total = core[x, y]
    func[x, y] = saturating_cast(choices.pick([Int(8), UInt(5)]), total >> choices.number(0, 4))
    return [Part(func, core, _targets(reads, w))]


def greatest(choices: Choices, name: str, reads: Sequence[Read]) -> list[Part]:
    """The maximum of a window; of one as wide as it is high inside an expression."""
    wide, high, func = choices.number(1, 3), choices.number(1, 2), Func(name)
    r = RDom([(0, wide), (0, high)], f"{name}_r")
    word = reads[0].at(choices, x, y, r.x, r.y)
    if wide == high:
        func[x, y] = hl.maximum(r, word) ^ 1
    else:
        func[x, y] = cast(word.type, word.type.min)
        func[x, y] = hl.max(func[x, y], word)
    return [Part(func, func, _targets(reads[:1]))]


def updates(choices: Choices, name: str, reads: Sequence[Read]) -> list[Part]:
    """Up to three updates, over domains or without one, of all elements or of a row."""
    func, kind = Func(name), choices.pick(SUMS)
    first, *rest = choices.shuffled(reads)
    start = choices.pick([i32(5), x - 2 * y, *([first.near(choices)] if rest else [])])
    func[x, y] = cast(kind, start)
    for number in range(choices.pick([2, 2, 2, 3])):
        r, here = RDom([(0, choices.number(1, 3))], f"{name}_r{number}"), func[x, y]
        word = cast(kind, choices.pick(rest or reads).at(choices, x, y, *choices.pick([(r.x, 0), (1, r.x)])))
        match choices.number(0, 4):
            case 0 | 1:
                func[x, y] = here + word * choices.pick([1, 3])
            case 2:
                func[x, y] = hl.max(here, word)
            case 3:
                func[x, y] = here * 3 - (here >> 2)
            case _:
                func[x, choices.pick([0, 2])] = cast(kind, x * 2)
    return [Part(func, func, _targets(reads))]


def recurrence(choices: Choices, name: str, reads: Sequence[Read]) -> list[Part]:
    """Elements that follow others up to three back, forwards or backwards, along a dimension."""
    func, kind, most = Func(name), choices.pick(SUMS), choices.pick([1, 1, 2, 3])
    first, count = choices.number(-1, 4), choices.number(1, 6)
    r, along = RDom([(first, count)], f"{name}_r"), choices.pick([0, 0, 1])
    end = 2 * first + count - 1 if choices.chance(4) else None

    def at(back: int) -> Expr:
        index = r.x - back if end is None else end - r.x + back
        return func[(index, y) if along == 0 else (x, index)]

    func[x, y] = cast(kind, reads[0].near(choices))
    word = at(0) if choices.chance(2) else cast(kind, hl.select(r.x % 2 == 0, 3, 1))
    value = at(most) * choices.pick([1, 3]) + word
    value = hl.max(value, at(1)) if choices.chance(3) else value - at(1) / choices.pick([1, 4, 5])
    here = r.x if end is None else end - r.x
    func[(here, y) if along == 0 else (x, here)] = cast(kind, value)
    return [Part(func, func, _targets(reads[:1]))]


def lookup(choices: Choices, name: str, reads: Sequence[Read]) -> list[Part]:
    """Of a table of one dimension or two, which is an input, or what another stage has made."""
    func, size = Func(name), choices.pick([5, 8, 3])
    place, table = _within(choices, reads[0].near(choices), size), ImageParam(choices.pick(WORDS), 2, f"{name}_t")
    if len(reads) > 1:
        word = Read(reads[1].target, (Fraction(1), Fraction(1))).at(choices, place, choices.pick([y, place / 2]))
    else:
        word = table[place, choices.pick([i32(0), y, place / 2])]
    func[x, y] = word ^ cast(word.type, reads[0].near(choices)) if choices.chance(3) else word
    return [Part(func, func, _targets(reads, *([table] if len(reads) == 1 else [])))]


def equalised(choices: Choices, name: str, reads: Sequence[Read]) -> list[Part]:
    """Elements of what another stage has made are counted, or the greatest of each kind is taken; perhaps counts are
    summed up; and what comes of it is a table for the same elements."""
    h, f, size, kind = Func(f"{name}_h"), Func(name), choices.pick([5, 8, 3]), choices.pick(SUMS)
    one = Read(reads[0].target, (Fraction(1), Fraction(1)))
    r = RDom([(choices.pick([0, 0, -1]), choices.number(1, 6)), (0, choices.number(1, 4))], f"{name}_r")
    place = _within(choices, one.at(choices, r.x, r.y), size)
    h[x] = cast(kind, choices.pick([i32(0), x - 3]))
    h[place] = h[place] + 1 if choices.chance(2) else hl.max(h[place], cast(kind, one.at(choices, r.x, r.y, 1)))
    parts, table = [Part(h, h, _targets(reads[:1]))], h
    if choices.chance(2):
        table, b = Func(f"{name}_s"), RDom([(0, size)], f"{name}_b")
        table[x] += select(b.x <= x, h[b.x], 0)
        parts.append(Part(table, table, (h,)))
    word = table[_within(choices, reads[0].near(choices), size)]
    f[x, y] = cast(choices.pick(WORDS), word * 3)
    return [*parts, Part(f, f, _targets(reads[:1], table))]


def _within(choices: Choices, word: Expr, size: int) -> Expr:
    """An index below `size` that is data."""
    return clamp(i32(word), 0, size - 1) if choices.chance(2) else i32(cast(UInt(8), word)) % size


KINDS = [
    *[stencil] * 4, *[reduction] * 3, *[greatest] * 2, updates, lookup, equalised, recurrence,
]  # fmt: skip
