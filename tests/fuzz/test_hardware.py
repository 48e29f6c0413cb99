"""The simulated hardware agrees with the algorithm's own evaluation, whatever the schedule and the memory."""

import pytest

from halidehw.errors import HardwareError, ScheduleError
from tests.fuzz.check import check_hardware
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design

GROUPS, DESIGNS = 10, 10


@pytest.mark.parametrize("group", range(GROUPS))
def test_hardware_agrees_with_reference(group: int):
    """Ten designs that are accepted; `make fuzz SEED=...` minimises one that fails."""
    passed, seed = 0, group * 1000
    while passed < DESIGNS:
        try:
            check_hardware(design(seeded(seed)))
            passed += 1
        except (ScheduleError, HardwareError):
            pass
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}") from error
        seed += 1
