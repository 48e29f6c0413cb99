"""The interpreter of the scheduled nest agrees with the algorithm's own evaluation, whatever the schedule."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, reject, settings

from halidehw.errors import BoundsError, HardwareError, ScheduleError
from tests.fuzz.check import check_interpreter
from tests.fuzz.choices import Choices, choices
from tests.fuzz.designs import Design, design
from tests.fuzz.pieces import by_pieces
from tests.fuzz.pipelines import pipeline
from tests.fuzz.together import together


def agrees(decisions: Choices, make: Callable[[Choices], Design] = design) -> None:
    try:
        check_interpreter(make(decisions))
    except (BoundsError, ScheduleError, HardwareError):
        reject()


UNLIKE = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


@given(choices())
@settings(UNLIKE, max_examples=50)
def test_interpreter_agrees_with_reference(decisions: Choices):
    agrees(decisions)


@given(choices())
@settings(UNLIKE, max_examples=40)
def test_interpreter_of_everything_together(decisions: Choices):
    """Stencils, boundary conditions, intrinsics, divisions, scalars, inline reductions, Tuples, points left out."""
    agrees(decisions, together)


@given(choices())
@settings(UNLIKE, max_examples=3)
def test_interpreter_of_pipelines(decisions: Choices):
    """Two to six stages, each with a schedule and a place of its own."""
    agrees(decisions, pipeline)


@given(choices())
@settings(UNLIKE, max_examples=10)
def test_interpreter_of_tiles_that_pass_by_pieces(decisions: Choices):
    agrees(decisions, by_pieces)


@pytest.mark.soak
@given(choices())
@settings(UNLIKE, max_examples=3000)
def test_interpreter_of_more_designs(decisions: Choices):
    agrees(decisions)
