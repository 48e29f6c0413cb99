"""A stage's loops, from names to the loops of a nest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from halidehw.frontend.loops import LoopName
from halidehw.frontend.stage import Stage
from halidehw.ir.affine import Affine, Part
from halidehw.ir.nest import Constraint, Loop
from halidehw.notes import Note, once
from halidehw.scheduler.digits import Digit, derive, parted, start
from halidehw.scheduler.frame import Frame, Named, outside
from halidehw.scheduler.space import idle, lanes, place


@dataclass(frozen=True)
class Arrangement:
    """The loops, outer to inner, and what the algorithm's variables are in them.

    `values`: variable -> its value over the loops' values; `places`: loop as the user names it -> the loop of the nest
    just inside of which a place there is; `beyond`: the same for loops of the consumers (None: outside all loops).
    `outside`: those of the loops that are a consumer's. `notes`: the directives that state what holds already.
    """

    loops: tuple[Loop, ...]
    domain: tuple[Constraint, ...]
    values: Mapping[str, Affine]
    places: Mapping[str, str]
    notes: tuple[Note, ...] = ()
    beyond: Mapping[Named, str | None] = field(default_factory=dict)
    outside: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The loops as their users name them."""
        return (*self.outside, *self.places)

    def depth(self, loop: str | None) -> int:
        """How many of the loops there are from the outermost to `loop`, a loop of the nest, that one included; None:
        outside all loops."""
        return 0 if loop is None else [each.name for each in self.loops].index(loop) + 1


def arrange(
    stage: Stage, frame: Frame, limits: Sequence[Affine] = (), divided: Sequence[Part] = ()
) -> Arrangement:
    """The stage's loops under its directives, inside those of its `frame`, whose box has every variable, those of the
    reduction domain included. `limits`: forms over these that are at least 0 at every iteration, falling and not below
    0 at the first. `divided`: what of its variables is to be a sum of loops.

    Raises `ScheduleError` for a directive that the extents do not allow.
    """
    named = stage.loops
    own = {name: (along.low, along.extent) for name, along in frame.box.items()}
    bounds = own | {outside(loop.name): (loop.min, loop.extent) for loop in frame.loops}
    digits = reduce(derive, named.derived, start(bounds, (*limits, *frame.limits)))
    inmost = {name: group[-1].key for name, group in digits.groups.items()}
    sums = {loop.name for loop in named.loops if loop.reduction}
    digits = parted(digits, divided, {name: along.step for name, along in frame.box.items()}, sums)
    parts = [(loop.name, lanes(loop, digits.groups[loop.name], stage.directives)) for loop in named.loops]
    placed = place(named.loops, parts, stage.directives)
    names = _names({loop.name: digits.groups[loop.name] for loop in named.loops})
    names = {key: frame.prefix + name for key, name in names.items()} | {outside(x.name): x.name for x in frame.loops}
    loops = list(frame.loops)
    for loop in named.loops:
        group = digits.groups[loop.name]
        for digit in group:
            space = placed.get(digit.key)
            loops.append(
                Loop(
                    name=names[digit.key],
                    min=bounds[digit.key][0] if digit.whole else 0,
                    extent=digit.extent,
                    lanes=space.lanes if space else 1,
                    systolic=loop.systolic and space is not None,
                    dimension=space.dimension if space else None,
                    reduction=loop.reduction,
                    distance=space.distance if space else 1,
                    fused=frame.prefix + loop.name if len(group) > 1 else None,
                )
            )
    rename = {key: Affine.variable(name) for key, name in names.items()}
    offset = {loop.name: Affine.of([(loop.name, 1)], -loop.min) for loop in loops}
    places = {loop.name: names[_place(loop, digits.groups[loop.name], inmost[loop.name])] for loop in named.loops}
    domain = dict.fromkeys((*frame.domain, *(_renamed(constraint, names) for constraint in digits.domain)))
    values = {
        name: along.value(digits.values[name].substitute(rename).substitute(offset) + along.low)
        for name, along in frame.box.items()
    }
    return Arrangement(
        loops=tuple(loops),
        domain=_needed(tuple(domain), loops),
        values=values,
        places=places,
        notes=once(
            (
                *named.notes,
                *digits.notes,
                *(note for each in named.loops for note in idle(each, digits.groups[each.name], stage.directives)),
            )
        ),
        beyond={**frame.places, **{name: _row(values[var], loops, frame) for name, var in frame.rows.items()}},
        outside=tuple(loop.name for loop in frame.loops),
    )


def _place(loop: LoopName, group: Sequence[Digit], inmost: str) -> str:
    """The key of the digit of a loop just inside of which a place in it is: of the innermost one, or, where that was
    taken apart for quotients and remainders, of the outermost part of it, inside of which tiles are of constant size.
    """
    parts = [digit.key for digit in group if digit.key == inmost or digit.key.startswith(f"{inmost}/")]
    return parts[-1] if loop.lanes else parts[0]


def _row(value: Affine, loops: Sequence[Loop], frame: Frame) -> str | None:
    """The innermost own loop that moves a variable on."""
    moving = [loop.name for loop in loops[len(frame.loops) :] if value[loop.name]]
    return moving[-1] if moving else None


def _names(groups: Mapping[str, tuple[Digit, ...]]) -> dict[str, str]:
    """Digit key -> the loop's name: that of a loop that is one digit, else the part's own if nothing else has it."""
    names = {group[0].key: name for name, group in groups.items() if len(group) == 1}
    for name, group in groups.items():
        if len(group) > 1:
            for digit in group:
                taken = digit.label in groups or digit.label in names.values()
                names[digit.key] = f"{name}.{digit.label}" if taken else digit.label
    return names


def _renamed(constraint: Constraint, names: Mapping[str, str]) -> Constraint:
    return Constraint(tuple(sorted((names[key], step) for key, step in constraint.terms)), constraint.limit)


def _needed(domain: tuple[Constraint, ...], loops: list[Loop]) -> tuple[Constraint, ...]:
    """The constraints that cut something off."""
    last = {loop.name: loop.extent - 1 for loop in loops}
    return tuple(c for c in domain if sum(step * last[name] for name, step in c.terms) > c.limit)
