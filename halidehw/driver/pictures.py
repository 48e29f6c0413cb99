"""What designs and estimates draw: `Estimate.plot`, and what a notebook shows of both. Neither knows of pictures; they
get these methods here."""

from __future__ import annotations

from halidehw.backend_hdl.compiled import Compiled
from halidehw.driver.estimate import estimate
from halidehw.energy_model.estimate import Estimate
from halidehw.report.notebook import design_html, energy_svg, estimate_html
from halidehw.report.picture import picture
from halidehw.report.plots import plot

__all__ = ["Estimate", "estimate"]


def _html(compiled: Compiled) -> str:
    return design_html(compiled.graph, compiled.accelerator)


def _svg(compiled: Compiled) -> str:
    return picture(compiled.accelerator)


for kind, name, method in (
    (Estimate, "plot", plot), (Estimate, "_repr_html_", estimate_html), (Estimate, "_repr_svg_", energy_svg),
    (Compiled, "_repr_html_", _html), (Compiled, "_repr_svg_", _svg),
):  # fmt: skip
    setattr(kind, name, method)
