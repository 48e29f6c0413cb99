"""Random layers whose output lies in the memory of their input, behind one port, by words of several elements: these
are read and written in turns that follow from latencies."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import halidehw as hl
from halidehw.errors import HalideHWError
from halidehw.microarch.options import LATENCY, Options
from halidehw.simulate import Memory
from tests.fuzz.choices import Choices, replayed
from tests.fuzz.designs import Design

WORDS = [8, 4, 2, 16, 32, 1, 3, 6, 5, 12]
"""Elements of a word at the port; with one, turns are taken by tiles."""

k, n, x, ko, ki = hl.vars("k n x ko ki")


def layer(choices: Choices) -> Design:
    """A layer, and a reader of what it makes, with words of the first width of all, in any order, that is taken. Raises
    the package's own errors where none is."""
    before = len(choices.taken)
    scheduled(choices, 1)
    decided = choices.taken[before:]
    widths = choices.shuffled(WORDS)
    drawn = Design(
        scheduled(replayed(decided), widths[-1]),
        Options(
            port_bits=choices.pick([0, 0, 32, 64]), hide_latency=choices.pick([LATENCY, 1, 10, 200]),
            counters=choices.pick(["basic", "all"]),
        ),
        Memory(
            choices.pick([1, 2, 7, 20, 63]), choices.pick([None, None, 1, 0.5, 2, Fraction(1, 3), 0.1]),
            choices.pick([0.0, 0.0, 0.3]), choices.number(0, 99),
        ),
        fill=choices.pick(["spread", "extremes"]),
        seed=choices.number(0, 9999),
        starts=choices.pick([1, 1, 2]),
        reset=choices.pick([0, 0, 0, 1]) * choices.number(1, 99),
        abort=choices.pick([0, 0, 1]) * choices.number(1, 99),
        further=choices.chance(4),
    )  # fmt: skip
    for width in widths[:-1]:
        found = replace(drawn, func=scheduled(replayed(decided), width))
        if possible(found):
            return found
    return drawn


def possible(design: Design) -> bool:
    try:
        return bool(design.accelerator.stages)
    except HalideHWError:
        return False


def scheduled(choices: Choices, width: int) -> hl.Func:
    """A convolution along x of a batch, on so many channels and outputs side by side, by a systolic array or not, of
    which all sums are complete at once or after several passes; in front of its input or behind words of it."""
    rows = choices.pick([2, 4, 1, 8, 3, 5])
    columns = choices.pick([1, 1, rows, max(rows // 2, 1)])
    channels, outputs = rows * choices.pick([1, 1, 2]), choices.pick([rows, 2 * rows, rows, rows + 1])
    batch, pixels = choices.pick([8, 16, 6, 12, 3, 15]), choices.pick([1, 2, 3])
    size, stride = choices.pick([1, 1, 2, 3]), choices.pick([1, 1, 2])
    image, w = hl.ImageParam(hl.Int(8), 3, "image"), hl.ImageParam(hl.Int(8), 3, "w")
    mid, out = hl.Func("mid"), hl.Func("out")
    c, q = hl.RDom([(0, channels), (0, size)], "c"), hl.RDom([(0, outputs)], "q")
    mid[k, n, x] += hl.i16(image[c.x, n, stride * x + c.y]) * hl.i16(w[k, c.x, c.y])
    out[n, x] += hl.i32(mid[q.x, n, x]) * (q.x + 1)
    out.bound(n, 0, batch).bound(x, 0, pixels)
    made = mid.update().split(k, ko, ki, columns).split(c.x, "co", "ci", rows)
    outer = choices.shuffled(["x", "co", "c.y", "ko"]) if choices.chance(3) else ["x", "co", "c.y", "ko"]
    made.reorder("ci", ki, n, *outer).unroll("ci").unroll(ki)
    for lanes in ("ci", "ki"):
        if choices.chance(2):
            made.systolic(lanes)
    out.update().split(q.x, "qo", "qi", rows).reorder("qi", "qo", n, x).unroll("qi")
    image.in_().compute_root().reorder_storage(1, 2, 0)
    match choices.number(0, 3):
        case 1:
            w.in_().compute_root()
        case 2 | 3:
            w.in_().compute_at(mid, outer[choices.number(0, 3)]).ring_buffer(choices.number(1, 3))
    if choices.chance(4):
        mid.in_().compute_at(mid, ko).single_buffer()
    tiles = -(-outputs // rows)
    first = choices.pick([batch * pixels * tiles] * 3 + [0, batch, 8])
    mid.compute_root().reorder_storage(n, x, k).store_with(image, first).single_port(width)
    return out.accelerate([image, w])
