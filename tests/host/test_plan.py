"""Where tensors lie: none overlaps what is needed at the same time, and what is over makes room."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from halidehw.errors import HardwareError
from halidehw.host.plan import ALWAYS, BEFORE, Block, placed

ORDER = [range(step) for step in range(6)]
ORIGIN, ROOM, ALIGN = 0x1000, 0x4000, 0x40


def test_blocks_that_are_needed_at_once_never_overlap():
    generator = random.Random(3)
    for _ in range(200):
        users = [frozenset(generator.choices(range(-1, 6), k=2)) for _ in range(8)]
        blocks = [Block(f"b{i}", generator.randint(1, 900), each) for i, each in enumerate(users)]
        at = placed(blocks, ORDER, ALIGN, ORIGIN, ROOM)
        for i, block in enumerate(blocks):
            assert at[i] % ALIGN == 0 and at[i] >= ORIGIN and at[i] + block.size <= ORIGIN + ROOM
            for j in range(i):
                apart = at[i] + block.size <= at[j] or at[j] + blocks[j].size <= at[i]
                assert apart or max(users[i]) < min(users[j]) or max(users[j]) < min(users[i])


def test_a_chain_needs_room_for_two_activations():
    """Where each step waits for the one before; of two chains side by side none makes room for the other."""
    chain = [Block(f"b{i}", 1000, frozenset({i, i + 1})) for i in range(5)]
    assert sorted(set(placed(chain, ORDER, ALIGN, ORIGIN, ROOM))) == [ORIGIN, ORIGIN + 1024]
    twice = [Block(f"b{i}", 1000, frozenset({i, i + 2})) for i in range(4)]
    beside = [range(step % 2, step, 2) for step in range(6)]
    assert len(set(placed(twice, beside, ALIGN, ORIGIN, ROOM))) == 4


@pytest.mark.parametrize(
    ("blocks", "message", "legal"),
    [
        ([Block("a", 100, frozenset({BEFORE, 2}), 0x1000), Block("b", 10, ALWAYS, 0x1040)],
         "b, 10 bytes at 0x1040, overlaps a, 100 bytes at 0x1000, which is needed at the same time", "0x1080"),
        ([Block("a", 100, frozenset({BEFORE, 2}), 0x1004)], "a at 0x1004: an address is a multiple of 64", "0x1040"),
        ([Block("a", 100, frozenset({0, 2}), 0x4fc0)],
         "a: 100 bytes at 0x4fc0, and there are 16384 bytes of memory from 0x1000 on", ""),
        ([Block("a", 0x3000, frozenset({0, 2})), Block("b", 0x2000, frozenset({2, 3}))],
         "b: 8192 bytes at 0x4000, and there are 16384 b", ""),
    ],
)  # fmt: skip
def test_plans_that_cannot_be(blocks: list[Block], message: str, legal: str):
    with pytest.raises(HardwareError) as found:
        placed(blocks, ORDER, ALIGN, ORIGIN, ROOM)
    assert message in str(found.value) and found.value.proposed == ((legal,) if legal else ())
    if legal:
        fixed = [*blocks[:-1], replace(blocks[-1], at=int(legal, 16))]
        assert placed(fixed, ORDER, ALIGN, ORIGIN, ROOM)[-1] == int(legal, 16)
