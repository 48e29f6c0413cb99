"""The loop counters and address generators of a process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from amaranth.hdl import Const, Module, Shape, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part, identifier
from halidehw.backend_hdl.words import moved, split
from halidehw.ir.affine import Affine
from halidehw.ir.varies import each, most, pick, programs, room
from halidehw.microarch.walk import Axis, Walk


@dataclass(frozen=True)
class WalkerSpec:
    """`forms`: named outputs. `ends`: (name, depth): the current iteration is the last with the same outer `depth`
    axes. `opens`: the first such. `origins`: (name, axes): all of `axes` are at their start, `finals`: at their last
    value."""

    name: str
    walk: Walk
    forms: tuple[tuple[str, Affine], ...] = ()
    ends: tuple[tuple[str, int], ...] = ()
    opens: tuple[tuple[str, int], ...] = ()
    origins: tuple[tuple[str, tuple[str, ...]], ...] = ()
    finals: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class InWords(Affine):
    """A form whose values are elements, `word` of them in a word, which is no power of two: on the outputs an element's
    place in its word is in the low bits, and above them the word."""

    word: int = 1


def form_shape(form: Affine, extents: dict[str, int]) -> Shape:
    """The shape of a form's values, in whatever program."""
    if isinstance(form, InWords):
        low, high = (split(value, form.word) for value in form.range_over(extents))
        return Shape(max(low.bit_length(), high.bit_length(), 1) + (low < 0), low < 0)
    spans = [form.range_over(extents)] if not (count := programs((form, extents))) else [
        pick(form, i).range_over(pick(extents, i)) for i in range(count)]
    low, high = min(low for low, _ in spans), max(high for _, high in spans)
    if bits := room(form):
        return Shape(max(low.bit_length(), high.bit_length(), bits) + 1, True)
    return Shape(max(low.bit_length(), high.bit_length()) + 1, True) if low < 0 else Shape(max(high.bit_length(), 1))


class Walker(Part[WalkerSpec]):
    """Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.

    After `start` the first iteration is on the outputs; after the last, `valid` falls. All outputs come from
    registers (flags through one gate). Addresses are made by adding strides: for every loop that an address depends
    on, one register holds its value with the inner loops at their start. Reset: idle.
    """

    def __init__(self, library: Library, spec: WalkerSpec):
        self.title = f"{spec.name}_walk"
        extents = spec.walk.extents
        members = {"start": In(1), "advance": In(1), "valid": Out(1)}
        members |= {name: Out(form_shape(form, extents)) for name, form in spec.forms}
        members |= {name: Out(1) for name, _ in (*spec.ends, *spec.opens, *spec.origins, *spec.finals)}
        super().__init__(library, spec, members)

    def _number(self, axis: Axis, name: str, number: int) -> Any:
        return self.library.number(f"{identifier(axis.name)}_{name}", number, Const if name == "only" else int)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        axes = spec.walk.axes
        places = {axis.name: j for j, axis in enumerate(axes)}
        counts = [Signal(_count_shape(axis.extent), name=f"{identifier(axis.name)}_count") for axis in axes]
        lasts = [Signal(name=f"{identifier(axis.name)}_last") for axis in axes]
        zeros = [Signal(name=f"{identifier(axis.name)}_zero") for axis in axes]
        forms = [_Levels(self.library, name, form, spec.walk) for name, form in spec.forms]
        limits = [_Levels(self.library, f"room{k}", limit.form, spec.walk) for k, limit in enumerate(spec.walk.limits)]
        only = [self._number(axis, "only", each(lambda axis: int(axis.extent == 1), axis)) for axis in axes]
        next_last = [self._number(axis, "next", each(lambda axis: max(axis.extent - 2, -1), axis)) for axis in axes]

        more = [Signal(name=f"{identifier(axis.name)}_more") for axis in axes]
        m.d.comb += [flag.eq(~last) for flag, last in zip(more, lasts, strict=True)]
        for levels in (*forms, *limits):
            levels.add(m)

        def is_last(j: int, room: Callable[[_Levels], tuple[Value | int, int]]) -> Value:
            """Whether loop j, at its start, is at its last value when each limit's room is as given."""
            ends: list[Value] = [only[j]]
            for limit in limits:
                if j in limit.strides:
                    register, delta = room(limit)
                    ends.append(register < limit.number("least", -limit.strides[j] - delta))
            return _any(ends)

        with m.If(self.start):
            m.d.sync += self.valid.eq(1)
            for j in range(len(axes)):
                m.d.sync += [counts[j].eq(0), zeros[j].eq(1)]
                m.d.sync += lasts[j].eq(is_last(j, lambda limit: (limit.start, 0)))
            for levels in (*forms, *limits):
                m.d.sync += [register.eq(levels.first) for register in levels.registers.values()]
        with m.Elif(self.advance):
            chain = m.If
            for j in reversed(range(len(axes))):
                with chain(more[j]):
                    m.d.sync += [counts[j].eq(counts[j] + 1), zeros[j].eq(0)]
                    ends = [counts[j] == next_last[j]]
                    for limit in limits:
                        if j in limit.strides:
                            ends.append(limit.registers[j] < limit.number("next", limit.strides[j] * -2))
                    m.d.sync += lasts[j].eq(_any(ends))
                    for inner in range(j + 1, len(axes)):
                        m.d.sync += [counts[inner].eq(0), zeros[inner].eq(1)]
                        m.d.sync += lasts[inner].eq(is_last(inner, partial(_Levels.after, j=j)))
                    for levels in (*forms, *limits):
                        m.d.sync += levels.step(j)
                chain = m.Elif
            if axes:
                with m.Else():
                    m.d.sync += self.valid.eq(0)
            else:
                m.d.sync += self.valid.eq(0)
        for (name, _), levels in zip(spec.forms, forms, strict=True):
            m.d.comb += self[name].eq(levels.value)
        for name, depth in spec.ends:
            m.d.comb += self[name].eq(_all(lasts[depth:]))
        for name, depth in spec.opens:
            m.d.comb += self[name].eq(_all(zeros[depth:]))
        for name, chosen in spec.origins:
            m.d.comb += self[name].eq(_all([zeros[places[axis]] for axis in chosen]))
        for name, chosen in spec.finals:
            m.d.comb += self[name].eq(_all([lasts[places[axis]] for axis in chosen]))
        return m


def _count_shape(extent: int) -> Shape:
    return Shape(max(Shape.cast(range(most(extent))).width, room(extent)))


class _Levels:
    """One form's registers: for each loop it depends on, its value with the loops inside that one at their start."""

    def __init__(self, library: Library, name: str, form: Affine, walk: Walk):
        self.library, self.name, self.form = library, name, form
        places = {axis.name: j for j, axis in enumerate(walk.axes)}
        self.strides = {places[axis]: value for axis, value in form.terms}
        self.shape = form_shape(form, walk.extents)
        self.registers: dict[int, Signal] = {
            j: Signal(self.shape, name=f"{name}_at_{identifier(walk.axes[j].name)}") for j in sorted(self.strides)
        }
        self.nexts = {j: Signal(self.shape, name=f"{register.name}_next") for j, register in self.registers.items()}
        first = split(form.constant, form.word) if isinstance(form, InWords) else form.constant
        self.first = self.number("first", first)

    def number(self, name: str, number: int) -> Value:
        return self.library.number(f"{self.name}_{name}", number, lambda number: number)

    @property
    def start(self) -> Value:
        """The value with all loops at their start."""
        return Const(self.first, self.shape) if isinstance(self.first, int) else self.first

    def add(self, m: Module) -> None:
        """The adders: each register's value after its own loop steps."""
        for j, register in self.registers.items():
            if isinstance(self.form, InWords):
                m.d.comb += self.nexts[j].eq(moved(register, self.strides[j], self.form.word))
            else:
                m.d.comb += self.nexts[j].eq(register + self.number(f"stride{j}", self.strides[j]))

    @property
    def value(self) -> Value:
        return self.registers[max(self.registers)] if self.registers else self.start

    def after(self, j: int) -> tuple[Value, int]:
        """(register, delta) whose sum is the value after loop j steps, with the loops inside at their start."""
        known = [level for level in self.registers if level <= j]
        if not known:
            return self.start, 0
        level = max(known)
        return self.registers[level], self.strides[j] if level == j else 0

    def step(self, j: int) -> list[Any]:
        register, delta = self.after(j)
        value = self.nexts[j] if delta else register
        return [target.eq(value) for level, target in self.registers.items() if level >= j]


def _all(flags: list[Signal]) -> Value:
    total: Value = Const(1)
    for flag in flags:
        total = total & flag
    return total


def _any(flags: list[Value]) -> Value:
    total = flags[0]
    for flag in flags[1:]:
        total = total | flag
    return total
