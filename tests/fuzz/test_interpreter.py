"""The interpreter of the scheduled nest agrees with the algorithm's own evaluation, whatever the schedule."""

from hypothesis import HealthCheck, given, reject, settings

from halidehw.errors import HardwareError, ScheduleError
from tests.fuzz.check import check_interpreter
from tests.fuzz.choices import Choices, choices
from tests.fuzz.designs import design


@given(choices())
@settings(max_examples=1000, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_interpreter_agrees_with_reference(decisions: Choices):
    try:
        check_interpreter(design(decisions))
    except (ScheduleError, HardwareError):
        reject()
