"""One test for each rule of a graph."""

from dataclasses import replace

import pytest

from halidehw.ir.affine import Affine
from halidehw.ir.graph import Graph, verify_graph
from halidehw.ir.nest import Access
from halidehw.ir.stages import execute_graph
from halidehw.ir.verify import InvariantError
from halidehw.scheduler import lower_graph
from tests.scheduler.pipelines import blur, chain, inputs, y

graph = lower_graph(blur(lambda blur, h, image: h.compute_at(blur, y)))
made, last = graph.stages


def breaks(message, *stages):
    with pytest.raises(InvariantError, match=f"graph: .*{message}"):
        verify_graph(Graph(stages))


def test_a_good_graph_is_itself():
    assert verify_graph(graph) is graph
    assert graph.consumers("h") == (last,)
    assert (graph.output, graph.stage["h"]) == (last, made)


def test_stages():
    breaks("two stages share a name", made, made, last)
    breaks("no stage reads other", replace(made, name="other"), made, last)
    a, b, c = lower_graph(chain(lambda c, b, a, image: (b.compute_root(), a.compute_root()))).stages
    breaks("b reads a later stage", b, a, c)
    breaks("h lies in the loops of no consumer", made)


def test_what_is_made_is_what_is_read():
    smaller = replace(made.output, extents=(11, 10))
    breaks("h and blur do not agree what h is", replace(made, output=smaller), last)


def test_a_memory_lies_between():
    breaks("there is no memory between h and blur", made, replace(last, buffers=()))


def test_loops_outside_both():
    breaks("h and blur do not agree on the loops outside both", replace(made, place=0), last)


def test_the_part_that_is_needed_at_a_time():
    rows, columns = made.write.indices[1], made.write.indices[0]
    later = replace(made, write=Access("h", (columns, rows + 1)))
    breaks("h and blur do not agree on the part of h that is needed at a time", later, last)
    twice = replace(made, write=Access("h", (columns, rows + Affine.variable("h.y"))))
    breaks("h and blur do not agree on the part of h that is needed at a time", twice, last)


def test_an_element_that_is_not_made_is_not_read():
    short = replace(made, loops=(*made.loops[:2], replace(made.loops[2], extent=10)))
    with pytest.raises(InvariantError, match="h is read at an element that its stage does not make"):
        execute_graph(Graph((short, last)), inputs(graph))
