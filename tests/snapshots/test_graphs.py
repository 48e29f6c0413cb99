"""The nests and networks of pipelines at each kind of place: `pytest tests/snapshots --update-golden` rewrites them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from halidehw import Func
from halidehw.ir.printer import lowered
from halidehw.microarch.derive import derive
from halidehw.microarch.printer import printed
from halidehw.scheduler import lower_graph
from tests.scheduler.pipelines import blur, chain, layers, x, xi, xo, y, yi, yo

GRAPHS: dict[str, Callable[[], Func]] = {
    "at_the_root": lambda: blur(lambda blur, h, image: h.compute_root()),
    "tile_of_a_stage": lambda: blur(
        lambda blur, h, image: h.compute_at(blur.tile(x, y, xo, yo, xi, yi, 4, 5), xo).single_buffer()),
    "lines_of_a_stage": lambda: blur(lambda blur, h, image: h.store_root().compute_at(blur, y)),
    "lines_in_strips": lambda: blur(
        lambda blur, h, image: h.store_at(blur.split(x, xo, xi, 4).reorder(xi, y, xo), xo).compute_at(blur, y)),
    "lines_before_lines": lambda: blur(lambda blur, h, image: (
        h.store_root().compute_at(blur, y), image.in_().store_root().compute_at(h, y))),
    "copy_of_a_stage": lambda: blur(lambda blur, h, image: (h.compute_root(), h.in_().compute_at(blur, y))),
    "lanes_of_both": lambda: blur(lambda blur, h, image: (h.compute_at(blur.unroll(x, 3), y).unroll(x, 2))),
    "rows_of_the_output": lambda: chain(
        lambda c, b, a, image: (b.store_root().compute_at(c, y), a.store_root().compute_at(c, y))),
    "tiles_of_tiles": lambda: chain(
        lambda c, b, a, image: (c.tile(x, y, xo, yo, xi, yi, 4, 3), b.compute_at(c, xo), a.compute_at(b, y))),
    "layers": lambda: layers(lambda pool, act, conv: act.compute_at(pool, y)),
    "reduction_of_its_own": lambda: layers(lambda pool, act, conv: (act.compute_at(pool, x), conv.compute_at(pool, y))),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_nests_of_stages(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.graph.txt", lowered(lower_graph(GRAPHS[name]())))


@pytest.mark.parametrize("name", GRAPHS)
def test_networks_of_stages(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.network.txt", printed(derive(lower_graph(GRAPHS[name]()))))
