"""`store_in(MemoryType.Heap)`: what one stage leaves in the memory outside for another one."""

import pytest

from halidehw import MemoryType, Pipeline
from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower_graph
from tests.refused import refused
from tests.scheduler.pipelines import blur, chain, checked, unsharp, x, y

HEAP = MemoryType.Heap


def test_it_has_a_port_to_be_written_and_one_to_be_read():
    func = blur(lambda blur, h, image: (h.store_in(HEAP).compute_root(), h.in_().store_root().compute_at(blur, y)))
    graph, _ = checked(func)
    network = derive(graph)
    assert [(port.name, port.kind, port.tensor) for port in network.interface.ports[1:3]] == [
        ("blur_h", "read", "h"), ("h", "write", "h"),
    ]  # fmt: skip
    assert network.between == {"h"}
    assert [memory.name for memory in network.memories] == ["h_image_stream", "h_in"]
    text = write(design_of(func))
    assert "store_in(MemoryType::Heap)" in text and write(parse(text)) == text


def test_on_the_chip_anyway():
    func = blur(lambda blur, h, image: h.store_in(MemoryType.Stack).compute_root())
    assert [note.message for note in lower_graph(func).notes] == [
        "h.store_in(MemoryType.Stack): it lies on the chip anyway"
    ]


def twice(out, v, h, g):
    for stage in (v, h, g):
        stage.compute_root()
    g.store_in(HEAP)


def output():
    func = chain(lambda c, b, a, image: (b.compute_root().store_in(HEAP), a.compute_root()))
    return design_of(Pipeline([func.sources[0].bound(x, 0, 11).bound(y, 0, 9), func]))


REFUSED = {
    "inside loops": (
        ScheduleError, lambda: blur(lambda blur, h, image: h.compute_at(blur, y).store_in(HEAP)),
        "h.store_in(MemoryType.Heap): it would be computed inside loops, by h.compute_at(blur, y); in the memory "
        "outside it lies as a whole", ("h.compute_root()",)),
    "two readers": (
        HardwareError, lambda: unsharp(twice), "g.store_in(MemoryType.Heap): h and out would read it through one port",
        ('copy = Func("copy")', "copy[x, y] = g[x, y]", "copy.compute_root()")),
    "an output": (
        HardwareError, output,
        "b.store_in(MemoryType.Heap): b is an output, which is written anyway, and read from a memory on the chip; "
        "remove the line", ()),
    "how it lies on the chip": (
        ScheduleError, lambda: blur(lambda blur, h, image: h.compute_root().store_in(HEAP).single_port()),
        "h.single_port(): h lies in the memory outside, by h.store_in(MemoryType.Heap); remove one of the lines", ()),
    "no memory": (
        ScheduleError, lambda: blur(lambda blur, h, image: h.compute_root().store_in("Heap")),
        "h.store_in takes a MemoryType, not 'Heap'", ("h.store_in(MemoryType.Heap)",)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    kind, make, message, legal = REFUSED[name]
    refused(lambda: lower_graph(make()), message, *legal, kind=kind)
