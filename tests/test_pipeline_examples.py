"""The pipelines of examples/pipelines, on their RTL."""

import runpy
from pathlib import Path

import pytest

from halidehw import Func
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_interpreter
from tests.fuzz.designs import Design

FOLDER = Path(__file__).parents[1] / "examples" / "pipelines"

SIZES: dict[str, dict[str, int]] = {
    "blur": {"width": 11, "lanes": 4},
    "conv_pool": {},
    "demosaic": {"width": 5, "height": 3},
    "depthwise_pointwise": {},
    "harris": {"width": 9, "height": 5, "lanes": 2},
    "inverted_residual": {},
    "matrix_products": {},
    "median": {"width": 9, "height": 5},
    "pyramid": {"width": 3, "height": 2},
    "sobel": {"width": 9, "height": 5, "lanes": 2},
    "stencil_chain": {"width": 5, "height": 4, "stages": 4},
    "unsharp": {"width": 11, "height": 5, "lanes": 2},
}
"""Of each example what it is tried at, beside the sizes that it says itself: such as divide nothing."""


def test_every_example_is_tested():
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(SIZES)


def example(name: str) -> Func:
    """At a small size, with the schedule that it says."""
    return runpy.run_path(str(FOLDER / f"{name}.py"))[name](**SIZES[name])


@pytest.mark.parametrize("name", SIZES)
def test_the_nests_are_right(name: str):
    check_interpreter(Design(example(name)))


@pytest.mark.parametrize("first", range(0, len(SIZES), 4))
def test_the_hardware_is_right(first: int):
    """Each on a memory that stalls, from one start to the next."""
    memory = Memory(latency=5, stall_probability=0.2)
    check_each([Design(example(name), memory=memory, starts=2, abort=30) for name in list(SIZES)[first : first + 4]])
