"""Numbers that differ between the programs of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halidehw.ir.varies import Varies, pick, programs, room


@dataclass(frozen=True)
class Node:
    left: Any
    right: Any


def test_parts_that_are_shared_are_looked_at_once() -> None:
    """An expression's parts are shared: as a tree, 200 levels of two have 2**200 leaves."""
    value: Any = Varies((3, 5, 7), bits=4)
    for _ in range(200):
        value = Node(value, value)
    assert (programs(value), room(value)) == (3, 4)
    chosen = pick(value, 1)
    for _ in range(200):
        assert chosen.left is chosen.right
        chosen = chosen.left
    assert chosen == 5
