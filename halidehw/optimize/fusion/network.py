"""A network as a graph: which layer reads what, and how large that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from halidehw.errors import CostError
from halidehw.mapping.layer import Layer, Network
from halidehw.mapping.wiring import Wiring
from halidehw.optimize.lattice import LONGEST

OUTPUT = "the output"
"""Who reads what is a result of the network."""

Made = Mapping[str, tuple[str, ...]]
"""Layers by name -> the layers whose results they take."""


@dataclass(frozen=True)
class Side:
    """One dimension of a layer's pixels: output `at` reads inputs stride * at - low + dilation * tap, of which 0 ..
    size - 1 are there; the others are zero, and are not loaded."""

    size: int
    out: int
    taps: int
    stride: int
    dilation: int
    low: int

    @property
    def window(self) -> int:
        """From the first input of an output to its last one."""
        return self.dilation * (self.taps - 1) + 1


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
        """Whether a channel of its result needs no other channel."""
        return self.layer.groups == self.layer.c == self.layer.k > 1

    @property
    def grouped(self) -> bool:
        """Whether a channel of its result needs some of the others, not all."""
        return self.layer.groups > 1 and not self.depthwise

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
    reads = {layer.name: _reads(network, at) for at, layer in enumerate(network.layers)}
    wired = dict(zip(layers, network.wiring, strict=True))
    adds = {name: each.adds for name, each in wired.items()}
    _check_made(network, reads, adds)
    _check_shapes(network, layers, reads, adds)
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
    for at, layer in enumerate(network.layers):
        if layer.name in found:
            raise CostError(
                f"network {network.name}: two layers are named {layer.name}; a plan calls them by their names",
                legal=[f'"name": "{layer.name}_{at}"'],
                source=network.line(at, "name"),
            )
        if layer.deep:
            why = f"{layer.title} has a third dimension (oz, fz); a plan is for two"
            raise CostError(why, legal=['"oz": 1, "fz": 1'], source=network.line(at, "oz" if layer.oz > 1 else "fz"))
        for key in ("k", "oy", "ox"):
            if (size := getattr(layer, key)) > LONGEST:
                why = f"{layer.title}: {key}={size}, more than {LONGEST}, the most that is cut into tiles"
                raise CostError(why, legal=[f'"{key}": {LONGEST}'], source=network.line(at, key))
        found[layer.name] = layer
    return found


def _reads(network: Network, at: int) -> tuple[str, ...]:
    """The layers that one reads: those it says, or the one before it."""
    layer, wiring = network.layers[at], network.wiring[at]
    if wiring.reads is not None or not at:
        return wiring.reads or ()
    before = network.layers[at - 1]
    return (before.name,) if wiring.after or _misfit(layer, [before], wiring.pad) is None else ()


def _maker(layers: Mapping[str, Layer], reads: Sequence[str], wiring: Wiring) -> Layer | None:
    """The layer that makes exactly what another one reads."""
    return layers[reads[0]] if len(reads) == 1 and not wiring.after else None


def _sides(layer: Layer, wiring: Wiring, maker: Layer | None) -> tuple[Side, Side]:
    return (
        _side(layer, "Y", maker.oy if maker else None, wiring.pad),
        _side(layer, "X", maker.ox if maker else None, wiring.pad),
    )


def _side(layer: Layer, dim: str, size: int | None, pad: int | None) -> Side:
    """Along "Y" or "X". An input that no layer makes is as large as the outputs times the stride."""
    out, taps = (layer.oy, layer.fy) if dim == "Y" else (layer.ox, layer.fx)
    stride, dilation = layer.steps(dim)
    reach = stride * (out - 1) + dilation * (taps - 1) + 1
    if size is None:
        size = out * stride if pad is None else max(reach - 2 * pad, 1)
    return Side(size, out, taps, stride, dilation, max(reach - size, 0) // 2 if pad is None else pad)


def _check_made(network: Network, reads: Made, adds: Made) -> None:
    for at, name in enumerate(reads):
        for key, verb, made in (("from", "reads", reads[name]), ("add", "adds", adds[name])):
            if missing := [other for other in made if other not in reads]:
                why = f"network {network.name}, layer {name}: it {verb} {missing[0]!r}, which no layer makes"
                raise CostError(why, legal=_instead(network, at, key), source=network.line(at, key))
    try:
        TopologicalSorter({name: {*reads[name], *adds[name]} for name in reads}).prepare()
    except CycleError as error:
        circle = list(pairwise(error.args[1]))
        links = [f"{name} {'reads' if made in reads[name] else 'adds'} {made}" for made, name in circle]
        first = min((name for _, name in circle), key=list(reads).index)
        key = "from" if any(made in reads[first] for made, name in circle if name == first) else "add"
        raise CostError(
            f"network {network.name}: a circle of layers that need each other: {', '.join(links)}",
            legal=[f'"name": "{first}", "{key}": []'],
            source=network.line(list(reads).index(first), key),
        ) from None


def _instead(network: Network, at: int, key: str) -> list[str]:
    """What a layer may read or add of those before it, or of none, as its row would say it."""
    layer, pad = network.layers[at], network.wiring[at].pad
    fits = (
        [other for other in network.layers[:at] if _misfit(layer, [other], pad) is None]
        if key == "from"
        else [other for other in network.layers[:at] if _shape(other) == _shape(layer)]
    )
    return [*(f'"{key}": ["{other.name}"]' for other in fits), f'"{key}": []']


def _check_shapes(network: Network, layers: Mapping[str, Layer], reads: Made, adds: Made) -> None:
    """Raises `CostError` for a layer that cannot read or add what another one makes."""
    for at, (layer, wiring) in enumerate(zip(layers.values(), network.wiring, strict=True)):
        read, added = ([layers[name] for name in each[layer.name]] for each in (reads, adds))
        read = [] if wiring.after else read
        if read and (why := _misfit(layer, read, wiring.pad)):
            channels = sum(other.k for other in read)
            fits = [f'"c": {channels}'] if channels != layer.c and layer.groups == 1 else []
            source = network.line(at, "c" if fits else "from" if wiring.reads else "name")
            raise CostError(f"layer {layer.name}: {why}", legal=[*fits, '"after": "max pool"'], source=source)
        for other in added:
            if _shape(other) != _shape(layer):
                why = f"it makes {_made(layer)}, and adds {_made(other)} of {other.name}"
                legal, source = _instead(network, at, "add"), network.line(at, "add")
                raise CostError(f"layer {layer.name}: {why}", legal=legal, source=source)
        for other in (each for each in (*read, *added) if each.b != layer.b):
            does, free = ("reads", '"after": "reshape"') if other in read else ("adds", '"add": []')
            fits = [f'"b": {other.b}'] if len({each.b for each in (*read, *added)}) == 1 else []
            why = f"it makes {layer.b} of a batch, and {does} {other.b} of {other.name}"
            raise CostError(f"layer {layer.name}: {why}", legal=[*fits, free], source=network.line(at, "b"))


def _misfit(layer: Layer, read: Sequence[Layer], pad: int | None) -> str | None:
    """Why a layer cannot read what others make, one channel after the other."""
    names = " and ".join(other.name for other in read)
    channels = sum(other.k for other in read)
    if channels != layer.c:
        return f"it reads {layer.c} channels, {names} makes {channels}"
    for other in read:
        for dim, size in (("Y", other.oy), ("X", other.ox)):
            side = _side(layer, dim, size, pad)
            reach = side.stride * (side.out - 1) + side.window
            missing = reach - size
            if missing > max(2 * side.low, side.window - 1) or -missing >= side.stride:
                least = max(reach - side.window + 1, 1)
                range_ = f"{least} to {reach + side.stride - 1}"
                return f"its {side.out} outputs along {dim} read {range_} of {names}, which makes {size}"
    return None


def _shape(layer: Layer) -> tuple[int, int, int]:
    """Of its result."""
    return layer.k, layer.oy, layer.ox


def _made(layer: Layer) -> str:
    return f"{layer.ox}x{layer.oy} of {layer.k} channels"
