"""Programs of one machine, brought to one shape: docs/design/machines.md.

A *frame* is what all programs of a machine have in common: for each walk its axes, for each depth where it lies among
them, how large each store is, which limits and masks there are. A network fits into a frame when each of its walks is
the frame's with some axes left out (these run once), and each store is no larger. Fitting changes no word and no order:
an axis of one iteration, a limit that always holds and a part of a larger store do nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Boundary
from halidehw.microarch.common import FEWER, Key, Misfit, Split, assigned, chosen, limit_places, most_of, ordered
from halidehw.microarch.interface import Port
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.processes import Compute, Operand, Transfer, Write
from halidehw.microarch.stores import Before, Behind, Memory, RegisterFile, Sums
from halidehw.microarch.taps import (
    FileSink,
    FileTap,
    IndexValue,
    Lanes,
    Mask,
    MemorySink,
    MemoryTap,
    PortSink,
    PortTap,
    Revisit,
    SumsSink,
    SumsTap,
    Window,
)
from halidehw.microarch.walk import Axis, Limit, Walk

T = TypeVar("T")
R = TypeVar("R", Behind, Before)

DEPTHS = ("tile", "anew")
"""Fields that say how many axes lie outside."""
CHOSEN = ("reductions", "starts", "first")
"""Fields that name axes which must all be at their start."""
ROOMS = ("outstanding",)
"""Fields that say for how much there is room."""
LANES = ("masks", "activity")
"""Fields that say which lanes are left out."""
_ROWS = "rows"
"""The length of a memory along a dimension whose banks turn."""
_WALKING = (Transfer, Compute, Write, Window)
_PLACED = (Window, Operand, Lanes, MemoryTap, FileTap, IndexValue, SumsTap, PortTap, Revisit, MemorySink, FileSink,
           SumsSink, PortSink)  # fmt: skip
"""What lies in a process, with forms over its walk."""


@dataclass
class Frame:
    """By place: `axes` of each walk, `depths`, `names` of axes, `limits` by the axes that each is over, `sizes` of
    stores and ports, `masks` and limits of lanes by their weights. `filling`: for each store two axes a dimension."""

    axes: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    depths: dict[Key, int] = field(default_factory=dict)
    names: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    limits: dict[Key, tuple[frozenset[str], ...]] = field(default_factory=dict)
    masks: dict[Key, tuple[Any, ...]] = field(default_factory=dict)
    sizes: dict[Key, int] = field(default_factory=dict)
    filling: tuple[tuple[str, ...], ...] = ()

    def widened(self, bits: int, words: int) -> Frame:
        """The same frame with addresses and counts of requests of so many bits outside, and so many words in a part of
        each bank inside, at least."""
        if bits:
            self = replace(self, limits={key: (*found, *self._ends(key)) for key, found in self.limits.items()})
        least = {"address bits": bits, "words": words, "columns": words, "outstanding": (1 << bits) - 1}
        least = least if bits else {"words": words, "columns": words}
        outside = {"address bits": bits, "words": 1 << bits if bits else 0}
        rows = {key: max(size, words) for key, size in self.sizes.items() if key[1] == _ROWS}
        return replace(self, sizes=rows | {
            key: max(size, (outside if key[0] == "port" else least).get(key[-1], 0))
            for key, size in self.sizes.items() if key not in rows
        })  # fmt: skip

    def _ends(self, key: Key) -> Iterator[frozenset[str]]:
        """Limits of a walk for the dimensions of a store, of which no program has one."""
        limited = frozenset[str]().union(*self.limits[key])
        for order in self.filling:
            for along in zip(order[::2], order[1::2], strict=True):
                names = frozenset(along).intersection(self.axes[key])
                if names and not names & limited:
                    yield names


def frame_of(networks: Iterable[Network], loops: Sequence[tuple[str, ...]] = ()) -> Frame:
    """The least frame into which all networks fit. `loops`: the orders of the designs' loops, those that run once
    included, of which walks have no axis.

    Raises Misfit where the orders of loops of two of them contradict each other.
    """
    seen = _Seen()
    every = tuple(networks)
    for network in every:
        _Fitting(Frame(), seen).network(network)
    frame = seen.frame(loops, sorted({order for network in every for order in _filling(network)}))
    again = _Seen()
    for network in every:
        _Fitting(frame, again, placed=True).network(network)
    return replace(frame, depths=again.placed())


def fitted(network: Network, frame: Frame) -> Network:
    """The network in a frame. Raises Misfit."""
    return _Fitting(frame, None, placed=True).network(network)


def sized(network: Network, frame: Frame) -> Network:
    """The network on axes of its own with stores and ports as large as the frame's: it takes as many cycles as in the
    frame, where axes that run once may lie in other places."""
    return _Fitting(Frame(sizes=frame.sizes), None).network(network)


@dataclass
class _Seen:
    """What networks have at each place."""

    axes: dict[Key, list[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(list))
    splits: dict[Key, list[tuple[Key, Split]]] = field(default_factory=lambda: defaultdict(list))
    depths: dict[Key, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    names: dict[Key, list[tuple[tuple[str, ...], frozenset[str]]]] = field(default_factory=lambda: defaultdict(list))
    limits: dict[Key, list[tuple[frozenset[str], ...]]] = field(default_factory=lambda: defaultdict(list))
    masks: dict[Key, list[tuple[Any, ...]]] = field(default_factory=lambda: defaultdict(list))
    sizes: dict[Key, list[int]] = field(default_factory=lambda: defaultdict(list))

    def frame(self, loops: Sequence[tuple[str, ...]], filling: Sequence[tuple[str, ...]]) -> Frame:
        return Frame(
            axes={key: ordered(key, found, self.splits[key], loops, filling) for key, found in self.axes.items()},
            names={key: chosen(key, found) for key, found in self.names.items()},
            limits={key: limit_places(found) for key, found in self.limits.items()},
            masks={key: most_of(found) for key, found in self.masks.items()}, filling=tuple(filling),
            sizes={key: max(found) for key, found in self.sizes.items()},
        )

    def placed(self) -> dict[Key, int]:
        """The least place of each depth that serves all."""
        found = {}
        for key, spans in self.depths.items():
            least, most = max(low for low, _ in spans), min(high for _, high in spans)
            if least > most:
                raise Misfit(key, least, most)
            found[key] = least
        return found


def _filling(network: Network) -> Iterator[tuple[str, ...]]:
    """The axes over the words of each store, as `supply` and `registers` have them: dimension 0 innermost, rows that
    pass one by one outermost."""
    rank = max((len(memory.dims) for stage in network.stages for memory in stage.memories), default=0)
    for stage in network.stages:
        for store in stage.stores:
            ring = store.ring.dimension if isinstance(store, Memory) and store.ring else None
            dims = [*([ring] if ring is not None else []), *(d for d in reversed(range(rank)) if d != ring)]
            yield tuple(name for d in dims for name in (f"{store.name}.{d}", f"{store.name}.{d}.bank"))


@dataclass
class _Fitting:
    """A network on its way into a frame, or, with `seen`, what it would need of one."""

    frame: Frame
    seen: _Seen | None
    placed: bool = False

    def network(self, network: Network) -> Network:
        stages = tuple(self._stage(stage) for stage in network.stages)
        ports = tuple(self._any(port, ("port",)) for port in network.interface.ports)
        return replace(network, stages=stages, interface=replace(network.interface, ports=ports))

    def _stage(self, stage: Stage) -> Stage:
        return replace(
            stage, stores=tuple(map(self._store, stage.stores)),
            transfers=tuple(self._process(each) for each in stage.transfers),
            compute=self._process(stage.compute), write=self._process(stage.write),
        )  # fmt: skip

    def _store(self, store: Memory | RegisterFile | Sums) -> Any:
        halves = self._size((store.name, "halves"), store.halves)
        match store:
            case Memory():
                room = self._size((store.name, "words"), store.depth)
                ring = store.ring.dimension if store.ring else None  # its rows come again after as many as it has
                sizes = (self._size((store.name, _ROWS, str(d)), dim.extent) if dim.rotating and d != ring
                         else dim.extent for d, dim in enumerate(store.dims))  # fmt: skip
                dims = tuple(replace(dim, extent=size) for dim, size in zip(store.dims, sizes, strict=True))
                behind = store.behind and self._rows(store.name, store.behind)
                before = store.before and self._rows(store.before.memories[0], store.before)
                return replace(store, halves=halves, room=room, dims=dims, behind=behind, before=before)
            case RegisterFile():
                return replace(store, halves=halves, words=self._size((store.name, "words"), store.words))
            case Sums():
                several = self._size((store.name, "several"), int(not store.single))
                words = self._size((store.name, "words"), store.words)
                return replace(store, halves=halves, words=words, single=not several, soon=True)

    def _process(self, process: Transfer[Any, Any] | Compute | Write) -> Any:
        if self.placed and (process.name, "walk") not in self.frame.axes:
            raise Misfit((process.name,), tuple(axis.name for axis in process.walk.axes), ())
        return self._over(process, (process.name,), process.walk)

    def _over(self, value: Any, key: Key, walk: Walk) -> Any:
        """A value over a walk: its own fields, and those of what lies in it."""
        inner = value.walk if isinstance(value, _WALKING) else walk
        fit: dict[str, Callable[[Key, Any], Any]] = {
            **dict.fromkeys(DEPTHS, lambda place, depth: self._depth(place, depth, inner, key)),
            **dict.fromkeys(CHOSEN, lambda place, names: self._names(place, names, inner)),
            **dict.fromkeys(ROOMS, self._size),
            **dict.fromkeys(LANES, self._masks), "lane_limits": self._lane_limits,
        }  # fmt: skip
        any_other: Callable[[Key, Any], Any] = lambda place, each: self._any(each, place, inner)  # noqa: E731
        changed = {}
        for each in fields(value):
            changed[each.name] = fit.get(each.name, any_other)((*key, each.name), getattr(value, each.name))
        return replace(value, **changed)

    def _any(self, value: Any, key: Key, walk: Walk | None = None) -> Any:
        match value:
            case Walk():
                return self._walk(value, key)
            case Port():
                words = self._size(("port", value.name, "words"), value.words)
                bits = self._size(("port", value.name, "address bits"), value.address_bits)
                return replace(value, words=words, address_bits=bits)
            case Affine() | str() | int():
                return value
            case tuple():
                return tuple(self._any(each, (*key, str(i)), walk) for i, each in enumerate(value))
        if isinstance(value, PortTap) and value.boundary is None:
            value = replace(value, boundary=Boundary("constant_exterior", 0))
        if isinstance(value, _PLACED) and walk is not None:
            return self._over(value, key, walk)
        return value

    def _rows(self, name: str, rows: R) -> R:
        """Rows that are kept, each as long as the frame's: which column of it a step is at, the walk says."""
        return replace(rows, columns=self._size((name, "columns"), rows.columns))

    def _size(self, key: Key, size: int) -> int:
        if self.seen:
            self.seen.sizes[key].append(size)
        has = self.frame.sizes.get(key, size)
        if size > has:
            raise Misfit(key, size, has)
        return has

    def _walk(self, walk: Walk, key: Key) -> Walk:
        names = tuple(axis.name for axis in walk.axes)
        own = _least(walk.limits, lambda limit: (limit.form, None))
        kinds = tuple(limit.form.names for limit in own)
        if self.seen:
            self.seen.axes[key].append(names)
            self.seen.limits[key].append(kinds)
        extents, order = walk.extents, self.frame.axes.get(key, names)
        if [name for name in order if name in extents] != list(names):
            raise Misfit(key, names, order)
        axes = tuple(Axis(name, extents.get(name, 1)) for name in order)
        places = self.frame.limits.get(key, kinds)
        at = assigned(kinds, places)
        if at is None:
            raise Misfit((*key, "limits"), tuple(map(sorted, kinds)), tuple(map(sorted, places)))
        limits = [Limit(Affine())] * len(places)
        for limit, place in zip(own, at, strict=True):
            limits[place] = limit
        return Walk(axes, tuple(limits))

    def _depth(self, key: Key, depth: int, walk: Walk, process: Key) -> int:
        """Where a depth lies among the frame's axes: behind its own outer axes, before its own inner ones."""
        own, place = tuple(axis.name for axis in walk.axes), (*process[: _walker(process)], "walk")
        if not self.placed:
            if self.seen:
                self.seen.splits[place].append((key, (own[:depth], own[depth:])))
            return depth
        order = self.frame.axes[place]
        low = order.index(own[depth - 1]) + 1 if depth else 0
        high = order.index(own[depth]) if depth < len(own) else len(order)
        if self.seen:
            self.seen.depths[key].append((low, high))
        at = self.frame.depths.get(key, low)
        if not low <= at <= high:
            raise Misfit(key, (low, high), at)
        return at

    def _names(self, key: Key, names: tuple[str, ...], walk: Walk) -> tuple[str, ...]:
        """The frame's: of those that step in this walk its own, or fewer where that may be."""
        steps = frozenset(axis.name for axis in walk.axes if axis.extent > 1)
        if self.seen:
            self.seen.names[key].append((names, steps))
        has = self.frame.names.get(key, names)
        wanted, there = steps.intersection(names), steps.intersection(has)
        if not there <= wanted or (there < wanted and key[-1] not in FEWER):
            raise Misfit(key, names, has)
        return has

    def _masks(self, key: Key, masks: tuple[Mask, ...]) -> tuple[Mask, ...]:
        """A mask that is not there leaves out no lane: its room is that of the last one."""
        masks = _least(masks, lambda mask: (mask.form, mask.weights))
        kinds = tuple(mask.weights for mask in masks)
        if self.seen:
            self.seen.masks[key].append(kinds)
        left, found = list(masks), []
        for number, kind in enumerate(self.frame.masks.get(key, kinds)):
            mask = next((mask for mask in left if mask.weights == kind), None)
            if mask:
                left.remove(mask)
            found.append(Mask(f"{key[-1]}{number}", mask.form if mask else Affine((), _room(w for _, w in kind)), kind))
        if left:
            raise Misfit(key, tuple(mask.weights for mask in left), ())
        return tuple(found)

    def _lane_limits(self, key: Key, limits: tuple[tuple[Affine, int], ...]) -> tuple[tuple[Affine, int], ...]:
        limits = _least(limits, lambda limit: limit)
        kinds = tuple(weight for _, weight in limits)
        if self.seen:
            self.seen.masks[key].append(kinds)
        left, found = list(limits), []
        for weight in self.frame.masks.get(key, kinds):
            limit = next((limit for limit in left if limit[1] == weight), None)
            if limit:
                left.remove(limit)
            found.append(limit or (Affine((), _room([weight])), weight))
        if left:
            raise Misfit(key, tuple(weight for _, weight in left), ())
        return tuple(found)


def _least(found: tuple[T, ...], bound: Callable[[T], tuple[Affine, object]]) -> tuple[T, ...]:
    """Without what holds wherever another one does: of forms that differ by a constant the least is left."""
    least = dict[tuple[object, object], int]()
    for form, kind in map(bound, found):
        key = form.terms, kind
        least[key] = min(least.get(key, form.constant), form.constant)
    left = []
    for each in found:
        form, kind = bound(each)
        if least.get((form.terms, kind)) == form.constant:
            del least[form.terms, kind]
            left.append(each)
    return tuple(left)


def _room(weights: Iterable[int]) -> int:
    """Room for all lanes of such weights."""
    return _LANES * sum(weights)


_LANES = 1 << 10
"""More than any port has, or any axis of an array."""


def _walker(key: Key) -> int:
    """How much of a place is the process, or the window in it, that has the walk."""
    return len(key) - key[::-1].index("window") if "window" in key else 1
