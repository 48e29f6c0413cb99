"""Which Funcs of an algorithm are stages, with loops and a memory of their own, and which memories lie in whose loops.

A Func is a stage if a directive says where it is computed. All others are written out where they are used, or are the
reduction that their stage writes back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from halidehw.frontend.directives import BufferDirective, ComputeAt, ComputeRoot, Directive, Place
from halidehw.frontend.func import Func
from halidehw.frontend.pipeline import pending, tensors_of


@dataclass(frozen=True, eq=False)
class Pipeline:
    """`output` and what it is computed from; `places`: where each stage but the output's is computed."""

    output: Func
    places: Mapping[Func, Place] = field(default_factory=dict)

    @cached_property
    def stages(self) -> frozenset[Func]:
        """The Funcs that others read from a memory."""
        return frozenset(self.places)

    @cached_property
    def _said(self) -> tuple[BufferDirective, ...]:
        """What is said of memories, in any Func's schedule or in none."""
        funcs = (func for func in tensors_of(self.output) if isinstance(func, Func))
        said = (each for func in funcs for each in func.directives if isinstance(each, BufferDirective))
        return tuple(dict.fromkeys((*said, *pending(self.output))))

    def directives(self, output: Func, owner: Func, reads: Collection[str]) -> tuple[Directive, ...]:
        """What is said of one stage as a whole and of the memories in its loops: those of the tensors it `reads`, and
        of the partial sums of `owner`, where it is none of them."""
        own = dict.fromkeys((output, owner))
        if not self.stages:
            return (*(each for func in own for each in func.directives), *pending(output))
        plain = (each for func in own for each in func.directives if not isinstance(each, BufferDirective))
        return (*plain, *(each for each in self._said if self._lies(each, {func.name for func in own}, owner, reads)))

    def _lies(self, said: BufferDirective, own: Collection[str], owner: Func, reads: Collection[str]) -> bool:
        """Whether a memory lies in the loops of a stage of the Funcs `own`."""
        place = next((each for each in self._said if isinstance(each, Place) and each.buffer == said.buffer), None)
        consumer = place.consumer if isinstance(place, ComputeAt) else None
        if said.tensor == owner.name:
            return said.level > 0 and (consumer in own or owner not in self.stages)
        return said.tensor in reads and consumer != said.tensor

    def unread(self, taken: Iterable[Directive]) -> tuple[BufferDirective, ...]:
        """What is said of memories that lie in no stage, of those whose directives are `taken`."""
        found = set(taken)
        return tuple(each for each in self._said if each not in found)


def pipeline_of(output: Func) -> Pipeline:
    """The stages of an algorithm that ends in `output`."""
    funcs = [func for func in tensors_of(output) if isinstance(func, Func)]
    said = [each for func in funcs for each in func.directives if isinstance(each, ComputeAt | ComputeRoot)]
    places = {each.tensor: each for each in reversed(said) if each.level == 0 and each.tensor != output.name}
    return Pipeline(output, {func: places[func.name] for func in funcs if func.name in places})
