"""Networks rewritten to grouped convolutions, with what they compute and store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from halidehw.mapping.layer import Layer, Network

Role = Literal["stem", "convolution", "shortcut", "classifier"]


@dataclass(frozen=True)
class Part:
    """A layer of a network that is rewritten. `role`: what it is there for; stem, shortcut and classifier stay.

    `normalised`: whether a scale and an offset for each output channel follow. `mixed`: whether a pointwise layer
    follows anyway, which mixes the channels of all groups, so that a grouped convolution here needs none of its own.
    """

    layer: Layer
    role: Role = "convolution"
    normalised: bool = True
    mixed: bool = False

    @property
    def parameters(self) -> int:
        """Weights, of normalised layers two words more for each output channel, of a classifier its offsets."""
        more = 2 * self.normalised + (self.role == "classifier")
        return (self.layer.words[1] + more * self.layer.k) * self.layer.repeat

    @property
    def macs(self) -> int:
        return self.layer.macs * self.layer.repeat


def grouped(parts: Iterable[Part], groups: int | None) -> Iterator[Part]:
    """Every convolution with a filter of more than a point in `groups` groups (None: as many as it has input channels),
    and a pointwise one after it that mixes them. `groups=1` of a network whose convolutions are all mixed anyway is
    that with dense ones; of any other, the network itself.

    Raises CostError for groups that do not divide a layer's channels.
    """
    for part in parts:
        layer = part.layer
        if part.role != "convolution" or layer.fx * layer.fy * layer.fz == 1:
            yield part
        elif part.mixed:
            yield replace(part, layer=replace(layer, groups=groups or layer.c))
        elif groups == 1:
            yield part
        else:
            yield replace(part, layer=replace(layer, k=layer.c, groups=groups or layer.c))
            point = replace(layer, fx=1, fy=1, fz=1, stride=1, groups=1, name=f"{layer.name}_mix")
            yield replace(part, layer=point)


def macs(parts: Iterable[Part]) -> int:
    """Multiply-accumulates of an item, by the layers alone."""
    return sum(part.macs for part in parts)


def parameters(parts: Iterable[Part]) -> int:
    return sum(part.parameters for part in parts)


def expected(seconds: float, dense: Iterable[Part], variant: Iterable[Part]) -> float:
    """What a variant should take where the dense network takes `seconds`, if only the work counted."""
    return seconds / macs(dense) * macs(variant)


def network(name: str, parts: Iterable[Part]) -> Network:
    """Its layers, for the optimizer and the model."""
    return Network(name, tuple(part.layer for part in parts))
