"""The names of one design in another's place: what a program's tensors, loops and buffers are called in a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from halidehw.errors import SourceLine
from halidehw.ir.affine import Affine
from halidehw.ir.bounds import footprint
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Access, Buffer, Constraint, Loop, Nest, Slide, Tensor


@dataclass(frozen=True)
class Names:
    """From a program's names to those of the machine. A name that is not there stays."""

    tensors: Mapping[str, str] = field(default_factory=dict)
    loops: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    buffers: Mapping[str, str] = field(default_factory=dict)


def names_in(graph: Graph, model: Graph) -> Names:
    """Tensors by the order in which they are read, buffers by their tensor, loops by their place in the nest, those
    of a reader by theirs in the reader: those of `graph` as they are called in `model`, where both have as many of a
    kind."""
    tensors, loops, buffers = dict[str, str](), dict[str, Mapping[str, str]](), dict[str, str]()
    if len(graph.stages) != len(model.stages):
        return Names()
    tensors |= _paired([nest.name for nest in graph.stages], [nest.name for nest in model.stages])
    tensors |= _paired([each.name for each in graph.inputs], [each.name for each in model.inputs])
    outer = dict[str, str]()
    for nest, like in reversed(list(zip(graph.stages, model.stages, strict=True))):
        own, other = (each.loops[each.place :] for each in (nest, like))
        same = [loop.reduction for loop in own] == [loop.reduction for loop in other]
        found = _paired([loop.name for loop in own], [loop.name for loop in other]) if same else {}
        outer |= found
        loops[nest.name] = {loop.name: outer[loop.name] for loop in nest.loops if loop.name in outer}
    for nest, like in zip(graph.stages, model.stages, strict=True):
        for tensor in nest.tensor:
            theirs = like.levels(tensors.get(tensor, tensor))
            buffers |= _paired([each.name for each in nest.levels(tensor)], [each.name for each in theirs])
    return Names(tensors, loops, buffers)


def _paired(own: list[str], other: list[str]) -> dict[str, str]:
    return dict(zip(own, other, strict=True)) if len(own) == len(other) else {}


def renamed(graph: Graph, names: Names) -> Graph:
    """The same graph in other names."""
    return Graph(tuple(_Renaming(names, names.loops.get(nest.name, {})).of(nest) for nest in graph.stages))


class _Renaming:
    def __init__(self, names: Names, loops: Mapping[str, str]):
        tensor: Callable[[Any], Any] = lambda name: names.tensors.get(name, name)  # noqa: E731
        buffer: Callable[[Any], Any] = lambda name: names.buffers.get(name, name)  # noqa: E731
        loop: Callable[[Any], Any] = lambda name: loops.get(name, name)  # noqa: E731
        self.fields: dict[type, dict[str, Callable[[Any], Any]]] = {
            Tensor: {"name": tensor}, Access: {"tensor": tensor}, Nest: {"name": tensor, "consumer": tensor},
            Buffer: {"name": buffer, "tensor": tensor, "at": loop}, Loop: {"name": loop, "fused": loop},
            Slide: {"at": loop, "loops": lambda found: tuple(map(loop, found))},
            Constraint: {"terms": lambda found: tuple((loop(name), value) for name, value in found)},
        }  # fmt: skip
        self.loop, self.done = loop, dict[int, tuple[Any, Any]]()

    def of(self, value: Any) -> Any:
        match value:
            case str() | int() | None | SourceLine():
                return value
            case Affine(terms=terms, constant=constant):
                return Affine.of(((self.loop(name), number) for name, number in terms), constant)
            case tuple():
                return tuple(map(self.of, value))
        if not is_dataclass(value) or isinstance(value, type):
            return value
        if id(value) not in self.done:
            own = self.fields.get(type(value), {})
            new = {f.name: own.get(f.name, self.of)(getattr(value, f.name)) for f in fields(value) if f.init}
            changed = {name: each for name, each in new.items() if each is not getattr(value, name)}
            self.done[id(value)] = value, replace(value, **changed) if changed else value
        return self.done[id(value)][1]


def loops_of(graphs: Iterable[Graph]) -> tuple[tuple[str, ...], ...]:
    """The loops of each nest in their order, each order once."""
    return tuple(dict.fromkeys(tuple(loop.name for loop in nest.loops) for graph in graphs for nest in graph.stages))


def ranks_of(graphs: Iterable[Graph]) -> dict[str, int]:
    """For each tensor the most dimensions that it has."""
    found = dict[str, int]()
    for graph in graphs:
        for nest in graph.stages:
            for name, tensor in nest.tensor.items():
                found[name] = max(found.get(name, 0), len(tensor.extents))
    return found


def ranked(graph: Graph, ranks: Mapping[str, int]) -> Graph:
    """The same graph whose tensors have at least so many dimensions: those added are the slowest, of one element."""
    return Graph(tuple(_ranked(nest, ranks) for nest in graph.stages))


def _ranked(nest: Nest, ranks: Mapping[str, int]) -> Nest:
    added = {name: max(0, ranks.get(name, 0) - len(tensor.extents)) for name, tensor in nest.tensor.items()}

    def tensor(each: Tensor) -> Tensor:
        more = added[each.name]
        layout = each.layout and each.layout.ranked(len(each.extents) + more)
        return replace(each, mins=(*each.mins, *[0] * more), extents=(*each.extents, *[1] * more), layout=layout)

    def access(each: Access) -> Access:
        return replace(each, indices=(*each.indices, *[Affine()] * added[each.tensor]))

    def buffer(each: Buffer) -> Buffer:
        more = added[each.tensor]
        also = tuple((*index, *[Affine()] * more) for index in each.also)
        return replace(each, mins=(*each.mins, *[Affine()] * more), extents=(*each.extents, *[1] * more), also=also)

    return replace(
        nest, inputs=tuple(map(tensor, nest.inputs)), output=tensor(nest.output), write=access(nest.write),
        reads=tuple(map(access, nest.reads)), buffers=tuple(map(buffer, nest.buffers)),
    )  # fmt: skip


def widened(graph: Graph, lanes: Mapping[tuple[str, str], Loop]) -> Graph:
    """The same graph on an array with at least the given lanes for each stage and loop: those beyond a loop's extent
    have nothing to do."""
    return Graph(tuple(
        replace(nest, loops=tuple(_wide(loop, lanes.get((nest.name, loop.name))) for loop in nest.loops))
        for nest in graph.stages
    ))  # fmt: skip


def lanes_of(graphs: Iterable[Graph]) -> dict[tuple[str, str], Loop]:
    """For each stage and loop the loop that has the most lanes."""
    found = dict[tuple[str, str], Loop]()
    for graph in graphs:
        for nest in graph.stages:
            for loop in nest.loops:
                known = found.setdefault((nest.name, loop.name), loop)
                found[nest.name, loop.name] = max(known, loop, key=lambda loop: loop.lanes)
    return found


def _wide(loop: Loop, like: Loop | None) -> Loop:
    if like is None or like.lanes == 1:
        return loop
    lanes = max(loop.lanes, like.lanes)
    return replace(loop, lanes=lanes, systolic=like.systolic, dimension=like.dimension, distance=like.distance)


def ragged(graph: Graph) -> Graph:
    """The same graph with one element fewer along every dimension that several loops go through, so that the limits are
    there that other sizes need."""
    return Graph(tuple(_ragged(nest) for nest in graph.stages))


def _ragged(nest: Nest) -> Nest:
    reductions = {loop.name for loop in nest.loops if loop.reduction}
    forms = [form.only(form.names - reductions) for form in nest.write.indices]
    forms += [form.only(reductions) for access in nest.reads for form in access.indices]
    known = {frozenset(name for name, _ in each.terms) for each in nest.domain}
    found = dict[frozenset[str], Constraint]()
    for form in forms:
        if len(form.names) > 1 and form.names not in known and all(value > 0 for _, value in form.terms):
            most = sum(value * (nest.loop[name].extent - 1) for name, value in form.terms)
            found.setdefault(form.names, Constraint(form.terms, max(most - 1, 0)))
    return replace(nest, domain=(*nest.domain, *found.values()))


def filled(graph: Graph) -> int:
    """How many loops of a graph have all of their lanes at work."""
    return sum(loop.lanes > 1 and loop.extent >= loop.lanes for nest in graph.stages for loop in nest.loops)


def grown(graph: Graph) -> Graph:
    """The same graph with two iterations of every loop that has one, so that the axes are there that other sizes need.
    Itself where that is more than loops, tensors and buffers: with several stages, rows that slide, a layout."""
    nest, *others = graph.stages
    moved = any(each.slide or each.also for each in nest.buffers)
    if others or moved or any(each.layout for each in nest.tensor.values()):
        return graph
    single = {loop.name for loop in nest.loops if loop.extent == 1 and loop.lanes == 1}
    more: Callable[[Affine], int] = lambda form: sum(max(form[name], 0) for name in single)  # noqa: E731
    loops = tuple(replace(loop, extent=2) if loop.name in single else loop for loop in nest.loops)
    domain = tuple(replace(each, limit=each.limit + more(Affine.of(each.terms))) for each in nest.domain)
    accesses = [nest.write, *nest.reads]

    def tensor(each: Tensor) -> Tensor:
        forms = zip(*(access.indices for access in accesses if access.tensor == each.name), strict=True)
        pairs = zip(each.extents, forms, strict=True)
        return replace(each, extents=tuple(extent + max(map(more, along)) for extent, along in pairs))

    def sizes(each: Buffer, loops: tuple[Loop, ...], domain: tuple[Constraint, ...]) -> tuple[int, ...]:
        depth = next((at + 1 for at, loop in enumerate(loops) if loop.name == each.at), 0)
        forms = zip(*(access.indices for access in accesses if access.tensor == each.tensor), strict=True)
        return tuple(footprint(along, loops[:depth], loops[depth:], domain).size for along in forms)

    if any(sizes(each, nest.loops, nest.domain) != each.extents for each in nest.buffers):
        return graph
    buffers = tuple(replace(each, extents=sizes(each, loops, domain)) for each in nest.buffers)
    inputs, output = tuple(map(tensor, nest.inputs)), tensor(nest.output)
    return Graph((replace(nest, loops=loops, domain=domain, buffers=buffers, inputs=inputs, output=output),))
