"""One port that all tensors share: every word right, whatever the memory does, and every cycle the model's."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from amaranth.sim import Simulator
from click.testing import CliRunner

import halidehw as hl
from halidehw.backend_hdl.library import Library
from halidehw.backend_hdl.shared import SharedArbiter, SharedSpec
from halidehw.cli import main
from halidehw.driver.draw import random_inputs
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.plan import feeders_first
from halidehw.energy_model.processes import system
from halidehw.energy_model.timekeeper import Timekeeper
from halidehw.errors import CostError, HardwareError
from halidehw.frontend.text import parse
from halidehw.mapping.layer import parse_layer
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.microarch.processes import is_load
from halidehw.microarch.shared import Sliding, numbered, ports_in_order
from halidehw.microarch.walk import Axis
from halidehw.optimize import Options as Search
from halidehw.optimize import optimize_with
from halidehw.scheduler import lower
from halidehw.simulate.memory import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.optimize.test_rtl import ARCH, SPILLING
from tests.verilog_paths import paths

LAYERS = [
    ("ox=4 oy=4 c=4 k=8 fx=3 fy=3 b=2", 64, "energy"),
    ("k=16 c=16 b=8", 32, "delay"),
    ("k=10 c=100 b=3", 128, "energy"),
    ("ox=8 oy=8 c=4 k=4 groups=4 fx=3 fy=3 stride=2", 64, "delay"),
    ("ox=7 oy=5 c=6 k=7 fx=3 fy=3", 128, "energy"),
    ("ox=9 oy=5 c=21 k=4 fy=3 b=2", 32, "delay"),
]


def best(text, bits, goal, arch=ARCH):
    """Ragged tiles, in files and memories so small that there are many."""
    search = Search("C | K" if arch is SPILLING else "any", goal, shared_port_bits=bits, ragged=True)
    return optimize_with(parse_layer(text), arch, search)


CONVOLUTION = """
ImageParam input(Int(16), 4);
ImageParam weight(Int(16), 4);
Var x, y, y1, y2, k, k1, ks, b;
RDom r(0, 3, 0, {taps}, 0, 4);
Func output(Int(32), 4);
output(x, y, k, b) +=
    cast<int32_t>(input(x + r.x, y * {stride} + r.y, r.z, b)) * cast<int32_t>(weight(r.x, r.y, r.z, k));
output.bound(x, 0, 5).bound(y, 0, {rows}).bound(k, 0, 5).bound(b, 0, 2);
output.update().split(y, y1, y2, {together}).split(k, k1, ks, 2).reorder(ks, {order});
output.update().dataflow("ks", 2).systolic({{ks}});
input.in().{store}.compute_at(output, {at});
weight.in().{weight};
output.accelerate({{input, weight}});
"""
ROWS = [
    dict(order="x, r.x, r.y, r.z, k1, y2, y1, b", store="store_at(output, b)", at="y1", weight="compute_root()"),
    dict(order="r.x, x, k1, r.y, r.z, y2, y1, b", store="store_at(output, b)", at="y2",
         weight="compute_at(output, y1)"),
    dict(order="r.x, r.y, r.z, k1, x, y2, y1, b", store="store_at(output, b)", at="y1", weight="compute_at(output, x)",
         together=2),
    dict(order="r.x, r.y, x, k1, r.z, y2, b, y1", store="store_at(output, b)", at="y2", stride=2, together=2,
         weight="store_root().compute_at(output, r.z)"),
    dict(order="r.x, r.y, x, y2, y1, r.z, b, k1", store="store_at(output, r.z)", at="y1", taps=2, rows=7, together=3,
         weight="compute_at(output, k1)"),
    dict(order="r.x, r.y, x, k1, r.z, y2, y1, b", store="store_at(output, b)", at="y1", stride=2, taps=5, together=2,
         weight="store_root().compute_at(output, r.z)"),
]  # fmt: skip


BEHIND = ROWS[0] | {"store": "compute_at(output, b);\ninput.in().in().store_at(output, b)"}


def row_by_row(said):
    """A layer whose input comes in row by row, from each of which a window is read."""
    return parse(CONVOLUTION.format(**{"taps": 3, "stride": 1, "rows": 6, "together": 1} | said)).output


def produced(n=40):
    """A stage that another one reads."""
    image, f, g, x = hl.ImageParam(hl.Int(16), 1, "image"), hl.Func("f"), hl.Func("g"), hl.Var("x")
    f[x] = image[x] * 2 + image[x + 1]
    g[x] = f[x] - f[x + 2]
    g.bound(x, 0, n)
    f.compute_root()
    g.accelerate([image])
    image.set(np.arange(-20, n - 17, dtype=np.int16) * 77)
    return g


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_all_that_is_counted_is_as_predicted(every):
    """Of each layer on both architectures; or (not `every`) of one of both goals on either."""
    asked = [(each, ARCH) for each in (LAYERS if every else LAYERS[3:5])]
    asked += [(each, SPILLING) for each in (LAYERS if every else LAYERS[:2])]
    found = [(best(*each, arch), each[1]) for each, arch in asked]
    assert any("partial" in port.name for each, _ in found for port in each.hardware[1].interface.ports)
    designs = [
        Design(parse(each.schedule).output, Options(shared_port_bits=bits, counters="all")) for each, bits in found
    ]
    for (each, _), run in zip(found, check_each(designs), strict=True):
        assert run.cycles == each.run_cycles >= each.bound


def test_rows_of_a_window_are_needed_with_the_tile_that_has_them_first():
    """Cycles and counters of line buffers: rows that are asked for as if all were needed first keep weights waiting."""
    designs = [Design(row_by_row(said), Options(shared_port_bits=32 << 2 * (number % 2), counters="all"))
               for number, said in enumerate(ROWS)]  # fmt: skip
    assert all(any(memory.ring for memory in each.accelerator.memories) for each in designs)
    for each, run in zip(designs, check_each(designs), strict=True):
        assert run.cycles == cycles(each.accelerator).total


FILED = """
ImageParam input(Int(8), 2);
ImageParam weight(Int(8), 3);
Var k, x, k1, ks, x1, xs, c1, cs;
RDom r(0, {c}, 0, 2);
Func output(Int(32), 2);
output(k, x) += cast<int32_t>(input(x + r.y, r.x)) * cast<int32_t>(weight(r.x, r.y, k));
output.bound(k, 0, 4).bound(x, 0, {x});
output.update().split(k, k1, ks, 2).split(x, x1, xs, 3).split(r.x, c1, cs, 2).reorder(ks, xs, cs, k1, r.y, c1, x1);
output.update().dataflow("xs | cs", 3, 2);
input.in().store_root().compute_at(output, {loop});
output.accelerate({{input, weight}});
"""


@pytest.mark.soak
def test_rows_of_a_window_that_register_files_take_are_needed_with_their_tile_too():
    """Only those that the array reads by itself had numbers of their own: the model was up to twelve cycles off."""
    cases = [("ks", 4, 3), ("c1", 4, 6), ("ks", 4, 6), ("ks", 2, 12)]
    funcs = [parse(FILED.format(loop=loop, c=c, x=x)).output for loop, c, x in cases]
    designs = [Design(func, Options(shared_port_bits=bits, counters="all")) for func in funcs for bits in (32, 128)]
    assert all(each.accelerator.stages[0].files for each in designs)
    assert all(any(memory.ring for memory in each.accelerator.memories) for each in designs)
    for each, run in zip(designs, check_each(designs), strict=True):
        assert run.cycles == cycles(each.accelerator).total


CROSSED = """
ImageParam a(Int(16), 2);
ImageParam c(Int(16), 2);
Var x, y, y1, y2;
RDom r(0, 3);
Func output(Int(32), 2);
output(x, y) += cast<int32_t>(a(x, y + r.x)) * cast<int32_t>(c(x, y + r.x));
output.bound(x, 0, 5).bound(y, 0, 8);
output.update().split(y, y1, y2, 2).reorder(r.x, x, y2, y1);
a.in().store_root().compute_at(output, y2);
c.in().PLACE;
output.accelerate({a, c});
"""


@pytest.mark.parametrize(
    "place", ["store_at(output, y1).compute_at(output, y2)", "store_root().compute_at(output, y1)"]
)
def test_a_window_that_begins_anew_inside_the_loops_of_another_one_has_no_order(place):
    """Or is filled there: every word is right, but the model does not know when."""
    func = parse(CROSSED.replace("PLACE", place)).output
    with pytest.raises(CostError, match="rows of two inputs, of which one begins anew or is filled inside the loops"):
        hl.estimate(func, shared_port_bits=32)
    compiled = hl.compile(func, shared_port_bits=32)
    assert hl.estimate(func).cycles and hl.simulate(compiled, random_inputs(compiled.graph, 0)).match


@pytest.mark.parametrize(
    "windows", [[(1, 2, 2, 5)], [(1, 2, 2, 5), (1, 2, 3, 4)], [(0, 2, 1, 3)], [(0, 1, 3, 3), (2, 3, 1, 2)]]
)
def test_rows_are_numbered_between_the_tiles_that_need_them(windows):
    """A row comes after all that is needed before the first tile that has it, and no later than that."""
    axes, lines = (Axis("b", 2), Axis("y", 4), Axis("x", 3)), [Sliding(*each) for each in windows]
    found = numbered(axes, 3, lines)
    every = [dict(zip("byx", at, strict=True)) for at in np.ndindex(2, 4, 3)]

    def number(at, depth):
        return sum(found.strides[axis.name] * at[axis.name] for axis in axes[:depth])

    numbers = [number(at, 3) + found.begun(3) for at in every]
    assert numbers == sorted(set(numbers)) and numbers[0] >= 0 and numbers[-1] < found.inside[0]
    for line in lines:
        slides, (stride, first) = axes[line.anew : line.tile], found.rows(axes, line)
        for place, at in enumerate(every):
            if not any(at[axis.name] for axis in axes[line.tile :]):
                tile = int(np.ravel_multi_index([at[a.name] for a in slides], [a.extent for a in slides]))
                new = range(line.step * (tile - 1) + line.window if tile else 0, line.step * tile + line.window)
                rows = [number(at, line.anew) + first + stride * row for row in new]
                before = numbers[place - 1] if place else -1
                assert all(before < each <= numbers[place] for each in rows)


SCALED = """
ImageParam input(Int(8), 2);
ImageParam weight(Int(8), 2);
ImageParam bias(Int(16), 1);
ImageParam scale(Int(16), 1);
Var k, x;
RDom r(0, 9);
Func sums(Int(32), 2), output(Int(32), 2);
sums(k, x) = cast<int32_t>(bias(x));
sums(k, x) += cast<int32_t>(input(r.x, x)) * cast<int32_t>(weight(r.x, k));
output(k, x) = sums(k, x) * scale(x);
output.bound(k, 0, 9).bound(x, 0, 7);
sums.update().reorder(%s, r.x);
input.in().compute_at(sums, r.x);
weight.in().compute_at(sums, r.x);
output.accelerate({input, weight, bias, scale});
"""


@pytest.mark.soak
def test_what_a_writer_reads_of_several_tensors_takes_turns():
    """One tensor came in as far as there was room before the other one had its turn: the model was up to 30 cycles of
    3 293 off."""
    designs = [
        Design(parse(SCALED % order).output, Options(shared_port_bits=bits, counters="all"), memory)
        for order in ("x, k", "k, x") for bits in (32, 128) for memory in (Memory(), Memory(7))
    ]  # fmt: skip
    stalled = Memory(3, stall_probability=0.4)
    check_each([*designs, *(replace(each, memory=stalled, starts=2, fill="extremes") for each in designs[::2])])


def test_turns_of_a_writer_have_the_last_numbers():
    """Of each iteration in which it has some, the first one with the array's last number; and no two the same."""
    axes = Axis("b", 2), Axis("y", 4), Axis("x", 3)
    for depth in range(4):
        found = numbered(axes, 3, [], {depth: 5})
        starts = sorted(
            sum(found.strides[axis.name] * at for axis, at in zip(axes, every, strict=True))
            for every in np.ndindex(2, 4, 3)
        )
        inside = int(np.prod([axis.extent for axis in axes[depth:]]))
        ends = starts[inside - 1 :: inside]
        turns = [starts[at] + found.inside[depth] - 5 for at in range(0, len(starts), inside)]
        assert turns == ends
        assert all(last + 5 == first for last, first in zip(ends, starts[inside::inside], strict=False))
        assert ends[-1] + 4 == found.inside[0] - 1


def test_words_are_right_whatever_the_memory_does():
    """A later start, random stalls, an abort, a reset, a slow memory; a pipeline too, whose cycles are not known."""
    found = [parse(best(*each).schedule).output for each in (LAYERS[0], (*LAYERS[2], SPILLING))]
    options = Options(shared_port_bits=64)
    designs = [Design(each, options, further=True) for each in (*found, row_by_row(ROWS[3]))]
    designs += [replace(each, memory=hl.Memory(20), further=False) for each in designs]
    check_each(designs)
    assert hl.simulate(hl.compile(produced(), shared_port_bits=32)).match


@pytest.mark.parametrize("asked", [*LAYERS, *ROWS])
def test_loads_are_needed_in_the_order_that_is_said(asked):
    """The model takes the tiles of all loads, their pieces and rows in the order of the nest: their orders rise, and of
    equal ones the port that is said comes first."""
    rows = isinstance(asked, dict)
    network = derive(lower(row_by_row(asked)), Options(shared_port_bits=32)) if rows else None
    network = network or best(*asked, SPILLING).hardware[1]
    made, places = system(network), list(ports_in_order(network))
    keeper, seen = Timekeeper(made, hl.Memory(), lambda *_: None), []
    take = keeper.steps.take

    def noted(actor, values, key):
        if is_load(load := actor.process.work):
            tap = load.tap
            at = {axis.name: value for axis, value in zip(load.walk.axes, values, strict=False)}
            order = tap.order.constant + sum(tap.order[name] * at.get(name, 0) for name in tap.order.names)
            seen.append((order, places.index(tap.port.name)))
        take(actor, values, key)

    keeper.steps.take = noted
    keeper.run()
    assert seen == sorted(seen) and len(seen) >= sum(is_load(each.process.work) for each in feeders_first(
        keeper.drivers, lambda _: True))  # fmt: skip


def test_the_arbiter_grants_the_soonest_and_keeps_what_it_offers():
    """Ports 1 and 4 write; of the others, which read, 3 comes before 0 and 2 where their orders are equal."""
    spec, chance = SharedSpec((1, 4), ((3, 4), (0, 4), (2, 3))), random.Random(14)
    library = Library("test")
    arbiter = SharedArbiter(library, spec)

    async def bench(ctx):
        held = None
        valid, orders = 0, dict.fromkeys((0, 2, 3), 0)
        for _ in range(600):
            new = chance.getrandbits(5) if chance.random() < 0.5 else valid
            for port in (0, 2, 3):
                if not valid >> port & 1:
                    orders[port] = chance.randrange(8)
            valid |= new
            ready = chance.randrange(2)
            ctx.set(arbiter.valid, valid)
            ctx.set(arbiter.ready, ready)
            for port, order in orders.items():
                ctx.set(arbiter[f"order{port}"], order)
            await ctx.delay(1e-8)
            reads = sorted((orders[port], [3, 0, 2].index(port), port) for port in (0, 2, 3) if valid >> port & 1)
            want = [port for port in (1, 4) if valid >> port & 1] + [port for *_, port in reads]
            if valid:
                want = held if held is not None else want[0]
                assert ctx.get(arbiter.chosen) == want
                held = None if ready else want
                valid &= ~(ready << want)
            await ctx.tick()

    simulator = Simulator(arbiter)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_a_memory_that_answers_late_is_predicted():
    for each in (best(*LAYERS[0]), best(*LAYERS[1])):
        network = each.hardware[1]
        late = [cycles(network, hl.Memory(latency)).total for latency in (1, 7, 30)]
        assert late == sorted(late) and late[0] == each.run_cycles
        alone = derive(each.hardware[0], Options(each.arch.shared_port_bits))
        assert cycles(alone).total <= each.run_cycles


def test_estimate_and_commands_know_it(tmp_path):
    found = best(*LAYERS[1])
    assert hl.estimate(parse(found.schedule).output, shared_port_bits=32).cycles.total == found.run_cycles
    (file := tmp_path / "best.hh").write_text(found.schedule)
    for command in ("estimate", "simulate"):
        run = CliRunner().invoke(main, [command, str(file), "--shared-port-bits", "32", "--json"])
        said = json.loads(run.stdout)["cycles"]
        assert (said["total"] if command == "estimate" else said) == found.run_cycles
    narrow = CliRunner().invoke(main, ["show", str(file), "--shared-port-bits", "4"])
    assert narrow.exit_code == 2 and "--shared-port-bits 32" in narrow.stderr
    shown = CliRunner().invoke(main, ["compile", str(file), "-o", str(tmp_path / "out"), "--shared-port-bits", "32"])
    assert shown.exit_code == 0
    text = next((tmp_path / "out").glob("*.v")).read_text()
    assert "memory_resp_port" in text and "The port that all tensors share" in text
    assert "share one of 32 bits" in (tmp_path / "out" / "microarchitecture.txt").read_text()


@pytest.mark.parametrize("do, problem", [
    (lambda f: hl.compile(f, shared_port_bits=8), "cannot use a shared port of 8 bits: its words have 16"),
    (lambda f: hl.compile(f, shared_port_bits=48), "a shared port of 48 bits: (.|\n)*    shared_port_bits=32\n"),
    (lambda f: hl.compile(f, port_bits=64, shared_port_bits=32), "ports of 64 bits do not fit into a shared one of 32"),
    (lambda f: hl.compile(f, shared_port_bits=-1), "a port of -1 bits has no width"),
    (lambda f: hl.simulate(hl.compile(f, shared_port_bits=32), bus="axi4"), "all tensors share a port of 32 bits"),
])  # fmt: skip
def test_what_does_not_go_with_it_is_named(do, problem):
    with pytest.raises(HardwareError, match=problem):
        do(produced())


def test_what_the_model_does_not_know_is_named():
    with pytest.raises(CostError, match="several stages at a port that all tensors share"):
        hl.estimate(produced(), shared_port_bits=32)
    with pytest.raises(CostError, match="a memory of 2 words a cycle at a port that all tensors share"):
        cycles(best(*LAYERS[1]).hardware[1], hl.Memory(words_per_cycle=2))
    with pytest.raises(CostError, match="rows of input that come from another memory at a port that all tensors share"):
        hl.estimate(twice := row_by_row(BEHIND), shared_port_bits=32)
    assert hl.estimate(twice, shared_port_bits=0).cycles


@pytest.mark.parametrize("ports", [{"shared_port_bits": 64}, {"port_bits": 64}])
@pytest.mark.parametrize("layer", [LAYERS[0], pytest.param(LAYERS[1], marks=pytest.mark.soak)])
def test_no_output_hangs_on_an_input_of_its_cycle(layer, ports):
    """Read in the Verilog; of the arbiter alone one does."""
    func = parse(best(*layer).schedule).output
    text = hl.compile(func, **ports).verilog
    found = paths(text, "output_accelerator")
    assert len(found) > 10 and not any(found.values())
    if "shared_port_bits" in ports:
        assert {"valid", "order0"} <= paths(text, "output_shared_port")["chosen"]
