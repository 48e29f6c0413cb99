"""Table I of the paper on implicit im2col: what explicit im2col stores, and which of its numbers can be had.

python examples/figures/im2col_table1.py
"""

from __future__ import annotations

from common import Claim, call, publish, rows
from lowered import PRINTED, Lowered, reproduced, variants

LAST = 0.006
"""Of the last printed digit, which is rounded twice (34.6445 is 34.645 is 34.65)."""

WHY = {
    "DenseNet": "no DenseNet's input is as large at batch 1, and the ratio lies above that of every variant",
    "YOLO": "the ratio lies below that of every variant: 3x3 convolutions of stride 1 alone would have to be few",
}


def main() -> None:
    given = call()
    same, others = reproduced(), variants()
    lines = [[name, each.input, each.lowered, each.ratio] for name, each in (same | others).items()]
    table = rows(["network", "input, MiB", "lowered, MiB", "times"], lines)
    title = "Table I: inputs and lowered matrices, 32-bit words, batch 1"
    publish(draw(same), "im2col_table1", title, table, claims(same, others), given.out)


def claims(same: dict[str, Lowered], others: dict[str, Lowered]) -> list[Claim]:
    found = []
    for name, (stored, lowered) in PRINTED.items():
        paper = f"{name}: {stored} MiB of inputs, {lowered} MiB lowered"
        if name in same:
            here = same[name]
            agree = max(abs(here.input - stored), abs(here.lowered - lowered)) < LAST
            found.append(Claim(paper, f"{here.input:.4f}, {here.lowered:.4f}", agree, "another recipe"))
        else:
            mine = {each: size for each, size in others.items() if each.startswith(name)}
            ratios, most = [size.ratio for size in mine.values()], max(size.input for size in mine.values())
            found.append(Claim(
                f"{paper}, {lowered / stored:.2f} times as much",
                f"{min(ratios):.2f} to {max(ratios):.2f} times, {most:.1f} MiB at most",
                False, WHY[name],
            ))  # fmt: skip
    return found


def draw(same: dict[str, Lowered]) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    for at, (label, sizes) in enumerate((
        ("input", [each.input for each in same.values()]), ("lowered", [each.lowered for each in same.values()]),
    )):  # fmt: skip
        axes.bar([place + 0.4 * at for place in range(len(same))], sizes, width=0.4, label=label)
    axes.set_xticks([place + 0.2 for place in range(len(same))], list(same))
    axes.set(ylabel="MiB", title="inputs, and what explicit im2col makes of them")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
