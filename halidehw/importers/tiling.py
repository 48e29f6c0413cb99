"""The array of a network's blocks, and the tiles of each: found by what they cost.

Inside a tile of rows of the output the filters are the outer loop, so that weights come in while others are at work; a
tile of the input, and of the stage before the sums, serves all filters. What is free is searched: the lanes, and
the order of loops, which all blocks share; for each block the rows of a tile, the channels that are loaded together,
and whether taps across are channels.

Lanes over columns are over as many parts of a row, not over neighbours: the stage before the sums keeps what each part
sees for itself, so that these lanes read alike, whatever the stride.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Literal, get_args

from halidehw.errors import HardwareError
from halidehw.importers.blocks import Block
from halidehw.importers.recipes import Convolution, Window

_ROOM = 1 << 17
"""Bytes that the tiles of a block may have, of one half: with two, all memories are 256 KB."""

_GROUPS, _FILTERS = (8, 16, 32), tuple(1 << bits for bits in range(7))
"""Lanes that are tried: channels of the stage before, and filters. Words of a port are taken together where they are a
power of two."""

_PARTS = (1, 2, 4)
"""Parts of the columns side by side that are tried where the sums read a stage before, which has a copy for each."""

_BUSY = 1.25
"""How much longer a port takes that several tensors share, about."""

_SUM = 4
"""Bytes of a sum."""

_CONSTANTS = 8
"""Bytes of an output channel's bias and scale."""

_PART, PARTS = 1 << 14, 4
"""Bytes of the weights that stay while all rows pass, about, and for how many such parts there is room."""

Order = Literal["streamed", "held", "kept"]
"""Weights come in for each tile of rows again; or so do those of some channels, while the sums of the tile are held; or
those of some filters stay while all rows pass."""

_TRIED = 3
"""Choices for a block that the model is asked about."""

_TAIL = 60
"""Cycles from a block's last sum until it is written, about."""


@dataclass(frozen=True)
class Array:
    """Lanes: of the sums, over `channels`, `filters` and `parts` of the columns; of the stage before, over `groups`,
    its channels, and taps `across` and `down`, 0 where there is none."""

    channels: int
    filters: int
    groups: int = 0
    across: int = 0
    down: int = 0
    parts: int = 1
    order: Order = "streamed"

    @property
    def pes(self) -> int:
        return self.channels * self.filters * self.parts + self.groups * self.across * self.down

    def parts_of(self, block: Block) -> int:
        """So many parts the columns of a block's output are in: a lane each, or, where these do not divide it, as many
        as it has columns."""
        columns = block.main.output.shape[3]
        return columns if columns % self.parts else self.parts


@dataclass(frozen=True)
class Tiles:
    """Of a block: `rows` of the output; `groups`: lanes of the stage before that are loaded together; `joined`: whether
    taps across are channels; `kept`: lanes of filters whose weights stay together, where they do."""

    rows: int
    groups: int
    joined: bool
    kept: int


def _seen(outputs: int, window: Window, axis: int) -> int:
    """Indices of the input that so many outputs read along an axis."""
    step, reach = window.strides[axis], (window.kernel[axis] - 1) * window.dilations[axis] + 1
    return outputs * reach if reach < step else (outputs - 1) * step + reach


@dataclass(frozen=True)
class Work:
    """What a block asks of an array. `port`: bytes that come in a cycle."""

    block: Block
    array: Array
    joined: bool
    port: int

    @property
    def _main(self) -> Convolution:
        return self.block.main

    @cached_property
    def _channels(self) -> int:
        """That are summed up side by side or one after the other."""
        return self._main.x.shape[1] * (self._main.window.kernel[1] if self.joined else 1)

    @cached_property
    def _parts(self) -> int:
        return self.array.parts_of(self.block)

    @cached_property
    def _before_row(self) -> int:
        """Steps of the stage before for a row, of one tap."""
        channels, parts = self._main.x.shape[1], self._parts
        across = _seen(self._main.output.shape[3] // parts, self._main.window, 1)
        if self.joined:
            return -(-across * channels // self.array.groups) * parts
        return -(-channels // self.array.groups) * across * parts

    @cached_property
    def _sums(self) -> int:
        """Steps of the sums in a row of the output."""
        (down, across), (_, filters, _, columns) = self._main.window.kernel, self._main.output.shape
        columns //= self._parts
        taps = down if self.joined else down * across
        waves = -(-filters // self.array.filters) * -(-self._parts // self.array.parts)
        return taps * columns * -(-self._channels // self.array.channels) * waves

    def _rows(self, rows: int) -> int:
        """Rows that the sums read for so many of the output."""
        return _seen(rows, self._main.window, 0)

    def _written(self, rows: int) -> int:
        """Beats of so many rows of the output."""
        _, filters, _, columns = self._main.output.shape
        return rows * columns * -(-filters // min(self.array.filters, self.port))

    def _before(self, rows: int) -> int:
        """Steps of the stage before for so many rows of the output."""
        array = self.array
        if not array.groups:
            return 0
        down, across = self.block.first.window.kernel if self.block.first else (1, 1)
        lanes = -(-across // array.across) * -(-down // array.down)
        return lanes * self._before_row * self._rows(rows)

    def _input(self, rows: int) -> int:
        """Bytes that the port carries for the input under a tile: a word at least for each pixel, unless they are
        taken side by side."""
        first, main = self.block.first, self._main
        window, (_, channels, high, wide) = (first or main).window, (first or main).x.shape
        outputs = _seen(rows, main.window, 0) if first else rows
        tall, across = (_seen(many, window, axis) for axis, many in enumerate((outputs, main.output.shape[3])))
        pixel = channels if self.joined else -(-channels // self.port) * self.port
        return min(tall, high) * min(across, wide) * pixel

    @cached_property
    def _weights(self) -> tuple[int, int]:
        """Bytes that the port carries for all weights, and for those of the first filters, or of their first channels
        where sums are held: then a row of them may begin and end inside a word of the port."""
        filters, size = self._main.output.shape[1], self._main.operands.weight.size
        first, lanes = size * min(self.array.filters, filters) // filters, self.array.channels
        if self.array.order != "held" or self._channels <= lanes:
            return size, first
        more = 0 if lanes % self.port == 0 else self.port - 1
        return size * (lanes + more) // lanes, first * (lanes + more) // self._channels

    @cached_property
    def kept(self) -> int:
        """Lanes of filters whose weights stay while all rows pass."""
        (filters, lanes), size = (self._main.output.shape[1], self.array.filters), self._main.operands.weight.size
        groups = -(-filters // lanes)
        return max(1, min(groups, _PART * filters // (size * lanes))) if self.array.order == "kept" else groups

    def steps(self) -> int:
        """Of the array, or of what writes its sums, whatever the tiles."""
        rows = self._main.output.shape[2]
        return max(self._sums * rows, self._before(rows), self._written(rows))

    def groups(self) -> int:
        """Lanes of the stage before that are loaded together: so many that a word of the port is full."""
        if not self.array.groups:
            return 1
        if self.joined and self._parts > 1:
            return -(-self._before_row // self._parts)
        channels = (self.block.first or self._main).x.shape[1] * (self._main.x.shape[3] if self.joined else 1)
        return max(1, min(self.port, channels) // self.array.groups)

    def cycles(self, rows: int) -> int:
        """Of the block with so many rows in a tile, about: what comes before the first sum, then the slowest of sums,
        stage before and port in each tile. Of the first weights half are there at the start, as loads begin early."""
        (_, filters, high, columns), (weights, first) = self._main.output.shape, self._weights
        passes, data = -(-filters // (self.kept * self.array.filters)), self._input(rows)
        tiles = -(-high // rows)
        traffic = rows * columns * filters if self.block.last else 0
        traffic += _CONSTANTS * filters
        if self.array.order == "kept":
            traffic, first = passes * data + traffic + weights // tiles, min(self.kept * first, weights)
        else:
            traffic += data + (weights if tiles > 1 else max(weights - first, 0))
        loads = [data // tiles if self.array.groups else data, first // 2]
        ahead = sum(loads) // self.port + self._before(rows)
        port = int(_BUSY * traffic) // self.port
        slowest = max(self._sums * rows, self._before(rows) * passes, self._written(rows), port)
        return ahead + tiles * slowest + _TAIL

    def fits(self, rows: int) -> bool:
        """Whether the tiles are no larger than they may be."""
        _, channels, _, columns = self._main.x.shape
        between = self._rows(rows) * columns * channels if self.array.groups else 0
        weights = self._weights[1] * (PARTS // 2 * self.kept if self.array.order == "kept" else 1)
        return self._input(rows) + between + weights + self._sums_held(rows) <= _ROOM

    def _sums_held(self, rows: int) -> int:
        """Bytes of a tile's sums."""
        array = self.array
        return _SUM * array.filters * rows * self._main.output.shape[3] if array.order == "held" else 0


def can_join(block: Block) -> bool:
    """Whether taps across lie side by side, and nothing is computed before the sums."""
    window = block.main.window
    return block.before is None and window.dilations[1] == 1 and window.kernel[1] > 1


def array_of(blocks: Sequence[Block], macs: int, port: int) -> Array:
    """The array of at most `macs` multipliers on which the blocks take the fewest steps, of several the smallest, with
    the order of loops that then takes the fewest cycles, about, of those for whose tiles there is room.

    Raises HardwareError for too few of them.
    """
    found = list(_arrays(blocks, macs))
    if not found:
        raise HardwareError(f"{macs} multipliers are too few for this network's layers", legal=("--macs 256",))

    def steps(array: Array) -> int:
        return sum(min(work.steps() for work in _works(block, array, port)) for block in blocks)

    def cycles(array: Array) -> tuple[int, int]:
        chosen = [_choices(block, array, port)[0] for block in blocks]
        return sum(not work.fits(rows) for _, rows, work in chosen), sum(cycles for cycles, _, _ in chosen)

    best = min(found, key=lambda array: (steps(array), array.pes))
    return min((replace(best, order=order) for order in get_args(Order)), key=cycles)


def _arrays(blocks: Sequence[Block], macs: int) -> Iterator[Array]:
    kernels = [block.first.window.kernel for block in blocks if block.first]
    high, wide = (max((kernel[axis] for kernel in kernels), default=0) for axis in (0, 1))
    stages = [(groups, wide, down) for groups in _GROUPS for down in range(1, high + 1)] if wide else [(0, 0, 0)]
    most = max(block.main.x.shape[1] * block.main.window.kernel[1] for block in blocks)
    for stage in stages:
        rest = macs - stage[0] * stage[1] * stage[2]
        for filters, parts in product(_FILTERS, _PARTS if wide else (1,)):
            counts = range(1, min(rest // (filters * parts), most) + 1)
            yield from (Array(count, filters, *stage, parts) for count in counts)


def _works(block: Block, array: Array, port: int) -> list[Work]:
    ways = (False, True) if can_join(block) else (False,)
    return [Work(block, array, joined, port) for joined in ways]


def tiles_of(block: Block, array: Array, port: int) -> list[Tiles]:
    """The tiles with which a block takes the fewest cycles, about: some of them, the best first. All of a block have as
    many rows."""
    best = _choices(block, array, port)[:_TRIED]
    return [Tiles(rows, work.groups(), work.joined, work.kept) for _, rows, work in best]


def _choices(block: Block, array: Array, port: int) -> list[tuple[int, int, Work]]:
    """Cycles about, rows of a tile, and how the block is on the array: the best first."""
    high = block.main.output.shape[2]
    choices = [(work.cycles(rows), rows, work) for work in _works(block, array, port) for rows in range(1, high + 1)
               if high % rows == 0 and (work.fits(rows) or rows == 1)]  # fmt: skip
    return sorted(choices, key=lambda choice: (choice[0], -choice[1]))
