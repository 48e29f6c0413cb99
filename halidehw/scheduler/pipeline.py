"""Which Funcs of an algorithm are stages, with loops and a memory of their own, and which memories lie in whose loops.

A Func is a stage if a directive says where it is computed. All others are written out where they are used, or are the
reduction that their stage writes back. An input that several stages read may have a stage that is a copy of it: then
what is said of its wrapper is said of that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from halidehw.errors import SourceLine
from halidehw.expr.expr import Access, Variable
from halidehw.expr.types import Int
from halidehw.frontend.directives import (
    BufferDirective,
    ComputeAt,
    ComputeRoot,
    Directive,
    Place,
    StoreAt,
    StoreIn,
    StoreRoot,
)
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.frontend.pipeline import pending, tensors_of
from halidehw.scheduler.updates import Updates, updates_of

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Kept:
    """What is made of the stages of one algorithm, by all that it depends on: under another schedule a stage of which
    nothing is different is not made again. `kernels`: those of an algorithm's own Funcs; `nests`: of such as have the
    same definitions and names, too."""

    kernels: dict[object, Any] = field(default_factory=dict)
    nests: dict[object, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Pipeline:
    """`outputs`, one that others read before these, and what they are computed from; `places`: where each stage that
    others read is computed; `said`: what is said of memories, in any Func's schedule or in none; `unsaid`: what may
    stand in one where it says nothing, and `instead` what is said in its place; `copies`: inputs -> the stages that are
    copies of them; `updates`: how Funcs with several are read; `anew`: whether windows begin anew where more than one
    loop moves them on, as a design needs whose stages would not meet otherwise; `kept`: of it and of others of the same
    algorithm."""

    outputs: tuple[Func, ...]
    places: Mapping[Func, Place] = field(default_factory=dict)
    said: tuple[BufferDirective, ...] = ()
    unsaid: tuple[BufferDirective, ...] = ()
    instead: tuple[BufferDirective, ...] = ()
    copies: Mapping[object, Func] = field(default_factory=dict)
    updates: Updates = field(default_factory=lambda: Updates({}, frozenset()))
    anew: bool = False
    kept: Kept = field(default_factory=Kept)
    _made: dict[Func, Any] = field(default_factory=dict, init=False)

    def made(self, func: Func, make: Callable[[], T], again: Callable[[T], T]) -> T:
        """What is made of a Func in this pipeline, made once; `again`: the same of what is made of it in another one
        of the same stages."""
        if func not in self._made:
            key = func, self.stages, tuple(self.copies.values())
            known = self.kept.kernels.get(key)
            self._made[func] = make() if known is None else again(known)
            self.kept.kernels.setdefault(key, self._made[func])
        found: T = self._made[func]
        return found

    @property
    def output(self) -> Func:
        """The last one."""
        return self.outputs[-1]

    @cached_property
    def stages(self) -> frozenset[Func]:
        """The Funcs that others read from a memory."""
        return frozenset(self.places)

    @cached_property
    def others(self) -> Mapping[str, str]:
        """Names that no line of the program has: of lanes, of what Funcs are before an update, and of copies, beside
        what the program calls these."""
        tensors = tensors_of(*self.outputs)
        names = {each.name for each in tensors}
        found = {name: "" for each in tensors if isinstance(each, Func) for stage in each.stages
                 for name in stage.unwritten}  # fmt: skip
        found |= dict.fromkeys((each.name for each in self.updates.earlier), "")
        images = (each.name for each in tensors if isinstance(each, ImageParam))
        return found | {_copy(name, names): f"{name}.in_()" for name in images}

    @cached_property
    def between(self) -> Mapping[str, StoreIn]:
        """What lies in the memory outside between the stages that make it and read it, and who says so."""
        names = {func.name for func in self.places}
        return {each.tensor: each for each in self.said if isinstance(each, StoreIn) and each.tensor in names}

    def _is_outside(self, said: BufferDirective) -> bool:
        """Whether it is said of what is in no memory of a stage."""
        return said.level == 0 and said.tensor in self.between

    def copies_for(self, stage: Func) -> Mapping[object, Func]:
        """What a stage reads in place of inputs."""
        return {} if stage in self.copies.values() else self.copies

    def directives(self, output: Func, owner: Func, reads: Collection[str]) -> tuple[Directive, ...]:
        """What is said of one stage as a whole and of the memories in its loops: those of the tensors it `reads`, and
        of the partial sums of `owner`, where it is none of them."""
        own = dict.fromkeys((output, owner))
        if not self.stages and len(self.outputs) == 1:
            stated = (*(each for func in own for each in func.directives), *pending(output))
            kept = (each for each in stated if each not in self.unsaid or each in self.said)
            found = (*kept, *(each for each in self.instead if each not in stated))
            return tuple(each for each in found if each != ComputeRoot(output.name, 0))
        plain = (each for func in own for each in func.directives if not isinstance(each, BufferDirective))
        return (*plain, *(each for each in self.said if self._lies(each, {func.name for func in own}, owner, reads)))

    def _lies(self, said: BufferDirective, own: Collection[str], owner: Func, reads: Collection[str]) -> bool:
        """Whether a memory lies in the loops of a stage of the Funcs `own`."""
        place = next((each for each in self.said if isinstance(each, Place) and each.buffer == said.buffer), None)
        consumer = place.consumer if isinstance(place, ComputeAt) else None
        if self._is_outside(said):
            return False
        if said.tensor == owner.name:
            return said.level > 0 and (consumer in own or all(owner.name != stage.name for stage in self.stages))
        return said.tensor in reads and consumer != said.tensor

    def unread(self, taken: Iterable[Directive]) -> tuple[BufferDirective, ...]:
        """What is said of memories that lie in no stage, of those whose directives are `taken`."""
        found = set(taken)
        return tuple(each for each in self.said if each not in found and not self._is_outside(each))

    def placing(self, func: Func, place: Place) -> Pipeline:
        """The same with a stage more."""
        return replace(self, places={**self.places, func: place}, said=(*self.said, place))

    def saying(self, where: Place | StoreAt | StoreRoot, line: SourceLine | None = None) -> Pipeline | None:
        """The same with a memory elsewhere than is said, or with its words kept elsewhere; if `line` is about copies of
        something else, in place of it. None for a Func that is not of the algorithm."""
        if where.of is not None:
            where = replace(where, tensor=where.of, level=where.level + 1, of=None)
        kept = StoreAt | StoreRoot
        mine = [each for each in self.said if isinstance(each, Place | kept) and each.buffer == where.buffer]
        root = isinstance(where, ComputeRoot)
        elsewhere = (each for each in mine if root or isinstance(each, kept) == isinstance(where, kept))
        gone: list[BufferDirective] = list(elsewhere)
        there = [each for each in self.said if line is not None and each.source == line]
        if all(each.level and each.buffer != where.buffer for each in there):
            gone += there
        said = (*(each for each in self.said if each not in gone), where)
        instead = (*(each for each in self.instead if each not in gone), where)
        tried = replace(self, said=said, unsaid=(*self.unsaid, *mine, *gone), instead=instead)
        if isinstance(where, Place) and not where.level:
            funcs = {func.name: func for func in tensors_of(*self.outputs) if isinstance(func, Func)}
            if where.tensor not in funcs:
                return None
            if funcs[where.tensor] in self.outputs and funcs[where.tensor] not in self.places:
                return tried
            tried = replace(tried, places={**self.places, funcs[where.tensor]: where})
        return tried

    def copying(self, image: ImageParam, through: Func | ImageParam, extra: Iterable[BufferDirective] = ()) -> Pipeline:
        """The same with a stage that is a copy of an input, read as it is or through a boundary condition. What is said
        of the input's wrapper, or else `extra`, places it."""
        copy = Func(name := _copy(image.name, {func.name for func in tensors_of(*self.outputs)}))
        args = tuple(Variable(Int(32), letter) for letter in _letters(image.dimensions))
        copy.assign(args, Access(image.type, through, args), None)
        moved = [each for each in (*self.said, *extra) if each.tensor == image.name]
        said = tuple(replace(each, tensor=name, level=each.level - 1, of=image.name) for each in moved)
        place = next(each for each in said if isinstance(each, Place) and each.level == 0)
        return replace(
            self,
            places={**self.places, copy: place},
            said=(*(each for each in self.said if each not in moved), *said),
            copies={**self.copies, image: copy},
        )


def _copy(image: str, taken: Collection[str]) -> str:
    """The name of an input's copy."""
    name = f"{image}_in"
    while name in taken:
        name += "_"
    return name


def _letters(dimensions: int) -> tuple[str, ...]:
    return tuple("xyzw"[:dimensions]) if dimensions <= 4 else tuple(f"x{number}" for number in range(dimensions))


def pipeline_of(*outputs: Func, nests: dict[object, Any] | None = None) -> Pipeline:
    """The stages of an algorithm that ends in `outputs`; one that another one reads is at the root where nothing else
    is said. `nests`: those of the same algorithm made before."""
    funcs = [func for func in tensors_of(*outputs) if isinstance(func, Func)]
    said = tuple(each for func in funcs for each in func.directives if isinstance(each, BufferDirective))
    said = tuple(dict.fromkeys((*said, *pending(*outputs))))
    places = {each.tensor: each for each in reversed(said) if isinstance(each, Place) and each.level == 0}
    inner = {source for func in outputs for source in tensors_of(func)[1:]}
    for func in outputs:
        if func not in inner:
            places.pop(func.name, None)
        elif func.name not in places:
            places[func.name] = ComputeRoot(func.name, 0)
            said = (*said, places[func.name])
    return Pipeline(
        outputs=outputs,
        places={func: places[func.name] for func in funcs if func.name in places},
        said=said,
        updates=updates_of(funcs, (tensor.name for tensor in tensors_of(*outputs))),
        kept=Kept(nests={} if nests is None else nests),
    )
