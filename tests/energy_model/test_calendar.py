"""A port's taken cycles, beside a set of them."""

import random

import pytest

from halidehw.energy_model.calendar import Calendar


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_set_of_its_cycles(seed):
    """What is taken, put back and repeated, patterns within patterns."""
    for round in range(60):
        chance, calendar, taken = random.Random(f"{seed} {round}"), Calendar(), set()
        for _ in range(chance.randint(1, 25)):
            kind, time = chance.random(), chance.randint(0, 60)
            if kind < 0.65:
                count = chance.randint(1, 12)
                free = [cycle for cycle in range(time, time + count + len(taken) + 1) if cycle not in taken][:count]
                assert calendar.take(time, count) == free[-1]
                taken.update(free)
            elif kind < 0.8:
                base = chance.randint(0, 20)
                calendar.restore(time, base, calendar.since(time, base))
            else:
                period, times = chance.randint(1, 30), chance.randint(1, 4)
                end = time + period
                pattern = [cycle for cycle in taken if time <= cycle < end]
                later = [cycle + times * period for cycle in taken if cycle >= end]
                again = [cycle + turn * period for cycle in pattern for turn in range(1, times + 1)]
                taken = {cycle for cycle in taken if cycle < end} | {*again, *later}
                calendar.repeat(time, end, times)
            assert list(calendar.cycles()) == sorted(taken)


def test_exact_cycles_are_free_or_not():
    calendar = Calendar()
    assert calendar.put(5, 3) and calendar.put(8, 1)
    assert not calendar.put(7, 3)
