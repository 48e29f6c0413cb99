import pytest

from halidehw.errors import ScheduleError
from halidehw.frontend.dataflow import parse
from halidehw.frontend.directives import Dataflow

LOOPS = ("k", "c", "y", "x", "r.y", "r.x", "cx")


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("C | K", (("c",), ("k",))),
        ("X", (("x",),)),
        ("x y | k", (("x", "y"), ("k",))),
        ("XY|K", (("x", "y"), ("k",))),
        ("x, y | k", (("x", "y"), ("k",))),
        ("r.x | r.y", (("r.x",), ("r.y",))),
        ("RX | RY", (("r.x",), ("r.y",))),
        ("RXK | Y", (("r.x", "k"), ("y",))),
        ("CX | K", (("cx",), ("k",))),
        ("C X | K", (("c", "x"), ("k",))),
    ],
)
def test_notation(text, sides):
    assert parse(Dataflow(text), LOOPS) == sides


@pytest.mark.parametrize("text", ["", "|", "C |", "C | K | X", "| K"])
def test_text_that_is_no_dataflow(text):
    with pytest.raises(ScheduleError, match="should name loops for one dimension") as caught:
        parse(Dataflow(text), LOOPS)
    assert caught.value.legal == ('dataflow("k | cx", rows=4, cols=4)',)


def test_unknown_loop():
    with pytest.raises(ScheduleError, match="FX names no loop; the loops, outer to inner, are k, c, y"):
        parse(Dataflow("FX | K"), LOOPS)


def test_loop_named_twice():
    with pytest.raises(ScheduleError, match="it names k twice"):
        parse(Dataflow("K | k"), LOOPS)


def test_the_only_loop_of_a_domain_goes_by_its_name():
    assert parse(Dataflow("C | K"), ("k", "x", "c.x")) == (("c.x",), ("k",))
    assert parse(Dataflow("XC | K"), ("k", "x", "c.x")) == (("x", "c.x"), ("k",))
    with pytest.raises(ScheduleError, match="C names no loop"):
        parse(Dataflow("C | K"), ("k", "c.y", "c.x"))
