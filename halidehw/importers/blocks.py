"""Blocks of a network: a convolution, with a depthwise one before it and a sum of two tensors after it, whose words
pass from one to the next on the chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.importers.recipes import Convolution, Mixture
from halidehw.importers.steps import Host, Layer, TrainedNetwork, View
from halidehw.importers.tensors import Tensor


@dataclass(frozen=True, eq=False)
class Block:
    """`before`: a depthwise convolution that alone makes what `convolution` reads, and that nothing else reads, or a
    mean, which multiplies nothing, where other blocks have such a stage;
    `after`: a line through what `convolution` makes, for nothing else, and another tensor."""

    convolution: Layer
    before: Layer | None = None
    after: Layer | None = None

    @property
    def layers(self) -> tuple[Layer, ...]:
        return tuple(each for each in (self.before, self.convolution, self.after) if each)

    @property
    def name(self) -> str:
        return "+".join(layer.name for layer in self.layers)

    @property
    def op(self) -> str:
        return "+".join(layer.op for layer in self.layers)

    @property
    def output(self) -> Tensor:
        return self.layers[-1].output

    @property
    def macs(self) -> int:
        return sum(layer.macs for layer in self.layers)

    @property
    def types(self) -> tuple[np.dtype, np.dtype]:
        """Of what it reads and what it makes."""
        return self.layers[0].reads[0].dtype, self.output.dtype

    @property
    def sizes(self) -> object:
        """The same for blocks that differ in their values only."""
        parts = [part for part in (self.first, self.main) if part]
        return *((part.x.shape, part.output.shape, part.window) for part in parts), self.after is None

    @property
    def main(self) -> Convolution:
        return _recipe(self.convolution)

    @property
    def first(self) -> Convolution | None:
        return _recipe(self.before) if self.before else None

    @property
    def last(self) -> Mixture | None:
        mixture = self.after.recipe if self.after else None
        assert mixture is None or isinstance(mixture, Mixture)
        return mixture


def _recipe(layer: Layer) -> Convolution:
    assert isinstance(layer.recipe, Convolution)
    return layer.recipe


def blocks_of(network: TrainedNetwork) -> tuple[Block | Layer | View | Host, ...]:
    """The steps of a network, with blocks for all convolutions of one group and one image, each at the place of its
    last layer; in an order in which each comes after those that make what it reads."""
    readers = _readers(network)
    made = {step.output.name: step for step in network.layers}
    staged = any(_depthwise(layer) and layer.macs for layer in network.layers)
    ends, inside = dict[str, Block](), set[str]()
    for step in network.steps:
        if not isinstance(step, Layer) or not _dense(step):
            continue
        source = made.get(step.reads[0].name)
        feeding = source if source and _only(source, step, readers) and _feeds(source, step) else None
        before = feeding if feeding and (feeding.macs or staged) else None
        ends[step.name] = Block(step, before)
        inside |= {before.name} if before else set()
    for step in network.layers:
        if isinstance(step.recipe, Mixture):
            sources = [made[each.name] for each in step.reads if each.name in made]
            last = [each for each in sources if each.name in ends and _only(each, step, readers)][-1:]
            for each in last:
                ends[step.name] = Block(each, ends.pop(each.name).before, step)
                inside.add(each.name)
    return tuple(
        ends.get(step.name, step) for step in network.steps if step.name not in inside or step.name in ends
    )


def _readers(network: TrainedNetwork) -> Mapping[str, Sequence[str]]:
    """Of each tensor the names of the steps that read it; those of the network are read outside."""
    found = dict[str, list[str]]({name: [""] for name in network.outputs})
    for step in network.steps:
        for tensor in step.reads:
            found.setdefault(tensor.name, []).append(step.name)
    return found


def _dense(layer: Layer) -> bool:
    recipe = layer.recipe
    return isinstance(recipe, Convolution) and recipe.groups == 1 and recipe.x.shape[0] == 1


def _only(source: Layer, step: Layer, readers: Mapping[str, Sequence[str]]) -> bool:
    """Whether nothing but `step` reads what `source` makes, and that once."""
    return list(readers[source.output.name]) == [step.name] and len(set(step.reads)) == len(step.reads)


def _feeds(source: Layer, step: Layer) -> bool:
    """Whether a layer is a depthwise convolution, whose edges `step` does not look beyond."""
    inside = _depthwise(source) and not _recipe(step).window.padded
    return inside and _recipe(source).output.shape == _recipe(step).x.shape


def _depthwise(layer: Layer) -> bool:
    recipe = layer.recipe
    return isinstance(recipe, Convolution) and recipe.depthwise and recipe.x.shape[0] == 1
