"""What a window computes of its words, as a component for each kind of value."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module, Shape
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.datapath import Leaf, pipeline
from halidehw.backend_hdl.library import Library, Part
from halidehw.expr.interval import Interval, intervals
from halidehw.expr.nodes import Expr
from halidehw.expr.tree import same, transform
from halidehw.microarch.division import width
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import Window
from halidehw.microarch.values import Age, Ago, leaves, source


@dataclass(frozen=True)
class ValueSpec:
    """`expr` of inputs, numbered by its leaves' sources: their shapes, and how many cycles after the first ones each is
    there. `output`: the shape of the value."""

    expr: Expr
    inputs: tuple[Shape, ...]
    starts: tuple[int, ...]
    output: Shape


@dataclass(frozen=True)
class Computed:
    """One value of a window: its component, and what it is computed of."""

    spec: ValueSpec
    sources: tuple[Age, ...]


class Datapath(Part[ValueSpec]):
    """A value, as many cycles after the words that it is computed of as its operators take. It never waits, and has no
    reset."""

    title = "value"

    def __init__(self, library: Library, spec: ValueSpec):
        words = {f"word{i}": In(shape) for i, shape in enumerate(spec.inputs)}
        super().__init__(library, spec, words | {"value": Out(spec.output)})

    def elaborate(self, platform: object) -> Module:
        m, starts = Module(), self.spec.starts
        word: Leaf = lambda leaf: self[f"word{source(leaf)}"]  # noqa: E731
        found = pipeline(m, self.library, self.spec.expr, word, lambda leaf: starts[source(leaf)])
        m.d.comb += self.value.eq(found.value)
        return m


def computed(window: Window, memory: Memory) -> tuple[Computed, ...]:
    """The values of a window, equal ones of one component. Each is as narrow as its words let it be."""
    ranges, there = [Interval.full(memory.type)] * window.lanes, window.times
    forms: list[Expr] = []
    found: list[Computed] = []
    for value in window.values:
        ranges.append(intervals(value, lambda leaf: ranges[source(leaf)])[id(value)])
        places = leaves(value)
        form = _numbered(value, {place: i for i, place in enumerate(places)})
        form = next((each for each in forms if same(each, form)), form)
        forms.append(form)
        inputs = tuple(_shape(leaf, ranges[leaf.source]) for leaf in places.values())
        first = min(there[each] for each, _ in places)
        starts = tuple(there[each] - first for each, _ in places)
        found.append(Computed(ValueSpec(form, inputs, starts, _shape(value, ranges[-1])), tuple(places)))
    return tuple(found)


def _numbered(value: Expr, number: dict[Age, int]) -> Expr:
    def change(node: Expr) -> Expr:
        return Ago(node.type, number[node.source, node.steps], 0) if isinstance(node, Ago) else node

    return transform(value, change)


def _shape(expr: Expr, values: Interval) -> Shape:
    return Shape(width(expr.type, *values.range), values.low.value < 0)
