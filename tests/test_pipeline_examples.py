"""The pipelines of examples/pipelines, on their RTL."""

import runpy
from pathlib import Path

import pytest

from halidehw import Func
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.points import iterations
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower_graph
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_interpreter
from tests.fuzz.designs import Design

FOLDER = Path(__file__).parents[1] / "examples" / "pipelines"

SIZES: dict[str, dict[str, int]] = {
    "blur": {"width": 11, "lanes": 4},
    "camera": {"width": 3, "height": 2},
    "conv_pool": {},
    "demosaic": {"width": 5, "height": 3},
    "depthwise_pointwise": {},
    "harris": {"width": 41, "height": 5, "lanes": 2},
    "histogram_equalisation": {"width": 9, "height": 5, "bits": 3},
    "inverted_residual": {},
    "matrix_products": {},
    "median": {"width": 29, "height": 5},
    "pyramid": {"width": 3, "height": 2},
    "sobel": {"width": 57, "height": 5, "lanes": 2},
    "stencil_chain": {"width": 5, "height": 4, "stages": 4},
    "unsharp": {"width": 11, "height": 5, "lanes": 2},
}
"""Of each example what it is tried at, beside the sizes that it says itself: such as divide nothing, and rows so long
that readers of one window keep them once."""


def test_every_example_is_tested():
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(SIZES)


def example(name: str) -> Func:
    """At a small size, with the schedule that it says."""
    return runpy.run_path(str(FOLDER / f"{name}.py"))[name](**SIZES[name])


@pytest.mark.parametrize("name", SIZES)
def test_the_nests_are_right(name: str):
    check_interpreter(Design(example(name)))


@pytest.mark.parametrize(
    "first", [pytest.param(first, marks=[pytest.mark.soak] * (first > 0)) for first in range(0, len(SIZES), 4)]
)
def test_the_hardware_is_right(first: int):
    """Each on a memory that stalls, from one start to the next."""
    memory = Memory(latency=5, stall_probability=0.2)
    check_each([Design(example(name), memory=memory, starts=2, abort=30) for name in list(SIZES)[first : first + 4]])


@pytest.mark.parametrize("name, lanes", [
    *((name, lanes) for name in ("blur", "stencil_chain") for lanes in (1, 4, 8)), ("unsharp", 4), ("harris", 4),
    *(pytest.param(name, lanes, marks=pytest.mark.soak) for name in ("unsharp", "harris") for lanes in (1, 8)),
])  # fmt: skip
def test_whole_images_take_hardly_more_than_a_cycle_for_the_pixels_of_a_step(name: str, lanes: int):
    """1920 x 1080 by the model: at most 1.03 of the steps of the largest stage, port and fill included. (Of the corners
    with lanes, which take the model seconds, that all stages have them; of a chain with lanes the first four.)"""
    sizes = {"width": 1920, "height": 1080, "lanes": lanes}
    sizes |= {"stages": 20 if lanes == 1 else 4} if name == "stencil_chain" else {}
    graph = lower_graph(runpy.run_path(str(FOLDER / f"{name}.py"))[name](**sizes))
    network = derive(graph, Options(port_bits=512 if lanes > 1 else 0))
    if name == "harris" and lanes > 1:
        assert {stage.pes for stage in network.stages} == {lanes}
        return
    largest = max(iterations(stage.compute.walk) for stage in network.stages)
    assert cycles(network).total <= 1.03 * largest
