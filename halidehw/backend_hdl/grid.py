"""The PE array, one spatial axis at a time: output axes around accumulators around reduction axes around PEs.

Every level is described by a spec with the same three facts: the wires that enter it, its latency, and what it
contains; so trees of trees, trees in systolic chains, and replicated axes are compositions, not cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from amaranth.hdl import Array, Cat, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.accumulate import Accumulate, AccumulateSpec
from halidehw.backend_hdl.datapath import combine, shape_of
from halidehw.backend_hdl.library import Library, Part, addresses, delay, identifier
from halidehw.backend_hdl.pe import PE, PESpec
from halidehw.backend_hdl.wave import Wire, extents_of, inside, split
from halidehw.expr.types import Type
from halidehw.ir.nest import Combine
from halidehw.microarch.network import Space
from halidehw.microarch.stores import LEAD, RAM_LATENCY, summed


@dataclass(frozen=True)
class ReduceSpec:
    """One reduction axis over `child` (a PE or a further reduction)."""

    space: Space
    spaces: tuple[Space, ...]
    wires: tuple[Wire, ...]
    type: Type
    combine: Combine
    child: PESpec | ReduceSpec


class Reduce(Part[ReduceSpec]):
    """Combines the products along one reduction axis.

    Systolic: a chain, each link one cycle after its neighbour, as its product is; otherwise a pipelined tree.
    `product` follows the first lane's operands: by `Compute.product`, where all reductions are in it. No handshake, no
    reset.
    """

    role = "datapath"

    def __init__(self, library: Library, spec: ReduceSpec):
        self.title = f"{spec.space.name}_{'chain' if spec.space.systolic else 'tree'}"
        extents = extents_of(spec.spaces)
        members = {wire.name: In(wire.width(extents)) for wire in spec.wires} | {"product": Out(spec.type.bits)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        values = {wire.name: self[wire.name] for wire in spec.wires}
        products = []
        for j, wave in enumerate(split(m, spec.wires, values, spec.space, spec.spaces)):
            child = self.library.use(m, f"lane{j}", reducer(spec.child), spec.child, wave)
            products.append(child.product.as_signed() if spec.type.signed else child.product)
        m.d.comb += self.product.eq(self._chain(m, products) if spec.space.systolic else self._tree(m, products))
        return m

    def _link(self, m: Module, name: str, value: Value) -> Signal:
        out = Signal(shape_of(self.spec.type), name=name, reset_less=True)
        m.d.sync += out.eq(value)
        return out

    def _chain(self, m: Module, products: list[Value]) -> Value:
        total = self._link(m, "sum0", products[0])
        for j, product in enumerate(products[1:], 1):
            total = self._link(m, f"sum{j}", combine(self.library, self.spec.combine, self.spec.type, total, product))
        return total

    def _tree(self, m: Module, products: list[Value]) -> Value:
        level = 0
        while len(products) > 1:
            level += 1
            pairs = [products[i : i + 2] for i in range(0, len(products), 2)]
            sums = (combine(self.library, self.spec.combine, self.spec.type, *pair) if pair[1:] else pair[0]
                    for pair in pairs)  # fmt: skip
            products = [self._link(m, f"sum{level}_{i}", each) for i, each in enumerate(sums)]
        return products[0]


def reducer(spec: PESpec | ReduceSpec) -> type[Part[Any]]:
    return PE if isinstance(spec, PESpec) else Reduce


@dataclass(frozen=True)
class NodeSpec:
    """An accumulator and what feeds it (None: the wire `acc_value`, LEAD cycles after the others). `folds`: further
    levels of sums in this lane, each fed by the one before it. `product`: cycles from the operands to the product."""

    spaces: tuple[Space, ...]
    wires: tuple[Wire, ...]
    child: PESpec | ReduceSpec | None
    accumulator: AccumulateSpec
    folds: tuple[AccumulateSpec, ...]
    product: int

    @property
    def drained(self) -> AccumulateSpec:
        return (self.accumulator, *self.folds)[-1]

    @property
    def drain_latency(self) -> int:
        return RAM_LATENCY

    @property
    def drain_width(self) -> int:
        return self.accumulator.type.bits


class Node(Part[NodeSpec]):
    """One output lane: its reduction network and its accumulator.

    Without a network it is a bank of a memory of sums. The wires `acc_valid`, `acc_first` and `acc_address` enter with
    the operands and are delayed to the product. Those of level n in the lane, `acc_n_valid` and so on, enter with
    `acc_n_from`, the address in the level before it.
    """

    role = "links"

    def __init__(self, library: Library, spec: NodeSpec):
        self.title = "output_lane" if spec.child else "sums_bank"
        extents = extents_of(spec.spaces)
        members = {wire.name: In(wire.width(extents)) for wire in spec.wires}
        members |= {"drain_address": In(addresses(spec.drained.words)), "drain_data": Out(spec.drain_width)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        product = self.acc_value if spec.child is None else self._product(m, spec.child)
        sums = self.library.use(m, "sums", Accumulate, spec.accumulator)
        scattered = spec.accumulator.scattered
        ahead = spec.product if scattered else summed(spec.product) - LEAD
        m.d.comb += sums.valid.eq(delay(m, "acc_valid", self.acc_valid, ahead, reset=True))
        m.d.comb += sums.first.eq(delay(m, "acc_first", self.acc_first, ahead))
        address = delay(m, "acc_address", self.acc_address, ahead)
        late = summed(spec.product) - spec.product if spec.child else 0
        if scattered:
            bits, late = len(product) - spec.accumulator.type.bits, LEAD
            address, product = address + product[:bits], product[bits:]
        m.d.comb += sums.address.eq(address)
        m.d.comb += sums.value.eq(delay(m, "product", product, late, role="datapath"))
        for number, fold in enumerate(spec.folds, 1):
            inner, sums = sums, self.library.use(m, f"sums{number}", Accumulate, fold)
            source = delay(m, f"acc_{number}_from", self[f"acc_{number}_from"], LEAD - RAM_LATENCY)
            m.d.comb += [inner.drain_address.eq(source), sums.value.eq(inner.drain_data)]
            for port in ("valid", "first", "address"):
                m.d.comb += sums[port].eq(self[f"acc_{number}_{port}"])
        m.d.comb += sums.drain_address.eq(self.drain_address)
        m.d.comb += self.drain_data.eq(sums.drain_data)
        return m

    def _product(self, m: Module, spec: PESpec | ReduceSpec) -> Value:
        child = self.library.use(m, "product", reducer(spec), spec)
        for wire in spec.wires:
            m.d.comb += child[wire.name].eq(self[wire.name])
        return child.product


@dataclass(frozen=True)
class OutputSpec:
    """One output axis over `child`; `vector` neighbouring lanes are drained together."""

    space: Space
    spaces: tuple[Space, ...]
    wires: tuple[Wire, ...]
    child: NodeSpec | OutputSpec
    vector: int

    @cached_property
    def drained(self) -> AccumulateSpec:
        return self.child.drained

    @property
    def groups(self) -> int:
        return self.space.extent // self.vector

    @cached_property
    def drain_latency(self) -> int:
        return self.child.drain_latency + 2

    @cached_property
    def drain_width(self) -> int:
        return self.child.drain_width * self.vector

    @cached_property
    def selects(self) -> tuple[tuple[str, int], ...]:
        """The drain selects that enter here: port name and number of groups, this axis first."""
        own = ((drain_select(self.space.name), self.groups),) if self.groups > 1 else ()
        return own + (self.child.selects if isinstance(self.child, OutputSpec) else ())


def drain_select(space: str) -> str:
    return f"drain_{identifier(space)}"


class Output(Part[OutputSpec]):
    """The lanes of one output axis.

    Drain: address and selects pass down through a register, data come up through another; the lane (or group of
    lanes) selected is on `drain_data` after the spec's drain latency.
    """

    role = "links"

    def __init__(self, library: Library, spec: OutputSpec):
        self.title = f"{spec.space.name}s"
        extents = extents_of(spec.spaces)
        members = {wire.name: In(wire.width(extents)) for wire in spec.wires}
        members |= {"drain_address": In(addresses(spec.drained.words)), "drain_data": Out(spec.drain_width)}
        members |= {name: In(range(groups)) for name, groups in spec.selects}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        address = Signal.like(self.drain_address, name="drain_address1")
        m.d.sync += address.eq(self.drain_address)
        passed = {}
        for name, groups in spec.selects:
            passed[name] = Signal(range(groups), name=f"{name}1")
            m.d.sync += passed[name].eq(self[name])
        values = {wire.name: self[wire.name] for wire in spec.wires}
        drained: list[Value] = []
        for j, wave in enumerate(split(m, spec.wires, values, spec.space, spec.spaces)):
            wave |= {"drain_address": address}
            if isinstance(spec.child, OutputSpec):
                wave |= {name: passed[name] for name, _ in spec.child.selects}
            child = self.library.use(m, f"lane{j}", node(spec.child), spec.child, wave)
            drained.append(child.drain_data)
        words = [Cat(drained[g * spec.vector : (g + 1) * spec.vector]) for g in range(spec.groups)]
        chosen = words[0]
        if spec.groups > 1:
            own = drain_select(spec.space.name)
            chosen = Array(words)[delay(m, own, passed[own], spec.child.drain_latency)]
        data = Signal(spec.drain_width, name="drain_data1", reset_less=True)
        m.d.sync += data.eq(chosen)
        m.d.comb += self.drain_data.eq(data)
        return m


def node(spec: NodeSpec | OutputSpec) -> type[Part[Any]]:
    return Node if isinstance(spec, NodeSpec) else Output


def array_spec(
    spaces: tuple[Space, ...],
    wires: tuple[Wire, ...],
    pe: PESpec | None,
    sums: tuple[AccumulateSpec, ...],
    vector: Mapping[str, int],
    product: int = 0,
) -> NodeSpec | OutputSpec:
    """The array for `spaces` (outermost first), from the PE outwards, or a memory of sums with such lanes. `sums`: the
    levels in each lane, innermost first; `vector`: the lanes of an axis that are drained together (others: 1).
    `product`: see `NodeSpec`."""
    entering = [wires]
    for space in spaces:
        entering.append(inside(entering[-1], space))
    operands = tuple(wire for wire in entering[-1] if not wire.sums)
    inner: PESpec | ReduceSpec | None = replace(pe, wires=operands) if pe else None
    outer: NodeSpec | OutputSpec | None = None
    for depth in reversed(range(len(spaces))):
        space = spaces[depth]
        if space.reduction:
            assert pe and inner
            own = tuple(wire for wire in entering[depth] if not wire.sums)
            inner = ReduceSpec(space, spaces, own, pe.type, pe.combine or "add", inner)
            continue
        if outer is None:
            outer = NodeSpec(spaces, entering[depth + 1], inner, sums[0], sums[1:], product)
        outer = OutputSpec(space, spaces, entering[depth], outer, vector.get(space.name, 1))
    return outer or NodeSpec(spaces, wires, inner, sums[0], sums[1:], product)
