from dataclasses import replace

from halidehw.ir.printer import buffers_json, loop_nest, loops_json, lowered
from halidehw.scheduler import lower
from tests.ir.nests import filter_nest
from tests.scheduler.examples import worked_example


def test_worked_example(golden):
    nest = lower(worked_example())
    golden("worked_example_nest.txt", loop_nest(nest))
    golden("worked_example_lowered.txt", lowered(nest))


def test_ragged_worked_example(golden):
    golden("ragged_nest.txt", loop_nest(lower(worked_example((17, 13, 64)))))


def test_lines_of_a_loop_and_its_buffers():
    nest = filter_nest(10, 4, lanes=2)
    lines = [line.strip() for line in loop_nest(nest).splitlines()]
    assert "for xi in [0, Min(4, 10 - 4*xo)) (2 lanes on dimension 0):" in lines
    assert "allocate a_in[6] (double)" in lines
    assert "fill a_in from a at (4*xo - 1) [0:Min(6, 12 - 4*xo)] when xo steps" in lines
    assert "fill w_in from w at (-1) once" in lines


def test_combine_that_is_written_as_a_call():
    assert "f(xi + 4*xo) = max(f(xi + 4*xo), " in lowered(replace(filter_nest(), combine="max"))


def test_plain_data():
    nest = filter_nest()
    assert loops_json(nest)[2] == {
        "name": "r",
        "min": -1,
        "extent": 3,
        "kind": "temporal",
        "lanes": 1,
        "systolic": False,
        "dimension": None,
        "distance": 1,
        "reduction": True,
        "fused": None,
    }
    assert buffers_json(nest)[0] == {
        "name": "a_in",
        "tensor": "a",
        "at": "xo",
        "extents": [6],
        "words": 6,
        "per_pe": False,
        "double": True,
        "slide": None,
        "capacity": None,
    }
