"""Whether the layers of a network agree in what they make, read and add; and what a row may say so that they do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from graphlib import CycleError, TopologicalSorter
from itertools import islice, pairwise
from typing import Any

from halidehw.errors import CostError
from halidehw.mapping.layer import Layer, Network
from halidehw.optimize.fusion.sides import DIMS, Side, misfit, side, zeros

SHOWN = 4
"""Layers that are proposed at most."""

SIZES = {each.name for each in fields(Layer)}

Reads = Mapping[str, tuple[str, ...]]
"""Layers by name -> the layers whose results they read."""

Change = dict[str, Any]
"""What a row says instead; with a `name` in front: the row of that layer, else the one that is refused."""


@dataclass(frozen=True)
class Clash:
    """That the layer of row `at` cannot read or add (`key`: "from" or "add") what `other` makes (None: that of several,
    or of none). `missing`: no layer of that name is there."""

    at: int
    key: str
    why: str
    other: str | None = None
    missing: bool = False


def check(network: Network, reads: Reads) -> None:
    """Raises `CostError` for a layer that reads or adds what none makes, for layers that need each other in a circle,
    and for sizes that do not fit."""
    found = [*clashes(network, reads)]
    for clash in (each for each in found if each.missing):
        raise _error(network, reads, clash)
    if circle := _circle(network, reads):
        links = [f"{name} {'reads' if made in reads[name] else 'adds'} {made}" for made, name in circle]
        first = min((name for _, name in circle), key=list(reads).index)
        key = "from" if any(made in reads[first] for made, name in circle if name == first) else "add"
        raise CostError(
            f"network {network.name}: a circle of layers that need each other: {', '.join(links)}",
            legal=[_written({"name": first, key: []})],
            source=network.line(list(reads).index(first), key),
        )
    for clash in found:
        raise _error(network, reads, clash)


def voids(network: Network, reads: Reads) -> list[CostError]:
    """Of layers that fit: that some outputs read zeros alone, which costs work and room for nothing."""
    return [_error(network, reads, clash) for clash in _voids(network, reads)]


def _voids(network: Network, reads: Reads, every: bool = False) -> Iterator[Clash]:
    """Layers of which some outputs along a dimension read zeros alone; `every`: all of them, those before the input."""
    layers = {layer.name: layer for layer in network.layers}
    for at, (layer, wiring) in enumerate(zip(network.layers, network.wiring, strict=True)):
        made = [layers[name] for name in reads[layer.name] if name in layers and not wiring.after]
        for other in made or (None,):
            sizes = (other.oy, other.ox) if other else (None, None)
            sides = [side(layer, dim, size, wiring.pad) for dim, size in zip(DIMS, sizes, strict=True)]
            name = other.name if other else "its input"
            whys = [zeros(each, dim, name) for dim, each in zip(DIMS, sides, strict=True) if each.empty]
            if whys and any(each.low >= each.reach for each in sides) == every:
                yield Clash(at, "from", "; ".join(whys), name if len(made) == 1 else None)


def clashes(network: Network, reads: Reads) -> Iterator[Clash]:
    """All that do not fit in a network."""
    layers = {layer.name: layer for layer in network.layers}
    for key, verb in (("from", "reads"), ("add", "adds")):
        for at, layer in enumerate(network.layers):
            made = reads[layer.name] if key == "from" else network.wiring[at].adds
            if missing := [other for other in made if other not in layers]:
                yield Clash(at, key, f"it {verb} {missing[0]!r}, which no layer makes", missing=True)
    for at in range(len(network.layers)):
        yield from _of_row(network, reads, layers, at)
    yield from _voids(network, reads, every=True)


def _of_row(network: Network, reads: Reads, layers: Mapping[str, Layer], at: int) -> Iterator[Clash]:
    """Those of one layer with the layers that there are."""
    layer, wiring = network.layers[at], network.wiring[at]
    read = [] if wiring.after else [layers[name] for name in reads[layer.name] if name in layers]
    added = [layers[name] for name in wiring.adds if name in layers]
    if read and (why := misfit(layer, read, wiring.pad)):
        yield Clash(at, "from", why, read[0].name if len(read) == 1 else None)
    for other in added:
        if shape(other) != shape(layer):
            yield Clash(at, "add", f"it makes {_made(layer)}, and adds {_made(other)} of {other.name}", other.name)
    for key, verb, several in (("from", "reads", read), ("add", "adds", added)):
        for other in (each for each in several if each.b != layer.b):
            yield Clash(at, key, f"it makes {layer.b} of a batch, and {verb} {other.b} of {other.name}", other.name)


def shape(layer: Layer) -> tuple[int, int, int]:
    """Of its result."""
    return layer.k, layer.oy, layer.ox


def _made(layer: Layer) -> str:
    return f"{layer.ox}x{layer.oy} of {layer.k} channels"


def _circle(network: Network, reads: Reads) -> list[tuple[str, str]]:
    """Layers that need each other: each beside one that needs it."""
    needs = zip(network.layers, network.wiring, strict=True)
    try:
        TopologicalSorter({each.name: {*reads[each.name], *wiring.adds} for each, wiring in needs}).prepare()
    except CycleError as error:
        return list(pairwise(error.args[1]))
    return []


def _error(network: Network, reads: Reads, clash: Clash) -> CostError:
    tried = [*_changes(network, reads, clash)]
    works = [change for change in tried if _works(network, reads, clash, change)]
    works = works or [change for change in tried if _works(network, reads, clash, change, alone=True)]
    found = [change for at, change in enumerate(works) if change not in works[:at]]
    own = next((key for change in found[:1] if "name" not in change for key in change), clash.key)
    keys = (own, clash.key, "name")
    places = [network.line(clash.at, key) for key in keys]
    row = network.line(clash.at)
    return CostError(
        f"network {network.name}, layer {network.layers[clash.at].name}: {clash.why}",
        legal=[_written(change) for change in found],
        source=next((place for place in places if place != row), row),
    )


def _written(change: Change) -> str:
    """As a row of the file says it."""
    return json.dumps(change, ensure_ascii=False)[1:-1]


def _works(network: Network, reads: Reads, clash: Clash, change: Change, alone: bool = False) -> bool:
    """Whether a change mends what does not fit and leaves all else as it is; `alone`: whether it mends that."""
    try:
        changed, read = _changed(network, reads, clash.at, change)
    except CostError:
        return False
    voids_before = [each for each in _voids(network, reads) if each.at != clash.at]
    before = {(each.at, each.why) for each in (*clashes(network, reads), *voids_before)} - {(clash.at, clash.why)}
    after = {(each.at, each.why) for each in (*clashes(changed, read), *_voids(changed, read))}
    if alone:
        return (clash.at, clash.why) not in after
    return after <= before and len(_circle(changed, read)) <= len(_circle(network, reads))


def _changed(network: Network, reads: Reads, at: int, change: Change) -> tuple[Network, Reads]:
    """A network with a row that says something else, and what its layers read."""
    names = [layer.name for layer in network.layers]
    at = names.index(change["name"]) if "name" in change else at
    layers, wiring = list(network.layers), list(network.wiring)
    layers[at] = replace(layers[at], **{key: value for key, value in change.items() if key in SIZES})
    told = {"from": "reads", "add": "adds", "pad": "pad", "after": "after"}
    said = {told[key]: value for key, value in change.items() if key in told}
    said = {key: tuple(value) if isinstance(value, list) else value for key, value in said.items()}
    wiring[at] = replace(wiring[at], **said)
    changed = replace(network, layers=tuple(layers), wiring=tuple(wiring))
    return changed, {**reads, names[at]: said.get("reads", reads[names[at]])}


def _changes(network: Network, reads: Reads, clash: Clash) -> Iterator[Change]:
    """What a row, or that of the layer which it reads or adds, might say; not all of these work."""
    layer, pad = network.layers[clash.at], network.wiring[clash.at].pad
    layers = {each.name: each for each in network.layers}
    read = [layers[name] for name in reads[layer.name] if name in layers]
    other = layers[clash.other] if clash.other else None
    if clash.key == "from" and not clash.missing:
        yield from _sized(layer, read, pad)
    if other:
        wide = {"k": layer.c} if clash.key == "from" else {"k": layer.k}
        yield from _made_so(layer, other, pad, wide, clash.key)
        if other.b != layer.b:
            yield {"b": other.b}
            yield {"name": other.name, "b": layer.b}
    if read or clash.key == "add" or clash.missing:
        yield from islice(({clash.key: [name]} for name in _instead(network, reads, clash)), SHOWN)
        yield {clash.key: []} if clash.key == "add" or clash.missing else {"after": "max pool"}


def _instead(network: Network, reads: Reads, clash: Clash) -> Iterator[str]:
    """The layers, those of rows before it, that one may read or add."""
    for other in network.layers[: clash.at]:
        if _works(network, reads, clash, {clash.key: [other.name]}):
            yield other.name


def _sized(layer: Layer, read: Sequence[Layer], pad: int | None) -> Iterator[Change]:
    """Sizes and zeros with which a layer might read what others make, or if none does, its input."""
    channels = sum(other.k for other in read)
    if read and channels != layer.c:
        depthwise = layer.groups == layer.c > 1
        each = {"k": channels * layer.k // layer.c, "groups": channels} if depthwise else {}
        yield {"c": channels, **each}
        return
    makers = dict(zip(DIMS, (read[0].oy, read[0].ox), strict=True)) if read else dict[str, int]()
    sides = {dim: side(layer, dim, makers.get(dim), pad) for dim in DIMS}
    yield from (change for change in _outputs(sides, pad) if makers and change)
    missing = [each.reach - each.size if makers else each.window - 1 for each in sides.values()]
    pads = dict.fromkeys([*(-(-each // 2) for each in missing), *(each // 2 for each in missing), 0])
    yield from ({"pad": each} for each in pads if each >= 0)
    halves: dict[int | None, None] = dict.fromkeys((each.window - 1) // 2 for each in sides.values())
    halves.pop(pad, None)
    yield from ({"pad": half, **change} for half in halves for change in _outputs(sides, half) if makers and change)


def _outputs(sides: Mapping[str, Side], pad: int | None) -> Iterator[Change]:
    """Outputs that what is there is enough for: by the stride, or all windows that fit into it and its zeros."""
    same = {dim: -(-each.size // each.stride) for dim, each in sides.items()}
    whole = {dim: (each.size + 2 * (pad or 0) - each.window) // each.stride + 1 for dim, each in sides.items()}
    for found in (same, whole) if pad is None else (whole,):
        yield {f"o{dim.lower()}": out for dim, out in found.items() if out != sides[dim].out}


def _made_so(layer: Layer, other: Layer, pad: int | None, wide: Change, key: str) -> Iterator[Change]:
    """What the other layer might make instead."""
    needs = {"oy": layer.oy, "ox": layer.ox}
    if key == "from":
        for dim in DIMS:
            each = side(layer, dim, None, pad)
            needs[f"o{dim.lower()}"] = each.size
    change = {size: value for size, value in (wide | needs).items() if getattr(other, size) != value}
    if change:
        yield {"name": other.name, **change}
