"""The simulated hardware agrees with the algorithm's own evaluation, whatever the schedule and the memory."""

from itertools import count, islice

import pytest

from tests.fuzz.check import accepted, check_each
from tests.fuzz.chosen import PIECES, SEEDS
from tests.fuzz.pieces import by_pieces, pieces

TOGETHER = 10


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.soak) for first in (1, 2, 3))])
def test_hardware_agrees_with_reference(first: int):
    """Designs that differ much, of which a quarter is tried here, and all by `make soak`; `make fuzz SEED=...`
    minimises one that fails."""
    check_each(list(accepted(SEEDS[first::4])))


@pytest.mark.soak
def test_hardware_whose_tiles_pass_by_pieces():
    """Of operands from outside and from other memories, of sums, through ports of their own and one for all."""
    designs = list(accepted(PIECES, by_pieces))
    assert all(pieces(each.accelerator) for each in designs)
    assert {bool(each.options.shared_port_bits) for each in designs} == {False, True}
    check_each(designs)


@pytest.mark.soak
@pytest.mark.parametrize("group", range(20))
def test_hardware_of_more_designs(group: int):
    check_each(list(islice(accepted(count(group * 1000)), TOGETHER)))


@pytest.mark.soak
@pytest.mark.parametrize("group", range(10))
def test_hardware_of_more_designs_by_pieces(group: int):
    check_each(list(islice(accepted(count(group * 1000), by_pieces), TOGETHER)))
