"""How memories lie on the chip: the order of their dimensions, and one port at which reads and writes take turns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from halidehw import Func, ImageParam, Int, RDom, UInt, Var, compile, estimate, i32, machine
from halidehw.errors import HardwareError, ScheduleError
from halidehw.microarch.options import Options
from halidehw.microarch.turns import met
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.refused import proposed

x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))
COUNTED = Options(counters="all")
STALLS = Memory(latency=5, stall_probability=0.4)

Said = Callable[[ImageParam, Func], object]


def blur(said: Said, name: str = "blur") -> Func:
    """Columns of 8 pixels and the 3x3 filter's, on four lanes: banks that turn along x."""
    r = RDom([(0, 3), (0, 3)], "r")
    image, w, f = ImageParam(UInt(8), 2, "image"), ImageParam(Int(8), 2, "w"), Func(name)
    f[x, y] += i32(image[x + r.x, y + r.y]) * i32(w[r.x, r.y])
    f.bound(x, 0, 22).bound(y, 0, 5)
    f.update().split(x, xo, xi, 8).reorder(xi, y, xo).unroll(xi, 4).systolic(xi)
    said(image, f)
    w.in_().compute_root().single_port()
    return f.accelerate([image, w])


def twice(said: Callable[[Func, Func], object]) -> Func:
    """A stage, and one that reads three rows of it."""
    image, f, g = ImageParam(Int(8), 2, "image"), Func("f"), Func("g")
    f[x, y] = image[x, y] * 3
    g[x, y] = i32(f[x, y]) + i32(f[x + 2, y + 1]) + i32(f[x + 1, y + 2])
    g.bound(x, 0, 9).bound(y, 0, 6)
    said(f, g)
    return g.accelerate([image])


def across(said: Callable[[ImageParam], object]) -> Func:
    """A window that slides along x, of all rows."""
    image, f, r = ImageParam(Int(8), 2, "image"), Func("f"), RDom([(0, 2)], "r")
    f[x, y] += i32(image[x + r, y])
    f.bound(x, 0, 5).bound(y, 0, 7)
    f.update().reorder(y, r, x)
    said(image.in_().store_root().compute_at(f, x))
    return f


def in_columns(image: ImageParam, f: Func) -> None:
    image.in_().compute_at(f, xo)


WAYS: dict[str, Said] = {
    "double": lambda image, f: image.in_().compute_at(f, xo).single_port(),
    "single": lambda image, f: image.in_().compute_at(f, xo).single_buffer().single_port(),
    "inner": lambda image, f: (image.in_().compute_at(f, xo).single_port(), image.in_().in_().compute_at(f, y)
                               .single_port().reorder_storage(0, 1)),
    "rows": lambda image, f: image.in_().store_at(f, xo).compute_at(f, y).single_port(),
    "turned": lambda image, f: image.in_().compute_at(f, xo).reorder_storage(1, 0).align_storage(1, 16),
}  # fmt: skip


def test_memories_with_one_port_are_right():
    """With two parts, one, levels behind each other, rows that pass one by one, and between stages; on memories that
    stall, after an abort. A read and a write in one cycle end the simulation."""
    designs = [
        Design(blur(said), COUNTED, STALLS if number % 2 else Memory(), starts=2, abort=60 + 7 * number, reset=40)
        for number, said in enumerate(WAYS.values())
    ]
    designs += [Design(twice(said), COUNTED, STALLS) for said in (
        lambda f, g: f.compute_root().reorder_storage(y, x).align_storage(y, 4).single_port(),
        lambda f, g: f.store_root().compute_at(g, y).single_port(),
        lambda f, g: f.compute_at(g, y).single_port(),
    )]  # fmt: skip
    designs += [Design(across(said), COUNTED, starts=2) for said in (
        lambda image: image.align_storage(0, 2), lambda image: image.single_buffer().align_storage(1, 8),
    )]  # fmt: skip
    check_each(designs)


def test_the_rows_of_a_line_buffer_lie_outermost():
    """Also where no order is said; one that says another is refused."""
    found = compile(across(lambda image: image.align_storage(1, 8))).accelerator.memories
    (memory,) = [each for each in found if each.ring]
    assert [dim.stride for dim in memory.dims] == [8, 1]
    proposed(
        lambda: compile(across(lambda image: image.reorder_storage(0, 1))), HardwareError,
        "image.in_().reorder_storage(0, 1): image_in keeps rows along dimension 0, which lie outermost",
        "image.in_().reorder_storage(1, 0)",
    )  # fmt: skip


def test_their_verilog_has_one_port_and_their_cycles_are_the_same():
    ports = {name: compile(blur(said)) for name, said in WAYS.items()}
    for name, compiled in ports.items():
        (memory,) = [each for each in compiled.accelerator.memories if each.name == "image_in"]
        assert memory.one_port == (name != "turned")
        assert "write_enable && read_enable" in compiled.verilog
    two = estimate(blur(in_columns)).cycles.total
    assert estimate(ports["double"]).cycles.total == two < estimate(ports["single"]).cycles.total


def test_rows_of_a_line_buffer_with_one_port_are_banks():
    """Where a row is written while others are read, each has a port of its own."""
    (memory,) = [each for each in compile(blur(WAYS["rows"])).accelerator.memories if each.name == "image_in"]
    assert memory.ring
    rows = memory.dims[memory.ring.dimension]
    assert rows.factor == rows.extent == memory.parts


def test_words_lie_in_the_order_that_is_stated():
    (plain,), (turned,) = (
        [each for each in compile(blur(said)).accelerator.memories if each.name == "image_in"]
        for said in (in_columns, WAYS["turned"])
    )
    assert [dim.stride for dim in plain.dims] == [1, 3]
    assert [dim.stride for dim in turned.dims] == [16, 1]
    assert (plain.depth, turned.depth) == (3 * 7, 2 * 16 + 7)


def test_banks_that_turn_lie_a_power_of_two_apart():
    proposed(
        lambda: compile(blur(lambda image, f: image.in_().compute_at(f, xo).reorder_storage(1, 0))), HardwareError,
        "image.in_().reorder_storage(1, 0): the banks of dimension 0 turn, so that its rows are a power of two words "
        "apart; they are 7", "image.in_().align_storage(1, 8)",
    )  # fmt: skip
    said: Said = lambda image, f: image.in_().compute_at(f, xo).reorder_storage(1, 0).align_storage(1, 8)  # noqa: E731
    assert compile(blur(said)).verilog


def product(ports: int, m: int, once: bool = False) -> Func:
    """12 channels, four at a time, so that m sums are visited three times in turn; or one after another (`once`)."""
    k, n = Var("k"), Var("n")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    r = RDom([(0, 4), (0, 3)], "r")
    f[k, n] += i32(a[n, r.x + 4 * r.y]) * i32(b[k, r.x + 4 * r.y])
    f.bound(k, 0, 4).bound(n, 0, m)
    f.update().reorder(r.x, k, *((r.y, n) if once else (n, r.y))).unroll(r.x).unroll(k).systolic(r.x, k)
    a.in_().compute_root().single_port()
    f.in_().compute_root().single_port(ports)
    return f.accelerate([a, b])


def test_sums_with_one_port_lie_side_by_side():
    """As many memories as a read is ahead of its write, so that no waiting makes them meet; and as many as make it so
    where a pass has no whole number of them."""
    check_each([Design(product(8, 8), COUNTED, starts=2), Design(product(8, 13), COUNTED, STALLS, starts=2, abort=60),
                Design(product(32, 18), COUNTED, Memory(words_per_cycle=0.5))])  # fmt: skip
    assert compile(product(8, 13)).accelerator.output.sums[0].ports == 8


def meeting(beside: str, steps: int, many: int, more: str = "") -> str:
    return (
        f"a sum is read in each of {steps} steps, and written 4 cycles later; in {beside} with one port a read and a "
        f"write may meet {many} times{more}"
    )


def test_sums_that_would_meet_are_refused_with_their_number():
    """By going through all steps, and all that they may wait; what is proposed is taken."""
    for ports, m, beside, many, works in (
        (1, 8, "one memory", 86, (8, 16)), (4, 8, "4 memories side by side", 20, (8, 16)),
        (8, 18, "8 memories side by side", 4, (32,)),
    ):  # fmt: skip
        place = f"f.in_().single_port({ports if ports > 1 else ''})"
        proposed(
            lambda ports=ports, m=m: compile(product(ports, m)), HardwareError,
            f"{place}: {meeting(beside, 3 * m, many)}", *(f"f.in_().single_port({each})" for each in works),
        )  # fmt: skip
        for each in works:
            assert met(np.arange(3 * m) % m, each, 4) == 0 and compile(product(each, m)).verilog
        assert met(np.arange(3 * m) % m, ports, 4) == many
    proposed(
        lambda: compile(product(8, 8, once=True)), HardwareError,
        "f.in_().single_port(8): " + meeting(
            "8 memories side by side", 24, 24, ", and as steps come back to a sum too soon, in any number of them; "
            "remove the line"),
    )  # fmt: skip
    proposed(
        lambda: compile(product(6, 8)), HardwareError,
        "f.in_().single_port(6): the low bits of a sum's address say in which memory it lies, so there are a power of "
        "two of them, not 6", "f.in_().single_port(8)", "f.in_().single_port(16)",
    )  # fmt: skip


def test_sums_of_other_levels_take_no_turns():
    def said(image: ImageParam, f: Func) -> None:
        in_columns(image, f)
        f.in_().compute_root().single_port()
        f.in_().in_().compute_at(f, y)

    proposed(
        lambda: compile(blur(said)), HardwareError,
        "blur.in_().single_port(): only the innermost sums, which the array adds to, take turns at a port",
    )  # fmt: skip


def test_a_memory_needs_no_others_beside_it():
    proposed(
        lambda: compile(blur(lambda image, f: image.in_().compute_at(f, xo).single_port(4))), HardwareError,
        "image.in_().single_port(4): image_in has a port for each part of its banks, which never meet; only sums lie "
        "side by side for it", "image.in_().single_port()",
    )  # fmt: skip
    proposed(
        lambda: ImageParam(Int(8), 1, "a").in_().compute_root().single_port(0), ScheduleError,
        "a.in_().single_port(0): it takes a positive number of words", "a.in_().single_port(8)",
    )  # fmt: skip


def test_memories_in_the_pes_have_no_order():
    with pytest.raises(HardwareError) as caught:
        compile(blur(lambda image, f: (in_columns(image, f), image.in_().in_().compute_at(f, xi).single_port())))
    assert caught.value.message == (
        "image.in_().in_().single_port(): image_in_in lies in every PE, and the memories outside the PEs have an order "
        "and ports"
    )


def test_an_alignment_that_leaves_nearly_all_unused_is_refused():
    """What is proposed is taken."""

    def aligned(multiple: int) -> Func:
        return twice(lambda f, g: f.compute_root().reorder_storage(y, x).align_storage(y, multiple))

    proposed(
        lambda: compile(aligned(1 << 40)), HardwareError,
        "f.reorder_storage(y, x): dimension 1 has 8 elements and would take room of 1099511627776, more than 16 times "
        "a power of two", "f.align_storage(y, 8)",
    )  # fmt: skip
    assert compile(aligned(8)).verilog and compile(aligned(64)).verilog


def test_what_are_no_dimensions_is_refused():
    proposed(
        lambda: compile(blur(lambda image, f: image.in_().compute_at(f, xo).reorder_storage(0, 2))), ScheduleError,
        "image.in_().reorder_storage(0, 2): image has dimensions 0, 1", "image.in_().reorder_storage(1, 0)",
    )  # fmt: skip
    proposed(
        lambda: compile(blur(lambda image, f: image.in_().compute_at(f, xo).align_storage(3, 8))), ScheduleError,
        "image.in_().align_storage(3, 8): image has dimensions 0, 1",
        "image.in_().align_storage(0, 8)", "image.in_().align_storage(1, 8)",
    )  # fmt: skip
    f = Func("f")
    f[x, y] = x + y
    copy = ImageParam(Int(8), 2, "image").in_()
    proposed(
        lambda: copy.store_with(f), ScheduleError,
        "image.in_().store_with(f): a copy of image has a memory of its own; f can lie in that, if it is computed "
        "from image", "f.compute_root().store_with(image)",
    )  # fmt: skip
    proposed(
        lambda: f.compute_root().reorder_storage(x), ScheduleError,
        "f.reorder_storage(x): the dimensions of f are x, y, and it takes each of them once", "f.reorder_storage(y, x)",
    )  # fmt: skip
    proposed(
        lambda: f.align_storage(x, 0), ScheduleError, "f.align_storage(x, 0): 0 is not a positive number of elements",
        "f.align_storage(x, 16)",
    )  # fmt: skip
    g = Func("g")
    g[x, y] = x + y
    proposed(
        lambda: g.reorder_storage(y, x), ScheduleError, "g.reorder_storage(y, x): g is no buffer yet",
        "g.compute_at(f, x).reorder_storage(y, x)", "g.output_buffer().reorder_storage(1, 0)",
    )  # fmt: skip
    proposed(
        lambda: f.in_().single_port(), ScheduleError, "f.in_().single_port(): f.in_() is no buffer yet",
        "f.in_().compute_at(f, x).single_port()",
    )  # fmt: skip


def test_how_an_output_lies_is_said_of_its_buffer():
    """Of a Func that others read it is said as of any memory."""
    out = "f.output_buffer().reorder_storage(1, 0)"
    for said, call, *legal in (
        (lambda f: f.single_port(), "single_port()"), (lambda f: f.reorder_storage(y, x), "reorder_storage(y, x)", out),
    ):  # fmt: skip
        f = Func("f")
        f[x, y] = x + y
        said(f.bound(x, 0, 4).bound(y, 0, 4).compute_root())
        proposed(
            lambda f=f: compile(f), ScheduleError, f"f.{call}: f is an output, which lies in the memory outside", *legal
        )


def test_what_is_proved_of_one_design_is_no_machines():
    """Also where all of its designs say it."""
    more = "is proved for the sizes of one design, and others are to run on the same machine; remove the line"
    proposed(lambda: machine([product(8, 8), product(8, 16)]), HardwareError, f"a_in: single_port() {more}")
    proposed(
        lambda: machine([blur(in_columns), blur(in_columns)]), HardwareError, f"w_in: single_port() {more}",
    )  # fmt: skip


def beyond(place: int | None = None) -> Func:
    """Of the last lanes of a row some have no work, and ask for words that the memory of `f` does not have."""
    image, f, g, h = ImageParam(Int(8), 2, "image"), Func("f"), Func("g"), Func("h")
    f[x, y] = image[x, y] * 3
    g[x, y] = i32(f[x, y]) + i32(f[x + 2, y + 1])
    h[x, y] = g[x, y] + 1
    h.bound(x, 0, 9).bound(y, 0, 13)
    f.compute_root()
    g.compute_root().reorder(y, x).unroll(x, 4)
    g.store_with(f) if place is None else g.store_with(f, place)
    h.unroll(y, 2)
    return h.accelerate([image])


def test_lanes_without_work_read_nothing_where_a_memory_lies_in_another():
    """It ended in an IndexError; seed 20261380 of the fuzz."""
    with pytest.raises(HardwareError) as refused:
        compile(beyond())
    place = next(int(line.split("f, ")[1].rstrip(");")) for line in refused.value.proposed if "store_with(f, " in line)
    for start in check_each([Design(beyond(place), COUNTED), Design(beyond(place), COUNTED, memory=STALLS)]):
        assert start.cycles
