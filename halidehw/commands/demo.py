"""`halidehw demo`: filters over a photograph, from the algorithm to a picture made by simulated hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from halidehw.commands.common import Refused, json_option, print_json, progress
from halidehw.commands.simulate import MISMATCH, summary
from halidehw.demo import NAMES, expected, filters, weights
from halidehw.driver import compile, simulate
from halidehw.ir.printer import loop_nest

CROP = (0, 0, 512, 512)
"""The square of the photograph that is scaled and filtered."""


@click.command("demo")
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path), default="build/demo", metavar="DIR",
              help="Of the pictures.  [build/demo]")  # fmt: skip
@click.option("--size", type=click.IntRange(5, 300), default=160, metavar="N", help="Its side in pixels.  [160]")
@json_option
def demo_command(folder: Path, size: int, as_json: bool) -> None:
    """Filter a photograph on a generated accelerator; the pictures before and after are in DIR."""
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
