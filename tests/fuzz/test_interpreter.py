"""The interpreter of the scheduled nest agrees with the algorithm's own evaluation, whatever the schedule."""

import numpy as np
from hypothesis import HealthCheck, given, settings

from halidehw.frontend.reference import reference
from halidehw.ir.interpreter import execute
from tests.fuzz.designs import Design, designs


@given(designs())
@settings(max_examples=300, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_interpreter_agrees_with_reference(design: Design):
    result = execute(design.nest, design.arrays)
    assert np.array_equal(result.output, reference(design.func, design.inputs))
