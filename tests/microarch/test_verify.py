"""One broken network for each rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.ir.affine import Affine
from halidehw.ir.verify import InvariantError
from halidehw.microarch.derive import derive
from halidehw.microarch.interface import Counter
from halidehw.microarch.network import Network
from halidehw.microarch.options import Options
from halidehw.microarch.stores import Before, Behind, Ring
from halidehw.microarch.verify import verify
from halidehw.microarch.walk import Axis, Limit
from halidehw.scheduler import lower, lower_graph

n, m, no, ni, mo, mi = map(Var, ("n", "m", "no", "ni", "mo", "mi"))
FAR = Affine.variable("far")


@cache
def product() -> Network:
    """A 2 x 2 array with a shared memory, a register file inside it, one filled from that, and two levels of sums."""
    a, b, f, r = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f"), RDom([(0, 6)], "r")
    f[n, m] += i32(a[r, m]) * i32(b[n, r])
    f.set_bounds([(0, 7), (0, 6)])
    stage = f.update().split(n, no, ni, 4).split(m, mo, mi, 2).split(r.x, "ro", "ri", 3)
    stage.reorder("ri", ni, mi, "ro", mo, no).unroll(ni, 2).unroll(mi, 2).systolic(ni)
    a.in_().compute_at(f, mo)
    b.in_().compute_at(f, no)
    b.in_().in_().compute_at(f, ni)
    f.in_().compute_at(f, mo)
    f.in_().in_().compute_at(f, ni)
    return derive(lower(f), Options(counters="all"))


@cache
def stencil() -> Network:
    """A 3 x 3 sum written out, of a line buffer, through a window; clipped rows."""
    image, f = ImageParam(Int(8), 2, "image"), Func("f")
    x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))
    f[x, y] = sum((i32(image[x + i, y + j]) for i in range(3) for j in range(3)), start=i32(0))
    f.set_bounds([(0, 7), (0, 5)]).split(x, xo, xi, 4).reorder(xi, y, xo)
    image.in_().store_at(f, xo).compute_at(f, y)
    return derive(lower(f))


@cache
def ringed() -> Network:
    """Of rows that are read one after another."""
    image, f, r = ImageParam(Int(8), 2, "image"), Func("f"), RDom([(0, 3)], "r")
    f[n, m] += i32(image[n, m + r])
    f.set_bounds([(0, 7), (0, 5)])
    image.in_().store_root().compute_at(f, m)
    return derive(lower(f))


@cache
def leaving() -> Network:
    """Of sums that leave by pieces: in the last round of ro, as mo steps."""
    a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(0, 6)], "r")
    f[n, m] += i32(a[r, m]) * n
    stage = f.set_bounds([(0, 7), (0, 6)]).update().split(m, mo, mi, 2).split(r.x, "ro", "ri", 3)
    stage.reorder("ri", mi, mo, "ro", n)
    f.in_().store_at(f, n).compute_at(f, mo)
    return derive(lower(f))


def output(network: Network, **changes: Any) -> Network:
    """The network with its last stage changed."""
    return replace(network, stages=(*network.stages[:-1], replace(network.output, **changes)))


@cache
def pipeline() -> Network:
    """Two stages: sums of two rows of sums of two columns, four lanes each, through a line buffer."""
    image, g, f = ImageParam(Int(8), 2, "image"), Func("g"), Func("f")
    x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))
    g[x, y] = i32(image[x, y]) + image[x + 1, y]
    f[x, y] = g[x, y] + g[x, y + 1]
    f.set_bounds([(0, 8), (0, 5)]).split(x, xo, xi, 4).unroll(xi)
    g.split(x, xo, xi, 4).unroll(xi)
    g.store_root().compute_at(f, y)
    return derive(lower_graph(f))


def poured(**changes: Any) -> Network:
    """The pipeline, with the way from its first stage into the second one's memory changed."""
    network = pipeline()
    first = network.stages[0]
    write = replace(first.write, sinks=tuple(replace(sink, **changes) for sink in first.write.sinks))
    return replace(network, stages=(replace(first, write=write), network.output))


def changed(network: Network, kind: str, number: int, **changes: Any) -> Network:
    """The network with one of its stores or transfers changed; of a transfer, `tap_x` is `x` of its tap."""
    every = list(getattr(network.output, kind))
    each = every[number]
    for part in ("tap", "sink", "walk"):
        inner = {name.removeprefix(f"{part}_"): value for name, value in changes.items() if name.startswith(f"{part}_")}
        if inner:
            changes = {name: value for name, value in changes.items() if not name.startswith(f"{part}_")}
            changes[part] = replace(getattr(each, part), **inner)
    every[number] = replace(each, **changes)
    return output(network, **{kind: tuple(every)})


def memory(network: Network, **changes: Any) -> Network:
    return changed(network, "stores", 0, **changes)


def transfer(kind: str, **changes: Any) -> Network:
    """The first load, fill, copy or fold of `product`, changed."""
    network = product()
    (first, *_) = getattr(network.output, kind)
    return changed(network, "transfers", network.output.transfers.index(first), **changes)


def compute(network: Network, **changes: Any) -> Network:
    return output(network, compute=replace(network.output.compute, **changes))


def operand(network: Network, **changes: Any) -> Network:
    first, *others = network.output.compute.operands
    return compute(network, operands=(replace(first, source=replace(first.source, **changes)), *others))


def write(**changes: Any) -> Network:
    return output(product(), write=replace(product().output.write, **changes))


def finished(piece: int | None, **changes: Any) -> Network:
    """`leaving`, with how its sums become complete and leave changed."""
    own = leaving().output
    sink = replace(own.compute.sink, finished=replace(own.compute.sink.finished, **changes))
    write = replace(own.write, tap=replace(own.write.tap, piece=piece))
    return output(leaving(), compute=replace(own.compute, sink=sink), write=write)


def limited() -> Network:
    """`leaving`, of whose rounds the last ones end early."""
    limit = Limit(Affine.of([("ro", -1), ("mo", -1)]) + 2)
    walk = replace(leaving().output.compute.walk, limits=(limit,))
    return compute(leaving(), walk=walk)


def backwards(network: Network) -> Network:
    """The writer's port reads."""
    sink = network.output.write.outside
    assert sink
    port = replace(sink.port, kind="read")
    interface = replace(network.interface, ports=(*(p for p in network.interface.ports if p != sink.port), port))
    write = replace(network.output.write, sinks=(replace(sink, port=port),))
    return replace(output(network, write=write), interface=interface)


def axes(*, extra: bool = False, empty: bool = False) -> Any:
    walk = product().loads[0].walk
    if extra:
        return replace(walk, axes=(*walk.axes, walk.axes[0]))
    return replace(walk, axes=(replace(walk.axes[0], extent=0), *walk.axes[1:])) if empty else walk


BROKEN: dict[str, Callable[[], Network]] = {
    "is the name of several stores": lambda: memory(product(), name=product().output.stores[1].name),
    "is the name of several processes": lambda: transfer("loads", name="array"),
    "has two axes of one name": lambda: transfer("loads", walk=axes(extra=True)),
    "of extent 0": lambda: transfer("loads", walk=axes(empty=True)),
    "over what is not an axis": lambda: transfer("loads", walk_limits=(Limit(-1 * FAR),)),
    "is not closed downwards": lambda: transfer("loads", walk_limits=(Limit(Affine.variable(axes().axes[0].name)),)),
    "fails at the origin": lambda: transfer("loads", walk_limits=(Limit(Affine((), -1)),)),
    "has 0 parts": lambda: memory(product(), halves=0),
    "has lanes that meet in a bank": lambda: memory(product(), lanes=((0, 0), (0, 0))),
    "follows other lanes than it has": lambda: memory(product(), follows=(None,) * 9),
    "turns by no power of two": lambda: memory(
        product(), dims=tuple(replace(dim, factor=3, rotating=True) for dim in product().memories[0].dims)
    ),
    "keeps rows, but none": lambda: memory(stencil(), behind=Behind(0, 6)),
    "ago, which are not kept": lambda: memory(pipeline(), beside=(0, 1)),
    "has other rows before it than": lambda: memory(pipeline(), before=Before(1, 9, ("nothing",))),
    "goes over other rows than": lambda: memory(stencil(), behind=Behind(1, 6)),
    "is a ring with several parts": lambda: memory(ringed(), halves=2),
    "asks image_in for 14 rows, of which 7 come": lambda: memory(ringed(), ring=Ring(1, 10, 1, 7, ())),
    "is read at no place": lambda: changed(
        product(), "stores", product().output.stores.index(product().output.files[0]), reads=0
    ),
    "holds no lane of an axis": lambda: changed(
        product(), "stores", product().output.stores.index(product().output.sums[0]), held=(("ni.lane", 0),)
    ),
    "which is no store": lambda: transfer("loads", sink_memory="elsewhere"),
    "has 2 writers": lambda: output(
        product(), transfers=(*product().output.transfers, replace(product().loads[0], name="another"))
    ),
    "has 0 writers": lambda: output(product(), transfers=product().output.transfers[1:]),
    "is not read by one process": lambda: compute(product(), operands=product().output.compute.operands[1:]),
    "deeper than its walk": lambda: transfer("loads", sink_tile=9),
    "addresses a_in by what is not an axis": lambda: transfer("loads", sink_address=FAR),
    "addresses a_in from -1": lambda: transfer("loads", sink_address=Affine((), -1)),
    "takes lanes a_in has not": lambda: operand(product(), lanes=(7, 7)),
    "is written by tiles at depth": lambda: transfer("loads", sink_tile=0),
    "count by other axes": lambda: transfer("loads", walk_axes=(Axis("other", 9), *axes().axes[1:]), walk_limits=()),
    "words for 2 lanes": lambda: operand(product(), lanes=(0,)),
    "has ports that no process uses": lambda: replace(
        product(), interface=replace(product().interface, ports=product().interface.ports[1:])
    ),
    "is the name of several ports": lambda: transfer("loads", tap_port=product().loads[1].tap.port),
    "writes through a read port": lambda: backwards(product()),
    "gets partial sums from": lambda: write(partial="elsewhere"),
    "is the name of several counters": lambda: replace(
        product(), interface=replace(product().interface, counters=2 * (Counter("cycles", 48, ""),))
    ),
    "addresses sums": lambda: compute(product(), sink=replace(product().output.compute.sink, address=Affine((), 99))),
    "addresses b_in_in": lambda: transfer("fills", sink_address=Affine((), 99)),
    "is written by tiles at depth 1": lambda: poured(tile=2),
    "addresses g_store from 9": lambda: poured(address=Affine((), 99)),
    "sinks into sums, which is no memory": lambda: poured(memory="sums"),
    "does not take the 4 words": lambda: changed(pipeline(), "stores", 0, vector=2),
    "is of another tensor than g_writer writes": lambda: changed(pipeline(), "stores", 0, tensor="image"),
    "has nowhere to write": lambda: output(pipeline(), write=replace(pipeline().output.write, sinks=())),
    "takes a_in 1 cycles early": lambda: compute(product(), arrival=2),
    "multiplies in no time": lambda: compute(product(), product=0),
    "writer takes its words 4 cycles early": lambda: write(arrival=1),
    "stores words that it has not taken yet": lambda: write(latency=1),
    "waits for no answer": lambda: transfer("loads", tap_outstanding=0),
    "leaves by pieces on one side alone": lambda: finished(None),
    "leaves by other pieces than it comes": lambda: finished(3),
    "leaves by pieces of which a tile has one": lambda: finished(1, depth=1, last=()),
    "has pieces of which each is complete at another place": limited,
    "has pieces, where its writer may be at any of them": lambda: changed(
        leaving(), "stores", leaving().output.stores.index(leaving().output.sums[0]), ports=2
    ),
    "fold has a tile": lambda: transfer("folds", tap_tile=9),
}


def test_good_networks_are_themselves() -> None:
    for network in (product(), stencil(), pipeline(), leaving()):
        assert verify(network) is network


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_network_names_its_rule(rule: str) -> None:
    with pytest.raises(InvariantError, match=f"network: .*{rule}"):
        verify(BROKEN[rule]())
