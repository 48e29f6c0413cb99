"""Words between stages are as narrow as what their stage computes."""

from pathlib import Path

import numpy as np

from halidehw import Func, ImageParam, Int, UInt, clamp, i16, i32, load
from halidehw.expr.nodes import Binary
from halidehw.expr.tree import nodes
from halidehw.ir.stages import interpret_graph
from halidehw.microarch.derive import derive
from halidehw.microarch.narrow import narrowed
from halidehw.microarch.product import Product
from halidehw.scheduler import lower_graph
from tests.scheduler.pipelines import inputs, layers, x, y

EXAMPLES = Path(__file__).parents[2] / "examples" / "pipelines"


def narrow(define, bits=8, signed=False):
    """The types of the stage `a`, which is what `define` makes of a pixel, as it is declared and as it passes on; both
    give the same."""
    image, a, f = ImageParam(Int(bits) if signed else UInt(bits), 2, "image"), Func("a"), Func("f")
    a[x, y] = define(image[x, y])
    f[x, y] = i32(a[x, y]) * a[x, y + 1]
    f.set_bounds([(0, 5), (0, 4)])
    a.store_root().compute_at(f, y)
    graph = lower_graph(f)
    less, arrays = narrowed(graph), inputs(graph)
    for found, right in zip(interpret_graph(less, arrays), interpret_graph(graph, arrays), strict=True):
        assert np.array_equal(found, right)
    assert less.output.output == graph.output.output
    return graph.stage["a"].output.type, less.stage["a"].output.type


def test_a_word_has_the_bits_of_its_values():
    assert narrow(lambda p: i16(p) - 100) == (Int(16), Int(9))
    assert narrow(lambda p: i16(p) * 3) == (Int(16), UInt(10))
    assert narrow(lambda p: clamp(i32(p), -4, 3), 16, True) == (Int(32), Int(3))
    assert narrow(lambda p: p * 3) == (UInt(8), UInt(8))
    assert narrow(lambda p: i16(p), 16, True) == (Int(16), Int(16))


def test_a_final_stage_narrows_and_a_sum_does_not():
    graph = lower_graph(layers(lambda pool, act, conv: act.compute_root()))
    assert narrowed(graph).stage["act"].output.type == UInt(7)
    graph = lower_graph(layers(lambda pool, act, conv: (conv.compute_root(), act.compute_root())))
    assert narrowed(graph).stage["conv"].output.type == Int(32)


def test_what_follows_has_no_product_of_pieces():
    """Of differences of bytes: their sums of products fit a multiplier, though they are declared as 32 bits."""
    stage = derive(lower_graph(load(EXAMPLES / "harris.py"))).output
    windows = [value for window, _ in stage.compute.windows.values() for value in window.values]
    found = [node for each in (stage.compute.value, *windows) for node in nodes(each)]
    assert any(isinstance(node, Binary) and node.op == "mul" for node in found)
    assert not any(isinstance(node, Product) for node in found)
    assert max(value.type.bits for value in windows) <= 18
