"""Random legal schedules."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod

from halidehw import ImageParam
from halidehw.errors import HalideHWError, ScheduleError
from halidehw.frontend.directives import Capacity, ComputeAt, SingleBuffer, StoreAt, StoreRoot
from halidehw.frontend.pipeline import inputs_of
from halidehw.frontend.stage import Stage
from halidehw.frontend.wrapper import Wrapper
from halidehw.ir.bounds import tile
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower, lower_graph
from halidehw.scheduler.frame import Frame
from halidehw.scheduler.loops import arrange
from tests.fuzz.algorithms import Algorithm
from tests.fuzz.choices import Choices

MOST_PES = 64
MOST_CHAINS = 40


def schedule(choices: Choices, algorithm: Algorithm) -> None:
    """Directives on the loops, and buffers; those that are not legal when they are given are left out."""
    loops = Loops(algorithm.stage, algorithm.domain)
    block(choices, loops)
    place(choices, loops)
    buffers(choices, algorithm)
    overlaps(choices, algorithm)
    capacities(choices, algorithm)
    if algorithm.stage.definition.reduction and choices.chance(3):
        partial_sums(choices, algorithm)
    elif algorithm.stage.definition.reduction and choices.chance(3):
        leaving_by_pieces(choices, algorithm)


@dataclass(frozen=True)
class Loops:
    """A stage whose directives are taken back where they turn out not to be legal for its extents."""

    stage: Stage
    domain: dict[str, tuple[int, int]]

    @property
    def names(self) -> tuple[str, ...]:
        return self.stage.loops.names

    def extents(self) -> dict[str, int]:
        """Iterations of each loop, as the user names it, where it is no fused one."""
        return {loop.name: loop.extent for loop in arrange(self.stage, Frame.at_root(self.domain)).loops}

    def attempt(self, primitive: str, *arguments: object) -> None:
        before = len(self.stage.directives)
        try:
            getattr(self.stage, primitive)(*arguments)
            arrange(self.stage, Frame.at_root(self.domain))
        except ScheduleError:
            del self.stage.directives[before:]


def block(choices: Choices, loops: Loops) -> None:
    for number in range(choices.number(0, 4)):
        names = loops.names
        match choices.pick(["split", "split", "split", "fuse", "tile"]):
            case "split":
                name = choices.pick(names)
                loops.attempt("split", name, f"{name}o{number}", f"{name}i{number}", choices.number(2, 6))
            case "fuse" if len(names) > 1:
                at = choices.number(0, len(names) - 2)
                loops.attempt("fuse", names[at + 1], names[at], f"fused{number}")
            case "tile" if len(names) > 1:
                a, b = choices.shuffled(names)[:2]
                inner = (f"{a}t{number}", f"{b}t{number}")
                loops.attempt("tile", a, b, *inner, choices.number(2, 5), choices.number(2, 5))
    loops.attempt("reorder", *choices.shuffled(loops.names))


def place(choices: Choices, loops: Loops) -> None:
    """Up to three loops in space, two of which have a dimension of the array each."""
    if choices.chance(4) and len(loops.names) > 1:
        a, b, *_ = choices.shuffled(loops.names)
        loops.attempt("dataflow", f"{a} | {b}", choices.number(2, 8), choices.number(2, 8))
    for name in choices.some(loops.names, 3):
        left = MOST_PES // prod(loop.lanes for loop in arrange(loops.stage, Frame.at_root(loops.domain)).loops)
        most = min(loops.extents().get(name, 8), left, 8)
        if most > 1:
            loops.attempt("unroll", name, choices.number(2, most))
    for loop in loops.stage.loops.loops:
        if (loop.lanes or 1) > 1 and choices.chance(2):
            loops.attempt("systolic", loop.name)


def buffers(choices: Choices, algorithm: Algorithm) -> None:
    """Up to two levels for each input, now and then three, or one more outside all loops, most of them outside the
    array; those of the final stage lie outside all reductions, at a loop of the final stage's where it alone reads
    the input."""
    loops = algorithm.stage.loops
    core, func = algorithm.core, algorithm.func
    reduction = next((i for i, loop in enumerate(loops.loops) if loop.reduction), len(loops.loops))
    array = next((i for i, loop in enumerate(loops.loops) if (loop.lanes or 1) > 1), len(loops.loops))
    for image in inputs_of(func):
        allowed = len(loops.loops) if choices.chance(3) else array
        places = [
            (core, name) for name in loops.names[: min(allowed, reduction) if image.name in algorithm.late else allowed]
        ]
        if image not in inputs_of(core):
            places = [(func, name) for name in reversed(func.args) if name in places]
        wrapper: ImageParam | Wrapper = image.in_().compute_root() if choices.chance(6) else image
        for at in sorted(choices.some(range(len(places)), choices.pick([2, 2, 1, 3]))) if places else []:
            wrapper = wrapper.in_().compute_at(*places[at])
            if choices.chance(3):
                wrapper.single_buffer()


def overlaps(choices: Choices, algorithm: Algorithm) -> None:
    """Line buffers, of those that one loop further out can keep what their tiles have in common."""
    func, names = algorithm.core, algorithm.stage.loops.names
    for place in [each for each in func.directives if isinstance(each, ComputeAt)]:
        if choices.chance(2):
            at = (place.tensor, place.level)
            kept = [StoreRoot(*at), *(StoreAt(*at, func.name, name) for name in names[: names.index(place.var)])]
            for directive in choices.shuffled(kept):
                before = list(func.directives)
                try:
                    func.add(directive)
                    lower(algorithm.func)
                    break
                except HalideHWError:
                    func.directives[:] = before


def capacities(choices: Choices, algorithm: Algorithm) -> None:
    """Now and then the least capacity that a buffer fits in, or a little more; none where banks need still more."""
    core = algorithm.core
    places = [each for each in core.directives if isinstance(each, ComputeAt)]
    if not places or not choices.chance(4):
        return
    place = choices.pick(places)
    try:
        nest = lower(algorithm.func)
    except HalideHWError:
        return
    levels = sorted(each.level for each in places if each.tensor == place.tensor)
    buffer = nest.levels(place.tensor)[levels.index(place.level)]
    needed = prod((span.size - 1) // span.step + 1 for span in tile(nest, buffer))
    before = list(core.directives)
    core.add(Capacity(place.tensor, place.level, needed + choices.pick([0, 3])))
    try:
        derive(lower_graph(algorithm.func))
    except HalideHWError:
        core.directives[:] = before


def partial_sums(choices: Choices, algorithm: Algorithm) -> None:
    """Up to three levels of the output inside loops where lowering accepts them, if there are any."""
    core, names = algorithm.core, algorithm.stage.loops.names
    places = choices.shuffled(list(combinations(names, choices.pick([2, 1, 2, 3]))))
    places += [(name,) for name in choices.shuffled(names)]
    before = list(core.directives)
    for chain in places[:MOST_CHAINS]:
        try:
            for level, name in enumerate(chain, 1):
                core.add(ComputeAt(core.name, level, core.name, name))
                if choices.chance(3):
                    core.add(SingleBuffer(core.name, level))
            lower(algorithm.func)
            return
        except HalideHWError:
            core.directives[:] = before


def leaving_by_pieces(choices: Choices, algorithm: Algorithm) -> None:
    """Partial sums whose tiles leave by pieces, where loops of a reduction come back to these."""
    core, names = algorithm.core, algorithm.stage.loops.names
    before = list(core.directives)
    for outer, inner in choices.shuffled(list(combinations(range(-1, len(names)), 2)))[:MOST_CHAINS]:
        core.add(StoreAt(core.name, 1, core.name, names[outer]) if outer >= 0 else StoreRoot(core.name, 1))
        core.add(ComputeAt(core.name, 1, core.name, names[inner]))
        if choices.chance(3):
            core.add(SingleBuffer(core.name, 1))
        try:
            if lower(algorithm.func).sums[0].pieces:
                return
        except HalideHWError:
            pass
        core.directives[:] = before
