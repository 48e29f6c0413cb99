"""Where the tensors of a list of programs lie: what is not needed any more makes room."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from halidehw.errors import HardwareError

BEFORE, AFTER = -1, 1 << 30
"""The steps in which the host writes, and reads."""
ALWAYS = frozenset((BEFORE, AFTER))


Order = Sequence[Collection[int]]
"""Of each step those that are over before it begins."""


@dataclass(frozen=True)
class Block:
    """`size` bytes that the steps `users` write or read. `at`: their address, where the user says it."""

    name: str
    size: int
    users: frozenset[int]
    at: int | None = None

    def meets(self, other: Block, order: Order) -> bool:
        """Whether both are needed at once."""
        return not (_over(self.users, other.users, order) or _over(other.users, self.users, order))


def _over(users: Collection[int], later: Collection[int], order: Order) -> bool:
    """Whether steps are over before any of the later ones begins."""
    return all(
        user < step if {user, step} & {BEFORE, AFTER} else user in order[step] for user in users for step in later
    )


def placed(blocks: Sequence[Block], order: Order, align: int, origin: int, room: int) -> tuple[int, ...]:
    """The address of each block, a multiple of `align`, in `room` bytes from `origin` on.

    The largest first, each at the lowest address that is free while it is needed; those that the user has placed before
    all. Raises HardwareError for blocks of the user's that overlap, or lie elsewhere, and for a lack of room.
    """
    found = dict[int, int]()
    for i in sorted(range(len(blocks)), key=lambda i: (blocks[i].at is None, -blocks[i].size, i)):
        block, others = blocks[i], [j for j in found if blocks[i].meets(blocks[j], order)]
        taken = sorted((found[j], found[j] + blocks[j].size, j) for j in others)
        found[i] = _stated(blocks, block, taken, align) if block.at is not None else _free(block, taken, align, origin)
        if not origin <= found[i] <= found[i] + block.size <= origin + room:
            raise HardwareError(f"{block.name}: {block.size} bytes at {found[i]:#x}, and there are {room} bytes of "
                                f"memory from {origin:#x} on")  # fmt: skip
    return tuple(found[i] for i in range(len(blocks)))


def _stated(blocks: Sequence[Block], block: Block, taken: list[tuple[int, int, int]], align: int) -> int:
    assert block.at is not None
    if block.at % align:
        raise HardwareError(f"{block.name} at {block.at:#x}: an address is a multiple of {align}",
                            legal=(f"{block.at + -block.at % align:#x}",))  # fmt: skip
    for first, end, j in taken:
        if first < block.at + block.size and block.at < end:
            free = -(-max(end for _, end, _ in taken) // align) * align
            raise HardwareError(
                f"{block.name}, {block.size} bytes at {block.at:#x}, overlaps {blocks[j].name}, {blocks[j].size} bytes "
                f"at {first:#x}, which is needed at the same time", legal=(f"{free:#x}",),
            )  # fmt: skip
    return block.at


def _free(block: Block, taken: list[tuple[int, int, int]], align: int, origin: int) -> int:
    at = origin
    for first, end, _ in taken:
        if at + block.size <= first:
            break
        at = max(at, -(-end // align) * align)
    return at
