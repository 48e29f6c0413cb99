"""A network as a graph: which layer reads what, and how large that is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from halidehw.errors import CostError
from halidehw.mapping.layer import MOST, Layer, Network
from halidehw.mapping.wiring import Wiring
from halidehw.optimize.fusion.agree import check
from halidehw.optimize.fusion.sides import Side, misfit, side
from halidehw.optimize.lattice import LONGEST

OUTPUT = "the output"
"""Who reads what is a result of the network."""


@dataclass(frozen=True)
class Node:
    """A layer in its network. `reads`: the layers whose results it reads; `source`: the one whose result it reads as it
    is, alone; `adds`: those whose results it adds to its own; `read_by`: who needs its result."""

    layer: Layer
    y: Side
    x: Side
    reads: tuple[str, ...]
    source: str | None
    adds: tuple[str, ...]
    read_by: frozenset[str]

    @property
    def name(self) -> str:
        return self.layer.name

    @property
    def depthwise(self) -> bool:
        """Whether a channel of its result needs one channel alone."""
        return self.layer.groups == self.layer.c > 1

    @property
    def multiplier(self) -> int:
        """How many channels of its result need the same one channel, where it is depthwise; else 1."""
        return self.layer.k // self.layer.c if self.depthwise else 1

    @property
    def grouped(self) -> bool:
        """Whether a channel of its result needs some of the others, not all."""
        return self.layer.groups > 1 and not self.depthwise

    @property
    def unbuilt(self) -> str:
        """Why a layer with such groups has no hardware in a plan."""
        return f"layer {self.name}: with {self.layer.groups} groups of channels it has no hardware here"

    @property
    def filter(self) -> int:
        """Weights of a channel of its result."""
        return self.layer.c // self.layer.groups * self.layer.fy * self.layer.fx

    @property
    def result(self) -> int:
        """Elements of its result."""
        return self.layer.k * self.layer.oy * self.layer.ox

    @property
    def shape(self) -> tuple[object, ...]:
        """All that decides what it costs."""
        return self.layer.k, self.layer.c, self.layer.groups, self.y, self.x


def nodes_of(network: Network) -> dict[str, Node]:
    """The layers of a network by name, of one item of its batch.

    A layer that does not say what it reads, reads the one before it, if that fits. Raises `CostError` for a name that
    two layers have, a layer that reads what none makes, sizes that do not fit, and layers that read each other in a
    circle.
    """
    layers = _by_name(network)
    reads = reads_of(network)
    wired = dict(zip(layers, network.wiring, strict=True))
    adds = {name: each.adds for name, each in wired.items()}
    check(network, reads)
    readers = {name: {other for other in layers if name in (*reads[other], *adds[other])} for name in layers}
    return {
        name: Node(
            layer,
            *_sides(layer, wired[name], maker := _maker(layers, reads[name], wired[name])),
            reads[name],
            maker.name if maker and maker.repeat == layer.repeat == 1 else None,
            adds[name],
            frozenset(readers[name] | ({OUTPUT} if wired[name].output else set())),
        )
        for name, layer in layers.items()
    }


def _by_name(network: Network) -> dict[str, Layer]:
    found: dict[str, Layer] = {}
    names = {layer.name for layer in network.layers}
    for at, layer in enumerate(network.layers):
        if layer.name in found:
            free = next(each for n in count(at) if (each := f"{layer.name}_{n}") not in names)
            raise CostError(
                f"network {network.name}: two layers are named {layer.name}; a plan calls them by their names",
                legal=[f'"name": {json.dumps(free, ensure_ascii=False)}'],
                source=network.line(at, "name"),
            )
        if layer.deep:
            why = f"{layer.title} has a third dimension (oz, fz); a plan is for two"
            raise CostError(why, legal=['"oz": 1, "fz": 1'], source=network.line(at, "oz" if layer.oz > 1 else "fz"))
        for key in ("k", "oy", "ox"):
            if (size := getattr(layer, key)) > LONGEST:
                why = f"{layer.title}: {key}={size}, more than {LONGEST}, the most that is cut into tiles"
                raise CostError(why, legal=[f'"{key}": {LONGEST}'], source=network.line(at, key))
        _check_steps(network, at)
        found[layer.name] = layer
    return found


def _check_steps(network: Network, at: int) -> None:
    """Raises `CostError` for zeros or steps that lead further than is counted."""
    layer, pad = network.layers[at], network.wiring[at].pad
    if (pad or 0) > LONGEST:
        why = f"{layer.title}: pad={pad}, more than {LONGEST} zeros before its input"
        raise CostError(why, legal=['"pad": 0'], source=network.line(at, "pad"))
    if (words := layer.words[0]) > MOST:
        steps = {f"{name}{dim}": 1 for name in ("stride", "dilation") for dim in ("", "_y", "_x")}
        far = {key: 1 for key in steps if (getattr(layer, key) or 1) > 1}
        why = f"{layer.title}: it reads windows of an input of {words} elements, more than {MOST}"
        raise CostError(why, legal=[json.dumps(far)[1:-1]], source=network.line(at, next(iter(far))))


def reads_of(network: Network) -> dict[str, tuple[str, ...]]:
    """The layers that each one reads, by name."""
    return {layer.name: _reads(network, at) for at, layer in enumerate(network.layers)}


def _reads(network: Network, at: int) -> tuple[str, ...]:
    """The layers that one reads: those it says, or the one before it."""
    layer, wiring = network.layers[at], network.wiring[at]
    if wiring.reads is not None or not at:
        return wiring.reads or ()
    before = network.layers[at - 1]
    return (before.name,) if wiring.after or misfit(layer, [before], wiring.pad) is None else ()


def _maker(layers: Mapping[str, Layer], reads: Sequence[str], wiring: Wiring) -> Layer | None:
    """The layer that makes exactly what another one reads."""
    return layers[reads[0]] if len(reads) == 1 and not wiring.after else None


def _sides(layer: Layer, wiring: Wiring, maker: Layer | None) -> tuple[Side, Side]:
    return (
        side(layer, "Y", maker.oy if maker else None, wiring.pad),
        side(layer, "X", maker.ox if maker else None, wiring.pad),
    )
