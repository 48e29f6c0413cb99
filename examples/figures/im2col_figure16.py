"""Figure 16 of the paper on implicit im2col: how large an array, and how wide a word.

python examples/figures/im2col_figure16.py [--small]
"""

from __future__ import annotations

from common import Claim, call, publish, rows
from model import idle, utilization, vgg16

PAGE = {32: 98.6, 64: 96.7, 128: 72.6, 256: 40.2, 512: 13.0}
SINGLE = {32: 94.8, 64: 89.7, 128: 52.7, 256: 17.9, 512: 4.7}
"""Per cent of the PEs, recomputed: VGG16, batch 8, with up to three positions of a row at once, and with one."""

WORDS = (1, 2, 4, 8, 16, 32)


def main() -> None:
    given = call()
    sizes = (32, 128, 256) if given.small else tuple(PAGE)
    found = {size: (100 * utilization(vgg16(size)), 100 * utilization(vgg16(size, 1))) for size in sizes}
    table = "\n\n".join((
        rows(["array", "VGG16, %", "one position, %"], [[size, *both] for size, both in found.items()]),
        rows(["elements of a word", "port idle, %"], [[word, 100 * idle(word)] for word in WORDS]),
    ))  # fmt: skip
    title = "Figure 16: utilization by the array's size, the port's by the word's"
    publish(draw(found), "im2col_figure16", title, table, claims(found), given.out)


def claims(found: dict[int, tuple[float, float]]) -> list[Claim]:
    fall = found[256][0] / found[128][0]
    same = all((round(a, 1), round(b, 1)) == (PAGE[size], SINGLE[size]) for size, (a, b) in found.items())
    return [
        Claim("from 128 to 256 PEs on a side utilization decreases by half", f"to {fall:.2f} of it", 0.45 < fall < 0.6,
              "it is less"),
        Claim("recomputed: utilization of VGG16 by size", "to the digit printed", same, "another number"),
        Claim("a word of 8 leaves a port idle most of the time", f"{idle(8):.0%} with a read and a write in 8 cycles",
              idle(8) > 0.5, "it does not"),
        Claim("one element a word: reads and writes always meet", f"{idle(1):.0%} idle, for both want every cycle",
              idle(1) == 0, "they do not"),
    ]  # fmt: skip


def draw(found: dict[int, tuple[float, float]]) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4))
    left, right = figure.subplots(1, 2)
    for label, percents in zip(("up to three positions", "one"), zip(*found.values(), strict=True), strict=True):
        left.plot(list(map(str, found)), percents, marker="o", label=label)
    left.set(xlabel="PEs on a side", ylabel="% at work", title="VGG16, batch 8")
    left.legend()
    right.plot(list(map(str, WORDS)), [100 * idle(word) for word in WORDS], marker="o")
    right.set(xlabel="elements of a word", ylabel="% of cycles", title="port of a memory, idle")
    return figure


if __name__ == "__main__":
    main()
