"""A memory with one port and words of several elements, read for an array while its sums are written to it: reads and
writes come at times that are known modulo a word, and are refused where these are the same."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import halidehw as hl
from halidehw.errors import HardwareError
from halidehw.microarch import united
from halidehw.microarch.network import Stage
from halidehw.microarch.options import Options
from halidehw.microarch.stores import Memory as MemoryStore
from halidehw.microarch.united import port_of
from halidehw.microarch.walk import Walk
from halidehw.simulate import Companion, Experiment, Memory, Scenario, simulate_scenarios
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.refused import proposed

k, x, y, ko, ki = hl.vars("k x y ko ki")
COUNTED = Options(counters="all")
STALLS = Memory(latency=5, stall_probability=0.4)


def layer(rows: int, word: int, columns: int = 1, pixels: int = 16, first: int = -1, files: int = 0) -> hl.Func:
    """`mid`, from so many channels to as many, by a systolic column of as many PEs, or more columns; it lies in
    front of its input, which begins with that element `first`. `files`: the parts of a PE's weights, if not the usual
    ones."""
    image, w = hl.ImageParam(hl.Int(8), 2, "image"), hl.ImageParam(hl.Int(8), 2, "w")
    mid, out = hl.Func("mid"), hl.Func("out")
    r, q = hl.RDom([(0, rows)], "r"), hl.RDom([(0, rows)], "q")
    mid[k, x] += hl.i16(image[r.x, x]) * hl.i16(w[k, r.x])
    out[x] += hl.i32(mid[q.x, x])
    out.bound(x, 0, pixels)
    mid.update().split(k, ko, ki, columns).reorder(r.x, ki, x, ko).unroll(r.x).unroll(ki).systolic(r.x)
    out.update().unroll(q.x)
    image.in_().compute_root()
    if files:
        w.in_().compute_at(mid, ko).ring_buffer(files)
    else:
        w.in_().compute_root()
    place = pixels if first < 0 else first
    mid.compute_root().reorder_storage(x, k).store_with(image, place)
    if word:
        mid.single_port(word)
    return out.accelerate([image, w])


SLOW = Memory(words_per_cycle=0.125)
"""Where an array waits for its weights."""


def test_they_are_right():
    """With weights that come late, so that the array waits, and cycles are the model's; on memories that stall, after
    an abort and in further starts. A read and a write in one cycle end the simulation."""
    designs = [
        Design(layer(4, 8, files=1), COUNTED, SLOW, starts=2, abort=60, further=True),
        Design(layer(3, 2, files=2), COUNTED, STALLS, starts=2, reset=50, further=True),
        Design(layer(4, 8, columns=2, pixels=24), COUNTED, STALLS, abort=70),
        Design(layer(4, 5, pixels=20, files=1), COUNTED, SLOW, starts=2, abort=60),
        Design(layer(3, 12, pixels=24), COUNTED, STALLS, reset=50),
    ]
    late, _, _, fives, twelves = (run.counters for run in check_each(designs))
    assert fives["mid_image_in_read"] == 5 * fives["mid_image_in_words_read"] == 4 * 4 * 20
    assert 12 * twelves["mid_store_words_written"] == twelves["mid_store_written"] == 3 * 24
    assert late["mid_stalls_sums"] and not (late["mid_stalls_mid_w_register"] + late["mid_stalls_sums"]) % 8
    stage = designs[0].accelerator.stages[0]
    assert stage.compute.cadence == 8 and stage.memory("mid_image_in").word == 8


def test_cycles_are_those_of_two_ports():
    """Nothing is lost where the array does not wait, but for its first step, which comes in its phase."""
    one, two = (hl.compile(layer(4, word)) for word in (8, 0))
    ours, theirs = (hl.estimate(each).cycles for each in (one, two))
    assert ours.stages[0].busy == theirs.stages[0].busy == 64
    assert 0 <= ours.total - theirs.total < 8
    assert "bank_0_element7" in one.verilog and "write_enable && read_enable" not in two.verilog


def counted(steps: int, distance: int, word: int) -> int:
    """Cycles in which both want a port, by going through all: a serializer reads words, and a deserializer collects
    sums, which are so many cycles late."""
    met, collected = 0, 0
    for cycle in range(steps + distance):
        collected += cycle >= distance
        writes = collected and cycle >= distance and collected % word == 0
        met += bool(writes and cycle < steps and cycle % word == 0)
    return met


def of_pixels(stage: Stage, pixels: int) -> Stage:
    """The stage of a `layer` with another number of pixels, which lie in a bank as they come."""

    def longer(walk: Walk) -> Walk:
        return replace(walk, axes=tuple(replace(a, extent=pixels) if a.extent == 64 else a for a in walk.axes))

    compute, write = stage.compute, stage.write
    return replace(
        stage, compute=replace(compute, walk=longer(compute.walk)), write=replace(write, walk=longer(write.walk))
    )


@pytest.mark.parametrize("rows", (1, 2, 3, 4, 5, 8, 13, 33))
def test_what_is_decided_is_what_a_simulation_counts(rows):
    """Reads and writes meet where (S - 1 + L) mod w is 0, for words of up to 64 elements; L from latencies."""
    accelerator = Design(layer(rows, 0, pixels=64)).accelerator
    made, tenant = accelerator.stages[0], accelerator.store["mid_store"]
    assert isinstance(tenant, MemoryStore) and tenant.together
    home, tenant = made.memory("mid_image_in"), replace(tenant, together=replace(tenant.together, first=0))
    behind = made.sums[0].landed + made.write.latency - rows
    for word in (2, 3, 4, 5, 6, 7, 8, 12, 16, 25, 32, 63, 64):
        pixels = -(-64 // word) * word
        port = port_of(of_pixels(made, pixels), tenant, home, word)
        assert not port.broken
        assert port.meetings == counted(pixels * rows, rows + behind, word)
        if pixels * rows > rows + behind + word:
            assert (port.meetings > 0) == ((rows - 1 + behind) % word == 0)


def test_where_they_meet_the_hardware_has_as_many_meetings(monkeypatch):
    """What would be refused, built all the same: its ports count for themselves."""
    found = layer(4, 4)
    with pytest.raises(HardwareError, match=": 12 words of mid would be written in cycles in which one of image is"):
        hl.compile(found)
    monkeypatch.setattr(united, "_check_phases", lambda *_: None)
    compiled = hl.compile(found)
    noted = 'begin : met integer file; file = $fopen("met.txt", "a"); $fwrite(file, "met\\n"); $fclose(file); end'
    text = re.sub(r'\$display\("%m: a read.*?\$fatal;', lambda _: noted, compiled.verilog, flags=re.S)
    words = {"image": np.zeros(64, int), "w": np.zeros(16, int)}
    (run,) = simulate_scenarios(
        Experiment(text, compiled.accelerator.interface, (Scenario(words),), Companion({}, {}, ("met.txt",)))
    )
    assert run.files["met.txt"].count("met") == 12 * 4


def test_what_meets_is_refused_with_its_number():
    """What is proposed is taken."""
    proposed(
        lambda: hl.compile(layer(4, 4)), HardwareError,
        "mid.store_with(image, 16): at one port, in words of 4 elements: 12 words of mid would be written in cycles in "
        "which one of image is read; modulo 4 reads come in cycle 1 of the array, writes in cycle 1",
        "mid.store_with(image, 16).single_port(8)", "mid.store_with(image, 16).single_port(16)",
    )  # fmt: skip
    assert hl.compile(layer(4, 16)).verilog
    with pytest.raises(HardwareError, match="no words of up to 64 elements do; remove single_port"):
        hl.compile(layer(8, 8))


def test_words_that_do_not_pass_whole_are_refused():
    proposed(
        lambda: hl.compile(layer(3, 4, pixels=6)), HardwareError,
        "mid.store_with(image, 6): at one port, in words of 4 elements: step 1 reads element 2 of word 1 of bank 0 "
        "before its first one", "mid.store_with(image, 6).single_port(2)", "mid.store_with(image, 6).single_port(3)",
        "mid.store_with(image, 6).single_port(6)",
    )  # fmt: skip
    proposed(
        lambda: hl.compile(layer(3, 4, pixels=6, first=8)), HardwareError,
        "mid.store_with(image, 8): at one port, in words of 4 elements: 6 elements are written to bank 0, 1 x 4 + 2",
        "mid.store_with(image, 8).single_port(2)",
    )  # fmt: skip
